#include "tx/deferred_frees.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "alloc/heap.h"
#include "disk/pool_log.h"
#include "log/record_logs.h"
#include "log/retirement.h"
#include "recover/replay.h"
#include "sched/hold_during_fork.h"

namespace perdure::tx {
namespace {

/// Every thread's list, so that closing a pool can free what waits, and the lists of ended threads.
struct AllLists {
  std::mutex mutex;
  std::vector<WaitingBlocks*> of_threads;
  WaitingBlocks of_ended_threads;
  std::atomic<std::size_t> held_bytes_of_ended_threads{0};
};

void free_what_waits_in(alloc::Heap& heap);

AllLists& all_lists();
std::mutex& lists_mutex() { return all_lists().mutex; }

/// The threads of a forked child begin anew. (tx/thread_context.h)
void forget_threads() { all_lists().of_threads.clear(); }

AllLists& all_lists() {
  static auto* const result = [] {
    sched::hold_during_fork<lists_mutex, forget_threads>();
    recover::add_close_hook(free_what_waits_in);
    return new AllLists;
  }();
  return *result;
}

/// No transaction runs when a pool is closed, and all its logs are retired, so none of its blocks has to wait any more.
/// Those of other pools do: their records may still be replayed.
void free_what_waits_in(alloc::Heap& heap) {
  const auto is_free = [&heap](const void* block) {
    return !pool::in_window(block) || pool::slot_of(block) == heap.mapping().slot();
  };
  const std::scoped_lock lock(all_lists().mutex);
  for (WaitingBlocks* list : all_lists().of_threads) list->collect_if(is_free, free_block);
  all_lists().of_ended_threads.collect_if(is_free, free_block);
}

/// A transaction of the calling thread counts like any other.
ReuseHorizons reuse_horizons() {
  // In this order: a log goes from a running transaction to its thread's bound to the queue (or the books of the record
  // logs), and each step is entered before the one before it is left, so none can be missed.
  const std::uint64_t running = sched::thread_registry.minimum(&sched::ThreadSlot::running_since, nullptr);
  const std::uint64_t unretired = log::oldest_unretired();
  // A log at time t may hold writes to blocks freed at t or later.
  const std::uint64_t not_in_logs = unretired == sched::never ? sched::never : unretired - 1;
  const std::uint64_t retired = std::min(not_in_logs, log::reuse_horizon_of_records());
  return {.read_in_place = std::min(running, retired), .read_in_copies = retired};
}

}  // namespace

void DeferredFrees::add(std::span<void* const> blocks, std::uint64_t freed_at) {
  if (waiting_ == nullptr) {
    waiting_ = new WaitingBlocks;
    const std::scoped_lock lock(all_lists().mutex);
    all_lists().of_threads.push_back(waiting_);
    // Threads that come and go each free little; so whoever comes also collects what those that went have left.
    all_lists().of_ended_threads.collect(reuse_horizons(), free_block);
  }
  for (void* const block : blocks) waiting_->add(block, freed_at);
}

void DeferredFrees::bound_bytes(std::span<void* const> blocks, std::uint64_t freed_at) {
  BlockSizes size_of;
  for (void* const block : blocks) held_.bytes += size_of(block);
  held_.block = blocks.back();
  held_.freed_at = freed_at;
  if (held_.bytes >= most_held_bytes) [[unlikely]]
    retire();
}

void* DeferredFrees::take(std::size_t bytes, std::size_t alignment, alloc::BlockLayout* layout, bool is_alone) {
  // Pools on disks have logs of their own, whose prefixes count.
  alloc::Heap* const heap = alloc::current_heap();
  if (heap == nullptr || disk::has_logs()) return nullptr;
  const alloc::Bin wanted = heap->bin_for(bytes, alignment, layout);
  if (wanted == alloc::Bin::none) return nullptr;
  if (!is_alone && waiting_->reluctance.leaves_out()) return nullptr;
  const std::uint64_t horizon =
      is_alone ? sched::never : sched::thread_registry.minimum(&sched::ThreadSlot::running_since, nullptr);
  void* const block = waiting_->take(horizon, [&](const void* waits) {
    return pool::in_window(waits) && alloc::heap_of(waits) == heap && heap->bin_around(waits) == wanted;
  });
  if (!is_alone) waiting_->reluctance.note(block != nullptr);
  if (block != nullptr) held_.bytes -= std::min<std::size_t>(held_.bytes, alloc::class_bytes[alloc::class_of(wanted)]);
  return block;
}

void DeferredFrees::keep(const void* block) {
  held_.block = block;  // freed at `held_.freed_at` or before
  retire();
}

void DeferredFrees::collect() {
  const ReuseHorizons horizons = reuse_horizons();
  waiting_->collect(horizons, BlockReturn());
  next_collection_ = waiting_->size() + batch;
  AllLists& lists = all_lists();
  if (!lists.mutex.try_lock()) return;
  const std::scoped_lock lock(std::adopt_lock, lists.mutex);
  lists.of_ended_threads.collect(horizons, free_block);
}

void DeferredFrees::retire() {
  held_.bytes = 0;
  if (pool::in_window(held_.block)) log::record_logs[pool::slot_of(held_.block)].retire(held_.freed_at);
  collect();
}

bool DeferredFrees::reclaim() {
  if (waiting_ == nullptr) return false;
  const std::size_t before = waiting_->size();
  retire();
  return waiting_->size() < before;
}

void DeferredFrees::release() {
  if (waiting_ == nullptr) return;
  // Threads that come and go each free little, but together they may free much.
  held_.bytes += all_lists().held_bytes_of_ended_threads.exchange(0, std::memory_order_relaxed);
  if (held_.bytes >= most_held_bytes) retire();
  all_lists().held_bytes_of_ended_threads.fetch_add(held_.bytes, std::memory_order_relaxed);
  const std::scoped_lock lock(all_lists().mutex);
  all_lists().of_ended_threads.take_all(*waiting_);
  std::erase(all_lists().of_threads, waiting_);
  delete waiting_;
  waiting_ = nullptr;
  held_ = {};
}

}  // namespace perdure::tx
