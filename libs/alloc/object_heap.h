#ifndef PERDURE_ALLOC_OBJECT_HEAP_H
#define PERDURE_ALLOC_OBJECT_HEAP_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "abi/block_layout.h"

/// Where `new` puts objects outside of transactions, in files that ask for it (-fplugin-arg-perdure-persistable): in
/// volatile memory, of which is known what lies where, so that perdure::persist can follow its pointers. A range of
/// addresses is kept for it. So a pointer into the range that leads to no object leads to one that was deleted.
/// Thread-safe.
namespace perdure::alloc {

struct VolatileObject {
  std::byte* begin;
  std::size_t bytes;      ///< as asked for
  std::size_t alignment;  ///< as asked for
  BlockLayout* layout;    ///< never destroyed; null: not known
};

namespace detail {
inline constexpr std::size_t object_range_bytes = std::size_t{1} << 40;
/// Until there is one, no address lies in it.
inline constinit std::atomic<std::uintptr_t> object_range_begin{std::uintptr_t{1} << 63};
}  // namespace detail

/// Relaxed: who has the address of an object knows of the range.
inline bool in_object_range(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) - detail::object_range_begin.load(std::memory_order_relaxed) <
         detail::object_range_bytes;
}

/// Whether a file has asked for it, and has made an object.
inline bool is_object_range_used() noexcept {
  return detail::object_range_begin.load(std::memory_order_relaxed) != std::uintptr_t{1} << 63;
}

/// Zero at first: unused parts of it lead nowhere.
/// \param alignment  a power of two.
/// \param layout  null: not known.
/// \returns null when there is no memory, or no range of addresses.
void* allocate_object(std::size_t bytes, std::size_t alignment, const BlockLayout* layout) noexcept;

/// \param object  in the range. Stops the program when it is no object's beginning.
void free_object(void* object) noexcept;

/// The object that the address leads into, or to the end of.
std::optional<VolatileObject> object_around(const void* address) noexcept;

}  // namespace perdure::alloc

#endif
