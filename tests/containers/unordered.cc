// std::unordered_map, unordered_set, unordered_multimap.
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct UnorderedMap {
  using Type = std::unordered_map<std::string, long>;

  static Seen apply(Type& map, const Step& step) {
    switch (step.choice % 10) {
      case 0:
        return map.erase(step.text);
      case 1:
        return map.emplace(step.text, step.number).second ? 1 : 0;
      case 2:
        return map.contains(step.text) ? 1 : 0;
      case 3: {
        const auto entry = map.find(step.text);
        return entry == map.end() ? 5 : seen(entry->second);
      }
      case 4:
        map.rehash(step.small * 3);
        return map.bucket_count() >= step.small * 3 ? 1 : 0;
      case 5: {
        Type copy(map);
        copy.insert({"copied", step.number});
        map = std::move(copy);
        return map.size();
      }
      default:
        return seen(map[step.text] += step.number);
    }
  }
};

struct UnorderedSet {
  using Type = std::unordered_set<long>;

  static Seen apply(Type& set, const Step& step) {
    const long key = step.number % 300;
    switch (step.choice % 6) {
      case 0:
      case 1:
        return set.erase(key);
      case 2:
        return set.count(key);
      case 3:
        return std::erase_if(set, [&](long element) { return element % 17 == key % 17; });
      default:
        return set.insert(key).second ? 1 : 0;
    }
  }
};

struct UnorderedMultimap {
  using Type = std::unordered_multimap<unsigned, std::string>;

  static Seen apply(Type& map, const Step& step) {
    const unsigned key = step.small / 3;
    if (step.choice % 4 == 0 && map.size() > 30) return map.erase(key);
    if (step.choice % 4 == 1) return map.count(key);
    return seen(map.insert({key, step.text})->second);
  }
};

using Subjects = ::testing::Types<UnorderedMap, UnorderedSet, UnorderedMultimap>;
INSTANTIATE_TYPED_TEST_SUITE_P(Unordered, Containers, Subjects);

}  // namespace
}  // namespace perdure::containers
