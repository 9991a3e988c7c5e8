#ifndef PERDURE_BENCHMARKS_QUEUE_PARAMETERS_H
#define PERDURE_BENCHMARKS_QUEUE_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::queue {

struct Scale {
  std::uint32_t items = 1000;  // at the start
};

struct Parameters {
  Scale scale;

  static std::vector<std::string> presets();

  /// `eurosys20`: that of Correia, Felber, Ramalhete, EuroSys'20 (section 6).
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;
};

}  // namespace perdure::benchmarks::queue

#endif
