#include <gtest/gtest.h>

#include "damage_test.h"
#include "map_oracle.h"
#include "scratch_pool.h"
#include "vacation/workload.h"

namespace perdure::benchmarks {
namespace {

using Tree = RedBlackTree<std::uint64_t>;
using Node = red_black_tree::Node<std::uint64_t>;

TEST(RedBlackTree, BehavesLikeAMap) { expect_like_a_map<Tree>(1000, 2000); }

TEST(RedBlackTree, BehavesLikeAMapWhenSmall) { expect_like_a_map<Tree>(12, 2000); }

TEST(RedBlackTree, StaysSoundInEveryOrderOfInsertionAndRemoval) {
  constexpr Key keys = 500;
  for (const Key insert_step : {Key{1}, keys - 1, Key{7}, Key{101}}) {
    for (const Key erase_step : {Key{1}, keys - 1, Key{11}}) {
      Tree tree;
      for (Key i = 0; i < keys; ++i) {
        ASSERT_TRUE(tree.insert(i * insert_step % keys, i));
        ASSERT_EQ(joined(tree.violations()), "") << i;
      }
      for (Key i = 0; i < keys; ++i) {
        ASSERT_TRUE(tree.erase(i * erase_step % keys));
        ASSERT_EQ(joined(tree.violations()), "") << i;
      }
    }
  }
}

/// A black root with two red children, to be damaged.
class RedBlackTreeCheckTest : public ::testing::Test {
 protected:
  void expect_told(const std::string& expected) {
    const auto told = joined(red_black_tree::Check<std::uint64_t>(&root_).violations());
    EXPECT_NE(told.find(expected), std::string::npos) << told;
  }

  Node left_{1, {nullptr, nullptr}, true, 0}, right_{9, {nullptr, nullptr}, true, 0};
  Node root_{5, {&left_, &right_}, false, 0};
};

TEST_F(RedBlackTreeCheckTest, FindsNothingWrongWithASoundTree) {
  EXPECT_TRUE(red_black_tree::Check<std::uint64_t>(&root_).violations().empty());
}

TEST_F(RedBlackTreeCheckTest, TellsOfARedRoot) {
  root_.is_red = true;
  expect_told("key 5 is the root and red");
}

TEST_F(RedBlackTreeCheckTest, TellsOfARedNodeBelowARedOne) {
  Node below{0, {nullptr, nullptr}, true, 0};
  left_.child[0] = &below;
  expect_told("key 0 is red below a red node");
}

TEST_F(RedBlackTreeCheckTest, TellsOfUnequalBlackHeights) {
  left_.is_red = false;
  expect_told("key 5 has more black nodes on one side than on the other");
}

TEST_F(RedBlackTreeCheckTest, TellsOfKeysOutOfOrder) {
  left_.key = 5;
  expect_told("key 5 is out of order");
}

TEST_F(RedBlackTreeCheckTest, TellsOfARing) {
  left_.is_red = false;
  left_.child[0] = &left_;
  expect_told("key 1 is too deep");
}

}  // namespace

namespace vacation {
namespace {

Parameters small(const std::string& preset) {
  auto parameters = Parameters::preset(preset);
  parameters.scale.relations = 200;
  return parameters;
}

TEST(VacationWorkload, KeepsItsInvariants) {
  EXPECT_EQ(wrong_after_run_and_reopening<Agency>(small("low"), 3000), "");
  auto parameters = small("high");
  parameters.user_percent = 50;
  EXPECT_EQ(wrong_after_run_and_reopening<Agency>(parameters, 3000), "");
}

class VacationConsistencyTest : public DamageTest<Agency, Database> {
 protected:
  VacationConsistencyTest() : DamageTest("vacation", small("high")) {
    TM_BEGIN {
      auto& customer = *find_or_add_customer(database_, 7);
      for (std::size_t kind = 0; kind < kinds; ++kind) reserve(database_, customer, kind, 3);
    } TM_END;
  }
};

TEST_F(VacationConsistencyTest, ReservesEachOfferOnceAndCancelsAll) {
  const auto before = find_offer(database_, 0, 3)->free;
  EXPECT_FALSE(TM_BEGIN { return reserve(database_, *find_customer(database_, 7), 0, 3); } TM_END);
  EXPECT_TRUE(TM_BEGIN { return reserve(database_, *find_customer(database_, 7), 0, 4); } TM_END);
  const auto bill = TM_BEGIN { return delete_customer(database_, 7); } TM_END;
  EXPECT_GE(bill.value(), 4 * 50);
  EXPECT_EQ(find_offer(database_, 0, 3)->free, before + 1);
  EXPECT_EQ(find_customer(database_, 7), nullptr);
  EXPECT_FALSE(TM_BEGIN { return delete_customer(database_, 7); } TM_END.has_value());
  EXPECT_EQ(joined(workload_.violations()), "");
}

TEST_F(VacationConsistencyTest, OffersEndWithTheirLastPlace) {
  const auto total = find_offer(database_, 1, 9)->total;
  TM_BEGIN { remove_places(database_, 1, 9, total + 1); } TM_END;
  EXPECT_NE(find_offer(database_, 1, 9), nullptr);
  TM_BEGIN { remove_places(database_, 1, 9, total); } TM_END;
  EXPECT_EQ(find_offer(database_, 1, 9), nullptr);
  TM_BEGIN { remove_places(database_, 1, 3, find_offer(database_, 1, 3)->total); } TM_END;
  EXPECT_NE(find_offer(database_, 1, 3), nullptr) << "a place of it is used";
  EXPECT_EQ(joined(workload_.violations()), "");
}

TEST_F(VacationConsistencyTest, TellsOfAPlaceThatIsLost) {
  expect_told("used and free places of car 3", [](Database& database) { --find_offer(database, 0, 3)->free; });
}

TEST_F(VacationConsistencyTest, TellsOfABookingThatIsLost) {
  expect_told("used places of car 3 is 1, but what customers have booked is 0", [](Database& database) {
    auto& bookings = find_customer(database, 7)->bookings;
    bookings = bookings->next;
  });
}

TEST_F(VacationConsistencyTest, TellsOfAnOfferThatIsLost) {
  expect_told("room 3 is booked, but does not exist", [](Database& database) { database.offers[2].erase(3); });
}

TEST_F(VacationConsistencyTest, TellsOfBookingsOutOfOrder) {
  expect_told("the bookings of customer 7 are not in order", [](Database& database) {
    auto* first = find_customer(database, 7)->bookings;
    first->next->next = first;
  });
}

}  // namespace
}  // namespace vacation
}  // namespace perdure::benchmarks
