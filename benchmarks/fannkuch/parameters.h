#ifndef PERDURE_BENCHMARKS_FANNKUCH_PARAMETERS_H
#define PERDURE_BENCHMARKS_FANNKUCH_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::fannkuch {

struct Scale {
  std::uint32_t elements = 7;  // of the array
};

struct Parameters {
  Scale scale;

  static constexpr std::uint32_t most_elements = 12;

  static std::vector<std::string> presets();

  /// `atc20`: that of George et al., ATC'20 (go-pmem), Figure 6, who vary the number of permutations.
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;
};

}  // namespace perdure::benchmarks::fannkuch

#endif
