#include "instrument/masked_access.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "common/llvm_compat.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

using compat::MaskedOperands;

/// One lane: where it lies and how it is aligned.
struct Lane {
  unsigned index;
  Value* pointer;
  Align alignment;
};

Lane lane_of(const MaskedOperands& operands, FixedVectorType& type, unsigned index, IRBuilder<>& builder,
             const DataLayout& layout) {
  Type* const element = type.getElementType();
  const Align natural = layout.getABITypeAlign(element);
  if (operands.pointer->getType()->isVectorTy())
    return {index, builder.CreateExtractElement(operands.pointer, index), operands.alignment.value_or(natural)};
  const std::uint64_t offset = layout.getTypeStoreSize(element).getFixedValue() * index;
  Value* const pointer =
      index == 0 ? operands.pointer : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), operands.pointer, offset);
  return {index, pointer, commonAlignment(operands.alignment.value_or(natural), offset)};
}

/// Emits `body(builder)` where the lane is on. `result`, if any, is what the lanes so far made of the vector.
template <class Body>
Value* under_mask(IntrinsicInst& masked, Value* bit, Value* result, Body&& body) {
  BasicBlock* const before = masked.getParent();
  Instruction* const then = SplitBlockAndInsertIfThen(bit, masked.getIterator(), /*Unreachable=*/false);
  IRBuilder<> builder(then);
  builder.SetCurrentDebugLocation(masked.getDebugLoc());
  Value* const updated = body(builder);
  if (result == nullptr) return nullptr;
  IRBuilder<> after(&masked);
  PHINode* const merged = after.CreatePHI(result->getType(), 2);
  merged->addIncoming(result, before);
  merged->addIncoming(updated, then->getParent());
  return merged;
}

}  // namespace

IntrinsicInst* as_masked_access(Instruction& instruction) {
  auto* const call = dyn_cast<IntrinsicInst>(&instruction);
  if (call == nullptr) return nullptr;
  switch (call->getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_store:
    case Intrinsic::masked_gather:
    case Intrinsic::masked_scatter:
      return call;
    default:
      return nullptr;
  }
}

bool is_masked_load(const Instruction& instruction) {
  return as_masked_access(const_cast<Instruction&>(instruction)) != nullptr && !instruction.getType()->isVoidTy();
}

void replace_masked_access(IntrinsicInst& masked, SharedAccess& access) {
  const MaskedOperands operands = compat::masked_operands(masked);
  const DataLayout& layout = masked.getModule()->getDataLayout();
  auto& type = *cast<FixedVectorType>(operands.value->getType());
  const bool loads = is_masked_load(masked);
  Value* result = loads ? operands.value : nullptr;
  for (unsigned index = 0; index < type.getNumElements(); ++index) {
    IRBuilder<> at(&masked);
    Value* const bit = at.CreateExtractElement(operands.mask, index);
    result = under_mask(masked, bit, result, [&](IRBuilder<>& builder) -> Value* {
      const Lane lane = lane_of(operands, type, index, builder, layout);
      if (loads) {
        Value* const value = access.read(builder, type.getElementType(), lane.pointer, lane.alignment);
        return builder.CreateInsertElement(result, value, index);
      }
      access.write(builder, builder.CreateExtractElement(operands.value, index), lane.pointer, lane.alignment);
      return nullptr;
    });
  }
  if (loads) masked.replaceAllUsesWith(result);
  masked.eraseFromParent();
}

}  // namespace perdure::plugin
