#include "instrument/atomics.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "discover/static_guards.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Stores only where the comparison holds: one that fails does not conflict with readers.
void make_plain(AtomicCmpXchgInst& exchange) {
  IRBuilder<> builder(&exchange);
  Value* const pointer = exchange.getPointerOperand();
  Value* const expected = exchange.getCompareOperand();
  LoadInst* const found = builder.CreateAlignedLoad(expected->getType(), pointer, exchange.getAlign());
  Value* const is_equal = builder.CreateICmpEQ(found, expected);
  Value* const result =
      builder.CreateInsertValue(builder.CreateInsertValue(PoisonValue::get(exchange.getType()), found, 0), is_equal, 1);
  Instruction* const then = SplitBlockAndInsertIfThen(is_equal, exchange.getIterator(), /*Unreachable=*/false);
  IRBuilder<>(then).CreateAlignedStore(exchange.getNewValOperand(), pointer, exchange.getAlign());
  exchange.replaceAllUsesWith(result);
  exchange.eraseFromParent();
}

template <class LoadOrStore>
void make_plain_access(LoadOrStore& access) {
  access.setAtomic(AtomicOrdering::NotAtomic);
  access.setVolatile(false);
}

void make_plain(AtomicRMWInst& update) {
  IRBuilder<> builder(&update);
  Value* const pointer = update.getPointerOperand();
  LoadInst* const old = builder.CreateAlignedLoad(update.getType(), pointer, update.getAlign());
  Value* const result = buildAtomicRMWValue(update.getOperation(), builder, old, update.getValOperand());
  builder.CreateAlignedStore(result, pointer, update.getAlign());
  update.replaceAllUsesWith(old);
  update.eraseFromParent();
}

void make_plain(Instruction& instruction) {
  if (auto* const load = dyn_cast<LoadInst>(&instruction))
    make_plain_access(*load);
  else if (auto* const store = dyn_cast<StoreInst>(&instruction))
    make_plain_access(*store);
  else if (auto* const update = dyn_cast<AtomicRMWInst>(&instruction))
    make_plain(*update);
  else if (auto* const exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    make_plain(*exchange);
  else if (isa<FenceInst>(instruction))
    instruction.eraseFromParent();
}

}  // namespace

void make_atomics_plain(Function& clone) {
  SmallVector<Instruction*> atomics;
  for (Instruction& instruction : instructions(clone))
    if (instruction.isAtomic() && !is_check_of_guard(instruction)) atomics.push_back(&instruction);
  for (Instruction* const instruction : atomics) make_plain(*instruction);
}

}  // namespace perdure::plugin
