#ifndef PERDURE_PLUGIN_ELIDE_ARGUMENT_USES_H
#define PERDURE_PLUGIN_ELIDE_ARGUMENT_USES_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstrTypes.h>

namespace perdure::plugin {

/// What a function does with a pointer that it is given, from the least to the most.
enum class ArgumentUse { reads, writes, keeps };

/// Finds that out by looking into the functions that are called. The optimiser knows it only of functions that no other
/// file may replace, so not of inline functions and templates; but all versions of these do the same by the language's
/// rules, and a version in which a pointer did not get away cannot have lost anything that another thread may rely on.
class ArgumentUses {
 public:
  /// What becomes of the pointer that the call passes in `argument`.
  ArgumentUse of(const llvm::CallBase& call, unsigned argument);

 private:
  ArgumentUse of(const llvm::Argument& argument);
  ArgumentUse of_use(const llvm::Use& use);

  llvm::DenseMap<const llvm::Argument*, ArgumentUse> known_;
};

}  // namespace perdure::plugin

#endif
