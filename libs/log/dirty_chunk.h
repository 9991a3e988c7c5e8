#ifndef PERDURE_LOG_DIRTY_CHUNK_H
#define PERDURE_LOG_DIRTY_CHUNK_H

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "log/record.h"

namespace perdure::log {

/// Coarse logging (PACT'19, section IV.B): what a transaction wrote of an aligned chunk of 16, 32 or 64 bytes. Goes
/// beyond the paper, whose chunks are logged as a whole: the log tells only of the bytes that were written
/// (log/changed_bytes.h), so none need be read that the transaction did not ask for.
template <std::size_t Bytes>
struct DirtyChunk {
  static_assert(Bytes == 16 || Bytes == 32 || Bytes == 64);
  static constexpr std::size_t chunk_bytes = Bytes;
  static constexpr std::size_t word_count = Bytes / sizeof(std::uint64_t);

  /// As many bits as the chunk has bytes, at least.
  using Mask = std::conditional_t<Bytes <= 32, std::uint32_t, std::uint64_t>;

  std::uint64_t address;
  Mask whole;                                   ///< bit i: words[i] was written by a store of 8 bytes
  Mask parts;                                   ///< bit i: byte i of the chunk was written by a smaller store
  std::array<std::uint64_t, word_count> words;  ///< where nothing was written, undefined

  const std::byte* data() const { return reinterpret_cast<const std::byte*>(words.data()); }
  std::byte* data() { return reinterpret_cast<std::byte*>(words.data()); }

  void clear() { whole = parts = 0; }

  /// The bytes of its word that a T at `where` covers, as `written` tells of them.
  template <class T>
  static std::uint8_t bytes_of(const T* where) {
    return static_cast<std::uint8_t>(((1U << sizeof(T)) - 1) << reinterpret_cast<std::uintptr_t>(where) % 8);
  }
  /// Which bytes of the word at `where` were written.
  std::uint8_t written(const void* where) const {
    const std::size_t word = word_of(where);
    return (whole >> word & 1) != 0 ? all_bytes : static_cast<std::uint8_t>(parts >> 8 * word);
  }
  template <class T>
  void mark(const T* where) {
    if constexpr (sizeof(T) == sizeof(std::uint64_t))
      whole |= Mask{1} << word_of(where);
    else
      parts |= static_cast<Mask>((Mask{1} << sizeof(T)) - 1) << reinterpret_cast<std::uintptr_t>(where) % Bytes;
  }

  /// Calls `function(word's number)` for each word that was written as a whole.
  template <class Function>
  void for_each_whole(Function&& function) const {
    for (Mask rest = whole; rest != 0; rest &= rest - 1) function(static_cast<std::size_t>(std::countr_zero(rest)));
  }

  /// Calls `function(word's number, which of its bytes were written)` for each of the others.
  template <class Function>
  void for_each_part(Function&& function) const {
    for (Mask rest = parts; rest != 0;) {
      const auto word = static_cast<std::size_t>(std::countr_zero(rest)) / 8;
      const auto bytes = static_cast<std::uint8_t>(rest >> 8 * word);
      rest ^= Mask{bytes} << 8 * word;
      if ((whole >> word & 1) == 0) function(word, bytes);
    }
  }

  /// Calls `function(address, value)` for what was written, in naturally aligned parts.
  template <class Function>
  void for_each_written(Function&& function) const {
    for_each_whole([&](std::size_t word) { function(reinterpret_cast<std::uint64_t*>(address) + word, words[word]); });
    for_each_part([&](std::size_t word, std::uint8_t bytes) {
      log::for_each_part(address + word * sizeof(std::uint64_t), words[word], bytes, function);
    });
  }

  void write_back() const {
    auto* const target = reinterpret_cast<std::uint64_t*>(address);
    for_each_whole([&](std::size_t word) { store_shared(target + word, words[word]); });
    if (parts != 0) [[unlikely]]
      write_back_parts();
  }

 private:
  /// Out of line: what is written back waits in the processor for the fence before it, where there is room for few
  /// stores, and a call is some of them.
  [[gnu::noinline]] void write_back_parts() const {
    for_each_part([&](std::size_t word, std::uint8_t bytes) {
      store_bytes(address + word * sizeof(std::uint64_t), words[word], bytes);
    });
  }

  static std::size_t word_of(const void* where) {
    return reinterpret_cast<std::uintptr_t>(where) % Bytes / sizeof(std::uint64_t);
  }
};

template <class Entry>
concept HoldsChunk = std::same_as<Entry, DirtyChunk<Entry::chunk_bytes>>;

}  // namespace perdure::log

#endif
