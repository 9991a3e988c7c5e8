#ifndef PERDURE_LOG_TWO_PHASE_COMMIT_H
#define PERDURE_LOG_TWO_PHASE_COMMIT_H

#include <cstddef>
#include <cstdint>

#include "alloc/heap.h"
#include "log/decisions.h"
#include "log/growing_array.h"
#include "log/preparation.h"
#include "log/segments.h"
#include "persist/durable.h"
#include "persist/step.h"

namespace perdure::log {

/// Makes logs in several pools count at once: what all transactions over several pools do, whatever their logs.
///
///  1. `prepare` each log, and a fence: all of them, and all that the transaction must not be without, are durable.
///     They do not count yet (an undo log: it still counts).
///  2. `decide`: one fence makes the decision durable, in the coordinator. The transaction counts.
///  3. The logs become what they are in a transaction over one pool that counts, and a fence: redo logs active, undo
///     logs inactive; records are there.
///  4. `finish`: a fence makes durable that nothing depends on the decision, which goes.
///
/// Crash before 2: there is no decision, and none will be made under that name: the logs do not count. Between 2 and 4:
/// each pool comes to know of the decision when it is opened. After 3 nobody has to know.
///
/// The caller keeps its locks until 4: so in no pool anything younger than a prepared log is about its locations, which
/// is why recovery may replay it last.
class TwoPhaseCommit {
 public:
  constexpr TwoPhaseCommit() = default;

  bool is_active() const { return !members_.empty(); }
  /// Between `prepare` and `finish`.
  bool is_prepared() const { return is_prepared_; }

  /// A pool takes part; the first one is the coordinator. \returns written, or what is in the way; then `abandon`.
  LogResult join(alloc::Heap& heap) noexcept;

  /// The log is complete, and flushed. Durable, with it, after the caller's next fence.
  /// \param member  the number of its pool, in the order of joining.
  void prepare(std::size_t member, const SegmentHeader& log) noexcept;

  /// Step 1, of all parts: `for_each_part(function)` gives those that `join`ed, in that order, each with the log that
  /// it has `prepared()`. The fence is behind all that the decision vouches for, captured blocks included.
  template <class ForEachPart>
  void prepare_all(ForEachPart&& for_each_part) {
    std::size_t member = 0;
    for_each_part([&](auto& part) {
      const SegmentHeader& log = part.prepared();
      const auto prepare_it = [&] { prepare(member, log); };
      if (member == 0)
        prepare_it();
      else
        persistence::perform<persistence::Step::further_pools_prepared>(prepare_it);
      ++member;
    });
    persistence::perform<persistence::Step::prepared_durable>([] { persistence::complete_changes(); });
  }

  void decide() noexcept;

  /// Steps 2 to 4. `count_by_themselves` is step 3, with its fence.
  template <class Count>
  void decide_and_finish(Count&& count_by_themselves) {
    // Those in the middle in any order: when the logs count by themselves, what is left of the decision does no harm
    // where preparations are gone.
    persistence::in_order<persistence::Step::two_phases>([&] { decide(); }, count_by_themselves,
                                                         [&] { clear_preparations(); }, [&] { free_decision(); },
                                                         [&] { finish(); });
  }

  /// The transaction does not commit. Nothing was decided.
  void abandon() noexcept;

  /// It is over, the one way or the other: gives everything back. To be called when the logs have given their segments
  /// back: those who come next find each segment as they need it, since what was given back last is taken first.
  void leave() noexcept;

  void release() { members_.release(); }

 private:
  struct Member {
    alloc::Heap* heap;
    Preparation* preparation;
  };

  LogResult become_coordinator(alloc::Heap& heap) noexcept;
  void finish() noexcept;
  void clear_preparations() noexcept;
  void free_decision() noexcept;

  GrowingArray<Member> members_;
  alloc::Heap* coordinator_ = nullptr;
  TransactionId transaction_{};
  std::size_t place_ = 0;  // of the decision
  bool has_place_ = false;
  bool is_prepared_ = false;
};

}  // namespace perdure::log

#endif
