#ifndef PERDURE_TX_BESIDE_DISKS_H
#define PERDURE_TX_BESIDE_DISKS_H

#include <cstddef>
#include <cstdint>

#include "disk/pool_log.h"
#include "disk/this_thread.h"
#include "log/disk_commit.h"
#include "pool/window.h"
#include "tx/algorithm.h"

namespace perdure::tx {

/// Whether a pool is open that has a log beside it, on a disk.
template <class A>
bool are_beside_disks() {
  if constexpr (A::Mode::self_validating_records)
    return disk::has_logs();
  else
    return false;  // refused when such a pool is opened
}

/// What is different about the transactions of a thread while such pools are open: a part of tx::Transaction that most
/// programs never come to.
template <class Transaction>
class BesideDisks {
 protected:
  /// Before the algorithm commits. \returns whether that may be.
  [[gnu::noinline, gnu::cold]] bool prepare_beside_disks() {
    disk::this_thread.newest_seen = newest_seen();
    return make_linked_durable();
  }

  /// It has committed, and nobody waits for this thread any more. Returns when all that it has seen or done is durable,
  /// or at once, as it was asked for. \throws DurabilityError
  [[gnu::noinline, gnu::cold]] void acknowledge() {
    try {
      disk::acknowledge_commit();
    } catch (...) {
      self().progress_.release_turn();
      self().wake_waiters();      // it can be seen
      self().handlers_.forget();  // whether it counts is not known before the pool is opened again
      throw;
    }
  }

 private:
  friend Transaction;
  constexpr BesideDisks() = default;

  /// No commit after this time has it seen, in memory of pools or elsewhere. (A serial transaction notes no reads. What
  /// writes to a pool waits for its own record.)
  std::uint64_t newest_seen() {
    if constexpr (requires { self().algorithm_.newest_read(); })
      if (!self().serial_.is_on() && !self().algorithm_.has_written_to_pool()) return self().algorithm_.newest_read();
    return sync::any_time;
  }

  /// The transaction may link blocks that it has allocated in one pool to another: they are durable when it returns,
  /// since the other one's log says nothing of them. \returns whether that can be relied on.
  bool make_linked_durable() {
    if (is_in_one_pool()) return true;
    bool is_sound = true;
    log::note_blocks(self().memory_.captured());
    disk::PoolLog::await_noted();
    self().memory_.captured().for_each([&](const void* block) {
      const disk::PoolLog* const log = pool::in_window(block) ? disk::log_of(block) : nullptr;
      is_sound = is_sound && (log == nullptr || !log->is_poisoned());
    });
    return is_sound;
  }

  /// Whether all that the transaction allocated, and the first that it wrote, lies in one pool, or in none with a log.
  bool is_in_one_pool() {
    bool has_log = false;
    std::size_t pools = 0;
    std::size_t last_slot = pool::slot_count;
    const auto meet = [&](const void* address) {
      if (!pool::in_window(address) || pool::slot_of(address) == last_slot) return;
      last_slot = pool::slot_of(address);
      has_log = has_log || disk::log_of(address) != nullptr;
      ++pools;
    };
    self().memory_.captured().for_each(meet);
    if constexpr (requires { self().algorithm_.written_in_pool(); })
      if (const void* const written = self().algorithm_.written_in_pool()) meet(written);
    return pools < 2 || !has_log;
  }

  Transaction& self() { return static_cast<Transaction&>(*this); }
};

}  // namespace perdure::tx

#endif
