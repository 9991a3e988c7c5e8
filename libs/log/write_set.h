#ifndef PERDURE_LOG_WRITE_SET_H
#define PERDURE_LOG_WRITE_SET_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "log/growing_array.h"
#include "log/record.h"

namespace perdure::log {

/// What a transaction with deferred updates has written: entries in the format of the log, in the order of first
/// write, and, once one is looked for among many, an index from a chunk's address to its entry. Lives in ordinary
/// memory; a persistent mode copies the entries to the pool's log at commit.
template <class EntryType>
class WriteSet {
 public:
  using Entry = EntryType;
  static constexpr std::size_t chunk_bytes = Entry::chunk_bytes;

  constexpr WriteSet() = default;

  static std::uintptr_t chunk_of(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) & ~(chunk_bytes - 1);
  }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry* begin() const { return entries_.begin(); }
  const Entry* end() const { return entries_.end(); }
  const GrowingArray<Entry>& entries() const { return entries_; }

  /// Whether `find` could find it: no for most chunks that are not in the set, and for all when the set is empty.
  bool may_contain(std::uintptr_t chunk) const { return filter_.may_contain(hash(chunk)); }

  /// The entry for the chunk at `chunk` (an aligned address), or null.
  Entry* find(std::uintptr_t chunk) {
    if (!may_contain(chunk)) [[likely]]
      return nullptr;
    if (entries_.size() <= most_scanned) {
      for (Entry& entry : entries_)
        if (entry.address == chunk) return &entry;
      return nullptr;
    }
    if (indexed_ != entries_.size()) index_new();
    for (std::size_t i = index_of(hash(chunk));; i = (i + 1) & index_mask_) {
      const Slot& slot = index_[i];
      if (slot.generation != generation_) return nullptr;
      if (slot.chunk == chunk) return &entries_[slot.entry];
    }
  }

  /// Adds an entry for a chunk that has none. Its data (and mask) are not set.
  Entry& insert(std::uintptr_t chunk) {
    entries_.make_room();
    return insert_at_once(chunk);
  }

  /// Whether the chunk has no entry, for sure, and nothing need grow for one.
  bool can_insert_at_once(std::uintptr_t chunk) const { return !may_contain(chunk) && !entries_.is_full(); }
  Entry& insert_at_once(std::uintptr_t chunk) {
    filter_.insert(hash(chunk));
    Entry& entry = entries_.append_within();
    entry.address = chunk;
    return entry;
  }

  /// Constant time, unless the last transaction was huge: then its memory is given back.
  void clear() {
    if (empty()) return;
    entries_.clear();
    filter_.clear();
    if (indexed_ == 0) [[likely]]
      return;
    indexed_ = 0;
    if (index_size() > largest_kept_index || ++generation_ == 0) [[unlikely]]
      release();
  }

  void release() {
    entries_.release();
    filter_.clear();
    std::free(index_);
    index_ = nullptr;
    index_mask_ = 0;
    indexed_ = 0;
    generation_ = 1;
  }

 private:
  /// A Bloom filter of one hash function: most look-ups end here, also in transactions that write to a hundred chunks.
  /// A line, so that emptying it costs next to nothing.
  class Filter {
   public:
    constexpr Filter() = default;
    bool may_contain(std::uint64_t hash) const { return ((words_[word_of(hash)] >> bit_of(hash)) & 1) != 0; }
    void insert(std::uint64_t hash) { words_[word_of(hash)] |= std::uint64_t{1} << bit_of(hash); }
    void clear() { words_ = {}; }

   private:
    static std::size_t word_of(std::uint64_t hash) { return hash >> 61; }
    static unsigned bit_of(std::uint64_t hash) { return (hash >> 55) % 64; }
    std::array<std::uint64_t, 8> words_{};
  };

  /// Valid when `generation` is the set's: clearing the set is one increment.
  struct Slot {
    std::uintptr_t chunk;
    std::uint32_t entry;
    std::uint32_t generation;
  };

  /// So many entries are looked through one by one, and need no index.
  static constexpr std::size_t most_scanned = 16;
  static constexpr std::size_t first_index = 128;
  static constexpr std::size_t largest_kept_index = std::size_t{1} << 16;

  std::size_t index_size() const { return index_ == nullptr ? 0 : index_mask_ + 1; }

  // Fibonacci hashing: the high bits of the product are the well-mixed ones.
  static std::uint64_t hash(std::uintptr_t chunk) { return (chunk / chunk_bytes) * 0x9e3779b97f4a7c15U; }
  std::size_t index_of(std::uint64_t hash) const { return (hash >> 32) & index_mask_; }

  void add_to_index(std::uintptr_t chunk, std::size_t entry) {
    std::size_t i = index_of(hash(chunk));
    while (index_[i].generation == generation_) i = (i + 1) & index_mask_;
    index_[i] = {chunk, static_cast<std::uint32_t>(entry), generation_};
  }

  /// Not sooner: the filter answers most look-ups, and many transactions ask for nothing else.
  [[gnu::noinline]] void index_new() {
    if (2 * entries_.size() >= index_size()) grow_index();
    for (; indexed_ < entries_.size(); ++indexed_) add_to_index(entries_[indexed_].address, indexed_);
  }

  /// Empty, and with room for all entries.
  void grow_index() {
    std::size_t size = index_ == nullptr ? first_index : 2 * index_size();
    while (2 * entries_.size() >= size) size *= 2;
    std::free(index_);
    index_ = static_cast<Slot*>(std::calloc(size, sizeof(Slot)));
    if (index_ == nullptr) {
      std::fprintf(stderr, "perdure: out of memory for the index of a transaction's writes\n");
      std::abort();
    }
    index_mask_ = size - 1;
    indexed_ = 0;
    generation_ = 1;
  }

  GrowingArray<Entry> entries_;
  Filter filter_;
  Slot* index_ = nullptr;
  std::size_t index_mask_ = 0;
  std::size_t indexed_ = 0;  // of the entries, from the first
  std::uint32_t generation_ = 1;
};

}  // namespace perdure::log

#endif
