#ifndef PERDURE_BENCHMARKS_TPCC_CONSISTENCY_H
#define PERDURE_BENCHMARKS_TPCC_CONSISTENCY_H

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "database.h"

namespace perdure::benchmarks::tpcc {

/// Checks the consistency conditions 1 to 4 of the specification (clause 3.3.2), and that no row is missing, by walking
/// every table. Runs alone.
template <class Database>
class Consistency {
 public:
  explicit Consistency(const Database& database)
      : scale_(database.scale), totals_(std::size_t{scale_.warehouses} * districts_per_warehouse) {
    check_indexes(database);
    if (!violations_.empty()) return;  // a walk through a broken index may not end
    gather(database);
    check_counts(database);
    check_warehouses(database);
    for (std::size_t i = 0; i < totals_.size(); ++i) check_district(i);
    check_stock(database);
  }

  /// What is broken, one a line; empty if all is well.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  // What the tables say about one district.
  struct Totals {
    std::uint32_t next_order_id = 0;
    Cents income = 0;
    std::uint32_t highest_order = 0;
    std::uint64_t orders = 0;
    std::uint32_t lowest_new_order = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t highest_new_order = 0;
    std::uint64_t new_orders = 0;
    std::uint64_t promised_lines = 0;
    std::uint64_t lines = 0;
  };

  void check_indexes(const Database& database) {
    check_index("warehouse", database.warehouses);
    check_index("district", database.districts);
    check_index("customer", database.customers);
    check_index("item", database.items);
    check_index("stock", database.stocks);
    check_index("order", database.orders);
    check_index("new-order", database.new_orders);
    check_index("order-line", database.order_lines);
  }

  template <class Table>
  void check_index(const std::string& name, const Table& table) {
    for (const auto& violation : table.violations()) violations_.push_back("table " + name + ": " + violation);
  }

  void gather(const Database& database) {
    database.districts.for_each([&](const District& row) {
      auto& totals = of(row.warehouse_id, row.id);
      totals.next_order_id = row.next_order_id;
      totals.income = row.year_to_date;
    });
    database.orders.for_each([&](const Order& row) {
      auto& totals = of(row.warehouse_id, row.district_id);
      totals.highest_order = std::max(totals.highest_order, row.id);
      totals.promised_lines += row.line_count;
      ++totals.orders;
    });
    database.new_orders.for_each([&](const NewOrder& row) {
      auto& totals = of(row.warehouse_id, row.district_id);
      totals.lowest_new_order = std::min(totals.lowest_new_order, row.order_id);
      totals.highest_new_order = std::max(totals.highest_new_order, row.order_id);
      ++totals.new_orders;
    });
    database.order_lines.for_each([&](const OrderLine& row) {
      ++of(row.warehouse_id, row.district_id).lines;
      if (row.order_id > scale_.orders_per_district) ordered_ += row.quantity;
    });
  }

  void check_counts(const Database& database) {
    const std::uint64_t districts = totals_.size();
    expect_rows("warehouse", database.warehouses, scale_.warehouses);
    expect_rows("district", database.districts, districts);
    expect_rows("customer", database.customers, districts * scale_.customers_per_district);
    expect_rows("item", database.items, scale_.items);
    expect_rows("stock", database.stocks, std::uint64_t{scale_.warehouses} * scale_.items);
  }

  template <class Table>
  void expect_rows(const std::string& name, const Table& table, std::uint64_t expected) {
    std::uint64_t rows = 0;
    table.for_each([&](const auto&) { ++rows; });
    expect_equal("rows of table " + name, rows, "populated", expected);
  }

  // Condition 1: W_YTD = sum(D_YTD).
  void check_warehouses(const Database& database) {
    database.warehouses.for_each([&](const Warehouse& row) {
      Cents income = 0;
      for (std::uint32_t district = 1; district <= districts_per_warehouse; ++district) {
        income += of(row.id, district).income;
      }
      expect_equal("condition 1, warehouse " + std::to_string(row.id) + ": W_YTD", row.year_to_date, "sum(D_YTD)",
                   income);
    });
  }

  void check_district(std::size_t index) {
    const Totals& totals = totals_[index];
    const auto where = ", warehouse " + std::to_string(index / districts_per_warehouse + 1) + " district " +
                       std::to_string(index % districts_per_warehouse + 1) + ": ";
    const auto last = totals.next_order_id - 1;
    expect_equal("condition 2" + where + "D_NEXT_O_ID - 1", last, "max(O_ID)", totals.highest_order);
    expect_equal("orders" + where + "rows", totals.orders, "max(O_ID)", totals.highest_order);
    if (totals.new_orders > 0) {
      expect_equal("condition 2" + where + "D_NEXT_O_ID - 1", last, "max(NO_O_ID)", totals.highest_new_order);
      expect_equal("condition 3" + where + "max(NO_O_ID) - min(NO_O_ID) + 1",
                   totals.highest_new_order - totals.lowest_new_order + 1, "new-order rows", totals.new_orders);
    }
    // Nothing is delivered by a New Order, so every order of the run is among the new ones.
    expect_equal("new orders" + where + "rows", totals.new_orders, "initial and placed ones",
                 scale_.orders_per_district * 3 / 10 + (last - scale_.orders_per_district));
    expect_equal("condition 4" + where + "sum(O_OL_CNT)", totals.promised_lines, "order-line rows", totals.lines);
  }

  // What left the stock is what was ordered: a New Order that is half there shows here even if its rows are.
  void check_stock(const Database& database) {
    std::int64_t taken = 0;
    database.stocks.for_each([&](const Stock& row) { taken += row.year_to_date; });
    expect_equal("stock: sum(S_YTD)", taken, "sum(OL_QUANTITY) of the orders placed", ordered_);
  }

  template <class Found, class Expected>
  void expect_equal(const std::string& what, Found found, const std::string& other, Expected expected) {
    benchmarks::expect_equal(violations_, what, found, other, expected);
  }

  Totals& of(std::uint32_t warehouse, std::uint32_t district) {
    return totals_.at((std::size_t{warehouse} - 1) * districts_per_warehouse + district - 1);
  }

  const Scale scale_;
  std::vector<Totals> totals_;
  std::int64_t ordered_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace perdure::benchmarks::tpcc

#endif
