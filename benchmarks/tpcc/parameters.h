#ifndef PERDURE_BENCHMARKS_TPCC_PARAMETERS_H
#define PERDURE_BENCHMARKS_TPCC_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

#include "scale.h"

namespace CLI {
class App;
}

namespace perdure::benchmarks::tpcc {

/// What a run is made of: the database's size and what a New Order looks like.
struct Parameters {
  std::string index = indexes().front();
  Scale scale;  // `warehouses` 0: one per thread
  std::int64_t fewest_lines = 5;
  std::int64_t most_lines = tpcc::most_lines;
  unsigned invalid_percent = 1;  // orders whose last item does not exist
  unsigned remote_percent = 1;   // lines supplied by another warehouse
  bool uniform = false;          // customers and items uniform, items distinct; otherwise NURand

  static std::vector<std::string> indexes();
  static std::vector<std::string> presets();

  /// `standard`: the specification's New Order. `pact19`: the PACT'19 paper's (section V), one warehouse without a
  /// past, 2 to 4 lines, every choice uniform.
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;
};

}  // namespace perdure::benchmarks::tpcc

#endif
