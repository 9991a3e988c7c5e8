#include "disk/dirty_pages.h"

#include <bit>
#include <new>

#include "pool/format.h"

namespace perdure::disk {

DirtyPages::DirtyPages(std::uint64_t image_bytes) {
  limit(image_bytes);
  const std::size_t words = pages_ / 64 + 1;
  // (Zeros are a valid atomic.)
  words_.reset(static_cast<std::atomic<std::uint64_t>*>(std::calloc(words, sizeof(std::atomic<std::uint64_t>))));
  if (words_ == nullptr) throw std::bad_alloc();
}

bool DirtyPages::take_one(std::uint64_t page) {
  const std::uint64_t bit = std::uint64_t{1} << page % 64;
  // Acquire: what the page was marked for is there to be copied.
  return page < pages_ && (words_[page / 64].fetch_and(~bit, std::memory_order_acq_rel) & bit) != 0;
}

std::size_t DirtyPages::take(std::uint64_t& page, std::size_t most) {
  while (page < pages_) {
    const std::uint64_t rest = words_[page / 64].load(std::memory_order_relaxed) >> page % 64;
    if (rest == 0) {
      page = (page / 64 + 1) * 64;
      continue;
    }
    page += static_cast<unsigned>(std::countr_zero(rest));
    std::size_t count = 0;
    while (count < most && take_one(page + count)) ++count;
    if (count != 0) return count;
  }
  return 0;
}

std::uint64_t DirtyPages::count() const {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i <= pages_ / 64; ++i)
    count += static_cast<unsigned>(std::popcount(words_[i].load(std::memory_order_relaxed)));
  return count;
}

bool PageCopier::next(PageRun& run) {
  // The copies of the pool's header lie in the first pages: one of them is whole at any moment.
  const std::size_t most = page_ < pool::header_copies ? 1 : most_run_bytes / block_bytes;
  const std::size_t count = dirty_.take(page_, most);
  if (count == 0) return false;
  const std::uint64_t offset = page_ * block_bytes;
  const std::size_t bytes = count * block_bytes;
  page_ += count;
  // Word by word, while others store: each is old or new, and the log has what is new.
  auto* const from = reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(image_ + offset));
  for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i)
    copy_.as<std::uint64_t>(i * sizeof(std::uint64_t)) = std::atomic_ref(from[i]).load(std::memory_order_relaxed);
  run = {offset, copy_.data(), bytes, offset < pool::header_copies * block_bytes};
  return true;
}

}  // namespace perdure::disk
