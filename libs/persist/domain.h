#ifndef PERDURE_PERSIST_DOMAIN_H
#define PERDURE_PERSIST_DOMAIN_H

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace perdure::persist {

/// Flushes work on cache lines of this many bytes.
inline constexpr std::size_t line_bytes = 64;

/// A persistence domain: how a store becomes durable. Everything durable goes through one, so that what it counts, and
/// what a simulated one can crash, is everything.
///
/// - `flush(address)`: the line that holds `address`, as it is now or later, will be durable after the next fence.
/// - `fence()`: every line flushed by this thread is durable when it returns.
/// - `locked_instruction()`: says that the thread has just executed a LOCK-prefixed instruction. It orders flushes as a
///   fence does; nothing has to be executed for it.
template <class D>
concept Domain = requires(const void* address) {
  { D::flush(address) } noexcept -> std::same_as<void>;
  { D::fence() } noexcept -> std::same_as<void>;
  { D::locked_instruction() } noexcept -> std::same_as<void>;
};

/// The first byte of the line that holds `address`.
inline std::uintptr_t line_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) & ~(line_bytes - 1);
}

/// Flushes every line that overlaps [address, address + bytes).
template <Domain D>
inline void flush_range(const void* address, std::size_t bytes) noexcept {
  const auto end = reinterpret_cast<std::uintptr_t>(address) + bytes;
  for (auto line = line_of(address); line < end; line += line_bytes) D::flush(reinterpret_cast<const void*>(line));
}

}  // namespace perdure::persist

#endif
