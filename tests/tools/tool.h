#ifndef PERDURE_TESTS_TOOLS_TOOL_H
#define PERDURE_TESTS_TOOLS_TOOL_H

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace perdure::testing {

struct Outcome {
  int status;
  std::string output;  // and errors
};

/// Runs the program `perdure`.
inline Outcome run_tool(const std::string& arguments) {
  FILE* const program = popen(("'" PERDURE_TOOL "' " + arguments + " 2>&1").c_str(), "r");
  Outcome outcome{-1, {}};
  for (int character = 0; (character = std::fgetc(program)) != EOF;) outcome.output += static_cast<char>(character);
  outcome.status = WEXITSTATUS(pclose(program));
  return outcome;
}

}  // namespace perdure::testing

#endif
