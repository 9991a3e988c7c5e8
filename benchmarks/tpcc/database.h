#ifndef PERDURE_BENCHMARKS_TPCC_DATABASE_H
#define PERDURE_BENCHMARKS_TPCC_DATABASE_H

#include "common/rooted_workload.h"
#include "rows.h"
#include "scale.h"

namespace perdure::benchmarks::tpcc {

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
