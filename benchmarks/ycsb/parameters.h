#ifndef PERDURE_BENCHMARKS_YCSB_PARAMETERS_H
#define PERDURE_BENCHMARKS_YCSB_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::ycsb {

struct Scale {
  std::uint32_t records = 20'000;
};

struct Parameters {
  Scale scale;
  unsigned updates = 50;  // percent; the others read a record
  bool modifies = false;  // an update reads the record, and increments a field of it; otherwise it sets the field

  static std::vector<std::string> presets();

  /// `a` and `f`: the core workloads of Cooper et al., "Benchmarking Cloud Serving Systems with YCSB", SoCC'10.
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;
};

}  // namespace perdure::benchmarks::ycsb

#endif
