#include "instrument.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Statistic.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "elide.h"
#include "instrument_calls.h"
#include "markings.h"
#include "masked_access.h"
#include "shared_access.h"
#include "strip_deductions.h"
#include "unsupported.h"

#define DEBUG_TYPE "perdure"

namespace perdure::plugin {

using namespace llvm;

STATISTIC(loads_instrumented, "Loads instrumented");
STATISTIC(stores_instrumented, "Stores instrumented");
STATISTIC(loads_of_own_frame, "Loads left: own frame");
STATISTIC(loads_of_constants, "Loads left: constant");
STATISTIC(stores_to_own_frame, "Stores left: own frame");
STATISTIC(accesses_to_counters, "Accesses left: counters of coverage and profiling");

namespace {

bool is_left(const LoadInst& load) {
  if (is_own_frame(load.getPointerOperand())) {
    ++loads_of_own_frame;
    return true;
  }
  if (is_own_frame_or_constant(load.getPointerOperand())) {
    ++loads_of_constants;
    return true;
  }
  if (!is_profile_counter(load.getPointerOperand())) return false;
  ++accesses_to_counters;
  return true;
}

bool is_left(const StoreInst& store) {
  if (is_own_frame(store.getPointerOperand())) {
    ++stores_to_own_frame;
    return true;
  }
  if (!is_profile_counter(store.getPointerOperand())) return false;
  ++accesses_to_counters;
  return true;
}

void replace_load(LoadInst& load, SharedAccess& access) {
  if (is_left(load)) return;
  ++loads_instrumented;
  IRBuilder<> builder(&load);
  Value* const value = access.read(builder, load.getType(), load.getPointerOperand(), load.getAlign());
  value->takeName(&load);
  load.replaceAllUsesWith(value);
  load.eraseFromParent();
}

void replace_store(StoreInst& store, SharedAccess& access) {
  if (is_left(store)) return;
  ++stores_instrumented;
  IRBuilder<> builder(&store);
  access.write(builder, store.getValueOperand(), store.getPointerOperand(), store.getAlign());
  store.eraseFromParent();
}

void replace(Instruction& instruction, SharedAccess& access) {
  if (auto* const load = dyn_cast<LoadInst>(&instruction))
    replace_load(*load, access);
  else if (auto* const store = dyn_cast<StoreInst>(&instruction))
    replace_store(*store, access);
  else if (auto* const memory = dyn_cast<MemIntrinsic>(&instruction))
    replace_memory_intrinsic(*memory, access);
  else if (auto* const masked = as_masked_access(instruction))
    replace_masked_access(*masked, access);
  else if (auto* const call = dyn_cast<CallBase>(&instruction))
    adapt_call(*call, access);
}

bool touches_memory(const Instruction& instruction) {
  return instruction.mayReadOrWriteMemory() || isa<CallBase>(instruction);
}

/// A call in a function with debug information must have a location, or link-time inlining of the callee breaks it.
void complete_locations(Function& clone) {
  DISubprogram* const subprogram = clone.getSubprogram();
  if (subprogram == nullptr) return;
  for (Instruction& instruction : instructions(clone)) {
    if (isa<CallBase>(instruction) && !instruction.getDebugLoc())
      instruction.setDebugLoc(DILocation::get(clone.getContext(), /*Line=*/0, /*Column=*/0, subprogram));
  }
}

/// The early phase has refused what it saw; what the optimiser made since must not slip through.
void refuse(const Instruction& instruction, const Refusal& refusal, Reporter& reporter) {
  const SourcePoint point = point_of(instruction.getDebugLoc());
  reporter.error({point, refusal.what},
                 {{point_of(*instruction.getFunction()), "in '" + source_name(*instruction.getFunction()) + "'"},
                  {point, refusal.remedy}});
}

void instrument(Function& clone, Reporter& reporter) {
  SmallVector<Instruction*> accesses;
  for (Instruction& instruction : instructions(clone))
    if (touches_memory(instruction)) accesses.push_back(&instruction);
  SharedAccess access(clone);
  for (Instruction* const instruction : accesses) {
    if (const auto refusal = why_unsupported(*instruction))
      refuse(*instruction, *refusal, reporter);
    else
      replace(*instruction, access);
  }
  complete_locations(clone);
  if (clone.hasFnAttribute(scalar_marking)) {
    clone.removeFnAttr(scalar_marking);
    clone.removeFnAttr(Attribute::NoImplicitFloat);
  }
  clone.addFnAttr(clone_marking, instrumented_stage);
}

}  // namespace

void instrument_clones(Module& module, Reporter& reporter) {
  SmallVector<Function*> clones;
  for (Function& function : module)
    if (!function.isDeclaration() && is_plain_clone(function)) clones.push_back(&function);
  if (clones.empty()) return;
  for (Function* const clone : clones) instrument(*clone, reporter);
  strip_deductions(module);
}

}  // namespace perdure::plugin
