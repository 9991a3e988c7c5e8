#ifndef PERDURE_DISK_FILE_SYSTEM_H
#define PERDURE_DISK_FILE_SYSTEM_H

#include "disk/block_file.h"

namespace perdure::disk {

/// The files of this machine, by plain system calls with O_DIRECT. Where the file system does not know that, `open` and
/// `create` fail with EINVAL.
class FileSystem final : public Volume {
 public:
  OpenedFile open(const std::filesystem::path& path) noexcept override;
  OpenedFile create(const std::filesystem::path& path) noexcept override;
  [[nodiscard]] int rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept override;
  [[nodiscard]] int link(const std::filesystem::path& target, const std::filesystem::path& path) noexcept override;
  [[nodiscard]] int remove(const std::filesystem::path& path) noexcept override;
  [[nodiscard]] int sync_folder_of(const std::filesystem::path& path) noexcept override;
};

}  // namespace perdure::disk

#endif
