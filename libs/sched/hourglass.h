#ifndef PERDURE_SCHED_HOURGLASS_H
#define PERDURE_SCHED_HOURGLASS_H

#include <sched.h>
#include <atomic>
#include <cstdint>

#include "sync/spin.h"

namespace perdure::sched {

/// The progress mechanism of PACT'19, section III.B. After `threshold` consecutive aborts a transaction is distressed
/// and turns the hourglass: transactions that run go on, and may even abort it again, but no new attempt starts, so in
/// the end it runs alone. Distressed transactions queue by ticket (the paper's footnote 1: a plain flag can starve a
/// thread that never wins it).
class Hourglass {
 public:
  static constexpr unsigned threshold = 100;

  /// Waits until no transaction is distressed. Called before each attempt. A thread may slip past just as the
  /// hourglass is turned; that costs the distressed transaction one more conflict and no fence here.
  void wait_until_clear() const {
    sync::Spinner spinner;
    while (is_turned()) spinner.wait();
  }

  bool is_turned() const {
    return next_ticket_.load(std::memory_order_relaxed) != serving_.load(std::memory_order_relaxed);
  }

  /// Turns the hourglass: returns when it is this transaction's turn.
  void turn() {
    const std::uint64_t ticket = next_ticket_.fetch_add(1, std::memory_order_relaxed);
    sync::Spinner spinner;
    while (serving_.load(std::memory_order_acquire) != ticket) spinner.wait();
  }

  /// Called before each further attempt of a distressed transaction: what aborted it was running before, and may be
  /// waiting for a processor.
  static void let_others_finish() { sched_yield(); }

  /// Lets the next distressed transaction, or everybody, go on.
  void release() { serving_.fetch_add(1, std::memory_order_release); }

 private:
  alignas(64) std::atomic<std::uint64_t> next_ticket_{0};
  std::atomic<std::uint64_t> serving_{0};
};

inline constinit Hourglass hourglass;

}  // namespace perdure::sched

#endif
