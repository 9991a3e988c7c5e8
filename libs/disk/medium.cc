#include "disk/medium.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "pool/refuse.h"

namespace perdure::disk {
namespace {

// Those that the kernel's header does not have.
constexpr std::uint32_t cifs = 0xff534d42;
constexpr std::uint32_t smb2 = 0xfe534d42;
constexpr std::uint32_t lustre = 0x0bd00bd0;
constexpr std::array<std::uint32_t, 9> networks = {NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC, cifs,   smb2,
                                                   CEPH_SUPER_MAGIC, AFS_SUPER_MAGIC, lustre, CODA_SUPER_MAGIC,
                                                   V9FS_MAGIC};

}  // namespace

Below what_lies_below(const std::filesystem::path& path) {
  struct statfs status{};
  int failed = statfs(path.c_str(), &status);
  if (failed != 0 && errno == ENOENT)
    failed = statfs(path.has_parent_path() ? path.parent_path().c_str() : ".", &status);
  if (failed != 0) pool::refuse_errno(errno, path, "asking for its file system");
  const auto type = static_cast<std::uint32_t>(status.f_type);
  if (type == TMPFS_MAGIC || type == RAMFS_MAGIC) return Below::memory;
  return std::ranges::find(networks, type) != networks.end() ? Below::network : Below::disk;
}

}  // namespace perdure::disk
