#ifndef PERDURE_TX_MEMORY_MANAGER_H
#define PERDURE_TX_MEMORY_MANAGER_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "alloc/next_layout.h"
#include "log/growing_array.h"
#include "persist/step.h"
#include "pool/exception_memory.h"
#include "sched/sole_thread.h"
#include "stats/counters.h"
#include "tx/algorithm.h"
#include "tx/block_source.h"
#include "tx/captured.h"
#include "tx/deferred_frees.h"
#include "tx/exception_blocks.h"

namespace perdure::tx {

/// How much a transaction had allocated and freed when a part of it began that can be undone alone.
struct MemoryMark {
  std::size_t allocated = 0;
  std::size_t freed = 0;
};

/// Allocation in transactions: a block allocated by a transaction that aborts was never allocated; a free takes effect
/// at commit, and the block is reused when no running transaction and no log can touch it any more.
template <class A>
class MemoryManager {
 public:
  constexpr MemoryManager() = default;

  /// \param claim  of its thread to be alone, or nobody's (sched/sole_thread.h).
  void begin(sched::SoleThread::Claim claim) {
    const bool is_sole = claim != sched::SoleThread::nobody;
    has_only_read_ = is_sole ? claim : among_others;
    others_ = A::traits.one_at_a_time || is_sole ? Others::none : Others::perhaps;
  }
  void will_write() { has_only_read_ = not_any_more; }
  /// Whether the transaction has neither written nor allocated anything so far, wherever; of threads that are not
  /// alone, and of those that are.
  bool has_only_read() const { return has_only_read_ == among_others; }
  bool has_only_read_as_sole() const { return has_only_read_ != not_any_more && !has_only_read(); }
  /// Whether it has so far, and its claim still holds. Behind an acquiring load, whose value can be used then.
  bool has_only_read_alone() const { return sched::sole_thread.still_has(has_only_read_); }

  /// From the current pool, or the heap when none is open; of the layout that was told before (alloc/next_layout.h).
  /// \returns null when there is no room.
  void* allocate(std::size_t bytes, std::size_t alignment) {
    alloc::BlockLayout* const layout = alloc::take_next_layout();
    void* block = reuse(bytes, alignment, layout);
    const bool is_reused = block != nullptr;
    if (!is_reused) block = allocate(bytes, alignment, layout);
    if (block == nullptr) return nullptr;
    captured_.add(block, bytes, is_reused);
    will_write();
    return block;
  }

  /// The same, where several threads run the operation, of which one commits (tx/queueing.h): the block is not given
  /// back when this transaction is rolled back.
  void* allocate_for_all(std::size_t bytes, std::size_t alignment) {
    return allocate(bytes, alignment, alloc::take_next_layout());
  }

  void free(void* block) {
    if (block == nullptr) return;
    if (!persistence::value<persistence::Step::frees_wait>(true)) return free_block(block);
    if (pool::exception_memory::count.load(std::memory_order_relaxed) != 0) [[unlikely]]
      if (!pool::exception_memory::remove(block)) return;
    freed_.push_back(block);
    stats::counters.frees.add(1);
  }

  /// For when there is no room: frees what this thread has freed and may be reused by now. \returns whether there was
  /// anything.
  bool reclaim() { return deferred_frees_.reclaim(); }

  const Captured& captured() const { return captured_; }
  void capture_everything() {
    captured_.capture_everything();
    others_ = Others::not_asked;  // in a nested part, or serial: what is written goes other ways
  }
  void capture_nothing() { captured_.capture_nothing(); }

  MemoryMark mark() const { return {captured_.size(), freed_.size()}; }
  /// What was freed since is not. What was allocated is freed when the transaction commits: its log may hold until then
  /// what was written there.
  /// \param kept  what exceptions own that leave the part.
  void undo_since(const MemoryMark& mark, const ExceptionBlocks* kept) {
    alloc::set_next_layout(nullptr);
    while (freed_.size() > mark.freed) freed_.pop_back();
    captured_.for_each_since(mark.allocated, [&](void* block) {
      if (kept == nullptr || !kept->contains(block)) freed_.push_back(block);
    });
  }

  /// The program writes to the block, which this transaction has allocated, without telling of each write.
  void written_directly(void* block) {
    if constexpr (!A::Mode::last_allocation_tracking)
      if (const std::size_t bytes = captured_.bytes_of(block)) directly_written_.add(block, bytes);
  }

  /// The program uses so many bytes of the block, whatever it has asked for.
  void use_bytes(void* block, std::size_t bytes) {
    captured_.extend(block, bytes);
    directly_written_.extend(block, bytes);
  }

  /// Before the commit. Reused blocks go to the log.
  /// \returns what no log vouches for: to be flushed before the commit counts. Without last-allocation tracking most
  /// blocks are written by way of the log, like everything else.
  const Captured& log_reused(A& algorithm) {
    if (has_reused_) [[unlikely]]
      log_each_reused(algorithm);
    if constexpr (A::Mode::last_allocation_tracking)
      return captured_;
    else
      return directly_written_;
  }
  bool has_changes() const { return !captured_.empty() || !freed_.empty(); }

  /// What was freed so far, another transaction has.
  void forget_frees() { freed_.clear(); }

  /// What the transaction has freed so far.
  template <class Function>
  void for_each_freed(Function&& function) const {
    for (void* block : freed_) function(block);
  }

  /// They are in the log, and no other is replayed over them any more: from now on they are like others.
  void settle_reused() {
    if (!has_reused_) return;
    captured_.log_none();
    end_reuse();
  }

  /// The transaction has committed, and this thread's slot says so.
  void commit(std::uint64_t commit_timestamp) {
    captured_.clear();
    directly_written_.clear();
    if (has_reused_) [[unlikely]]
      end_reuse();
    if (!freed_.empty()) [[unlikely]]
      free_all(commit_timestamp);
  }

  /// Writes have been undone, so nothing points to the blocks that were allocated, and nobody ever saw a pointer to
  /// one: also where updates are in place, what is not committed is locked.
  /// \param kept  what exceptions own that leave the transaction.
  void roll_back(const ExceptionBlocks* kept) {
    // An abort comes from an access; none is made between what the plugin says of an allocation and that. To be safe:
    alloc::set_next_layout(nullptr);
    if (has_reused_) [[unlikely]]
      put_back_reused(kept);
    captured_.for_each([kept](void* block) {
      if (kept == nullptr || !kept->contains(block)) free_block(block);
    });
    captured_.clear();
    directly_written_.clear();
    freed_.clear();
  }

  void release() {
    captured_.release();
    directly_written_.release();
    freed_.release();
    deferred_frees_.release();
  }

 private:
  /// A block must not be handed out while a doomed transaction may read it (trap 2), or a log that is not retired may
  /// be replayed over it (trap 14).
  static constexpr bool logs_outlive_commit = A::Mode::deferred_flushing && !A::traits.writes_in_place;
  static constexpr bool defers_frees =
      (A::traits.has_doomed_readers || logs_outlive_commit) && !A::Mode::immediate_reuse;
  /// Unless nobody can read it, and what is written to it follows in the log, too.
  static constexpr bool reuses_logged = defers_frees && LogsBlocks<A>;

  /// Transactions that began before this one, and run.
  enum class Others : std::uint8_t { none, perhaps, not_asked };

  void* allocate(std::size_t bytes, std::size_t alignment, alloc::BlockLayout* layout) {
    void* block = allocate_block(bytes, alignment, layout);
    if (block == nullptr && reclaim()) block = allocate_block(bytes, alignment, layout);
    if (block != nullptr) stats::counters.allocations.add(1);
    return block;
  }

  /// One that this thread has freed in an earlier transaction, and that nobody can reach who runs. Null if none.
  void* reuse(std::size_t bytes, std::size_t alignment, alloc::BlockLayout* layout) {
    if (!reuses_logged || others_ == Others::not_asked) return nullptr;
    // In hardware, to look at other threads is to conflict with them.
    if (A::Mode::runs_in_hardware && others_ != Others::none) return nullptr;
    void* const block = deferred_frees_.reuse(bytes, alignment, layout, others_ == Others::none);
    if (block == nullptr) return nullptr;
    stats::counters.allocations.add(1);
    has_reused_ = true;
    return block;
  }

  [[gnu::noinline]] void log_each_reused(A& algorithm) {
    if constexpr (reuses_logged)
      persistence::perform<persistence::Step::reused_logged>([&] {
        captured_.for_each_logged([&](void* block, std::size_t bytes) { algorithm.log_block(block, bytes); });
      });
  }

  /// \param kept  what exceptions own that leave the transaction.
  [[gnu::noinline, gnu::cold]] void put_back_reused(const ExceptionBlocks* kept) {
    captured_.for_each_logged([&](void* block, std::size_t) {
      if (kept != nullptr && kept->contains(block))
        deferred_frees_.keep(block);
      else
        deferred_frees_.put_back(block);
    });
    captured_.remove_logged();
    end_reuse();
  }

  /// Out of line: commits that free nothing are to be short.
  [[gnu::noinline]] void free_all(std::uint64_t commit_timestamp) {
    const std::span<void* const> blocks(freed_.begin(), freed_.size());
    if (!defers_frees || (others_ == Others::none && !logs_outlive_commit)) {
      std::ranges::for_each(blocks, BlockReturn());
      return freed_.clear();
    }
    deferred_frees_.add(blocks, commit_timestamp);
    if constexpr (A::Mode::self_validating_records) deferred_frees_.bound_bytes(blocks, commit_timestamp);
    freed_.clear();
    deferred_frees_.collect_sometimes();
  }

  /// Likewise.
  [[gnu::noinline]] void end_reuse() {
    deferred_frees_.keep_reused();
    has_reused_ = false;
  }

  static constexpr sched::SoleThread::Claim among_others = sched::SoleThread::no_claims[0];
  static constexpr sched::SoleThread::Claim not_any_more = sched::SoleThread::no_claims[1];

  sched::SoleThread::Claim has_only_read_ = among_others;  // or under this claim; one word, so one store for each write
  Others others_ = Others::perhaps;
  bool has_reused_ = false;
  Captured captured_;
  Captured directly_written_;
  log::GrowingArray<void*> freed_;
  DeferredFrees deferred_frees_;
};

}  // namespace perdure::tx

#endif
