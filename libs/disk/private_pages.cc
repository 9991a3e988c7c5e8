#include "disk/private_pages.h"

#include <sys/mman.h>

#include "persist/fault.h"

namespace perdure::disk {

void PrivatePages::add(std::uint64_t offset, std::size_t bytes) {
  for (std::uint64_t page = offset / block_bytes; page < (offset + bytes) / block_bytes; ++page) {
    if (written_.is_set(page)) continue;
    written_.set(page);
    count_.fetch_add(1, std::memory_order_relaxed);
  }
}

void PrivatePages::give_up(std::byte* image, const DirtyPages& dirty) noexcept {
  const auto can_go = [&](std::uint64_t page) {
    return page < pages_ && written_.is_set(page) && !kept_.is_set(page) &&
           (!dirty.is_dirty(page) || persistence::is_seeded(persistence::Fault::given_back_dirty));
  };
  for (std::uint64_t page = 0; (page = written_.first_set(page, pages_)) != pages_;) {
    std::uint64_t end = page;
    for (; can_go(end); ++end) written_.take(end);
    if (end == page) {
      ++page;
      continue;
    }
    madvise(image + page * block_bytes, (end - page) * block_bytes, MADV_DONTNEED);
    count_.fetch_sub(end - page, std::memory_order_relaxed);
    page = end;
  }
}

}  // namespace perdure::disk
