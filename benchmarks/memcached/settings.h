#ifndef PERDURE_BENCHMARKS_MEMCACHED_SETTINGS_H
#define PERDURE_BENCHMARKS_MEMCACHED_SETTINGS_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "store.h"

namespace perdure::benchmarks::memcached {

/// What the server is told on its command line.
struct Settings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 11211;         // 0: one that is free
  std::filesystem::path unix_socket;  // instead of the port, if given
  std::size_t threads = 4;
  std::size_t memory_mebibytes = 64;
  std::size_t item_bytes = std::size_t{1} << 20;
  std::size_t connections = 1024;
  std::filesystem::path pool;  // empty: a temporary file
  bool allows_shutdown = false;
  bool reopen = false;  // check the pool and end

  std::filesystem::path pool_path() const;
  Limits limits() const { return {memory_mebibytes << 20, item_bytes}; }
};

/// \returns the exit status when the program is to end: after --help, or an error, of which it has been told.
std::optional<int> read_command_line(int argc, char** argv, Settings& settings);

}  // namespace perdure::benchmarks::memcached

#endif
