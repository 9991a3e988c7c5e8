#ifndef PERDURE_DISK_MAKE_LOG_H
#define PERDURE_DISK_MAKE_LOG_H

#include <cstddef>
#include <filesystem>

namespace perdure::disk {

/// Gives a pool, which was closed and is locked, its log: makes the file, and says so in the header.
/// \throws PoolError; the pool has no log then, and can be used as before.
struct LogToMake {
  std::size_t bytes = 0;           ///< 0: by `size_limit`, which is 0 where there is none
  std::size_t size_limit = 0;      ///< of the pool
  std::filesystem::path folder{};  ///< empty: that of the pool
};
void make_log(const std::filesystem::path& pool, const LogToMake& wanted);

/// Whether its file system allows for one, as far as that can be told before it is made.
bool can_have_log(const std::filesystem::path& pool);

/// Whether a pool was closed whose log is not there, or of another time: its file was copied, or restored. It gets
/// another one by `make_log`. \throws PoolError
bool is_whole_without_log(const std::filesystem::path& pool);

/// Takes the log away from a pool that is locked: afterwards its file is the whole pool. \throws PoolError; then it has
/// its log.
void remove_log(const std::filesystem::path& pool);

/// The size of its log, in bytes, as OpenOptions::log_bytes; 0 when it has none.
std::size_t log_bytes(const std::filesystem::path& pool);

/// Whether it is a pool that has one. Nothing is said of whether it can be opened.
bool has_log(const std::filesystem::path& pool);

}  // namespace perdure::disk

#endif
