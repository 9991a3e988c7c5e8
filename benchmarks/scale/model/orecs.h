#ifndef PERDURE_BENCHMARKS_SCALE_ORECS_H
#define PERDURE_BENCHMARKS_SCALE_ORECS_H

#include <cstdint>
#include <vector>

#include "durable_redo.h"
#include "durable_undo.h"

namespace perdure::scale {

/// When locks are taken, and where new values are until the commit.
enum class Locking { at_commit, at_write, at_write_in_place };

/// orec_lazy, orec_mixed and orec_eager: algorithms/orec_protocol.h.
template <Locking locking>
class Orecs {
 public:
  static constexpr bool is_eager = locking == Locking::at_write_in_place;
  static constexpr bool needs_quiescence = true;

  explicit Orecs(Machine& machine)
      : machine_(machine),
        redo_(machine),
        undo_(machine, false),
        orecs_(size),
        lines_(size / orecs_of_line),
        sets_(machine.threads().size()) {}

  Task begin(Thread& thread) {
    thread.start = clock_;
    thread.running_since = clock_;
    undo_.begin(thread);
    co_await machine_.engine.pass(machine_.load(clock_line_, thread) + machine_.own(thread.slot, thread));
  }

  Step access(Thread& thread, const Access& access) {
    const std::uint32_t number = access.stripe % size;
    if (access.is_write == 0) return read(thread, number);
    if constexpr (locking == Locking::at_commit) return {};
    Step step = lock(thread, number);
    if (is_eager && step.verdict == Verdict::done) step.time += undo_.entry(thread, access);
    return step;
  }

  Task commit(Thread& thread, bool& committed) {
    Engine& engine = machine_.engine;
    committed = true;
    if (!thread.work->writes()) {
      thread.timestamp = thread.start;
      co_await engine.pass(is_eager ? undo_.commit(thread) : redo_.flush_captured(thread));
    } else {
      const Step locks = lock_all(thread);
      co_await engine.pass(locks.time);
      if (!is_eager && locks.verdict == Verdict::done) co_await engine.pass(redo_.announce(thread, clock_));
      committed = locks.verdict == Verdict::done;
      if (committed) co_await order(thread, committed);
      if (!committed) co_return;
      co_await finish(thread);
    }
    sets_[thread.number].reads.clear();
  }

  /// \returns the time that it takes.
  Time roll_back(Thread& thread) {
    Sets& sets = sets_[thread.number];
    Time time = 0;
    if (is_eager && !sets.locks.empty()) {
      time = undo_.roll_back(thread) + machine_.own(clock_line_, thread);
      unlock(thread, ++clock_);
    }
    for (const Lock& held : sets.locks) orecs_[held.number] = {held.previous, nobody};
    sets.locks.clear();
    sets.reads.clear();
    redo_.withdraw(thread);
    return time;
  }

 private:
  static constexpr std::uint32_t size = 1U << 20;
  static constexpr std::uint32_t orecs_of_line = 8;
  static constexpr unsigned nobody = most_threads;

  struct Orec {
    std::uint64_t version = 0;
    unsigned owner = nobody;
  };
  struct Lock {
    std::uint32_t number;
    std::uint64_t previous;
  };
  struct Sets {
    std::vector<std::uint32_t> reads;
    std::vector<Lock> locks;
  };

  Step read(Thread& thread, std::uint32_t number) {
    const Orec& orec = orecs_[number];
    Step step{machine_.load(lines_[number / orecs_of_line], thread)};
    if (orec.owner == thread.number) return step;
    if (orec.owner != nobody) return {step.time, Verdict::conflict};
    if (orec.version > thread.start) extend(thread, step);
    if (step.verdict == Verdict::done) sets_[thread.number].reads.push_back(number);
    return step;
  }

  Step lock(Thread& thread, std::uint32_t number) {
    Orec& orec = orecs_[number];
    if (orec.owner == thread.number) return {};
    Step step{machine_.own(lines_[number / orecs_of_line], thread)};
    if (orec.owner != nobody) return {step.time, Verdict::conflict};
    if (orec.version > thread.start) extend(thread, step);
    if (step.verdict != Verdict::done) return step;
    sets_[thread.number].locks.push_back({number, orec.version});
    orec.owner = thread.number;
    return step;
  }

  /// Of a commit: at one moment, and the time that it takes passes afterwards.
  Step lock_all(Thread& thread) {
    Step all;
    if constexpr (locking != Locking::at_commit) return all;
    for (const Touch& touch : thread.work->touches) {
      if (touch.access.is_write == 0) continue;
      const Step one = lock(thread, touch.access.stripe % size);
      all = {all.time + one.time, one.verdict};
      if (one.verdict != Verdict::done) break;
    }
    return all;
  }

  /// Takes the place in the commit order, and validates.
  Task order(Thread& thread, bool& committed) {
    co_await machine_.engine.pass(machine_.own(clock_line_, thread));
    thread.timestamp = ++clock_;
    if (thread.timestamp == thread.start + 1) co_return;
    co_await machine_.engine.pass(validation(thread));
    committed = is_valid(thread);
  }

  Task finish(Thread& thread) {
    if constexpr (is_eager) {
      co_await machine_.engine.pass(undo_.commit(thread));
      unlock(thread, thread.timestamp);
    } else {
      co_await machine_.engine.pass(redo_.prepare(thread));
      co_await redo_.commit(thread, [this, &thread]() -> Task {
        unlock(thread, thread.timestamp);
        co_return;
      });
    }
  }

  void extend(Thread& thread, Step& step) {
    step.time += machine_.load(clock_line_, thread) + validation(thread);
    if (is_valid(thread))
      thread.start = clock_;
    else
      step.verdict = Verdict::conflict;
  }

  Time validation(const Thread& thread) const {
    const auto stripes = static_cast<double>(sets_[thread.number].reads.size());
    return stripes * thread.work->noted_orecs * machine_.costs.validate;
  }

  bool is_valid(const Thread& thread) const {
    for (const std::uint32_t number : sets_[thread.number].reads) {
      const Orec& orec = orecs_[number];
      if (orec.owner != thread.number && (orec.owner != nobody || orec.version > thread.start)) return false;
    }
    return true;
  }

  void unlock(Thread& thread, std::uint64_t version) {
    std::vector<Lock>& locks = sets_[thread.number].locks;
    for (const Lock& held : locks) {
      orecs_[held.number] = {version, nobody};
      machine_.own(lines_[held.number / orecs_of_line], thread);  // the store buffer waits, not the thread
    }
    locks.clear();
  }

  Machine& machine_;
  DurableRedo redo_;
  DurableUndo undo_;
  std::vector<Orec> orecs_;
  std::vector<Line> lines_;
  std::vector<Sets> sets_;
  std::uint64_t clock_ = 0;
  Line clock_line_;
};

}  // namespace perdure::scale

#endif
