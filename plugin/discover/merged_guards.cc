#include "discover/merged_guards.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include <cstddef>
#include <optional>

#include "discover/static_guards.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// The blocks on the ways from one that dominates the last. No others lead to them, but to the first.
SmallVector<BasicBlock*> blocks_between(BasicBlock& first, BasicBlock& last) {
  SmallSetVector<BasicBlock*, 8> found;
  found.insert(&last);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == &first) continue;
    for (BasicBlock* const predecessor : predecessors(found[i])) found.insert(predecessor);
  }
  return found.takeVector();
}

class Separation {
 public:
  /// \param guard  which of them is given up.
  /// \param last   the block in which it is.
  Separation(PHINode& guard, BasicBlock& last)
      : guard_(guard), first_(*guard.getParent()), blocks_(blocks_between(first_, last)) {}

  /// Not if the blocks are a loop.
  static bool is_possible(const PHINode& guard) {
    return all_of(guard.incoming_values(), [](const Use& value) { return isa<GlobalVariable>(value); });
  }

  void run() {
    SmallSetVector<Value*, 4> guards(guard_.op_begin(), guard_.op_end());
    for (Value* const guard : drop_begin(guards)) make_copy_for(guard);
    guard_.replaceAllUsesWith(guards.front());
    guard_.eraseFromParent();
  }

 private:
  void make_copy_for(Value* guard) {
    ValueToValueMapTy copies;
    SmallVector<BasicBlock*> copied_blocks;
    for (BasicBlock* const block : blocks_) {
      BasicBlock* const copy = CloneBasicBlock(block, copies, ".guard", first_.getParent());
      copies[block] = copy;
      copied_blocks.push_back(copy);
    }
    remapInstructionsInBlocks(copied_blocks, copies);
    divide_entries(guard, copies);
    for (BasicBlock* const block : blocks_) enter_in_successors(*block, copies);
    for (BasicBlock* const block : blocks_)
      for (Instruction& instruction : *block) repair_uses(instruction, copies);
    auto* const copied_guard = cast<PHINode>(copies.lookup(&guard_));
    copied_guard->replaceAllUsesWith(guard);
    copied_guard->eraseFromParent();
  }

  /// Whoever comes with this guard comes to the copy.
  void divide_entries(const Value* guard, ValueToValueMapTy& copies) {
    SmallSetVector<BasicBlock*, 4> coming;
    for (unsigned i = 0; i < guard_.getNumIncomingValues(); ++i)
      if (guard_.getIncomingValue(i) == guard) coming.insert(guard_.getIncomingBlock(i));
    for (PHINode& value : first_.phis()) {
      auto* const copy = cast<PHINode>(copies.lookup(&value));
      const auto comes = [&](unsigned i) { return coming.contains(copy->getIncomingBlock(i)); };
      copy->removeIncomingValueIf([&](unsigned i) { return !comes(i); }, /*DeletePHIIfEmpty=*/false);
      value.removeIncomingValueIf([&](unsigned i) { return coming.contains(value.getIncomingBlock(i)); },
                                  /*DeletePHIIfEmpty=*/false);
    }
    for (BasicBlock* const block : coming)
      block->getTerminator()->replaceSuccessorWith(&first_, cast<BasicBlock>(copies.lookup(&first_)));
  }

  void enter_in_successors(BasicBlock& block, ValueToValueMapTy& copies) {
    for (BasicBlock* const successor : successors(&block)) {
      if (is_contained(blocks_, successor)) continue;
      for (PHINode& value : successor->phis()) {
        Value* const incoming = value.getIncomingValueForBlock(&block);
        Value* const copied = copies.lookup(incoming);
        value.addIncoming(copied != nullptr ? copied : incoming, cast<BasicBlock>(copies.lookup(&block)));
      }
    }
  }

  /// What comes behind the blocks uses the value of the way that was gone.
  void repair_uses(Instruction& instruction, ValueToValueMapTy& copies) {
    SmallVector<Use*> outside;
    for (Use& use : instruction.uses()) {
      const auto* const user = cast<Instruction>(use.getUser());
      const auto* const phi = dyn_cast<PHINode>(user);
      const BasicBlock* const place = phi != nullptr ? phi->getIncomingBlock(use) : user->getParent();
      if (!is_contained(blocks_, place)) outside.push_back(&use);
    }
    if (outside.empty()) return;
    auto* const copy = cast<Instruction>(copies.lookup(&instruction));
    SSAUpdater updater;
    updater.Initialize(instruction.getType(), instruction.getName());
    updater.AddAvailableValue(instruction.getParent(), &instruction);
    updater.AddAvailableValue(copy->getParent(), copy);
    for (Use* const use : outside) updater.RewriteUse(*use);
  }

  PHINode& guard_;
  BasicBlock& first_;
  SmallVector<BasicBlock*> blocks_;
};

/// A copy may have more of them in it.
std::optional<Separation> next_separation(const Function& end) {
  for (const User* const user : end.users()) {
    const auto* const call = dyn_cast<CallInst>(user);
    if (call == nullptr || call->getCalledFunction() != &end) continue;
    auto* const guard = dyn_cast<PHINode>(call->getArgOperand(0));
    if (guard == nullptr || !Separation::is_possible(*guard)) continue;
    return Separation(*guard, const_cast<BasicBlock&>(*call->getParent()));
  }
  return std::nullopt;
}

}  // namespace

void separate_merged_guards(Module& module) {
  for (const StringLiteral symbol : {initialised_symbol, given_up_symbol})
    if (const Function* const end = module.getFunction(symbol))
      while (auto separation = next_separation(*end)) separation->run();
}

}  // namespace perdure::plugin
