#ifndef PERDURE_BENCHMARKS_RESTART_COMMAND_LINE_H
#define PERDURE_BENCHMARKS_RESTART_COMMAND_LINE_H

#include <cstddef>
#include <optional>
#include <string>

namespace perdure::benchmarks::restart {

struct Command {
  std::string pool;
  std::size_t fill = 0;   // MiB
  std::size_t limit = 0;  // MiB
  bool end_by_kill = false;
};

/// \returns the exit status when the program is to end: after --help, or an error, of which it has been told.
std::optional<int> read_command_line(int argc, char** argv, Command& command);

}  // namespace perdure::benchmarks::restart

#endif
