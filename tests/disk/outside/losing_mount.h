#ifndef PERDURE_TESTS_DISK_LOSING_MOUNT_H
#define PERDURE_TESTS_DISK_LOSING_MOUNT_H

#include <filesystem>
#include <thread>

#include "losing_files.h"

struct fuse;

namespace perdure::outside {

/// The files, mounted in a folder of their own, which goes with it: a file system of this machine, served by a thread
/// of this process. For root, where /dev/fuse is.
class LosingMount {
 public:
  /// \throws std::runtime_error
  explicit LosingMount(LosingFiles& files);
  LosingMount(const LosingMount&) = delete;
  LosingMount& operator=(const LosingMount&) = delete;
  ~LosingMount();

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  fuse* handle_;
  std::thread thread_;
};

}  // namespace perdure::outside

#endif
