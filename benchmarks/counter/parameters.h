#ifndef PERDURE_BENCHMARKS_COUNTER_PARAMETERS_H
#define PERDURE_BENCHMARKS_COUNTER_PARAMETERS_H

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::counter {

struct Scale {};

struct Parameters {
  Scale scale;

  static std::vector<std::string> presets() { return {"one"}; }
  static Parameters preset(const std::string&) { return {}; }
  void add_options(CLI::App&) {}
  std::string describe() const { return "counters=1"; }
};

}  // namespace perdure::benchmarks::counter

#endif
