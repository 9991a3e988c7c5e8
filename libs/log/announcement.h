#ifndef PERDURE_LOG_ANNOUNCEMENT_H
#define PERDURE_LOG_ANNOUNCEMENT_H

#include <atomic>
#include <cstdint>

#include "sched/thread_registry.h"

/// What threads announce of commits that are under way: `ThreadSlot::unretired_since`, a lower bound on the timestamp
/// of a record that recovery may replay. All of libs/ that writes it or reads it does so by these functions.
///
/// A record goes through these places, and is entered in one before it leaves the one before:
///  1. the announcement of its thread, made before the commit takes its timestamp;
///  2. the queue of finished records (log/retirement.h), or `completed` of its log (log/record_log.h);
///  3. in logs of records, `flushed_through` of its log.
/// Whoever reckons what is retired reads the places in the same order: threads, then the queue or `completed`, then
/// `flushed_through`. So a record that moves meanwhile is met in one place at least, and none is missed.
///
/// What is announced later than the reader looked has a larger timestamp than the reader's own commit, which came
/// before: it cannot matter to what the reader retires.
namespace perdure::log {

/// A record with a timestamp of at least `now` + 1 may come. Before the timestamp is taken. Release: whoever sees the
/// timestamp taken sees the bound.
inline void announce(sched::ThreadSlot& self, std::uint64_t now) {
  self.unretired_since.store(now + 1, std::memory_order_release);
}

/// None will come, or the record is entered in the next place. Release: pairs with the acquire in `minimum`.
inline void lift_announcement(sched::ThreadSlot& self) {
  self.unretired_since.store(sched::never, std::memory_order_release);
}

/// The least that is announced, by all threads but `self`; `never` if nothing is.
inline std::uint64_t oldest_announced(const sched::ThreadSlot* self = nullptr) {
  return sched::thread_registry.minimum(&sched::ThreadSlot::unretired_since, self);
}

}  // namespace perdure::log

#endif
