#include "instrument/shared_access.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace perdure::plugin {

using namespace llvm;

namespace {

/// Beyond this many calls, one call of the entry points for bytes is shorter and not slower.
constexpr std::size_t most_pieces = 4;

using Piece = SharedAccess::Piece;

/// Cuts [0, size) into naturally aligned pieces. Empty when there would be too many.
SmallVector<Piece, most_pieces> pieces_of(std::uint64_t size, Align alignment) {
  constexpr std::uint64_t widest = 8;
  SmallVector<Piece, most_pieces> pieces;
  for (std::uint64_t offset = 0; offset < size;) {
    if (pieces.size() == most_pieces) return {};
    const std::uint64_t aligned = commonAlignment(alignment, offset).value();
    const std::uint64_t bytes = std::min({widest, aligned, bit_floor(size - offset)});
    pieces.push_back({offset, bytes});
    offset += bytes;
  }
  return pieces;
}

/// The pieces of a block whose size may not be known.
SmallVector<Piece, most_pieces> pieces_of(const Value* size, Align alignment) {
  const auto* const constant = dyn_cast<ConstantInt>(size);
  return constant != nullptr ? pieces_of(constant->getZExtValue(), alignment) : SmallVector<Piece, most_pieces>();
}

Type* type_of(const Piece& piece, IRBuilder<>& builder) { return builder.getIntNTy(piece.bytes * 8); }

Value* advance(IRBuilder<>& builder, Value* pointer, std::uint64_t offset) {
  return offset == 0 ? pointer : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), pointer, offset);
}

}  // namespace

SharedAccess::SharedAccess(Function& clone)
    : clone_(clone), layout_(clone.getParent()->getDataLayout()), entry_points_(*clone.getParent()) {}

AllocaInst* SharedAccess::new_local(Type* type, MaybeAlign alignment) {
  IRBuilder<> builder(&clone_.getEntryBlock(), clone_.getEntryBlock().getFirstInsertionPt());
  auto* const local = builder.CreateAlloca(type);
  if (alignment && *alignment > local->getAlign()) local->setAlignment(*alignment);
  return local;
}

/// A slot holds its value only from one instruction to the next, so all accesses of a type share one.
Value* SharedAccess::slot_for(Type* type) {
  AllocaInst*& slot = slots_[type];
  if (slot == nullptr) slot = new_local(type, Align(8));
  return slot;
}

Value* SharedAccess::read(IRBuilder<>& builder, Type* type, Value* from, Align alignment) {
  const std::uint64_t size = layout_.getTypeStoreSize(type).getFixedValue();
  if (has_own_entry_points(type) && alignment.value() >= size)
    return builder.CreateCall(entry_points_.read(type), {from});
  Value* const slot = slot_for(type);
  copy_in(builder, slot, from, builder.getInt64(size), alignment);
  return builder.CreateLoad(type, slot);
}

void SharedAccess::write(IRBuilder<>& builder, Value* value, Value* to, Align alignment) {
  Type* const type = value->getType();
  const std::uint64_t size = layout_.getTypeStoreSize(type).getFixedValue();
  if (has_own_entry_points(type) && alignment.value() >= size) {
    builder.CreateCall(entry_points_.write(type), {to, value});
    return;
  }
  Value* const slot = slot_for(type);
  builder.CreateStore(value, slot);
  copy_out(builder, to, slot, builder.getInt64(size), alignment);
}

void SharedAccess::copy_in(IRBuilder<>& builder, Value* to, Value* from, Value* size, Align alignment) {
  const auto pieces = pieces_of(size, alignment);
  for (const Piece& piece : pieces)
    builder.CreateAlignedStore(read_piece(builder, from, piece), advance(builder, to, piece.offset), Align(1));
  if (pieces.empty()) builder.CreateCall(entry_points_.read_bytes(), {to, from, size});
}

void SharedAccess::copy_out(IRBuilder<>& builder, Value* to, Value* from, Value* size, Align alignment) {
  const auto pieces = pieces_of(size, alignment);
  for (const Piece& piece : pieces) {
    Value* const source = advance(builder, from, piece.offset);
    write_piece(builder, builder.CreateAlignedLoad(type_of(piece, builder), source, Align(1)), to, piece);
  }
  if (pieces.empty()) builder.CreateCall(entry_points_.write_bytes(), {to, from, size});
}

void SharedAccess::copy(IRBuilder<>& builder, Value* to, Value* from, Value* size, Align alignment) {
  const auto pieces = pieces_of(size, alignment);
  SmallVector<Value*, most_pieces> values;  // all are read first: the sides may be the same
  for (const Piece& piece : pieces) values.push_back(read_piece(builder, from, piece));
  for (const auto& [piece, value] : zip(pieces, values)) write_piece(builder, value, to, piece);
  if (pieces.empty()) builder.CreateCall(entry_points_.memcpy(), {to, from, size});
}

void SharedAccess::fill(IRBuilder<>& builder, Value* to, Value* byte, Value* size, Align alignment) {
  const auto* const constant = dyn_cast<ConstantInt>(byte);
  const auto pieces = constant != nullptr ? pieces_of(size, alignment) : SmallVector<Piece, most_pieces>();
  for (const Piece& piece : pieces) {
    const APInt pattern = APInt::getSplat(piece.bytes * 8, constant->getValue());
    write_piece(builder, builder.getInt(pattern), to, piece);
  }
  if (pieces.empty())
    builder.CreateCall(entry_points_.memset(), {to, builder.CreateZExt(byte, builder.getInt32Ty()), size});
}

Value* SharedAccess::read_piece(IRBuilder<>& builder, Value* from, const Piece& piece) {
  return builder.CreateCall(entry_points_.read(type_of(piece, builder)), {advance(builder, from, piece.offset)});
}

void SharedAccess::write_piece(IRBuilder<>& builder, Value* value, Value* to, const Piece& piece) {
  builder.CreateCall(entry_points_.write(value->getType()), {advance(builder, to, piece.offset), value});
}

}  // namespace perdure::plugin
