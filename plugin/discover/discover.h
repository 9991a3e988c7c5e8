#ifndef PERDURE_PLUGIN_DISCOVER_DISCOVER_H
#define PERDURE_PLUGIN_DISCOVER_DISCOVER_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <string>

#include "common/diagnose.h"
#include "discover/clone.h"

namespace perdure::plugin {

/// What a module holds of its program.
enum class Files {
  one,
  one_for_thin_linker,  ///< as `one`, since the linker sees each for itself; the user should know
  one_for_linker,       ///< clones of functions that are not known here are left to the linker (whole_program.h)
  all,                  ///< the linker is at work
};

/// Finds everything that transactions reach, and makes its clones.
class Discovery {
 public:
  explicit Discovery(Reporter& reporter, Files files = Files::one) : reporter_(reporter), files_(files) {}

  /// The clone of a function that a transaction starts with; made if need be, along with those of all it reaches.
  llvm::Function& clone_of_root(llvm::Function& original, Flavour flavour = Flavour::ordinary);

  /// In the linker: that of a function which a transaction of another file reaches by the call that is described.
  llvm::Function& clone_for_caller(llvm::Function& original, Flavour flavour, llvm::StringRef caller);

  /// Whether any clone was made here.
  bool has_made_clones() const { return !origins_.empty(); }

  /// Whether serial transactions are begun here, or functions are for those.
  bool has_serial_parts() const { return has_serial_parts_; }

 private:
  /// How discovery came to a clone: the first call to it that was found. Roots have no caller.
  struct Origin {
    llvm::Function* caller = nullptr;
    llvm::DebugLoc location;
  };

  llvm::Function& clone_of(llvm::Function& original, Flavour flavour, const Origin& origin);
  void process(llvm::Function& clone);
  void process_call(llvm::CallBase& call, Flavour flavour);
  void process_serial_call(llvm::CallBase& call);
  void call_clone(llvm::CallBase& call, Flavour flavour);
  llvm::Function* body_in_clone(llvm::CallBase& call);
  void run_part(llvm::CallBase& call, Flavour flavour);
  void run_nested(llvm::CallBase& call, Flavour flavour);
  void redirect(llvm::CallBase& call, llvm::Function& target);
  void call_replacement(llvm::CallBase& call, Flavour flavour);
  bool is_left_to_linker(const llvm::Instruction& instruction) const;
  bool is_other_code(const llvm::CallBase& call) const;
  void await_clone(llvm::CallBase& call, Flavour flavour);
  void call_through_table(llvm::CallBase& call);
  std::string describe(const llvm::CallBase& call) const;
  void refuse(const llvm::Instruction& instruction, llvm::StringRef what, llvm::StringRef remedy);
  llvm::SmallVector<Message> chain_to(llvm::Function& clone) const;

  Reporter& reporter_;
  Files files_;
  bool has_serial_parts_ = false;
  bool has_named_serial_calls_ = false;                                           // the flag, in a message
  llvm::DenseMap<std::pair<llvm::Function*, unsigned>, llvm::Function*> clones_;  // by original and flavour
  llvm::DenseMap<llvm::Function*, Origin> origins_;                               // by clone
  llvm::DenseMap<llvm::Function*, std::string> callers_;                          // in other files, by clone
  llvm::SmallVector<llvm::Function*> unprocessed_;
};

}  // namespace perdure::plugin

#endif
