#ifndef PERDURE_PERSIST_SIMULATED_H
#define PERDURE_PERSIST_SIMULATED_H

#include <cstddef>
#include <cstdint>

#include "persist/counts.h"
#include "persist/files.h"

namespace perdure::simulate {
/// Defined by the crash simulator (libs/simulate), which stands above all layers.
void flush(const void* address) noexcept;
void fence() noexcept;
void enter_transaction() noexcept;
void leave_transaction() noexcept;
persistence::Files files() noexcept;

// What it does otherwise at a step (persist/step.h), if anything.
bool is_left_out(unsigned step) noexcept;
/// Which of `count` actions, numbered in their right order, is the one to do at this turn.
std::size_t at_turn(unsigned step, std::size_t turn, std::size_t count) noexcept;
std::uint64_t altered(unsigned step, std::uint64_t right) noexcept;
}  // namespace perdure::simulate

namespace perdure::persistence {

/// The domain of the `…_sim` libraries: flushes and fences are recorded, and the simulator works out what a crash could
/// leave.
struct Simulated {
  static constexpr bool is_simulated = true;
  static constexpr std::size_t atomic_bytes = 8;
  static constexpr std::size_t line_bytes = 64;

  // Inlined, so that the simulator sees the place of the call by its return address.
  [[gnu::always_inline]] static void flush(const void* address) noexcept {
    simulate::flush(address);
    counts.count_flush();
  }

  [[gnu::always_inline]] static void fence() noexcept {
    simulate::fence();
    counts.count_fence();
  }

  [[gnu::always_inline]] static void locked_instruction() noexcept { simulate::fence(); }

  static Files files() noexcept { return simulate::files(); }

  static bool is_left_out(unsigned step) noexcept { return simulate::is_left_out(step); }
  static std::size_t at_turn(unsigned step, std::size_t turn, std::size_t count) noexcept {
    return simulate::at_turn(step, turn, count);
  }
  static std::uint64_t altered(unsigned step, std::uint64_t right) noexcept { return simulate::altered(step, right); }

  /// Lives as long as a transaction, so that the simulator can say in which one a crash came.
  struct Transaction {
    Transaction() noexcept { simulate::enter_transaction(); }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction() { simulate::leave_transaction(); }
  };
};

}  // namespace perdure::persistence

#endif
