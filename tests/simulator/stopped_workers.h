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
  /// \returns how many steps there were since then.
  template <class Prepare, class Work>
  std::uint64_t run(const Strategy& strategy, const Scheduler::Stops& stops, const Prepare& prepare, const Work& work) {
    prepared_ = ended_ = 0;
    std::uint64_t begin = 0;
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
        // No thread ends before: it would wait for those that are stopped.
        ++ended_;
        while (ended_ + scheduler.stopped() < count_) scheduler.yield();
        scheduler.release_stopped();
      });
    for (std::thread& thread : threads) thread.join();
    scheduler.stop();
    return scheduler.steps() - begin;
  }

 private:
  std::size_t count_;
  std::atomic<std::size_t> prepared_{0};
  std::atomic<std::size_t> ended_{0};
};

}  // namespace perdure::simulate

#endif
