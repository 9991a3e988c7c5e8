#ifndef PERDURE_LOG_DISK_COMMIT_H
#define PERDURE_LOG_DISK_COMMIT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <vector>

#include "disk/change_record.h"
#include "disk/pool_log.h"
#include "log/changed_bytes.h"
#include "log/growing_array.h"
#include "log/journal.h"
#include "log/segments.h"
#include "persist/fault.h"
#include "pool/window.h"
#include "stats/counters.h"

namespace perdure::log {

/// Blocks that a transaction has allocated, as records of their own: nobody can reach them yet, so they may count by
/// themselves.
template <class Captured>
[[gnu::noinline, gnu::cold]] void note_blocks(const Captured& captured) {
  captured.for_each_block([](const void* block, std::size_t bytes) {
    if (!pool::in_window(block)) return;
    if (disk::PoolLog* const log = disk::log_of(block)) log->note(block, bytes);
  });
}

/// The commit of a transaction that wrote to a pool on a disk: one record (disk/change_record.h) of what it wrote to
/// what was there before, and to the blocks that it allocated. Nobody waits for it while locks are held; TM_END does
/// (disk::acknowledge_commit).
class DiskCommit {
 public:
  constexpr DiskCommit() = default;

  /// From here on to `complete` or `withdraw` no checkpoint begins. All that can fail.
  template <class Writes, class Captured>
  LogResult prepare(disk::PoolLog& log, const Writes& writes, const Captured& captured) {
    log_ = &log;
    words_.clear();
    put_blocks(captured);
    for (const auto& entry : writes) put(entry);
    if (words_.size() * sizeof(std::uint64_t) > most_record_bytes) [[unlikely]]
      leave_out_blocks(writes, captured);
    switch (log.admit(words_.size() * sizeof(std::uint64_t))) {
      case disk::PoolLog::Admission::admitted:
        is_admitted_ = true;
        return LogResult::written;
      case disk::PoolLog::Admission::too_large:
        return LogResult::pool_full;
      case disk::PoolLog::Admission::poisoned:
        break;
    }
    return LogResult::not_durable;
  }

  /// Locks are held, so positions in the log are in the order of the commits that conflict.
  void append() {
    log_->append({words_.begin(), words_.size()});
    stats::counters.log_bytes.add(words_.size() * sizeof(std::uint64_t));
  }

  /// The data has been written back.
  template <class Writes>
  void complete(const Writes& writes) {
    if (persistence::is_seeded(persistence::Fault::dirty_marks_left_out)) return withdraw();
    disk::DirtyPages::stored();
    if (is_admitted_) {
      for (const auto& entry : writes) log_->changed(entry.address, Writes::chunk_bytes);
      for (const Block& block : blocks_) log_->changed(block.address, block.bytes);
    }
    withdraw();
  }

  void withdraw() {
    blocks_.clear();
    if (!is_admitted_) return;
    is_admitted_ = false;
    log_->leave();
  }

  /// All steps at once, for one of several pools, of which it is decided that the transaction counts.
  template <class Writes>
  void commit_part(disk::PoolLog& log, const Writes& writes) {
    if (prepare(log, writes, NothingCaptured()) == LogResult::written) append();
    for (const auto& entry : writes) entry.write_back();
    complete(writes);
  }

  void release() {
    words_.release();
    blocks_.release();
  }

 private:
  struct Block {
    std::uint64_t address;
    std::size_t bytes;
  };

  /// Larger ones have records of their own, before this one, so blocks as large as the log do not matter.
  static constexpr std::size_t most_block_bytes = std::size_t{16} << 10;
  static constexpr std::size_t most_record_bytes = std::size_t{1} << 20;

  std::uint64_t offset_of(std::uint64_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(log_->base());
  }

  template <class Entry>
  void put(const Entry& entry) {
    Entry moved = entry;
    moved.address = offset_of(entry.address);
    std::uint64_t item[changed_bytes::most_words<Entry>];
    const std::uint64_t* const end = changed_bytes::put(moved, item);
    for (const std::uint64_t* word = item; word != end; ++word) words_.push_back(*word);
  }

  template <class Captured>
  void put_blocks(const Captured& captured) {
    if (persistence::is_seeded(persistence::Fault::blocks_not_logged)) return;
    captured.for_each_block([this](const void* block, std::size_t bytes) {
      // (Of another pool: they are durable, see BesideDisks.)
      if (!pool::in_window(block) || disk::log_of(block) != log_) return;
      if (bytes > most_block_bytes) return log_->note(block, bytes);
      const std::size_t words = (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
      const auto address = reinterpret_cast<std::uintptr_t>(block);
      words_.push_back(offset_of(address));
      words_.push_back(words);
      for (std::size_t i = 0; i < words; ++i) words_.push_back(static_cast<const std::uint64_t*>(block)[i]);
      blocks_.push_back({address, words * sizeof(std::uint64_t)});
    });
  }

  /// The record is large. What the transaction wrote to blocks of its own goes to their places, and the blocks to
  /// records of their own: so a transaction may make as much as it likes. If it aborts after all, the blocks are free.
  template <class Writes, class Captured>
  [[gnu::noinline, gnu::cold]] void leave_out_blocks(const Writes& writes, const Captured& captured) {
    std::vector<Block> own;
    captured.for_each_block([&](const void* block, std::size_t bytes) {
      if (pool::in_window(block) && disk::log_of(block) == log_)
        own.push_back({reinterpret_cast<std::uintptr_t>(block), bytes});
    });
    std::ranges::sort(own, {}, &Block::address);
    words_.clear();
    blocks_.clear();
    for (const auto& entry : writes) {
      const auto behind = std::ranges::upper_bound(own, entry.address, {}, &Block::address);
      const bool is_own =
          behind != own.begin() && entry.address - std::prev(behind)->address < std::prev(behind)->bytes;
      if (is_own)
        entry.write_back();
      else
        put(entry);
    }
    for (const Block& block : own) log_->note(reinterpret_cast<const void*>(block.address), block.bytes);
  }

  disk::PoolLog* log_ = nullptr;
  bool is_admitted_ = false;
  GrowingArray<std::uint64_t> words_;
  GrowingArray<Block> blocks_;  // that the record holds
};

}  // namespace perdure::log

#endif
