#ifndef PERDURE_BENCHMARKS_TPCC_SCALE_H
#define PERDURE_BENCHMARKS_TPCC_SCALE_H

#include <cstddef>
#include <cstdint>

namespace perdure::benchmarks::tpcc {

inline constexpr std::size_t most_lines = 15;  // of an order

/// How many rows a database is populated with. Kept in the pool, so that a pool explains itself.
struct Scale {
  std::uint32_t warehouses = 0;
  std::uint32_t customers_per_district = 3000;
  std::uint32_t items = 100'000;
  std::uint32_t orders_per_district = 3000;  // each of 5 to 15 lines; the last 30 % are not delivered

  bool operator==(const Scale&) const = default;
};

}  // namespace perdure::benchmarks::tpcc

#endif
