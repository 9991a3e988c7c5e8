#ifndef PERDURE_BENCHMARKS_WAKEUPS_COMMAND_LINE_H
#define PERDURE_BENCHMARKS_WAKEUPS_COMMAND_LINE_H

#include <optional>
#include <string>

namespace perdure::benchmarks::wakeups {

struct Command {
  std::string pool;
  unsigned rounds = 2000;
  unsigned wait = 500;  // milliseconds
};

/// \returns the exit status when the program is to end: after --help, or an error, of which it has been told.
std::optional<int> read_command_line(int argc, char** argv, Command& command);

}  // namespace perdure::benchmarks::wakeups

#endif
