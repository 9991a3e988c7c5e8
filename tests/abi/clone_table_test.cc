// The table from functions to clones, whose lookups take no lock.
#include "entry/clone_table.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace perdure::entry {
namespace {

/// Addresses that stand for functions and clones; nothing is called.
struct Code {
  alignas(16) std::array<char, 16> bytes;
};
std::array<Code, 5000> functions;
std::array<Code, 5000> clones;

PerdureClone row(std::size_t number) { return {&functions[number], &clones[number], nullptr}; }

std::vector<PerdureClone> rows(std::size_t begin, std::size_t end) {
  std::vector<PerdureClone> result;
  for (std::size_t i = begin; i < end; ++i) result.push_back(row(i));
  return result;
}

TEST(CloneTable, FindsWhatWasAdded) {
  CloneTable table;
  EXPECT_EQ(table.find(&functions[0]).clone, nullptr);
  table.add(rows(0, functions.size()));
  for (std::size_t i = 0; i < functions.size(); ++i) ASSERT_EQ(table.find(&functions[i]).clone, &clones[i]) << i;
  EXPECT_EQ(table.find(&table).clone, nullptr);
  EXPECT_EQ(table.find(nullptr).clone, nullptr);
}

TEST(CloneTable, SkipsWeakFunctionsThatNobodyDefines) {
  CloneTable table;
  table.add(std::array{PerdureClone{nullptr, &clones[0], nullptr}});
  EXPECT_EQ(table.find(nullptr).clone, nullptr);
}

TEST(CloneTable, ForgetsWhatWasRemoved) {
  CloneTable table;
  const auto all = rows(0, 1000);
  const auto some = rows(250, 750);
  table.add(all);
  table.remove(some);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_removed = 250 <= i && i < 750;
    ASSERT_EQ(table.find(&functions[i]).clone, is_removed ? nullptr : &clones[i]) << i;
  }
  table.add(some);  // the library is loaded again, at the same address
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(table.find(&functions[i]).clone, &clones[i]) << i;
  table.remove(rows(2000, 2010));
}

TEST(CloneTable, KeepsADuplicateUntilTheLastIsRemoved) {
  CloneTable table;
  const std::array first = {PerdureClone{&functions[0], &clones[1], nullptr}};
  const std::array second = {PerdureClone{&functions[0], &clones[2], nullptr}};
  table.add(first);
  table.add(second);
  table.remove(first);
  EXPECT_EQ(table.find(&functions[0]).clone, &clones[2]);
  table.remove(second);
  EXPECT_EQ(table.find(&functions[0]).clone, nullptr);
}

TEST(CloneTable, PrefersACloneToARefusal) {
  const std::array refusal = {PerdureClone{&functions[0], nullptr, "reason"}};
  const std::array clone = {row(0)};
  for (const bool clone_first : {false, true}) {
    CloneTable table;
    table.add(clone_first ? clone : refusal);
    table.add(clone_first ? refusal : clone);
    EXPECT_EQ(table.find(&functions[0]).clone, &clones[0]);
    table.add(rows(1, 1000));  // it grows
    EXPECT_EQ(table.find(&functions[0]).clone, &clones[0]);
    table.remove(clone);
    EXPECT_EQ(table.find(&functions[0]).clone, nullptr);
    EXPECT_STREQ(table.find(&functions[0]).refusal, "reason");
  }
}

TEST(CloneTable, IsReadWhileItGrows) {
  CloneTable table;
  table.add(rows(0, 10));
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 2; ++reader)
    readers.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed))
        for (std::size_t i = 0; i < functions.size(); i += i < 10 ? 1 : 97) {
          void* const found = table.find(&functions[i]).clone;
          if (found != &clones[i] && (found != nullptr || i < 10)) wrong.fetch_add(1, std::memory_order_relaxed);
        }
    });
  for (std::size_t i = 10; i < functions.size(); i += 10) table.add(rows(i, i + 10));
  for (int round = 0; round < 20; ++round) {
    table.remove(rows(4000, 5000));
    table.add(rows(4000, 5000));
  }
  stop.store(true, std::memory_order_relaxed);
  readers.clear();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace perdure::entry
