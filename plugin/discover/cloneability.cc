#include "discover/cloneability.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "common/diagnose.h"
#include "discover/boundary.h"
#include "discover/call_rules.h"
#include "discover/last_words.h"
#include "discover/replacements.h"
#include "discover/serial_parts.h"
#include "discover/static_guards.h"
#include "discover/unsupported.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// The function whose clone a call in a clone goes to, if it is made from a body in this file.
Function* cloned_callee(const CallBase& call) {
  switch (rule_for(call)) {
    case CallRule::has_body:
      return callee_of(call);
    case CallRule::replaced: {
      Function& replacement = replacement_of(*callee_of(call));
      return replacement.isDeclaration() ? nullptr : &replacement;
    }
    case CallRule::runs_nested:
    case CallRule::runs_part:
      return body_of_run(call);
    default:
      return nullptr;
  }
}

}  // namespace

const Cloneability::Summary& Cloneability::summary_of(Function& function) {
  const auto [position, is_new] = summaries_.try_emplace(&function);
  Summary& summary = position->second;
  if (!is_new) return summary;
  const auto initialisations = instructions_of_initialisations(function);
  const SerialParts serial(function, flavour_);
  const bool may_become_serial = flavour_ == Flavour::ordinary && are_calls_serial(*function.getParent());
  const LastWords last_words(function);
  for (const Instruction& instruction : instructions(function)) {
    if (!summary.refusal.empty()) break;
    if (initialisations.contains(&instruction)) continue;
    if (flavour_ == Flavour::ordinary && serial.permits(instruction)) continue;
    const auto* const call = dyn_cast<CallBase>(&instruction);
    if (may_become_serial && call != nullptr && is_for_serial_transactions(*call)) continue;
    if (flavour_ == Flavour::ordinary && call != nullptr && last_words.needs_serial_transaction(*call)) continue;
    if (const auto refusal = why_unsupported(instruction); refusal && !serial.permits(instruction))
      summary.refusal = place(point_of(instruction.getDebugLoc())) + ": " + refusal->what;
    else if (call != nullptr)
      if (Function* const callee = cloned_callee(*call)) summary.callees.push_back(callee);
  }
  return summary;
}

std::optional<std::string> Cloneability::refusal_of(Function& function) {
  DenseMap<Function*, Function*> callers = {{&function, nullptr}};
  SmallVector<Function*> unvisited = {&function};
  while (!unvisited.empty()) {
    Function* const current = unvisited.pop_back_val();
    if (fine_.contains(current)) continue;
    const auto known = refused_.find(current);
    const Summary& summary = summary_of(*current);
    std::string reason = known != refused_.end() ? known->second : summary.refusal;
    if (!reason.empty()) {
      for (Function* each = current; each != nullptr; each = callers[each]) refused_[each] = reason;
      return reason;
    }
    for (Function* const callee : summary.callees)
      if (callers.try_emplace(callee, current).second) unvisited.push_back(callee);
  }
  for (const auto& entry : callers) fine_.insert(entry.first);
  return std::nullopt;
}

}  // namespace perdure::plugin
