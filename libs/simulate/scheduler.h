#ifndef PERDURE_SIMULATE_SCHEDULER_H
#define PERDURE_SIMULATE_SCHEDULER_H

#include <semaphore.h>

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "simulate/one_processor.h"

namespace perdure::simulate {

/// How the next thread is chosen.
struct Strategy {
  enum class Kind : std::uint8_t {
    sequential,  ///< switch only where a thread waits
    uniform,     ///< at every eighth point or so, any thread
    priorities,  ///< probabilistic concurrency testing (Burckhardt et al., ASPLOS'10): the thread with the highest
                 ///< priority runs; at a few random points it falls behind all others
    listed,      ///< switch at certain steps, and where a thread waits: so all interleavings can be gone through
  };
  Kind kind = Kind::sequential;
  std::uint64_t seed = 0;
  std::array<std::uint64_t, 2> switches{};  ///< of `listed`: the numbers of the steps
  std::uint64_t most_steps = 50'000'000;    ///< of all threads; if it takes more, they do not come to an end
};

/// Lets one thread run at a time, and decides at each point (an access to a pool, an atomic operation, a flush, a
/// fence, a lock) which one: the same seed gives the same interleaving. Threads that are created while it is on take
/// part.
///
/// All state is changed by the thread that runs; handing over by a semaphore orders everything.
class Scheduler {
 public:
  /// From now on the calling thread is task 0.
  void start(const Strategy& strategy);
  /// All other tasks have ended.
  void stop();
  bool is_on() const { return on_; }

  /// The number of the calling thread's task; 0 when the scheduler is off.
  std::size_t this_task() const { return on_ ? current_ : 0; }

  /// Maybe lets another thread run.
  void point() {
    if (alive_ > 1) [[unlikely]]
      maybe_switch();
  }
  /// The calling thread cannot go on by itself: lets others run first.
  void yield();

  /// A thread is created: its task, which waits until it is chosen.
  std::size_t add_task();
  /// The new thread's first and last steps.
  void enter(std::size_t task);
  void leave();
  /// Waits, letting others run, until the task has left.
  void wait_for(std::size_t task);

  /// Of the last run, or of this one so far.
  std::uint64_t steps() const { return steps_; }

  /// The threads that take these steps, counted from here on, are stopped there, but for the first thread.
  using Stops = std::array<std::uint64_t, 2>;
  void stop_at(const Stops& steps);
  /// Those that are stopped go on, and no others are stopped.
  void release_stopped();
  /// How many threads are stopped at this moment.
  std::size_t stopped() const { return stopped_; }

  /// Of the calling thread. What a thread that is alone does is not counted.
  std::uint64_t steps_of_this_task() const { return tasks_[current_].steps; }

  /// How many tasks there have been since the start.
  std::size_t tasks() const { return tasks_.size(); }

 private:
  struct Task {
    sem_t turn;
    bool ended = false;
    bool stopped = false;
    std::int64_t priority = 0;
    std::uint64_t steps = 0;

    bool can_run() const { return !ended && !stopped; }
  };

  static constexpr std::uint64_t switch_rate = 8;
  static constexpr std::size_t change_points = 3;
  static constexpr std::uint64_t longest_stretch = 2'000;

  void count_step();
  void maybe_switch();
  bool must_stop() const;
  void stop_current();
  void switch_to(std::size_t next);
  std::size_t choose();
  std::size_t choose_any_but_current();
  std::size_t highest_priority() const;

  bool on_ = false;
  OneProcessor processor_;
  std::size_t alive_ = 0;  // tasks that have not ended; steps of a task that is alone do not count
  Strategy strategy_;
  std::mt19937_64 random_;
  std::deque<Task> tasks_;
  std::size_t current_ = 0;
  Stops stops_{};
  std::size_t stopped_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t stretch_ = 0;          // steps since the last switch
  std::uint64_t steps_before_ = 2000;  // of the last run: where to put change points
  std::int64_t lowest_priority_ = 0;
  std::vector<std::uint64_t> changes_;
};

inline Scheduler scheduler;

}  // namespace perdure::simulate

#endif
