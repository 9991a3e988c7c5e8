#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tpcc/hash_index.h"
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

/// A small populated database, and a few orders.
class ConsistencyTest : public ::testing::Test {
 protected:
  using Workload = NewOrderWorkload<HashIndex>;

  ConsistencyTest()
      : path_(std::filesystem::temp_directory_path() / ("perdure-tpcc-test-" + std::to_string(getpid()) + ".pool")),
        pool_(Pool::open(path_, {.accept_volatile = true})),
        workload_(pool_, parameters(), 1),
        database_(pool_.root<Workload::Database>("tpcc")) {
    workload_.begin_population();
    for (std::size_t i = 0; i < 2; ++i) workload_.populate(Share{i, 2, i});
    workload_.finish_population();
    auto worker = workload_.worker(Share{0, 1, 1});
    for (int i = 0; i < 300; ++i) rolled_back_ += worker.step() == Outcome::rolled_back;
  }

  ~ConsistencyTest() override {
    pool_.close();
    std::filesystem::remove(path_);
  }

  static Parameters parameters() {
    auto parameters = Parameters::preset("standard");
    parameters.scale = {.warehouses = 2, .customers_per_district = 10, .items = 100, .orders_per_district = 10};
    parameters.invalid_percent = 10;
    return parameters;
  }

  // Applies `damage` in a transaction, like any change of a pool, and expects it to be told.
  template <class Damage>
  void expect_told(const std::string& expected, Damage damage) {
    ASSERT_TRUE(workload_.violations().empty()) << workload_.violations().front();
    TM_BEGIN { damage(database_); } TM_END;
    std::string told;
    for (const auto& violation : workload_.violations()) told += violation + "\n";
    EXPECT_NE(told.find(expected), std::string::npos) << told;
  }

  const std::filesystem::path path_;
  Pool pool_;
  Workload workload_;
  Workload::Database& database_;
  int rolled_back_ = 0;
};

using Database = Database<HashIndex>;

TEST_F(ConsistencyTest, HoldsAfterOrdersOfWhichSomeAreRolledBack) {
  EXPECT_TRUE(workload_.violations().empty()) << workload_.violations().front();
  EXPECT_GT(rolled_back_, 0);
  EXPECT_LT(rolled_back_, 150);
}

TEST_F(ConsistencyTest, TellsOfAWrongSum) {
  expect_told("condition 1, warehouse 2",
              [](Database& database) { database.warehouses.find(warehouse_key(2))->year_to_date += 1; });
}

TEST_F(ConsistencyTest, TellsOfAnOrderThatIsMissing) {
  expect_told("condition 2, warehouse 1 district 3",
              [](Database& database) { ++database.districts.find(district_key(1, 3))->next_order_id; });
}

TEST_F(ConsistencyTest, TellsOfANewOrderThatIsMissing) {
  expect_told("condition 3, warehouse 1 district 4", [](Database& database) {
    // The last three of the ten orders of the past are new ones: 8, 9, 10.
    database.new_orders.find(order_key(1, 4, 8))->order_id = 9;
  });
}

TEST_F(ConsistencyTest, TellsOfALineThatIsMissing) {
  expect_told("condition 4, warehouse 2 district 1",
              [](Database& database) { ++database.orders.find(order_key(2, 1, 1))->line_count; });
}

TEST_F(ConsistencyTest, TellsOfStockThatWentNowhere) {
  expect_told("stock: sum(S_YTD)", [](Database& database) { ++database.stocks.find(stock_key(1, 7))->year_to_date; });
}

TEST_F(ConsistencyTest, TellsOfARowTooMany) {
  expect_told("rows of table item", [](Database& database) { database.items.insert(item_key(101), Item{}); });
}

TEST_F(ConsistencyTest, GoesOnWithAPoolThatIsPopulated) {
  Workload again(pool_, Parameters::preset("pact19"), 1);
  EXPECT_TRUE(again.is_populated());
  EXPECT_EQ(again.parameters().scale, parameters().scale);
}

}  // namespace
}  // namespace perdure::benchmarks::tpcc
