#ifndef PERDURE_DISK_BLOCK_FILE_H
#define PERDURE_DISK_BLOCK_FILE_H

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace perdure::disk {

/// The least that a device writes: after a power failure a sector is as it was or as it was to be. Several sectors are
/// no unit, whatever one system call wrote.
inline constexpr std::size_t sector_bytes = 512;

/// Offsets, lengths and addresses in memory are multiples of this: what direct input and output asks for.
inline constexpr std::size_t block_bytes = 4096;

/// A file past the page cache: what a crash can take is in the device's hands, and what a read returns is what the
/// device holds. Errors are numbers of errno, 0 for none; after one, nobody knows what the device holds of what was
/// not durable before, and doing it again proves nothing.
class BlockFile {
 public:
  BlockFile() = default;
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;
  virtual ~BlockFile() = default;

  /// Durable after the next `sync` that begins when it has returned. What is written short is an error (EIO).
  [[nodiscard]] virtual int write(std::uint64_t offset, const void* data, std::size_t bytes) noexcept = 0;

  /// Durable when it returns. Several threads may write disjoint ranges at once.
  [[nodiscard]] virtual int write_durably(std::uint64_t offset, const void* data, std::size_t bytes) noexcept = 0;

  /// What lies behind the end reads as zeros.
  [[nodiscard]] virtual int read(std::uint64_t offset, void* data, std::size_t bytes) noexcept = 0;

  /// Makes durable what was written, and the size.
  [[nodiscard]] virtual int sync() noexcept = 0;

  [[nodiscard]] virtual int resize(std::uint64_t bytes) noexcept = 0;
  virtual std::uint64_t size() noexcept = 0;

  /// The first byte from `offset` on that may be something else than zero, as far as the file system knows.
  virtual std::uint64_t next_data(std::uint64_t offset) noexcept { return offset; }
};

/// A file, or why there is none.
struct OpenedFile {
  std::unique_ptr<BlockFile> file;
  int error = 0;
};

/// Where files are: a file system, or a simulated one.
class Volume {
 public:
  Volume() = default;
  Volume(const Volume&) = delete;
  Volume& operator=(const Volume&) = delete;
  virtual ~Volume() = default;

  /// An existing file; ENOENT when there is none.
  virtual OpenedFile open(const std::filesystem::path& path) noexcept = 0;
  /// A new, empty file; what has the name is emptied.
  virtual OpenedFile create(const std::filesystem::path& path) noexcept = 0;
  /// What has the name `to` is replaced. A new name is durable when its folder is.
  [[nodiscard]] virtual int rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept = 0;
  /// What has the name `path` leads to `target`.
  [[nodiscard]] virtual int link(const std::filesystem::path& target, const std::filesystem::path& path) noexcept {
    return target == path ? EINVAL : ENOTSUP;
  }
  [[nodiscard]] virtual int remove(const std::filesystem::path& path) noexcept = 0;
  [[nodiscard]] virtual int sync_folder_of(const std::filesystem::path& path) noexcept = 0;

  /// Whether the time that a call takes says something about a device.
  virtual bool has_timing() const noexcept { return true; }
};

}  // namespace perdure::disk

#endif
