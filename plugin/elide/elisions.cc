#include "elide/elisions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/CommandLine.h>

#include <string>

#include "common/library_functions.h"
#include "common/llvm_compat.h"
#include "discover/call_rules.h"
#include "discover/flavours.h"
#include "discover/static_guards.h"
#include "elide/captured_memory.h"
#include "elide/elide.h"
#include "elide/private_locals.h"
#include "instrument/masked_access.h"
#include "portable/operations.h"

#define DEBUG_TYPE "perdure"

namespace perdure::plugin {

using namespace llvm;

namespace {

cl::list<std::string> disabled("perdure-disable-elision", cl::CommaSeparated, cl::value_desc("name"),
                               cl::desc("Instrument accesses that this elision would leave"));

ALWAYS_ENABLED_STATISTIC(of_own_frame, "Accesses left: own frame");
ALWAYS_ENABLED_STATISTIC(of_constants, "Accesses left: constants");
ALWAYS_ENABLED_STATISTIC(of_invariant_memory, "Accesses left: memory that never changes (virtual tables)");
ALWAYS_ENABLED_STATISTIC(of_captured_memory, "Accesses left: memory that the transaction allocated");
ALWAYS_ENABLED_STATISTIC(of_private_locals, "Accesses left: locals of the caller that only its thread can reach");
ALWAYS_ENABLED_STATISTIC(of_write_only_clones, "Accesses left: reads of write-only clones");
ALWAYS_ENABLED_STATISTIC(repeated_reads, "Accesses left: reads after a read or write of the same location");
ALWAYS_ENABLED_STATISTIC(of_guards, "Accesses left: guards of static variables");
ALWAYS_ENABLED_STATISTIC(of_counters, "Accesses left: counters of coverage and profiling");
ALWAYS_ENABLED_STATISTIC(by_calls, "Accesses left: calls that access only the own frame or constants");

/// Memory that the transaction dies with.
bool is_in_own_frame(const Instruction& access) {
  if (const Value* const pointer = getLoadStorePointerOperand(&access)) return is_own_frame(pointer);
  if (const auto* const memory = dyn_cast<MemIntrinsic>(&access)) {
    if (!is_own_frame(memory->getRawDest())) return false;
    const auto* const transfer = dyn_cast<MemTransferInst>(memory);
    return transfer == nullptr || is_own_frame(transfer->getRawSource());
  }
  const IntrinsicInst* const masked = as_masked_access(const_cast<Instruction&>(access));
  if (masked == nullptr) return false;
  const Value* const pointer = compat::masked_operands(*masked).pointer;
  return !pointer->getType()->isVectorTy() && is_own_frame(pointer);
}

/// Reads of constants, where the frame may be meant as well.
bool is_of_constant(const Instruction& access) {
  if (const auto* const load = dyn_cast<LoadInst>(&access)) return is_own_frame_or_constant(load->getPointerOperand());
  const auto* const transfer = dyn_cast<MemTransferInst>(&access);
  return transfer != nullptr && is_own_frame(transfer->getRawDest()) &&
         is_own_frame_or_constant(transfer->getRawSource());
}

/// Virtual tables, to which objects have pointers: where the optimiser is on, the type of an access tells those.
bool is_of_invariant_memory(const Instruction& access) {
  const auto* const load = dyn_cast<LoadInst>(&access);
  if (load == nullptr) return false;
  if (load->hasMetadata(LLVMContext::MD_invariant_load)) return true;
  const auto* const table = dyn_cast<LoadInst>(getUnderlyingObject(load->getPointerOperand()));
  const MDNode* const type = table != nullptr ? table->getMetadata(LLVMContext::MD_tbaa) : nullptr;
  return type != nullptr && type->isTBAAVtableAccess();
}

bool is_of_captured_memory(const Instruction& access) {
  if (is_asked_for_portable(*access.getModule())) return false;
  if (const Value* const pointer = getLoadStorePointerOperand(&access)) return is_captured(pointer, access);
  const auto* const set = dyn_cast<MemSetInst>(&access);
  return set != nullptr && is_captured(set->getRawDest(), *set);
}

/// Of a copy the other side may be the own frame or constant.
bool is_of_private_local(const Instruction& access) {
  const auto* const transfer = dyn_cast<MemTransferInst>(&access);
  if (transfer == nullptr) return reads_private_local(access) || writes_private_local(access);
  return (writes_private_local(access) || is_own_frame(transfer->getRawDest())) &&
         (reads_private_local(access) || is_own_frame_or_constant(transfer->getRawSource()));
}

bool is_of_counter(const Instruction& access) {
  const Value* const pointer = getLoadStorePointerOperand(&access);
  return pointer != nullptr && is_profile_counter(pointer);
}

bool has_private_arguments(const Instruction& access) {
  const auto* const call = dyn_cast<CallBase>(&access);
  if (call == nullptr || rule_for(*call) != CallRule::provided) return false;
  return touches_only_arguments(callee_of(*call)->getName()) && all_of(call->args(), [](const Value* argument) {
           return !argument->getType()->isPointerTy() || is_own_frame_or_constant(argument);
         });
}

/// Where the linked algorithm reads memory as it is.
bool is_read_of_write_only_clone(const Instruction& access) {
  if (!is_write_only(*access.getFunction())) return false;
  if (isa<LoadInst>(access)) return true;
  if (const auto* const transfer = dyn_cast<MemTransferInst>(&access)) return is_own_frame(transfer->getRawDest());
  const auto* const call = dyn_cast<CallBase>(&access);
  return call != nullptr && (is_masked_load(*call) || (rule_for(*call) == CallRule::provided &&
                                                       only_reads_arguments(callee_of(*call)->getName())));
}

const Elision elisions[] = {
    {"write-only", is_read_of_write_only_clone, &of_write_only_clones, true},
    {"own-frame", is_in_own_frame, &of_own_frame, true},
    {"constant", is_of_constant, &of_constants},
    {"invariant", is_of_invariant_memory, &of_invariant_memory},
    {"profile-counter", is_of_counter, &of_counters},
    {"private-arguments", has_private_arguments, &by_calls},
    {"private-local", is_of_private_local, &of_private_locals},
    {"captured", is_of_captured_memory, &of_captured_memory},
};

/// Not to be switched off: the guard belongs to no transaction.
const Elision guard = {"static-guard", is_check_of_guard, &of_guards};

}  // namespace

const Elision& write_only = elisions[0];
const Elision& captured = elisions[std::size(elisions) - 1];
const Elision& private_local = elisions[std::size(elisions) - 2];
const Elision repeated_read = {"repeated-read", [](const Instruction&) { return false; }, &repeated_reads};

bool is_enabled(const Elision& elision) { return !is_contained(disabled, elision.name); }

StringRef name_of(AccessKind kind) {
  constexpr StringLiteral names[] = {"none", "read", "write", "block", "call"};
  return names[static_cast<std::size_t>(kind)];
}

AccessKind access_kind(const Instruction& instruction) {
  if (isa<LoadInst>(instruction)) return AccessKind::read;
  if (isa<StoreInst>(instruction)) return AccessKind::write;
  if (isa<MemIntrinsic>(instruction) || as_masked_access(const_cast<Instruction&>(instruction)) != nullptr)
    return AccessKind::block;
  const auto* const call = dyn_cast<CallBase>(&instruction);
  return call != nullptr && rule_for(*call) == CallRule::provided ? AccessKind::call : AccessKind::none;
}

const Elision* elision_of(const Instruction& access) {
  if (guard.applies(access)) return &guard;
  const auto* const found = find_if(elisions, [&](const Elision& elision) {
    return is_enabled(elision) && (elision.leaves_volatile || !access.isVolatile()) && elision.applies(access);
  });
  return found != std::end(elisions) ? found : nullptr;
}

}  // namespace perdure::plugin
