// std::map, set, multimap, multiset.
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct MapOfStrings {
  using Type = std::map<std::string, std::string>;

  static Seen apply(Type& map, const Step& step) {
    const std::string key = "key " + step.text;
    switch (step.choice % 13) {
      case 0:
        return map.erase(key);
      case 1:
        return map.insert({key, step.text}).second ? 1 : 0;
      case 2:
        return map.emplace(key, step.text).second ? 1 : 0;
      case 3:
        return map.try_emplace(key, 20U, 'e').second ? 1 : 0;
      case 4:
        return map.insert_or_assign(key, step.text + "again").second ? 1 : 0;
      case 5:
        return at(map, key);
      case 6:
        return count_between(map, key);
      case 7:
        return rename(map, key);
      case 8:
        return copy_and_swap(map, key);
      case 9:
        return std::erase_if(map, [&](const auto& entry) { return entry.second.size() % 7 == step.small % 7; });
      default:
        map[key] += step.text;
        return map.size();
    }
  }

 private:
  static Seen at(Type& map, const std::string& key) {
    try {
      return seen(map.at(key));
    } catch (const std::out_of_range&) {
      return 7;
    }
  }

  static Seen count_between(Type& map, const std::string& key) {
    Seen count = 0;
    for (auto entry = map.lower_bound(key); entry != map.end() && count < 5; ++entry) count += entry->second.size();
    for (auto entry = map.rbegin(); entry != map.rend() && entry->first > key; ++entry) ++count;
    return count + (map.upper_bound(key) == map.end() ? 1 : 0) + map.count(key);
  }

  static Seen rename(Type& map, const std::string& key) {
    auto node = map.extract(key);
    if (node.empty()) return 0;
    node.key() += "renamed";
    return map.insert(std::move(node)).inserted ? 2 : 1;
  }

  static Seen copy_and_swap(Type& map, const std::string& key) {
    Type copy = map;
    copy.erase(copy.begin(), copy.lower_bound(key));
    Type other{{"a", "b"}, {"c", "d"}};
    other.merge(copy);
    map.swap(other);
    return other.size() + copy.size();
  }
};

struct SetOfNumbers {
  using Type = std::set<long>;

  static Seen apply(Type& set, const Step& step) {
    const long key = step.number % 200;
    switch (step.choice % 8) {
      case 0:
      case 1:
        return set.erase(key);
      case 2:
        return set.contains(key) ? 1 : 0;
      case 3: {
        const auto position = set.lower_bound(key);
        return position == set.end() ? 1 : seen(*position);
      }
      case 4: {
        const auto [first, last] = set.equal_range(key);
        return static_cast<Seen>(std::distance(first, last)) + static_cast<Seen>(*set.insert(last, key));
      }
      default:
        return set.insert(key).second ? 1 : 0;
    }
  }
};

struct Multimap {
  using Type = std::multimap<int, std::string, std::greater<int>>;

  static Seen apply(Type& map, const Step& step) {
    const int key = static_cast<int>(step.small) / 4;
    switch (step.choice % 5) {
      case 0:
        return map.size() > 40 ? map.erase(key) : map.count(key);
      case 1: {
        Seen sum = 0;
        for (auto [entry, last] = map.equal_range(key); entry != last; ++entry) sum = sum * 31 + seen(entry->second);
        return sum;
      }
      case 2:
        return map.contains(key) ? seen(map.find(key)->second) : 0;
      default:
        return seen(map.insert({key, step.text})->second);
    }
  }
};

struct Multiset {
  using Type = std::multiset<std::string>;

  static Seen apply(Type& set, const Step& step) {
    if (step.choice % 3 == 0) return set.erase(step.text);
    if (step.choice % 7 == 0 && !set.empty()) return seen(*set.erase(set.begin(), std::next(set.begin())));
    return set.insert(step.text) == set.begin() ? 1 : 0;
  }
};

using Subjects = ::testing::Types<MapOfStrings, SetOfNumbers, Multimap, Multiset>;
INSTANTIATE_TYPED_TEST_SUITE_P(Associative, Containers, Subjects);

}  // namespace
}  // namespace perdure::containers
