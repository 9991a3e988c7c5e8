#ifndef PERDURE_BENCHMARKS_TPCC_INPUT_H
#define PERDURE_BENCHMARKS_TPCC_INPUT_H

#include <array>
#include <ctime>

#include "common/random.h"
#include "parameters.h"

namespace perdure::benchmarks::tpcc {

/// The specification's non-uniform choice (clause 2.1.6): NURand(spread, low, high) with the run's constant.
inline std::uint32_t non_uniform(Random& random, std::uint32_t spread, std::uint32_t low, std::uint32_t high) {
  constexpr std::uint32_t constant = 123;
  const auto mixed = random.between(0, spread) | random.between(low, high);
  return static_cast<std::uint32_t>((mixed + constant) % (high - low + 1)) + low;
}

struct LineRequest {
  std::uint32_t item_id;
  std::uint32_t supply_warehouse_id;
  std::int32_t quantity;
};

/// What a terminal enters for one New Order (clause 2.4.1). A plain struct, so that it lives on its thread's stack.
struct OrderRequest {
  std::uint32_t warehouse_id;
  std::uint32_t district_id;
  std::uint32_t customer_id;
  Date entered;
  std::uint32_t line_count;
  std::array<LineRequest, most_lines> lines;
};

/// One terminal: draws the requests of a thread, whose home is one warehouse.
class Terminal {
 public:
  Terminal(const Parameters& parameters, std::uint32_t home, std::uint64_t seed)
      : parameters_(parameters), home_(home), random_(seed) {}

  OrderRequest next_request() {
    OrderRequest request;
    request.warehouse_id = home_;
    request.district_id = uniform(districts_per_warehouse);
    request.customer_id = choose(customer_spread, parameters_.scale.customers_per_district);
    request.entered = entered_;
    request.line_count = static_cast<std::uint32_t>(random_.between(parameters_.fewest_lines, parameters_.most_lines));
    for (std::uint32_t i = 0; i < request.line_count; ++i) request.lines[i] = next_line(request, i);
    if (random_.percent(parameters_.invalid_percent)) {
      request.lines[request.line_count - 1].item_id = parameters_.scale.items + 1;
    }
    return request;
  }

 private:
  static constexpr std::uint32_t customer_spread = 1023;
  static constexpr std::uint32_t item_spread = 8191;

  std::uint32_t uniform(std::int64_t high) { return static_cast<std::uint32_t>(random_.between(1, high)); }

  std::uint32_t choose(std::uint32_t spread, std::uint32_t high) {
    return parameters_.uniform ? uniform(high) : non_uniform(random_, spread, 1, high);
  }

  LineRequest next_line(const OrderRequest& request, std::uint32_t drawn) {
    LineRequest line;
    do {
      line.item_id = choose(item_spread, parameters_.scale.items);
    } while (parameters_.uniform && contains_item(request, drawn, line.item_id));
    const bool remote = parameters_.scale.warehouses > 1 && random_.percent(parameters_.remote_percent);
    line.supply_warehouse_id = remote ? other_warehouse() : home_;
    line.quantity = static_cast<std::int32_t>(random_.between(1, 10));
    return line;
  }

  static bool contains_item(const OrderRequest& request, std::uint32_t drawn, std::uint32_t item) {
    for (std::uint32_t i = 0; i < drawn; ++i) {
      if (request.lines[i].item_id == item) return true;
    }
    return false;
  }

  std::uint32_t other_warehouse() {
    const auto drawn = uniform(parameters_.scale.warehouses - 1);
    return drawn < home_ ? drawn : drawn + 1;
  }

  const Parameters parameters_;
  const std::uint32_t home_;
  const Date entered_ = std::time(nullptr);  // of the run: asking the clock each time would be measured too
  Random random_;
};

}  // namespace perdure::benchmarks::tpcc

#endif
