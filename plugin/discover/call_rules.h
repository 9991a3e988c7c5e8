#ifndef PERDURE_PLUGIN_DISCOVER_CALL_RULES_H
#define PERDURE_PLUGIN_DISCOVER_CALL_RULES_H

#include <llvm/IR/InstrTypes.h>

namespace perdure::plugin {

/// What becomes of a call in a clone. The order is that in which the rules of docs/abi.md are asked.
enum class CallRule {
  assembly,          ///< inline assembly
  indirect,          ///< through a pointer: to what the table of clones says
  as_it_is,          ///< in a serial transaction, to whatever
  forbidden,         ///< the function is marked unsafe
  serial_only,       ///< it is marked serial
  already_done,      ///< to a clone or an entry point
  runs_nested,       ///< perdure_run, perdure_transaction
  runs_part,         ///< perdure_nested
  replaced,          ///< to a function that another one replaces in transactions
  stays,             ///< to a function without effects on shared memory
  memory_intrinsic,  ///< llvm.memcpy, memmove, memset: the late phase deals with them
  masked_intrinsic,  ///< llvm.masked.load and so on: likewise
  unknown_intrinsic,
  provided,   ///< the runtime has the clone. The call stays until the late phase: the optimiser knows these functions
  privately,  ///< what it works on is private to the transaction: to a wrapper that makes sure of that, or copies
  has_body,   ///< to the clone that the plugin makes
  defined_elsewhere,  ///< marked safe: to the clone in another file
  unknown             ///< no clone can be had
};

CallRule rule_for(const llvm::CallBase& call);

/// The same for a function that is not an intrinsic.
CallRule rule_for(const llvm::Function& callee);

/// The function that is called, through aliases; null when it is not known.
llvm::Function* callee_of(const llvm::CallBase& call);

}  // namespace perdure::plugin

#endif
