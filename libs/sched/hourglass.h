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

  /// Waits until the hourglass is not turned. A thread may slip past just as it is; whoever has to be alone sees, or is
  /// seen by, those that look again when they have published that they run (tx/transaction.h).
  void wait_until_clear() const {
    sync::PatientSpinner spinner;
    while (is_turned()) spinner.wait();
  }

  /// Sequentially consistent, with the ticket that `turn` takes: a thread that published before this that it runs, and
  /// sees no ticket, is seen by whoever takes the next. Acquire: it comes after all that the last one did.
  bool is_turned() const {
    return next_ticket_.load(std::memory_order_seq_cst) != serving_.load(std::memory_order_acquire);
  }

  /// Turns the hourglass: returns when it is this transaction's turn.
  void turn() {
    const std::uint64_t ticket = next_ticket_.fetch_add(1, std::memory_order_seq_cst);
    sync::PatientSpinner spinner;
    while (serving_.load(std::memory_order_acquire) != ticket) spinner.wait();
  }

  /// Turns the hourglass unless somebody has, or waits for it. \returns whether this transaction has now.
  bool try_turn() {
    std::uint64_t free = serving_.load(std::memory_order_acquire);
    return next_ticket_.compare_exchange_strong(free, free + 1, std::memory_order_seq_cst);
  }

  // Those that a turned hourglass keeps waiting are counted, so that transactions which turn it each time they run
  // (serial ones) can let them go first.

  void begin_waiting() { arrived_.fetch_add(1, std::memory_order_relaxed); }
  /// It runs now, and says so.
  void end_waiting() { passed_.fetch_add(1, std::memory_order_release); }
  /// As many as wait now may begin before this returns. Of two threads whose serial transactions follow each other, so
  /// each lets the others through in between.
  void let_waiting_pass() const {
    const std::uint64_t waiting = arrived_.load(std::memory_order_relaxed);
    sync::PatientSpinner spinner;
    while (passed_.load(std::memory_order_acquire) < waiting) spinner.wait();
  }

  /// Called before each further attempt of a distressed transaction: what aborted it was running before, and may be
  /// waiting for a processor.
  static void let_others_finish() { sched_yield(); }

  /// Lets the next distressed transaction, or everybody, go on.
  void release() { serving_.fetch_add(1, std::memory_order_release); }

  /// The process has just been forked: the child has neither the transactions that were distressed, nor those that
  /// waited.
  void forget_threads() {
    serving_.store(next_ticket_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    passed_.store(arrived_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }

 private:
  alignas(64) std::atomic<std::uint64_t> next_ticket_{0};
  std::atomic<std::uint64_t> serving_{0};
  alignas(64) std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> passed_{0};
};

inline constinit Hourglass hourglass;

}  // namespace perdure::sched

#endif
