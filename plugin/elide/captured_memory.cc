#include "elide/captured_memory.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>

#include "common/runtime_interface.h"
#include "discover/call_rules.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Beyond these the search is given up: compiling must not take long for one access.
constexpr std::size_t most_uses = 200;
constexpr std::size_t most_blocks = 500;

/// Not calloc and realloc: the runtime writes to their blocks before it hands them out, and may defer that.
bool is_allocation(const Value& value) {
  static const StringMap<bool> is_plain = {
#define PERDURE_ALLOCATION(symbol, plain) {symbol, plain},
#include "common/symbols.def"
  };
  const auto* const call = dyn_cast<CallBase>(&value);
  const Function* const callee = call != nullptr ? callee_of(*call) : nullptr;
  return callee != nullptr && rule_for(*call) == CallRule::provided && is_plain.lookup(callee->getName());
}

bool derives_pointer(const User& user) { return isa<GetElementPtrInst>(user) || isa<BitCastInst>(user); }

/// Entry points that ask where something lies.
bool asks_for_place(const CallBase& call, const Use& use) {
  const Function* const callee = callee_of(call);
  if (callee == nullptr || !call.isArgOperand(&use)) return false;
  return (callee->getName() == code_address_symbol && call.getArgOperandNo(&use) == 0) ||
         callee->getName() == program_address_symbol;
}

/// Whether what uses the pointer only accesses the block, or looks at the address.
bool keeps_captured(const Use& use) {
  const auto& user = *cast<Instruction>(use.getUser());
  if (user.isVolatile()) return false;  // by way of an entry point
  if (isa<LoadInst>(user) || isa<ICmpInst>(user)) return true;
  if (isa<StoreInst>(user)) return use.getOperandNo() == StoreInst::getPointerOperandIndex();
  // Of a transfer both sides would have to be known.
  if (isa<MemSetInst>(user)) return use.getOperandNo() == 0;
  if (const auto* const call = dyn_cast<CallBase>(&user); call != nullptr && asks_for_place(*call, use)) return true;
  const auto* const intrinsic = dyn_cast<IntrinsicInst>(&user);
  return intrinsic != nullptr && rule_for(*intrinsic) == CallRule::stays;
}

/// The instructions from which on others may hold the pointer. Nothing when there are too many uses to tell.
std::optional<SmallVector<const Instruction*>> escapes_of(const Instruction& allocation) {
  SmallVector<const Instruction*> escapes;
  SmallVector<const Value*> pointers = {&allocation};
  std::size_t uses = 0;
  while (!pointers.empty()) {
    for (const Use& use : pointers.pop_back_val()->uses()) {
      if (++uses > most_uses) return std::nullopt;
      const auto& user = *cast<Instruction>(use.getUser());
      if (derives_pointer(user))
        pointers.push_back(&user);
      else if (!keeps_captured(use))
        escapes.push_back(&user);
    }
  }
  return escapes;
}

/// Whether execution may come from `from` to `to` without passing the allocation, which would make another block.
/// Nothing when there are too many blocks to tell.
bool may_reach(const Instruction& from, const Instruction& to, const Instruction& allocation) {
  const BasicBlock& begin = *from.getParent();
  const BasicBlock& end = *to.getParent();
  const BasicBlock& barrier = *allocation.getParent();
  if (&begin == &end && from.comesBefore(&to) && !(&barrier == &begin && from.comesBefore(&allocation))) return true;
  if (&begin == &barrier && from.comesBefore(&allocation)) return false;  // it uses the block of an earlier round
  SmallPtrSet<const BasicBlock*, 16> visited;
  SmallVector<const BasicBlock*> unvisited(successors(&begin));
  while (!unvisited.empty()) {
    const BasicBlock* const block = unvisited.pop_back_val();
    if (!visited.insert(block).second) continue;
    if (visited.size() > most_blocks) return true;
    const bool is_before_barrier = block != &barrier || to.comesBefore(&allocation);
    if (block == &end && is_before_barrier) return true;
    if (block != &barrier) append_range(unvisited, successors(block));
  }
  return false;
}

const Instruction* allocation_of(const Value* pointer) {
  const Value* const object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  return is_allocation(*object) ? cast<Instruction>(object) : nullptr;
}

const Value* written_by(const Instruction& access) {
  if (const auto* const store = dyn_cast<StoreInst>(&access)) return store->getPointerOperand();
  const auto* const memory = dyn_cast<MemIntrinsic>(&access);
  return memory != nullptr ? memory->getRawDest() : nullptr;
}

/// Where the block is there, whatever comes next.
BasicBlock::iterator point_after(Instruction& allocation) {
  auto* const invoke = dyn_cast<InvokeInst>(&allocation);
  if (invoke == nullptr) return std::next(allocation.getIterator());
  BasicBlock* destination = invoke->getNormalDest();
  if (destination->getSinglePredecessor() == nullptr) destination = SplitEdge(invoke->getParent(), destination);
  return destination->getFirstInsertionPt();
}

}  // namespace

bool is_captured(const Value* pointer, const Instruction& access) {
  const Instruction* const allocation = allocation_of(pointer);
  if (allocation == nullptr) return false;
  const auto escapes = escapes_of(*allocation);
  return escapes && none_of(*escapes, [&](const Instruction* escape) {
           return escape == &access || may_reach(*escape, access, *allocation);
         });
}

void announce_direct_writes(ArrayRef<Instruction*> accesses) {
  SmallSetVector<Instruction*, 8> allocations;
  for (const Instruction* const access : accesses)
    if (const Value* const written = written_by(*access))
      if (const Instruction* const allocation = allocation_of(written))
        allocations.insert(const_cast<Instruction*>(allocation));
  for (Instruction* const allocation : allocations) {
    IRBuilder<> builder(allocation->getContext());
    const auto point = point_after(*allocation);
    builder.SetInsertPoint(point->getParent(), point);
    EntryPoints entry_points(*allocation->getModule());
    builder.CreateCall(entry_points.written_directly(), {allocation});
  }
}

}  // namespace perdure::plugin
