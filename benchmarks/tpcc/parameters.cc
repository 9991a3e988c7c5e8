#include "parameters.h"

#include <CLI/CLI.hpp>

#include "keys.h"

namespace perdure::benchmarks::tpcc {

namespace {

constexpr std::uint32_t most_rows = 10'000'000;

// Two lines of an order never name the same item, so there must be more items than lines.
constexpr std::uint32_t fewest_items = 100;

}  // namespace

std::vector<std::string> Parameters::indexes() { return {"hash", "tree"}; }

std::vector<std::string> Parameters::presets() { return {"standard", "pact19"}; }

Parameters Parameters::preset(const std::string& name) {
  Parameters parameters;
  if (name != "pact19") return parameters;
  parameters.scale.warehouses = 1;
  parameters.scale.orders_per_district = 0;
  parameters.fewest_lines = 2;
  parameters.most_lines = 4;
  parameters.invalid_percent = 0;
  parameters.remote_percent = 0;
  parameters.uniform = true;
  return parameters;
}

void Parameters::add_options(CLI::App& app) {
  const auto lines = CLI::Range(std::int64_t{1}, std::int64_t{tpcc::most_lines});
  app.add_option("--index", index, "what finds rows by key")->check(CLI::IsMember(indexes()))->capture_default_str();
  app.add_option("--warehouses", scale.warehouses, "warehouses; 0: one per thread")
      ->check(CLI::Range(0u, most_warehouses))
      ->capture_default_str();
  app.add_option("--customers", scale.customers_per_district, "customers per district")
      ->check(CLI::Range(1u, most_rows))
      ->capture_default_str();
  app.add_option("--items", scale.items, "items, and stock rows per warehouse")
      ->check(CLI::Range(fewest_items, most_rows))
      ->capture_default_str();
  app.add_option("--initial-orders", scale.orders_per_district, "orders per district before the run")
      ->check(CLI::Range(0u, most_rows))
      ->capture_default_str();
  app.add_option("--fewest-lines", fewest_lines, "lines of the smallest order")->check(lines)->capture_default_str();
  app.add_option("--most-lines", most_lines, "lines of the largest order")->check(lines)->capture_default_str();
  app.callback([this] {
    if (fewest_lines > most_lines) throw CLI::ValidationError("--fewest-lines", "must not exceed --most-lines");
  });
}

std::string Parameters::describe() const {
  return "index=" + index + " warehouses=" + std::to_string(scale.warehouses) +
         " customers=" + std::to_string(scale.customers_per_district) + " items=" + std::to_string(scale.items) +
         " initial_orders=" + std::to_string(scale.orders_per_district) + " lines=" + std::to_string(fewest_lines) +
         "-" + std::to_string(most_lines);
}

}  // namespace perdure::benchmarks::tpcc
