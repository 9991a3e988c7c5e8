#include "instrument/strip_deductions.h"

#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "common/markings.h"
#include "common/runtime_interface.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

// By name, because the versions of LLVM do not have the same ones.
AttributeMask mask_of(ArrayRef<StringLiteral> names) {
  AttributeMask mask;
  for (const StringRef name : names) {
    const Attribute::AttrKind kind = Attribute::getAttrKindFromName(name);
    if (kind != Attribute::None) mask.addAttribute(kind);
  }
  return mask;
}

const AttributeMask& of_functions() {
  static const AttributeMask mask = mask_of({"memory", "willreturn", "nosync", "nofree", "norecurse", "nocallback",
                                             "speculatable", "allocsize", "allockind"});
  return mask;
}

const AttributeMask& of_values() {
  static const AttributeMask mask =
      mask_of({"noalias", "readonly", "readnone", "writeonly", "nofree", "nocapture", "captures", "dereferenceable",
               "dereferenceable_or_null", "writable", "initializes", "dead_on_unwind", "dead_on_return", "allocptr",
               "allocalign"});
  return mask;
}

template <class FunctionOrCall>
void strip(FunctionOrCall& subject, unsigned parameters) {
  LLVMContext& context = subject.getContext();
  AttributeList attributes = subject.getAttributes();
  attributes = attributes.removeFnAttributes(context, of_functions());
  attributes = attributes.removeRetAttributes(context, of_values());
  for (unsigned i = 0; i < parameters; ++i) attributes = attributes.removeParamAttributes(context, i, of_values());
  subject.setAttributes(attributes);
}

/// Under link-time optimisation an entry point may be inlined, and then writes the frame by way of another type than
/// the clone reads it with; so no type says that accesses are apart.
void strip_alias_metadata(Instruction& instruction) {
  if (!instruction.mayReadOrWriteMemory()) return;
  for (const auto kind : {LLVMContext::MD_tbaa, LLVMContext::MD_tbaa_struct, LLVMContext::MD_alias_scope,
                          LLVMContext::MD_noalias, LLVMContext::MD_invariant_group})
    instruction.setMetadata(kind, nullptr);
}

/// Also through a pointer, and the lookup for that.
bool calls_clone(const CallBase& call) {
  if (call.getAttributes().hasFnAttr(clone_marking)) return true;
  const Function* const callee = call.getCalledFunction();
  return callee != nullptr &&
         (is_clone(*callee) || is_clone_symbol(callee->getName()) || callee->getName() == clone_of_symbol);
}

}  // namespace

void strip_deductions(Module& module) {
  for (Function& function : module) {
    if (!is_clone(function) && !is_clone_symbol(function.getName())) continue;
    strip(function, function.arg_size());
    for (Instruction& instruction : instructions(function)) {
      strip_alias_metadata(instruction);
      if (auto* const call = dyn_cast<CallBase>(&instruction); call != nullptr && calls_clone(*call))
        strip(*call, call->arg_size());
    }
  }
}

}  // namespace perdure::plugin
