// RUN: %run_on_deferred_runtime -O0
// RUN: %if long %{ %run_on_deferred_runtime -O1 -g %}
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O3 -march=native %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -flto -fuse-ld=lld %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -fplugin-arg-perdure-checked %}

// Standard containers do in transactions what they do outside.
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare.h"

namespace {

class Random {
 public:
  std::uint64_t next(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_ = 42;
};

constexpr int rounds = 400;

std::string name_of(std::uint64_t number) {
  std::string name = "a key that is too long to be kept inside the string ";
  if (number % 2 == 0) name.clear();
  for (; number > 0; number /= 10) name.push_back(static_cast<char>('0' + number % 10));
  return name;
}

template <class Map>
std::uint64_t work_on_map(Map& map) {
  Random random;
  std::uint64_t seen = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::string key = name_of(random.next(100));
    switch (random.next(4)) {
      case 0:
        map[key] += 1;
        break;
      case 1:
        map.erase(key);
        break;
      case 2:
        map.insert({key, 5});
        break;
      default:
        seen += map.find(key) != map.end() ? 1 : 0;
    }
  }
  for (auto& [key, value] : map) {
    value += 1;
    seen = seen * 31 + key.size() * 7 + static_cast<std::uint64_t>(value);
  }
  try {
    seen += static_cast<std::uint64_t>(map.at("not there"));
  } catch (const std::exception&) {
    seen += 1000;
  }
  return seen + map.size();
}

std::uint64_t work_on_vector(std::vector<long>& vector) {
  Random random;
  for (int i = 0; i < rounds; ++i) {
    vector.push_back(static_cast<long>(random.next(1000)));
    if (i % 7 == 0) vector.insert(vector.begin() + static_cast<long>(random.next(vector.size())), i);
    if (i % 5 == 0) vector.erase(vector.begin() + static_cast<long>(random.next(vector.size())));
  }
  vector.resize(vector.size() + 10, -1);
  std::uint64_t sum = 0;
  for (const long value : vector) sum = sum * 3 + static_cast<std::uint64_t>(value);
  return sum;
}

std::uint64_t work_on_string(std::string& text) {
  for (int i = 0; i < rounds / 4; ++i) {
    text += name_of(static_cast<std::uint64_t>(i));
    text.insert(text.size() / 2, "middle");
    text.replace(0, 3, "xyz!");
    if (const auto position = text.find("dlemid"); position != std::string::npos) text.erase(position, 2);
  }
  std::uint64_t sum = text.compare("yy") < 0 ? 1 : 0;
  for (const char character : text) sum = sum * 31 + static_cast<unsigned char>(character);
  return sum;
}

std::uint64_t work_on_list(std::list<std::string>& list) {
  for (std::uint64_t i = 0; i < 60; ++i) list.push_front(name_of(i * 7 % 60));
  list.sort();
  list.reverse();
  list.remove(name_of(9));
  std::list<std::string> other(3, "other");
  list.splice(list.begin(), other);
  std::uint64_t sum = list.size();
  for (const std::string& text : list) sum = sum * 31 + text.size();
  return sum;
}

std::uint64_t work_on_deque(std::deque<int>& deque) {
  for (int i = 0; i < rounds; ++i) {
    deque.push_back(i);
    if (i % 3 == 0) deque.pop_front();
    if (i % 4 == 0) deque.push_front(-i);
  }
  std::uint64_t sum = deque.size();
  for (const int value : deque) sum = sum * 31 + static_cast<unsigned>(value);
  return sum;
}

std::uint64_t work_on_set(std::set<int>& set) {
  Random random;
  for (int i = 0; i < rounds; ++i) {
    set.insert(static_cast<int>(random.next(200)));
    set.erase(static_cast<int>(random.next(200)));
  }
  std::uint64_t sum = 0;
  for (auto position = set.rbegin(); position != set.rend(); ++position)
    sum = sum * 31 + static_cast<unsigned>(*position);
  return sum + (set.lower_bound(50) == set.end() ? 1 : 0);
}

struct Containers {
  std::map<std::string, long> map;
  std::unordered_map<std::string, long> table;
  std::vector<long> vector;
  std::string string;
  std::list<std::string> list;
  std::deque<int> deque;
  std::set<int> set;
};

}  // namespace

int main() {
  // Kept until the process ends: memory of the arena cannot be given to operator delete.
  auto& plain = *new Containers;
  auto& shared = *new Containers;
  for (int repetition = 0; repetition < 2; ++repetition) {
    compare("map", plain.map, shared.map, [](auto& map) { return work_on_map(map); });
    compare("unordered_map", plain.table, shared.table, [](auto& map) { return work_on_map(map); });
    compare("vector", plain.vector, shared.vector, [](auto& vector) { return work_on_vector(vector); });
    compare("string", plain.string, shared.string, [](auto& text) { return work_on_string(text); });
    compare("list", plain.list, shared.list, [](auto& list) { return work_on_list(list); });
    compare("deque", plain.deque, shared.deque, [](auto& deque) { return work_on_deque(deque); });
    compare("set", plain.set, shared.set, [](auto& set) { return work_on_set(set); });
  }
}
