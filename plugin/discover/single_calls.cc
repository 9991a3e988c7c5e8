#include "discover/single_calls.h"

#include <llvm/IR/InstrTypes.h>

#include "common/markings.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// The only call; null when there are others, or the clone may be reached in another way.
CallBase* single_call_of(const Function& clone) {
  if (!clone.hasOneUse()) return nullptr;
  const Use& use = *clone.use_begin();
  auto* const call = dyn_cast<CallBase>(use.getUser());
  return call != nullptr && call->isCallee(&use) ? call : nullptr;
}

bool is_needed_elsewhere(const Function& clone) { return !clone.isDiscardableIfUnused(); }

bool may_be_inlined(const Function& clone) {
  return !clone.hasFnAttribute(Attribute::NoInline) && !clone.hasFnAttribute(Attribute::OptimizeNone);
}

}  // namespace

void inline_single_calls(Module& module) {
  for (const Function& clone : module) {
    if (clone.isDeclaration() || !is_plain_clone(clone) || is_needed_elsewhere(clone) || !may_be_inlined(clone))
      continue;
    if (CallBase* const call = single_call_of(clone); call != nullptr && call->getFunction() != &clone)
      call->addFnAttr(Attribute::AlwaysInline);
  }
}

}  // namespace perdure::plugin
