#include "pool/exception_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

#include "pool/format.h"
#include "sched/hold_during_fork.h"

namespace perdure::pool::exception_memory {
namespace {

struct Block {
  std::byte* address;
  std::size_t bytes;
  std::vector<std::byte> contents;  // of one whose pool has been closed
  bool is_settled = false;          // in other memory

  bool is_in(const std::byte* begin, std::size_t size) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin) < size;
  }
};

struct Blocks {
  std::mutex mutex;
  std::vector<Block> all;
};

/// Never destroyed: exceptions may end after static objects do.
Blocks& blocks();
std::mutex& blocks_mutex() { return blocks().mutex; }

Blocks& blocks() {
  static auto* const all = [] {
    sched::hold_during_fork<blocks_mutex>();
    return new Blocks;
  }();
  return *all;
}

constexpr std::uintptr_t page_of(std::uintptr_t address) { return address & ~(page_bytes - 1); }

/// Calls `function(page)` for each page that the block touches.
template <class Function>
void for_each_page(const Block& block, const Function& function) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block.address);
  for (std::uintptr_t page = page_of(begin); page < begin + std::max<std::size_t>(block.bytes, 1); page += page_bytes)
    function(page);
}

bool is_settled_page(std::uintptr_t page) {
  bool found = false;
  for (const Block& block : blocks().all)
    if (block.is_settled) for_each_page(block, [&](std::uintptr_t other) { found = found || other == page; });
  return found;
}

/// Another block may lie in the same page. Where there is no memory, the exception has lost what it owns.
void settle_block(Block& block) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  bool has_memory = true;
  for_each_page(block, [&](std::uintptr_t page) {
    void* const wanted = reinterpret_cast<void*>(page);
    has_memory = has_memory &&
                 (is_settled_page(page) || mmap(wanted, page_bytes, PROT_READ | PROT_WRITE, flags, -1, 0) == wanted);
  });
  if (!has_memory) return;
  std::memcpy(block.address, block.contents.data(), block.contents.size());
  block.contents = {};
  block.is_settled = true;
}

/// It is none of the blocks any more.
void unmap(const Block& block) {
  if (!block.is_settled) return;
  for_each_page(block, [](std::uintptr_t page) {
    if (!is_settled_page(page)) munmap(reinterpret_cast<void*>(page), page_bytes);
  });
}

auto find(const void* block) {
  return std::ranges::find_if(blocks().all, [&](const Block& each) { return each.address == block; });
}

template <class Predicate>
void remove_if(const Predicate& is_gone) {
  std::vector<Block>& all = blocks().all;
  const auto gone = std::partition(all.begin(), all.end(), [&](const Block& block) { return !is_gone(block); });
  std::vector<Block> removed(std::make_move_iterator(gone), std::make_move_iterator(all.end()));
  all.erase(gone, all.end());
  count.store(all.size(), std::memory_order_relaxed);
  for (const Block& block : removed) unmap(block);
}

}  // namespace

void add(void* block, std::size_t bytes) {
  const std::lock_guard lock(blocks().mutex);
  blocks().all.push_back({static_cast<std::byte*>(block), bytes, {}});
  count.store(blocks().all.size(), std::memory_order_relaxed);
}

/// The transaction may be rolled back: so what has been settled stays for it to be freed again.
bool remove(void* block) {
  const std::lock_guard lock(blocks().mutex);
  const auto found = find(block);
  if (found == blocks().all.end()) return true;
  if (found->is_settled) return false;
  remove_if([&](const Block& each) { return each.address == block; });
  return true;
}

bool free_settled(void* block) {
  if (count.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(blocks().mutex);
  const auto found = find(block);
  if (found == blocks().all.end() || !found->is_settled) return false;
  remove_if([&](const Block& each) { return each.address == block; });
  return true;
}

void leave_pool(const std::byte* begin, std::size_t bytes,
                const std::function<void(void* block, std::span<std::byte> contents)>& end) {
  if (count.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(blocks().mutex);
  for (Block& block : blocks().all) {
    if (!block.is_in(begin, bytes)) continue;
    block.contents.assign(block.address, block.address + block.bytes);
    end(block.address, block.contents);
  }
}

void settle(const std::byte* begin, std::size_t bytes) {
  if (count.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(blocks().mutex);
  for (Block& block : blocks().all)
    if (block.is_in(begin, bytes)) settle_block(block);
}

void vacate(const std::byte* begin, std::size_t bytes) {
  if (count.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(blocks().mutex);
  remove_if([&](const Block& block) { return block.is_in(begin, bytes); });
}

}  // namespace perdure::pool::exception_memory
