#ifndef PERDURE_BENCHMARKS_TPCC_NEW_ORDER_H
#define PERDURE_BENCHMARKS_TPCC_NEW_ORDER_H

#include <cstring>

#include "database.h"
#include "input.h"
#include "keys.h"

namespace perdure::benchmarks::tpcc {

/// Thrown by an order for an item that does not exist (clause 2.4.1.4), so that its transaction is rolled back.
struct InvalidItem {
  std::uint32_t item_id;
};

/// What the terminal displays (clause 2.4.3.3), as far as it is computed from rows.
struct OrderReceipt {
  std::uint32_t order_id;
  std::uint32_t lines_of_original_brand;
  Cents total;
};

/// Whether the text holds "ORIGINAL". By value: searched in the caller's own copy.
inline bool is_original(Text<50> data) {
  constexpr char word[] = "ORIGINAL";
  constexpr std::size_t length = sizeof(word) - 1;
  for (std::size_t begin = 0; begin + length <= data.size(); ++begin) {
    std::size_t same = 0;
    while (same < length && data[begin + same] == word[same]) ++same;
    if (same == length) return true;
  }
  return false;
}

/// The New Order transaction (clause 2.4.2.2), the body of one transaction.
///
/// Every item is read before anything is written. That is no requirement: an exception rolls back whatever was
/// written. But the yardstick libraries do not roll back, and so do the same work on the same data.
template <class Database>
class NewOrderTransaction {
 public:
  NewOrderTransaction(Database& database, const OrderRequest& request) : database_(database), request_(request) {}

  /// \throws InvalidItem, DuplicateKey (the latter only if transactions are not isolated)
  OrderReceipt run() {
    const Items items = find_items();
    const auto& warehouse = *database_.warehouses.find(warehouse_key(request_.warehouse_id));
    auto& district = *database_.districts.find(district_key(request_.warehouse_id, request_.district_id));
    const auto& customer =
        *database_.customers.find(customer_key(request_.warehouse_id, request_.district_id, request_.customer_id));
    const std::uint32_t order_id = district.next_order_id;
    district.next_order_id = order_id + 1;
    insert_order(order_id);
    OrderReceipt receipt{order_id, 0, 0};
    for (std::uint32_t i = 0; i < request_.line_count; ++i) add_line(order_id, i, *items[i], receipt);
    receipt.total = with_tax(receipt.total, customer.discount, warehouse.tax + district.tax);
    return receipt;
  }

 private:
  using Items = std::array<const Item*, most_lines>;

  Items find_items() {
    Items items;
    for (std::uint32_t i = 0; i < request_.line_count; ++i) {
      items[i] = database_.items.find(item_key(request_.lines[i].item_id));
      if (items[i] == nullptr) throw InvalidItem{request_.lines[i].item_id};
    }
    return items;
  }

  void insert_order(std::uint32_t order_id) {
    const auto key = order_key(request_.warehouse_id, request_.district_id, order_id);
    bool all_local = true;
    for (std::uint32_t i = 0; i < request_.line_count; ++i) all_local &= is_local(request_.lines[i]);
    database_.orders.insert(key, Order{order_id, request_.district_id, request_.warehouse_id, request_.customer_id,
                                       request_.entered, 0, request_.line_count, all_local});
    database_.new_orders.insert(key, NewOrder{order_id, request_.district_id, request_.warehouse_id});
  }

  void add_line(std::uint32_t order_id, std::uint32_t index, const Item& item, OrderReceipt& receipt) {
    const LineRequest& line = request_.lines[index];
    Stock& stock = *database_.stocks.find(stock_key(line.supply_warehouse_id, line.item_id));
    take_from(stock, line);
    const Cents amount = line.quantity * item.price;
    receipt.total += amount;
    receipt.lines_of_original_brand += is_original(item.data) && is_original(stock.data);
    const std::uint32_t number = index + 1;
    database_.order_lines.insert(
        order_line_key(request_.warehouse_id, request_.district_id, order_id, number),
        OrderLine{order_id, request_.district_id, request_.warehouse_id, number, line.item_id, line.supply_warehouse_id,
                  0, line.quantity, amount, stock.district_info[request_.district_id - 1]});
  }

  void take_from(Stock& stock, const LineRequest& line) const {
    constexpr std::int32_t least_left = 10;
    constexpr std::int32_t delivery = 91;
    const std::int32_t left = stock.quantity - line.quantity;
    stock.quantity = left >= least_left ? left : left + delivery;
    stock.year_to_date += line.quantity;
    ++stock.order_count;
    if (!is_local(line)) ++stock.remote_count;
  }

  bool is_local(const LineRequest& line) const { return line.supply_warehouse_id == request_.warehouse_id; }

  static Cents with_tax(Cents sum, BasisPoints discount, BasisPoints tax) {
    constexpr Cents whole = 10'000;
    return sum * (whole - discount) / whole * (whole + tax) / whole;
  }

  Database& database_;
  const OrderRequest& request_;
};

}  // namespace perdure::benchmarks::tpcc

#endif
