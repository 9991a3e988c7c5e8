#ifndef PERDURE_LOG_CHANGES_ON_DISK_H
#define PERDURE_LOG_CHANGES_ON_DISK_H

#include <cstddef>
#include <cstdint>

#include "alloc/shading.h"
#include "disk/pool_log.h"
#include "log/growing_array.h"
#include "log/segments.h"
#include "log/shared_memory.h"
#include "log/volatile_undo_log.h"
#include "pool/window.h"

namespace perdure::log {

/// What a serial transaction changes in place in a pool on a disk (docs/serial.md). Nothing of it can reach the file
/// before the commit, because there are no checkpoints meanwhile: so the old values are needed for a rollback only, and
/// a crash takes back what has no record.
class ChangesOnDisk {
 public:
  constexpr ChangesOnDisk() = default;

  /// Saves what lies at `address`, which may be stored to then. What can fail does so here. \returns written, or what
  /// is in the way.
  template <class T>
  LogResult save(disk::PoolLog& log, T* address) {
    if (log_ == nullptr)
      if (const LogResult result = begin(log); result != LogResult::written) return result;
    if (log_ != &log) return LogResult::several_pools;
    if ((words_.size() + 2) * item_bytes > log_->most_pinned_bytes()) return LogResult::pool_full;
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    add(first);
    add(first + sizeof(T) - 1);  // which may lie in the next word
    old_values_.save(address);
    return LogResult::written;
  }

  bool empty() const { return log_ == nullptr; }

  /// One record of what the words hold now. Blocks that they lead to are durable.
  void commit() {
    old_values_.clear();
    if (log_ == nullptr) return;
    GrowingArray<std::uint64_t> record;
    for (const std::uint64_t word : words_) {
      record.push_back(word - reinterpret_cast<std::uintptr_t>(log_->base()));
      record.push_back(1);
      record.push_back(load_shared(reinterpret_cast<const std::uint64_t*>(word)));
    }
    log_->append({record.begin(), record.size()});
    record.release();
    disk::DirtyPages::stored();
    for (const std::uint64_t word : words_) log_->changed(word, sizeof word);
    end();
  }

  void roll_back() {
    old_values_.restore();
    if (log_ != nullptr) end();
  }

  void release() {
    words_.release();
    old_values_.release();
  }

 private:
  static constexpr std::size_t item_bytes = 3 * sizeof(std::uint64_t);

  void add(std::uintptr_t byte) {
    const std::uint64_t word = byte & ~(sizeof(std::uint64_t) - 1);
    if (!words_.empty() && words_.back() == word) return;
    words_.push_back(word);
    if (alloc::is_marking()) [[unlikely]]
      alloc::shade(reinterpret_cast<const void*>(word), sizeof word);
  }

  LogResult begin(disk::PoolLog& log) {
    if (log.pin() != disk::PoolLog::Admission::admitted) return LogResult::not_durable;
    log_ = &log;
    return LogResult::written;
  }

  void end() {
    words_.clear();
    log_->unpin();
    log_ = nullptr;
  }

  disk::PoolLog* log_ = nullptr;
  GrowingArray<std::uint64_t> words_;  // addresses
  VolatileUndoLog old_values_;
};

}  // namespace perdure::log

#endif
