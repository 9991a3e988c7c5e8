#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

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

struct Command {
  std::string pool;
  std::size_t fill = 0;   // MiB
  std::size_t limit = 0;  // MiB
  bool end_by_kill = false;
};

Command read_command(CLI::App& app, int argc, char** argv) {
  Command command;
  app.add_option("--pool", command.pool, "the pool's file")->required();
  app.add_option("--fill", command.fill, "make the pool, and fill it with so many MiB; otherwise open it and measure");
  app.add_option("--limit", command.limit, "MiB that the pool may grow to");
  app.add_flag("--kill", command.end_by_kill, "end by SIGKILL, without closing the pool");
  app.parse(argc, argv);
  return command;
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
  CLI::App app("Restart: time to the first transaction");
  try {
    const Command command = read_command(app, argc, argv);
    command.fill != 0 ? fill(command) : measure(command);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::cerr << "restart: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
