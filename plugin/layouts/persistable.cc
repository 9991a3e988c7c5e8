#include "layouts/persistable.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

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

/// Calls `visit(call, replaced)` for those that are not in clones; it may replace the call.
template <class Visit>
void for_each_call(Module& module, Visit visit) {
  for (const OperatorNew& each : operators_new) {
    auto* const called = module.getFunction(each.symbol);
    if (called == nullptr) continue;
    for (Use& use : make_early_inc_range(called->uses())) {
      auto* const call = dyn_cast<CallBase>(use.getUser());
      if (call != nullptr && call->getCalledFunction() == called && !is_clone(*call->getFunction())) visit(*call, each);
    }
  }
}

}  // namespace

bool calls_persist(const Module& module) { return module.getFunction(persist_symbol) != nullptr; }

void mark_persistable(Module& module) {
  for_each_call(module, [&](CallBase& call, const OperatorNew&) {
    call.addFnAttr(Attribute::get(module.getContext(), persistable_marking));
  });
}

void replace_persistable(Module& module) {
  for_each_call(module, [](CallBase& call, const OperatorNew& replaced) {
    if (call.hasFnAttr(persistable_marking)) replace(call, replaced);
  });
}

}  // namespace perdure::plugin
