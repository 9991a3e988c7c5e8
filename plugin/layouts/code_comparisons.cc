#include "layouts/code_comparisons.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "common/diagnose.h"
#include "common/markings.h"
#include "common/runtime_interface.h"
#include "layouts/code_addresses.h"
#include "layouts/member_pointers.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Whether it may have been read from a pool.
bool may_be_of_pool(const Value* pointer) {
  const Value* const object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  return !isa<Constant>(object) && !isa<AllocaInst>(object);
}

/// A half of a pointer to a member function: where nothing is optimised, one that was taken out of the whole.
bool may_be_half(const Value* integer) {
  const auto* const half = dyn_cast<ExtractValueInst>(integer);
  return half != nullptr && is_member_pointer(*half->getAggregateOperand()->getType());
}

bool leads_to_function(const Value* integer) {
  const Value* const address = address_in(integer);
  return address != nullptr && leads_to_code(address);
}

void compare_halves_in_program(ICmpInst& comparison, EntryPoints& entry_points) {
  IRBuilder<> builder(&comparison);
  for (const unsigned side : {0U, 1U}) {
    Value* const half = comparison.getOperand(side);
    const Value* const other = comparison.getOperand(1 - side);
    const bool is_unknown = comparison.getFunction()->hasOptNone() && may_be_half(half) && !isa<ConstantInt>(other);
    if (isa<Constant>(half) || !(is_unknown || leads_to_function(other))) continue;
    Value* const address = builder.CreateIntToPtr(half, builder.getPtrTy());
    Value* const in_program = &with_location(*builder.CreateCall(entry_points.program_address(), {address}));
    comparison.setOperand(side, builder.CreatePtrToInt(in_program, half->getType()));
  }
}

bool is_of_halves(const ICmpInst& comparison) {
  return comparison.isEquality() && comparison.getOperand(0)->getType()->isIntegerTy(64);
}

bool is_comparison(const ICmpInst& comparison) {
  return comparison.isEquality() && comparison.getOperand(0)->getType()->isPointerTy() &&
         !isa<ConstantPointerNull>(comparison.getOperand(0)) && !isa<ConstantPointerNull>(comparison.getOperand(1));
}

void compare_in_program(ICmpInst& comparison, EntryPoints& entry_points) {
  const bool is_unknown = comparison.getFunction()->hasOptNone();
  IRBuilder<> builder(&comparison);
  for (const unsigned side : {0U, 1U}) {
    Value* const pointer = comparison.getOperand(side);
    if (may_be_of_pool(pointer) && (is_unknown || leads_to_code(comparison.getOperand(1 - side))))
      comparison.setOperand(side, &with_location(*builder.CreateCall(entry_points.program_address(), {pointer})));
  }
}

}  // namespace

void compare_in_program(Function& function) {
  SmallVector<ICmpInst*> comparisons;
  SmallVector<ICmpInst*> halves;
  for (Instruction& instruction : instructions(function)) {
    auto* const comparison = dyn_cast<ICmpInst>(&instruction);
    if (comparison == nullptr) continue;
    if (is_comparison(*comparison)) comparisons.push_back(comparison);
    if (is_of_halves(*comparison)) halves.push_back(comparison);
  }
  if (comparisons.empty() && halves.empty()) return;
  EntryPoints entry_points(*function.getParent());
  for (ICmpInst* const comparison : comparisons) compare_in_program(*comparison, entry_points);
  for (ICmpInst* const comparison : halves) compare_halves_in_program(*comparison, entry_points);
}

void compare_outside_of_transactions(Module& module) {
  for (Function& function : module) {
    const bool is_compiled = !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
                             !function.hasFnAttribute(Attribute::Naked);
    if (is_compiled && !is_clone(function)) compare_in_program(function);
  }
}

}  // namespace perdure::plugin
