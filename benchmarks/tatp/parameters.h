#ifndef PERDURE_BENCHMARKS_TATP_PARAMETERS_H
#define PERDURE_BENCHMARKS_TATP_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::tatp {

/// What a database is populated with.
struct Scale {
  std::uint32_t subscribers = 100'000;
  bool twins = false;  // a subscriber and its twin are always at the same location

  std::uint32_t twin_of(std::uint32_t subscriber) const { return subscribers + 1 - subscriber; }
};

struct Parameters {
  Scale scale;
  bool update_location_only = false;  // otherwise TATP's mix of seven transactions
  bool uniform = false;               // subscribers; otherwise TATP's non-uniform choice
  std::uint32_t updates_per_transaction = 1;

  static constexpr std::uint32_t most_updates = 1000;

  static std::vector<std::string> presets();

  /// `standard`: TATP 1.0. `pact19`: the PACT'19 paper's (section V), Update Location alone, on uniform subscribers.
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;
};

}  // namespace perdure::benchmarks::tatp

#endif
