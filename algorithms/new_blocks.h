#ifndef PERDURE_ALGORITHMS_NEW_BLOCKS_H
#define PERDURE_ALGORITHMS_NEW_BLOCKS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "log/growing_array.h"
#include "log/replica_set.h"
#include "log/write_set.h"

namespace perdure::algorithms {

/// Which memory a transaction has allocated: to the granule, since the program writes to it without telling of each
/// store. Blocks begin at granules and share none.
class NewBlocks {
 public:
  constexpr NewBlocks() = default;

  bool contains(const void* address) {
    if (pages_.empty() && large_.empty()) [[likely]]
      return false;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const Page* const page = pages_.find(at & ~(page_bytes - 1));
    if (page != nullptr && (page->granules >> granule_of(at) & 1) != 0) return true;
    return std::ranges::any_of(large_, [at](const Large& block) { return at - block.begin < block.bytes; });
  }

  void add(const void* block, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(block);
    if (bytes >= least_large) return large_.push_back({begin, bytes});
    for (std::uintptr_t at = begin; at < begin + bytes; at += granule_bytes)
      page_at(at & ~(page_bytes - 1)).granules |= static_cast<std::uint16_t>(1U << granule_of(at));
  }

  void clear() {
    pages_.clear();
    large_.clear();
  }
  void release() {
    pages_.release();
    large_.release();
  }

 private:
  static constexpr std::size_t granule_bytes = log::ReplicaSet::chunk_bytes;
  static constexpr std::size_t page_bytes = 16 * granule_bytes;
  static constexpr std::size_t least_large = 32 * 1024;  // there are few of these

  struct Page {
    static constexpr std::size_t chunk_bytes = page_bytes;
    std::uintptr_t address;
    std::uint16_t granules;  // a bit for each
  };
  static_assert(page_bytes / granule_bytes == sizeof(Page::granules) * 8);
  struct Large {
    std::uintptr_t begin;
    std::size_t bytes;
  };

  static unsigned granule_of(std::uintptr_t address) {
    return static_cast<unsigned>(address % page_bytes / granule_bytes);
  }
  Page& page_at(std::uintptr_t address) {
    if (Page* const page = pages_.find(address)) return *page;
    Page& page = pages_.insert(address);
    page.granules = 0;
    return page;
  }

  log::WriteSet<Page> pages_;
  log::GrowingArray<Large> large_;
};

}  // namespace perdure::algorithms

#endif
