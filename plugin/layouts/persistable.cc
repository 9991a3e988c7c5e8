#include "layouts/persistable.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <iterator>

#include "common/markings.h"
#include "common/runtime_interface.h"
#include "layouts/block_layouts.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// An operator new, told by its parameters.
struct OperatorNew {
  StringLiteral symbol;
  bool has_alignment;
  bool may_throw;
};

constexpr OperatorNew operators_new[] = {
    {"_Znwm", false, true},
    {"_Znam", false, true},
    {"_ZnwmRKSt9nothrow_t", false, false},
    {"_ZnamRKSt9nothrow_t", false, false},
    {"_ZnwmSt11align_val_t", true, true},
    {"_ZnamSt11align_val_t", true, true},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", true, false},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", true, false},
};

constexpr std::uint64_t default_alignment = 16;

const OperatorNew* operator_new_of(const CallBase& call) {
  const Function* const callee = call.getCalledFunction();
  if (callee == nullptr || callee->arg_size() != call.arg_size()) return nullptr;
  const auto* const found =
      find_if(operators_new, [&](const OperatorNew& each) { return each.symbol == callee->getName(); });
  return found != std::end(operators_new) ? found : nullptr;
}

/// The call or invocation of another function, in its place.
void replace_call(CallBase& call, FunctionCallee callee, ArrayRef<Value*> arguments) {
  IRBuilder<> builder(&call);
  CallBase* made = nullptr;
  if (auto* const invoked = dyn_cast<InvokeInst>(&call))
    made = builder.CreateInvoke(callee, invoked->getNormalDest(), invoked->getUnwindDest(), arguments);
  else
    made = builder.CreateCall(callee, arguments);
  made->takeName(&call);
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
}

void replace(CallBase& call, const OperatorNew& replaced) {
  Module& module = *call.getModule();
  LLVMContext& context = module.getContext();
  auto* const pointer = PointerType::getUnqual(context);
  auto* const size = Type::getInt64Ty(context);
  auto* const flag = Type::getInt32Ty(context);
  Constant* layout = layout_variable(call);
  if (layout == nullptr) layout = ConstantPointerNull::get(pointer);
  Value* const alignment = replaced.has_alignment ? call.getArgOperand(1) : ConstantInt::get(size, default_alignment);
  FunctionCallee callee = module.getOrInsertFunction(
      allocate_object_symbol, FunctionType::get(pointer, {pointer, size, size, flag}, /*isVarArg=*/false));
  cast<Function>(callee.getCallee())->addFnAttr(safe_marking);  // the linker may clone the caller
  replace_call(call, callee,
               {layout, call.getArgOperand(0), alignment, ConstantInt::get(flag, replaced.may_throw ? 1 : 0)});
}

SmallVector<CallBase*> calls_in(Module& module, function_ref<bool(const CallBase&)> is_wanted) {
  SmallVector<CallBase*> calls;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* const call = dyn_cast<CallBase>(&instruction); call != nullptr && is_wanted(*call))
        calls.push_back(call);
  return calls;
}

}  // namespace

bool calls_persist(const Module& module) { return module.getFunction(persist_symbol) != nullptr; }

void mark_persistable(Module& module) {
  const auto is_operator_new = [](const CallBase& call) {
    return !is_clone(*call.getFunction()) && operator_new_of(call) != nullptr;
  };
  for (CallBase* const call : calls_in(module, is_operator_new))
    call->addFnAttr(Attribute::get(module.getContext(), persistable_marking));
}

void replace_persistable(Module& module) {
  const auto is_marked = [](const CallBase& call) {
    return call.hasFnAttr(persistable_marking) && !is_clone(*call.getFunction());
  };
  for (CallBase* const call : calls_in(module, is_marked))
    if (const OperatorNew* const replaced = operator_new_of(*call)) replace(*call, *replaced);
}

}  // namespace perdure::plugin
