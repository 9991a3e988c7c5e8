#ifndef PERDURE_BENCHMARKS_MEMCACHED_LOAD_PARAMETERS_H
#define PERDURE_BENCHMARKS_MEMCACHED_LOAD_PARAMETERS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::memcached::load {

struct Parameters {
  std::string address = "127.0.0.1";
  std::uint16_t port = 11211;
  std::size_t threads = 1;
  std::size_t connections = 16;  // of each thread
  std::uint64_t keys = 10'000;   // of each thread
  std::size_t value_bytes = 100;
  unsigned sets = 10;  // percent; the rest are gets
  std::uint64_t seed = 1;
  bool may_miss = false;  // the server's memory is smaller than the values

  static std::vector<std::string> presets();

  /// `pact19`: that of Zardoshti et al., PACT'19 (section III.C): 90 % gets; values as long as those of memaslap, which
  /// their artifact ran with its defaults.
  static Parameters preset(const std::string& name);

  /// Those of the requests, not those of the server.
  void add_options(CLI::App& app);
  std::string describe() const;
};

}  // namespace perdure::benchmarks::memcached::load

#endif
