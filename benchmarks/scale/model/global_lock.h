#ifndef PERDURE_BENCHMARKS_SCALE_GLOBAL_LOCK_H
#define PERDURE_BENCHMARKS_SCALE_GLOBAL_LOCK_H

#include "durable_redo.h"
#include "durable_undo.h"

namespace perdure::scale {

/// libs/sync/fair_lock.h: whoever comes may take it when it is free; who finds it taken queues up, and the first of
/// these looks now and then, and keeps the others out for a while in between.
class FairLock {
 public:
  explicit FairLock(Machine& machine) : machine_(machine), passed_on_(machine.engine) {}

  Task lock(const Thread& thread) {
    co_await machine_.engine.pass(machine_.own(line_, thread));
    if (!is_held_ && !first_is_impatient_) {
      is_held_ = true;
      co_return;
    }
    const std::uint64_t ticket = next_ticket_++;
    const bool sleeps = ticket != serving_;
    while (ticket != serving_) co_await passed_on_.wait();
    if (sleeps) co_await machine_.engine.pass(machine_.costs.wake);
    for (bool taken = false; !taken;) {
      co_await take_within_round(thread, pauses_of_patient, taken);
      if (taken) break;
      first_is_impatient_ = true;
      co_await take_within_round(thread, pauses_of_impatient, taken);
      first_is_impatient_ = false;
    }
    ++serving_;
    passed_on_.notify();
  }

  void unlock() { is_held_ = false; }

 private:
  static constexpr unsigned looks_in_round = 8;
  static constexpr double pauses_of_patient = 64;
  static constexpr double pauses_of_impatient = 8;

  Task take_within_round(const Thread& thread, double pauses, bool& taken) {
    for (unsigned look = 0; look < looks_in_round; ++look) {
      if (!is_held_) {
        is_held_ = true;
        taken = true;
        co_await machine_.engine.pass(machine_.own(line_, thread));
        co_return;
      }
      co_await machine_.engine.pass(machine_.load(line_, thread) + pauses * machine_.costs.pause);
    }
  }

  Machine& machine_;
  bool is_held_ = false;
  bool first_is_impatient_ = false;
  std::uint64_t next_ticket_ = 0;
  std::uint64_t serving_ = 0;
  Line line_;
  Changed passed_on_;
};

/// lock_eager (which is `lock_stm`, where nothing is durable) and lock_lazy.
template <bool in_place>
class GlobalLock {
 public:
  static constexpr bool is_eager = in_place;
  static constexpr bool needs_quiescence = false;

  explicit GlobalLock(Machine& machine) : machine_(machine), redo_(machine), undo_(machine, false), lock_(machine) {}

  Task begin(Thread& thread) {
    undo_.begin(thread);
    return lock_.lock(thread);
  }

  Step access(Thread& thread, const Access& access) {
    return {in_place && access.is_write != 0 ? undo_.entry(thread, access) : 0};
  }

  Task commit(Thread& thread, bool& committed) {
    committed = true;
    if (in_place || !thread.work->writes()) {
      co_await machine_.engine.pass(in_place ? undo_.commit(thread) : redo_.flush_captured(thread));
      lock_.unlock();
      co_return;
    }
    co_await machine_.engine.pass(redo_.announce(thread, commits_));
    thread.timestamp = ++commits_;
    co_await machine_.engine.pass(redo_.prepare(thread));
    co_await redo_.commit(thread, [this]() -> Task {
      lock_.unlock();
      co_return;
    });
  }

  /// Nothing conflicts.
  Time roll_back(Thread&) { return 0; }

 private:
  Machine& machine_;
  DurableRedo redo_;
  DurableUndo undo_;
  FairLock lock_;
  std::uint64_t commits_ = 0;
};

}  // namespace perdure::scale

#endif
