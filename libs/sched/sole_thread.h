#ifndef PERDURE_SCHED_SOLE_THREAD_H
#define PERDURE_SCHED_SOLE_THREAD_H

#include <atomic>
#include <cstdint>

#include "persist/step.h"
#include "sched/thread_registry.h"
#include "sched/unversioned_commits.h"
#include "sync/spin.h"

namespace perdure::sched {

/// After how many of its transactions, during which no other thread began one, a thread claims to be alone: at first,
/// and at most; if that is 0, never. (tx/solitude.h) Tests set it, while no transaction runs.
struct Patience {
  std::uint32_t first = 64;
  std::uint32_t most = 1 << 12;
};
inline constinit Patience patience;

/// The claim of one thread to be the only one that runs transactions: as long as it holds, that thread may leave out
/// what isolates it from others. Whoever comes next takes the claim away, at any moment but in the holder's commits.
///
/// Invariant: while the claim holds, and in each commit that began under it, no other thread runs a transaction that
/// began since.
///
/// - A thread that begins publishes in its slot that it runs, and looks at the claim then. `try_claim` stores the claim
///   and looks at the slots then. All four are sequentially consistent: one of the two sees the other. The first is a
///   locked instruction in any case, since who frees memory has to see it; so a beginning pays for a load only.
/// - Who finds another's claim runs no longer, marks the claim as contested, and waits until its holder is not in a
///   commit. The holder says that it commits, and looks at the claim then: either it sees the mark, and is refused; or
///   it is seen to commit, and waited for.
/// - The holder looks at the claim behind each of its loads. Others store only when they have taken the claim away, so
///   a load that gave one of their values is followed by a look that tells. The transaction is aborted then.
/// - Who ends the claim comes after all that was committed under it: the end of a commit releases, which is acquired.
///   Whoever finds no claim comes after that in turn.
///
/// Nobody waits for code of the program: a transaction may wait for another thread's, as it may where nobody is alone.
class SoleThread {
 public:
  using Claim = std::uintptr_t;
  static constexpr Claim nobody = 0;
  static constexpr Claim no_claim = 2;  ///< not even nobody's: there never is this one

  static Claim claim_of(const ThreadSlot& slot) { return reinterpret_cast<Claim>(&slot); }

  /// Of whoever, perhaps contested. The caller has published before what others are to see if it does not see them.
  Claim claim() const { return claim_.load(std::memory_order_seq_cst); }

  /// Of the holder, behind an acquiring load: whether what that gave was there under the claim.
  bool still_has(Claim own) const { return claim_.load(std::memory_order_relaxed) == own; }

  /// The caller has published that it runs, and there was no claim then. \returns whether it has one now, because
  /// nobody else runs.
  bool try_claim(const ThreadSlot& self) {
    if (!changing_.try_lock()) return false;
    claim_.store(claim_of(self), std::memory_order_seq_cst);
    bool is_alone = true;
    thread_registry.for_each([&](const ThreadSlot& slot) {
      // Sequentially consistent: see above. Acquire: who has ended comes before all that is done under the claim.
      is_alone = is_alone && (&slot == &self || slot.running_since.load(std::memory_order_seq_cst) == never);
    });
    if (!is_alone) claim_.store(nobody, std::memory_order_release);
    changing_.unlock();
    return is_alone;
  }

  /// \returns whether the caller still has its claim, which nobody takes away before `end_commit` then.
  bool begin_commit(Claim own) {
    is_committing_.store(true, std::memory_order_seq_cst);
    if (claim() == own) [[likely]]
      return true;
    end_commit();
    return false;
  }
  void end_commit() { is_committing_.store(false, std::memory_order_release); }

  /// How many transactions others than this thread have begun; the number goes round.
  static std::uint32_t beginnings_of_others(const ThreadSlot& self) {
    std::uint32_t sum = 0;
    thread_registry.for_each([&](const ThreadSlot& slot) {
      if (&slot != &self) sum += slot.beginnings.load(std::memory_order_relaxed);  // a hint
    });
    return sum;
  }

  /// Ends the claim, whoever has it. The caller does not run.
  void end_claim() {
    sync::PatientSpinner until_free;
    while (!changing_.try_lock()) until_free.wait();
    if (const Claim claim = claim_.load(std::memory_order_relaxed); claim != nobody) {
      claim_.store(claim | contested, std::memory_order_seq_cst);
      persistence::perform<persistence::Step::sole_commit_awaited>([&] { wait_for_commit(); });
      note_unversioned_commits();
      claim_.store(nobody, std::memory_order_release);  // whoever sees this sees what was done under the claim
    }
    changing_.unlock();
  }

  /// The process has just been forked, and the holder is not there; nor is whoever was changing this.
  void forget_threads() {
    claim_.store(nobody, std::memory_order_relaxed);
    is_committing_.store(false, std::memory_order_relaxed);
    changing_.unlock();
  }

 private:
  static constexpr Claim contested = 1;  // slots are aligned

  void wait_for_commit() const {
    sync::PatientSpinner spinner;
    // Sequentially consistent, behind the mark; acquire: behind what the holder did.
    while (is_committing_.load(std::memory_order_seq_cst)) spinner.wait();
  }

  // One line: while there is a claim the holder alone uses it, and otherwise it is only read.
  alignas(128) std::atomic<Claim> claim_{nobody};
  std::atomic<bool> is_committing_{false};
  alignas(128) sync::SpinLock changing_;
};

inline constinit SoleThread sole_thread;

}  // namespace perdure::sched

#endif
