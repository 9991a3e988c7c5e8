#ifndef PERDURE_LOG_DURABLE_UNDO_H
#define PERDURE_LOG_DURABLE_UNDO_H

#include <cstdint>
#include <cstring>

#include "alloc/shading.h"
#include "log/journal.h"
#include "log/redo_memory.h"
#include "log/shared_memory.h"
#include "log/undo_log.h"
#include "log/undo_over_pools.h"
#include "log/write_set.h"
#include "persist/domain.h"
#include "persist/lines.h"
#include "persist/step.h"
#include "stats/counters.h"

namespace perdure::log {

/// The journal of eager algorithms (log/journal.h), which makes updates in place durable: lines 23, 29 and 38 to 43 of
/// PACT'19's Listing 1, which are the same for all eager algorithms. The caller owns what it writes until `retire` or
/// `withdraw` has returned.
///
/// The durability points, in order:
///  1. the record is active                              (with the first write; a fence)
///  2. the old value of a location is in the log         (a fence for each chunk)
///  3. the new values, and the captured blocks           (a fence at commit)
///  4. the record does not count any more                (a fence at commit)
///
/// A store waits for point 2, so whatever of it reaches memory, by eviction or flush, can be undone. Locks outlast
/// point 4, so recovery never undoes a location that a later transaction has written.
///
/// \tparam Pipelined  fence pipelining (PACT'19, IV.C), for algorithms that take a lock at every access: a store is put
/// off until the locked instruction of the next access has ordered its old value, and so needs no fence of its own.
template <class Mode, bool Pipelined>
class DurableUndo {
 public:
  constexpr DurableUndo() = default;

  bool empty() const { return !log_.is_active(); }

  /// \returns written, or what keeps the old value from being logged; nothing was stored then.
  template <class T>
  LogResult write(T* address, T value) {
    const std::uintptr_t chunk = Logged::chunk_of(address);
    if (is_logged(chunk, mask_of(address))) {
      if (pending_.chunk == chunk) complete_pending();  // in program order, and behind its old value
      store(address, value);
      return LogResult::written;
    }
    if (const LogResult result = append(address, chunk); result != LogResult::written) return result;
    put_off_or_store(address, value, chunk);
    return LogResult::written;
  }

  /// The thread has executed a locked instruction: flushes before it are ordered before stores behind it.
  void after_locked_instruction() {
    if constexpr (Pipelined) {
      if (pending_.chunk == 0) return;
      persistence::locked_instruction();
      store_pending();
    }
  }

  /// Whether a store is made before `write` returns, because code that does not ask will read it.
  void store_at_once(bool at_once) {
    if constexpr (Pipelined) {
      if (pending_.chunk != 0) complete_pending();
      stores_at_once_ = at_once;
    }
  }

  /// Before memory is read where the store that was put off may lie.
  template <class T>
  void before_read(const T* address) {
    if constexpr (Pipelined)
      if (pending_.chunk == Logged::chunk_of(address)) complete_pending();
  }

  /// Durability point 3: flushed, and durable with the fence by which `retire` begins.
  template <class Captured>
  void complete(const Captured& captured) {
    if constexpr (Pipelined)
      if (pending_.chunk != 0) complete_pending();
    if constexpr (Mode::coalesced_flushes) flush_data();
    captured.flush();
  }

  /// Durability point 4. Follows `complete`.
  void retire() {
    if (over_pools_ != nullptr) [[unlikely]]
      commit_over_pools();
    else
      log_.deactivate();
    logged_.clear();
  }

  /// Memory is as it was, durably, and the record does not count any more.
  void withdraw() {
    pending_.chunk = 0;
    if (empty()) return;
    if (over_pools_ != nullptr) [[unlikely]] {
      roll_back_over_pools();
    } else {
      log_.restore();
      log_.deactivate();
    }
    logged_.clear();
  }

  void release() {
    logged_.release();
    log_.release();
  }

 private:
  using Entry = typename Mode::UndoEntry;

  /// The bytes of a chunk whose old values are in the log.
  struct LoggedBytes {
    static constexpr std::size_t chunk_bytes = Entry::chunk_bytes;
    std::uint64_t address;
    std::uint64_t mask;
  };
  using Logged = WriteSet<LoggedBytes>;

  /// A store whose old value is in the log, but perhaps not durable yet.
  struct Pending {
    std::uintptr_t chunk = 0;  // 0: there is none
    std::uintptr_t address = 0;
    std::uint64_t value = 0;
    std::size_t bytes = 0;
  };

  bool is_logged(std::uintptr_t chunk, std::uint64_t mask) {
    const LoggedBytes* const logged = logged_.find(chunk);
    return logged != nullptr && (Entry::is_whole || (logged->mask & mask) == mask);
  }

  using Log = UndoLog<Entry>;
  using OverPools = UndoOverPools<Entry>;

  template <class T>
  LogResult append(T* address, std::uintptr_t chunk) {
    const LogResult result = log_in(log_, address, chunk);
    return result == LogResult::other_pool ? log_in_other_pool(address, chunk) : result;
  }

  template <class T>
  LogResult log_in(Log& log, T* address, std::uintptr_t chunk) {
    const bool is_first = !log.is_active();
    if (const LogResult result = log.reserve(address); result != LogResult::written) return result;
    // Not needed for correctness: no data is stored before the entry's own fence, and an entry without a status, or a
    // status without an entry, restores nothing. Listing 1 has it (line 24).
    if (is_first && !Mode::combined_activation) persistence::fence();
    if (pending_.chunk == chunk) complete_pending();  // more bytes of it: the log must save what memory will hold
    if constexpr (Mode::shades)
      if (alloc::is_marking()) [[unlikely]]
        alloc::shade(reinterpret_cast<const void*>(chunk), Entry::chunk_bytes);
    log.save(chunk, mask_of(address));
    stats::counters.log_bytes.add(sizeof(Entry));
    LoggedBytes* logged = logged_.find(chunk);
    if (logged == nullptr) {
      logged = &logged_.insert(chunk);
      logged->mask = 0;
    }
    logged->mask |= mask_of(address);
    return LogResult::written;
  }

  // Several pools: the object is there as long as such a transaction runs, which has written to its first pool before.

  template <class T>
  [[gnu::noinline, gnu::cold]] LogResult log_in_other_pool(T* address, std::uintptr_t chunk) {
    if (over_pools_ == nullptr) over_pools_ = new OverPools;
    LogResult result = LogResult::written;
    Log* const log = over_pools_->log_for(address, log_, result);
    return log == nullptr ? result : log_in(*log, address, chunk);
  }

  [[gnu::noinline, gnu::cold]] void commit_over_pools() {
    over_pools_->commit();
    end_over_pools();
  }

  [[gnu::noinline, gnu::cold]] void roll_back_over_pools() {
    over_pools_->roll_back();
    end_over_pools();
  }

  void end_over_pools() {
    delete over_pools_;
    over_pools_ = nullptr;
  }

  template <class T>
  void put_off_or_store(T* address, T value, std::uintptr_t chunk) {
    if constexpr (Pipelined) {
      if (pending_.chunk == 0 && !stores_at_once_) {
        pending_ = {chunk, reinterpret_cast<std::uintptr_t>(address), value, sizeof(T)};
        return;
      }
    }
    // The old value before the store (trap 5), and the one that was put off, if there is one.
    persistence::in_order<persistence::Step::entry_before_store>([] { await(); },
                                                                 [&] {
                                                                   if (pending_.chunk != 0) store_pending();
                                                                   store(address, value);
                                                                 });
  }

  template <class T>
  static void store(T* address, T value) {
    store_shared(address, value);
    if constexpr (!Mode::coalesced_flushes) persistence::flush_data(reinterpret_cast<std::uintptr_t>(address));
  }

  /// Every old value that was appended is durable: durability points 1 and 2.
  static void await() { persistence::fence(); }

  void complete_pending() {
    persistence::in_order<persistence::Step::entry_before_store>([] { await(); }, [&] { store_pending(); });
  }

  void store_pending() {
    const Pending pending = pending_;
    pending_.chunk = 0;
    switch (pending.bytes) {
      case 1:
        return store(reinterpret_cast<std::uint8_t*>(pending.address), static_cast<std::uint8_t>(pending.value));
      case 2:
        return store(reinterpret_cast<std::uint16_t*>(pending.address), static_cast<std::uint16_t>(pending.value));
      case 4:
        return store(reinterpret_cast<std::uint32_t*>(pending.address), static_cast<std::uint32_t>(pending.value));
      default:
        return store(reinterpret_cast<std::uint64_t*>(pending.address), pending.value);
    }
  }

  void flush_data() const {
    persistence::StoredLines<> lines;
    for (const LoggedBytes& logged : logged_) lines.flush(logged.address);
  }

  Logged logged_;
  Log log_;
  Pending pending_;
  bool stores_at_once_ = false;
  OverPools* over_pools_ = nullptr;
};

}  // namespace perdure::log

#endif
