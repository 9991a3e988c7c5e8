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

  /// The next cas unique. It need be unique among the values of one key only, and a key stays in its partition.
  std::uint64_t next_cas() { return ++last_cas_; }

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
