#ifndef PERDURE_TESTS_ISOLATION_IN_PARALLEL_H
#define PERDURE_TESTS_ISOLATION_IN_PARALLEL_H

#include <atomic>
#include <thread>
#include <vector>

#include "sched/sole_thread.h"

namespace perdure {

/// Threads that begin while it lives look for moments in which they are alone as often as can be, so that the change to
/// and from that is seen, too.
class Impatient {
 public:
  explicit Impatient(bool is_so = true) {
    if (is_so) sched::patience = {.first = 1, .most = 4};
  }
  Impatient(const Impatient&) = delete;
  Impatient& operator=(const Impatient&) = delete;
  ~Impatient() { sched::patience = {}; }
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
