#ifndef PERDURE_POOL_WINDOW_H
#define PERDURE_POOL_WINDOW_H

#include <cstddef>
#include <cstdint>

#include "persist/sanitizers.h"

/// The window of the address space that all pools live in. "Is this address persistent?" is one subtraction and one
/// compare, however many pools are open. On the hot path: include nothing heavy here.
namespace perdure::pool {

/// Build constants; a pool records them and is refused by a program built with others. Above 16 TiB for
/// AddressSanitizer, whose shadow lies there and below; under ThreadSanitizer below 2 TiB, the only large range that it
/// lets programs map. Linux places nothing in either by itself.
#ifdef PERDURE_THREAD_SANITIZER
inline constexpr std::uintptr_t window_base = std::uintptr_t{1} << 36;  // 64 GiB
inline constexpr std::size_t slot_bytes = std::size_t{1} << 36;         // 64 GiB
inline constexpr std::size_t slot_count = 16;
#else
inline constexpr std::uintptr_t window_base = std::uintptr_t{1} << 45;  // 32 TiB
inline constexpr std::size_t slot_bytes = std::size_t{1} << 38;         // 256 GiB
inline constexpr std::size_t slot_count = 64;
#endif
inline constexpr std::size_t window_bytes = slot_bytes * slot_count;

/// The last bytes of each slot, which no file reaches: the code addresses of the pool that lives there
/// (alloc/code_table.h).
inline constexpr std::size_t code_area_bytes = std::size_t{1} << 26;  // 64 MiB
inline constexpr std::size_t data_bytes = slot_bytes - code_area_bytes;

inline bool in_window(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) - window_base < window_bytes;
}

/// The slot that holds `address`, which is in the window.
inline std::size_t slot_of(const void* address) noexcept {
  return (reinterpret_cast<std::uintptr_t>(address) - window_base) / slot_bytes;
}

/// The first byte of a slot.
inline std::byte* slot_address(std::size_t slot) noexcept {
  return reinterpret_cast<std::byte*>(window_base + slot * slot_bytes);
}

/// Whether `address`, which is in the window, is a code address.
inline bool is_code_address(const void* address) noexcept {
  return (reinterpret_cast<std::uintptr_t>(address) - window_base) % slot_bytes >= data_bytes;
}

/// The first code address of a slot.
inline std::byte* code_area(std::size_t slot) noexcept { return slot_address(slot) + data_bytes; }

}  // namespace perdure::pool

#endif
