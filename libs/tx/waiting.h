#ifndef PERDURE_TX_WAITING_H
#define PERDURE_TX_WAITING_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "log/growing_array.h"
#include "sched/waiters.h"
#include "stats/counters.h"
#include "sync/filter.h"
#include "sync/futex.h"
#include "tx/abort.h"
#include "tx/algorithm.h"
#include "tx/failure.h"
#include "tx/part_results.h"
#include "tx/static_initialisation.h"

namespace perdure::tx {

/// Transactions that wait until something they have read changes (Harris et al., “Composable Memory Transactions”,
/// PPoPP'05: `retry`), and those that wake them: a part of tx::Transaction.
///
/// Who waits is rolled back, and neither runs nor holds anything: nobody waits for it in turn. What it has read the
/// algorithm knows, so that reads cost nothing more, and no attempt has to be made again to find it out.
template <class Transaction, Algorithm A>
class Waiting {
 public:
  /// The running transaction cannot go on with what it has read.
  [[noreturn]] void retry() {
    if (!self().is_running_) refuse_retry_outside();
    if (static_initialisation.is_running()) refuse_transaction_in_initialiser();
    if (self().is_in_part()) self().retry_part();
    abort(CommitResult::retry);
  }

  /// The same for so long since the first time that this transaction has come here, and as long as `cancelled` is 0.
  /// \returns what of these is over.
  int retry_unless(const int* cancelled, std::uint64_t nanoseconds) {
    if (!self().is_running_) refuse_retry_outside();
    if (cancelled != nullptr && sched::is_set(cancelled)) return cancelled_by_other;
    perdure_set_result(&checkpoint,
                       has_handlers);  // if it goes on in another way, `end_with_handlers` forgets all this
    if (nanoseconds != sched::never) {
      const std::uint64_t now = sync::now();
      const std::uint64_t since = self().progress_.waiting_since(now);
      const std::uint64_t deadline = since + std::min(nanoseconds, sched::never - 1 - since);
      if (deadline <= now) return timed_out;
      deadline_ = std::min(deadline_, deadline);
    }
    if (cancelled != nullptr) cancellations_.push_back(cancelled);
    retry();
  }

 protected:
  /// The attempt is over, for good or not.
  void forget_wait() {
    deadline_ = sched::never;
    cancellations_.clear();
  }

  /// The transaction has committed, and there is something to be done after it.
  [[gnu::noinline]] void end_with_handlers() {
    self().has_committed_ = false;
    forget_wait();
    self().progress_.release_turn();
    self().handlers_.run_after_commit();
  }

  /// In place of what follows a conflict: returns when the transaction is to be tried again.
  [[gnu::noinline, gnu::cold]] void wait_for_change() {
    if (self().serial_.is_on()) return refuse_to_wait_alone();
    sched::Waiter waiter;
    waiter.deadline = deadline_;
    waiter.cancellations = {cancellations_.begin(),
                            cancellations_.size()};  // they stay in place when they are forgotten
    note_reads(waiter.read);
    const Enrolled enrolled(waiter);
    // In this order: a commit that did not see the waiter has its locks, or is complete, and is seen here.
    const bool is_unchanged = self().extend() && !waiter.is_cancelled();
    roll_back_to_wait();
    if (is_unchanged) waiter.sleep();
  }

  // -- Of those that wake others. Whether anybody waits, a commit looks behind its locks (sched/waiters.h). It has
  // forgotten what it has written by then, so a thread that has seen others wait notes that before its next commits;
  // the first one, and serial transactions, wake all.

  /// \returns whether the next commit is to do this, too: nobody may have waited for so many.
  [[gnu::noinline, gnu::cold]] bool note_writes() {
    if (!sched::waiters.are_there() && ++quiet_commits_ > most_quiet_commits) return are_writes_noted_ = false;
    if constexpr (KnowsLocations<A>) {
      written_.clear();
      self().algorithm_.note_writes(written_);
      are_writes_noted_ = !self().serial_.is_on();
    }
    return true;
  }

  [[gnu::noinline, gnu::cold]] void wake_waiters() {
    if (!are_writes_noted_) written_.add_everything();
    are_writes_noted_ = false;
    quiet_commits_ = 0;
    self().note_writes_at_commit();
    sched::waiters.wake(written_);
  }

  void release_waiting() { cancellations_.release(); }

 private:
  friend Transaction;
  constexpr Waiting() = default;

  static constexpr unsigned most_quiet_commits = 64;

  struct Enrolled {
    explicit Enrolled(sched::Waiter& waiter) : waiter(waiter) { sched::waiters.enroll(waiter); }
    Enrolled(const Enrolled&) = delete;
    Enrolled& operator=(const Enrolled&) = delete;
    ~Enrolled() { sched::waiters.withdraw(waiter); }
    sched::Waiter& waiter;
  };

  void note_reads(sync::Filter& filter) const {
    if constexpr (KnowsLocations<A>)
      self().algorithm_.note_reads(filter);
    else
      filter.add_everything();
  }

  /// It has not failed, so it is as if it began anew; and it must not keep others waiting.
  void roll_back_to_wait() {
    self().roll_back(stats::AbortReason::retry);
    self().handlers_.forget();
    self().progress_.pause();
  }

  /// Others wait for a serial transaction to end, among them who could change what it waits for. One that is alone
  /// only because of its algorithm runs again, not alone: it waits then.
  void refuse_to_wait_alone() {
    if (self().progress_.is_alone_for_algorithm()) return roll_back_to_wait();
    self().roll_back(stats::AbortReason::exception);
    self().progress_.release_turn();
    self().handlers_.run_after_abort();
    throw_failure(CommitResult::retry);
  }

  Transaction& self() { return static_cast<Transaction&>(*this); }
  const Transaction& self() const { return static_cast<const Transaction&>(*this); }

  std::uint64_t deadline_ = sched::never;
  log::GrowingArray<const int*> cancellations_;
  sync::Filter written_;
  bool are_writes_noted_ = false;  // of the commit that runs
  unsigned quiet_commits_ = 0;     // with nobody to wake, since others were seen to wait
};

}  // namespace perdure::tx

#endif
