#include "compaction/compaction.h"

#include <algorithm>
#include <bitset>
#include <chrono>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "abi/entry_points.h"
#include "entry/allocation.h"
#include "log/replica_set.h"
#include "persist/durable.h"
#include "pool/refuse.h"
#include "recover/replay.h"
#include "relocate/pointer_words.h"

namespace perdure::compaction {
namespace {

using alloc::Bin;

/// A block: its superblock, and its number there. Of a large one, the superblock that it begins in or goes on in.
struct Place {
  std::uint64_t superblock;
  std::uint32_t block;
  bool is_small;
};

/// What pointers mean for the blocks of a superblock.
///
/// A pointer to the beginning of a block may as well be one to the end of the block before it, if that is in use: the
/// end of a vector whose elements fill the block. Which it is nothing tells. So both are moved together, side by side
/// as they are, and whichever was meant, the pointer is right; or, in two superblocks, neither is moved.
struct Ties {
  std::bitset<alloc::max_blocks> pinned;
  std::bitset<alloc::max_blocks> joined;  ///< to the block before
};

/// Blocks side by side.
struct Group {
  std::uint32_t first;
  std::uint32_t count;
};

/// The free blocks of the superblocks of one bin that stay.
class Room {
 public:
  struct Extent {
    std::uint32_t count;
    std::uint64_t superblock;
    std::uint32_t first;
    auto operator<=>(const Extent&) const = default;
  };

  void add(const Extent& extent) {
    if (extent.count != 0) extents_.insert(extent);
  }

  /// The tightest that holds a group.
  std::optional<Extent> take(std::uint32_t count) {
    const auto found = extents_.lower_bound({count, 0, 0});
    if (found == extents_.end()) return std::nullopt;
    const Extent extent = *found;
    extents_.erase(found);
    add({extent.count - count, extent.superblock, extent.first + count});
    return extent;
  }
  /// Undoes `take`, the last one first.
  void put_back(const Extent& extent, std::uint32_t count) {
    extents_.erase({extent.count - count, extent.superblock, extent.first + count});
    add(extent);
  }

 private:
  std::set<Extent> extents_;
};

/// One attempt: of all bins, or of one.
class Compaction {
 public:
  Compaction(opening::OpenPool& pool, std::optional<Bin> only)
      : only_(only),
        root_table_(pool.root_table()),
        heap_(pool.heap()),
        superblocks_(heap_.superblocks()),
        count_(superblocks_.count()),
        base_(reinterpret_cast<std::uintptr_t>(superblocks_.address(0))) {}

  /// \throws std::bad_alloc; nothing has changed then.
  void run(CompactionReport& report) {
    settle();
    find_ties();
    choose();
    report.blocks_pinned = pinned_;
    if (moves_.empty()) return;
    find_pointers();
    take_new_blocks();
    try {
      copy_blocks();
      perdure_run([](void* self) { static_cast<Compaction*>(self)->rewrite_and_free(); }, this);
    } catch (...) {
      give_back_new_blocks();
      throw;
    }
    settle();
    report.blocks_moved += moves_.size();
    report.pointers_rewritten += pointers_.size() + rewritten_in_copies_;
    report.superblocks_freed += emptied_;
  }

  /// Those of which blocks were to be moved.
  const std::set<Bin>& bins() const { return bins_; }

 private:
  struct Move {
    std::byte* from;
    std::byte* to;
    Bin bin;
  };
  struct Pointer {
    std::uint64_t* place;
    std::uint64_t value;
  };

  /// From here on blocks are in use or free: none is in a cache, or waits.
  void settle() {
    recover::free_what_waits(heap_);
    heap_.empty_caches();
    heap_.release_empty();
  }

  // -- what leads where -------------------------------------------------------------------------------------------

  template <class Function>
  void for_each_pointer_in_use(Function&& function) {
    for (std::uint64_t number = pool::first_superblock; number < count_; ++number) {
      const alloc::BlockLayout* const layout = layout_of(number);
      relocate::for_each_block_in_use(
          heap_, number, [&](std::span<std::byte> block) { relocate::for_each_pointer_word(block, layout, function); });
    }
    for (roots::Root& root : root_table_.roots)
      if (root.object != nullptr) function(reinterpret_cast<std::uint64_t&>(root.object), true);
  }

  void find_ties() {
    ties_.resize(count_);
    for_each_pointer_in_use([this](const std::uint64_t& word, bool is_pointer) { note(word, is_pointer); });
    for (const Ties& ties : ties_) pinned_ += ties.pinned.count();
  }

  void note(std::uint64_t address, bool is_pointer) {
    if (address - base_ > count_ * pool::superblock_bytes) return;
    const auto inside = block_around(address - base_);
    const auto before = block_ending_at(address - base_);
    if (is_pointer && !(inside && before)) return;
    if (is_pointer && inside->superblock == before->superblock) {
      ties_[inside->superblock].joined.set(inside->block);
      return;
    }
    for (const auto& place : {inside, before})
      if (place && place->is_small) ties_[place->superblock].pinned.set(place->block);
  }

  /// The block in use that the byte at an offset in the pool lies in.
  std::optional<Place> block_around(std::uint64_t offset) const {
    if (!relocate::is_in_block_in_use(heap_, offset)) return std::nullopt;
    const std::uint64_t superblock = offset / pool::superblock_bytes;
    const alloc::Use use = superblocks_.use(superblock);
    if (!alloc::is_small(use)) return Place{superblock, 0, false};
    return Place{superblock, alloc::block_at(alloc::class_of(use), offset % pool::superblock_bytes), true};
  }

  std::optional<Place> block_ending_at(std::uint64_t offset) const {
    if (offset == 0) return std::nullopt;
    const std::uint64_t superblock = offset / pool::superblock_bytes;
    const bool goes_on = superblock < count_ && superblocks_.use(superblock) == alloc::Use::large_rest;
    const auto place = block_around(offset - 1);
    if (!place || goes_on) return std::nullopt;
    const std::uint64_t end =
        place->is_small ? place->superblock * pool::superblock_bytes + (place->block + 1) * bytes_in(place->superblock)
                        : (place->superblock + 1) * pool::superblock_bytes;
    return end == offset ? place : std::nullopt;
  }

  // -- what is moved ------------------------------------------------------------------------------------------------

  void choose() {
    to_.resize(count_);
    std::map<Bin, std::vector<std::uint64_t>> bins;
    for (std::uint64_t number = pool::first_superblock; number < count_; ++number)
      if (const Bin bin = superblocks_.bin(number); bin != Bin::none && (!only_ || bin == *only_))
        bins[bin].push_back(number);
    for (auto& [bin, numbers] : bins) choose(bin, numbers);
  }

  /// The fullest superblocks stay, and those that cannot be emptied; of the others those that fit into these are
  /// emptied. Of those that are about as full the last, so that the file can be cut.
  void choose(Bin bin, std::vector<std::uint64_t>& numbers) {
    const std::uint64_t capacity = alloc::blocks_in_superblock(alloc::class_of(bin));
    std::ranges::sort(numbers, {}, [&](std::uint64_t number) {
      return std::tuple(ties_[number].pinned.none(), 8 * free_in(number) / capacity, number);
    });
    std::uint64_t used = 0;
    std::uint64_t stay = 0;
    for (const std::uint64_t number : numbers) {
      used += capacity - free_in(number);
      if (ties_[number].pinned.any()) ++stay;
    }
    stay = std::max(stay, (used + capacity - 1) / capacity);
    if (stay >= numbers.size()) return;
    Room room;
    for (std::uint64_t i = 0; i < stay; ++i)
      for (const Group& extent : extents_in(numbers[i], true)) room.add({extent.count, numbers[i], extent.first});
    for (std::uint64_t i = numbers.size(); i-- > stay;)
      if (empty(bin, numbers[i], room)) bins_.insert(bin);
  }

  /// Finds new places for all blocks of a superblock, or for none.
  bool empty(Bin bin, std::uint64_t superblock, Room& room) {
    std::vector<Group> groups = extents_in(superblock, false);
    std::ranges::sort(groups, std::greater(), [](const Group& group) { return std::pair(group.count, group.first); });
    std::vector<Room::Extent> extents;
    for (const Group& group : groups) {
      if (const auto extent = room.take(group.count)) {
        extents.push_back(*extent);
        continue;
      }
      while (!extents.empty()) {
        room.put_back(extents.back(), groups[extents.size() - 1].count);
        extents.pop_back();
      }
      return false;
    }
    to_[superblock].resize(alloc::blocks_in_superblock(alloc::class_of(bin)));
    for (std::size_t i = 0; i < groups.size(); ++i)
      for (std::uint32_t block = 0; block < groups[i].count; ++block) {
        std::byte* const to = address_of(extents[i].superblock, extents[i].first + block);
        to_[superblock][groups[i].first + block] = to;
        moves_.push_back({address_of(superblock, groups[i].first + block), to, bin});
      }
    ++emptied_;
    return true;
  }

  /// The free blocks of a superblock in extents as long as can be; or those in use, that are joined.
  std::vector<Group> extents_in(std::uint64_t superblock, bool free) const {
    const alloc::BlockBitmap& bitmap = heap_.small_blocks().bitmap(superblock);
    const std::uint32_t end = alloc::blocks_in_superblock(alloc::class_of(superblocks_.use(superblock)));
    std::vector<Group> extents;
    for (std::uint32_t block = 0; block < end; ++block) {
      if (((bitmap.words[block / 64] >> (block % 64) & 1) != 0) != free) continue;
      const bool goes_on = !extents.empty() && extents.back().first + extents.back().count == block &&
                           (free || ties_[superblock].joined[block]);
      if (goes_on)
        ++extents.back().count;
      else
        extents.push_back({block, 1});
    }
    return extents;
  }

  // -- moving it ----------------------------------------------------------------------------------------------------

  /// In blocks that stay.
  void find_pointers() {
    for_each_pointer_in_use([this](std::uint64_t& word, bool is_pointer) {
      const bool is_moved = is_moving((reinterpret_cast<std::uintptr_t>(&word) - base_) / pool::superblock_bytes);
      if (!is_pointer || is_moved) return;
      if (const std::uint64_t value = moved(word); value != word) pointers_.push_back({&word, value});
    });
  }

  /// What an address becomes.
  std::uint64_t moved(std::uint64_t address) const {
    const std::uint64_t offset = address - base_;
    if (offset > count_ * pool::superblock_bytes || offset == 0) return address;
    if (const auto to = moved_byte(offset)) return *to;
    const auto last = moved_byte(offset - 1);  // then the address is the end of that block
    return last ? *last + 1 : address;
  }
  std::optional<std::uint64_t> moved_byte(std::uint64_t offset) const {
    const std::uint64_t superblock = offset / pool::superblock_bytes;
    if (!is_moving(superblock)) return std::nullopt;
    const std::uint64_t bytes = bytes_in(superblock);
    const std::uint64_t block = offset % pool::superblock_bytes / bytes;
    if (block >= to_[superblock].size() || to_[superblock][block] == nullptr) return std::nullopt;
    return reinterpret_cast<std::uintptr_t>(to_[superblock][block]) + offset % pool::superblock_bytes - block * bytes;
  }
  bool is_moving(std::uint64_t superblock) const { return superblock < count_ && !to_[superblock].empty(); }

  void take_new_blocks() {
    for (const Move& move : moves_) {
      const std::uint64_t superblock = superblocks_.number_of(move.to);
      const auto offset = static_cast<std::size_t>(move.to - superblocks_.address(superblock));
      heap_.small_blocks().take_this(superblock, alloc::block_at(alloc::class_of(move.bin), offset));
    }
  }
  void give_back_new_blocks() {
    for (const Move& move : moves_) {
      void* const block = move.to;
      heap_.small_blocks().give_back(move.bin, {&block, 1});
    }
  }

  /// Into blocks that nothing leads to before the transaction has committed: they are written directly, and durable
  /// before it begins.
  void copy_blocks() {
    for (const Move& move : moves_) {
      const std::size_t bytes = alloc::class_bytes[alloc::class_of(move.bin)];
      std::memcpy(move.to, move.from, bytes);
      const alloc::BlockLayout* const layout = layout_of(superblocks_.number_of(move.from));
      relocate::for_each_pointer_word(std::span(move.to, bytes), layout, [this](std::uint64_t& word, bool is_pointer) {
        const std::uint64_t value = is_pointer ? moved(word) : word;
        if (value == word) return;
        word = value;
        ++rewritten_in_copies_;
      });
      persistence::note_change(move.to, bytes);
    }
    persistence::complete_changes();
  }

  /// The transaction. May be left anywhere, and run again.
  void rewrite_and_free() const {
    for (const Pointer& pointer : pointers_) perdure_write_u64(pointer.place, pointer.value);
    for (const Move& move : moves_) entry::transactional_free(move.from);
  }

  // ---------------------------------------------------------------------------------------------------------------------

  const alloc::BlockLayout* layout_of(std::uint64_t superblock) const {
    return heap_.layouts().get(superblocks_.layout(superblock));
  }
  std::uint64_t free_in(std::uint64_t superblock) const { return heap_.small_blocks().bitmap(superblock).free; }
  std::uint64_t bytes_in(std::uint64_t superblock) const {
    return alloc::class_bytes[alloc::class_of(superblocks_.use(superblock))];
  }
  std::byte* address_of(std::uint64_t superblock, std::uint32_t block) const {
    return superblocks_.address(superblock) + block * bytes_in(superblock);
  }

  const std::optional<Bin> only_;
  roots::RootTable& root_table_;
  alloc::Heap& heap_;
  alloc::Superblocks& superblocks_;
  const std::uint64_t count_;
  const std::uintptr_t base_;
  std::vector<Ties> ties_;                   // by superblock
  std::vector<std::vector<std::byte*>> to_;  // by superblock and block; empty where nothing is moved
  std::vector<Move> moves_;
  std::vector<Pointer> pointers_;
  std::set<Bin> bins_;
  std::uint64_t pinned_ = 0;
  std::uint64_t emptied_ = 0;
  std::uint64_t rewritten_in_copies_ = 0;
};

void compact_each(opening::OpenPool& pool, const std::set<Bin>& bins, CompactionReport& report) {
  try {
    for (const Bin bin : bins) Compaction(pool, bin).run(report);
  } catch (const std::bad_alloc&) {
    pool::refuse(PoolError::Kind::no_space, pool.path(),
                 "cannot be compacted: there is no room for the log of the pointers that would be rewritten (or no "
                 "memory). Nothing is lost. Raise the limit of its size, or make room on the disk.");
  }
}

}  // namespace

CompactionReport compact(opening::OpenPool& pool) {
  const auto start = std::chrono::steady_clock::now();
  if (pool.mapping().read_only())
    pool::refuse(PoolError::Kind::usage, pool.path(), "is open for reading. Open it for writing to compact it.");
  pool.wait_for_mark();
  // It copies blocks without telling any transaction of it: there is one copy of them, until it writes the pointers.
  log::replica_sets[pool.mapping().slot()].close();
  CompactionReport report;
  std::set<Bin> left;
  {
    Compaction all(pool, std::nullopt);
    try {
      all.run(report);
    } catch (const std::bad_alloc&) {
      left = all.bins();
      if (left.empty()) throw;
    }
  }
  compact_each(pool, left, report);
  report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace perdure::compaction
