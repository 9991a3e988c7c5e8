#ifndef PERDURE_BENCHMARKS_NBODY_PARAMETERS_H
#define PERDURE_BENCHMARKS_NBODY_PARAMETERS_H

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::nbody {

struct Scale {};

struct Parameters {
  Scale scale;

  static std::vector<std::string> presets() { return {"atc20"}; }

  /// `atc20`: that of George et al., ATC'20 (go-pmem), Figure 8, who vary the number of steps.
  static Parameters preset(const std::string&) { return {}; }
  void add_options(CLI::App&) {}
  std::string describe() const { return "bodies=5"; }
};

}  // namespace perdure::benchmarks::nbody

#endif
