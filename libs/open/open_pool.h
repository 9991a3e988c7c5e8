#ifndef PERDURE_OPEN_OPEN_POOL_H
#define PERDURE_OPEN_OPEN_POOL_H

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "alloc/heap.h"
#include "disk/pool_log.h"
#include "open/background_mark.h"
#include "perdure/pool.h"
#include "pool/mapping.h"
#include "sched/fork_gate.h"

namespace perdure::opening {

/// Who marks after a crash. Where the library does not allow it, and in a pool that is open for reading, everything is
/// marked at once.
enum class Marking : std::uint8_t {
  in_background,
  at_once,  ///< before the pool is handed over
  by_hand   ///< the caller, by way of `heap().mark()`
};

/// A pool that is open: what stands behind perdure::Pool.
class OpenPool {
 public:
  /// Maps, validates, recovers if need be, and hands over to transactions.
  /// \throws PoolError, see Pool::open.
  OpenPool(const std::filesystem::path& path, const OpenOptions& options);
  OpenPool(const std::filesystem::path& path, const OpenOptions& options, Marking marking);
  OpenPool(const OpenPool&) = delete;
  OpenPool& operator=(const OpenPool&) = delete;
  /// Closes; where that fails, the file stays marked as in use and the next open recovers.
  ~OpenPool();

  /// \throws PoolError when the disk fails; the pool is then no longer open, and the next open recovers it.
  void close();

  /// Closes, and gives back all disk space that is free; the file ends with the last superblock in use.
  /// \throws PoolError like `close`.
  void trim();

  /// Reserves disk space for so many superblocks, which they keep also when they are free: until the pool is trimmed,
  /// in all opens to come.
  /// \throws PoolError (Kind::no_space); then nothing is kept that was not before.
  void grow(std::uint64_t superblocks);

  // What perdure::Pool promises. \throws DurabilityError
  void sync();
  std::uint64_t durable_up_to() const noexcept { return log_ ? log_->durable() : 0; }
  void on_durable(std::function<void(bool)> function);
  int durable_event() { return log_ ? log_->durable_event() : -1; }

  /// Waits for the mark. \returns the report, complete.
  const OpenReport& wait_for_mark() noexcept;

  /// For programs that use what lies in the pool, on standard error: to read constants that they lack gives nothing
  /// that makes sense. (Functions that are missing say so when they are called.)
  void warn_of_missing_constants() const;

  const OpenReport& report() const noexcept { return report_; }
  const std::filesystem::path& path() const noexcept { return mapping_.path(); }
  pool::Mapping& mapping() noexcept { return mapping_; }
  const pool::Mapping& mapping() const noexcept { return mapping_; }
  alloc::Heap& heap() noexcept { return heap_; }
  const alloc::Heap& heap() const noexcept { return heap_; }
  roots::RootTable& root_table() const noexcept { return mapping_.root_table(); }

 private:
  void rebuild(bool marks_exactly);
  void recover(bool marks_exactly);
  void replay();
  void require_sound_roots();
  void require_code() const;
  void hand_over(std::size_t log_budget, Marking marking);
  void hand_over_for_reading();
  void finish_rebuild(Marking marking);
  void close_heap();

  /// While this is made, and while it is destroyed: a child could do nothing with half of it.
  std::optional<sched::ForkGate::Hold> no_fork_{std::in_place};
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();  // before the file is opened
  OpenReport report_;
  std::unique_ptr<disk::PoolLog> log_;  // of a pool on a disk: made before it is mapped
  pool::Mapping mapping_;
  alloc::Heap heap_;
  std::optional<BackgroundMark> background_mark_;
  pid_t owner_;  // a forked child may not close its parent's pool
  alloc::GiveBack at_close_ = alloc::GiveBack::surplus;
  bool open_ = false;
};

}  // namespace perdure::opening

#endif
