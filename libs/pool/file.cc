#include "pool/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "pool/copy_on_write.h"
#include "pool/fork.h"
#include "pool/header.h"
#include "pool/refuse.h"

namespace perdure::pool {
namespace {

using Kind = PoolError::Kind;

/// A process that was killed keeps its locks until its memory is given back, which whoever has killed it need not wait
/// for.
constexpr std::chrono::milliseconds longest_wait_for_lock(1000);
constexpr std::chrono::milliseconds between_looks_at_lock(5);

void write_at(int file, const void* data, std::size_t bytes, std::uint64_t offset, const std::filesystem::path& path) {
  const auto* from = static_cast<const char*>(data);
  while (bytes != 0) {
    const ssize_t put = pwrite(file, from, bytes, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) refuse_errno(errno, path, "writing the new file");
    from += put;
    offset += static_cast<std::uint64_t>(put);
    bytes -= static_cast<std::size_t>(put);
  }
}

/// A new pool: both headers, and the descriptors of the first segment in the first superblock. The rest is zero.
void write_initial_contents(File& file, const Header& header, const std::filesystem::path& path) {
  if (ftruncate(file.descriptor(), 0) != 0) refuse_errno(errno, path, "emptying the new file");
  write_in_place(file.descriptor());
  if (const int error = file.reserve(0, header.superblocks * superblock_bytes); error != 0)
    refuse_errno(error, path, "reserving " + spell_bytes(header.superblocks * superblock_bytes) + " for a new pool");
  for (std::size_t copy = 0; copy < header_copies; ++copy)
    write_at(file.descriptor(), &header, sizeof(Header), copy * page_bytes, path);
  std::vector<std::uint64_t> descriptors(superblocks_per_segment);
  describe_as_free(0, descriptors.data());
  write_at(file.descriptor(), descriptors.data(), superblock_bytes, first_superblock * superblock_bytes, path);
  const std::uint64_t entry = encode_directory_entry(0, first_superblock);
  write_at(file.descriptor(), &entry, sizeof(entry), directory_offset, path);
  if (const int error = file.sync(); error != 0) refuse_errno(error, path, "writing the new file to disk");
}

/// Renames without replacing. \returns 0 or an errno.
int rename_new(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system without RENAME_NOREPLACE: a hard link does not replace either.
  if (link(from.c_str(), to.c_str()) != 0) return errno;
  unlink(from.c_str());
  return 0;
}

/// The new name is durable when its directory is.
void sync_directory_of(const std::filesystem::path& path) {
  const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // readable directories only; the pool is there all the same
  fsync(descriptor);
  close(descriptor);
}

/// Removes the unfinished file when its creation fails.
class Unfinished {
 public:
  explicit Unfinished(const std::filesystem::path& path) : path_(path) {}
  ~Unfinished() {
    if (!finished_) unlink(path_.c_str());
  }
  void finished() { finished_ = true; }

 private:
  const std::filesystem::path& path_;
  bool finished_ = false;
};

}  // namespace

File::File(int descriptor, const std::filesystem::path& path) : descriptor_(descriptor), owner_(getpid()) {
  keep_from_children(descriptor, path);
}

File::~File() {
  // In a forked child it is closed already.
  if (descriptor_ < 0 || owner_ != getpid()) return;
  no_longer_keep_from_children(descriptor_);
  // Children made otherwise than by fork may share the lock: closing alone would not end it.
  flock(descriptor_, LOCK_UN);
  close(descriptor_);
}

void File::lock(Access access, const std::filesystem::path& path, const char* otherwise) {
  const auto end = std::chrono::steady_clock::now() + longest_wait_for_lock;
  while (flock(descriptor_, (access == Access::reading ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) refuse_errno(errno, path, "locking the file");
    if (std::chrono::steady_clock::now() >= end) refuse(Kind::in_use, path, otherwise);
    std::this_thread::sleep_for(between_looks_at_lock);
  }
}

std::optional<File> File::open(const std::filesystem::path& path, Access access) {
  struct stat status{};
  // Before opening: opening a device or a pipe can have effects of its own.
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::nullopt;
    refuse_errno(errno, path, "looking for the file");
  }
  if (S_ISDIR(status.st_mode)) refuse_errno(EISDIR, path, "");
  if (!S_ISREG(status.st_mode)) refuse(Kind::usage, path, "is not a regular file. Give the name of a file.");
  const int descriptor = ::open(path.c_str(), (access == Access::reading ? O_RDONLY : O_RDWR) | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return std::nullopt;
  if (descriptor < 0) refuse_errno(errno, path, "opening the file");
  File file(descriptor, path);
  file.lock(
      access, path,
      "in use by another process. Close it there first; a pool has one user at a time, or several that only read.");
  return file;
}

std::optional<File> File::create(const std::filesystem::path& path, const Header& header) {
  const std::filesystem::path unfinished_path = path.string() + ".creating";
  const int descriptor = ::open(unfinished_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) refuse_errno(errno, path, "creating the file");
  File file(descriptor, path);
  file.lock(Access::writing, path, "is being created by another process. Try again when it has finished.");
  // Between our open and our lock another process may have finished this very file and renamed it.
  if (identify(unfinished_path) != identify(file)) return std::nullopt;
  Unfinished unfinished(unfinished_path);
  write_initial_contents(file, header, path);
  const int error = rename_new(unfinished_path, path);
  if (error == EEXIST) return std::nullopt;
  if (error != 0) refuse_errno(error, path, "naming the new file");
  unfinished.finished();
  sync_directory_of(path);
  return file;
}

int File::reserve(std::uint64_t from, std::uint64_t to) noexcept {
  int error = 0;
  do error = posix_fallocate(descriptor_, static_cast<off_t>(from), static_cast<off_t>(to - from));
  while (error == EINTR);
  return error;
}

int File::give_back(std::uint64_t from, std::uint64_t to) noexcept {
  constexpr int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  while (fallocate(descriptor_, mode, static_cast<off_t>(from), static_cast<off_t>(to - from)) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

bool File::can_have_holes() noexcept {
  struct stat status{};
  if (fstat(descriptor_, &status) != 0) return false;
  // Behind the end there is nothing to lose.
  const auto end = (static_cast<std::uint64_t>(status.st_size) / superblock_bytes + 1) * superblock_bytes;
  return give_back(end, end + superblock_bytes) == 0;
}

int File::cut(std::uint64_t bytes) noexcept {
  while (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

std::uint64_t File::size() const noexcept {
  struct stat status{};
  return fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::uint64_t File::disk_bytes(std::uint64_t bytes) const noexcept {
  struct stat status{};
  if (fstat(descriptor_, &status) != 0) return 0;
  constexpr std::uint64_t bytes_per_block = 512;  // of st_blocks, whatever the file system
  const auto all = static_cast<std::uint64_t>(status.st_blocks) * bytes_per_block;
  // What lies behind may have all of its space.
  const auto behind = static_cast<std::uint64_t>(status.st_size) - std::min<std::uint64_t>(status.st_size, bytes);
  return all - std::min(all, behind);
}

int File::sync() noexcept { return fsync(descriptor_) == 0 ? 0 : errno; }

std::optional<FileIdentity> identify(const std::filesystem::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

FileIdentity identify(const File& file) {
  struct stat status{};
  if (fstat(file.descriptor(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

}  // namespace perdure::pool
