#ifndef PERDURE_BENCHMARKS_SCALE_DURABLE_REDO_H
#define PERDURE_BENCHMARKS_SCALE_DURABLE_REDO_H

#include <algorithm>
#include <cstdint>
#include <set>

#include "machine.h"

namespace perdure::scale {

/// The steps of a commit with a redo log: libs/log/durable_redo.h and durable_records.h.
class DurableRedo {
 public:
  explicit DurableRedo(Machine& machine) : machine_(machine) {}

  /// \returns the time that it takes: a locked instruction follows, which waits for the store.
  Time announce(Thread& thread, std::uint64_t now) {
    if (!machine_.mode.deferred_flushing) return 0;
    thread.unretired_since = now + 1;
    return machine_.own(thread.slot, thread);
  }
  static void withdraw(Thread& thread) { thread.unretired_since = never; }

  /// Of a transaction that changed nothing but the blocks that it allocated.
  Time flush_captured(const Thread& thread) const {
    const double lines = thread.work->captured_lines;
    return lines == 0 ? 0 : machine_.flushes(lines) + machine_.fences();
  }

  Time prepare(const Thread& thread) const {
    const Work& work = *thread.work;
    if (machine_.mode.one_fence) return machine_.flushes(work.captured_lines);
    return machine_.flushes(work.log_lines + work.captured_lines) + machine_.fences();
  }

  /// \param release  gives the locks up: a function that returns a Task.
  template <class Release>
  Task commit(Thread& thread, Release release) {
    Engine& engine = machine_.engine;
    const Work& work = *thread.work;
    const Time record = machine_.mode.one_fence ? machine_.flushes(work.log_lines) : machine_.flushes(1);
    co_await engine.pass(record + machine_.fences());
    co_await engine.pass(machine_.write_back(thread) + work.entries * machine_.costs.write_chunk / 2);
    if (machine_.mode.one_fence) {
      co_await release();
      thread.released = engine.now();
      withdraw(thread);
      co_await engine.pass(machine_.flushes(machine_.costs.retired_lines));
    } else if (machine_.mode.deferred_flushing) {
      co_await release();
      thread.released = engine.now();
      co_await engine.pass(machine_.flushes(work.data_lines) + machine_.fences());
      co_await retire(thread);
    } else {
      co_await engine.pass(machine_.flushes(work.data_lines + 1) + machine_.fences(2));
      co_await release();
    }
  }

 private:
  /// libs/log/retirement.h
  Task retire(Thread& thread) {
    if (!machine_.mode.durable) co_return;
    Engine& engine = machine_.engine;
    const Time one = machine_.flushes(1) + machine_.fences();
    co_await engine.pass(machine_.look_at_all_slots(thread));
    if (std::min(oldest_finished(), oldest_running(&thread)) > thread.timestamp)
      co_await engine.pass(one);
    else
      finished_.insert(thread.timestamp);
    withdraw(thread);
    if (finished_.empty() || is_draining_) co_return;
    is_draining_ = true;
    co_await engine.pass(machine_.look_at_all_slots(thread));
    for (const std::uint64_t bound = oldest_running(nullptr); oldest_finished() < bound;) {
      finished_.erase(finished_.begin());
      co_await engine.pass(machine_.costs.transfer + one);  // mostly another thread's record
    }
    is_draining_ = false;
  }

  std::uint64_t oldest_finished() const { return finished_.empty() ? never : *finished_.begin(); }

  std::uint64_t oldest_running(const Thread* self) const {
    std::uint64_t oldest = never;
    for (const Thread& thread : machine_.threads())
      if (&thread != self) oldest = std::min(oldest, thread.unretired_since);
    return oldest;
  }

  Machine& machine_;
  std::set<std::uint64_t> finished_;  // records that older ones keep from being retired
  bool is_draining_ = false;
};

}  // namespace perdure::scale

#endif
