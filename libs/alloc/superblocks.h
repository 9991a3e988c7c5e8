#ifndef PERDURE_ALLOC_SUPERBLOCKS_H
#define PERDURE_ALLOC_SUPERBLOCKS_H

#include <atomic>
#include <bitset>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "alloc/bins.h"
#include "alloc/descriptor_table.h"
#include "alloc/reserved_array.h"
#include "alloc/size_classes.h"
#include "alloc/superblock_map.h"
#include "pool/mapping.h"

namespace perdure::alloc {

/// What a superblock is used for now. The values from `first_held` and from `first_small` on are these plus the size
/// class: one comparison tells that blocks may be handed out and taken back.
enum class Use : std::uint8_t {
  none,        ///< free
  metadata,    ///< header, roots, descriptors, layouts
  log,         ///< log segment, idle or not
  large,       ///< first of a large block
  large_rest,  ///< inside a large block
  first_held,  ///< the same for small blocks of which none is handed out or taken back: a mark has yet to find them
  first_small = first_held + class_count
};

constexpr Use small_use(std::size_t size_class) noexcept {
  return static_cast<Use>(static_cast<std::size_t>(Use::first_small) + size_class);
}
constexpr bool is_small(Use use) noexcept { return use >= Use::first_small; }
constexpr bool is_held(Use use) noexcept { return use >= Use::first_held && use < Use::first_small; }
/// Of a superblock that is small or held.
constexpr std::size_t class_of(Use use) noexcept {
  return static_cast<std::size_t>(use) - static_cast<std::size_t>(is_small(use) ? Use::first_small : Use::first_held);
}

/// How much disk space is given back.
enum class GiveBack : std::uint8_t {
  some,       ///< of the surplus, what takes a few milliseconds
  surplus,    ///< what is not likely to be needed soon
  everything  ///< all that is free
};

/// A superblock, and the one that it is another copy of (log/replica_set.h).
struct Replica {
  std::uint64_t number;
  std::uint64_t original;
  std::uint32_t copy;  ///< which one: 1 or more
};

/// All superblocks of a pool: which are free, what the others are used for. Thread-safe.
///
/// Disk space. A superblock that is in use has all of its disk space, so that no store to it can fail. One that is free
/// may have none (a hole of the file); it gets its space when it is taken.
class Superblocks {
 public:
  /// Reserves what disk space is missing (a sparse copy), and reads the descriptors. All superblocks of kind small are
  /// taken to be in use until told otherwise.
  /// \throws PoolError (Kind::damaged, Kind::no_space).
  explicit Superblocks(pool::Mapping& mapping);

  /// To be called once the rebuilding is over, before anything is taken.
  void finish_rebuild();

  /// Makes durable what the descriptors say; see DescriptorTable::settle.
  void settle() const noexcept { descriptors_.settle(); }

  // Each takes superblocks, growing the pool if need be, or returns nothing when it is full. The use is durable when
  // they return.
  std::optional<std::uint64_t> take_small(Bin bin) noexcept;
  std::optional<std::uint64_t> take_large(std::uint64_t extent, LayoutNumber layout) noexcept;
  std::optional<std::uint64_t> take_log() noexcept;
  /// For good. Zero, durably before it is found to hold layouts.
  std::optional<std::uint64_t> take_layouts() noexcept { return take_for_good(Descriptor::Kind::layouts); }
  /// The same for names of code addresses.
  std::optional<std::uint64_t> take_codes() noexcept { return take_for_good(Descriptor::Kind::codes); }
  /// Further copies of `original`, from copy 1 on: they hold the same, durably, before recovery can find them.
  /// \param numbers  where to put which ones they are. \returns false, and takes none, when the pool is full.
  bool take_replicas(std::uint64_t original, std::span<std::uint64_t> numbers) noexcept;
  /// For contents that only a clean header refers to: these stay free as far as the durable image is concerned.
  std::optional<std::uint64_t> take_for_snapshot(std::uint64_t extent) noexcept;

  /// Of superblocks of kind small: from now on none of their blocks is handed out or taken back; and again as before.
  void hold(std::uint64_t number) noexcept;
  void end_hold(std::uint64_t number) noexcept;

  void release_small(std::uint64_t number) noexcept;
  void release_large(std::uint64_t first) noexcept;
  void release_log(std::uint64_t number);
  /// All of them. None counts any more, durably.
  void release_replicas() noexcept;

  /// Whether so much is free that giving some of it back is worth while.
  bool has_surplus() const noexcept { return has_surplus_.load(std::memory_order_relaxed); }
  /// Gives disk space of free superblocks back to the file system, the highest first, while others use the pool. Does
  /// nothing while another thread is at it, or where the file system makes no holes. \returns the bytes.
  std::uint64_t give_back(GiveBack how_much) noexcept;
  /// Free superblocks that have no disk space.
  std::uint64_t holes() const noexcept;

  /// Makes idle log segments free superblocks: all, or if there are more than are likely to be needed.
  void give_up_idle_logs(GiveBack how_much) noexcept;

  /// Makes the pool at least `superblocks` long, and reserves the disk space of all that is below.
  /// \returns 0 or an errno.
  int reserve_to(std::uint64_t superblocks) noexcept;

  /// Where the pool may end: what lies behind is free, and no descriptor says anything of it, durably. Nobody uses the
  /// pool any more.
  /// \param how_much  unless everything, only what has no disk space lies behind.
  /// \param least     not before this: the end of a snapshot.
  std::uint64_t clear_tail(GiveBack how_much, std::uint64_t least) noexcept;

  // Relaxed: whoever asks about a block got its address from the thread that allocated it, after these were set.
  /// Acquire pairs with the release in `set_use`: who sees that blocks may be handed out again comes after all that the
  /// mark has read in them.
  Use use(std::uint64_t number) const noexcept { return uses_[number].load(std::memory_order_acquire); }
  /// The bin whose blocks may be handed out and taken back there, if that is so: what `use` and `layout` say, at once.
  Bin bin(std::uint64_t number) const noexcept { return bins_[number].load(std::memory_order_acquire); }
  /// What the blocks in a superblock hold, or the large block that begins there.
  LayoutNumber layout(std::uint64_t number) const noexcept { return layouts_[number].load(std::memory_order_relaxed); }
  /// Of the first superblock of a large block: how many there are. Of another one: the number of the first.
  std::uint32_t extent(std::uint64_t number) const noexcept { return extents_[number].load(std::memory_order_relaxed); }

  std::uint64_t count() const noexcept { return mapping_.superblocks(); }
  std::byte* address(std::uint64_t number) const noexcept { return pool::superblock_address(mapping_.base(), number); }
  std::uint64_t number_of(const void* address) const noexcept {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - mapping_.base()) /
           pool::superblock_bytes;
  }
  pool::Mapping& mapping() const noexcept { return mapping_; }

  /// Those that were found in the file, and those taken since. Not while one is taken or all are released.
  const std::vector<Replica>& replicas() const noexcept { return replicas_; }

  /// What was found in the file.
  const std::vector<std::uint64_t>& code_superblocks() const noexcept { return code_superblocks_; }
  // The same, for the table of layouts.
  const std::vector<std::uint64_t>& layout_superblocks() const noexcept { return layout_superblocks_; }
  /// Whether a descriptor names the layout.
  bool is_named(LayoutNumber layout) const noexcept { return named_layouts_[layout]; }

  std::uint64_t free() const noexcept;

  /// See pool::Mapping::use_features.
  void use_features(std::uint64_t features) noexcept;

 private:
  static pool::Mapping& reserve_metadata(pool::Mapping& mapping);
  void reserve_what_is_used();
  void scan();
  void require_nothing_beyond_end();
  void scan_replica(std::uint64_t number, const Descriptor& descriptor);
  void scan_run(std::uint64_t first, const Descriptor& descriptor);
  void mark_metadata();
  void add_missing_segments() noexcept;
  std::optional<std::uint64_t> take(std::uint64_t extent, std::unique_lock<std::mutex>& lock) noexcept;
  std::optional<std::uint64_t> take_for_good(Descriptor::Kind kind) noexcept;
  std::optional<std::uint64_t> take_free(std::uint64_t extent) noexcept;
  void describe_as_replica(std::uint64_t number, std::uint64_t original, std::uint32_t copy) noexcept;
  bool free_idle_logs() noexcept;
  bool grow(std::uint64_t wanted) noexcept;
  void note_free(std::uint64_t first, std::uint64_t count) noexcept;
  // Disk space: give_back.cc
  bool fill_holes(std::uint64_t first, std::uint64_t extent) noexcept;
  bool fill(std::uint64_t first, std::uint64_t count) noexcept;
  Extent next_to_give_back(GiveBack how_much) noexcept;
  bool make_hole(const Extent& extent) noexcept;
  std::uint64_t with_space() const noexcept { return map_.free() - map_.holes(); }
  std::uint64_t spare() const noexcept;
  void expect_surplus() noexcept;
  std::uint64_t end_of_use(GiveBack how_much, std::uint64_t least, std::uint64_t end) const noexcept;
  bool remove_last_segment(GiveBack how_much, std::uint64_t least, std::uint64_t end) noexcept;
  bool may_be_cut(GiveBack how_much, std::uint64_t number) const noexcept;
  void set_use(std::uint64_t number, Use use) noexcept { uses_[number].store(use, std::memory_order_release); }
  void set_small(std::uint64_t number, Bin bin) noexcept;
  void note_extent(std::uint64_t first, std::uint32_t length, LayoutNumber layout) noexcept;
  void forget_run(std::uint64_t first) noexcept;

  pool::Mapping& mapping_;
  DescriptorTable descriptors_;
  ReservedArray<std::atomic<Use>> uses_{mapping_.max_superblocks()};
  ReservedArray<std::atomic<Bin>> bins_{mapping_.max_superblocks()};
  ReservedArray<std::atomic<LayoutNumber>> layouts_{mapping_.max_superblocks()};
  ReservedArray<std::atomic<std::uint32_t>> extents_{mapping_.max_superblocks()};
  std::vector<std::uint64_t> layout_superblocks_;
  std::vector<std::uint64_t> code_superblocks_;
  std::vector<Replica> replicas_;
  std::bitset<layout_count> named_layouts_;

  std::mutex giving_back_;    // held by who gives space back; taken before the next one, never while holding that
  mutable std::mutex mutex_;  // guards what follows, the descriptors, and changes of the arrays above
  SuperblockMap map_{mapping_.max_superblocks()};
  std::vector<std::uint64_t> idle_logs_;
  std::uint64_t being_given_back_ = 0;  // neither free nor in use; their descriptors belong to who gives them back
  std::uint64_t surplus_from_ = 0;      // free superblocks with disk space
  std::atomic<bool> has_surplus_{false};
};

}  // namespace perdure::alloc

#endif
