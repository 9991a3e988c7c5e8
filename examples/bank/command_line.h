#ifndef PERDURE_EXAMPLES_COMMAND_LINE_H
#define PERDURE_EXAMPLES_COMMAND_LINE_H

#include <cstddef>
#include <optional>
#include <string>

/// What `transfers` is told to do.
struct Options {
  std::string pool;
  std::size_t threads = 2;
  long accounts = 1000;
  double seconds = 1;
  unsigned seed = 1;
  int acknowledge = -1;
  bool check = false;
};

/// \returns the exit status when the program is to end: after --help, or an error, of which it has been told.
std::optional<int> read_command_line(int argc, char** argv, Options& options);

#endif
