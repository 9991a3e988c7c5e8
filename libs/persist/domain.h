#ifndef PERDURE_PERSIST_DOMAIN_H
#define PERDURE_PERSIST_DOMAIN_H

#include <concepts>
#include <cstddef>
#include <cstdint>

#ifdef PERDURE_SIMULATED
#include "persist/simulated.h"
#else
#include "persist/adr.h"
#endif

/// The persistence domain: how a store becomes durable. A library is compiled for one, which is named here and nowhere
/// else. Everything durable goes through these functions, so that what they count, and what the simulator can crash, is
/// everything.
///
/// Which of them is for what:
/// - `flush`, `fence`: the steps of a transaction's log, in the order that libs/log argues for;
/// - `flush_data`: data at its own place, which a log vouches for until it is durable;
/// - `make_durable` and its parts (persist/durable.h): changes of a pool that no transaction's log vouches for.
namespace perdure::persistence {

#ifdef PERDURE_SIMULATED
using Domain = Simulated;
#else
using Domain = Adr;
#endif

/// Whether this is for the crash simulator, where a run must be the same each time.
inline constexpr bool is_simulated = Domain::is_simulated;

/// What a domain is. All its functions are static: it has no state of its own that a caller would have to name.
/// - `atomic_bytes`: an aligned store of so many becomes durable as a whole, or not at all.
/// - `line_bytes`: what one flush makes durable. Stores to one line become durable in program order.
/// - `flush(address)`: the line that holds `address`, as it is now or later, will be durable after the next fence.
/// - `fence()`: every line flushed by this thread is durable when it returns.
/// - `locked_instruction()`: says that the thread has just executed a LOCK-prefixed instruction. It orders flushes as a
///   fence does; nothing has to be executed for it.
/// - `files()`: what files stand for.
/// - `Transaction`: an object that lives as long as a transaction runs.
template <class D>
concept DomainModel = requires(const void* address) {
  typename D::Transaction;
  { D::flush(address) } noexcept -> std::same_as<void>;
  { D::fence() } noexcept -> std::same_as<void>;
  { D::locked_instruction() } noexcept -> std::same_as<void>;
  { D::files() } noexcept -> std::same_as<Files>;
  requires D::line_bytes % D::atomic_bytes == 0;
};
static_assert(DomainModel<Domain>);

inline constexpr std::size_t atomic_bytes = Domain::atomic_bytes;
inline constexpr std::size_t line_bytes = Domain::line_bytes;

/// The first byte of the line that holds an address.
constexpr std::uintptr_t line_of(std::uintptr_t address) { return address & ~(line_bytes - 1); }
inline std::uintptr_t line_of(const void* address) { return line_of(reinterpret_cast<std::uintptr_t>(address)); }

// Inlined always, so that the simulator knows the callers apart by return addresses.

[[gnu::always_inline]] inline void flush(const void* address) noexcept { Domain::flush(address); }

/// Every line that overlaps [address, address + bytes).
[[gnu::always_inline]] inline void flush(const void* address, std::size_t bytes) noexcept {
  const auto end = reinterpret_cast<std::uintptr_t>(address) + bytes;
  for (auto line = line_of(address); line < end; line += line_bytes) flush(reinterpret_cast<const void*>(line));
}

[[gnu::always_inline]] inline void fence() noexcept { Domain::fence(); }
[[gnu::always_inline]] inline void locked_instruction() noexcept { Domain::locked_instruction(); }

/// The line at `address` holds data of transactions that was written to its place: durable after the next fence. Until
/// then some log vouches for it. (A domain whose pools lie on a disk would note that the page is to be written.)
[[gnu::always_inline]] inline void flush_data(std::uintptr_t address) noexcept {
  flush(reinterpret_cast<const void*>(address));
}

}  // namespace perdure::persistence

#endif
