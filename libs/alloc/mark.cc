#include "alloc/mark.h"

#include <algorithm>

#include "alloc/shading.h"
#include "persist/step.h"

namespace perdure::alloc {
namespace {

/// So much of a large block is visited at once: the rest can be shared, and the worklist stays short.
constexpr std::size_t most_at_once = 4096;

/// A marker with more ranges than this gives half of them to others that wait.
constexpr std::size_t most_kept = 16;

std::uintptr_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

Mark::Mark(Superblocks& superblocks, SmallBlocks& small_blocks, Range roots, const LayoutTable* layouts)
    : superblocks_(superblocks), small_blocks_(small_blocks), layouts_(layouts), map_(superblocks) {
  for (std::uint64_t number = pool::first_superblock; number < map_.count(); ++number)
    if (is_small(map_.use(number))) superblocks_.hold(number);
  Marker marker(*this);
  marker.visit_words(roots);
  work_.add(marker.worklist_);
  work_.leave();
  detail::running_marks.fetch_add(1, std::memory_order_relaxed);
}

Mark::~Mark() {
  if (!is_over()) detail::running_marks.fetch_sub(1, std::memory_order_relaxed);
}

Range Mark::range_of(BlockNumber block) const noexcept {
  const std::byte* const start = superblocks_.address(block.superblock);
  const Use use = map_.use(block.superblock);
  if (use == Use::large) return {start, superblocks_.extent(block.superblock) * pool::superblock_bytes};
  const std::size_t bytes = class_bytes[class_of(use)];
  return {start + block.block * bytes, bytes};
}

const BlockLayout* Mark::layout_of(BlockNumber block) const noexcept {
  return layouts_ == nullptr ? nullptr : layouts_->get(superblocks_.layout(block.superblock));
}

void Mark::shade(std::uintptr_t old_value) {
  const auto block = map_.find(old_value);
  if (!block || map_.is_reached(*block)) return;
  persistence::perform<persistence::Step::shade>([&] {
    work_.add_if([&](Range& range) {
      if (!map_.reach(*block)) return false;
      range = range_of(*block);
      return true;
    });
  });
}

bool Mark::free(const void* block) {
  const auto number = map_.find(number_of(block));
  if (!number) return false;
  const std::lock_guard lock(sweep_mutex_);
  if (number->superblock < swept_) return false;
  if (range_of(*number).data() != block) stop_at_bad_free(block);
  if (!map_.free(*number)) stop_at_double_free(block);
  return true;
}

bool Mark::is_kept(const void* block) const noexcept {
  const auto number = map_.find(number_of(block));
  return number && range_of(*number).data() == block && !map_.is_freed(*number);
}

void Mark::sweep() {
  for (std::uint64_t number = pool::first_superblock; number < map_.count(); ++number) {
    // For each anew: who frees a block waits for one superblock, not for all.
    const std::lock_guard lock(sweep_mutex_);
    sweep_superblock(number);
    swept_ = number + 1;
  }
  report_.bytes_visited = bytes_visited_.load(std::memory_order_relaxed);
  report_.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started_).count();
  map_.discard();
  if (superblocks_.has_surplus()) superblocks_.give_back(GiveBack::surplus);
  detail::running_marks.fetch_sub(1, std::memory_order_relaxed);
  is_over_.store(true, std::memory_order_release);
  is_over_.notify_all();
}

void Mark::sweep_superblock(std::uint64_t number) {
  const Use use = map_.use(number);
  if (is_small(use))
    report_.blocks_reclaimed += small_blocks_.end_hold(number, [&](std::size_t i) {
      return persistence::value<persistence::Step::small_blocks_unreached>(map_.free_word(number, i));
    });
  else if (use == Use::large)
    report_.blocks_reclaimed += sweep_run(number);
}

std::uint64_t Mark::sweep_run(std::uint64_t first) {
  if (persistence::value<persistence::Step::large_block_reached>((map_.free_word(first, 0) & 1) == 0)) return 0;
  superblocks_.release_large(first);
  return 1;
}

bool Marker::step() {
  if (ahead_.is_empty() && worklist_.empty()) has_work_ = has_work_ && mark_.work_.take(worklist_);
  if (!has_work_) return false;
  look_ahead();
  visit_words(ahead_.pop());
  if (worklist_.size() > most_kept && mark_.work_.is_wanted()) [[unlikely]]
    share();
  return true;
}

void Marker::look_ahead() {
  while (!ahead_.is_full() && !worklist_.empty()) {
    const Range range = worklist_.back();
    worklist_.pop_back();
    if (range.size() > most_at_once) worklist_.push_back(range.subspan(most_at_once));
    ahead_.push(range.first(std::min(range.size(), most_at_once)));
  }
}

void Marker::visit_words(Range range) {
  bytes_visited_ += range.size();
  if (const auto block = mark_.map_.find(number_of(range.data())))  // otherwise they are the roots
    if (const BlockLayout* const layout = mark_.layout_of(*block))
      return visit_words_of(*layout, mark_.range_of(*block), range);
  visit_all_words(range);
}

void Marker::visit_all_words(Range range) {
  for (std::size_t offset = 0; offset + sizeof(std::uintptr_t) <= range.size(); offset += sizeof(std::uintptr_t))
    visit_word(range.data() + offset);
}

/// Also what is a pointer only sometimes: what it is now, a transaction may be changing.
void Marker::visit_words_of(const BlockLayout& layout, Range block, Range range) {
  if (layout.word_count == 0) return;
  const auto begin = static_cast<std::size_t>(range.data() - block.data());
  const std::size_t end = begin + range.size();
  const std::size_t elements_before =
      begin <= layout.first_element ? 0 : (begin - layout.first_element) / layout.element_bytes;
  for (std::size_t element = layout.first_element + elements_before * layout.element_bytes;
       element < end && element + layout.element_bytes <= block.size(); element += layout.element_bytes)
    for (const LayoutWords& words : layout.words())
      for (std::size_t i = 0; i < words.count; ++i) {
        const std::size_t offset = element + words.offset + i * sizeof(std::uintptr_t);
        if (offset >= begin && offset < end) visit_word(block.data() + offset);
      }
}

void Marker::visit_word(const std::byte* word) {
  auto& value = *reinterpret_cast<std::uintptr_t*>(const_cast<std::byte*>(word));
  // Acquire: who sees what a transaction has written sees that it has shaded what was there.
  visit(std::atomic_ref(value).load(std::memory_order_acquire));
}

void Marker::visit(std::uintptr_t word) {
  const auto block = mark_.map_.find(word);
  if (!block || !mark_.map_.reach(*block)) return;
  const Range range = mark_.range_of(*block);
  worklist_.push_back(range);
}

/// The older ones: in a tree, they lead to more.
void Marker::share() {
  const auto half = worklist_.begin() + static_cast<std::ptrdiff_t>(worklist_.size() / 2);
  mark_.work_.add({worklist_.begin(), half});
  worklist_.erase(worklist_.begin(), half);
}

}  // namespace perdure::alloc
