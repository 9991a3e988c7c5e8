#include <algorithm>
#include <array>
#include <numeric>

#include <gtest/gtest.h>

#include "bptree/workload.h"
#include "map_oracle.h"
#include "scratch_pool.h"
#include "structures/bplus_tree.h"

namespace perdure::benchmarks {
namespace {

using Tree = BPlusTree<std::uint64_t>;
using Leaf = bplus_tree::NodeOf<std::uint64_t>;
using bplus_tree::Inner;

TEST(SlotOrder, BehavesLikeAVector) {
  Random random(1);
  SlotOrder order;
  std::vector<std::size_t> slots;
  for (int i = 0; i < 20'000; ++i) {
    const auto position = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(slots.size())));
    if (random.percent(50) && !order.is_full()) {
      const auto slot = order.insert(position);
      ASSERT_EQ(std::count(slots.begin(), slots.end(), slot), 0) << "the slot is taken";
      slots.insert(slots.begin() + static_cast<std::ptrdiff_t>(position), slot);
    } else if (position < slots.size()) {
      order.erase(position);
      slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(position));
    } else if (random.percent(5)) {
      slots.resize(slots.size() / 2);
      order.truncate(slots.size());
    }
    ASSERT_EQ(order.size(), slots.size());
    for (std::size_t at = 0; at < slots.size(); ++at) ASSERT_EQ(order.slot(at), slots[at]);
  }
}

struct Subject : Tree {
  bool insert(Key key, std::uint64_t value) { return Tree::insert(key, value).second; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (auto position = begin(); position != end(); ++position) visit(position.key(), position.value());
  }
};

TEST(BPlusTree, BehavesLikeAMap) { expect_like_a_map<Subject>(3000, 2000); }

TEST(BPlusTree, BehavesLikeAMapWhenSmall) { expect_like_a_map<Subject>(20, 2000); }

TEST(BPlusTree, StaysSoundInEveryOrderOfInsertionAndRemoval) {
  constexpr Key keys = 3000;
  for (const Key insert_step : {Key{1}, keys - 1, Key{7}, Key{1009}}) {
    for (const Key erase_step : {Key{1}, keys - 1, Key{11}}) {
      Tree tree;
      for (Key i = 0; i < keys; ++i) ASSERT_TRUE(tree.insert(i * insert_step % keys, i).second);
      ASSERT_EQ(joined(tree.violations()), "");
      for (Key i = 0; i < keys; ++i) {
        ASSERT_TRUE(tree.erase(i * erase_step % keys));
        if (i % 100 == 0) ASSERT_EQ(joined(tree.violations()), "") << i;
      }
      EXPECT_EQ(tree.begin(), tree.end());
      ASSERT_EQ(joined(tree.violations()), "");
    }
  }
}

TEST(BPlusTree, IteratesFromTheFirstKeyNotBelow) {
  Tree tree;
  EXPECT_EQ(tree.lower_bound(0), tree.end());
  for (Key key = 10; key <= 10'000; key += 10) tree.insert(key, key);
  for (Key key = 0; key <= 10'000; ++key) {
    const auto position = tree.lower_bound(key);
    ASSERT_EQ(position.key(), std::max<Key>(10, (key + 9) / 10 * 10));
  }
  EXPECT_EQ(tree.lower_bound(10'001), tree.end());
  Key expected = 5000;
  for (auto position = tree.lower_bound(expected); position != tree.end(); ++position, expected += 10) {
    ASSERT_EQ(position.key(), expected);
  }
  EXPECT_EQ(expected, 10'010);
}

/// Two leaves below a root, to be damaged.
class BPlusTreeCheckTest : public ::testing::Test {
 protected:
  BPlusTreeCheckTest() {
    for (Key key = 1; key <= 8; ++key) left_.append({key, 0});
    for (Key key = 11; key <= 18; ++key) right_.append({key, 0});
    left_.link = &right_;
    root_.link = &left_;
    root_.append({11, &right_});
  }

  std::string told() const { return joined(bplus_tree::Check<std::uint64_t>(&root_, 1).violations()); }

  void expect_told(const std::string& expected) const {
    EXPECT_NE(told().find(expected), std::string::npos) << "expected: " << expected << "\ntold: " << told();
  }

  Leaf left_, right_;
  Inner root_;
};

TEST_F(BPlusTreeCheckTest, FindsNothingWrongWithASoundTree) { EXPECT_EQ(told(), ""); }

TEST_F(BPlusTreeCheckTest, TellsOfKeysOutOfOrder) {
  std::swap(left_.at(2), left_.at(3));
  expect_told("the node of keys 0 to 10 is not sorted at key 3");
}

TEST_F(BPlusTreeCheckTest, TellsOfAKeyTwice) {
  left_.at(2).key = 2;
  expect_told("is not sorted at key 2");
}

TEST_F(BPlusTreeCheckTest, TellsOfAKeyInTheWrongNode) {
  left_.at(7).key = 12;
  expect_told("the node of keys 0 to 10 holds key 12");
}

TEST_F(BPlusTreeCheckTest, TellsOfANodeWithTooFewEntries) {
  right_.truncate(6);
  expect_told("has too few entries");
}

TEST_F(BPlusTreeCheckTest, TellsOfARootWithOneChild) {
  root_.truncate(0);
  expect_told("is an inner node with one child");
}

TEST_F(BPlusTreeCheckTest, TellsOfABrokenChain) {
  left_.link = nullptr;
  expect_told("is not linked from the leaf before it");
}

TEST_F(BPlusTreeCheckTest, TellsOfAChainThatGoesOn) {
  Leaf removed;
  right_.link = &removed;
  expect_told("has a leaf linked past its last one");
}

TEST_F(BPlusTreeCheckTest, TellsOfAMissingChild) {
  root_.at(0).payload = nullptr;
  expect_told("is missing");
}

TEST_F(BPlusTreeCheckTest, TellsOfASlotLost) {
  const std::uint64_t twice = 0xedcba98765432118;  // slot 1 at positions 0 and 1
  std::memcpy(&left_.order, &twice, sizeof(twice));
  expect_told("has a slot at no position");
}

bptree::Parameters small(const std::string& preset) {
  auto parameters = bptree::Parameters::preset(preset);
  parameters.scale.key_bits = 12;
  return parameters;
}

TEST(BPlusTreeWorkload, KeepsItsInvariants) {
  EXPECT_EQ(wrong_after_run_and_reopening<bptree::Tree>(small("insert"), 3000), "");
  EXPECT_EQ(wrong_after_run_and_reopening<bptree::Tree>(small("mix"), 3000), "");
}

TEST(BPlusTreeWorkload, PreloadsItsShareOfTheKeys) {
  ScratchPool pool;
  bptree::Tree workload(pool.get(), small("mix"), 1);
  populate(workload);
  const auto& tree = pool.get().root<bptree::Data>("bptree").tree;
  std::size_t entries = 0;
  for (auto position = tree.begin(); position != tree.end(); ++position) ++entries;
  EXPECT_EQ(entries, 2048);
}

TEST(BPlusTreeWorkload, TellsOfAnEntryThatIsMissingOrWrong) {
  ScratchPool pool;
  bptree::Tree workload(pool.get(), small("mix"), 1);
  populate(workload);
  auto& tree = pool.get().root<bptree::Data>("bptree").tree;
  const Key key = tree.begin().key();
  TM_BEGIN { ++*tree.find(key); } TM_END;
  EXPECT_NE(joined(workload.violations()).find("the value of key " + std::to_string(key)), std::string::npos);
  TM_BEGIN { tree.erase(key); } TM_END;
  EXPECT_NE(joined(workload.violations()).find("the number of entries is 2047"), std::string::npos);
}

}  // namespace
}  // namespace perdure::benchmarks
