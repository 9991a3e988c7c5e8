#include "pool/copy_on_write.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>

#include <cstdint>

namespace perdure::pool {
namespace {

bool is_on_btrfs(int descriptor) noexcept {
  struct statfs status{};
  return fstatfs(descriptor, &status) == 0 && static_cast<std::uint32_t>(status.f_type) == BTRFS_SUPER_MAGIC;
}

/// -1 when they cannot be read.
int flags_of(int descriptor) noexcept {
  int flags = 0;
  return ioctl(descriptor, FS_IOC_GETFLAGS, &flags) == 0 ? flags : -1;
}

}  // namespace

void write_in_place(int descriptor) noexcept {
  if (!is_on_btrfs(descriptor)) return;
  int flags = flags_of(descriptor);
  if (flags < 0) return;
  flags |= FS_NOCOW_FL;
  [[maybe_unused]] const int done = ioctl(descriptor, FS_IOC_SETFLAGS, &flags);
}

bool is_copied_on_write(int descriptor) noexcept {
  if (!is_on_btrfs(descriptor)) return false;
  const int flags = flags_of(descriptor);
  return flags < 0 || (flags & FS_NOCOW_FL) == 0;
}

}  // namespace perdure::pool
