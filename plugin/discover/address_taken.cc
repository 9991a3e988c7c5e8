#include "discover/address_taken.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>

#include "common/runtime_interface.h"
#include "discover/call_rules.h"

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Functions that are given others to call outside of transactions.
bool calls_back_plainly(const CallBase& call) {
  static const StringSet<> functions = {"__cxa_atexit",   "__cxa_thread_atexit", "atexit",
                                        "pthread_create", "thrd_create",         run_symbol,
                                        run_symbol_of_c,  nested_symbol};
  const Function* const callee = callee_of(call);
  return callee != nullptr && (functions.contains(callee->getName()) ||
                               callee->getName().starts_with("llvm.coro.") ||          // a coroutine's own parts
                               callee->getName().contains("__libcpp_thread_create"));  // libc++: <thread>
}

/// Of objects that only a new thread looks into, to begin with its function (libstdc++: <thread>).
bool is_table_of_thread(const GlobalVariable& variable) { return variable.getName().starts_with("_ZTVNSt6thread"); }

enum class Tables : std::uint8_t { count, do_not_count };

bool passes_on(const Value& value, Tables tables);

bool is_pointer_made(const Use& use, Tables tables) {
  const User* const user = use.getUser();
  if (const auto* const call = dyn_cast<CallBase>(user)) {
    const bool is_called = call->isCallee(&use) && callee_of(*call) != nullptr;
    return !is_called && !calls_back_plainly(*call);
  }
  if (isa<Instruction>(user)) return true;
  if (isa<Function>(user) || isa<BlockAddress>(user)) return false;  // as its personality
  if (const auto* const variable = dyn_cast<GlobalVariable>(user)) {
    // llvm.global_ctors, llvm.used and the like
    if (variable->getName().starts_with("llvm.") || is_table_of_thread(*variable)) return false;
    return tables == Tables::count || !(is_virtual_table(*variable) || variable->getName().starts_with("perdure."));
  }
  return passes_on(*user, tables);  // constants, aliases
}

bool passes_on(const Value& value, Tables tables) {
  for (const Use& use : value.uses())
    if (is_pointer_made(use, tables)) return true;
  return false;
}

}  // namespace

bool is_virtual_table(const GlobalVariable& variable) {
  return variable.getName().starts_with("_ZTV") || variable.getName().starts_with("_ZTC");
}

bool is_address_taken(const Function& function) { return passes_on(function, Tables::count); }

bool is_address_taken_by_itself(const Function& function) { return passes_on(function, Tables::do_not_count); }

}  // namespace perdure::plugin
