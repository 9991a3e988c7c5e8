#ifndef PERDURE_TESTS_ISOLATION_IN_PARALLEL_H
#define PERDURE_TESTS_ISOLATION_IN_PARALLEL_H

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "sched/sole_thread.h"

namespace perdure {

/// Threads that begin while it lives look for moments in which they are alone as often as can be, and take turns half
/// of the time, so that the change to and from that is seen, too.
class Impatient {
 public:
  explicit Impatient(bool is_so = true) {
    if (!is_so) return;
    constexpr std::chrono::microseconds a_while(500);
    constexpr std::chrono::microseconds a_moment(20);
    sched::patience = {.first = 1, .most = 4};
    sched::alternation_limits = {.worth_it = 0,
                                 .window = a_while,
                                 .shortest_turn = a_moment,
                                 .longest_turn = a_while,
                                 .first_series = a_while,
                                 .longest_series = a_while,
                                 .first_pause = a_moment,
                                 .longest_pause = a_moment};
  }
  Impatient(const Impatient&) = delete;
  Impatient& operator=(const Impatient&) = delete;
  ~Impatient() {
    sched::patience = {};
    sched::alternation_limits = {};
  }
};

/// Calls `work(number)` in so many threads, which begin together. \returns when all have ended.
template <class Work>
void in_parallel(unsigned threads, Work&& work) {
  std::atomic<unsigned> missing{threads};
  std::vector<std::thread> running;
  for (unsigned number = 0; number < threads; ++number)
    running.emplace_back([&, number] {
      missing.fetch_sub(1);
      while (missing.load() > 0) std::this_thread::yield();
      work(number);
    });
  for (std::thread& thread : running) thread.join();
}

}  // namespace perdure

#endif
