#ifndef PERDURE_TESTS_ISOLATION_IN_PARALLEL_H
#define PERDURE_TESTS_ISOLATION_IN_PARALLEL_H

#include <atomic>
#include <thread>
#include <vector>

namespace perdure {

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
