#include "disk/dirty_pages.h"

#include <atomic>

#include "pool/format.h"

namespace perdure::disk {

std::size_t DirtyPages::take(std::uint64_t& page, std::size_t most) {
  for (;;) {
    page = bits_.first_set(page, pages_);
    if (page == pages_) return 0;
    std::size_t count = 0;
    while (count < most && page + count < pages_ && bits_.take(page + count)) ++count;
    if (count != 0) return count;
  }
}

std::uint64_t DirtyPages::count() const {
  std::uint64_t count = 0;
  for (std::uint64_t page = 0; (page = bits_.first_set(page, pages_)) != pages_; ++page) ++count;
  return count;
}

namespace {

/// Word by word, while others store: each is old or new, and the log has what is new. Transactions store plainly to
/// blocks that they have just allocated, which to the thread sanitizer is a race; but nobody can reach these before a
/// record has what they hold.
[[clang::disable_sanitizer_instrumentation]] void copy_words(std::uint64_t* to, const std::uint64_t* from,
                                                             std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / sizeof(*from); ++i) to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
}

}  // namespace

bool PageCopier::next(PageExtent& extent) {
  // The copies of the pool's header lie in the first pages: one of them is whole at any moment.
  const std::size_t most = page_ < pool::header_copies ? 1 : most_run_bytes / block_bytes;
  const std::size_t count = dirty_.take(page_, most);
  if (count == 0) return false;
  const std::uint64_t offset = page_ * block_bytes;
  const std::size_t bytes = count * block_bytes;
  page_ += count;
  copy_words(&copy_.as<std::uint64_t>(), reinterpret_cast<const std::uint64_t*>(image_ + offset), bytes);
  extent = {offset, copy_.data(), bytes, offset < pool::header_copies * block_bytes};
  return true;
}

}  // namespace perdure::disk
