#include "log/replica_pair.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "log/announcement.h"
#include "persist/durable.h"
#include "persist/step.h"
#include "stats/counters.h"

namespace perdure::log {

namespace {

constexpr std::uintptr_t whole_chunks(std::uintptr_t address) {
  return (address + ReplicaPair::chunk_bytes - 1) & ~(ReplicaPair::chunk_bytes - 1);
}

std::uintptr_t place_of(std::uintptr_t address, Side side) {
  if (side == Side::main) return address;
  return address + static_cast<std::uintptr_t>(replica_map.distance(reinterpret_cast<const void*>(address)));
}

/// Calls `function(part)` with what lies in each superblock.
template <class Function>
void for_each_superblock(std::uintptr_t begin, std::uintptr_t end, Function&& function) {
  while (begin < end) {
    const std::uintptr_t next = std::min(end, (begin / pool::superblock_bytes + 1) * pool::superblock_bytes);
    function(begin, next);
    begin = next;
  }
}

}  // namespace

void ReplicaPair::open(alloc::Heap& heap) {
  replica_map.reserve();
  heap_ = &heap;
  bound_ = &sched::thread_registry.acquire();
  heap.superblocks().use_features(pool::replicated);
  write_word(Side::main);
  last_turn_.store(0, std::memory_order_relaxed);
}

void ReplicaPair::close() {
  if (!is_open()) return;
  persistence::perform<persistence::Step::turned_before_close>([&] {
    if (current() != Side::twin) return;
    catch_up();
    // The time does not matter, since nobody runs.
    turn(1);
  });
  release_replicas();
  lag_.clear();
  is_lag_copied_ = true;
  last_turn_.store(0, std::memory_order_relaxed);
  lift_announcement(*bound_);
  sched::thread_registry.release(*std::exchange(bound_, nullptr));
  heap_ = nullptr;
}

void ReplicaPair::release_replicas() {
  alloc::Superblocks& superblocks = heap_->superblocks();
  const std::size_t count = superblocks.replicas().size();
  for (const alloc::Replica& replica : superblocks.replicas())
    replica_map.set(superblocks.address(replica.original), 0);
  superblocks.release_replicas();
  stats::replicas.remove(count, count * pool::superblock_bytes);
}

bool ReplicaPair::is_other_free(const sched::ThreadSlot& self) {
  if (!may_be_read_) return true;
  // Sequentially consistent, behind the store of the time: a transaction that is not seen to run here sees that time
  // when it looks at it again (algorithms/replica_order.h), and so reads the copy that counts.
  bool result = true;
  const std::uint64_t turned = time_of(last_turn_.load(std::memory_order_relaxed));
  sched::thread_registry.for_each([&](const sched::ThreadSlot& slot) {
    result = result && (&slot == &self || slot.running_since.load(std::memory_order_seq_cst) >= turned);
  });
  may_be_read_ = !persistence::value<persistence::Step::readers_gone>(result);
  return !may_be_read_;
}

/// Algorithm 3, step 6: the physical logs of all states since are one list of places, whose values are those of the
/// copy that counts.
void ReplicaPair::catch_up() {
  if (is_lag_copied_) return;
  persistence::perform<persistence::Step::lag_copied>([&] { copy_lag(other(current())); });
  is_lag_copied_ = true;
  lift_announcement(*bound_);
}

void ReplicaPair::copy_lag(Side to) {
  for (const std::uintptr_t chunk : lag_.chunks)
    std::memcpy(reinterpret_cast<void*>(place_of(chunk, to)), reinterpret_cast<const void*>(place_of(chunk, other(to))),
                chunk_bytes);
  if (to == Side::twin)
    for (const Range& block : lag_.blocks) copy_to_twin(block);
}

bool ReplicaPair::replicate(const void* address) {
  if (replica_map.distance(address) != 0) return true;
  alloc::Superblocks& superblocks = heap_->superblocks();
  const std::uint64_t original = superblocks.number_of(address);
  const auto replica = superblocks.take_replica(original);
  if (!replica) return false;
  stats::replicas.add(1, pool::superblock_bytes);
  // Behind the copying. Before the first store to the original: who reads the twin there sees the replica afterwards.
  replica_map.set(address, superblocks.address(*replica) - superblocks.address(original));
  return true;
}

void ReplicaPair::note_block(const void* block, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  blocks_.push_back({begin, whole_chunks(begin + bytes)});
}

void ReplicaPair::turn(std::uint64_t time) {
  const Side side = other(current());
  announce(*bound_, time - 1);
  persistence::in_order<persistence::Step::written_before_turn>([&] { make_durable(side); }, [&] { write_word(side); });
  lag_.clear();
  std::swap(lag_.chunks, written_);
  std::swap(lag_.blocks, blocks_);
  is_lag_copied_ = lag_.chunks.empty() && lag_.blocks.empty();
  stats::counters.replica_turns.add(1);
  if (is_lag_copied_) lift_announcement(*bound_);
  may_be_read_ = true;
  // Release: who reads this copy sees what was written. Behind the fence: what a reader sees is durable, so it needs
  // none itself (Algorithm 2, lines 14 to 16).
  last_turn_.store(time << 1 | static_cast<std::uint64_t>(side), std::memory_order_release);
}

void ReplicaPair::make_durable(Side side) {
  lines_.clear();
  // Nothing is stored to a line any more that was flushed.
  if (side == Side::twin)
    persistence::perform<persistence::Step::blocks_copied>([&] {
      for (const Range& block : blocks_) copy_to_twin(block);
    });
  // RedoOpt postpones the flushes of what a replica catches up with until here, where they are due.
  persistence::perform<persistence::Step::postponed_flushes>([&] { postponed_flushes(side); });
  for (const std::uintptr_t chunk : written_) flush_chunk(chunk, side);
  for (const Range& block : blocks_)
    flush_block(
        {block.begin, block.begin + persistence::value<persistence::Step::captured_bytes>(block.end - block.begin)},
        side, Parts::all);
  persistence::fence();
}

void ReplicaPair::forget_written() {
  // The medium may have the lines as they were meanwhile.
  persistence::perform<persistence::Step::undone_lines_flushed>([&] {
    for (const std::uintptr_t chunk : written_) lag_.chunks.push_back(chunk);
  });
  written_.clear();
  blocks_.clear();
  if (lag_.chunks.size() > most_postponed) flush_lag(other(current()));
}

/// Where transactions are rolled back and none commits, what is postponed would grow without end.
void ReplicaPair::flush_lag(Side side) {
  persistence::perform<persistence::Step::flushes_at_bound>([&] {
    lines_.clear();
    postponed_flushes(side);
    persistence::fence();
  });
  lag_.clear();
}

void ReplicaPair::postponed_flushes(Side side) {
  for (const std::uintptr_t chunk : lag_.chunks) flush_chunk(chunk, side);
  for (const Range& block : lag_.blocks) flush_block(block, side, Parts::with_replica);
}

void ReplicaPair::flush_chunk(std::uintptr_t chunk, Side side) { lines_.flush(place_of(chunk, side)); }

void ReplicaPair::flush_block(const Range& block, Side side, Parts parts) {
  for_each_superblock(block.begin, block.end, [&](std::uintptr_t begin, std::uintptr_t end) {
    if (parts == Parts::with_replica && place_of(begin, Side::twin) == begin) return;
    const std::uintptr_t distance = place_of(begin, side) - begin;
    for (std::uintptr_t line = persistence::line_of(begin); line < end; line += persistence::line_bytes)
      lines_.flush(line + distance);
  });
}

void ReplicaPair::copy_to_twin(const Range& block) {
  for_each_superblock(block.begin, block.end, [](std::uintptr_t begin, std::uintptr_t end) {
    const std::uintptr_t to = place_of(begin, Side::twin);
    if (to != begin) std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(begin), end - begin);
  });
}

void ReplicaPair::write_word(Side side) {
  ReplicaWord& word = replica_word_of(heap_->mapping());
  word.store(side);
  persistence::flush(&word, sizeof(word));
  persistence::fence();
}

}  // namespace perdure::log
