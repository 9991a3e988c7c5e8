#ifndef PERDURE_PLUGIN_DISCOVER_LAST_WORDS_H
#define PERDURE_PLUGIN_DISCOVER_LAST_WORDS_H

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstrTypes.h>

namespace perdure::plugin {

/// The blocks of a function from which every path ends the program: `if (failed) { fprintf(stderr, …); abort(); }`.
/// Nothing that is done there has to be taken back. (Exceptions that the calls there might throw do not count.)
class LastWords {
 public:
  explicit LastWords(const llvm::Function& function);

  /// Whether the call is in such a block, and it, or a function with a body that it leads to, is what only a serial
  /// transaction could have.
  bool needs_serial_transaction(const llvm::CallBase& call) const;

 private:
  llvm::SmallPtrSet<const llvm::BasicBlock*, 4> blocks_;
};

}  // namespace perdure::plugin

#endif
