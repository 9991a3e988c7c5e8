#ifndef PERDURE_LOG_DECISIONS_H
#define PERDURE_LOG_DECISIONS_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "pool/format.h"
#include "pool/window.h"

/// Decisions of transactions over several pools, as they lie in the pool of which the transaction is (its coordinator),
/// and who uses their places (log/two_phase_commit.h has the protocol).
namespace perdure::log {

/// Names a transaction over several pools, in its coordinator, for ever: runs are never repeated, nor numbers in a run.
struct TransactionId {
  std::uint64_t run;     ///< of the coordinator (RecordWatermark)
  std::uint64_t number;  ///< in that run, from 1
  bool operator==(const TransactionId&) const = default;
};

/// A pool that has a part in a transaction, and its run at that time. What is prepared in it is dealt with before its
/// next run begins: where the run is another one, nothing waits for the decision any more. (So a copy of the pool is
/// not taken for the pool.)
struct Participant {
  pool::Uuid uuid;
  std::uint64_t run;
  bool operator==(const Participant&) const = default;
};

/// The transaction counts: its parts in all participants do. Vouches for itself by its checksum, so its lines may
/// become durable in any order, by one fence.
struct alignas(64) Decision {
  std::uint64_t checksum;  ///< of what follows; 0: there is no decision here
  TransactionId transaction;
  std::uint64_t participant_count;
  std::array<std::uint64_t, 4> reserved;
  std::array<Participant, 64> participants;  ///< the first `participant_count`; the coordinator is the first of them

  bool counts() const;
  bool is_of(const TransactionId& asked) const { return counts() && transaction == asked; }
  bool has(const Participant& participant) const;

  /// What has to be written, and flushed, of a decision.
  std::size_t bytes() const;
  void seal() { checksum = right_checksum(); }

 private:
  std::uint64_t right_checksum() const;
};
static_assert(sizeof(Decision) == 1600);
static_assert(pool::slot_count <= 64, "a decision can name all pools that are open");

/// At pool::decisions_offset.
struct DecisionPage {
  std::array<Decision, 30> decisions;
};
static_assert(pool::decisions_offset + sizeof(DecisionPage) <= pool::root_table_offset);

inline DecisionPage& decision_page(std::byte* base) {
  return *reinterpret_cast<DecisionPage*>(base + pool::decisions_offset);
}

/// The decision page of the pool in one slot, while it is open for writing.
///
/// A place is taken by a running transaction, or by a decision that a crash has left over, for as long as some
/// participant may still ask for it (recover/coordinator.h).
class Decisions {
 public:
  constexpr Decisions() = default;

  /// The pool has been opened, and a run of it has begun. What is left over is durable, so others may believe it: this
  /// pool was a participant, too, and its recovery made durable what it went by; or nothing here waited for the
  /// decision any more, which comes to be only when a fence has made it durable.
  /// \param was_used  the pool has had a part in a transaction over several pools.
  void open(DecisionPage& page, std::uint64_t run, bool was_used);
  void close() { page_ = nullptr; }

  /// A place for a decision; nothing when all are taken.
  std::optional<std::size_t> take();
  void give_back(std::size_t place);
  TransactionId next_transaction() { return {run_, numbers_.fetch_add(1, std::memory_order_relaxed) + 1}; }
  Decision& operator[](std::size_t place) { return page_->decisions[place]; }

  // What is left over. For one thread at a time (recover/coordinator.cc has the lock).
  bool has_left_over() const { return left_over_.load(std::memory_order_relaxed) != 0; }
  bool are_all_left_over() const { return left_over_.load(std::memory_order_relaxed) == all_places; }
  /// Calls `function(place, decision)`.
  template <class Function>
  void for_each_left_over(Function&& function) {
    for (std::size_t place = 0; place < page_->decisions.size(); ++place)
      if ((left_over_.load(std::memory_order_relaxed) >> place & 1) != 0) function(place, page_->decisions[place]);
  }
  /// Nobody will ask for it any more.
  void drop(std::size_t place);

 private:
  using Places = std::uint32_t;
  static constexpr Places all_places = (Places{1} << std::tuple_size_v<decltype(DecisionPage::decisions)>)-1;

  DecisionPage* page_ = nullptr;
  std::uint64_t run_ = 0;
  std::atomic<std::uint64_t> numbers_{0};
  std::atomic<Places> taken_{0};
  std::atomic<Places> left_over_{0};  // a part of those
};

/// By slot.
inline constinit std::array<Decisions, pool::slot_count> decisions;

}  // namespace perdure::log

#endif
