#include "elide/elide.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Whether every object that the pointer may lead to passes the test; what is not known does not.
template <class Test>
bool all_objects(const Value* pointer, Test&& test) {
  constexpr unsigned no_limit = 0;
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, no_limit);
  return !objects.empty() && all_of(objects, test);
}

bool lies_in_frame(const Value* object) {
  if (isa<AllocaInst>(object)) return true;
  const auto* const argument = dyn_cast<Argument>(object);
  return argument != nullptr && argument->hasByValAttr();
}

bool is_constant(const Value* object) {
  const auto* const variable = dyn_cast<GlobalVariable>(object);
  return variable != nullptr && variable->isConstant();
}

bool is_counter(const Value* object) {
  const auto* const variable = dyn_cast<GlobalVariable>(object);
  return variable != nullptr &&
         (variable->getSection().starts_with("__llvm_prf") || variable->getName().starts_with("__llvm_gcov"));
}

}  // namespace

bool is_own_frame(const Value* pointer) { return all_objects(pointer, lies_in_frame); }

bool is_own_frame_or_constant(const Value* pointer) {
  return all_objects(pointer, [](const Value* object) { return lies_in_frame(object) || is_constant(object); });
}

bool is_certainly_volatile(const Value* pointer) {
  return all_objects(pointer, [](const Value* object) { return lies_in_frame(object) || isa<GlobalVariable>(object); });
}

bool is_profile_counter(const Value* pointer) { return all_objects(pointer, is_counter); }

}  // namespace perdure::plugin
