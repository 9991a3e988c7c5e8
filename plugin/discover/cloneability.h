#ifndef PERDURE_PLUGIN_DISCOVER_CLONEABILITY_H
#define PERDURE_PLUGIN_DISCOVER_CLONEABILITY_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>

#include <optional>
#include <string>

#include "discover/clone.h"

namespace perdure::plugin {

/// Tells, without making any clone, which functions could have one: those that neither hold nor reach (by direct calls)
/// anything that cannot be part of a transaction.
class Cloneability {
 public:
  explicit Cloneability(Flavour flavour) : flavour_(flavour) {}

  /// Where and why a function with a body cannot be cloned; nothing when it can.
  std::optional<std::string> refusal_of(llvm::Function& function);

 private:
  /// What a function holds itself.
  struct Summary {
    std::string refusal;  // empty: none
    llvm::SmallVector<llvm::Function*> callees;
  };

  const Summary& summary_of(llvm::Function& function);

  Flavour flavour_;
  llvm::DenseMap<llvm::Function*, Summary> summaries_;
  llvm::DenseMap<llvm::Function*, std::string> refused_;
  llvm::DenseSet<llvm::Function*> fine_;
};

}  // namespace perdure::plugin

#endif
