#ifndef PERDURE_STORES_LEVELDB_TOOL_COMMANDS_H
#define PERDURE_STORES_LEVELDB_TOOL_COMMANDS_H

#include <span>
#include <string>
#include <string_view>

/// What perdure-leveldb can do. Commands print on standard output, and throw std::runtime_error with what went wrong.
namespace perdure::stores::tool {

struct Command {
  std::string_view name;
  std::string_view arguments;  ///< as the usage says
  std::string_view meaning;
  std::size_t fewest, most;  ///< arguments
  void (*run)(std::span<const std::string> arguments);
};

std::span<const Command> commands();

}  // namespace perdure::stores::tool

#endif
