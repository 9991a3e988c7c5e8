#ifndef PERDURE_DISK_POOL_LOG_H
#define PERDURE_DISK_POOL_LOG_H

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>

#include "disk/block_file.h"
#include "disk/dirty_pages.h"
#include "disk/log_ring.h"
#include "disk/superblock.h"
#include "pool/format.h"
#include "pool/window.h"

namespace perdure::disk {

/// What makes a pool on a disk durable. Its file, the image, is mapped privately: stores stay in memory. Each change is
/// a record in the log beside the file; now and then a checkpoint writes the pages that have changed to the image, by
/// calls of our own, so that the log can be used again. Opening replays the log over the image, before that is mapped.
///
/// A change goes through these steps: `admit`, `append`, the stores (which may also come first, where nobody else can
/// write the same words), `changed` for each range, `leave`. Between `admit` and `leave` no checkpoint begins, so a
/// checkpoint finds in memory all that was appended before it. The thread then waits, or does other things and waits
/// later: `await_durable`, `await_noted`.
class PoolLog {
 public:
  enum class Admission : std::uint8_t { admitted, too_large, poisoned };

  /// Recovers the image: what the log holds is in it, durably. May be cut short and done again. The pool's file is
  /// locked, and not mapped yet.
  /// \throws PoolError
  explicit PoolLog(const std::filesystem::path& pool);
  PoolLog(const PoolLog&) = delete;
  PoolLog& operator=(const PoolLog&) = delete;
  ~PoolLog();

  /// The image is mapped at `base`: changes are logged from now on.
  void attach(std::byte* base);
  /// Writes everything to the image and empties the log. No transaction runs any more. \throws PoolError
  void close();

  /// For a record of `bytes`. Waits for room, and makes it.
  Admission admit(std::size_t bytes);
  /// `words` is what log/disk_commit.h describes.
  void append(std::span<const std::uint64_t> words);
  void changed(std::uint64_t address, std::size_t bytes) {
    dirty_.mark(address - reinterpret_cast<std::uintptr_t>(base_), bytes);
  }
  void leave();

  /// All of it for a range that the thread alone may write to, and has written to.
  void note(const void* address, std::size_t bytes) noexcept;

  const std::byte* base() const { return base_; }

  /// Returns when what was appended so far is durable: what this thread may have seen, or done. Of a log that is
  /// poisoned, only for a thread that has appended to it. \throws DurabilityError
  void await_durable();
  /// The same for what this thread has noted, in whichever pool. An error is for whoever commits.
  static void await_noted() noexcept;

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// What this thread has appended, and not awaited: blocks that are kept free for it.
  struct Unawaited {
    PoolLog* log = nullptr;
    std::uint64_t blocks = 0;
  };
  static thread_local constinit Unawaited unawaited_;

  void release_reservation() noexcept;
  void checkpoint(Lock& lock);
  int write_checkpoint() noexcept;
  void checkpoint_when_filled();

  const std::filesystem::path path_;
  std::unique_ptr<BlockFile> image_;
  std::unique_ptr<BlockFile> file_;
  Superblocks superblocks_;
  std::unique_ptr<LogRing> ring_;
  DirtyPages dirty_;
  std::byte* base_ = nullptr;

  std::mutex mutex_;
  std::condition_variable moved_;  // what follows
  std::uint64_t blocks_ = 0;       // of the ring
  std::uint64_t reserved_ = 0;     // blocks that records may need which are in no group yet
  std::uint64_t next_number_ = 0;  // of a record that has several parts
  unsigned active_ = 0;            // threads between `admit` and `leave`
  bool checkpointing_ = false;
};

namespace detail {
inline constinit std::array<std::atomic<PoolLog*>, pool::slot_count> pool_logs{};
inline constinit std::atomic<unsigned> logs_in_use{0};
}  // namespace detail

/// Whether any pool that is open has a log. One load: asked at each commit.
inline bool has_logs() noexcept { return detail::logs_in_use.load(std::memory_order_relaxed) != 0; }

/// The log of the pool at `address`, which is in the window; null when it has none. Acquire: it is seen complete.
inline PoolLog* log_of(const void* address) noexcept {
  return detail::pool_logs[pool::slot_of(address)].load(std::memory_order_acquire);
}

/// A transaction of this thread is over. Returns when all that it has seen or done is durable. \throws DurabilityError
void await_durable();

}  // namespace perdure::disk

#endif
