#ifndef PERDURE_BENCHMARKS_SCALE_REPLICATED_H
#define PERDURE_BENCHMARKS_SCALE_REPLICATED_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "machine.h"

namespace perdure::scale {

/// What the universal constructions have in common (EuroSys'20): transactions run in one of several copies of the pool,
/// turn by turn another one counts, and a thread's update may be made by others. Nothing conflicts for those who only
/// read.
///
/// Left out: superblocks without copies, and updates that only their owner can make.
class Replicated {
 public:
  static constexpr bool is_eager = false;
  static constexpr bool needs_quiescence = false;

  Task read(Thread& thread) {
    co_await machine_.engine.pass(begin(thread));
    Copy& copy = current();
    ++copy.readers;
    co_await machine_.engine.pass(body(copy, thread, *thread.work));
    if (--copy.readers == 0) changed_.notify();
    if (const double lines = thread.work->captured_lines; lines != 0)
      co_await machine_.engine.pass(machine_.flushes(lines) + machine_.fences());
  }

 protected:
  struct Copy {
    std::vector<Line> lines;
    std::uint64_t holds = 0;     ///< all turns up to this one
    double unflushed_lines = 0;  ///< that were copied to it: they are flushed with what is written next
    unsigned readers = 0;
    bool is_taken = false;
  };

  Replicated(Machine& machine, std::size_t copies)
      : machine_(machine),
        copies_(copies),
        announcements_(machine.threads().size()),
        changed_(machine.engine),
        stamps_(machine.data_lines()) {
    for (Copy& copy : copies_) copy.lines.resize(machine.data_lines());
  }

  Copy& current() { return copies_[current_]; }

  /// It says which turn it reads. Whoever finds one that is decided, but not yet durable, makes it durable.
  Time begin(const Thread& thread) {
    const Time completing = durable_ < time_ ? machine_.flushes(1) + machine_.fences() : 0;
    return machine_.load(time_line_, thread) + machine_.own(slot_of(thread), thread) + completing;
  }

  /// A transaction in a copy: also another thread's. \param share  of what it takes that is not for other cores' lines.
  Time body(Copy& copy, const Thread& thread, const Work& work, double share = 1) {
    const Costs& costs = machine_.costs;
    Time own = work.rest;
    Time transfers = 0;
    for (const Touch& touch : work.touches) {
      const bool writes = touch.access.is_write != 0;
      Line& line = copy.lines[touch.line];
      own += work.an_access * (1 + touch.access.repeats) + (writes ? costs.write_chunk / 2 : costs.read_stripe);
      transfers += writes ? machine_.own(line, thread) : machine_.load(line, thread);
    }
    return own * share + transfers;
  }

  /// What was written is put back.
  Time undo(const std::vector<const Work*>& works) const {
    double entries = 0;
    for (const Work* const work : works) entries += work->entries;
    return entries * machine_.costs.write_chunk / 2;
  }

  /// Copies what turns up to `time` have written and this copy lacks, each line once. Which lines these are is known
  /// beforehand, so the first is waited for, and the others follow.
  Time catch_up(Copy& copy, const Thread& thread, std::uint64_t time) {
    Time longest = 0;
    double fetched = 0, copied = 0;
    ++stamp_;
    for (std::uint64_t turn = copy.holds + 1; turn <= time; ++turn)
      for (const Work* const work : turns_[turn])
        for (const std::uint32_t line : work->written_lines) {
          if (is_stamped(line)) continue;
          const Time one = machine_.own(copy.lines[line], thread) + machine_.load(current().lines[line], thread);
          longest = std::max(longest, one);
          fetched += one == 0 ? 0 : 1;
          ++copied;
        }
    copy.holds = std::max(copy.holds, time);
    copy.unflushed_lines += copied;
    return longest + std::max(fetched - 1, 0.0) * machine_.costs.next_transfer +
           copied * machine_.costs.write_chunk / 2;
  }

  /// What a turn has written is durable in its copy, before the word says that it counts.
  Time make_durable(Copy& copy, const std::vector<const Work*>& works) {
    double lines = copy.unflushed_lines;
    copy.unflushed_lines = 0;
    ++stamp_;
    for (const Work* const work : works) {
      lines += work->captured_lines;
      for (const std::uint32_t line : work->written_lines) lines += is_stamped(line) ? 0 : 1;
    }
    return machine_.flushes(lines) + machine_.fences();
  }
  Time make_word_durable() { return machine_.flushes(1) + machine_.fences(); }

  /// The turn is decided, and others see it. \param copy  in which it was made.
  void decide(Copy& copy, std::vector<const Work*> works, const Thread& thread) {
    turns_.push_back(std::move(works));
    copy.holds = ++time_;
    current_ = static_cast<std::size_t>(&copy - copies_.data());
    machine_.own(time_line_, thread);  // the store buffer waits, not the thread
  }

  // -- Updates that threads announce, for others to make them.

  Time announce(const Thread& thread) {
    Announcement& own = announcements_[thread.number];
    own.work = thread.work;
    return machine_.own(own.line, thread);
  }
  bool is_pending(const Thread& thread) const { return announcements_[thread.number].work != nullptr; }
  bool is_queued(const Thread& thread) const { return announcements_[thread.number].is_queued; }
  void withdraw(const Thread& thread) { announcements_[thread.number].work = nullptr; }
  Time look_at_result(const Thread& thread) { return machine_.load(announcements_[thread.number].line, thread); }

  struct Announcement {
    const Work* work = nullptr;  ///< not yet done
    bool is_queued = false;      ///< it will be done in a turn that is decided already
    Line line;
  };
  /// All that others have announced.
  std::vector<Announcement*> announced() {
    std::vector<Announcement*> found;
    for (Announcement& each : announcements_)
      if (each.work != nullptr && !each.is_queued) found.push_back(&each);
    return found;
  }
  void settle(const std::vector<Announcement*>& done, const Thread& thread) {
    for (Announcement* const each : done) {
      each->work = nullptr;
      each->is_queued = false;
      machine_.own(each->line, thread);  // the store buffer waits, not the thread
    }
    changed_.notify();
  }

  Line& slot_of(const Thread& thread) { return machine_.threads()[thread.number].slot; }

  Machine& machine_;
  std::vector<Copy> copies_;
  std::size_t current_ = 0;
  std::uint64_t time_ = 0;     // of the last turn that is decided
  std::uint64_t durable_ = 0;  // up to which the word is
  std::vector<std::vector<const Work*>> turns_{1};
  Line time_line_;
  std::vector<Announcement> announcements_;
  Changed changed_;  // a copy may be free, a turn is made, or an update is done

 private:
  /// \returns whether it was already, since `stamp_` was raised.
  bool is_stamped(std::uint32_t line) { return std::exchange(stamps_[line], stamp_) == stamp_; }

  std::vector<std::uint64_t> stamps_;  // of lines
  std::uint64_t stamp_ = 0;
};

}  // namespace perdure::scale

#endif
