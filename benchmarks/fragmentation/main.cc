#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>

#include "churn.h"
#include "command_line.h"
#include "perdure/statistics.h"

/// How large a pool's file is, and how much of the disk it takes up, for each byte that the program has allocated:
/// after many allocations and frees of mixed sizes (scripts/fragmentation.py).
namespace perdure::benchmarks::fragmentation {
namespace {

struct Space {
  double file;  // bytes
  double disk;
};

Space space_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) throw std::runtime_error(path + " is not there");
  constexpr double bytes_per_block = 512;  // of st_blocks, whatever the file system
  return {static_cast<double>(status.st_size), static_cast<double>(status.st_blocks) * bytes_per_block};
}

/// The worst that was seen once as much was there as there is going to be.
struct Worst {
  double file = 0;  // for each live byte
  double disk = 0;

  void look(const Space& space, double live) {
    file = std::max(file, space.file / live);
    disk = std::max(disk, space.disk / live);
  }
};

void measure(const Command& command) {
  constexpr std::uint64_t looks = 100;
  if (std::filesystem::exists(command.pool)) throw std::runtime_error(command.pool + " exists already");
  Pool pool = Pool::open(command.pool, {.size_limit = command.limit << 20});
  Churn churn(pool.root<Table>("table"), command.places, command.seed);
  const std::uint64_t transactions = std::max(looks, command.operations / Churn::operations_in_transaction);
  const auto start = std::chrono::steady_clock::now();
  Worst worst;
  for (std::uint64_t done = 1; done <= transactions; ++done) {
    churn.run_transaction();
    if (done % (transactions / looks) == 0 && done > transactions / 2)
      worst.look(space_of(command.pool), static_cast<double>(churn.live_bytes()));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::uint64_t operations = transactions * Churn::operations_in_transaction;
  churn.check();
  const Space in_use = space_of(command.pool);
  pool.close();
  const Space closed = space_of(command.pool);
  std::printf(
      "{\"library\": \"%s\", \"operations\": %llu, \"seconds\": %.1f, \"live_bytes\": %lld, \"file_bytes\": %.0f, "
      "\"disk_bytes\": %.0f, \"closed_file_bytes\": %.0f, \"closed_disk_bytes\": %.0f, \"worst_file_ratio\": %.4f, "
      "\"worst_disk_ratio\": %.4f, \"bytes_given_back\": %llu}\n",
      library_name(), static_cast<unsigned long long>(operations), seconds.count(),
      static_cast<long long>(churn.live_bytes()), in_use.file, in_use.disk, closed.file, closed.disk, worst.file,
      worst.disk, static_cast<unsigned long long>(statistics().bytes_given_back));
}

}  // namespace
}  // namespace perdure::benchmarks::fragmentation

int main(int argc, char** argv) {
  using namespace perdure::benchmarks::fragmentation;
  Command command;
  if (const auto status = read_command_line(argc, argv, command)) return *status;
  try {
    measure(command);
  } catch (const std::exception& error) {
    std::cerr << "fragmentation: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
