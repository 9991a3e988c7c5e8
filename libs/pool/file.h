#ifndef PERDURE_POOL_FILE_H
#define PERDURE_POOL_FILE_H

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "pool/format.h"

namespace perdure::pool {

/// Which file it is, whatever the path that leads to it.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// A pool's file: open, and locked against every other process and every other open in this one (flock). The lock ends
/// with the process, however it ends; forked children have no part in it (pool/fork.h).
class File {
 public:
  /// Writing excludes all others, reading those who write.
  enum class Access : std::uint8_t { reading, writing };

  /// The existing file at `path`, or nothing when there is none.
  /// \throws PoolError: in_use, no_permission, usage (not a regular file), system.
  static std::optional<File> open(const std::filesystem::path& path, Access access);

  /// Makes a file of `header.superblocks` superblocks, with its space reserved. It is built under the name
  /// `path`.creating and renamed when it is complete and durable, so a crash leaves a pool or none, and the next
  /// creation begins anew with what was left.
  /// \returns nothing when another process made the pool in the meantime.
  /// \throws PoolError: in_use (being created), no_permission, no_space, system.
  static std::optional<File> create(const std::filesystem::path& path, const Header& header);

  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), owner_(other.owner_) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~File();

  int descriptor() const noexcept { return descriptor_; }

  /// Reserves the disk space of [from, to), and makes the file longer if need be. What the file holds stays as it is;
  /// nobody may be storing to that range. \returns 0 or an errno.
  int reserve(std::uint64_t from, std::uint64_t to) noexcept;

  /// Gives the disk space of [from, to) back: a hole that reads as zeros. Nobody may be using that range.
  /// \returns 0 or an errno.
  int give_back(std::uint64_t from, std::uint64_t to) noexcept;

  /// Whether its file system can make holes.
  bool can_have_holes() noexcept;

  /// Makes the file shorter. \returns 0 or an errno.
  int cut(std::uint64_t bytes) noexcept;

  std::uint64_t size() const noexcept;

  /// A lower bound of the disk space of the first `bytes`; exact where the file ends there, but for what the file
  /// system needs for itself. 0 when it cannot be told.
  std::uint64_t disk_bytes(std::uint64_t bytes) const noexcept;

  /// Everything written to the file is on its disk when this returns. \returns 0 or an errno.
  int sync() noexcept;

 private:
  File(int descriptor, const std::filesystem::path& path);
  /// \throws PoolError (Kind::in_use) when the file stays locked.
  void lock(Access access, const std::filesystem::path& path, const char* otherwise);

  int descriptor_;
  pid_t owner_;
};

/// Which file `path` leads to; nothing when there is none.
std::optional<FileIdentity> identify(const std::filesystem::path& path);
FileIdentity identify(const File& file);

}  // namespace perdure::pool

#endif
