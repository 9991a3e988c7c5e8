#include "settings.h"

#include <iostream>

#include <CLI/CLI.hpp>

#include "common/options.h"
#include "perdure/statistics.h"

namespace perdure::benchmarks::memcached {

std::filesystem::path Settings::pool_path() const { return pool.empty() ? temporary_pool("memcached") : pool; }

std::optional<int> read_command_line(int argc, char** argv, Settings& settings) {
  constexpr std::size_t most_threads = 256;
  constexpr std::size_t most_mebibytes = std::size_t{1} << 20;
  CLI::App app(std::string("A cache that speaks memcached's text and meta protocols and keeps its items in a pool; "
                           "linked with ") +
               library_name());
  app.add_option("--listen", settings.address, "the address of the network interface")->capture_default_str();
  app.add_option("--port", settings.port, "0: one that is free; it is printed")->capture_default_str();
  app.add_option("--unix-socket", settings.unix_socket, "listen at this path instead");
  app.add_option("--threads", settings.threads, "that serve connections")
      ->check(CLI::Range(std::size_t{1}, most_threads))
      ->capture_default_str();
  app.add_option("--memory-limit", settings.memory_mebibytes, "of all items together, in MiB")
      ->check(CLI::Range(std::size_t{1}, most_mebibytes))
      ->capture_default_str();
  app.add_option("--max-item-size", settings.item_bytes, "key, value and what belongs to them, in bytes")
      ->check(CLI::Range(std::size_t{1024}, std::size_t{1} << 30))
      ->capture_default_str();
  app.add_option("--connection-limit", settings.connections, "how many clients at once")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str();
  app.add_option("--pool", settings.pool, "keep the items there; without, in a temporary file on /dev/shm");
  app.add_flag("-A,--enable-shutdown", settings.allows_shutdown, "clients may end the server: the command `shutdown`");
  app.add_flag("--reopen", settings.reopen, "check the --pool of an earlier run, killed or not, and end");
  try {
    app.parse(argc, argv);
    if (settings.reopen && settings.pool.empty()) throw CLI::RequiredError("--reopen: --pool");
    if (settings.item_bytes > settings.limits().memory / 2) {
      throw CLI::ValidationError("--max-item-size", "at most half of --memory-limit");
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return std::nullopt;
}

}  // namespace perdure::benchmarks::memcached
