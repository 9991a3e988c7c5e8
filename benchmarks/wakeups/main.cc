#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include "command_line.h"
#include "common/latency.h"
#include "common/machine.h"
#include "perdure/perdure.h"

/// How soon a thread goes on that waits for what another one does: in a transaction that calls TM_RETRY, and beside it
/// with a condition variable; and how much of a processor it takes while it waits. (scripts/wakeups.py)
namespace perdure::benchmarks::wakeups {
namespace {

using Clock = std::chrono::steady_clock;

struct Root {
  std::uint64_t posted = 0;
};

/// A number in a pool; both functions are transactions.
class Retrying {
 public:
  explicit Retrying(Pool& pool) : root_(pool.root<Root>("wakeups")) {}
  void post(std::uint64_t number) {
    TM_BEGIN { root_.posted = number; } TM_END;
  }
  void await(std::uint64_t number) {
    TM_BEGIN {
      if (root_.posted < number) TM_RETRY;
    } TM_END;
  }

 private:
  Root& root_;
};

class Conditional {
 public:
  void post(std::uint64_t number) {
    {
      const std::lock_guard lock(mutex_);
      posted_ = number;
    }
    condition_.notify_one();
  }
  void await(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [&] { return posted_ >= number; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  std::uint64_t posted_ = 0;
};

/// From before a number is posted until the thread that waits for it goes on. It has had time to fall asleep.
template <class Number>
void measure_latencies(Number& number, std::uint64_t first, unsigned rounds, LatencyHistogram& latencies) {
  constexpr auto time_to_fall_asleep = std::chrono::microseconds(200);
  std::atomic<std::uint64_t> woken{first - 1};
  std::atomic<Clock::time_point> when{};
  std::thread waiter([&] {
    for (std::uint64_t i = first; i < first + rounds; ++i) {
      number.await(i);
      when.store(Clock::now());
      woken.store(i);
      woken.notify_one();
    }
  });
  for (std::uint64_t i = first; i < first + rounds; ++i) {
    std::this_thread::sleep_for(time_to_fall_asleep);
    const auto begin = Clock::now();
    number.post(i);
    woken.wait(i - 1);
    latencies.add(std::chrono::nanoseconds(when.load() - begin).count());
  }
  waiter.join();
}

/// Of the thread that waits so long, in microseconds.
template <class Number>
double processor_of_wait(Number& number, std::uint64_t next, std::chrono::milliseconds wait) {
  double processor = 0;
  std::thread waiter([&] {
    const double before = thread_processor_seconds();
    number.await(next);
    processor = (thread_processor_seconds() - before) * 1e6;
  });
  std::this_thread::sleep_for(wait);
  number.post(next);
  waiter.join();
  return processor;
}

void measure(const Command& command) {
  constexpr unsigned in_turn = 100;  // rounds of one kind, then of the other
  Pool pool = Pool::open(command.pool);
  Retrying retrying(pool);
  Conditional conditional;
  LatencyHistogram of_retry;
  LatencyHistogram of_condition;
  std::uint64_t next = 1;
  for (; next <= command.rounds; next += in_turn) {
    measure_latencies(retrying, next, in_turn, of_retry);
    measure_latencies(conditional, next, in_turn, of_condition);
  }
  const double processor = processor_of_wait(retrying, next, std::chrono::milliseconds(command.wait));
  std::printf(
      "{\"library\": \"%s\", \"retry_p50_us\": %.2f, \"retry_p99_us\": %.2f, \"condition_variable_p50_us\": %.2f, "
      "\"condition_variable_p99_us\": %.2f, \"waited_milliseconds\": %u, \"processor_us\": %.1f}\n",
      library_name(), of_retry.percentile(0.5) / 1000, of_retry.percentile(0.99) / 1000,
      of_condition.percentile(0.5) / 1000, of_condition.percentile(0.99) / 1000, command.wait, processor);
}

}  // namespace
}  // namespace perdure::benchmarks::wakeups

int main(int argc, char** argv) {
  using namespace perdure::benchmarks::wakeups;
  Command command;
  if (const auto status = read_command_line(argc, argv, command)) return *status;
  try {
    measure(command);
  } catch (const std::exception& error) {
    std::cerr << "wakeups: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
