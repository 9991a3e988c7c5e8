// The disk space of a pool: `grow` and `trim`.
#include <sys/stat.h>

#include <cerrno>

#include "commands.h"
#include "disk/make_log.h"
#include "file_space.h"
#include "open/open_pool.h"
#include "pool/refuse.h"

namespace perdure::tools {
FileSpace space_of(const std::filesystem::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) pool::refuse_errno(errno, path, "looking for the file");
  constexpr std::uint64_t bytes_per_block = 512;  // of st_blocks, whatever the file system
  return {static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_blocks) * bytes_per_block};
}

void add_space(const FileSpace& before, const FileSpace& after, Document& document) {
  document["size_before_bytes"] = before.bytes;
  document["size_bytes"] = after.bytes;
  document["disk_before_bytes"] = before.disk_bytes;
  document["disk_bytes"] = after.disk_bytes;
}

/// A log may tell of any place in the file, so nothing is given back while there is one: the pool does without, and
/// gets a new one. It is closed in between, and so whole; if that is cut short, the next program that opens it gives it
/// one.
void trim_and_close(const std::filesystem::path& path) {
  const std::size_t log_bytes = disk::log_bytes(path);
  OpenOptions options{.wait_for_mark = true};
  if (log_bytes != 0) options.durability = Durability::process;
  opening::OpenPool(path, options).trim();
  if (log_bytes == 0) return;
  options.durability = Durability::power;
  options.log_bytes = log_bytes;
  opening::OpenPool(path, options).close();
}

namespace {

Document describe(const std::filesystem::path& path, const FileSpace& before) {
  Document document = {{"file", path.string()}};
  add_space(before, space_of(path), document);
  return document;
}

}  // namespace

Document grow(const std::filesystem::path& path, std::uint64_t bytes) {
  const FileSpace before = space_of(path);
  const std::uint64_t superblocks = bytes / pool::superblock_bytes + (bytes % pool::superblock_bytes != 0 ? 1 : 0);
  opening::OpenPool pool(path, {.wait_for_mark = true});
  if (superblocks > pool.mapping().max_superblocks())
    pool::refuse(PoolError::Kind::usage, path,
                 "this pool holds at most " + pool::spell_bytes(pool.mapping().max_bytes()) +
                     " (OpenOptions::size_limit when it was made). Give a smaller size.");
  pool.grow(superblocks);
  pool.close();
  return describe(path, before);
}

Document trim(const std::filesystem::path& path) {
  const FileSpace before = space_of(path);
  trim_and_close(path);
  return describe(path, before);
}

}  // namespace perdure::tools
