#ifndef PERDURE_PLUGIN_DISCOVER_SERIAL_PARTS_H
#define PERDURE_PLUGIN_DISCOVER_SERIAL_PARTS_H

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>

#include "discover/clone.h"

namespace perdure::plugin {

/// The instructions of a function that run in serial transactions only, whose calls of unknown functions stay as they
/// are: all of a serial clone; in an ordinary one, or its original, what comes behind perdure_become_serial on every
/// path.
class SerialParts {
 public:
  SerialParts(llvm::Function& function, Flavour flavour);

  bool contains(const llvm::Instruction& instruction) const;

  /// Whether what cannot be made transactional is allowed there. Behind perdure_become_serial calls are, and no other
  /// instructions: those must be in a function of their own.
  bool permits(const llvm::Instruction& instruction) const;

 private:
  bool is_whole_;
  llvm::SmallVector<const llvm::CallBase*> beginnings_;
  std::optional<llvm::DominatorTree> tree_;
};

/// The call stays as it is in a serial transaction, whatever the function does.
void call_as_it_is(llvm::CallBase& call);

/// To a function that is marked serial, whose clone may be in another file: that if the program has it, otherwise the
/// function itself.
void call_serial_clone_if_linked(llvm::CallBase& call);

}  // namespace perdure::plugin

#endif
