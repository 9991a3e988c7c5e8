#ifndef PERDURE_PLUGIN_DISCOVER_SERIAL_PARTS_H
#define PERDURE_PLUGIN_DISCOVER_SERIAL_PARTS_H

#include <llvm/ADT/STLFunctionalExtras.h>
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

/// Asks that a call which cannot be part of an ordinary transaction makes it serial, in this module
/// (-fplugin-arg-perdure-serial-calls). The linker is told, too.
void ask_for_serial_calls(llvm::Module& module);

bool are_calls_serial(const llvm::Module& module);

/// Puts perdure_become_serial before the calls of an ordinary clone that only serial transactions permit, if the module
/// asks for that, or the program is about to end (discover/last_words.h); a remark says so.
/// \param is_left  whether a call is left to the linker.
void make_serial_before_calls(llvm::Function& clone, llvm::function_ref<bool(const llvm::CallBase&)> is_left);

/// Whether a serial transaction could have this call, which an ordinary one cannot.
bool is_for_serial_transactions(const llvm::CallBase& call);

/// The call stays as it is in a serial transaction, whatever the function does.
void call_as_it_is(llvm::CallBase& call);

/// To a function that is marked serial, whose clone may be in another file: that if the program has it, otherwise the
/// function itself.
void call_serial_clone_if_linked(llvm::CallBase& call);

}  // namespace perdure::plugin

#endif
