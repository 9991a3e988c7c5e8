// Abseil's containers. Of hash tables the seed differs between runs of a program, and the empty ones lead to its
// library: they are for objects of the block's own, not for pools.
#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>
#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Btree {
  using Type = absl::btree_map<unsigned, std::string>;
  static Seen apply(Type& map, const Step& step) {
    if (step.choice % 3 == 0) return map.erase(step.small);
    map[step.small] = step.text;
    return map.size();
  }
};

struct Inlined {
  using Type = absl::InlinedVector<std::string, 4>;
  static Seen apply(Type& vector, const Step& step) {
    if (vector.size() > 30) vector.resize(3);
    if (step.choice % 3 == 0 && !vector.empty()) return vector.erase(vector.begin()), vector.size();
    vector.push_back(step.text);
    return seen(vector.front());
  }
};

struct HashTable {
  using Type = std::string;
  static Seen apply(Type& text, const Step& step) {
    absl::flat_hash_map<std::string, long> counts;
    for (unsigned i = 0; i < step.small; ++i) counts[step.text + std::to_string(i % 13)] += step.number;
    counts.erase(step.text + "1");
    for (unsigned i = 0; i < 100; ++i) counts.erase(counts.emplace(std::to_string(i), 1).first);
    Seen result = counts.size();
    for (const auto& [key, value] : counts) result += seen(key) * seen(value);
    text = std::to_string(result);
    return result;
  }
};

using Subjects = ::testing::Types<Btree, Inlined, HashTable>;
INSTANTIATE_TYPED_TEST_SUITE_P(Abseil, Containers, Subjects);

}  // namespace
}  // namespace perdure::containers
