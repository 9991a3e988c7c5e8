#ifndef PERDURE_BENCHMARKS_TPCC_KEYS_H
#define PERDURE_BENCHMARKS_TPCC_KEYS_H

#include <cstdint>

#include "structures/key.h"

/// A row's primary key in one word. Keys of one table differ when their rows do, and sort as the specification's
/// compound keys do: 16 bits for the warehouse, 8 for the district, 32 for the order, 8 for the line.
namespace perdure::benchmarks::tpcc {

inline constexpr std::uint32_t most_warehouses = 0xffff;

constexpr Key warehouse_key(std::uint32_t warehouse) { return Key{warehouse} << 48; }

constexpr Key district_key(std::uint32_t warehouse, std::uint32_t district) {
  return warehouse_key(warehouse) | Key{district} << 40;
}

constexpr Key customer_key(std::uint32_t warehouse, std::uint32_t district, std::uint32_t customer) {
  return district_key(warehouse, district) | customer;
}

constexpr Key item_key(std::uint32_t item) { return item; }

constexpr Key stock_key(std::uint32_t warehouse, std::uint32_t item) { return warehouse_key(warehouse) | item; }

constexpr Key order_key(std::uint32_t warehouse, std::uint32_t district, std::uint32_t order) {
  return district_key(warehouse, district) | Key{order} << 8;
}

constexpr Key order_line_key(std::uint32_t warehouse, std::uint32_t district, std::uint32_t order,
                             std::uint32_t number) {
  return order_key(warehouse, district, order) | number;
}

}  // namespace perdure::benchmarks::tpcc

#endif
