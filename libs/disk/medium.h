#ifndef PERDURE_DISK_MEDIUM_H
#define PERDURE_DISK_MEDIUM_H

#include <cstdint>
#include <filesystem>

namespace perdure::disk {

/// What lies below a path, as far as its file system says.
enum class Below : std::uint8_t {
  disk,    ///< a device of this machine, as far as can be told
  memory,  ///< tmpfs, ramfs: gone when the power is
  network  ///< another machine, whose promises nobody knows here
};

/// By its folder, where there is no such file. \throws PoolError (no such folder, no permission, system).
Below what_lies_below(const std::filesystem::path& path);

}  // namespace perdure::disk

#endif
