#ifndef PERDURE_SCHED_SOLE_THREAD_H
#define PERDURE_SCHED_SOLE_THREAD_H

#include <atomic>
#include <cstdint>

#include "sched/thread_registry.h"
#include "sync/spin.h"

namespace perdure::sched {

/// The claim of one thread to be the only one that runs transactions: as long as it holds, that thread may leave out
/// what isolates it from others. Nobody else runs a transaction then; whoever comes next ends the claim first.
///
/// Invariant: while the holder of the claim runs a transaction that it began under it, no other thread does.
///
/// - A thread that begins publishes in its slot that it runs, and looks at the claim then. `try_claim` stores the claim
///   and looks at the slots then. All four are sequentially consistent: one of the two sees the other.
/// - Who finds another's claim runs no longer, marks the claim as contested, and waits until its holder does not run.
/// The
///   holder, when it begins again, has published that it runs before it looks: it sees the mark, and runs no longer
///   either; or it is seen to run, and waited for.
class SoleThread {
  using Claim = std::uintptr_t;

 public:
  static constexpr Claim nobody = 0;

  static Claim claim_of(const ThreadSlot& slot) { return reinterpret_cast<Claim>(&slot); }

  /// The caller has published that it runs.
  Claim claim() const { return claim_.load(std::memory_order_seq_cst); }

  /// The caller has published that it runs, and there was no claim then. \returns whether it has one now, because
  /// nobody else runs.
  [[gnu::noinline]] bool try_claim(const ThreadSlot& self) {
    if (!changing_.try_lock()) return false;
    claim_.store(claim_of(self), std::memory_order_seq_cst);
    bool is_alone = true;
    thread_registry.for_each([&](const ThreadSlot& slot) {
      // Sequentially consistent, also acquire: who has ended comes before all that is done under the claim.
      is_alone = is_alone && (&slot == &self || slot.running_since.load(std::memory_order_seq_cst) == never);
    });
    if (!is_alone) claim_.store(nobody, std::memory_order_release);
    changing_.unlock();
    return is_alone;
  }

  /// Ends the claim, whoever has it. The caller does not run. Returns when its holder has been met between two
  /// transactions.
  [[gnu::noinline]] void end_claim() {
    sync::PatientSpinner until_free;
    while (!changing_.try_lock()) until_free.wait();
    if (const Claim claim = claim_.load(std::memory_order_relaxed); claim != nobody) {
      claim_.store(claim | contested, std::memory_order_seq_cst);
      const ThreadSlot& holder = *reinterpret_cast<const ThreadSlot*>(claim);
      sync::PatientSpinner until_met;
      while (holder.running_since.load(std::memory_order_seq_cst) != never) until_met.wait();
      claim_.store(nobody, std::memory_order_release);
    }
    changing_.unlock();
  }

  /// The process has just been forked.
  void forget_threads() {
    claim_.store(nobody, std::memory_order_relaxed);
    changing_.unlock();
  }

 private:
  static constexpr Claim contested = 1;  // slots are aligned

  alignas(64) std::atomic<Claim> claim_{nobody};
  sync::SpinLock changing_;
};

inline constinit SoleThread sole_thread;

}  // namespace perdure::sched

#endif
