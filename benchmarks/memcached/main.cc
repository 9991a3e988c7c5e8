#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>

#include <sys/resource.h>

#include "common/program.h"
#include "common/temporary_file.h"
#include "load/workload.h"
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
  allow_descriptors(settings.connections);
  const auto path = settings.pool_path();
  std::optional<TemporaryFile> removed_at_end;
  if (settings.pool.empty()) removed_at_end.emplace(path);
  auto pool = Pool::open(path, {.accept_volatile = true});
  Store store(pool, settings.limits());
  if (settings.reopen) return check(store);
  Server server(store, settings);
  server.stop_on_signals();
  std::cout << "listening at " << server.place() << '\n' << std::flush;
  server.run();
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace perdure::benchmarks::memcached

/// A server; or, with --preset, a benchmark like the others: the server under the load of clients of its own.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  using namespace perdure::benchmarks::memcached;
  if (!find_option(argc, argv, "--preset").empty()) return Program<load::Workload>::run(argc, argv);
  Settings settings;
  if (const auto status = read_command_line(argc, argv, settings)) return *status;
  try {
    return run(settings);
  } catch (const std::exception& error) {
    std::cerr << "memcached (" << perdure::library_name() << "): " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
