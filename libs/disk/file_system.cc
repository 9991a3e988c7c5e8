#include "disk/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "pool/copy_on_write.h"

namespace perdure::disk {
namespace {

class DirectFile final : public BlockFile {
 public:
  explicit DirectFile(int descriptor) : descriptor_(descriptor) {}
  ~DirectFile() override { close(descriptor_); }

  int write(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
    return write_with(offset, data, bytes, 0);
  }

  int write_durably(std::uint64_t offset, const void* data, std::size_t bytes) noexcept override {
    return write_with(offset, data, bytes, RWF_DSYNC);
  }

  int read(std::uint64_t offset, void* data, std::size_t bytes) noexcept override {
    auto* to = static_cast<std::byte*>(data);
    while (bytes != 0) {
      const ssize_t got = pread(descriptor_, to, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno;
      const auto part = static_cast<std::size_t>(got);
      to += part;
      offset += part;
      bytes -= part;
      // The end of the file; in its midst a direct read ends at a multiple of a sector, and goes on there.
      if (part == 0 || part % sector_bytes != 0) {
        std::memset(to, 0, bytes);
        return 0;
      }
    }
    return 0;
  }

  int sync() noexcept override {
    // Not again after an error: the kernel reports it once and takes the pages to be clean.
    return fdatasync(descriptor_) == 0 ? 0 : errno;
  }

  int resize(std::uint64_t bytes) noexcept override {
    while (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
      if (errno != EINTR) return errno;
    return 0;
  }

  std::uint64_t size() noexcept override {
    struct stat status{};
    return fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

  std::uint64_t next_data(std::uint64_t offset) noexcept override {
    const off_t data = lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
    if (data >= 0) return static_cast<std::uint64_t>(data);
    return errno == ENXIO ? ~std::uint64_t{0} : offset;  // none; or the file system does not tell
  }

 private:
  int write_with(std::uint64_t offset, const void* data, std::size_t bytes, int flags) noexcept {
    const iovec vector{const_cast<void*>(data), bytes};
    for (;;) {
      const ssize_t put = pwritev2(descriptor_, &vector, 1, static_cast<off_t>(offset), flags);
      if (put == static_cast<ssize_t>(bytes)) return 0;
      if (put >= 0) return EIO;  // written short: the disk is full or failing, and the rest would be no one write
      if (errno != EINTR) return errno;
    }
  }

  int descriptor_;
};

OpenedFile open_with(const std::filesystem::path& path, int flags) noexcept {
  const int descriptor = ::open(path.c_str(), O_DIRECT | O_CLOEXEC | flags, 0666);
  if (descriptor < 0) return {nullptr, errno};
  if ((flags & O_CREAT) != 0) pool::write_in_place(descriptor);
  auto* const file = new (std::nothrow) DirectFile(descriptor);
  if (file == nullptr) {
    close(descriptor);
    return {nullptr, ENOMEM};
  }
  return {std::unique_ptr<BlockFile>(file), 0};
}

}  // namespace

OpenedFile FileSystem::open(const std::filesystem::path& path) noexcept {
  OpenedFile opened = open_with(path, O_RDWR);
  // Who only reads may come to know so, too; writing fails.
  return opened.error == EACCES || opened.error == EROFS ? open_with(path, O_RDONLY) : std::move(opened);
}

OpenedFile FileSystem::create(const std::filesystem::path& path) noexcept {
  return open_with(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW);
}

int FileSystem::rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int FileSystem::link(const std::filesystem::path& target, const std::filesystem::path& path) noexcept {
  return symlink(target.c_str(), path.c_str()) == 0 ? 0 : errno;
}

int FileSystem::remove(const std::filesystem::path& path) noexcept { return unlink(path.c_str()) == 0 ? 0 : errno; }

int FileSystem::sync_folder_of(const std::filesystem::path& path) noexcept {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return error;
}

}  // namespace perdure::disk
