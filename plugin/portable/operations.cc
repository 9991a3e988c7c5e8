#include "portable/operations.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <memory>

#include "abi/operation_frame.h"
#include "common/markings.h"
#include "common/runtime_interface.h"
#include "discover/boundary.h"
#include "discover/call_rules.h"
#include "portable/past_entry_points.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

constexpr StringLiteral module_flag = "perdure.portable";

bool runs_plain_body(const CallBase& call) {
  const Function* const callee = call.getCalledFunction();
  if (callee == nullptr || (callee->getName() != run_symbol && callee->getName() != run_symbol_of_c)) return false;
  const Function* const body = body_of_run(call);
  return body != nullptr && is_plain_clone(*body);
}

SmallVector<CallBase*> runs_in(Module& module) {
  SmallVector<CallBase*> runs;
  if (module.getFunction(run_symbol) == nullptr && module.getFunction(run_symbol_of_c) == nullptr) return runs;
  for (Function& function : module) {
    if (is_clone(function)) continue;
    for (Instruction& instruction : instructions(function))
      if (auto* const call = dyn_cast<CallBase>(&instruction); call != nullptr && runs_plain_body(*call))
        runs.push_back(call);
  }
  return runs;
}

/// The numbers of libs/abi/operation_frame.h.
SmallVector<std::uint32_t> frame_of(const Operation& operation) {
  const Captures& captures = operation.captures;
  const bool may_throw = !body_of_run(*operation.run)->doesNotThrow();
  SmallVector<std::uint32_t> numbers = {static_cast<std::uint32_t>(captures.locals.size()),
                                        static_cast<std::uint32_t>(captures.pointers.size()), may_throw, 0};
  const auto add = [&](auto... values) { (numbers.push_back(static_cast<std::uint32_t>(values)), ...); };
  for (const Captures::Local& local : captures.locals)
    add(local.bytes, local.variable->getAlign().value(), local.is_written);
  for (const Captures::Pointer& pointer : captures.pointers)
    add(pointer.holder, pointer.holder_offset, pointer.target, pointer.target_offset);
  return numbers;
}

GlobalVariable& constant_of(Module& module, ArrayRef<std::uint32_t> numbers) {
  Constant* const content = ConstantDataArray::get(module.getContext(), numbers);
  auto* const frame = new GlobalVariable(module, content->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                         content, "perdure.operation");
  frame->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  frame->setAlignment(Align(alignof(abi::OperationFrame)));
  return *frame;
}

FunctionCallee entry_point_for(const CallBase& run) {
  EntryPoints entry_points(*const_cast<Module*>(run.getModule()));
  return run.getCalledFunction()->getName() == run_symbol ? entry_points.run_operation()
                                                          : entry_points.transaction_operation();
}

void announce(const Operation& operation) {
  CallBase& run = *operation.run;
  Value* const frame = &constant_of(*run.getModule(), frame_of(operation));
  const SmallVector<Value*> arguments = {run.getArgOperand(0), run.getArgOperand(1), frame};
  const FunctionCallee callee = entry_point_for(run);
  IRBuilder<> builder(&run);
  CallBase* call = nullptr;
  if (const auto* const invoke = dyn_cast<InvokeInst>(&run))
    call = builder.CreateInvoke(callee, invoke->getNormalDest(), invoke->getUnwindDest(), arguments);
  else
    call = builder.CreateCall(callee, arguments);
  call->setDebugLoc(run.getDebugLoc());
  run.replaceAllUsesWith(call);
  run.eraseFromParent();
}

}  // namespace

std::vector<Operation> find_operations(Module& module) {
  std::vector<Operation> operations;
  AddressFlow flow(module.getDataLayout());
  const SmallVector<CallBase*> runs = runs_in(module);
  for (const CallBase* const run : runs) flow.begin_at(*run->getFunction());
  flow.solve();
  PastEntryPoints past_entry_points;
  const Function* function = nullptr;
  std::unique_ptr<DominatorTree> dominators;
  for (CallBase* const run : runs) {
    if (function != run->getFunction()) dominators = std::make_unique<DominatorTree>(*run->getFunction());
    function = run->getFunction();
    operations.push_back({run, captures_of(*run, flow, *dominators), std::nullopt});
    Operation& operation = operations.back();
    operation.obstacle = past_entry_points.first_in(*body_of_run(*run));
    if (!operation.obstacle) operation.obstacle = operation.captures.obstacle;
  }
  return operations;
}

void announce_operations(ArrayRef<Operation> operations) {
  for (const Operation& operation : operations)
    if (!operation.obstacle) announce(operation);
}

void ask_for_portable(Module& module) {
  if (!is_asked_for_portable(module)) module.addModuleFlag(Module::Max, module_flag, 1);
}

bool is_asked_for_portable(const Module& module) { return module.getModuleFlag(module_flag) != nullptr; }

}  // namespace perdure::plugin
