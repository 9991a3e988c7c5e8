#ifndef PERDURE_PLUGIN_DISCOVER_COROUTINES_H
#define PERDURE_PLUGIN_DISCOVER_COROUTINES_H

#include <llvm/IR/PassManager.h>

/// Coroutines that transactions start, resume or destroy. The compiler splits a coroutine into ordinary functions that
/// work on a frame in memory; their clones are made as those of any others.
namespace perdure::plugin {

enum class Coroutines {
  in_transactions,  ///< that transactions of the file may reach
  all               ///< those of other files may, too
};

/// Splits the module's coroutines now, before clones are made. Others are split later, when they have been optimised.
/// \param optimizes_frames  whether a frame is as small as can be, which takes time
/// \returns whether transactions of the file may reach any.
bool split_coroutines(llvm::Module& module, llvm::ModuleAnalysisManager& analyses, Coroutines which,
                      bool optimizes_frames);

}  // namespace perdure::plugin

#endif
