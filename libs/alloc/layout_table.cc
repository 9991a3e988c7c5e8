#include "alloc/layout_table.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "persist/durable.h"
#include "persist/step.h"
#include "pool/checksum.h"
#include "pool/refuse.h"

namespace perdure::alloc {

struct LayoutTable::Entry {
  std::uint64_t check;
  BlockLayout layout;
};

namespace {

constexpr std::size_t bytes_of(const BlockLayout& layout) {
  return sizeof(BlockLayout) + layout.word_count * sizeof(LayoutWords);
}

}  // namespace

LayoutTable::LayoutTable(Superblocks& superblocks) : superblocks_(superblocks) {
  layouts_[without_pointers] = &no_pointers;
  try {
    for (const std::uint64_t number : superblocks.layout_superblocks()) read(superblocks.address(number));
    require_all_named();
  } catch (...) {
    free_copies();
    throw;
  }
}

LayoutTable::~LayoutTable() { free_copies(); }

void LayoutTable::free_copies() noexcept {
  for (std::size_t number = first_in_table; number < layout_count; ++number) std::free(layouts_[number]);
}

void LayoutTable::read(std::byte* begin) {
  std::byte* place = begin;
  std::byte* const end = begin + pool::superblock_bytes;
  while (const Entry* const entry = entry_at(place, end)) {
    const auto number = static_cast<LayoutNumber>(entry->layout.cache);
    if (!note(entry->layout, number, slot_for(entry->layout))) throw std::bad_alloc();
    next_ = std::max<LayoutNumber>(next_, number + 1);
    place += sizeof(std::uint64_t) + bytes_of(entry->layout);
  }
  // New ones go where there is the most room.
  if (end - place <= end_ - place_) return;
  place_ = place;
  end_ = end;
}

/// \returns null when none is there.
const LayoutTable::Entry* LayoutTable::entry_at(const std::byte* place, const std::byte* end) const noexcept {
  const auto room = static_cast<std::size_t>(end - place);
  if (room < sizeof(Entry)) return nullptr;
  const Entry& entry = *reinterpret_cast<const Entry*>(place);
  const BlockLayout& layout = entry.layout;
  if (layout.word_count == 0 || layout.word_count > BlockLayout::max_words) return nullptr;
  if (bytes_of(layout) > room - sizeof(std::uint64_t) || entry.check != check_of(entry)) return nullptr;
  const bool is_new =
      layout.cache >= first_in_table && layout.cache < layout_count && layouts_[layout.cache] == nullptr;
  return is_new && is_sound(layout) ? &entry : nullptr;
}

/// Of this place in the pool, so that nothing counts that lies inside another entry, or was elsewhere.
std::uint64_t LayoutTable::check_of(const Entry& entry) const noexcept {
  const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&entry) - superblocks_.address(0));
  return pool::checksum(&entry.layout, bytes_of(entry.layout), pool::mix(offset, 0));
}

void LayoutTable::require_all_named() {
  for (LayoutNumber number = first_in_table; number < layout_count; ++number)
    if (superblocks_.is_named(number) && get(number) == nullptr)
      pool::refuse(PoolError::Kind::damaged, superblocks_.mapping().path(),
                   "layout " + std::to_string(number) +
                       ", which tells where blocks have pointers, is damaged. Restore the file from a backup.");
}

LayoutNumber LayoutTable::number_of(const BlockLayout& layout) noexcept {
  if (!superblocks_.mapping().durable()) return unknown_layout;
  const std::lock_guard lock(mutex_);
  superblocks_.use_features(pool::layouts);
  if (layout.word_count == 0) return without_pointers;
  if (!is_sound(layout)) return unknown_layout;
  const std::size_t slot = slot_for(layout);
  const LayoutNumber known = by_contents_[slot];
  return known != unknown_layout ? known : append(layout, slot);
}

/// Where the layout is, or is to be.
std::size_t LayoutTable::slot_for(const BlockLayout& layout) const noexcept {
  std::size_t slot = hash_of(layout) % by_contents_.size();
  while (by_contents_[slot] != unknown_layout && !(*get(by_contents_[slot]) == layout))
    slot = (slot + 1) % by_contents_.size();
  return slot;
}

LayoutNumber LayoutTable::append(const BlockLayout& layout, std::size_t slot) noexcept {
  const std::size_t bytes = sizeof(std::uint64_t) + bytes_of(layout);
  if (next_ == layout_count || !make_room(bytes) || !note(layout, next_, slot)) return unknown_layout;
  const LayoutNumber number = next_++;
  auto& entry = *reinterpret_cast<Entry*>(place_);
  std::memcpy(static_cast<void*>(&entry.layout), &layout, bytes_of(layout));
  entry.layout.cache = number;
  entry.check = check_of(entry);
  persistence::perform<persistence::Step::layout_durable>([&] { persistence::make_durable(place_, bytes); });
  place_ += bytes;
  return number;
}

bool LayoutTable::make_room(std::size_t bytes) noexcept {
  if (static_cast<std::size_t>(end_ - place_) < bytes) {
    const auto number = superblocks_.take_layouts();
    if (!number) return false;
    place_ = superblocks_.address(*number);
    end_ = place_ + pool::superblock_bytes;
    is_rest_zero_ = true;
  }
  // Behind an entry that was cut short, or is damaged, there may be others. None of them has a user; but their numbers
  // are given to new ones now.
  if (!is_rest_zero_ && std::any_of(place_, end_, [](std::byte byte) { return byte != std::byte{0}; })) {
    std::memset(place_, 0, static_cast<std::size_t>(end_ - place_));
    persistence::make_durable(place_, static_cast<std::size_t>(end_ - place_));
  }
  is_rest_zero_ = true;
  return true;
}

/// \returns false when there is no memory for it.
bool LayoutTable::note(const BlockLayout& layout, LayoutNumber number, std::size_t slot) noexcept {
  auto* const copy = static_cast<BlockLayout*>(std::malloc(bytes_of(layout)));
  if (copy == nullptr) return false;
  std::memcpy(static_cast<void*>(copy), &layout, bytes_of(layout));
  copy->cache = 0;
  layouts_[number].store(copy, std::memory_order_release);
  if (by_contents_[slot] == unknown_layout) by_contents_[slot] = number;
  return true;
}

void LayoutTable::settle_layouts() const noexcept {
  if (superblocks_.layout_superblocks().empty()) return;
  for (const std::uint64_t number : superblocks_.layout_superblocks())
    persistence::settle(superblocks_.address(number), pool::superblock_bytes);
  persistence::complete_changes();
}

}  // namespace perdure::alloc
