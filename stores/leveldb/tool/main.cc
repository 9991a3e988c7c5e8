#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "commands.h"

namespace {

int print_usage() {
  std::fputs("usage: perdure-leveldb <command> <arguments>\n", stderr);
  for (const auto& command : perdure::stores::tool::commands())
    std::fprintf(stderr, "  %s %s: %s\n", command.name.data(), command.arguments.data(), command.meaning.data());
  return 2;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + std::min(count, 2), words + count);
  for (const auto& command : perdure::stores::tool::commands()) {
    if (count < 2 || command.name != words[1]) continue;
    if (arguments.size() < command.fewest || arguments.size() > command.most) return print_usage();
    try {
      command.run(arguments);
      return EXIT_SUCCESS;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "perdure-leveldb: %s\n", error.what());
      return EXIT_FAILURE;
    }
  }
  return print_usage();
}
