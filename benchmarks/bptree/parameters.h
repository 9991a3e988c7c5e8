#ifndef PERDURE_BENCHMARKS_BPTREE_PARAMETERS_H
#define PERDURE_BENCHMARKS_BPTREE_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

#include "structures/key.h"

namespace CLI {
class App;
}

namespace perdure::benchmarks::bptree {

/// What a tree is populated with.
struct Scale {
  std::uint32_t key_bits = 0;         // keys lie in [0, 2^key_bits)
  std::uint32_t preload_percent = 0;  // of all keys
  bool twins = false;                 // each key comes and goes together with its twin

  std::uint64_t keys() const { return std::uint64_t{1} << key_bits; }
  Key twin_of(Key key) const { return key ^ (keys() - 1); }
  std::uint64_t preloaded() const { return keys() / 100 * preload_percent + keys() % 100 * preload_percent / 100; }
};

/// How many of a hundred transactions do what.
struct Mix {
  int lookup = 0;
  int insert = 0;
  int range = 0;
  int remove = 0;
};

struct Parameters {
  Scale scale;
  Mix mix;
  std::uint32_t range_keys = 256;  // width of a range query

  static std::vector<std::string> presets();

  /// `insert` and `mix`: those of the PACT'19 paper (section V).
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;
};

}  // namespace perdure::benchmarks::bptree

#endif
