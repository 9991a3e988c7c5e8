#ifndef PERDURE_LOG_PIECES_H
#define PERDURE_LOG_PIECES_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "log/shared_memory.h"

namespace perdure::log {

/// Cuts [address, address + size) into naturally aligned pieces: `function(offset, integer of the piece's type)`.
template <class Function>
inline void for_each_piece(std::uintptr_t address, std::size_t size, Function&& function) {
  for (std::size_t offset = 0; offset < size;) {
    const std::size_t rest = size - offset;
    const std::uintptr_t position = address + offset;
    if (position % 8 == 0 && rest >= 8) {
      function(offset, std::uint64_t{});
      offset += 8;
    } else if (position % 4 == 0 && rest >= 4) {
      function(offset, std::uint32_t{});
      offset += 4;
    } else if (position % 2 == 0 && rest >= 2) {
      function(offset, std::uint16_t{});
      offset += 2;
    } else {
      function(offset, std::uint8_t{});
      offset += 1;
    }
  }
}

/// Copies shared memory to memory of the thread's own. Whole words are what it mostly comes to.
inline void copy_shared(void* to, const void* from, std::size_t size) {
  if ((reinterpret_cast<std::uintptr_t>(from) | size) % sizeof(std::uint64_t) == 0) [[likely]] {
    for (std::size_t offset = 0; offset < size; offset += sizeof(std::uint64_t)) {
      const std::uint64_t word =
          load_shared(reinterpret_cast<const std::uint64_t*>(static_cast<const std::byte*>(from) + offset));
      std::memcpy(static_cast<std::byte*>(to) + offset, &word, sizeof word);
    }
    return;
  }
  for_each_piece(reinterpret_cast<std::uintptr_t>(from), size, [&](std::size_t offset, auto type) {
    const auto* const piece = reinterpret_cast<const decltype(type)*>(static_cast<const std::byte*>(from) + offset);
    const auto value = load_shared(piece);
    std::memcpy(static_cast<std::byte*>(to) + offset, &value, sizeof value);
  });
}

}  // namespace perdure::log

#endif
