#ifndef PERDURE_BENCHMARKS_TESTS_SCRATCH_POOL_H
#define PERDURE_BENCHMARKS_TESTS_SCRATCH_POOL_H

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "common/workload.h"
#include "perdure/pool.h"
#include "perdure/statistics.h"

namespace perdure::benchmarks {

/// A pool for one test, whose file is removed at the end.
class ScratchPool {
 public:
  explicit ScratchPool(const OpenOptions& options = {.accept_volatile = true})
      : options_(options),
        path_(std::filesystem::temp_directory_path() / ("perdure-workload-test-" + std::to_string(getpid()) + ".pool")),
        pool_(open()) {}

  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;

  ~ScratchPool() {
    pool_.close();
    std::filesystem::remove(path_);
  }

  Pool& get() { return pool_; }

  /// Closes the pool and opens it again. With a volatile library the pool is then empty.
  Pool& reopen() {
    pool_.close();
    pool_ = open();
    return pool_;
  }

 private:
  Pool open() const { return Pool::open(path_, options_); }

  const OpenOptions options_;
  const std::filesystem::path path_;
  Pool pool_;
};

/// All violations in one text, for EXPECT_EQ(…, "") and for searching.
inline std::string joined(const std::vector<std::string>& violations) {
  std::string text;
  for (const auto& violation : violations) text += violation + "\n";
  return text;
}

/// Populates a workload with two shares, one after the other.
template <Workload W>
void populate(W& workload) {
  workload.begin_population();
  for (std::size_t i = 0; i < 2; ++i) workload.populate(Share{i, 2, i + 1});
  workload.finish_population();
}

/// Takes `steps` steps on each of two threads at once.
template <Workload W>
void run_two_workers(W& workload, int steps) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&workload, steps, i] {
      auto worker = workload.worker(Share{i, 2, i + 10});
      for (int step = 0; step < steps; ++step) worker.step();
    });
  }
  for (auto& thread : threads) thread.join();
}

/// Populates a small workload, runs two workers, and expects the invariants to hold: then, and in the pool opened again
/// (by a library that keeps it).
/// \returns what is wrong, or an empty text.
template <Workload W>
std::string wrong_after_run_and_reopening(const typename W::Parameters& parameters, int steps) {
  ScratchPool pool;
  {
    W workload(pool.get(), parameters, 2);
    populate(workload);
    if (const auto wrong = joined(workload.violations()); !wrong.empty()) return "after populating: " + wrong;
    run_two_workers(workload, steps);
    if (const auto wrong = joined(workload.violations()); !wrong.empty()) return "after running: " + wrong;
  }
  W again(pool.reopen(), parameters, 2);
  if (!library_is_durable()) return "";
  if (!again.is_populated()) return "the pool is not populated after reopening";
  if (const auto wrong = joined(again.violations()); !wrong.empty()) return "after reopening: " + wrong;
  run_two_workers(again, steps);
  return joined(again.violations());
}

}  // namespace perdure::benchmarks

#endif
