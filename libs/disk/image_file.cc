#include "disk/image_file.h"

#include <cerrno>

#include "disk/file_system.h"
#include "pool/header.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

using Kind = PoolError::Kind;
using std::filesystem::path;

Volume* volume_for_tests = nullptr;

}  // namespace

Volume& volume() noexcept {
  static FileSystem files;
  return volume_for_tests != nullptr ? *volume_for_tests : files;
}
void set_volume(Volume* volume) noexcept { volume_for_tests = volume; }

void require_done(int error, const path& pool, const char* what) {
  if (error != 0) pool::refuse_errno(error, pool, what);
}

std::unique_ptr<BlockFile> open_image(const path& pool) {
  OpenedFile opened = volume().open(pool);
  if (opened.error == EINVAL)
    pool::refuse(Kind::usage, pool,
                 "cannot survive power failures here: its file system has no direct output (O_DIRECT). Choose another "
                 "one, or open it with Durability::process.");
  require_done(opened.error, pool, "opening the file");
  return std::move(opened.file);
}

Superblocks superblocks_of(BlockFile& image, BlockFile& log) {
  return Superblocks({&image, pool::log_superblock_offset}, {&log, 0});
}

Headers::Headers(BlockFile& image, const path& pool) {
  require_done(image.read(0, memory_.data(), memory_.size()), pool, "reading the header");
}

pool::Header* Headers::newest() {
  pool::Header* best = nullptr;
  for (std::size_t i = 0; i < pool::header_copies; ++i)
    if (pool::is_intact(copy(i)) && (best == nullptr || copy(i).generation > best->generation)) best = &copy(i);
  return best;
}

void Headers::write(BlockFile& image, pool::Header header, const path& pool) {
  const std::size_t last = newest() == &copy(1) ? 1 : 0;
  ++header.generation;
  pool::seal(header);
  for (const std::size_t number : {1 - last, last}) {
    copy(number) = header;
    require_done(image.write(number * pool::page_bytes, &copy(number), pool::page_bytes), pool, "writing the header");
    require_done(image.sync(), pool, "writing the header");
  }
}

}  // namespace perdure::disk
