#ifndef PERDURE_BENCHMARKS_VACATION_PARAMETERS_H
#define PERDURE_BENCHMARKS_VACATION_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::vacation {

/// What the agency is populated with.
struct Scale {
  std::uint32_t relations = 1'048'576;  // offers of each kind, and customers (STAMP's -r)
};

struct Parameters {
  Scale scale;
  std::uint32_t most_queries = 2;      // offers that one transaction looks at (-n)
  std::uint32_t queried_percent = 90;  // of the offers are ever asked for (-q)
  std::uint32_t user_percent = 98;     // of the transactions make reservations (-u); the others are half and half

  static constexpr std::uint32_t queries_limit = 64;

  static std::vector<std::string> presets();

  /// `low` and `high`: the contention settings that STAMP recommends (Cao Minh et al., IISWC'08), as in the PACT'19
  /// paper. `low_small` and `high_small`: the same with STAMP's 16384 relations for short runs.
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;

  /// Offers and customers that are asked for have the identifiers 1 to this.
  std::uint32_t queried() const {
    const auto queried = std::uint64_t{scale.relations} * queried_percent / 100;
    return queried == 0 ? 1 : static_cast<std::uint32_t>(queried);
  }
};

}  // namespace perdure::benchmarks::vacation

#endif
