#include "common/forwarding.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace perdure::plugin {

using namespace llvm;

Function& define_weak_caller(Function& function, StringRef symbol) {
  Module& module = *function.getParent();
  Function& caller = *Function::Create(function.getFunctionType(), GlobalValue::WeakAnyLinkage,
                                       function.getAddressSpace(), symbol, &module);
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", &caller));
  SmallVector<Value*> arguments;
  for (Argument& argument : caller.args()) arguments.push_back(&argument);
  CallInst* const call = builder.CreateCall(&function, arguments);
  call->setTailCall();
  if (call->getType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
  return caller;
}

}  // namespace perdure::plugin
