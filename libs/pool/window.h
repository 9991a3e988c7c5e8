#ifndef PERDURE_POOL_WINDOW_H
#define PERDURE_POOL_WINDOW_H

#include <array>
#include <atomic>
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

/// A large pool takes several slots, side by side, and goes by the number of the first.
inline constexpr std::size_t most_slots_of_pool = 16;  // 4 TiB

/// The last bytes of a pool's last slot, which no file reaches: its code addresses (alloc/code_table.h).
inline constexpr std::size_t code_area_bytes = std::size_t{1} << 26;  // 64 MiB
constexpr std::size_t data_bytes_in(std::size_t slots) { return slots * slot_bytes - code_area_bytes; }
inline constexpr std::size_t data_bytes = data_bytes_in(1);
inline constexpr std::size_t most_data_bytes = data_bytes_in(most_slots_of_pool);

namespace detail {
/// How many slots of the same pool come before each one. Written by who claims slots (pool/slots.h), before anybody has
/// an address in the pool. Relaxed: whoever has one knows of that.
inline constinit std::array<std::atomic<std::uint8_t>, slot_count> slots_before{};
}  // namespace detail

inline bool in_window(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) - window_base < window_bytes;
}

/// The slot that `address`, which is in the window, lies in.
inline std::size_t single_slot_of(const void* address) noexcept {
  return (reinterpret_cast<std::uintptr_t>(address) - window_base) / slot_bytes;
}

/// The (first) slot of the pool that holds `address`, which is in the window.
inline std::size_t slot_of(const void* address) noexcept {
  const std::size_t slot = single_slot_of(address);
  return slot - detail::slots_before[slot].load(std::memory_order_relaxed);
}

inline bool is_last_of_pool(std::size_t slot) noexcept {
  return slot + 1 == slot_count || detail::slots_before[slot + 1].load(std::memory_order_relaxed) == 0;
}

/// The first byte of a slot.
inline std::byte* slot_address(std::size_t slot) noexcept {
  return reinterpret_cast<std::byte*>(window_base + slot * slot_bytes);
}

/// From the first byte of its pool, of an address in the window.
inline std::size_t offset_in_pool(const void* address) noexcept {
  return static_cast<std::size_t>(static_cast<const std::byte*>(address) - slot_address(slot_of(address)));
}

/// Whether both, in the window, lie in one pool.
inline bool are_in_one_pool(const void* one, const void* other) noexcept {
  return (reinterpret_cast<std::uintptr_t>(one) ^ reinterpret_cast<std::uintptr_t>(other)) < slot_bytes ||
         slot_of(one) == slot_of(other);
}

/// Whether `address`, which is in the window, is a code address.
inline bool is_code_address(const void* address) noexcept {
  return (reinterpret_cast<std::uintptr_t>(address) - window_base) % slot_bytes >= data_bytes &&
         is_last_of_pool(single_slot_of(address));
}

/// The first code address of a pool.
inline std::byte* code_area(std::size_t slot) noexcept {
  while (!is_last_of_pool(slot)) ++slot;
  return slot_address(slot) + data_bytes;
}

}  // namespace perdure::pool

#endif
