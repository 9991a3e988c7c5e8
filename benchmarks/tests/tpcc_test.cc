#include <set>
#include <string>

#include <gtest/gtest.h>

#include "damage_test.h"
#include "scratch_pool.h"
#include "structures/hash_index.h"
#include "structures/tree_index.h"
#include "tpcc/workload.h"

namespace perdure::benchmarks::tpcc {
namespace {

struct Entry {
  Key value;
};

TEST(HashIndex, FindsEveryRowWhateverItWasReservedFor) {
  for (const std::size_t reserved : {0, 100, 100'000}) {
    HashIndex<Entry> index;
    index.reserve(reserved);
    constexpr Key rows = 20'000;
    for (Key key = 0; key < rows; ++key) index.insert(key << 20, Entry{key});
    for (Key key = 0; key < rows; ++key) {
      const auto* row = index.find(key << 20);
      ASSERT_NE(row, nullptr) << key;
      EXPECT_EQ(row->value, key);
      EXPECT_EQ(index.find((key << 20) + 1), nullptr);
    }
  }
}

TEST(HashIndex, VisitsEveryRowOnce) {
  HashIndex<Entry> index;
  std::multiset<Key> expected, visited;
  for (Key key = 0; key < 5000; ++key) {
    index.insert(key, Entry{key});
    expected.insert(key);
  }
  index.for_each([&](const Entry& row) { visited.insert(row.value); });
  EXPECT_EQ(visited, expected);
}

TEST(HashIndex, RefusesASecondRowWithTheSameKey) {
  HashIndex<Entry> index;
  index.insert(5, Entry{1});
  EXPECT_THROW(index.insert(5, Entry{2}), DuplicateKey);
  EXPECT_EQ(index.find(5)->value, 1);
}

TEST(HashIndex, KeepsRowsInPlaceWhileItGrows) {
  HashIndex<Entry> index;
  const auto* first = &index.insert(0, Entry{0});
  for (Key key = 1; key < 5000; ++key) index.insert(key, Entry{key});
  EXPECT_EQ(index.find(0), first);
}

/// A small populated database, and a few orders, over either index.
template <class Workload>
class ConsistencyTest : public DamageTest<Workload, typename Workload::Database> {
 protected:
  ConsistencyTest() : DamageTest<Workload, typename Workload::Database>("tpcc", parameters()) {
    auto worker = this->workload_.worker(Share{0, 1, 1});
    for (int i = 0; i < 300; ++i) rolled_back_ += worker.step() == Outcome::rolled_back;
  }

  static Parameters parameters() {
    auto parameters = Parameters::preset("standard");
    parameters.scale = {.warehouses = 2, .customers_per_district = 10, .items = 100, .orders_per_district = 10};
    parameters.invalid_percent = 10;
    return parameters;
  }

  int rolled_back_ = 0;
};

using Indexes = ::testing::Types<NewOrderWorkload<HashIndex>, NewOrderWorkload<TreeIndex>>;
TYPED_TEST_SUITE(ConsistencyTest, Indexes);

TYPED_TEST(ConsistencyTest, HoldsAfterOrdersOfWhichSomeAreRolledBack) {
  EXPECT_EQ(joined(this->workload_.violations()), "");
  EXPECT_GT(this->rolled_back_, 0);
  EXPECT_LT(this->rolled_back_, 150);
}

TYPED_TEST(ConsistencyTest, TellsOfAWrongSum) {
  this->expect_told("condition 1, warehouse 2",
                    [](auto& database) { database.warehouses.find(warehouse_key(2))->year_to_date += 1; });
}

TYPED_TEST(ConsistencyTest, TellsOfAnOrderThatIsMissing) {
  this->expect_told("condition 2, warehouse 1 district 3",
                    [](auto& database) { ++database.districts.find(district_key(1, 3))->next_order_id; });
}

TYPED_TEST(ConsistencyTest, TellsOfANewOrderThatIsMissing) {
  this->expect_told("condition 3, warehouse 1 district 4", [](auto& database) {
    // The last three of the ten orders of the past are new ones: 8, 9, 10.
    database.new_orders.find(order_key(1, 4, 8))->order_id = 9;
  });
}

TYPED_TEST(ConsistencyTest, TellsOfALineThatIsMissing) {
  this->expect_told("condition 4, warehouse 2 district 1",
                    [](auto& database) { ++database.orders.find(order_key(2, 1, 1))->line_count; });
}

TYPED_TEST(ConsistencyTest, TellsOfStockThatWentNowhere) {
  this->expect_told("stock: sum(S_YTD)", [](auto& database) { ++database.stocks.find(stock_key(1, 7))->year_to_date; });
}

TYPED_TEST(ConsistencyTest, TellsOfARowTooMany) {
  this->expect_told("rows of table item", [](auto& database) { database.items.insert(item_key(101), Item{}); });
}

TYPED_TEST(ConsistencyTest, GoesOnWithAPoolThatIsPopulated) {
  TypeParam again(this->pool_.get(), Parameters::preset("pact19"), 1);
  EXPECT_TRUE(again.is_populated());
  EXPECT_EQ(again.parameters().scale, this->parameters().scale);
}

}  // namespace
}  // namespace perdure::benchmarks::tpcc
