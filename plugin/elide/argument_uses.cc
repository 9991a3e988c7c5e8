#include "elide/argument_uses.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace perdure::plugin {

using namespace llvm;

namespace {

bool derives_pointer(const User& user) { return isa<GetElementPtrInst, PHINode, SelectInst>(user); }

}  // namespace

ArgumentUse ArgumentUses::of(const CallBase& call, unsigned argument) {
  if (call.isByValArgument(argument)) return ArgumentUse::reads;
  if (call.doesNotCapture(argument)) return call.onlyReadsMemory(argument) ? ArgumentUse::reads : ArgumentUse::writes;
  const Function* const callee = call.getCalledFunction();
  if (callee == nullptr || callee->isDeclaration() || callee->isInterposable() || argument >= callee->arg_size())
    return ArgumentUse::keeps;
  return of(*callee->getArg(argument));
}

ArgumentUse ArgumentUses::of(const Argument& argument) {
  // In a recursion the pointer is kept, as far as is known.
  const auto [known, is_new] = known_.insert({&argument, ArgumentUse::keeps});
  if (!is_new) return known->second;
  ArgumentUse most = ArgumentUse::reads;
  SmallPtrSet<const Value*, 16> visited = {&argument};
  SmallVector<const Value*> pointers = {&argument};
  while (!pointers.empty() && most != ArgumentUse::keeps) {
    for (const Use& use : pointers.pop_back_val()->uses()) {
      const User& user = *use.getUser();
      if (!derives_pointer(user))
        most = std::max(most, of_use(use));
      else if (visited.insert(&user).second)
        pointers.push_back(&user);
    }
  }
  return known_[&argument] = most;
}

ArgumentUse ArgumentUses::of_use(const Use& use) {
  const User& user = *use.getUser();
  if (isa<LoadInst, ICmpInst>(user)) return ArgumentUse::reads;
  if (isa<StoreInst>(user))
    return use.getOperandNo() == StoreInst::getPointerOperandIndex() ? ArgumentUse::writes : ArgumentUse::keeps;
  const auto* const call = dyn_cast<CallBase>(&user);
  if (call == nullptr || !call->isArgOperand(&use)) return ArgumentUse::keeps;
  const auto* const intrinsic = dyn_cast<IntrinsicInst>(call);
  if (intrinsic != nullptr && intrinsic->isAssumeLikeIntrinsic() && intrinsic->getType()->isVoidTy())
    return ArgumentUse::reads;
  return of(*call, call->getArgOperandNo(&use));
}

}  // namespace perdure::plugin
