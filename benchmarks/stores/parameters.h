#ifndef PERDURE_BENCHMARKS_STORES_PARAMETERS_H
#define PERDURE_BENCHMARKS_STORES_PARAMETERS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mix.h"

namespace CLI {
class App;
}

namespace perdure::benchmarks::stores {

struct Parameters {
  const Mix* mix = &mixes[0];
  std::uint64_t entries = 100'000;
  bool synchronous = true;  ///< each write is durable when it returns
  std::size_t value_bytes = 0;

  static std::vector<std::string> presets();

  /// Those of `mixes`, by their names.
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;

  /// With the thread beside, if there is one.
  std::size_t running_threads(std::size_t threads) const { return threads + (mix->has_writer_beside ? 1 : 0); }
};

}  // namespace perdure::benchmarks::stores

#endif
