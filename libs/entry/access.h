#ifndef PERDURE_ENTRY_ACCESS_H
#define PERDURE_ENTRY_ACCESS_H

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "log/pieces.h"
#include "sync/orec_table.h"

/// From the accesses of the ABI to those of a transaction: floats and pointers become integers, and accesses of any
/// size and alignment become naturally aligned ones of up to 8 bytes.
namespace perdure::entry {

template <std::size_t Bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = std::uint64_t;
};
template <class T>
using Unsigned = typename UnsignedOf<sizeof(T)>::type;

template <class Transaction, class T>
[[gnu::always_inline]] inline T read(Transaction& transaction, const T* address) {
  return std::bit_cast<T>(transaction.read(reinterpret_cast<const Unsigned<T>*>(address)));
}

template <class Transaction, class T>
[[gnu::always_inline]] inline void write(Transaction& transaction, T* address, T value) {
  transaction.write(reinterpret_cast<Unsigned<T>*>(address), std::bit_cast<Unsigned<T>>(value));
}

template <class Transaction>
void read_pieces(Transaction& transaction, std::byte* to, const std::byte* from, std::size_t size) {
  log::for_each_piece(reinterpret_cast<std::uintptr_t>(from), size, [&](std::size_t offset, auto type) {
    const auto value = transaction.read(reinterpret_cast<const decltype(type)*>(from + offset));
    std::memcpy(to + offset, &value, sizeof value);
  });
}

/// A stripe at a time, where the algorithm can; that is one look at its ownership record, not one for each word.
template <class Transaction>
void read_bytes(Transaction& transaction, void* to, const void* from, std::size_t size) {
  if (transaction.is_captured(from, size)) {
    std::memcpy(to, from, size);
    return;
  }
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  for (std::size_t offset = 0; offset < size;) {
    const std::size_t rest_of_stripe =
        sync::stripe_bytes - (reinterpret_cast<std::uintptr_t>(source) + offset) % sync::stripe_bytes;
    const std::size_t bytes = std::min(rest_of_stripe, size - offset);
    if (!transaction.read_stripe(target + offset, source + offset, bytes))
      read_pieces(transaction, target + offset, source + offset, bytes);
    offset += bytes;
  }
}

template <class Transaction>
void write_bytes(Transaction& transaction, void* to, const void* from, std::size_t size) {
  if (transaction.may_write_directly(to, size)) {
    std::memcpy(to, from, size);
    return;
  }
  log::for_each_piece(reinterpret_cast<std::uintptr_t>(to), size, [&](std::size_t offset, auto type) {
    auto value = type;
    std::memcpy(&value, static_cast<const std::byte*>(from) + offset, sizeof value);
    transaction.write(reinterpret_cast<decltype(type)*>(static_cast<std::byte*>(to) + offset), value);
  });
}

/// Copies are made in blocks by way of the stack, which is private.
inline constexpr std::size_t copy_block = 256;

template <class Transaction>
void copy_forward(Transaction& transaction, std::byte* to, const std::byte* from, std::size_t size) {
  std::array<std::byte, copy_block> block;
  for (std::size_t offset = 0; offset < size; offset += copy_block) {
    const std::size_t bytes = std::min(copy_block, size - offset);
    read_bytes(transaction, block.data(), from + offset, bytes);
    write_bytes(transaction, to + offset, block.data(), bytes);
  }
}

template <class Transaction>
void copy_backward(Transaction& transaction, std::byte* to, const std::byte* from, std::size_t size) {
  std::array<std::byte, copy_block> block;
  for (std::size_t rest = size; rest > 0;) {
    const std::size_t bytes = std::min(copy_block, rest);
    rest -= bytes;
    read_bytes(transaction, block.data(), from + rest, bytes);
    write_bytes(transaction, to + rest, block.data(), bytes);
  }
}

/// memmove, and so also memcpy.
template <class Transaction>
void copy(Transaction& transaction, void* to, const void* from, std::size_t size) {
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  const bool overlaps_ahead = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from) < size;
  if (overlaps_ahead)
    copy_backward(transaction, target, source, size);
  else
    copy_forward(transaction, target, source, size);
}

template <class Transaction>
void fill(Transaction& transaction, void* to, int byte, std::size_t size) {
  std::array<std::byte, copy_block> block;
  block.fill(static_cast<std::byte>(byte));
  for (std::size_t offset = 0; offset < size; offset += copy_block)
    write_bytes(transaction, static_cast<std::byte*>(to) + offset, block.data(), std::min(copy_block, size - offset));
}

}  // namespace perdure::entry

#endif
