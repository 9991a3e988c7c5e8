#ifndef PERDURE_TESTS_SIMULATOR_STOPPED_WORKERS_H
#define PERDURE_TESTS_SIMULATOR_STOPPED_WORKERS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "simulate/scheduler.h"

namespace perdure::simulate {

/// Threads of which some are stopped by the scheduler until all others have done their work.
class StoppedWorkers {
 public:
  explicit StoppedWorkers(std::size_t count) : count_(count) {}

  /// Each thread calls `prepare(who)`, so that it has all that a thread needs, and then `work(who)`.
  /// \param stops  the threads that take these steps are stopped there, counted from when all are prepared.
  /// \param meanwhile  is called by the last of the others, while they are stopped.
  /// \returns how many steps there were in between.
  template <class Prepare, class Work, class Meanwhile>
  std::uint64_t run(const Strategy& strategy, const Scheduler::Stops& stops, const Prepare& prepare, const Work& work,
                    const Meanwhile& meanwhile) {
    prepared_ = ended_ = 0;
    std::uint64_t begin = 0, end = 0;
    scheduler.start(strategy);
    std::vector<std::thread> threads;
    for (std::size_t who = 0; who < count_; ++who)
      threads.emplace_back([&, who] {
        prepare(who);
        if (++prepared_ == count_) {
          begin = scheduler.steps();
          scheduler.stop_at(stops);
        }
        while (prepared_ != count_) scheduler.yield();
        work(who);
        if (ended_ + 1 + scheduler.stopped() == count_) {
          end = scheduler.steps();
          meanwhile();
        }
        // No thread ends before: it would wait for those that are stopped.
        ++ended_;
        while (ended_ + scheduler.stopped() < count_) scheduler.yield();
        scheduler.release_stopped();
      });
    for (std::thread& thread : threads) thread.join();
    scheduler.stop();
    return end - begin;
  }
  template <class Prepare, class Work>
  std::uint64_t run(const Strategy& strategy, const Scheduler::Stops& stops, const Prepare& prepare, const Work& work) {
    return run(strategy, stops, prepare, work, [] {});
  }

 private:
  std::size_t count_;
  std::atomic<std::size_t> prepared_{0};
  std::atomic<std::size_t> ended_{0};
};

}  // namespace perdure::simulate

#endif
