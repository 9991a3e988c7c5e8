#ifndef PERDURE_PLUGIN_PORTABLE_OPERATIONS_H
#define PERDURE_PLUGIN_PORTABLE_OPERATIONS_H

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <vector>

#include "portable/captures.h"

/// Portable blocks: transactions that any thread can run in place of their owner's, more than one at once, each on its
/// copy of the locals that the block works on (docs/abi.md). Judged in the late phase, before accesses are replaced,
/// when what is inlined is inlined; each run by itself.
namespace perdure::plugin {

/// A call that runs a block.
struct Operation {
  llvm::CallBase* run;
  Captures captures;
  std::optional<Obstacle> obstacle;  ///< why the block is not portable
};

/// All outermost runs of plain bodies, in the order of the module.
std::vector<Operation> find_operations(llvm::Module& module);

/// Has the runtime told of the portable ones: perdure_run_operation takes the place of perdure_run.
void announce_operations(llvm::ArrayRef<Operation> operations);

/// Asks for that in this module (-fplugin-arg-perdure-portable). The linker is told, too. Then new blocks are accessed
/// by way of the entry points as well: what two threads write to one directly, neither can take back.
void ask_for_portable(llvm::Module& module);
bool is_asked_for_portable(const llvm::Module& module);

}  // namespace perdure::plugin

#endif
