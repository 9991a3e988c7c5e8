#include "common/program.h"
#include "hash_set.h"

/// Sets of keys, over libpmemobj with fine-grained locks.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::fine::HashSets>::run(argc, argv);
}
