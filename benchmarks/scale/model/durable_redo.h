#ifndef PERDURE_BENCHMARKS_SCALE_DURABLE_REDO_H
#define PERDURE_BENCHMARKS_SCALE_DURABLE_REDO_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>

#include "machine.h"

namespace perdure::scale {

/// The steps of a commit with a redo log: libs/log/durable_redo.h and durable_records.h.
class DurableRedo {
 public:
  explicit DurableRedo(Machine& machine) : machine_(machine), drained_(machine.engine) {}

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
    bool at_once = !machine_.mode.retires_in_order;
    if (!at_once) {
      co_await engine.pass(machine_.look_at_all_slots(thread) + machine_.load(queue_line_, thread));
      at_once = std::min(oldest_finished(), oldest_running(&thread)) > thread.timestamp;
    }
    if (at_once)
      co_await engine.pass(machine_.flushes(1) + machine_.fences());
    else
      co_await leave_in_queue(thread);
    withdraw(thread);
    if (!finished_.empty() && !is_draining_) co_await drain(thread);
  }

  /// Whoever drains the queue holds its lock, and with it keeps others from leaving records there.
  Task leave_in_queue(Thread& thread) {
    while (is_draining_) co_await drained_.wait();
    finished_.insert(thread.timestamp);
    co_await machine_.engine.pass(machine_.own(queue_line_, thread));
  }

  Task drain(Thread& thread) {
    Engine& engine = machine_.engine;
    is_draining_ = true;
    co_await engine.pass(machine_.own(queue_line_, thread) + machine_.look_at_all_slots(thread));
    const auto end = finished_.lower_bound(oldest_running(nullptr));
    if (const auto records = static_cast<double>(std::distance(finished_.begin(), end)); records != 0)
      // The headers of the records: most are another thread's.
      co_await engine.pass(machine_.flushes(1) + machine_.fences() + records * machine_.costs.transfer);
    finished_.erase(finished_.begin(), end);
    is_draining_ = false;
    drained_.notify();
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
  Changed drained_;
  Line queue_line_;
};

}  // namespace perdure::scale

#endif
