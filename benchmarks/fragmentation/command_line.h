#ifndef PERDURE_BENCHMARKS_FRAGMENTATION_COMMAND_LINE_H
#define PERDURE_BENCHMARKS_FRAGMENTATION_COMMAND_LINE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace perdure::benchmarks::fragmentation {

struct Command {
  std::string pool;
  std::uint64_t operations = 100'000'000;
  std::uint64_t places = 400'000;
  std::uint64_t seed = 1;
  std::size_t limit = 0;  // MiB
};

/// \returns the exit status when the program is to end: after --help, or an error, of which it has been told.
std::optional<int> read_command_line(int argc, char** argv, Command& command);

}  // namespace perdure::benchmarks::fragmentation

#endif
