#ifndef PERDURE_BENCHMARKS_TPCC_ROWS_H
#define PERDURE_BENCHMARKS_TPCC_ROWS_H

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/text.h"
#include "scale.h"

/// The rows of the TPC-C specification (revision 5.11, clause 1.3), with every field at its full size.
namespace perdure::benchmarks::tpcc {

using Cents = std::int64_t;
using BasisPoints = std::int32_t;  // hundredths of a percent: the specification's numeric(4,4)
using Date = std::int64_t;         // seconds since 1970; 0: not yet

inline constexpr std::size_t districts_per_warehouse = 10;

struct Address {
  Text<20> street_1;
  Text<20> street_2;
  Text<20> city;
  Text<2> state;
  Text<9> zip;
};

struct Warehouse {
  std::uint32_t id;
  Text<10> name;
  Address address;
  BasisPoints tax;
  Cents year_to_date;
};

struct District {
  std::uint32_t id;
  std::uint32_t warehouse_id;
  Text<10> name;
  Address address;
  BasisPoints tax;
  Cents year_to_date;
  std::uint32_t next_order_id;
};

struct Customer {
  std::uint32_t id;
  std::uint32_t district_id;
  std::uint32_t warehouse_id;
  Text<16> first;
  Text<2> middle;
  Text<16> last;
  Address address;
  Text<16> phone;
  Date since;
  Text<2> credit;
  Cents credit_limit;
  BasisPoints discount;
  Cents balance;
  Cents year_to_date_payment;
  std::uint32_t payment_count;
  std::uint32_t delivery_count;
  Text<500> data;
};

struct Item {
  std::uint32_t id;
  std::uint32_t image_id;
  Text<24> name;
  Cents price;
  Text<50> data;
};

struct Stock {
  std::uint32_t item_id;
  std::uint32_t warehouse_id;
  std::int32_t quantity;
  std::uint32_t order_count;
  std::uint32_t remote_count;
  std::int64_t year_to_date;
  std::array<Text<24>, districts_per_warehouse> district_info;
  Text<50> data;
};

struct Order {
  std::uint32_t id;
  std::uint32_t district_id;
  std::uint32_t warehouse_id;
  std::uint32_t customer_id;
  Date entered;
  std::uint32_t carrier_id;  // 0: not delivered yet
  std::uint32_t line_count;
  bool all_local;
};

struct NewOrder {
  std::uint32_t order_id;
  std::uint32_t district_id;
  std::uint32_t warehouse_id;
};

struct OrderLine {
  std::uint32_t order_id;
  std::uint32_t district_id;
  std::uint32_t warehouse_id;
  std::uint32_t number;
  std::uint32_t item_id;
  std::uint32_t supply_warehouse_id;
  Date delivered;
  std::int32_t quantity;
  Cents amount;
  Text<24> district_info;
};

}  // namespace perdure::benchmarks::tpcc

#endif
