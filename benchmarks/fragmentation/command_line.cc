#include "command_line.h"

#include <CLI/CLI.hpp>

#include "common/options.h"

namespace perdure::benchmarks::fragmentation {

std::optional<int> read_command_line(int argc, char** argv, Command& command) {
  CLI::App app("Fragmentation: the space that a pool takes up for each byte that is allocated");
  app.add_option("--pool", command.pool, "the pool's file, which must not exist")->required();
  app.add_option("--operations", command.operations, "allocations and frees");
  app.add_option("--places", command.places, "blocks that there may be at once; half of them there are");
  app.add_option("--seed", command.seed, "of the random numbers");
  app.add_option("--limit", command.limit, "MiB that the pool may grow to");
  return parse_command_line(app, argc, argv);
}

}  // namespace perdure::benchmarks::fragmentation
