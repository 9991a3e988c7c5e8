#ifndef PERDURE_PLUGIN_ELIDE_FRAME_LOCALS_H
#define PERDURE_PLUGIN_ELIDE_FRAME_LOCALS_H

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "elide/argument_uses.h"

namespace perdure::plugin {

/// The run symbols' second argument.
inline constexpr unsigned closure_argument = 1;

/// A local variable of a function that runs transactions, and what is known of who gets its address.
struct Local {
  /// What the local holds at `offset` is the address of `target`, plus `target_offset`, whenever a transaction runs.
  struct Pointer {
    std::uint64_t offset;
    Local* target;
    std::int64_t target_offset;
  };

  llvm::AllocaInst* variable;
  std::uint64_t bytes;
  llvm::SmallVector<Pointer, 4> pointers;

  bool escapes = false;          ///< its address is known elsewhere, or accesses to it are not all seen
  bool hands_out = false;        ///< whoever uses it may take the pointers out of it
  bool is_written = false;       ///< by a transaction, directly
  bool is_read_by_call = false;  ///< by a transaction, in a function that is called with its address

  /// The pointer that lies at exactly `offset`; null when there is none.
  const Pointer* pointer_at(std::uint64_t offset) const;

  /// Whoever accesses these bytes (no offset: any) may get hold of the pointers in them, or change them.
  void expose(std::optional<std::int64_t> offset, std::uint64_t size);
};

/// The locals of one function that closures of transactions lead to, looked at from that function; what transactions
/// do with them comes on top (private_locals.cc).
class FrameLocals {
 public:
  /// \param followed  the runs whose bodies say what they do with their closures (private_locals.cc). Of any other, a
  ///                  serial one for instance, nobody knows.
  FrameLocals(llvm::ArrayRef<llvm::CallBase*> followed, const llvm::DataLayout& layout, ArgumentUses& argument_uses)
      : followed_(followed), layout_(layout), argument_uses_(argument_uses) {}

  struct Place {
    Local* local;
    std::int64_t offset;
  };

  /// The local that the closure is, or lies in; nothing when it is none of the function's own.
  std::optional<Place> find(llvm::Value* pointer);

  /// To be called when all is known: what holds the address of a local passes its own fate on to it.
  void propagate_escapes();

 private:
  struct Store {
    std::int64_t offset;
    std::uint64_t size;
    llvm::Value* value;
  };

  /// Where a pointer leads.
  struct Target {
    llvm::AllocaInst* variable;
    std::int64_t offset;
  };

  std::optional<Target> variable_of(llvm::Value* pointer) const;
  Local& look_at(llvm::AllocaInst& variable);
  void look_at_use(Local& local, const llvm::Use& use, std::optional<std::int64_t> offset,
                   llvm::SmallVectorImpl<Store>& stores);
  void look_at_call(Local& local, const llvm::CallBase& call, const llvm::Use& use, std::optional<std::int64_t> offset);
  void note_pointers(Local& local, llvm::ArrayRef<Store> stores);

  llvm::ArrayRef<llvm::CallBase*> followed_;
  const llvm::DataLayout& layout_;
  ArgumentUses& argument_uses_;
  llvm::MapVector<llvm::AllocaInst*, std::unique_ptr<Local>> locals_;
};

}  // namespace perdure::plugin

#endif
