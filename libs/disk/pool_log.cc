#include "disk/pool_log.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "disk/change_record.h"
#include "disk/checkpoint.h"
#include "disk/image_file.h"
#include "disk/log_file.h"
#include "disk/recover_image.h"
#include "disk/this_thread.h"
#include "disk/verify_image.h"
#include "perdure/error.h"
#include "persist/durable.h"
#include "persist/fault.h"
#include "pool/fork.h"
#include "pool/refuse.h"
#include "sched/hourglass.h"
#include "sched/quiescence.h"

namespace perdure::disk {
namespace {

using persistence::Fault;
using persistence::is_seeded;
using std::filesystem::path;

constexpr std::size_t range_head_words = 2;

LogUse use_of(std::uint64_t blocks, std::uint64_t in_flight) {
  constexpr std::uint64_t share = 8;
  const std::size_t bytes = blocks * block_bytes / share;
  LogUse use;
  if (in_flight != 0) use.in_flight = static_cast<unsigned>(in_flight);
  use.buffer_bytes = std::min(use.buffer_bytes, bytes);
  use.group_bytes = std::min(use.group_bytes, bytes);
  return use;
}

// -- from what changes pools (persist/durable.h) ----------------------------------------------------------------------

constexpr persistence::ChangeLog changes = {
    [](const void* address, std::size_t bytes) noexcept {
      if (!pool::in_window(address)) return false;
      PoolLog* const log = log_of(address);
      if (log == nullptr) return false;
      if (!is_seeded(Fault::changes_not_logged)) log->note_change(address, bytes);
      return true;
    },
    &PoolLog::await_noted,
};

/// A child has no pools (pool/fork.h), and must not write to its parent's logs.
void forget_logs_of_parent() {
  for (std::atomic<PoolLog*>& log : detail::pool_logs) log.store(nullptr, std::memory_order_relaxed);
  detail::logs_in_use.store(0, std::memory_order_relaxed);
  persistence::change_log.store(nullptr, std::memory_order_relaxed);
}

}  // namespace

// -- opening ----------------------------------------------------------------------------------------------------------

PoolLog::PoolLog(const path& pool, const Options& options)
    : path_(pool),
      options_(options),
      image_(open_image(pool)),
      file_(open_log(volume(), log_path(pool), pool)),
      superblocks_(superblocks_of(*image_, *file_)) {
  const Superblock found = superblocks_.find(path_);
  sums_.emplace(volume(), path_, found);
  const LogEnd end = recover_image(*image_, *file_, superblocks_, *sums_, path_);
  replayed_records_ = end.records;
  replayed_bytes_ = end.point.position - found.begin.position;
  require_sound_pages(*image_, *sums_, options.verifies_all ? Extent::all : Extent::front, path_);
  begin_sums();
  blocks_ = superblocks_.current().blocks;
  LogUse use = use_of(blocks_, superblocks_.current().in_flight);
  use.on_durable = [this] { tell_event(); };
  ring_ = std::make_unique<LogRing>(*file_, path_, superblocks_.current(), end, use);
  require_done(ring_->begin_run(), path_, "writing its log");
}

/// The image is whole, but for what is damaged. From here on its superblock is another one each time that the pool is
/// opened: so the checksums are of no use to a copy of the pool from before, which may be restored.
void PoolLog::begin_sums() {
  if (sums_->state() != PageSums::State::right) sums_->make_anew(*image_);
  Superblock in_use = superblocks_.current();
  sums_->begin(in_use.stamp);
  in_use.stamp = sums_->complete();
  in_use.is_closed = 0;
  require_done(superblocks_.write(in_use), path_, "writing the superblocks of its log");
}

PoolLog::~PoolLog() {
  if (base_ == nullptr || pool::is_forked_child()) return;
  detail::pool_logs[pool::slot_of(base_)].store(nullptr, std::memory_order_release);
  detail::logs_in_use.fetch_sub(1);
  flusher_.reset();
  checkpointer_.reset();
  if (is_poisoned()) note_lost();
  if (const int event = event_.load(); event >= 0) ::close(event);
}

void PoolLog::attach(std::byte* base, std::uint64_t bytes) {
  [[maybe_unused]] static const bool is_hooked = (pool::add_fork_hook(forget_logs_of_parent), true);
  static std::atomic<std::uint64_t> openings{0};
  base_ = base;
  bytes_ = bytes;
  dirty_.emplace(bytes);
  private_.emplace(bytes);
  opening_ = openings.fetch_add(1) + 1;
  pages_ = std::make_unique<PageCopier>(
      base_, *dirty_, [this] { await_changers(); }, [this](const PageExtent& extent) { rest(extent); });
  try {
    checkpointer_ = std::make_unique<Checkpointer>([this] {
      checkpoint();
      if (private_->bytes() > options_.memory_bytes && !is_poisoned()) give_memory_back();
    });
    const Flusher::Lag lag{.time = options_.lag.value_or(Flusher::Lag{}.time)};
    flusher_ = std::make_unique<Flusher>(*ring_, lag, [this] { call_those_who_wait(); });
  } catch (const std::system_error& error) {
    base_ = nullptr;
    pool::refuse_errno(error.code().value(), path_, "starting the threads that write it");
  }
  detail::pool_logs[pool::slot_of(base)].store(this, std::memory_order_release);
  detail::logs_in_use.fetch_add(1);
  persistence::change_log.store(&changes, std::memory_order_release);
}

void PoolLog::close() {
  flusher_.reset();
  checkpointer_.reset();
  is_closing_ = true;
  checkpoint(true);
  if (const int error = ring_->error(); error != 0) pool::refuse_errno(error, path_, "writing it to disk");
}

// -- changes ----------------------------------------------------------------------------------------------------------

namespace {
/// In the worst case each record has a group of its own, and lies in two at the end of the ring.
std::uint64_t blocks_for(std::size_t bytes) { return bytes / (block_bytes - sizeof(GroupHead)) + 4; }
}  // namespace

PoolLog::Admission PoolLog::would_admit(std::size_t bytes) const {
  if (is_poisoned()) return Admission::poisoned;
  return blocks_for(bytes) > blocks_ / 2 ? Admission::too_large : Admission::admitted;
}

PoolLog::Admission PoolLog::admit(std::size_t bytes) {
  if (const Admission result = would_admit(bytes); result != Admission::admitted) return result;
  return enter(blocks_for(bytes));
}

bool PoolLog::has_room(std::uint64_t blocks) const {
  return blocks_ - ring_->used_blocks() >= reserved_.blocks() + blocks + 1;
}

PoolLog::Admission PoolLog::enter(std::uint64_t blocks) {
  Lock lock(mutex_);
  for (;;) {
    if (is_poisoned()) return Admission::poisoned;
    reserved_.release(ring_->durable());
    if (stopping_)
      moved_.wait(lock);
    else if (has_room(blocks))
      break;
    else
      make_room(lock, blocks);
  }
  reserved_.add(blocks);
  ++active_;
  this_thread.admitted_blocks = blocks;
  this_thread.appended |= bit();
  return Admission::admitted;
}

/// What is not durable is made so, which ends reservations; if that is not enough, a checkpoint is awaited.
void PoolLog::make_room(Lock& lock, std::uint64_t blocks) {
  const std::uint64_t seen = checkpoints_;
  if (this_thread.pinned != this) checkpointer_->request();
  lock.unlock();
  try {
    ring_->await(ring_->appended());
  } catch (const DurabilityError&) {
    // Found out by the caller.
  }
  lock.lock();
  reserved_.release(ring_->durable());
  if (has_room(blocks)) return;
  if (this_thread.pinned == this) ring_->poison(ENOSPC);  // there can be no checkpoint
  moved_.wait(lock, [&] { return checkpoints_ != seen || is_poisoned(); });
}

void PoolLog::append(std::span<const std::uint64_t> words) {
  const std::size_t most_words = ring_->most_payload_bytes() / sizeof(std::uint64_t);
  if (words.size() <= most_words) {
    note_commit(ring_->append(static_cast<std::uint32_t>(RecordTag::whole), words));
    return;
  }
  PartNumber number{std::atomic_ref(next_number_).fetch_add(1, std::memory_order_relaxed), 0};
  for (; !words.empty(); ++number.ordinal) {
    const std::size_t count = std::min(words.size(), most_words - 1);
    const RecordTag tag = count == words.size() ? RecordTag::last_part : RecordTag::part;
    const auto put_part = [&](LogRing::Cursor& cursor) {
      const std::uint64_t word = number.word();
      cursor.put(&word, sizeof(word));
      cursor.put(words.data(), count * sizeof(std::uint64_t));
    };
    note_commit(ring_->append(static_cast<std::uint32_t>(tag), (1 + count) * sizeof(std::uint64_t), put_part));
    words = words.subspan(count);
  }
}

void PoolLog::leave() {
  const std::scoped_lock lock(mutex_);
  // Under the lock, so that reservations end in the order of their positions.
  reserved_.end_at(ring_->appended(), std::exchange(this_thread.admitted_blocks, 0));
  if (--active_ == 0 && stopping_) moved_.notify_all();
}

void PoolLog::note(const void* address, std::size_t bytes) noexcept {
  constexpr std::size_t mask = sizeof(std::uint64_t) - 1;
  const std::size_t most = std::min<std::size_t>(ring_->most_payload_bytes(), blocks_ * block_bytes / 64) & ~mask;
  const std::size_t most_here = most - range_head_words * sizeof(std::uint64_t);
  auto from = reinterpret_cast<std::uintptr_t>(address) & ~mask;
  const auto end = (reinterpret_cast<std::uintptr_t>(address) + bytes + mask) & ~mask;
  this_thread.appended |= bit();  // also of a log that is poisoned: whoever commits is told
  while (from < end) {
    const std::size_t part = std::min<std::size_t>(end - from, most_here);
    if (admit(part + range_head_words * sizeof(std::uint64_t)) != Admission::admitted) return;
    const std::uint64_t head[range_head_words] = {from - reinterpret_cast<std::uintptr_t>(base_),
                                                  part / sizeof(std::uint64_t)};
    ring_->append(static_cast<std::uint32_t>(RecordTag::whole), sizeof(head) + part, [&](LogRing::Cursor& cursor) {
      cursor.put(head, sizeof(head));
      cursor.put(reinterpret_cast<const void*>(from), part);
    });
    DirtyPages::stored();
    changed(from, part);
    leave();
    from += part;
  }
}

void PoolLog::note_change(const void* address, std::size_t bytes) noexcept {
  private_->keep(static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - base_), bytes);
  note(address, bytes);
}

PoolLog::Admission PoolLog::pin() {
  if (ring_->used_blocks() > blocks_ / 4) checkpoint();
  checkpoint_mutex_.lock();
  const Admission result = enter(blocks_ / 2);
  if (result == Admission::admitted)
    this_thread.pinned = this;
  else
    checkpoint_mutex_.unlock();
  return result;
}

void PoolLog::unpin() {
  this_thread.pinned = nullptr;
  this_thread.admitted_blocks = blocks_ / 2;
  leave();
  checkpoint_mutex_.unlock();
}

// -- checkpoints ------------------------------------------------------------------------------------------------------

void PoolLog::request_checkpoint_when_filled() {
  if (ring_->used_blocks() > blocks_ / 2) checkpointer_->request();
}

/// All that was appended before the call is in memory when it returns, and marked.
void PoolLog::await_changers() {
  Lock lock(mutex_);
  stopping_ = true;
  moved_.wait(lock, [this] { return active_ == 0; });
  // Now, not before the checkpoint began: what is in memory lies in a file that has been made longer for it. (It may be
  // longer than any pool.)
  dirty_->limit(std::min(image_->size(), bytes_));
  stopping_ = false;
  moved_.notify_all();
}

/// Between the pages that a checkpoint writes: commits share the disk with it. While there is room in the log, they
/// have it to themselves half of the time.
void PoolLog::rest(const PageExtent& extent) {
  private_->add(extent.offset, extent.bytes);
  constexpr std::chrono::microseconds pause{500};
  constexpr std::uint64_t hurried_share = 4;  // of the ring is free, or less: whoever commits would wait soon
  if (is_closing_) return;                    // nobody commits
  if (blocks_ - ring_->used_blocks() > blocks_ / hurried_share) std::this_thread::sleep_for(pause);
}

void PoolLog::checkpoint(bool closes) {
  const std::scoped_lock one_at_a_time(checkpoint_mutex_);
  try {
    if (closes) ring_->await(ring_->appended());
    // An error poisons the log.
    if (ring_->error() == 0)
      if (const int error = write_checkpoint(*ring_, superblocks_, *image_, *pages_, closes, &*sums_); error != 0)
        ring_->poison(error);
  } catch (const DurabilityError&) {
    // Of the log, which tells everybody.
  }
  const std::scoped_lock lock(mutex_);
  ++checkpoints_;
  moved_.notify_all();
}

/// A transaction may have stored to blocks that it has allocated, which no page is marked for yet: so none runs now.
/// What is stored outside of transactions lies in pages that are kept, or in some that were never written. One that
/// runs may be waiting for a checkpoint; then the next one is soon enough.
void PoolLog::give_memory_back() {
  constexpr std::chrono::milliseconds longest{5};
  constexpr std::chrono::microseconds pause{50};
  if (!sched::hourglass.try_turn()) return;
  const auto until = std::chrono::steady_clock::now() + longest;
  while (!sched::is_nobody_running() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(pause);
  if (sched::is_nobody_running()) private_->give_up(base_, *dirty_);
  sched::hourglass.release();
}

}  // namespace perdure::disk
