#include "disk/image_replay.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "disk/block_memory.h"
#include "disk/verify_image.h"
#include "pool/format.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

constexpr std::size_t most_run_pages = 64;
constexpr std::uint64_t no_page = ~std::uint64_t{0};

/// Those words of the item that lie in the page.
void store(const ChangeItem& item, std::uint64_t page, std::byte* data) {
  const std::uint64_t begin = page * block_bytes;
  if (item.changed == 0) {
    const std::uint64_t from = std::max(item.offset, begin);
    const std::uint64_t to = std::min(item.end(), begin + block_bytes);
    std::memcpy(data + (from - begin), reinterpret_cast<const std::byte*>(item.values.data()) + (from - item.offset),
                to - from);
    return;
  }
  for_each_word(item, [&](std::uint64_t offset, std::uint64_t value) {
    if (offset / block_bytes == page) store_bytes(data + offset % block_bytes, value, item.bytes);
  });
}

}  // namespace

// -- collecting -------------------------------------------------------------------------------------------------------

Words ImageReplay::keep(Words items) {
  if (left_in_chunk_ < items.size()) {
    left_in_chunk_ = std::max(items.size(), chunk_words);
    chunks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(left_in_chunk_));
    kept_words_ += left_in_chunk_;
  }
  // From the end, so that only one number is needed.
  left_in_chunk_ -= items.size();
  std::uint64_t* const kept = chunks_.back().get() + left_in_chunk_;
  std::ranges::copy(items, kept);
  return {kept, items.size()};
}

void ImageReplay::add(Words items) {
  const Words kept = keep(items);
  const std::uint64_t* head = kept.data();
  for_each_item(kept, [&](const ChangeItem& item) {
    for (std::uint64_t page = item.offset / block_bytes; page <= (item.end() - 1) / block_bytes; ++page)
      parts_.push_back(page << page_shift | items_.size());
    items_.push_back({head, kept.data() + kept.size()});
    head = item.values.data() + item.values.size();
  });
  if (kept_words_ >= most_kept_words) write_pages();
}

std::vector<ImageReplay::Page> ImageReplay::sorted_pages() {
  std::ranges::sort(parts_);
  std::vector<Page> pages;
  for (auto part = parts_.begin(); part != parts_.end();) {
    const std::uint64_t number = *part >> page_shift;
    const auto end = std::find_if(part, parts_.end(), [&](Part other) { return other >> page_shift != number; });
    pages.push_back({number, {part, end}});
    part = end;
  }
  if (verifies_)
    for (Page& page : pages)
      if (const int error = sums_.get(page.number, page.sum); error != 0)
        pool::refuse_errno(error, pool_, "reading '" + sums_path(pool_).string() + "'");
  return pages;
}

// -- reading, changing, writing ---------------------------------------------------------------------------------------

/// Take one extent after the other. What fails stops them all.
class ImageReplay::Workers {
 public:
  Workers(BlockFile& image, std::span<const Words> items, std::uint64_t seed, bool verifies,
          std::vector<Extent> extents)
      : image_(image), items_(items), seed_(seed), verifies_(verifies), extents_(std::move(extents)) {}

  void run() {
    constexpr std::size_t most_threads = 16;
    constexpr std::size_t extents_for_a_thread = 16;
    const std::size_t threads = std::clamp<std::size_t>(extents_.size() / extents_for_a_thread, 1, most_threads);
    std::vector<std::thread> others;
    try {
      while (others.size() + 1 < threads) others.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // This thread does their work.
    }
    work();
    for (std::thread& other : others) other.join();
  }

  int error() const { return error_; }
  std::uint64_t damaged_page() const { return damaged_page_; }

 private:
  void work() {
    BlockMemory memory(most_run_pages * block_bytes);
    for (std::size_t i = 0; (i = next_.fetch_add(1)) < extents_.size() && error_ == 0 && damaged_page_ == no_page;)
      if (const int error = replay(extents_[i], memory.data()); error != 0) error_ = error;
  }

  int replay(Extent extent, std::byte* data) {
    const std::uint64_t offset = extent.front().number * block_bytes;
    const std::size_t bytes = extent.size() * block_bytes;
    if (const int error = image_.read(offset, data, bytes); error != 0) return error;
    for (std::size_t i = 0; i < extent.size(); ++i) {
      Page& page = extent[i];
      std::byte* const at = data + i * block_bytes;
      // (The headers have checksums of their own, and one may be damaged.)
      if (verifies_ && page.number >= pool::header_copies && sum_of_page(page.number, at, seed_) != page.sum)
        return damaged_page_ = page.number, 0;
      for (const Part part : page.parts) store(item_of(part), page.number, at);
      page.sum = sum_of_page(page.number, at, seed_);
    }
    return image_.write(offset, data, bytes);
  }

  ChangeItem item_of(Part part) const { return first_item(items_[static_cast<std::uint32_t>(part)]); }

  BlockFile& image_;
  const std::span<const Words> items_;
  const std::uint64_t seed_;
  const bool verifies_;
  const std::vector<Extent> extents_;
  std::atomic<std::size_t> next_{0};
  std::atomic<int> error_{0};
  std::atomic<std::uint64_t> damaged_page_{no_page};
};

void ImageReplay::replay(std::span<Page> pages) {
  std::vector<Extent> extents;
  for (std::size_t begin = 0; begin < pages.size();) {
    std::size_t count = 1;
    while (count < most_run_pages && begin + count < pages.size() &&
           pages[begin + count].number == pages[begin].number + count)
      ++count;
    extents.push_back(pages.subspan(begin, count));
    begin += count;
  }
  Workers workers(image_, items_, sums_.seed(), verifies_, std::move(extents));
  workers.run();
  if (workers.error() != 0) pool::refuse_errno(workers.error(), pool_, "replaying its log over it");
  if (workers.damaged_page() == no_page) return;
  // Other pages have been written, so the next recovery does not verify: it is told.
  sums_.note_damage(workers.damaged_page());
  refuse_damaged_page(workers.damaged_page(), pool_);
}

void ImageReplay::write_pages() {
  if (const auto damaged = sums_.damaged_page()) refuse_damaged_page(*damaged, pool_);
  if (!std::exchange(has_begun_, true)) sums_.begin(stamp_);
  std::vector<Page> pages = sorted_pages();
  // The copies of the pool's header lie in the first pages: one of them is whole at any moment.
  std::span<Page> rest = pages;
  for (; !rest.empty() && rest.front().number < pool::header_copies; rest = rest.subspan(1)) {
    replay(rest.first(1));
    sync();
  }
  replay(rest);
  for (const Page& page : pages) sums_.put(page.number, page.sum);
  parts_.clear();
  items_.clear();
  chunks_.clear();
  left_in_chunk_ = kept_words_ = 0;
}

std::uint64_t ImageReplay::complete() {
  write_pages();
  sync();
  return sums_.complete();
}

void ImageReplay::sync() {
  if (const int error = image_.sync(); error != 0) pool::refuse_errno(error, pool_, "making its recovery durable");
}

}  // namespace perdure::disk
