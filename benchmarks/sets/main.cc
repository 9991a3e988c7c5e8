#include "common/program.h"
#include "standard_sets.h"
#include "structures.h"
#include "workload.h"

/// Sets of keys, held in one structure or another.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  const auto structure = find_option(argc, argv, "--structure");
  if (structure == "hash") return Program<sets::Sets<sets::Hash>>::run(argc, argv);
  if (structure == "treap") return Program<sets::Sets<Treap>>::run(argc, argv);
  if (structure == "hamt") return Program<sets::Sets<HashArrayMappedTrie>>::run(argc, argv);
  if (structure == "list") return Program<sets::Sets<SortedList>>::run(argc, argv);
  if (structure == "std_set") return sets::run_standard_set(argc, argv);
  if (structure == "std_unordered_set") return sets::run_standard_unordered_set(argc, argv);
  return Program<sets::Sets<sets::Tree>>::run(argc, argv);
}
