#include "command_line.h"

#include <CLI/CLI.hpp>

#include "common/options.h"

namespace perdure::benchmarks::wakeups {

std::optional<int> read_command_line(int argc, char** argv, Command& command) {
  CLI::App app("Wake-ups: how soon a thread goes on that waits");
  app.add_option("--pool", command.pool, "the pool's file")->required();
  app.add_option("--rounds", command.rounds, "wake-ups of each kind")->check(CLI::PositiveNumber);
  app.add_option("--wait", command.wait, "milliseconds of the wait whose processor time is measured");
  return parse_command_line(app, argc, argv);
}

}  // namespace perdure::benchmarks::wakeups
