#include "address_taken.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstrTypes.h>

#include "call_rules.h"
#include "runtime_interface.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Functions that are given others to call outside of transactions.
bool calls_back_plainly(const CallBase& call) {
  static const StringSet<> functions = {"__cxa_atexit", "__cxa_thread_atexit", "atexit", "__cxa_throw",
                                        run_symbol,     run_symbol_of_c};
  const Function* const callee = callee_of(call);
  return callee != nullptr && functions.contains(callee->getName());
}

bool passes_on(const Value& value);

bool is_pointer_made(const Use& use) {
  const User* const user = use.getUser();
  if (const auto* const call = dyn_cast<CallBase>(user)) {
    const bool is_called = call->isCallee(&use) && callee_of(*call) != nullptr;
    return !is_called && !calls_back_plainly(*call);
  }
  if (isa<Instruction>(user)) return true;
  if (isa<Function>(user) || isa<BlockAddress>(user)) return false;  // as its personality
  // llvm.global_ctors, llvm.used and the like
  if (const auto* const variable = dyn_cast<GlobalVariable>(user)) return !variable->getName().starts_with("llvm.");
  return passes_on(*user);  // constants, aliases
}

bool passes_on(const Value& value) {
  for (const Use& use : value.uses())
    if (is_pointer_made(use)) return true;
  return false;
}

}  // namespace

bool is_address_taken(const Function& function) { return passes_on(function); }

}  // namespace perdure::plugin
