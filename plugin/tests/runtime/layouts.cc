// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O2 -g -fplugin-arg-perdure-write-only %}
// RUN: %if long %{ %run_on_deferred_runtime -O1 -flto -fuse-ld=lld %}
// RUN: %if libc++ %{ %run_on_deferred_runtime -O0 -stdlib=libc++ %}
// RUN: %if libc++ && long %{ %run_on_deferred_runtime -O2 -stdlib=libc++ %}
//
// The check of the runtime finds what a layout does not say.
// RUN: %build_on_deferred_runtime -O1 -DHIDES_POINTER
// RUN: not --crash %t.program 2>&1 | FileCheck %s
// CHECK: a pointer where the layout has none

// Programs keep pointers where the layouts of the blocks have them.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include "deferred_runtime.h"
#include "perdure/transaction.h"

namespace {

struct Leaf {
  std::array<int, 3> numbers;
  Leaf* next;
};

union Either {
  double number;
  Leaf* leaf;
};

struct Record {
  std::uint16_t kind;
  unsigned flags : 3;
  std::uint64_t packed : 40;
  Either either;
  std::optional<Leaf> leaf;
  std::variant<std::uint64_t, Leaf*, std::string, std::array<char, 24>> choice;
  std::variant<Leaf*, Record*> pointer;
  std::unique_ptr<Leaf> owned;
  std::tuple<char, Leaf*, short> tuple;
  Leaf& reference;
  char text[12];
};

struct Base {
  Leaf* of_base;
};
struct Left : virtual Base {
  Leaf* of_left;
};
struct Right : virtual Base {
  int number;
};
struct Both : Left, Right {
  Leaf* of_both;
  ~Both() {}
};

template <class T>
struct Chain {
  T value;
  Chain* next = nullptr;
};

template <class T>
Chain<T>* chain(int length) {
  Chain<T>* first = nullptr;
  for (int i = 0; i < length; ++i) {
    auto* const link = new Chain<T>;
    link->next = first;
    first = link;
  }
  return first;
}

struct Owner {
  Leaf* leaf = new Leaf{};
  long* numbers = new long[3]{1, 2, 3};
};

struct Shared {
  std::vector<Record*> records;
  std::map<std::string, std::vector<Leaf*>> map;
  std::unordered_map<std::string, std::string> table;
  std::list<std::variant<int, std::string>> list;
  std::forward_list<std::optional<std::string>> forward;
  std::deque<Leaf> deque;
  std::set<std::pair<Leaf*, int>> set;
  std::vector<std::shared_ptr<Leaf>> counted;
  std::vector<std::string> strings;
  std::vector<void*> others;
};

const std::string long_text(50, 'x');

void fill(Shared& shared) {
  auto* const leaf = new Leaf{};
  for (int i = 0; i < 8; ++i) {
    auto* const record = new Record{.kind = 1, .flags = 2, .packed = 3, .either = {.leaf = leaf}, .leaf = Leaf{{}, leaf},
                                    .choice = {}, .pointer = leaf, .owned = std::make_unique<Leaf>(),
                                    .tuple = {'a', leaf, 1}, .reference = *leaf, .text = "characters"};
    if (i % 4 == 1) record->choice = leaf;
    if (i % 4 == 2) record->choice = long_text;
    if (i % 4 == 3) record->choice = std::array<char, 24>{};
    if (i % 2 == 1) record->pointer = record;
    if (i == 5) record->either.number = 1.5;
    if (i == 6) record->leaf.reset();
    shared.records.push_back(record);
    const std::string key = i % 2 == 0 ? long_text + std::to_string(i) : std::to_string(i);
    shared.map[key].push_back(leaf);
    shared.table[key] = key;
    shared.list.push_back(i);
    shared.list.push_back(key);
    shared.forward.push_front(key);
    shared.forward.push_front(std::nullopt);
    shared.deque.push_back({{i}, leaf});
    shared.set.insert({leaf, i});
    shared.counted.push_back(std::make_shared<Leaf>(Leaf{{}, leaf}));
    shared.strings.push_back(key);
  }
  auto* const several = new Both[3];
  for (int i = 0; i < 3; ++i) {
    several[i].of_base = several[i].of_left = several[i].of_both = leaf;
    several[i].number = i;
  }
  shared.others.push_back(several);
  shared.others.push_back(chain<int>(4));
  shared.others.push_back(chain<Leaf*>(4));
  shared.others.push_back(chain<std::string>(4));
  shared.others.push_back(new Owner);
  auto** const pointers = static_cast<Leaf**>(std::malloc(5 * sizeof(Leaf*)));
  for (int i = 0; i < 5; ++i) pointers[i] = leaf;
  shared.others.push_back(pointers);
}

#ifdef HIDES_POINTER
struct Hiding {
  char bytes[sizeof(void*)];
};

void hide(Shared& shared) {
  auto* const hiding = new Hiding;
  const void* const address = hiding;
  std::memcpy(hiding->bytes, &address, sizeof(address));
  shared.others.push_back(hiding);
}
#endif

}  // namespace

int main() {
  auto& shared = *new Shared;
  TM_BEGIN { fill(shared); } TM_END;
#ifdef HIDES_POINTER
  TM_BEGIN { hide(shared); } TM_END;
#endif
  if (deferred_runtime::known_layouts() < 100) {
    std::printf("only %lu layouts are known\n", deferred_runtime::known_layouts());
    return 1;
  }
  return shared.records.size() == 8 ? 0 : 1;
}
