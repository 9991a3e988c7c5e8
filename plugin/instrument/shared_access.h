#ifndef PERDURE_PLUGIN_INSTRUMENT_SHARED_ACCESS_H
#define PERDURE_PLUGIN_INSTRUMENT_SHARED_ACCESS_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

#include "common/runtime_interface.h"

namespace perdure::plugin {

/// Emits accesses to shared memory into one clone, as calls of entry points.
///
/// A naturally aligned value of a type in types.def is one call. Anything else goes through a slot in the clone's own
/// frame: in a few naturally aligned pieces where the alignment is known to allow it, and byte by byte otherwise.
class SharedAccess {
 public:
  /// A naturally aligned part of a value or block.
  struct Piece {
    std::uint64_t offset;
    std::uint64_t bytes;
  };

  explicit SharedAccess(llvm::Function& clone);

  llvm::Value* read(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::Value* from, llvm::Align alignment);
  void write(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* to, llvm::Align alignment);

  /// Copies from shared memory to the own frame, and from the own frame or constants to shared memory. `size` is an
  /// i64; `alignment` is that of the shared side.
  void copy_in(llvm::IRBuilder<>& builder, llvm::Value* to, llvm::Value* from, llvm::Value* size,
               llvm::Align alignment);
  void copy_out(llvm::IRBuilder<>& builder, llvm::Value* to, llvm::Value* from, llvm::Value* size,
                llvm::Align alignment);

  /// memcpy and memset of shared memory. `alignment` holds for both sides.
  void copy(llvm::IRBuilder<>& builder, llvm::Value* to, llvm::Value* from, llvm::Value* size, llvm::Align alignment);
  void fill(llvm::IRBuilder<>& builder, llvm::Value* to, llvm::Value* byte, llvm::Value* size, llvm::Align alignment);

  EntryPoints& entry_points() { return entry_points_; }

  /// A variable in the frame of the clone.
  llvm::AllocaInst* new_local(llvm::Type* type, llvm::MaybeAlign alignment = {});

 private:
  llvm::Value* slot_for(llvm::Type* type);
  llvm::Value* read_piece(llvm::IRBuilder<>& builder, llvm::Value* from, const Piece& piece);
  void write_piece(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* to, const Piece& piece);

  llvm::Function& clone_;
  const llvm::DataLayout& layout_;
  EntryPoints entry_points_;
  llvm::DenseMap<llvm::Type*, llvm::AllocaInst*> slots_;
};

}  // namespace perdure::plugin

#endif
