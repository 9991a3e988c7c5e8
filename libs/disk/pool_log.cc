#include "disk/pool_log.h"

#include <algorithm>
#include <utility>

#include "disk/change_record.h"
#include "disk/checkpoint.h"
#include "disk/image_file.h"
#include "disk/log_file.h"
#include "disk/recover_image.h"
#include "perdure/error.h"
#include "persist/durable.h"
#include "persist/fault.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

using persist::Fault;
using persist::is_seeded;
using std::filesystem::path;

constexpr std::size_t range_head_words = 2;

LogUse use_of(std::uint64_t blocks) {
  constexpr std::uint64_t share = 8;
  const std::size_t bytes = blocks * block_bytes / share;
  LogUse use;
  use.buffer_bytes = std::min(use.buffer_bytes, bytes);
  use.group_bytes = std::min(use.group_bytes, bytes);
  return use;
}

// -- from what changes pools (persist/durable.h) ----------------------------------------------------------------------

constexpr persist::ChangeLog changes = {
    [](const void* address, std::size_t bytes) noexcept {
      if (!pool::in_window(address)) return false;
      PoolLog* const log = log_of(address);
      if (log == nullptr) return false;
      if (!is_seeded(Fault::changes_not_logged)) log->note(address, bytes);
      return true;
    },
    &PoolLog::await_noted,
};

}  // namespace

thread_local constinit PoolLog::Unawaited PoolLog::unawaited_;

// -- opening ----------------------------------------------------------------------------------------------------------

PoolLog::PoolLog(const path& pool)
    : path_(pool),
      image_(open_image(pool)),
      file_(open_log(volume(), log_path(pool), pool)),
      superblocks_(superblocks_of(*image_, *file_)),
      dirty_(pool::data_bytes) {
  const LogEnd end = recover_image(*image_, *file_, superblocks_, path_);
  const Superblock& superblock = superblocks_.current();
  blocks_ = superblock.blocks;
  ring_ = std::make_unique<LogRing>(*file_, path_, superblock, end, use_of(blocks_));
  require_done(ring_->begin_run(), path_, "writing its log");
}

PoolLog::~PoolLog() {
  if (base_ == nullptr) return;
  detail::pool_logs[pool::slot_of(base_)].store(nullptr, std::memory_order_release);
  detail::logs_in_use.fetch_sub(1);
}

void PoolLog::attach(std::byte* base) {
  base_ = base;
  detail::pool_logs[pool::slot_of(base)].store(this, std::memory_order_release);
  detail::logs_in_use.fetch_add(1);
  persist::change_log.store(&changes, std::memory_order_release);
}

void PoolLog::close() {
  Lock lock(mutex_);
  if (ring_->error() == 0) checkpoint(lock);
  if (const int error = ring_->error(); error != 0) pool::refuse_errno(error, path_, "writing it to disk");
}

// -- changes ----------------------------------------------------------------------------------------------------------

PoolLog::Admission PoolLog::admit(std::size_t bytes) {
  // In the worst case each record has a group of its own, and lies in two at the end of the ring.
  const std::uint64_t blocks = bytes / (block_bytes - sizeof(GroupHead)) + 4;
  if (blocks > blocks_ / 2) return Admission::too_large;
  if (unawaited_.log != nullptr && unawaited_.log != this) await_noted();
  Lock lock(mutex_);
  for (;;) {
    if (ring_->error() != 0) return Admission::poisoned;
    const bool has_room = blocks_ - ring_->used_blocks() >= reserved_ + blocks + 1;
    if (has_room && !checkpointing_) break;
    if (unawaited_.log != nullptr) {  // who waits has nothing that others may wait for
      lock.unlock();
      await_noted();
      lock.lock();
    } else if (!checkpointing_ && ring_->used_blocks() > blocks_ / 4) {
      checkpoint(lock);
    } else {
      moved_.wait(lock);
    }
  }
  reserved_ += blocks;
  ++active_;
  unawaited_ = {this, unawaited_.blocks + blocks};
  return Admission::admitted;
}

void PoolLog::append(std::span<const std::uint64_t> words) {
  const std::size_t most_words = ring_->most_payload_bytes() / sizeof(std::uint64_t);
  if (words.size() <= most_words) {
    ring_->append(static_cast<std::uint32_t>(RecordTag::whole), words);
    return;
  }
  const std::uint64_t number = std::atomic_ref(next_number_).fetch_add(1, std::memory_order_relaxed);
  while (!words.empty()) {
    const std::size_t count = std::min(words.size(), most_words - 1);
    const RecordTag tag = count == words.size() ? RecordTag::last_part : RecordTag::part;
    ring_->append(static_cast<std::uint32_t>(tag), (1 + count) * sizeof(std::uint64_t), [&](LogRing::Cursor& cursor) {
      cursor.put(&number, sizeof(number));
      cursor.put(words.data(), count * sizeof(std::uint64_t));
    });
    words = words.subspan(count);
  }
}

void PoolLog::leave() {
  const std::scoped_lock lock(mutex_);
  if (--active_ == 0 && checkpointing_) moved_.notify_all();
}

void PoolLog::note(const void* address, std::size_t bytes) noexcept {
  constexpr std::size_t mask = sizeof(std::uint64_t) - 1;
  const std::size_t most = std::min<std::size_t>(ring_->most_payload_bytes(), blocks_ * block_bytes / 64) & ~mask;
  const std::size_t most_here = most - range_head_words * sizeof(std::uint64_t);
  auto from = reinterpret_cast<std::uintptr_t>(address) & ~mask;
  const auto end = (reinterpret_cast<std::uintptr_t>(address) + bytes + mask) & ~mask;
  while (from < end) {
    const std::size_t part = std::min<std::size_t>(end - from, most_here);
    if (admit(part) != Admission::admitted) return;  // poisoned: whoever commits is told
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

// -- waiting ----------------------------------------------------------------------------------------------------------

void PoolLog::release_reservation() noexcept {
  const std::scoped_lock lock(mutex_);
  reserved_ -= std::exchange(unawaited_, {}).blocks;
  moved_.notify_all();
}

void PoolLog::await_noted() noexcept {
  PoolLog* const log = unawaited_.log;
  if (log == nullptr) return;
  try {
    log->ring_->await(log->ring_->appended());
  } catch (const DurabilityError&) {
    // Whoever commits is told.
  }
  log->release_reservation();
}

void PoolLog::await_durable() {
  const bool has_appended = unawaited_.log == this;
  if (!has_appended && (ring_->error() != 0 || is_seeded(Fault::reader_not_waiting))) return;
  try {
    if (has_appended && is_seeded(Fault::image_before_log)) checkpoint_when_filled();
    ring_->await(ring_->appended());
  } catch (const DurabilityError&) {
    if (has_appended) release_reservation();
    throw;
  }
  if (!has_appended) return;
  release_reservation();
  if (!is_seeded(Fault::image_before_log)) checkpoint_when_filled();
}

void await_durable() {
  for (std::atomic<PoolLog*>& slot : detail::pool_logs)
    if (PoolLog* const log = slot.load(std::memory_order_acquire); log != nullptr) log->await_durable();
}

// -- checkpoints ------------------------------------------------------------------------------------------------------

void PoolLog::checkpoint_when_filled() {
  if (ring_->used_blocks() <= blocks_ / 2) return;
  Lock lock(mutex_);
  if (!checkpointing_ && ring_->used_blocks() > blocks_ / 2) checkpoint(lock);
}

/// Those who want to change something wait meanwhile.
void PoolLog::checkpoint(Lock& lock) {
  checkpointing_ = true;
  moved_.wait(lock, [this] { return active_ == 0; });
  lock.unlock();
  if (const int error = write_checkpoint(); error != 0) ring_->poison(error);
  lock.lock();
  checkpointing_ = false;
  moved_.notify_all();
}

int PoolLog::write_checkpoint() noexcept {
  PageCopier pages(base_, dirty_, [] {});
  try {
    // With this nothing is in use when the checkpoint is over.
    if (!is_seeded(Fault::image_before_log)) ring_->await_for_checkpoint(ring_->appended());
    if (is_seeded(Fault::log_reused_early)) {
      ring_->free_before(ring_->mark());
      return 0;
    }
    return disk::write_checkpoint(*ring_, superblocks_, *image_, pages);
  } catch (const DurabilityError&) {
    return ring_->error();
  }
}

}  // namespace perdure::disk
