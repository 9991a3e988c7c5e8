#ifndef PERDURE_BENCHMARKS_TPCC_INITIAL_ROWS_H
#define PERDURE_BENCHMARKS_TPCC_INITIAL_ROWS_H

#include "random_text.h"

/// The rows that a database starts with (TPC-C, clause 4.3.3), made outside transactions.
namespace perdure::benchmarks::tpcc {

inline constexpr Cents initial_district_income = 30'000'00;

inline Warehouse initial_warehouse(Random& random, std::uint32_t id) {
  return {id, random_text<10>(random, 6), random_address(random), static_cast<BasisPoints>(random.between(0, 2000)),
          initial_district_income * static_cast<Cents>(districts_per_warehouse)};
}

inline District initial_district(Random& random, std::uint32_t warehouse, std::uint32_t id, std::uint32_t orders) {
  return {id,
          warehouse,
          random_text<10>(random, 6),
          random_address(random),
          static_cast<BasisPoints>(random.between(0, 2000)),
          initial_district_income,
          orders + 1};
}

inline Customer initial_customer(Random& random, std::uint32_t warehouse, std::uint32_t district, std::uint32_t id,
                                 Date now) {
  constexpr std::uint32_t names = 1000;
  Customer customer{};
  customer.id = id;
  customer.district_id = district;
  customer.warehouse_id = warehouse;
  customer.first = random_text<16>(random, 8);
  customer.middle = fixed_text<2>("OE");
  customer.last = last_name(id <= names ? id - 1 : non_uniform(random, 255, 0, names - 1));
  customer.address = random_address(random);
  customer.phone = random_digits<16>(random);
  customer.since = now;
  customer.credit = fixed_text<2>(random.percent(10) ? "BC" : "GC");
  customer.credit_limit = 50'000'00;
  customer.discount = static_cast<BasisPoints>(random.between(0, 5000));
  customer.balance = -10'00;
  customer.year_to_date_payment = 10'00;
  customer.payment_count = 1;
  customer.data = random_text<500>(random, 300);
  return customer;
}

inline Item initial_item(Random& random, std::uint32_t id) {
  return {id, static_cast<std::uint32_t>(random.between(1, 10'000)), random_text<24>(random, 14),
          random.between(1'00, 100'00), random_data(random)};
}

inline Stock initial_stock(Random& random, std::uint32_t warehouse, std::uint32_t item) {
  Stock stock{};
  stock.item_id = item;
  stock.warehouse_id = warehouse;
  stock.quantity = static_cast<std::int32_t>(random.between(10, 100));
  for (auto& info : stock.district_info) info = random_text<24>(random, 24);
  stock.data = random_data(random);
  return stock;
}

/// An order of the past with its lines. A delivered one has a carrier and delivery dates, and costs nothing any more.
struct InitialOrder {
  Order order;
  std::array<OrderLine, most_lines> lines;
  bool delivered;
};

inline OrderLine initial_line(Random& random, const InitialOrder& initial, std::uint32_t number, std::uint32_t items) {
  constexpr std::int32_t quantity = 5;
  const Order& order = initial.order;
  return {order.id,
          order.district_id,
          order.warehouse_id,
          number,
          static_cast<std::uint32_t>(random.between(1, items)),
          order.warehouse_id,
          initial.delivered ? order.entered : 0,
          quantity,
          initial.delivered ? 0 : random.between(1, 9'999'99),
          random_text<24>(random, 24)};
}

inline InitialOrder initial_order(Random& random, std::uint32_t warehouse, std::uint32_t district, std::uint32_t id,
                                  std::uint32_t customer, const Scale& scale, Date now) {
  const auto fewest_undelivered = scale.orders_per_district - scale.orders_per_district * 3 / 10 + 1;
  InitialOrder initial{};
  initial.delivered = id < fewest_undelivered;
  initial.order = {id, district, warehouse, customer, now, 0, static_cast<std::uint32_t>(random.between(5, 15)), true};
  if (initial.delivered) initial.order.carrier_id = static_cast<std::uint32_t>(random.between(1, 10));
  for (std::uint32_t i = 0; i < initial.order.line_count; ++i) {
    initial.lines[i] = initial_line(random, initial, i + 1, scale.items);
  }
  return initial;
}

}  // namespace perdure::benchmarks::tpcc

#endif
