#ifndef PERDURE_PLUGIN_ELIDE_ELIDE_H
#define PERDURE_PLUGIN_ELIDE_ELIDE_H

#include <llvm/IR/Value.h>

namespace perdure::plugin {

/// Whether the pointer certainly leads into the frame of the function it is used in: to an `alloca`, or to an argument
/// passed by value. The frame dies when the transaction aborts, so nothing in it is rolled back.
bool is_own_frame(const llvm::Value* pointer);

/// Whether the pointer certainly leads to constants, or to the own frame.
bool is_own_frame_or_constant(const llvm::Value* pointer);

/// Whether the pointer certainly leads to the own frame or to global variables, and so to no pool.
bool is_certainly_volatile(const llvm::Value* pointer);

/// Whether the pointer certainly leads to counters that coverage or profiling put in: they count what ran, aborted or
/// not.
bool is_profile_counter(const llvm::Value* pointer);

}  // namespace perdure::plugin

#endif
