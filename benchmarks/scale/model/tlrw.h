#ifndef PERDURE_BENCHMARKS_SCALE_TLRW_H
#define PERDURE_BENCHMARKS_SCALE_TLRW_H

#include <cstdint>
#include <vector>

#include "durable_undo.h"

namespace perdure::scale {

/// algorithms/tlrw.h.
class Tlrw {
 public:
  static constexpr bool is_eager = true;
  static constexpr bool needs_quiescence = false;

  explicit Tlrw(Machine& machine)
      : machine_(machine), undo_(machine, true), locks_(size), sets_(machine.threads().size()) {}

  Task begin(Thread& thread) {
    undo_.begin(thread);
    sets_[thread.number].turns = 0;
    co_return;
  }

  Step access(Thread& thread, const Access& access) {
    const std::uint32_t number = access.stripe % size;
    Step step = access.is_write == 0 ? read(thread, number) : own(thread, number);
    if (step.verdict == Verdict::again) {
      unsigned& turns = sets_[thread.number].turns;
      turns += turns_of_poll;
      if (turns > patience) step.verdict = Verdict::conflict;
      step.time += turns_of_poll * machine_.costs.pause;
      return step;
    }
    sets_[thread.number].turns = 0;
    if (access.is_write != 0 && step.verdict == Verdict::done) step.time += undo_.entry(thread, access);
    return step;
  }

  Task commit(Thread& thread, bool& committed) {
    committed = true;
    thread.timestamp = 0;
    co_await machine_.engine.pass(undo_.commit(thread));
    unlock(thread);
  }

  Time roll_back(Thread& thread) {
    const Time time = undo_.roll_back(thread);
    unlock(thread);
    return time;
  }

 private:
  static constexpr std::uint32_t size = 1U << 20;
  static constexpr unsigned nobody = most_threads;
  static constexpr unsigned patience = 264;
  static constexpr unsigned turns_of_poll = 8;

  struct ByteLock {
    std::uint64_t readers = 0;
    unsigned owner = nobody;
    Line line;
  };
  struct Sets {
    std::vector<std::uint32_t> reads;
    std::vector<std::uint32_t> owned;
    unsigned turns = 0;  // that it has waited for one lock
  };

  Step read(Thread& thread, std::uint32_t number) {
    ByteLock& lock = locks_[number];
    const std::uint64_t self = bit_of(thread.number);
    if (lock.owner == thread.number || (lock.readers & self) != 0) return {};
    const Step step{machine_.own(lock.line, thread)};  // a reader's byte is on the line of all
    if (lock.owner != nobody) return {step.time, Verdict::again};
    lock.readers |= self;
    sets_[thread.number].reads.push_back(number);
    return step;
  }

  Step own(Thread& thread, std::uint32_t number) {
    ByteLock& lock = locks_[number];
    const std::uint64_t self = bit_of(thread.number);
    Step step{machine_.own(lock.line, thread)};
    if (lock.owner == nobody) {
      lock.owner = thread.number;
      sets_[thread.number].owned.push_back(number);
    } else if (lock.owner != thread.number) {
      // The owner waits for this thread to end its read.
      return {step.time, (lock.readers & self) != 0 ? Verdict::conflict : Verdict::again};
    }
    if ((lock.readers & ~self) != 0) step.verdict = Verdict::again;
    return step;
  }

  void unlock(Thread& thread) {
    Sets& sets = sets_[thread.number];
    for (const std::uint32_t number : sets.owned) {
      locks_[number].owner = nobody;
      machine_.own(locks_[number].line, thread);  // the store buffer waits, not the thread
    }
    for (const std::uint32_t number : sets.reads) {
      locks_[number].readers &= ~bit_of(thread.number);
      machine_.own(locks_[number].line, thread);
    }
    sets.owned.clear();
    sets.reads.clear();
  }

  Machine& machine_;
  DurableUndo undo_;
  std::vector<ByteLock> locks_;
  std::vector<Sets> sets_;
};

}  // namespace perdure::scale

#endif
