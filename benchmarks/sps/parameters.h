#ifndef PERDURE_BENCHMARKS_SPS_PARAMETERS_H
#define PERDURE_BENCHMARKS_SPS_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::sps {

struct Scale {
  std::uint64_t integers = 1'000'000;
};

struct Parameters {
  Scale scale;
  std::uint32_t swaps = 1;  // in a transaction
  bool is_whole = false;    // as many in a transaction as there are integers

  static constexpr std::uint32_t most_swaps = 1024;

  static std::vector<std::string> presets();

  /// `eurosys20`: that of Correia, Felber, Ramalhete, EuroSys'20 (section 6), who vary the swaps from 1 to 64. `atc20`:
  /// that of George et al., ATC'20 (go-pmem), Figure 7, who vary the integers, and swap as often as there are integers.
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;
};

}  // namespace perdure::benchmarks::sps

#endif
