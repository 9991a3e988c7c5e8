#ifndef PERDURE_BENCHMARKS_TPCC_DATABASE_H
#define PERDURE_BENCHMARKS_TPCC_DATABASE_H

#include <cstdint>

#include "common/rooted_workload.h"
#include "rows.h"

namespace perdure::benchmarks::tpcc {

/// How many rows a database is populated with. Kept in the pool, so that a pool explains itself.
struct Scale {
  std::uint32_t warehouses = 0;
  std::uint32_t customers_per_district = 3000;
  std::uint32_t items = 100'000;
  std::uint32_t orders_per_district = 3000;  // each of 5 to 15 lines; the last 30 % are not delivered

  bool operator==(const Scale&) const = default;
};

/// The whole database: the root object of the pool.
/// \tparam Index  a table of rows by key: `find`, `insert`, `reserve`, `for_each` (see HashIndex).
template <template <class> class Index>
struct Database {
  Scale scale;
  PopulationState population = PopulationState::empty;
  Index<Warehouse> warehouses;
  Index<District> districts;
  Index<Customer> customers;
  Index<Item> items;
  Index<Stock> stocks;
  Index<Order> orders;
  Index<NewOrder> new_orders;
  Index<OrderLine> order_lines;
};

}  // namespace perdure::benchmarks::tpcc

#endif
