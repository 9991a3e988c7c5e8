#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "command_line.h"
#include "common/machine.h"
#include "common/open_state.h"
#include "heap_filler.h"
#include "perdure/statistics.h"

/// How long it takes to come back: fills the heap of a pool and ends, by itself or killed; or opens such a pool and
/// runs a transaction. Two runs of the program for one measurement (scripts/restart.py).
namespace perdure::benchmarks::restart {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void measure(const Command& command) {
  const double processor_before = thread_processor_seconds();
  const auto start = Clock::now();
  Pool pool = Pool::open(command.pool, {.size_limit = command.limit << 20});
  const double open = milliseconds_since(start);
  HeapFiller filler(pool.root<Heap>("heap"));
  filler.run_first_transaction();
  const double first_transaction = milliseconds_since(start);
  const double processor = (thread_processor_seconds() - processor_before) * 1000;
  const OpenReport report = pool.wait_for_mark();
  filler.check();
  std::printf(
      "{\"library\": \"%s\", \"opened\": \"%s\", \"open_milliseconds\": %.3f, "
      "\"first_transaction_milliseconds\": %.3f, \"processor_milliseconds\": %.3f, \"mark_milliseconds\": %.3f, "
      "\"bytes_marked\": %llu, \"blocks_reclaimed\": %llu}\n",
      library_name(), state_name(report.state), open, first_transaction, processor, report.mark_milliseconds,
      static_cast<unsigned long long>(report.bytes_marked), static_cast<unsigned long long>(report.blocks_reclaimed));
  std::fflush(stdout);
  if (command.end_by_kill) std::raise(SIGKILL);
}

void fill(const Command& command) {
  Pool pool = Pool::open(command.pool, {.size_limit = command.limit << 20});
  HeapFiller(pool.root<Heap>("heap")).fill(command.fill << 20);
  if (command.end_by_kill) std::raise(SIGKILL);
}

}  // namespace
}  // namespace perdure::benchmarks::restart

int main(int argc, char** argv) {
  using namespace perdure::benchmarks::restart;
  Command command;
  if (const auto status = read_command_line(argc, argv, command)) return *status;
  try {
    command.fill != 0 ? fill(command) : measure(command);
  } catch (const std::exception& error) {
    std::cerr << "restart: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
