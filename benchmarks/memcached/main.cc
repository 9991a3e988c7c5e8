#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <sys/resource.h>

#include "common/temporary_file.h"
#include "perdure/pool.h"
#include "perdure/statistics.h"
#include "server.h"

namespace perdure::benchmarks::memcached {
namespace {

// A descriptor for each client, and some for what else is open.
void allow_descriptors(std::size_t connections) {
  constexpr std::size_t others = 64;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= connections + others) return;
  limit.rlim_cur = connections + others;
  limit.rlim_max = std::max(limit.rlim_max, limit.rlim_cur);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw std::runtime_error("--connection-limit " + std::to_string(connections) +
                             ": the system allows fewer open files; raise `ulimit -n` or take a lower limit");
  }
}

int check(const Store& store) {
  const auto violations = store.violations();
  for (const auto& violation : violations) std::cerr << "memcached: " << violation << '\n';
  std::cout << store.summary().items << " items\n";
  return violations.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run(const Settings& settings) {
  if (std::string_view(library_name()) == "seq") {
    throw std::invalid_argument("the library seq does not synchronise threads, and a server has several");
  }
  allow_descriptors(settings.connections);
  const auto path = settings.pool_path();
  std::optional<TemporaryFile> removed_at_end;
  if (settings.pool.empty()) removed_at_end.emplace(path);
  auto pool = Pool::open(path, {.accept_volatile = true});
  Store store(pool, settings.limits());
  if (settings.reopen) return check(store);
  Server server(store, settings);
  std::cout << "listening at " << server.place() << '\n' << std::flush;
  server.run();
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace perdure::benchmarks::memcached

int main(int argc, char** argv) {
  using namespace perdure::benchmarks::memcached;
  Settings settings;
  if (const auto status = read_command_line(argc, argv, settings)) return *status;
  try {
    return run(settings);
  } catch (const std::exception& error) {
    std::cerr << "memcached (" << perdure::library_name() << "): " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
