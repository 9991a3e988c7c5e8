#ifndef PERDURE_BENCHMARKS_TPCC_POPULATION_H
#define PERDURE_BENCHMARKS_TPCC_POPULATION_H

#include <array>
#include <ctime>
#include <numeric>
#include <utility>
#include <vector>

#include "common/workload.h"
#include "database.h"
#include "initial_rows.h"
#include "keys.h"
#include "perdure/transaction.h"

namespace perdure::benchmarks::tpcc {

/// Fills a database (TPC-C, clause 4.3.3): each thread its share of every table, some rows a transaction. Rows are
/// drawn outside the transactions and copied into the pool by them.
template <class Database>
class Population {
 public:
  Population(Database& database, const Scale& scale, const Share& share)
      : database_(database), scale_(scale), share_(share), random_(share.seed) {}

  /// Prepares the tables. Run once, before the threads start.
  static void prepare_tables(Database& database, const Scale& scale) {
    const std::size_t districts = scale.warehouses * districts_per_warehouse;
    const std::size_t orders = districts * scale.orders_per_district;
    prepare(database.districts, districts);
    prepare(database.customers, districts * scale.customers_per_district);
    prepare(database.items, scale.items);
    prepare(database.stocks, std::size_t{scale.warehouses} * scale.items);
    prepare(database.orders, orders);
    prepare(database.new_orders, orders);
    prepare(database.order_lines, orders * most_lines);
  }

  void fill() {
    fill_table(database_.items, scale_.items, [this](std::size_t row) {
      const auto id = number(row);
      return std::pair(item_key(id), initial_item(random_, id));
    });
    fill_table(database_.stocks, std::size_t{scale_.warehouses} * scale_.items, [this](std::size_t row) {
      const auto warehouse = number(row / scale_.items), item = number(row % scale_.items);
      return std::pair(stock_key(warehouse, item), initial_stock(random_, warehouse, item));
    });
    fill_table(database_.warehouses, scale_.warehouses, [this](std::size_t row) {
      return std::pair(warehouse_key(number(row)), initial_warehouse(random_, number(row)));
    });
    for_each_district([this](std::uint32_t warehouse, std::uint32_t district) { fill_district(warehouse, district); });
  }

 private:
  static constexpr std::size_t rows_per_transaction = 16;

  template <class Table>
  static void prepare(Table& table, std::size_t rows) {
    TM_BEGIN { table.reserve(rows); } TM_END;
  }

  static std::uint32_t number(std::size_t row) { return static_cast<std::uint32_t>(row + 1); }

  // `make(row)` gives the key and the content of a row, counted from 0.
  template <class Table, class Make>
  void fill_table(Table& table, std::size_t rows, Make make) {
    fill_range(table, share_.begin(rows), share_.end(rows), make);
  }

  template <class Table, class Make>
  static void fill_range(Table& table, std::size_t begin, std::size_t end, Make make) {
    std::array<decltype(make(begin)), rows_per_transaction> batch;
    while (begin < end) {
      const auto count = std::min(batch.size(), end - begin);
      for (std::size_t i = 0; i < count; ++i) batch[i] = make(begin + i);
      TM_BEGIN {
        for (std::size_t i = 0; i < count; ++i) table.insert(batch[i].first, batch[i].second);
      } TM_END;
      begin += count;
    }
  }

  template <class Visit>
  void for_each_district(Visit visit) {
    const std::size_t districts = scale_.warehouses * districts_per_warehouse;
    for (auto i = share_.begin(districts); i < share_.end(districts); ++i) {
      visit(number(i / districts_per_warehouse), number(i % districts_per_warehouse));
    }
  }

  void fill_district(std::uint32_t warehouse, std::uint32_t district) {
    const auto row = initial_district(random_, warehouse, district, scale_.orders_per_district);
    TM_BEGIN { database_.districts.insert(district_key(warehouse, district), row); } TM_END;
    fill_range(database_.customers, 0, scale_.customers_per_district, [&](std::size_t customer) {
      const auto id = number(customer);
      return std::pair(customer_key(warehouse, district, id), initial_customer(random_, warehouse, district, id, now_));
    });
    const auto customers = shuffled_customers();
    for (std::uint32_t id = 1; id <= scale_.orders_per_district; ++id) {
      const auto customer = customers[(id - 1) % customers.size()];
      insert(initial_order(random_, warehouse, district, id, customer, scale_, now_));
    }
  }

  // Orders are placed by customers in a random order, each once (clause 4.3.3.1).
  std::vector<std::uint32_t> shuffled_customers() {
    std::vector<std::uint32_t> customers(scale_.customers_per_district);
    std::iota(customers.begin(), customers.end(), 1u);
    for (std::size_t i = customers.size(); i > 1; --i) {
      std::swap(customers[i - 1],
                customers[static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(i) - 1))]);
    }
    return customers;
  }

  void insert(const InitialOrder& initial) {
    const Order& order = initial.order;
    const auto key = order_key(order.warehouse_id, order.district_id, order.id);
    TM_BEGIN {
      database_.orders.insert(key, order);
      if (!initial.delivered) {
        database_.new_orders.insert(key, NewOrder{order.id, order.district_id, order.warehouse_id});
      }
      for (std::uint32_t i = 0; i < order.line_count; ++i)
        database_.order_lines.insert(key | (i + 1), initial.lines[i]);
    } TM_END;
  }

  Database& database_;
  const Scale scale_;
  const Share share_;
  Random random_;
  const Date now_ = std::time(nullptr);
};

}  // namespace perdure::benchmarks::tpcc

#endif
