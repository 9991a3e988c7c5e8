#include "discover/own_operators.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/IRBuilder.h>

#include "common/runtime_interface.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

bool is_own_operator(const Function& function) {
  static const StringSet<> symbols = {
#define PERDURE_OPERATOR(symbol, result, parameters) #symbol,
#include "abi/operators.def"
  };
  return !function.isDeclaration() && symbols.contains(function.getName()) &&
         !function.hasFnAttribute(Attribute::SanitizeThread);
}

/// Takes the function's name, and calls it.
void define_in_its_place(Function& function) {
  Module& module = *function.getParent();
  Function& caller = *Function::Create(function.getFunctionType(), GlobalValue::WeakAnyLinkage,
                                       function.getAddressSpace(), "", &module);
  function.replaceAllUsesWith(&caller);
  caller.takeName(&function);
  function.setName(replaced_prefix + caller.getName());
  if (function.doesNotThrow()) caller.setDoesNotThrow();
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", &caller));
  SmallVector<Value*> arguments;
  for (Argument& argument : caller.args()) arguments.push_back(&argument);
  CallInst* const call = builder.CreateCall(&function, arguments);
  call->setTailCall();
  if (call->getType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

}  // namespace

void hand_over_operators(Module& module) {
  SmallVector<Function*> own;
  for (Function& function : module)
    if (is_own_operator(function)) own.push_back(&function);
  for (Function* const function : own) define_in_its_place(*function);
}

}  // namespace perdure::plugin
