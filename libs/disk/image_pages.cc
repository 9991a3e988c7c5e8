#include "disk/image_pages.h"

#include "disk/change_record.h"
#include "pool/format.h"
#include "pool/refuse.h"

namespace perdure::disk {

void ImagePages::store(std::uint64_t offset, std::uint64_t value, std::uint8_t bytes) {
  store_bytes(page_at(offset / block_bytes * block_bytes).data() + offset % block_bytes, value, bytes);
}

BlockMemory& ImagePages::page_at(std::uint64_t offset) {
  if (const auto found = pages_.find(offset); found != pages_.end()) return found->second;
  if (pages_.size() >= most_pages) write_pages();
  BlockMemory& page = pages_.try_emplace(offset, block_bytes).first->second;
  if (const int error = image_.read(offset, page.data(), block_bytes); error != 0)
    pool::refuse_errno(error, pool_, "reading it for recovery");
  return page;
}

/// The copies of the pool's header lie in the first pages: one of them is whole at any moment.
void ImagePages::write_pages() {
  for (const auto& [offset, page] : pages_) {
    if (const int error = image_.write(offset, page.data(), block_bytes); error != 0)
      pool::refuse_errno(error, pool_, "writing it for recovery");
    if (offset < pool::header_copies * block_bytes) sync();
  }
  pages_.clear();
}

void ImagePages::complete() {
  write_pages();
  sync();
}

void ImagePages::sync() {
  if (const int error = image_.sync(); error != 0) pool::refuse_errno(error, pool_, "making its recovery durable");
}

}  // namespace perdure::disk
