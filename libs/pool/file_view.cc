#include "pool/file_view.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "persist/domain.h"
#include "pool/header.h"

namespace perdure::pool {

std::optional<FileView> FileView::open(const std::filesystem::path& path) {
  struct stat status{};
  // Before opening: opening a device or a pipe can have effects of its own.
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  const auto header = find_header(descriptor);
  void* mapped = MAP_FAILED;
  const bool is_whole = fstat(descriptor, &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= bytes;
  if (header && is_whole && header->version == format_version) {
    // The crash simulator knows the lines of a pool by its address.
    void* const wish = persistence::is_simulated ? reinterpret_cast<void*>(header->address) : nullptr;
    mapped = mmap(wish, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  }
  close(descriptor);
  if (mapped == MAP_FAILED) return std::nullopt;
  return FileView(*header, static_cast<std::byte*>(mapped));
}

std::byte* FileView::own_base() {
  void* const own = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (own == MAP_FAILED) throw std::bad_alloc();
  std::memcpy(own, base_, bytes);
  munmap(std::exchange(base_, static_cast<std::byte*>(own)), bytes);
  return base_;
}

FileView::~FileView() {
  if (base_ != nullptr) munmap(base_, bytes);
}

}  // namespace perdure::pool
