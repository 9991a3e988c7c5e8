#ifndef PERDURE_DISK_POOL_LOG_H
#define PERDURE_DISK_POOL_LOG_H

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "disk/block_file.h"
#include "disk/checkpointer.h"
#include "disk/commit_position.h"
#include "disk/dirty_pages.h"
#include "disk/durable_time.h"
#include "disk/flusher.h"
#include "disk/log_ring.h"
#include "disk/page_sums.h"
#include "disk/private_pages.h"
#include "disk/reservations.h"
#include "disk/superblock.h"
#include "pool/format.h"
#include "pool/window.h"

namespace perdure::disk {

/// What makes a pool on a disk durable. Its file, the image, is mapped privately: stores stay in memory. Each change is
/// a record in the log beside the file; now and then a checkpoint writes the pages that have changed to the image, by
/// calls of our own, so that the log can be used again. Opening replays the log over the image, before that is mapped.
///
/// A change goes through these steps: `admit`, `append`, the stores (which may also come first, where nobody else can
/// write the same words), `changed` for each range, `leave`. Whoever has been admitted waits for nobody until it
/// leaves. So a checkpoint can wait for those who have: then all that was appended before it began is in memory, and in
/// pages that are marked. The thread then waits, or does other things and waits later: `await_durable`, `await_noted`.
class PoolLog {
 public:
  enum class Admission : std::uint8_t { admitted, too_large, poisoned };
  using Lag = std::chrono::milliseconds;
  struct Options {
    std::optional<Lag> lag;  ///< transactions return at once, and are durable that much later at most
    /// Of pages that were stored to; more than that is given up when a checkpoint has written it.
    std::uint64_t memory_bytes = ~std::uint64_t{0};
    bool verifies_all = false;  ///< reads the whole image when it is opened, and refuses it if a page is damaged
  };

  /// Recovers the image: what the log holds is in it, durably. May be cut short and done again. The pool's file is
  /// locked, and not mapped yet.
  /// \throws PoolError
  PoolLog(const std::filesystem::path& pool, const Options& options);
  PoolLog(const PoolLog&) = delete;
  PoolLog& operator=(const PoolLog&) = delete;
  ~PoolLog();

  /// What a crash had left in the log: records, and their bytes.
  std::uint64_t replayed_records() const { return replayed_records_; }
  std::uint64_t replayed_bytes() const { return replayed_bytes_; }

  /// The image is mapped at `base`, with room for `bytes`: changes are logged from now on. \throws PoolError when there
  /// can be no threads.
  void attach(std::byte* base, std::uint64_t bytes);
  /// Writes everything to the image and empties the log. No transaction runs any more. \throws PoolError
  void close();

  /// For a record of `bytes`. Waits for room.
  Admission admit(std::size_t bytes);
  /// Whether there can be a record of `bytes`.
  Admission would_admit(std::size_t bytes) const;
  /// Of a commit. `words` is what log/disk_commit.h describes.
  void append(std::span<const std::uint64_t> words);
  void changed(std::uint64_t address, std::size_t bytes) {
    dirty_->mark(address - reinterpret_cast<std::uintptr_t>(base_), bytes);
  }
  void leave();

  /// All of it for a range that the thread alone may write to, and has written to.
  void note(const void* address, std::size_t bytes) noexcept;
  /// The same for what may be written to outside of transactions.
  void note_change(const void* address, std::size_t bytes) noexcept;

  /// The thread runs alone, and stores in place what a crash must take back: from here on to `unpin` there is no
  /// checkpoint. Half of the log is kept for the record of what it has changed, for which it is admitted.
  Admission pin();
  std::size_t most_pinned_bytes() const {
    return (blocks_ / 2 - room_beside_record) * (block_bytes - sizeof(GroupHead));
  }
  void unpin();

  const std::byte* base() const { return base_; }
  bool is_poisoned() const { return ring_->error() != 0; }
  void poison(int error) noexcept { ring_->poison(error); }

  // -- acknowledgement --

  /// A transaction of this thread is over. Returns when what it may have seen, or has done, is durable. At once where
  /// the acknowledgement is relaxed. Of a log that is poisoned, an error only for a thread that has appended to it.
  /// \param newest_seen  no commit after this time of the commit clock has it seen.
  /// \throws DurabilityError
  void acknowledge(Acknowledgement how, std::uint64_t newest_seen);
  /// Returns when all that this thread has noted is durable, in whichever pools. An error is for whoever commits.
  static void await_noted() noexcept;

  /// Numbers of positions in the stream of records: what lies before is durable, or has been appended.
  std::uint64_t durable() const { return ring_->durable(); }
  std::uint64_t appended() const { return ring_->appended(); }
  /// \throws DurabilityError
  void await(std::uint64_t position) { ring_->await(position); }
  void require_sound() const { ring_->require_sound(); }

  /// Has `function(true)` called when all that was appended so far is durable, or `function(false)` when it will never
  /// be known to be: once, in a thread of the log. It must not throw.
  void on_durable(std::function<void(bool)> function);
  /// A descriptor (eventfd, not blocking) that becomes readable whenever something has become durable; -1 when there
  /// can be none (errno). The log closes it.
  int durable_event();

  /// Up to which time of the commit clock all commits are durable here that a transaction of this thread has seen which
  /// is over, or about to be; 0: not known.
  std::uint64_t durable_time() const noexcept { return durable_time_.now(); }

  CommitPosition position() const { return {slot(), opening_, appended()}; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  static constexpr std::uint64_t room_beside_record = 8;

  struct Waiting {
    std::uint64_t position;
    std::function<void(bool)> function;
  };

  std::size_t slot() const { return pool::slot_of(base_); }
  std::uint64_t bit() const { return std::uint64_t{1} << slot(); }
  void note_commit(std::uint64_t end) const;
  std::uint64_t end_of_what_was_seen(std::uint64_t newest_seen) noexcept;
  bool has_room(std::uint64_t blocks) const;
  Admission enter(std::uint64_t blocks);
  void make_room(Lock& lock, std::uint64_t blocks);
  void request_checkpoint_when_filled();
  void checkpoint(bool closes = false);
  void await_changers();
  void rest(const PageExtent& extent);
  void begin_sums();
  void call_those_who_wait();
  void note_lost() const;
  void tell_event() noexcept;
  void give_memory_back();

  const std::filesystem::path path_;
  const Options options_;
  std::unique_ptr<BlockFile> image_;
  std::unique_ptr<BlockFile> file_;
  Superblocks superblocks_;
  std::optional<PageSums> sums_;
  std::unique_ptr<LogRing> ring_;
  DurableTime durable_time_;
  std::optional<DirtyPages> dirty_;  // with the next ones, since the image is mapped
  std::optional<PrivatePages> private_;
  std::byte* base_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t opening_ = 0;
  std::uint64_t replayed_records_ = 0;
  std::uint64_t replayed_bytes_ = 0;
  std::atomic<int> event_{-1};

  std::mutex checkpoint_mutex_;  // who has it makes a checkpoint, or is pinned
  std::mutex mutex_;
  std::condition_variable moved_;  // what follows
  std::uint64_t blocks_ = 0;       // of the ring
  Reservations reserved_;
  std::uint64_t next_number_ = 0;  // of a record that has several parts
  unsigned active_ = 0;            // threads between `admit` and `leave`
  bool is_closing_ = false;        // in the thread that closes
  bool stopping_ = false;          // a checkpoint waits for them
  std::uint64_t checkpoints_ = 0;  // that are over

  std::mutex waiting_mutex_;
  std::vector<Waiting> waiting_;  // for `on_durable`

  // Last, so that the threads end first.
  std::unique_ptr<PageCopier> pages_;
  std::unique_ptr<Checkpointer> checkpointer_;
  std::unique_ptr<Flusher> flusher_;
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

/// As PoolLog::durable_time, for whatever a transaction may have read. Nothing is known of several logs.
std::uint64_t durable_time() noexcept;

/// A transaction of this thread is over: `acknowledge` for each log, as the transaction has asked. \throws
/// DurabilityError
void acknowledge_commit();

/// It was rolled back: it has appended nothing that anybody waits for.
void forget_commit() noexcept;

}  // namespace perdure::disk

#endif
