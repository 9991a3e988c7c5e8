#ifndef PERDURE_DISK_LOG_RING_H
#define PERDURE_DISK_LOG_RING_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>

#include "disk/append_buffer.h"
#include "disk/block_file.h"
#include "disk/block_memory.h"
#include "disk/group.h"
#include "disk/log_reader.h"
#include "disk/superblock.h"

namespace perdure::disk {

/// How a log is used, beside what its superblock says.
struct LogUse {
  unsigned in_flight = most_in_flight;              ///< writes at once, where the method allows it
  std::size_t buffer_bytes = std::size_t{4} << 20;  ///< of records that are in no group yet
  std::size_t group_bytes = most_group_bytes;       ///< of the stream, in a group
  std::uint64_t checkpoint_percent = 50;            ///< of the ring: when so much is in use, `on_filling` is called
  std::function<void()> on_filling{};               ///< by threads that commit, perhaps often: returns at once
  std::function<void()> on_durable{};               ///< more is durable than before; likewise
};

/// The log of a pool on a disk, while the pool is open: many threads append records, and wait until they are durable.
///
/// One write makes durable what all of them have appended. There is no thread for that, and no timer: a thread that
/// waits takes everything that is there, as a group, and writes it, unless as many groups are being written as the
/// device gains from. What comes meanwhile is the next group, which one of those who wait for it writes.
///
/// What is durable is always a prefix of the stream: groups count in their order, though they may become durable in
/// any. So a record may rely on all that were appended before it.
///
/// After an error nothing becomes durable any more (`DurabilityError`): what the device holds is not known then.
class LogRing {
 public:
  /// A group on its way.
  struct Group {
    BlockMemory* memory = nullptr;
    std::uint64_t number = 0;
    std::uint64_t block = 0;
    std::uint64_t end = 0;  // position
    std::size_t bytes = 0;  // whole blocks
    bool is_written = false;
  };

  /// Writes into the buffer, within `append`.
  class Cursor {
   public:
    Cursor(AppendBuffer& buffer, std::uint64_t position) : buffer_(buffer), position_(position) {}
    void put(const void* data, std::size_t bytes) {
      buffer_.put(position_, data, bytes);
      position_ += bytes;
    }

   private:
    AppendBuffer& buffer_;
    std::uint64_t position_;
  };

  /// \param path  of the pool, for messages.
  /// \param end  where the log ends, as it was read; a new run begins there.
  LogRing(BlockFile& file, const std::filesystem::path& path, const Superblock& superblock, const LogEnd& end,
          const LogUse& use = {});

  /// Says durably that a new run begins: what lies behind, of an earlier one, never counts again. Before all else.
  /// \returns 0 or an errno.
  [[nodiscard]] int begin_run() noexcept;

  // -- commits --

  /// Waits while the log is full. Before anything is locked that a checkpoint may wait for.
  /// \throws DurabilityError
  void admit() {
    if (free_blocks() < headroom_ || error() != 0) [[unlikely]]
      wait_for_space();
  }

  /// Of one record; what is longer is appended in several, by its writer.
  std::size_t most_payload_bytes() const { return buffer_.size() / 4; }

  /// Appends a record of `payload_bytes`, a multiple of 8 and at most `most_payload_bytes()`, which
  /// `fill(Cursor&)` puts there. It is not durable yet.
  /// \returns its end: what to wait for.
  template <class Fill>
  std::uint64_t append(std::uint32_t tag, std::size_t payload_bytes, Fill&& fill) {
    const std::size_t bytes = record_head_bytes + payload_bytes;
    const std::uint64_t position = buffer_.reserve(bytes);
    const std::uint64_t end = position + bytes;
    // (A log that is poisoned takes nothing any more; whoever waits for the record is told.)
    if (!buffer_.has_room(end) && !make_room(end)) [[unlikely]]
      return end;
    Cursor cursor(buffer_, position + record_head_bytes);
    fill(cursor);
    buffer_.publish(position, record_head(static_cast<std::uint32_t>(bytes), tag));
    return end;
  }
  std::uint64_t append(std::uint32_t tag, std::span<const std::uint64_t> payload) {
    return append(tag, payload.size_bytes(), [&](Cursor& cursor) { cursor.put(payload.data(), payload.size_bytes()); });
  }

  /// Returns when everything before `position` is durable. \throws DurabilityError
  void await(std::uint64_t position) { await(position, false); }
  bool is_durable(std::uint64_t position) const { return durable() >= position; }

  /// Acquire: who knows that something is durable knows what happened before that.
  std::uint64_t durable() const { return durable_.load(std::memory_order_acquire); }
  std::uint64_t appended() const { return buffer_.reserved(); }
  /// Bytes of records that no group holds yet.
  std::uint64_t waiting_bytes() const { return appended() - buffer_.released(); }

  /// 0, or the error after which nothing becomes durable any more.
  int error() const { return error_.load(std::memory_order_acquire); }
  void poison(int error) noexcept;
  /// \throws DurabilityError
  void require_sound() const;

  // -- checkpoints --

  /// Everything that was appended before this point is in a group. A checkpoint begins here.
  LogPoint mark();
  /// The image holds what was appended before, durably, and so says its superblock: the blocks may be written over.
  void free_before(const LogPoint& point) noexcept;
  /// As `await`, for a checkpoint: it may use the space that is left for this when the log is full.
  void await_for_checkpoint(std::uint64_t position) { await(position, true); }
  std::uint64_t used_blocks() const { return next_block_.load(std::memory_order_acquire) - freed(); }
  std::uint64_t run() const { return run_; }

  // -- the steps of `await`, for tests that take them in another order --

  /// What a thread finds that wants to write.
  enum class Cut : std::uint8_t { made, window_full, nothing_published, log_full };
  Cut cut(Group*& group);
  [[nodiscard]] int write(Group& group) noexcept;
  void complete(Group& group, int error) noexcept;

 private:
  static constexpr std::size_t turn_count = 8;
  static_assert(turn_count > most_in_flight + 1, "groups that somebody may wait for have words of their own");

  /// What a thread does that waits.
  struct Turn {
    Group* lead = nullptr;  // a group to write
    Cut otherwise = Cut::window_full;
    std::uint64_t number = 0;  // of the group to wait for
    std::uint32_t seen = 0;    // its word
  };

  void await(std::uint64_t position, bool for_checkpoint);
  Turn next_turn(std::uint64_t position);
  bool make_room(std::uint64_t end);
  void lead(Group& group) noexcept;
  void wait_for_space();
  void sleep_until_freed(std::uint64_t freed);
  void wake_up(std::uint64_t first, std::uint64_t end, std::uint64_t next) noexcept;
  void rewrite_last_block(const Group& group) noexcept;

  // With the lock.
  Cut cut_locked(Group*& group);
  Group& place_for(std::uint64_t number) { return groups_[number % most_in_flight]; }
  bool is_worth_a_group() const;
  std::uint64_t room_at(std::uint64_t block) const;
  void fill_head(Group& group, std::uint64_t bytes, std::uint64_t begins_run);
  std::uint64_t number_of_group_with(std::uint64_t position);

  std::uint64_t freed() const { return freed_.load(std::memory_order_acquire); }
  std::uint64_t free_blocks() const { return blocks_ - used_blocks(); }
  std::atomic<std::uint32_t>& turn_of(std::uint64_t number) { return turns_[number % turn_count].word; }

  BlockFile& file_;
  const std::filesystem::path path_;
  const std::uint64_t seed_;
  const std::uint64_t blocks_;
  const SyncMethod method_;
  const LogUse use_;
  const std::uint64_t window_;    // groups in flight, at most
  const std::uint64_t headroom_;  // blocks: for what is under way when the log is full
  const std::uint64_t run_;
  AppendBuffer buffer_;

  alignas(64) std::mutex lock_;
  std::array<BlockMemory, most_in_flight> memory_;
  std::array<Group, most_in_flight> groups_{};
  LogPoint cut_;               // where the next group begins
  std::uint64_t next_record_;  // the first that begins there or behind
  std::uint64_t oldest_ = 0;   // number of the oldest group that is not durable
  std::uint64_t next_ = 0;     // number of the next group

  alignas(64) std::atomic<std::uint64_t> durable_;
  std::atomic<int> error_{0};
  std::atomic<std::uint64_t> next_block_;  // as in cut_
  std::atomic<std::uint64_t> freed_;       // number of the first block in use
  std::atomic<std::uint32_t> space_{0};    // changes with freed_: to sleep on

  struct alignas(64) TurnWord {
    std::atomic<std::uint32_t> word{0};
  };
  std::array<TurnWord, turn_count> turns_;  // one changes when its group is durable: to sleep on
};

}  // namespace perdure::disk

#endif
