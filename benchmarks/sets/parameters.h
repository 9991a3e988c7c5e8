#ifndef PERDURE_BENCHMARKS_SETS_PARAMETERS_H
#define PERDURE_BENCHMARKS_SETS_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

#include "structures/key.h"

namespace CLI {
class App;
}

namespace perdure::benchmarks::sets {

/// What a set is populated with: of the keys [0, keys), all or every second one.
struct Scale {
  std::uint64_t keys = 0;
  bool half = false;
  bool whole_updates = false;  // no transaction leaves a key out that was there
  bool shuffled = false;       // neighbours are not added one after the other, and so do not lie side by side

  std::uint64_t members() const { return half ? (keys + 1) / 2 : keys; }
  Key member(std::uint64_t i) const { return half ? 2 * i : i; }

  /// What is added as the i-th. From the highest key down: a sorted list has each at hand then.
  Key added(std::uint64_t i) const {
    constexpr std::uint64_t stride = 2'654'435'761;  // a prime above all numbers of keys: each member comes once
    return member(shuffled ? i * stride % members() : members() - 1 - i);
  }
};

struct Parameters {
  std::string structure = structures().front();
  Scale scale;  // `keys` 0: 10^4 for a list, 10^6 for the others
  std::uint32_t update_percent = 100;

  static std::vector<std::string> structures();
  static std::vector<std::string> presets();

  /// `eurosys20`: that of Correia, Felber, Ramalhete, EuroSys'20 (section 6): all keys are members; an update removes
  /// one and adds it back, a look-up tests two. `icfp21`: that of Krauter et al., ICFP'21 (section 5.1): 50,000 of
  /// 100,000 keys; an update inserts or removes, with equal chances.
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;
};

}  // namespace perdure::benchmarks::sets

#endif
