#include "discover/registration.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr int priority = 50;

bool may_be_missing(FunctionCallee callee) {
  const auto* const function = dyn_cast<Function>(callee.getCallee());
  return function != nullptr && function->hasExternalWeakLinkage();
}

Function& make_caller(FunctionCallee callee, const Twine& name, GlobalVariable& table, std::size_t count) {
  Function& caller = make_registration(*table.getParent(), name);
  IRBuilder<> builder(&caller.getEntryBlock());
  Instruction* const end = builder.CreateRetVoid();
  builder.SetInsertPoint(end);
  if (may_be_missing(callee))
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(builder.CreateIsNotNull(callee.getCallee()), end,
                                                     /*Unreachable=*/false));
  builder.CreateCall(callee, {&table, builder.getInt64(count)});
  return caller;
}

}  // namespace

bool may_be_unloaded(const Module& module) {
  return module.getPICLevel() != PICLevel::NotPIC && module.getPIELevel() == PIELevel::Default;
}

void call_at_load(Function& caller) { appendToGlobalCtors(*caller.getParent(), &caller, priority); }
void call_at_unload(Function& caller) { appendToGlobalDtors(*caller.getParent(), &caller, priority); }

Function& make_registration(Module& module, const Twine& name) {
  Function* const caller = Function::createWithDefaultAttr(
      FunctionType::get(Type::getVoidTy(module.getContext()), /*isVarArg=*/false), GlobalValue::InternalLinkage,
      module.getDataLayout().getProgramAddressSpace(), name, &module);
  BasicBlock::Create(module.getContext(), "", caller);
  return *caller;
}

void register_table(GlobalVariable& table, std::size_t count, FunctionCallee add, FunctionCallee remove,
                    const Twine& name) {
  call_at_load(make_caller(add, "perdure.add_" + name, table, count));
  if (may_be_unloaded(*table.getParent())) call_at_unload(make_caller(remove, "perdure.remove_" + name, table, count));
}

}  // namespace perdure::plugin
