#include "common/program.h"
#include "hash_set.h"
#include "sets/workload.h"

namespace perdure::benchmarks {

template <>
struct sets::Data<fine::HashSet> {
  peers::Logged<Scale> scale;
  peers::Logged<PopulationState> population;
  fine::HashSet set;
};

namespace fine {

/// Of the structures of `sets`, one has locks of its own here.
class HashSets : public sets::Sets<HashSet> {
 public:
  HashSets(Pool& pool, const Parameters& parameters, std::size_t threads) : Sets(pool, hash(parameters), threads) {}

 private:
  static const Parameters& hash(const Parameters& parameters) {
    if (parameters.structure == "hash") return parameters;
    throw std::invalid_argument("only --structure hash has fine-grained locks");
  }
};

}  // namespace fine
}  // namespace perdure::benchmarks

/// Sets of keys, over libpmemobj with fine-grained locks.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::fine::HashSets>::run(argc, argv);
}
