#ifndef PERDURE_ALLOC_DESCRIPTOR_TABLE_H
#define PERDURE_ALLOC_DESCRIPTOR_TABLE_H

#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/bins.h"
#include "pool/mapping.h"

namespace perdure::alloc {

/// What is durable of a superblock: one word. Everything else is found again from these and the roots.
///
///   bits 0-7 kind, 8-15 size class, 16-37 superblocks in the extent, 38-47 layout of the blocks (0: unknown),
///   48-63 check (of the other bits and the number)
///
/// (In pools without pool::checked_free, a word of kind none is 0.)
struct Descriptor {
  enum class Kind : std::uint8_t {
    none = 0,     ///< never used, or the former first of an extent
    small = 1,    ///< blocks of one size class and one layout
    large = 2,    ///< first superblock of a block of `extent` superblocks; those that follow are described by this word
    log = 3,      ///< log segment, idle or not
    hole = 4,     ///< free, and its disk space was given back: to be reserved again before the superblock is used
    layouts = 5,  ///< a part of the table of layouts (alloc/layout_table.h); stays
    codes = 6,    ///< names of code addresses (alloc/code_names.h); stays
    replica = 7   ///< a copy of the superblock that `original_of` says; which one: `size_class` (log/replica_set.h)
  };
  Kind kind = Kind::none;
  std::uint8_t size_class = 0;
  std::uint32_t extent = 0;
  LayoutNumber layout = unknown_layout;

  bool operator==(const Descriptor&) const = default;
};

/// How many replicas a superblock may have: copies 1 to that.
inline constexpr std::uint32_t most_replicas_of_one = 31;

/// The descriptor of the replica of superblock `original` in a copy; and the other way round.
Descriptor describe_replica(std::uint64_t original, std::uint32_t copy) noexcept;
std::uint32_t copy_of(const Descriptor& descriptor) noexcept;
std::uint64_t original_of(const Descriptor& descriptor) noexcept;

std::uint64_t encode(std::uint64_t superblock, const Descriptor& descriptor) noexcept;
/// \returns nothing when the word is damaged.
std::optional<Descriptor> decode(std::uint64_t superblock, std::uint64_t word) noexcept;

/// The descriptors of a pool: superblocks of words, one a segment, found through the directory.
///
/// Invariant: the extents of large words are disjoint and hold no word of kind large, log, hole or layouts, at every
/// moment in the durable image. Such a word is therefore cleared before any superblock of its extent is used otherwise.
/// Words of kind small may be stale: such a superblock has no block that a root reaches, and recovery finds it free.
///
/// Not thread-safe, except that different superblocks may be read and set at once.
class DescriptorTable {
 public:
  /// \throws PoolError (Kind::damaged) when a directory entry does not hold.
  explicit DescriptorTable(pool::Mapping& mapping);

  /// Whether the superblock's word has a place yet.
  bool covers(std::uint64_t superblock) const noexcept {
    return holders_[superblock / pool::superblocks_per_segment] != 0;
  }
  /// The superblock that holds a segment's words; 0 when there is none.
  std::uint64_t holder(std::uint64_t segment) const noexcept { return holders_[segment]; }

  /// Gives a segment the superblock `holder` for its words. Durable when it returns.
  void add_segment(std::uint64_t segment, std::uint64_t holder) noexcept;

  /// \throws PoolError (Kind::damaged).
  Descriptor get(std::uint64_t superblock) const;
  /// Durable when it returns, and atomic: the word is the old one or the new one at every moment.
  void set(std::uint64_t superblock, const Descriptor& descriptor) noexcept;
  /// The same for several, of each by itself.
  void set_all(std::uint64_t first, std::uint64_t count, const Descriptor& descriptor) noexcept;
  /// Of superblocks that are free from `first` to the end of the last segment: none. Durable when it returns.
  void clear_from(std::uint64_t first) noexcept;
  /// Takes the superblock for its words from a segment that is wholly free. Durable when it returns.
  void remove_segment(std::uint64_t segment) noexcept;

  /// Makes durable what a process that was killed may have stored and not flushed. After that, a word that is seen is
  /// durable.
  void settle() const noexcept;

 private:
  std::uint64_t& word(std::uint64_t superblock) const noexcept;
  bool checks_free() const noexcept { return (mapping_.header().incompatible_features & pool::checked_free) != 0; }
  std::uint64_t word_for(std::uint64_t superblock, const Descriptor& descriptor) const noexcept;

  pool::Mapping& mapping_;
  std::vector<std::uint32_t> holders_;  // of each segment
};

}  // namespace perdure::alloc

#endif
