#ifndef PERDURE_BENCHMARKS_MEMCACHED_PARTITION_H
#define PERDURE_BENCHMARKS_MEMCACHED_PARTITION_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "item.h"

namespace perdure::benchmarks::memcached {

/// A share of the items, by hash: their order of recency, and what is counted of them. There are many, because all
/// transactions that store into one write these words; each fills a cache line of its own.
///
/// It is ordinary C++ and knows nothing of transactions.
class alignas(64) Partition {
 public:
  std::uint64_t items() const { return items_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t evictions() const { return evictions_; }
  Item* oldest() const { return oldest_; }
  Item* newest() const { return newest_; }

  /// The next cas unique: larger than all before it here, and never one of another partition's. Each partition hands
  /// out the numbers that leave its own number as the remainder, so that stores into different ones have no word in
  /// common.
  /// \param number  of this partition, below `partitions`, which is a power of two.
  std::uint64_t next_cas(std::size_t number, std::size_t partitions) {
    const std::uint64_t candidate = (last_cas_ & ~static_cast<std::uint64_t>(partitions - 1)) | number;
    return last_cas_ = candidate > last_cas_ ? candidate : candidate + partitions;
  }

  void add(Item& item) {
    link(item);
    ++items_;
    bytes_ += item.footprint();
  }

  void remove(Item& item) {
    unlink(item);
    --items_;
    bytes_ -= item.footprint();
  }

  void count_eviction() { ++evictions_; }

  /// Makes the item the newest.
  void move_to_front(Item& item) {
    if (newest_ == &item) return;
    unlink(item);
    link(item);
  }

  /// From now on what is there is as if it had been removed. It takes its memory until somebody comes upon it.
  void flush() { flushed_through_ = last_cas_; }
  bool is_flushed(const Item& item) const { return item.cas <= flushed_through_; }

  /// What is wrong with the order and the counts, one a line. Runs alone.
  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    std::uint64_t items = 0;
    std::uint64_t bytes = 0;
    const Item* newer = nullptr;
    for (const Item* item = newest_; item != nullptr && items <= items_; newer = item, item = item->older) {
      if (item->newer != newer) found.emplace_back("recency: an item does not lead back to the newer one");
      if (item->cas > last_cas_) found.emplace_back("recency: an item has a cas unique of the future");
      ++items;
      bytes += item->footprint();
    }
    if (newer != oldest_) found.emplace_back("recency: the last item is not the oldest");
    if (items != items_) found.push_back(differ("items", items, items_));
    if (bytes != bytes_) found.push_back(differ("bytes", bytes, bytes_));
    return found;
  }

 private:
  static std::string differ(const char* what, std::uint64_t found, std::uint64_t counted) {
    return std::string("recency: ") + std::to_string(found) + " " + what + " are there, " + std::to_string(counted) +
           " are counted";
  }

  void link(Item& item) {
    item.newer = nullptr;
    item.older = newest_;
    (newest_ != nullptr ? newest_->newer : oldest_) = &item;
    newest_ = &item;
  }

  void unlink(Item& item) {
    (item.newer != nullptr ? item.newer->older : newest_) = item.older;
    (item.older != nullptr ? item.older->newer : oldest_) = item.newer;
  }

  Item* newest_ = nullptr;
  Item* oldest_ = nullptr;
  std::uint64_t items_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t last_cas_ = 0;
  std::uint64_t flushed_through_ = 0;  // items with a cas unique up to this one are flushed
  std::uint64_t evictions_ = 0;
};

}  // namespace perdure::benchmarks::memcached

#endif
