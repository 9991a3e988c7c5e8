#include "checked/freed_blocks.h"

#include "pool/window.h"
#include "recover/replay.h"
#include "sched/hold_during_fork.h"

namespace perdure::checked {

std::uint64_t FreedBlocks::now() {
  const std::lock_guard lock(mutex_);
  return ++last_;
}

void FreedBlocks::note(const void* block, Event event) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = events_.try_emplace(block, event);
  if (!is_new && entry->second.when < event.when) entry->second = event;
}

const char* FreedBlocks::place_of_free(const void* block) {
  const std::lock_guard lock(mutex_);
  const auto entry = events_.find(block);
  return entry == events_.end() ? nullptr : entry->second.place;
}

void FreedBlocks::forget(std::size_t slot) {
  const std::lock_guard lock(mutex_);
  std::erase_if(events_, [&](const auto& entry) { return pool::slot_of(entry.first) == slot; });
}

namespace {

std::mutex& blocks_mutex() { return freed_blocks().mutex(); }

}  // namespace

FreedBlocks& freed_blocks() {
  static auto* const blocks = [] {
    sched::hold_during_fork<blocks_mutex>();
    recover::add_close_hook([](alloc::Heap& heap) { freed_blocks().forget(heap.mapping().slot()); });
    return new FreedBlocks;
  }();
  return *blocks;
}

}  // namespace perdure::checked
