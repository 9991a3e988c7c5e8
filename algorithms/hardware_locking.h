#ifndef PERDURE_ALGORITHMS_HARDWARE_LOCKING_H
#define PERDURE_ALGORITHMS_HARDWARE_LOCKING_H

#include <cstddef>

#include "algorithms/orec_protocol.h"
#include "htm/transaction.h"
#include "persist/step.h"
#include "stats/counters.h"

namespace perdure::algorithms {

/// How a commit takes the locks of its write set: one after the other, each by a locked instruction.
struct SoftwareLocking {
  /// \returns false on a conflict; then some of the locks are held.
  template <class Writes>
  [[gnu::always_inline]] static bool lock(OrecProtocol& orecs, const Writes& writes) {
    return writes.for_each_chunk([&](auto chunk, auto bytes) { return orecs.lock(chunk, bytes); });
  }
};

/// All in one hardware transaction, and as above where the hardware does not let it. (Yates and Scott, TRANSACT'15,
/// section 2.3: locks of single places, committed in hardware.)
///
/// Only the locking is in hardware. The timestamp is taken behind it, as ever: a clock that every transaction stores to
/// would abort them all. So the rest of the commit, and the argument why it is durable and isolated, does not know how
/// the locks were taken: they are held from before the timestamp to behind the write-back. In particular the record is
/// flushed behind the hardware transaction, which a flush would abort, and memory is written only behind the record.
template <htm::Processor P>
class HardwareLocking {
 public:
  template <class Writes>
  bool lock(OrecProtocol& orecs, const Writes& writes) {
    const std::size_t held = orecs.lock_count();
    for (unsigned attempts = 0; attempts < most_attempts && is_due(); ++attempts) {
      const htm::Status status = P::attempt([&] {
        writes.for_each_chunk([&](auto chunk, auto bytes) {
          orecs.lock_on<P, false>(chunk, bytes);
          return true;
        });
      });
      stats::counters.count_hardware(status.has_committed());
      if (persistence::value<persistence::Step::hardware_has_committed>(status.has_committed())) return true;
      orecs.forget_locks_since(held);
      // As in software: what another holds is a conflict, and what is newer may be extended to.
      if (status.was_given_up()) {
        if (status.code() == OrecProtocol::locked || !orecs.extend()) return false;
      } else if (!status.is_worth_another_attempt()) {
        pause_ = commits_a_pause;
        break;
      }
    }
    return SoftwareLocking::lock(orecs, writes);
  }

 private:
  static constexpr unsigned most_attempts = 3;
  /// Behind an abort that says that the next attempt aborts, too.
  static constexpr unsigned commits_a_pause = 3;

  bool is_due() {
    if (!P::is_offered()) return false;
    if (pause_ == 0) return true;
    --pause_;
    return false;
  }

  unsigned pause_ = 0;
};

}  // namespace perdure::algorithms

#endif
