#ifndef PERDURE_PLUGIN_COMMON_LLVM_COMPAT_H
#define PERDURE_PLUGIN_COMMON_LLVM_COMPAT_H

/// Every difference between the supported versions of LLVM, and the only file that names a version. A shim is named for
/// what it is for, and says which change of LLVM it covers.
#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < 19 || LLVM_VERSION_MAJOR > 22
#error "Perdure's plugin supports LLVM 19 to 22: build it with -DPERDURE_LLVM_VERSION=19 or 22"
#endif

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>

#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

namespace perdure::plugin::compat {

/// Runs `add(module pass manager)` at the end of the optimiser. LLVM 20 added the link-time phase to the callback.
template <class Add>
void at_optimizer_last(llvm::PassBuilder& builder, Add add) {
#if LLVM_VERSION_MAJOR >= 20
  builder.registerOptimizerLastEPCallback(
      [add](llvm::ModulePassManager& passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) { add(passes); });
#else
  builder.registerOptimizerLastEPCallback(
      [add](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { add(passes); });
#endif
}

/// The operands of llvm.masked.load, store, gather and scatter. LLVM 22 moved the alignment from an operand to an
/// attribute of the pointer parameter.
struct MaskedOperands {
  llvm::Value* pointer;  ///< a vector of pointers for gather and scatter
  llvm::Value* mask;
  llvm::Value* value;  ///< what is stored, or what lanes that are off load
  llvm::MaybeAlign alignment;
};

inline MaskedOperands masked_operands(const llvm::IntrinsicInst& call) {
  const bool stores = call.getType()->isVoidTy();
  const unsigned pointer = stores ? 1 : 0;
#if LLVM_VERSION_MAJOR >= 22
  const unsigned mask = pointer + 1;
  const llvm::MaybeAlign alignment = call.getParamAlign(pointer);
#else
  const unsigned mask = pointer + 2;
  const auto* const operand = llvm::cast<llvm::ConstantInt>(call.getArgOperand(pointer + 1));
  const llvm::MaybeAlign alignment = operand->getMaybeAlignValue();
#endif
  return {call.getArgOperand(pointer), call.getArgOperand(mask), call.getArgOperand(stores ? 0 : mask + 1), alignment};
}

/// An identifier among the arguments of an attribute, and its place: a clang::IdentifierLoc, which this header does not
/// include. LLVM 21 made its members private.
template <class Identifier>
const auto& name_of(const Identifier& identifier) {
#if LLVM_VERSION_MAJOR >= 21
  return *identifier.getIdentifierInfo();
#else
  return *identifier.Ident;
#endif
}

template <class Identifier>
auto place_of(const Identifier& identifier) {
#if LLVM_VERSION_MAJOR >= 21
  return identifier.getLoc();
#else
  return identifier.Loc;
#endif
}

/// How wide a bit-field is: of a clang::FieldDecl, which this header does not include. LLVM 20 took the context away.
template <class Field, class Context>
unsigned bits_of(const Field& field, const Context& context) {
#if LLVM_VERSION_MAJOR >= 20
  return field.getBitWidthValue();
#else
  return field.getBitWidthValue(context);
#endif
}

/// The type that a clang::RecordDecl declares. LLVM 22 gave it another name.
template <class Record, class Context>
auto type_of(const Record& record, const Context& context) {
#if LLVM_VERSION_MAJOR >= 22
  return context.getCanonicalTagType(&record);
#else
  return context.getRecordType(&record);
#endif
}

}  // namespace perdure::plugin::compat

#endif
