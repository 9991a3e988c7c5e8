#ifndef PERDURE_PLUGIN_PORTABLE_PAST_ENTRY_POINTS_H
#define PERDURE_PLUGIN_PORTABLE_PAST_ENTRY_POINTS_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>

#include <optional>

#include "portable/obstacle.h"

/// What clones do that no entry point sees, and that another thread must not do in the owner's place: use variables of
/// the thread, call functions as they are, initialise static variables. The entry points see all other accesses, and
/// can give an operation back to its owner.
namespace perdure::plugin {

class PastEntryPoints {
 public:
  /// The first such thing in what the body reaches; none if there is nothing. To be asked before the accesses are
  /// replaced.
  std::optional<Obstacle> first_in(const llvm::Function& body);

 private:
  struct Summary {
    std::optional<Obstacle> obstacle;
    llvm::SmallVector<const llvm::Function*, 4> callees;
  };

  const Summary& summary_of(const llvm::Function& clone);

  llvm::DenseMap<const llvm::Function*, Summary> summaries_;
};

}  // namespace perdure::plugin

#endif
