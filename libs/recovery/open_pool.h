#ifndef PERDURE_RECOVERY_OPEN_POOL_H
#define PERDURE_RECOVERY_OPEN_POOL_H

#include <sys/types.h>

#include <chrono>

#include "alloc/heap.h"
#include "perdure/pool.h"
#include "pool/mapping.h"

namespace perdure::recovery {

/// A pool that is open: what stands behind perdure::Pool.
class OpenPool {
 public:
  /// Maps, validates, recovers if need be, and hands over to transactions.
  /// \throws PoolError, see Pool::open.
  OpenPool(const std::filesystem::path& path, const OpenOptions& options);
  OpenPool(const OpenPool&) = delete;
  OpenPool& operator=(const OpenPool&) = delete;
  /// Closes; where that fails, the file stays marked as in use and the next open recovers.
  ~OpenPool();

  /// \throws PoolError when the disk fails; the pool is then no longer open, and the next open recovers it.
  void close();

  const OpenReport& report() const noexcept { return report_; }
  const std::filesystem::path& path() const noexcept { return mapping_.path(); }
  pool::Mapping& mapping() noexcept { return mapping_; }
  const pool::Mapping& mapping() const noexcept { return mapping_; }
  alloc::Heap& heap() noexcept { return heap_; }
  roots::RootTable& root_table() const noexcept { return mapping_.root_table(); }

 private:
  void rebuild();
  void recover();
  void require_sound_roots();
  void hand_over(std::size_t log_budget);
  void hand_over_for_reading();

  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();  // before the file is opened
  pool::Mapping mapping_;
  alloc::Heap heap_;
  OpenReport report_;
  pid_t owner_;  // a forked child may not close its parent's pool
  bool open_ = false;
};

}  // namespace perdure::recovery

#endif
