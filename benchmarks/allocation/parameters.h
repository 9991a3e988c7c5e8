#ifndef PERDURE_BENCHMARKS_ALLOCATION_PARAMETERS_H
#define PERDURE_BENCHMARKS_ALLOCATION_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::allocation {

struct Scale {};

/// What a step is.
enum class Job : std::uint32_t {
  tree,  ///< a tree is made, counted and freed
  game,  ///< all trees of the Computer Language Benchmarks Game are
  churn  ///< blocks are replaced
};

struct Parameters {
  Scale scale;
  Job job = Job::tree;
  std::uint32_t depth = 18;         // of the trees
  std::uint32_t subtree_depth = 8;  // levels of a tree that are made, walked or freed in one transaction
  std::uint32_t blocks = 1000;      // that a thread has in the churn
  std::uint32_t batch = 16;         // of which so many are replaced in one transaction
  bool is_plain = false;            // no transactions, memory from malloc: for the allocator that it is compared with

  static constexpr std::uint32_t most_in_batch = 1024;

  static std::vector<std::string> presets();

  /// `trees`: binary-trees of the Computer Language Benchmarks Game, depth 18. `larson`: Larson and Krishnan, ISMM'98:
  /// blocks of 10 to 500 bytes replace each other. `atc20`: the whole game, as George et al., ATC'20 (go-pmem), Figure
  /// 5, measure it, who vary the depth.
  static Parameters preset(const std::string& name);

  void add_options(CLI::App& app);
  std::string describe() const;
};

}  // namespace perdure::benchmarks::allocation

#endif
