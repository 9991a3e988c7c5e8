#ifndef PERDURE_SCHED_SOLE_THREAD_H
#define PERDURE_SCHED_SOLE_THREAD_H

#include <array>
#include <atomic>
#include <cstdint>

#include "persist/step.h"
#include "sched/alternation.h"
#include "sched/hourglass.h"
#include "sched/thread_registry.h"
#include "sched/unversioned_commits.h"
#include "sync/spin.h"

namespace perdure::sched {

/// After how many of its transactions, during which no other thread began one, a thread claims to be alone: at first,
/// and at most; if that is 0, never. (tx/solitude.h) Tests set it, while no transaction runs.
struct Patience {
  std::uint16_t first = 64;
  std::uint16_t most = 1 << 12;
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
  static constexpr std::array<Claim, 2> no_claims = {2, 4};  ///< not even nobody's: there never are these

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
    const bool is_alone = others_end(self, at_once);
    if (!is_alone) claim_.store(nobody, std::memory_order_release);
    changing_.unlock();
    return is_alone;
  }

  /// The same for a thread that has others beside it, if they are to take turns (sched/alternation.h).
  bool try_turn(const ThreadSlot& self) {
    if (!changing_.try_lock()) return false;
    const bool has_turn = !hourglass.is_turned() && alternation_.is_time() && claim_turn(self);
    changing_.unlock();
    return has_turn;
  }

  /// The holder keeps its claim, which is no turn any more: others need not wait. (If it is another's by now, that one
  /// loses the rest of its turn.)
  void forgo_turn() { alternation_.forgo_turn(); }

  /// When the turn that there is will be over, or `Alternation::no_turn`.
  Alternation::Time turn_end() const { return alternation_.turn_end(); }
  bool is_turn() const { return turn_end() != Alternation::no_turn; }

  /// The caller would begin, and does not run. Ends the claim, whoever has it; a turn is waited for until it is over,
  /// or has become another one's.
  /// \returns whether the caller has its turn now, for which nothing else but a beginning is needed.
  bool await_turn(const ThreadSlot& self, bool is_patient) {
    const Alternation::Time end = alternation_.turn_end();
    sync::PatientSpinner spinner;
    // Not the claim, but the end is looked at again and again: the holder would miss its line at each commit. While the
    // hourglass is turned, it cannot use its claim.
    const bool is_turn = end != Alternation::no_turn;
    while (is_turn && is_patient && alternation_.turn_end() == end && Alternation::now() < end &&
           !hourglass.is_turned())
      spinner.wait();
    lock_claim();
    bool has_turn = false;
    if (alternation_.turn_end() == end) {
      take_claim_away();
      has_turn = is_turn && !hourglass.is_turned() && alternation_.is_time() && claim_turn(self);
    }
    changing_.unlock();
    return has_turn;
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
    lock_claim();
    take_claim_away();
    changing_.unlock();
  }

  /// The process has just been forked, and the holder is not there; nor is whoever was changing this.
  void forget_threads() {
    claim_.store(nobody, std::memory_order_relaxed);
    is_committing_.store(false, std::memory_order_relaxed);
    alternation_.forget_threads();
    changing_.unlock();
  }

 private:
  static constexpr Claim contested = 1;  // slots are aligned
  static constexpr Alternation::Time at_once = 0;

  void wait_for_commit() const {
    sync::PatientSpinner spinner;
    // Sequentially consistent, behind the mark; acquire: behind what the holder did.
    while (is_committing_.load(std::memory_order_seq_cst)) spinner.wait();
  }

  void lock_claim() {
    sync::PatientSpinner until_free;
    while (!changing_.try_lock()) until_free.wait();
  }

  void take_claim_away() {
    const Claim claim = claim_.load(std::memory_order_relaxed);
    if (claim == nobody) return;
    claim_.store(claim | contested, std::memory_order_seq_cst);
    persistence::perform<persistence::Step::sole_commit_awaited>([&] { wait_for_commit(); });
    alternation_.end_turn(*reinterpret_cast<const ThreadSlot*>(claim));
    note_unversioned_commits();
    claim_.store(nobody, std::memory_order_release);  // whoever sees this sees what was done under the claim
  }

  /// Waits until what others run has ended, but for some moments only.
  bool claim_turn(const ThreadSlot& self) {
    claim_.store(claim_of(self), std::memory_order_seq_cst);
    const bool is_alone = others_end(self, alternation_.latest_beginning());
    if (is_alone) {
      alternation_.begin_turn(self);
    } else {
      alternation_.give_up_turn();
      claim_.store(nobody, std::memory_order_release);
    }
    return is_alone;
  }

  /// \returns whether what others run has ended, or does until then.
  static bool others_end(const ThreadSlot& self, Alternation::Time latest) {
    sync::PatientSpinner spinner;
    bool have_ended = true;
    thread_registry.for_each([&](const ThreadSlot& slot) {
      // Sequentially consistent: see above. Acquire: who has ended comes before all that is done under the claim.
      while (have_ended && &slot != &self && slot.running_since.load(std::memory_order_seq_cst) != never) {
        have_ended = Alternation::now() < latest && !hourglass.is_turned();
        if (have_ended) spinner.wait();
      }
    });
    return have_ended;
  }

  // One line: while there is a claim the holder alone uses it, and otherwise it is only read.
  alignas(128) std::atomic<Claim> claim_{nobody};
  std::atomic<bool> is_committing_{false};
  alignas(128) sync::SpinLock changing_;
  Alternation alternation_;
};

inline constinit SoleThread sole_thread;

}  // namespace perdure::sched

#endif
