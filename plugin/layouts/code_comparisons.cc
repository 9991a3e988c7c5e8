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

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Whether it may have been read from a pool.
bool may_be_of_pool(const Value* pointer) {
  const Value* const object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  return !isa<Constant>(object) && !isa<AllocaInst>(object);
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
  for (Instruction& instruction : instructions(function))
    if (auto* const comparison = dyn_cast<ICmpInst>(&instruction); comparison != nullptr && is_comparison(*comparison))
      comparisons.push_back(comparison);
  if (comparisons.empty()) return;
  EntryPoints entry_points(*function.getParent());
  for (ICmpInst* const comparison : comparisons) compare_in_program(*comparison, entry_points);
}

void compare_outside_of_transactions(Module& module) {
  for (Function& function : module) {
    const bool is_compiled = !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
                             !function.hasFnAttribute(Attribute::Naked);
    if (is_compiled && !is_clone(function)) compare_in_program(function);
  }
}

}  // namespace perdure::plugin
