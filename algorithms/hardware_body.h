#ifndef PERDURE_ALGORITHMS_HARDWARE_BODY_H
#define PERDURE_ALGORITHMS_HARDWARE_BODY_H

#include <cstddef>
#include <cstdint>

#include "algorithms/orec_protocol.h"
#include "htm/transaction.h"
#include "log/shared_memory.h"
#include "persist/step.h"
#include "stats/counters.h"
#include "sync/orec_table.h"
#include "tx/abort.h"

namespace perdure::algorithms {

/// A body that runs in a hardware transaction, up to the locks of its write set, which are taken in the same. Reads are
/// loads behind a look at the orec, and are not noted. (The hybrid of Yates and Scott, TRANSACT'15, sections 2.2 and
/// 2.3, with ownership records in place of their global lock, and with deferred writes.)
///
/// *Isolation.* Who commits in software locks the orec of each location before it stores there. That orec is in what
/// the hardware has read: so a lock that is taken later aborts this transaction, and one that was there before is seen.
/// Everything read, and all locks, are of one moment, that of the hardware's commit.
///
/// *Order.* That moment is before the timestamp, which is taken behind it: in hardware the clock would abort everybody.
/// Meanwhile the locks say so to whoever validates. So whoever commits must validate, also if only its own tick has
/// moved the clock (OrecProtocol::order_commit).
///
/// *Durability.* Others see nothing but locks of what ran in hardware: new values are in the write set. The record is
/// flushed behind the hardware transaction, and values are written back behind the record, as ever.
template <htm::Processor P>
class HardwareBody {
 public:
  constexpr HardwareBody() = default;

  bool is_on() const { return is_on_; }

  /// The transaction has begun for others to see, and has read nothing. In hardware an abort comes back to here.
  void begin() {
    while (is_due()) {
      const htm::Status status = P::begin();
      is_on_ = status.is_running();
      if (is_on_) return;
      note(status);
    }
  }

  /// Leaves by `abort`.
  template <class T>
  T read(const T* address) {
    return P::within(
        [&] {
          require_unlocked(address);
          return log::load_shared(address);
        },
        [this](htm::Status status) { leave(status); });
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    P::within(
        [&] {
          require_unlocked(from);
          log::copy_shared(to, from, bytes);
          return true;
        },
        [this](htm::Status status) { leave(status); });
  }

  bool is_unharmed() const { return P::is_unharmed(); }

  /// Takes all locks, and ends what is in hardware. \returns false if it has aborted; then none are held.
  template <class Writes>
  bool lock(OrecProtocol& orecs, const Writes& writes) {
    const std::size_t held = orecs.lock_count();
    const bool has_committed = end([&] {
      writes.for_each_chunk([&](auto chunk, auto bytes) {
        orecs.lock_on<P, true>(chunk, bytes);
        return true;
      });
    });
    if (!has_committed) orecs.forget_locks_since(held);
    return has_committed;
  }

  /// Without locks: it has only read, or what it has read does not matter. \returns whether that is of one moment.
  bool end() {
    return end([] {});
  }

  /// The transaction has committed, in hardware or not.
  void note_commit() {
    attempts_ = 0;
    if (pause_ != 0) --pause_;
  }

 private:
  static constexpr unsigned most_attempts = 3;
  /// Behind an abort that says that the next attempt aborts, too.
  static constexpr unsigned transactions_a_pause = 16;

  bool is_due() const { return pause_ == 0 && attempts_ < most_attempts && P::is_offered(); }

  void note(htm::Status status) {
    stats::counters.count_hardware(false);
    ++attempts_;
    if (!status.was_given_up() && !status.is_worth_another_attempt()) pause_ = transactions_a_pause;
  }

  static void require_unlocked(const void* address) {
    const bool is_locked = sync::orec_table.of(address).load_on<P>().is_locked();
    if (persistence::value<persistence::Step::hardware_finds_lock>(is_locked))
      P::template give_up<OrecProtocol::locked>();
  }

  [[noreturn]] void leave(htm::Status status) {
    is_on_ = false;
    note(status);
    tx::abort(tx::CommitResult::locked);
  }

  template <class Last>
  bool end(Last&& last) {
    const htm::Status status = P::commit(last);
    is_on_ = false;
    if (!status.has_committed()) {
      note(status);
      return false;
    }
    stats::counters.count_hardware(true);
    return true;
  }

  bool is_on_ = false;
  unsigned attempts_ = 0;  // of this transaction
  unsigned pause_ = 0;     // transactions that are not to try
};

/// In software.
struct SoftwareBody {};

}  // namespace perdure::algorithms

#endif
