#ifndef PERDURE_BENCHMARKS_SCALE_MACHINE_H
#define PERDURE_BENCHMARKS_SCALE_MACHINE_H

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "costs.h"
#include "engine.h"
#include "line.h"
#include "mode.h"
#include "workload.h"

namespace perdure::scale {

inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// What became of an access: it may have to be tried again a little later, or the transaction be given up.
enum class Verdict { done, again, conflict };

struct Step {
  Time time = 0;
  Verdict verdict = Verdict::done;
};

/// A simulated thread, on a core of its own, with what the libraries keep of it.
struct Thread {
  Thread(Engine& engine, unsigned thread_number, std::uint64_t seed)
      : number(thread_number), ended(engine), random_state((seed * most_threads + thread_number + 1) * odd_factor) {}

  std::uint64_t random() {  // xorshift (Marsaglia 2003)
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
  }

  const unsigned number;
  const Work* work = nullptr;   ///< the transaction that it is at
  std::uint64_t start = 0;      ///< the time at which everything read so far was as it was read
  std::uint64_t timestamp = 0;  ///< of the commit
  std::uint64_t running_since = never;
  std::uint64_t unretired_since = never;
  Line slot;                ///< in which others see these two
  Changed ended;            ///< a transaction of this thread has
  double undo_entries = 0;  ///< written so far
  Time released = 0;        ///< when what it wrote could be read, where that is before its commit is done
  std::uint64_t random_state;

 private:
  static constexpr std::uint64_t odd_factor = 0x9e3779b97f4a7c15;
};

/// Cores and memory, and what they cost.
class Machine {
 public:
  Machine(Engine& its_engine, const Costs& its_costs, const Mode& its_mode, unsigned threads, std::size_t data_lines,
          std::uint64_t seed)
      : engine(its_engine), costs(its_costs), mode(its_mode), data_lines_(data_lines) {
    for (unsigned number = 0; number < threads; ++number) threads_.emplace_back(engine, number, seed);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Engine& engine;
  const Costs costs;
  const Mode mode;

  std::deque<Thread>& threads() { return threads_; }
  const std::deque<Thread>& threads() const { return threads_; }

  Time load(Line& line, const Thread& thread) { return line.load(thread.number, engine.now(), costs.transfer); }
  Time own(Line& line, const Thread& thread) { return line.own(thread.number, engine.now(), costs.transfer); }
  Line& data_line(std::uint32_t number) { return data_lines_[number]; }
  std::size_t data_lines() const { return data_lines_.size(); }

  Time write_back(const Thread& thread) {
    Time time = 0;
    for (const std::uint32_t line : thread.work->written_lines) time += own(data_lines_[line], thread);
    return time;
  }

  /// What others publish in their slots (libs/sched/thread_registry.h). No load depends on the one before, so a core
  /// has many of them under way at once: the first that another core has changed is waited for, and the others follow.
  Time look_at_all_slots(const Thread& self) {
    Time longest = 0;
    double fetched = 0;
    for (Thread& other : threads_) {
      const Time one = other.number == self.number ? 0 : load(other.slot, self);
      longest = std::max(longest, one);
      fetched += one == 0 ? 0 : 1;
    }
    return longest + std::max(fetched - 1, 0.0) * costs.next_transfer;
  }

  /// What is flushed now. It waits until the memory has taken what all cores have flushed before.
  Time flushes(double lines) {
    if (!mode.durable || lines == 0) return 0;
    memory_free_at_ = std::max(memory_free_at_, engine.now()) + lines * costs.shared_flush;
    return std::max(lines * costs.flush, memory_free_at_ - engine.now());
  }
  Time fences(double count = 1) const { return mode.durable ? count * costs.fence : 0; }

 private:
  std::deque<Thread> threads_;
  std::vector<Line> data_lines_;
  Time memory_free_at_ = 0;
};

}  // namespace perdure::scale

#endif
