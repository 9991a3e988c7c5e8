#ifndef PERDURE_BENCHMARKS_SCALE_RING_H
#define PERDURE_BENCHMARKS_SCALE_RING_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "durable_redo.h"

namespace perdure::scale {

/// algorithms/ring.h, with its own hash function: what the filters confuse, they confuse here.
class Ring {
 public:
  static constexpr bool is_eager = false;
  static constexpr bool needs_quiescence = true;

  explicit Ring(Machine& machine)
      : machine_(machine),
        redo_(machine),
        completed_(machine.engine),
        entries_(size),
        sets_(machine.threads().size()) {}

  Task begin(Thread& thread) {
    thread.start = complete_;
    thread.running_since = complete_;
    sets_[thread.number] = {};
    co_await machine_.engine.pass(machine_.load(complete_line_, thread) + machine_.own(thread.slot, thread));
  }

  Step access(Thread& thread, const Access& access) {
    Sets& sets = sets_[thread.number];
    if (access.is_write != 0) {
      add(sets.written, access.stripe);
      return {};
    }
    add(sets.reads, access.stripe);
    Step step{machine_.load(newest_line_, thread)};
    if (newest_ != thread.start) validate(thread, step);
    return step;
  }

  Task commit(Thread& thread, bool& committed) {
    Engine& engine = machine_.engine;
    committed = true;
    if (!thread.work->writes()) {
      thread.timestamp = thread.start;
      co_await engine.pass(redo_.flush_captured(thread));
      co_return;
    }
    co_await engine.pass(redo_.announce(thread, newest_));
    co_await engine.pass(redo_.prepare(thread));
    co_await enter(thread, committed);
    if (!committed) co_return;
    co_await wait_for_writers_of_the_same(thread);
    co_await redo_.commit(thread, [this, &thread]() -> Task { return complete(thread); });
  }

  Time roll_back(Thread& thread) {
    redo_.withdraw(thread);
    return 0;
  }

 private:
  static constexpr std::uint64_t size = 1024;
  static constexpr unsigned words = 16;
  using Filter = std::array<std::uint64_t, words>;

  struct Sets {
    Filter reads{};
    Filter written{};
  };
  struct Entry {
    Filter filter{};
    Line line;  // for its three: they are fetched together
  };

  static void add(Filter& filter, std::uint32_t stripe) {
    constexpr std::uint64_t first_stripe = (std::uint64_t{1} << 45) / stripe_bytes;  // of libs/pool/window.h
    const std::uint64_t bit = (first_stripe + stripe) * 0x9e3779b97f4a7c15U >> 54;
    filter[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }

  Entry& entry_of(std::uint64_t commit) { return entries_[commit % size]; }

  bool intersects(std::uint64_t commit, const Filter& filter) {
    const Filter& other = entry_of(commit).filter;
    for (unsigned i = 0; i < words; ++i)
      if ((other[i] & filter[i]) != 0) return true;
    return false;
  }

  Time look_at(std::uint64_t commit, const Thread& thread) {
    return machine_.load(entry_of(commit).line, thread) + machine_.costs.filter;
  }

  /// Against all commits that have entered.
  void validate(Thread& thread, Step& step) {
    const std::uint64_t complete = complete_;
    step.time += machine_.load(complete_line_, thread);
    if (newest_ > thread.start + size) step.verdict = Verdict::conflict;
    for (std::uint64_t commit = newest_; commit > thread.start && step.verdict == Verdict::done; --commit) {
      step.time += look_at(commit, thread);
      if (intersects(commit, sets_[thread.number].reads)) step.verdict = Verdict::conflict;
    }
    thread.start = std::max(thread.start, std::min(complete, newest_));
  }

  Task enter(Thread& thread, bool& committed) {
    for (;;) {
      const std::uint64_t newest = newest_;
      Step step;
      validate(thread, step);
      co_await machine_.engine.pass(step.time);
      committed = step.verdict == Verdict::done;
      if (!committed) co_return;
      co_await machine_.engine.pass(machine_.own(newest_line_, thread));
      if (newest_ != newest) continue;
      thread.timestamp = ++newest_;
      break;
    }
    while (thread.timestamp > complete_ + size) co_await completed_.wait();
    Entry& entry = entry_of(thread.timestamp);
    entry.filter = sets_[thread.number].written;
    co_await machine_.engine.pass(machine_.own(entry.line, thread));
  }

  Task wait_for_writers_of_the_same(Thread& thread) {
    Time time = 0;
    for (std::uint64_t commit = thread.timestamp - 1; commit > complete_; --commit) {
      time += look_at(commit, thread);
      if (!intersects(commit, sets_[thread.number].written)) continue;
      while (complete_ < commit) co_await completed_.wait();
      break;
    }
    co_await machine_.engine.pass(time);
  }

  /// In the order of the commits.
  Task complete(Thread& thread) {
    while (complete_ != thread.timestamp - 1) co_await completed_.wait();
    co_await machine_.engine.pass(machine_.own(complete_line_, thread));
    complete_ = thread.timestamp;
    completed_.notify();
  }

  Machine& machine_;
  DurableRedo redo_;
  std::uint64_t newest_ = 0;
  std::uint64_t complete_ = 0;
  Line newest_line_;
  Line complete_line_;
  Changed completed_;
  std::vector<Entry> entries_;
  std::vector<Sets> sets_;
};

}  // namespace perdure::scale

#endif
