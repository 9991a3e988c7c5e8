#include "instrument/instrument.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Statistic.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "common/markings.h"
#include "discover/call_rules.h"
#include "discover/clone.h"
#include "discover/static_guards.h"
#include "discover/unsupported.h"
#include "elide/captured_memory.h"
#include "elide/elisions.h"
#include "elide/repeated_reads.h"
#include "instrument/checks.h"
#include "instrument/instrument_calls.h"
#include "instrument/masked_access.h"
#include "instrument/shared_access.h"
#include "instrument/strip_deductions.h"
#include "layouts/code_addresses.h"
#include "layouts/code_comparisons.h"

#define DEBUG_TYPE "perdure"

namespace perdure::plugin {

using namespace llvm;

STATISTIC(loads_instrumented, "Loads instrumented");
STATISTIC(stores_instrumented, "Stores instrumented");

namespace {

void replace_load(LoadInst& load, SharedAccess& access) {
  ++loads_instrumented;
  IRBuilder<> builder(&load);
  Value* const value = access.read(builder, load.getType(), load.getPointerOperand(), load.getAlign());
  value->takeName(&load);
  load.replaceAllUsesWith(value);
  load.eraseFromParent();
}

void replace_store(StoreInst& store, SharedAccess& access) {
  ++stores_instrumented;
  IRBuilder<> builder(&store);
  access.write(builder, store.getValueOperand(), store.getPointerOperand(), store.getAlign());
  store.eraseFromParent();
}

/// Why the access stays as it is; null when it does not. Says so in the report.
const Elision* judge(const Instruction& access, AccessReport& report) {
  const AccessKind kind = access_kind(access);
  if (kind == AccessKind::none) return nullptr;
  const Elision* const elision = elision_of(access);
  report.add(access, kind, elision != nullptr ? StringRef(elision->name) : StringRef());
  if (elision != nullptr) ++*elision->count;
  return elision;
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

void complete_locations(Function& clone) {
  for (Instruction& instruction : instructions(clone))
    if (auto* const call = dyn_cast<CallBase>(&instruction)) with_location(*call);
}

/// The early phase has refused what it saw; what the optimiser made since must not slip through.
void refuse(const Instruction& instruction, const Refusal& refusal, Reporter& reporter) {
  const SourcePoint point = point_of(instruction.getDebugLoc());
  reporter.error({point, refusal.what},
                 {{point_of(*instruction.getFunction()), "in '" + source_name(*instruction.getFunction()) + "'"},
                  {point, refusal.remedy}});
}

/// The early phase has led calls through pointers through the table, and made atomic accesses ordinary ones.
std::optional<Refusal> why_not_instrumented(const Instruction& instruction) {
  if (instruction.isAtomic() && !is_check_of_guard(instruction))
    return Refusal{"an atomic access that the optimiser made cannot be made transactional", "use an ordinary type"};
  const auto* const call = dyn_cast<CallBase>(&instruction);
  if (call != nullptr && rule_for(*call) == CallRule::indirect)
    return Refusal{"a call through a pointer that the optimiser made cannot be made transactional",
                   "call the function itself"};
  return why_unsupported(instruction);
}

void instrument(Function& clone, FunctionAnalysisManager& analyses, Reporter& reporter, AccessReport& report,
                Checks* checks) {
  SmallVector<Instruction*> accesses, direct, of_pools;
  report.begin(clone);
  translate_constant_code(clone);
  compare_in_program(clone);
  if (is_enabled(repeated_read)) remove_repeated_reads(clone, analyses, report);
  // All are judged before one is replaced: what a pointer was loaded from tells something of where it leads.
  for (Instruction& instruction : instructions(clone)) {
    if (!touches_memory(instruction)) continue;
    if (const auto refusal = why_not_instrumented(instruction)) {
      if (flavour_of(clone) == Flavour::ordinary) refuse(instruction, *refusal, reporter);
      continue;
    }
    const Elision* const elision = judge(instruction, report);
    if (elision == nullptr) accesses.push_back(&instruction);
    if (elision == &captured) direct.push_back(&instruction);
    if (elision == nullptr || elision == &captured || elision == &write_only) of_pools.push_back(&instruction);
  }
  announce_direct_writes(direct);
  translate_direct_stores(direct);
  if (checks != nullptr)
    for (Instruction* const access : of_pools) checks->check(*access, accesses);
  SharedAccess access(clone);
  for (Instruction* const instruction : accesses) replace(*instruction, access);
  complete_locations(clone);
  if (clone.hasFnAttribute(scalar_marking)) {
    clone.removeFnAttr(scalar_marking);
    clone.removeFnAttr(Attribute::NoImplicitFloat);
  }
  clone.addFnAttr(clone_marking, instrumented_stage);
}

}  // namespace

void instrument_clones(Module& module, FunctionAnalysisManager& analyses, Reporter& reporter, AccessReport& report,
                       Checks* checks) {
  SmallVector<Function*> clones;
  for (Function& function : module)
    if (!function.isDeclaration() && is_plain_clone(function)) clones.push_back(&function);
  if (clones.empty()) return;
  for (Function* const clone : clones) instrument(*clone, analyses, reporter, report, checks);
  strip_deductions(module);
}

}  // namespace perdure::plugin
