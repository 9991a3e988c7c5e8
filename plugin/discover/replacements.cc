#include "discover/replacements.h"

#include "common/markings.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// What is only declared is not in the module before it is called.
Function& find_or_declare(Function& replaced, StringRef symbol, StringRef marking) {
  Module& module = *replaced.getParent();
  if (Function* const known = module.getFunction(symbol)) return *known;
  Function& replacement = *Function::Create(replaced.getFunctionType(), GlobalValue::ExternalLinkage,
                                            replaced.getAddressSpace(), symbol, &module);
  replacement.setCallingConv(replaced.getCallingConv());
  replacement.addFnAttr(marking);
  return replacement;
}

}  // namespace

void mark_replaced(Module& module, const Replacements& replacements) {
  for (const Replacement& each : replacements) {
    Function* const replaced = module.getFunction(each.replaced);
    if (replaced == nullptr) continue;
    replaced->addFnAttr(replaced_marking, each.replacement);
    find_or_declare(*replaced, each.replacement, each.marking);
  }
}

Function& replacement_of(Function& replaced) {
  return find_or_declare(replaced, replaced.getFnAttribute(replaced_marking).getValueAsString(), safe_marking);
}

}  // namespace perdure::plugin
