#include "command_line.h"

#include <CLI/CLI.hpp>

#include "common/options.h"

namespace perdure::benchmarks::restart {

std::optional<int> read_command_line(int argc, char** argv, Command& command) {
  CLI::App app("Restart: time to the first transaction");
  app.add_option("--pool", command.pool, "the pool's file")->required();
  app.add_option("--fill", command.fill, "make the pool, and fill it with so many MiB; otherwise open it and measure");
  app.add_option("--limit", command.limit, "MiB that the pool may grow to");
  app.add_flag("--kill", command.end_by_kill, "end by SIGKILL, without closing the pool");
  return parse_command_line(app, argc, argv);
}

}  // namespace perdure::benchmarks::restart
