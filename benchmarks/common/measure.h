#ifndef PERDURE_BENCHMARKS_MEASURE_H
#define PERDURE_BENCHMARKS_MEASURE_H

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <concepts>
#include <exception>
#include <thread>
#include <vector>

#include "footprint.h"
#include "machine.h"
#include "result.h"
#include "workload.h"

namespace perdure::benchmarks {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Runs `job(share)` on as many threads as the options say and waits for all. The first exception of a job goes on to
/// the caller once every thread has ended.
template <class Job>
void on_every_thread(const Options& options, Job job) {
  std::vector<std::exception_ptr> failures(options.threads);
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < options.threads; ++index) {
    threads.emplace_back([&, index] {
      try {
        job(Share{index, options.threads, options.seed * options.threads + index});
      } catch (...) {
        failures[index] = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

/// A workload over a system that counts what it does, apart from the library that the program is linked with.
template <class W>
concept CountsItself = requires(W& workload) {
  workload.begin_counting();
  { workload.counted() } -> std::same_as<Statistics>;
};

/// Measures a workload: every worker warms up, waits for the others, and then runs until the time is over or its part
/// of the transactions is done.
template <HasWorkers W>
class Race {
 public:
  Race(W& workload, const Options& options)
      : workload_(workload), options_(options), start_(static_cast<std::ptrdiff_t>(options.threads), Start{this}) {}

  Measurement run() {
    results_.resize(options_.threads);
    on_every_thread(options_, [this](const Share& share) { run_worker(share); });
    Measurement sum;
    sum.statistics = counted();
    sum.processor_seconds = processor_seconds() - processor_begin_;
    sum.seconds = std::chrono::duration<double>(last_end() - started_at_).count();
    for (const auto& result : results_) {
      sum.transactions += result.transactions;
      sum.rolled_back += result.rolled_back;
      sum.latency.merge(result.latency);
      sum.volatile_bytes = std::max(sum.volatile_bytes, result.volatile_bytes);
    }
    return sum;
  }

 private:
  struct Result {
    std::uint64_t transactions = 0;
    std::uint64_t rolled_back = 0;
    LatencyHistogram latency;
    std::uint64_t volatile_bytes = 0;
    Clock::time_point ended_at;
  };

  // Runs on one thread when all have warmed up and none has a transaction running, as reset_statistics demands.
  struct Start {
    Race* race;
    void operator()() noexcept {
      reset_statistics();
      if constexpr (CountsItself<W>) race->workload_.begin_counting();
      race->processor_begin_ = processor_seconds();
      race->started_at_ = Clock::now();
    }
  };

  // One transaction in so many is timed, so that reading the clock costs the others nothing.
  static constexpr std::uint64_t sampled_one_in = 8;

  void run_worker(const Share& share) {
    auto worker = workload_.worker(share);  // on this thread's stack
    warm_up(worker, share);
    start_.arrive_and_wait();
    Result result;
    const auto wanted = share.end(options_.transactions) - share.begin(options_.transactions);
    while (options_.transactions ? result.transactions < wanted : !is_over()) {
      if (options_.rate > 0)
        step_on_time(worker, result, share);
      else
        step_batch(worker, result, wanted);
    }
    result.ended_at = Clock::now();
    result.volatile_bytes = volatile_bytes();  // while this thread still has what it works with
    results_[share.index] = result;
  }

  // A worker that fails leaves the others to run, or they would wait for it for ever.
  void warm_up(typename W::Worker& worker, const Share& share) {
    try {
      if (options_.pin) pin_to_core(share.index);
      for (const auto begin = Clock::now(); seconds_since(begin) < options_.warmup;) worker.step();
    } catch (...) {
      start_.arrive_and_drop();
      throw;
    }
  }

  bool is_over() const { return seconds_since(started_at_) >= options_.seconds; }

  // One transaction, when its time has come. One that is late because the one before took long has waited for as long
  // as whoever wanted it, so that counts, too.
  void step_on_time(typename W::Worker& worker, Result& result, const Share& share) {
    const double number = static_cast<double>(result.transactions * share.count + share.index);
    const auto due = started_at_ +
                     std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(number / options_.rate));
    while (Clock::now() < due) __builtin_ia32_pause();
    step(worker, result);
    add_latency(result, due);
  }

  // The first of a batch is timed; the clock that ends the run is read once a batch.
  void step_batch(typename W::Worker& worker, Result& result, std::uint64_t wanted) {
    const auto left = options_.transactions ? wanted - result.transactions : sampled_one_in;
    const auto begin = Clock::now();
    step(worker, result);
    add_latency(result, begun(worker, begin));
    for (std::uint64_t done = 1; done < std::min(left, sampled_one_in); ++done) step(worker, result);
  }

  // When that was begun which a step has ended: with the step, unless the worker has several things under way.
  static Clock::time_point begun(const typename W::Worker& worker, Clock::time_point step) {
    if constexpr (requires { worker.begun(); }) return worker.begun();
    return step;
  }

  static void add_latency(Result& result, Clock::time_point since) {
    const auto duration = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - since);
    result.latency.add(static_cast<std::uint64_t>(duration.count()));
  }

  void step(typename W::Worker& worker, Result& result) {
    result.rolled_back += worker.step() == Outcome::rolled_back;
    ++result.transactions;
  }

  Statistics counted() {
    if constexpr (CountsItself<W>)
      return workload_.counted();
    else
      return statistics();
  }

  Clock::time_point last_end() const {
    auto last = started_at_;
    for (const auto& result : results_) last = std::max(last, result.ended_at);
    return last;
  }

  W& workload_;
  const Options& options_;
  std::barrier<Start> start_;
  Clock::time_point started_at_;
  double processor_begin_ = 0;
  std::vector<Result> results_;
};

}  // namespace perdure::benchmarks

#endif
