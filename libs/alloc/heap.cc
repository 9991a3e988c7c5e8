#include "alloc/heap.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "pool/fork.h"
#include "sched/hold_during_fork.h"
#include "sched/thread_end.h"

namespace perdure::alloc {
namespace {

bool is_aligned(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % pool::superblock_bytes == 0; }

[[noreturn]] void stop_without_memory() {
  std::fputs("perdure: no memory for a thread's allocation cache. Give the process more memory.\n", stderr);
  std::abort();
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: only to be different
}

/// The order in which heaps were registered; guarded by caches_mutex.
std::array<Heap*, pool::slot_count>& registration_order() {
  static std::array<Heap*, pool::slot_count> order{};
  return order;
}

/// Guards the lists of caches, and the opening and closing of heaps against ending threads.
std::mutex& caches_mutex();

/// Pools in files are not inherited.
void forget_heaps() {
  for (auto& heap : detail::open_heaps) heap.store(nullptr, std::memory_order_relaxed);
}

/// What a child allocates comes from elsewhere: threads that it does not have may have been in the middle of changing
/// the heaps of its parent. Those in volatile memory it still has, and their blocks are no longer reused.
void retire_heaps() {
  for (Heap*& heap : registration_order())
    if (heap != nullptr) std::exchange(heap, nullptr)->retire();
  detail::first_heap.store(nullptr, std::memory_order_relaxed);
  detail::chosen_heap = nullptr;
}

std::mutex& caches_mutex() {
  static auto* const mutex = [] {
    pool::add_fork_hook(forget_heaps);  // first: it takes a mutex that is held during forks as well
    sched::hold_during_fork<caches_mutex, retire_heaps>();
    return new std::mutex;  // threads may end after static objects do
  }();
  return *mutex;
}

/// To be written: the thread's, which has some from now on.
detail::CacheReference& own_reference(std::size_t slot) noexcept {
  if (detail::caches_of_thread == &detail::no_caches) {
    const auto* const own = new (std::nothrow) detail::CacheReferences{};
    if (own == nullptr) stop_without_memory();
    detail::caches_of_thread = own;
  }
  return const_cast<detail::CacheReferences&>(*detail::caches_of_thread)[slot];  // made above, not constant
}

}  // namespace

void Heap::give_back_caches_of_thread() noexcept {
  if (pool::is_forked_child()) return;  // a thread that is gone may have held the locks
  for (const auto& reference : *detail::caches_of_thread) {
    if (reference.heap_number == 0) continue;
    const std::lock_guard lock(caches_mutex());
    for (Heap* const heap : registration_order()) {
      if (heap == nullptr || heap->number_ != reference.heap_number) continue;
      heap->remove_thread_cache(reference.cache);
      break;
    }
  }
  if (detail::caches_of_thread != &detail::no_caches) delete detail::caches_of_thread;
  detail::caches_of_thread = &detail::no_caches;
}

Heap::Heap(pool::Mapping& mapping)
    : number_(next_number()),
      slot_(mapping.slot()),
      granule_mask_(mapping.header().granularity - 1),
      superblocks_(mapping),
      small_blocks_(superblocks_),
      layouts_(superblocks_),
      codes_(superblocks_) {}

Heap::~Heap() {
  if (!pool::is_forked_child() && !is_retired_) collect_caches();
}

void Heap::finish_rebuild() {
  small_blocks_.finish_rebuild();
  superblocks_.finish_rebuild();
}

Mark& Heap::begin_mark(Range roots, bool is_exact) {
  mark_ = std::make_unique<Mark>(superblocks_, small_blocks_, roots, is_exact ? &layouts_ : nullptr);
  return *mark_;
}

template <class Attempt>
auto Heap::find_room(Attempt&& attempt) noexcept {
  for (;;) {
    // Before the attempt: a mark that ends meanwhile may have freed what the attempt did not find.
    const bool is_complete = mark_ == nullptr || mark_->is_over();
    const auto found = attempt();
    if (found || is_complete) return found;
    mark_->wait();
  }
}

LayoutNumber Heap::look_up(BlockLayout& layout) noexcept {
  const LayoutNumber number = layouts_.number_of(layout);
  // Also where it stays unknown, so that a full table is not searched again and again.
  std::atomic_ref(layout.cache).store(number_ << 16 | number, std::memory_order_relaxed);
  return number;
}

BlockLayout* Heap::layout_of(const void* block) const noexcept {
  return layouts_.get(superblocks_.layout(superblocks_.number_of(block)));
}

BlockStack& Heap::stack_of(Bin bin) noexcept {
  ThreadCache& cache = thread_cache();
  BlockStack* stack = cache.stack(bin);
  if (stack == nullptr) stack = cache.add_stack(bin);
  if (stack == nullptr) stop_without_memory();
  return *stack;
}

/// The lowest half is given back, where it is full.
BlockStack& Heap::stack_with_room(Bin bin) noexcept {
  BlockStack& stack = stack_of(bin);
  if (!stack.is_full()) return stack;
  small_blocks_.give_back(bin, stack.oldest(stack.batch()));
  stack.drop_oldest(stack.batch());
  give_back(GiveBack::some);
  return stack;
}

void* Heap::refill(Bin bin) noexcept {
  BlockStack& stack = stack_of(bin);
  const bool has_some = stack.refill_from_claim() != 0 || find_room([&] {
                          if (fetch(bin, stack)) return true;
                          free_what_is_kept();
                          return fetch(bin, stack);
                        });
  return has_some ? stack.pop() : nullptr;
}

bool Heap::fetch(Bin bin, BlockStack& stack) noexcept {
  stack.note_refill();
  // A small pool is shared: a superblock is much of it.
  if (stack.may_claim() && superblocks_.count() >= least_superblocks_to_claim)
    return small_blocks_.claim(bin, stack.claim()) && stack.refill_from_claim() != 0;
  stack.added(small_blocks_.take(bin, stack.room().first(stack.batch())));
  return stack.count() != 0;
}

/// The pool is full, unless this thread itself keeps whole superblocks of other bins from being free, or these do.
void Heap::free_what_is_kept() noexcept {
  empty(thread_cache());
  release_empty();
}

void* Heap::allocate_unusual(std::size_t bytes, std::size_t alignment, LayoutNumber layout) noexcept {
  if (bytes > max_bytes || alignment > max_alignment) return nullptr;
  const std::size_t size_class = aligned_class_for(in_granules(bytes), alignment);
  if (size_class == class_count) return allocate_large(bytes, layout);
  return allocate_small(bin_of(size_class, layout));
}

void* Heap::allocate_large(std::size_t bytes, LayoutNumber layout) noexcept {
  const std::uint64_t extent = (bytes + pool::superblock_bytes - 1) / pool::superblock_bytes;
  const auto first = find_room([&] {
    if (const auto taken = superblocks_.take_large(extent, layout)) return taken;
    free_what_is_kept();
    return superblocks_.take_large(extent, layout);
  });
  return first ? superblocks_.address(*first) : nullptr;
}

BlockStack* Heap::deallocate_unusual(void* block) noexcept {
  if (mark_ != nullptr && mark_->free(block)) return nullptr;
  const std::uint64_t number = superblocks_.number_of(block);
  // Held a moment ago.
  if (superblocks_.bin(number) != Bin::none) return deallocate(block);
  if (superblocks_.use(number) != Use::large || !is_aligned(block)) stop_at_bad_free(block);
  superblocks_.release_large(number);
  give_back(GiveBack::surplus);  // takes time, but in proportion to what was freed
  return nullptr;
}

std::size_t Heap::usable_size(const void* block) const noexcept {
  const std::uint64_t number = superblocks_.number_of(block);
  const Use use = superblocks_.use(number);
  return is_small(use) || is_held(use) ? class_bytes[class_of(use)]
                                       : superblocks_.extent(number) * pool::superblock_bytes;
}

bool Heap::is_block(const void* address) const noexcept {
  if (!pool::in_window(address) || pool::slot_of(address) != slot_) return false;
  const std::uint64_t number = superblocks_.number_of(address);
  const Use use = superblocks_.use(number);
  // While a mark works, what it holds counts as in use unless it was freed.
  if (is_held(use)) return mark_->is_kept(address);
  if (!is_small(use)) return use == Use::large && is_aligned(address);
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - superblocks_.address(number));
  const Bin bin = superblocks_.bin(number);
  if (bin == Bin::none) return false;  // its last block was freed a moment ago
  const std::size_t size_class = class_of(bin);
  const std::uint32_t block = block_at(size_class, offset);
  return block < blocks_in_superblock(size_class) && block * class_bytes[size_class] == offset &&
         small_blocks_.is_taken(bin, number, block);
}

void* Heap::allocate_log_segment() noexcept {
  if (mapping().read_only()) return nullptr;
  const auto number = find_room([&] { return superblocks_.take_log(); });
  return number ? superblocks_.address(*number) : nullptr;
}

void Heap::release_log_segment(void* segment) { superblocks_.release_log(superblocks_.number_of(segment)); }

ThreadCache& Heap::add_thread_cache() noexcept {
  static sched::ThreadEnd end([](void*) { give_back_caches_of_thread(); });
  detail::CacheReference& reference = own_reference(slot_);
  end.arm(&reference);
  auto* const cache = ThreadCache::make();
  if (cache == nullptr) stop_without_memory();
  const std::lock_guard lock(caches_mutex());
  cache->next = caches_;
  caches_ = cache;
  reference = {number_, cache};
  return *cache;
}

void Heap::remove_thread_cache(ThreadCache* cache) noexcept {
  empty(*cache);
  ThreadCache** link = &caches_;
  while (*link != cache) link = &(*link)->next;
  *link = cache->next;
  ThreadCache::destroy(cache);
}

void Heap::empty(ThreadCache& cache) noexcept {
  for (BlockStack* stack = cache.first_stack(); stack != nullptr; stack = stack->next()) {
    small_blocks_.give_back(stack->bin(), stack->claim());
    const std::uint32_t count = stack->count();
    small_blocks_.give_back(stack->bin(), stack->oldest(count));
    stack->drop_oldest(count);
  }
}

void Heap::empty_caches() noexcept {
  const std::lock_guard lock(caches_mutex());
  for (ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) empty(*cache);
}

void Heap::collect_caches() noexcept {
  const std::lock_guard lock(caches_mutex());
  while (ThreadCache* const cache = caches_) {
    empty(*cache);
    caches_ = cache->next;
    ThreadCache::destroy(cache);
  }
  // This thread's reference is known to be stale. Other threads find out by the heap's number, which is never reused.
  if ((*detail::caches_of_thread)[slot_].heap_number == number_) own_reference(slot_) = {};
}

void register_heap(Heap& heap) {
  const std::lock_guard lock(caches_mutex());
  auto& order = registration_order();
  std::size_t last = 0;
  while (order[last] != nullptr) ++last;  // at most one heap a slot: there is room
  if (!heap.mapping().read_only()) order[last] = &heap;
  // Release: whoever finds the heap finds it complete.
  detail::open_heaps[heap.mapping().slot()].store(&heap, std::memory_order_release);
  detail::first_heap.store(order[0], std::memory_order_release);
}

void unregister_heap(Heap& heap) {
  const std::lock_guard lock(caches_mutex());
  auto& order = registration_order();
  const auto end = std::remove(order.begin(), order.end(), &heap);
  std::fill(end, order.end(), nullptr);
  detail::open_heaps[heap.mapping().slot()].store(nullptr, std::memory_order_release);
  detail::first_heap.store(order[0], std::memory_order_release);
}

}  // namespace perdure::alloc
