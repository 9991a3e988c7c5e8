#ifndef PERDURE_LOG_DIRTY_CHUNK_H
#define PERDURE_LOG_DIRTY_CHUNK_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "log/shared_memory.h"

namespace perdure::log {

/// What a transaction wrote of an aligned chunk, in whole words: an entry of a write set whose log holds only what has
/// changed (log/commit_record.h). 16, 32 or 64 bytes.
template <std::size_t Bytes>
struct DirtyChunk {
  static_assert(Bytes == 16 || Bytes == 32 || Bytes == 64);
  static constexpr std::size_t chunk_bytes = Bytes;
  static constexpr bool is_whole = false;  ///< may hold only some of the chunk's words

  std::uint64_t address;
  std::uint64_t dirty;  ///< bit i: words[i] was written; the others are undefined
  std::array<std::uint64_t, Bytes / 8> words;

  const std::byte* data() const { return reinterpret_cast<const std::byte*>(words.data()); }
  std::byte* data() { return reinterpret_cast<std::byte*>(words.data()); }

  static std::size_t word_of(const void* where) {
    return reinterpret_cast<std::uintptr_t>(where) % Bytes / sizeof(std::uint64_t);
  }
  bool holds(const void* where) const { return ((dirty >> word_of(where)) & 1) != 0; }

  /// Calls `function(word's number)` for each dirty word, in order of addresses.
  template <class Function>
  void for_each_dirty(Function&& function) const {
    for (std::uint64_t rest = dirty; rest != 0; rest &= rest - 1)
      function(static_cast<std::size_t>(std::countr_zero(rest)));
  }

  void write_back() const {
    auto* const target = reinterpret_cast<std::uint64_t*>(address);
    for_each_dirty([&](std::size_t i) { store_shared(target + i, words[i]); });
  }
};

}  // namespace perdure::log

#endif
