// std::unordered_map, unordered_set, unordered_multimap.
#include <iterator>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct UnorderedMap {
  using Type = std::unordered_map<std::string, long>;

  static Seen apply(Type& map, const Step& step) {
    switch (step.choice % 15) {
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
      case 6:
        return map.insert_or_assign(step.text, step.number).second ? 1 : 0;
      case 7:
        return map.try_emplace(step.text, step.number).second ? 1 : 0;
      case 8:
        return std::erase_if(map, [&](const auto& entry) { return entry.second % 5 == step.small % 5; });
      case 9:
        return rename(map, step);
      case 10:
        return merge(map, step);
      default:
        return seen(map[step.text] += step.number);
    }
  }

 private:
  static Seen rename(Type& map, const Step& step) {
    auto node = map.extract(step.text);
    if (node.empty()) return 0;
    node.key() += " renamed";
    return map.insert(std::move(node)).inserted ? 2 : 1;
  }

  static Seen merge(Type& map, const Step& step) {
    Type other{{step.text, 1}, {"merged", step.number}};
    other.max_load_factor(0.5F + 0.1F * static_cast<float>(step.small % 10));
    other.reserve(step.small);
    map.swap(other);
    map.merge(other);
    const auto [first, last] = map.equal_range("merged");
    return map.size() + other.size() * 100 + static_cast<Seen>(std::distance(first, last));
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
