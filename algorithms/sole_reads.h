#ifndef PERDURE_ALGORITHMS_SOLE_READS_H
#define PERDURE_ALGORITHMS_SOLE_READS_H

#include <cstddef>

#include "log/pieces.h"
#include "log/shared_memory.h"
#include "sched/sole_thread.h"
#include "tx/abort.h"

namespace perdure::algorithms {

/// The reads of a transaction that alone runs (sched/sole_thread.h): loads, which are not noted. All values in memory
/// are of one time as long as the claim holds.
class SoleReads {
 public:
  constexpr SoleReads() = default;

  /// From the beginning of a transaction on, until this is called again. `nobody`: no transaction is alone.
  void run_under(sched::SoleThread::Claim claim) { claim_ = claim; }
  bool are_on() const { return claim_ != sched::SoleThread::nobody; }

  /// Leaves by `abort` when the claim is gone.
  template <class T>
  T read(const T* address) const {
    const T value = log::load_shared(address);  // acquire: before the look at the claim
    require_claim();
    return value;
  }

  void copy(void* to, const void* from, std::size_t bytes) const {
    log::copy_shared(to, from, bytes);
    require_claim();
  }

  void require_claim() const {
    if (!sched::sole_thread.still_has(claim_)) [[unlikely]]
      tx::abort(tx::CommitResult::validation);
  }

 private:
  sched::SoleThread::Claim claim_ = sched::SoleThread::nobody;
};

}  // namespace perdure::algorithms

#endif
