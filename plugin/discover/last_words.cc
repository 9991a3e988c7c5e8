#include "discover/last_words.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "discover/call_rules.h"
#include "discover/serial_parts.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

using Blocks = SmallPtrSet<const BasicBlock*, 4>;
using Functions = SmallPtrSet<const Function*, 8>;

/// Of the functions that do not return, those that do not go on elsewhere either, as longjmp does, or with another
/// thread.
bool ends_program(StringRef symbol) {
  static const StringSet<> functions = {"abort",
                                        "exit",
                                        "quick_exit",
                                        "_exit",
                                        "_Exit",
                                        "err",
                                        "errx",
                                        "verr",
                                        "verrx",
                                        "__assert",
                                        "__assert_fail",
                                        "__assert_perror_fail",
                                        "__chk_fail",
                                        "__stack_chk_fail",
                                        "_ZSt9terminatev",
                                        "__clang_call_terminate",
                                        "__cxa_pure_virtual",
                                        "__cxa_deleted_virtual"};
  return functions.contains(symbol) || symbol.starts_with("_ZSt21__glibcxx_assert_fail") ||
         (symbol.starts_with("_ZNSt3__1") && symbol.contains("__libcpp_verbose_abort"));
}

bool always_ends_program(const Function& function, Functions& callers);

bool ends_program(const CallBase& call, Functions& callers) {
  if (isa<IntrinsicInst>(call)) return true;  // a trap: see last_call
  const Function* const callee = callee_of(call);
  return callee != nullptr && (ends_program(callee->getName()) || always_ends_program(*callee, callers));
}

/// What sanitizers say of a place that is never reached says nothing of why.
bool is_of_sanitizer(const CallBase& call) {
  const Function* const callee = callee_of(call);
  return callee != nullptr && (callee->getName().starts_with("__ubsan_") || callee->getName().starts_with("__asan_"));
}

/// Of those that may be why control goes no further; null when there is none.
const CallBase* last_call(const BasicBlock& block) {
  for (const Instruction& instruction : reverse(block)) {
    const auto* const call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr || is_of_sanitizer(*call)) continue;
    const auto* const intrinsic = dyn_cast<IntrinsicInst>(call);
    if (intrinsic == nullptr || intrinsic->getIntrinsicID() == Intrinsic::trap ||
        intrinsic->getIntrinsicID() == Intrinsic::ubsantrap)
      return call;
  }
  return nullptr;
}

/// Nobody comes there: what is before it does not return.
bool is_never_reached(const BasicBlock& block) {
  return isa<UnreachableInst>(block.getTerminator()) && last_call(block) == nullptr;
}

/// Control does not leave the block, but for exceptions.
bool is_last(const BasicBlock& block) {
  if (const auto* const invoke = dyn_cast<InvokeInst>(block.getTerminator()))
    return is_never_reached(*invoke->getNormalDest());
  return all_of(successors(&block), [](const BasicBlock* successor) { return is_never_reached(*successor); });
}

bool ends_program(const BasicBlock& block, Functions& callers) {
  if (isa<ReturnInst, ResumeInst>(block.getTerminator())) return false;
  const CallBase* const call = last_call(block);
  return call != nullptr && ends_program(*call, callers);
}

/// All that leads there, but for exceptions.
void add_what_leads_to(Blocks& blocks) {
  SmallVector<const BasicBlock*> unprocessed(blocks.begin(), blocks.end());
  while (!unprocessed.empty()) {
    const BasicBlock* const block = unprocessed.pop_back_val();
    if (block->isLandingPad()) continue;
    for (const BasicBlock* const predecessor : predecessors(block))
      if (blocks.insert(predecessor).second) unprocessed.push_back(predecessor);
  }
}

Blocks last_blocks(const Function& function, Functions& callers) {
  Blocks ends, others;
  for (const BasicBlock& block : function)
    if (is_last(block) && !is_never_reached(block)) (ends_program(block, callers) ? ends : others).insert(&block);
  if (ends.empty()) return ends;
  add_what_leads_to(ends);
  add_what_leads_to(others);
  for (const BasicBlock* const block : others) ends.erase(block);
  return ends;
}

bool always_ends_program(const Function& function, Functions& callers) {
  if (function.isDeclaration() || !callers.insert(&function).second) return false;
  const bool result = last_blocks(function, callers).contains(&function.getEntryBlock());
  callers.erase(&function);
  return result;
}

/// The call, or a function that it leads to.
bool is_for_serial_transactions(const CallBase& call, Functions& seen) {
  if (perdure::plugin::is_for_serial_transactions(call)) return true;
  if (rule_for(call) != CallRule::has_body || !seen.insert(callee_of(call)).second) return false;
  return any_of(instructions(*callee_of(call)), [&](const Instruction& instruction) {
    const auto* const inner = dyn_cast<CallBase>(&instruction);
    return inner != nullptr && is_for_serial_transactions(*inner, seen);
  });
}

}  // namespace

LastWords::LastWords(const Function& function) {
  Functions callers;
  blocks_ = last_blocks(function, callers);
}

bool LastWords::needs_serial_transaction(const CallBase& call) const {
  Functions seen;
  return blocks_.contains(call.getParent()) && is_for_serial_transactions(call, seen);
}

}  // namespace perdure::plugin
