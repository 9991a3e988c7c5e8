#ifndef PERDURE_BENCHMARKS_SCALE_NOREC_H
#define PERDURE_BENCHMARKS_SCALE_NOREC_H

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "durable_redo.h"

namespace perdure::scale {

/// algorithms/norec.h. Values are taken to differ wherever somebody wrote.
class Norec {
 public:
  static constexpr bool is_eager = false;
  static constexpr bool needs_quiescence = true;

  explicit Norec(Machine& machine)
      : machine_(machine), redo_(machine), released_(machine.engine), reads_(machine.threads().size()) {}

  Task begin(Thread& thread) {
    while (is_held_) co_await released_.wait();
    thread.start = commits_;
    thread.running_since = commits_;
    co_await machine_.engine.pass(machine_.load(sequence_line_, thread) + machine_.own(thread.slot, thread));
  }

  Step access(Thread& thread, const Access& access) {
    if (access.is_write != 0) return {};
    if (is_held_) return {polled_after * machine_.costs.pause, Verdict::again};
    Step step{machine_.load(sequence_line_, thread)};
    if (commits_ != thread.start) revalidate(thread, step);
    reads_[thread.number].push_back(access);
    return step;
  }

  Task commit(Thread& thread, bool& committed) {
    Engine& engine = machine_.engine;
    committed = true;
    if (!thread.work->writes()) {
      thread.timestamp = thread.start;
      co_await engine.pass(redo_.flush_captured(thread));
    } else {
      co_await engine.pass(redo_.announce(thread, thread.start));
      co_await take(thread, committed);
      if (!committed) co_return;
      co_await engine.pass(redo_.prepare(thread));
      co_await redo_.commit(thread, [this, &thread]() -> Task {
        publish(thread);
        co_return;
      });
    }
    reads_[thread.number].clear();
  }

  Time roll_back(Thread& thread) {
    reads_[thread.number].clear();
    redo_.withdraw(thread);
    return 0;
  }

 private:
  static constexpr unsigned words_of_stripe = 4;
  static constexpr double polled_after = 4;  // pauses
  using Versions = std::array<std::uint64_t, words_of_stripe>;

  Task take(Thread& thread, bool& committed) {
    for (;;) {
      while (is_held_) co_await released_.wait();
      Step step;
      if (commits_ != thread.start) revalidate(thread, step);
      committed = step.verdict == Verdict::done;
      if (!committed) co_return;
      const std::uint64_t seen = commits_;
      co_await machine_.engine.pass(step.time + machine_.own(sequence_line_, thread));
      if (is_held_ || commits_ != seen) continue;
      is_held_ = true;
      co_return;
    }
  }

  void publish(Thread& thread) {
    thread.timestamp = ++commits_;
    for (const Touch& touch : thread.work->touches)
      if (touch.access.is_write != 0) note_written(touch.access);
    machine_.own(sequence_line_, thread);  // the store buffer waits, not the thread
    is_held_ = false;
    released_.notify();
  }

  void note_written(const Access& access) {
    Versions& versions = written_[access.stripe];
    for (unsigned word = 0; word < words_of_stripe; ++word)
      if ((access.words >> word & 1U) != 0) versions[word] = commits_;
  }

  void revalidate(Thread& thread, Step& step) {
    const std::vector<Access>& reads = reads_[thread.number];
    for (const Access& access : reads)
      if (is_newer(access, thread.start)) step.verdict = Verdict::conflict;
    const double values = static_cast<double>(reads.size()) * thread.work->noted_values;
    step.time += values * machine_.costs.validate + machine_.load(sequence_line_, thread);
    thread.start = commits_;
  }

  bool is_newer(const Access& access, std::uint64_t time) const {
    const auto found = written_.find(access.stripe);
    if (found == written_.end()) return false;
    for (unsigned word = 0; word < words_of_stripe; ++word)
      if ((access.words >> word & 1U) != 0 && found->second[word] > time) return true;
    return false;
  }

  Machine& machine_;
  DurableRedo redo_;
  bool is_held_ = false;
  std::uint64_t commits_ = 0;
  Line sequence_line_;
  Changed released_;
  std::unordered_map<std::uint32_t, Versions> written_;  // the number of the last commit that did, for each word
  std::vector<std::vector<Access>> reads_;
};

}  // namespace perdure::scale

#endif
