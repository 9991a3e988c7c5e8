#ifndef PERDURE_TESTS_POOL_SMALL_DISK_H
#define PERDURE_TESTS_POOL_SMALL_DISK_H

#include <sys/mount.h>

#include <cerrno>
#include <cstring>

#include "pool_test.h"

namespace perdure::testing {

/// A small file system of its own for each test. Skipped where mounting one is not permitted.
class SmallDiskTest : public PoolTest {
 protected:
  explicit SmallDiskTest(const char* size = "size=8m") : size_(size) {}

  void SetUp() override {
    if (mount("tmpfs", directory_.c_str(), "tmpfs", 0, size_) != 0)
      GTEST_SKIP() << "mounting a small tmpfs is not permitted: " << std::strerror(errno);
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) umount2(directory_.c_str(), MNT_DETACH);
  }

  std::size_t available() const { return std::filesystem::space(directory_).available; }

  /// Leaves `bytes` free on the disk.
  void leave(std::size_t bytes) {
    const std::size_t free = available();
    std::ofstream file(in_directory("ballast"), std::ios::binary | std::ios::trunc);
    file << std::string(free - bytes, 'x');
  }

  const char* size_;
  bool mounted_ = false;
};

}  // namespace perdure::testing

#endif
