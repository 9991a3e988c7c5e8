#include "parameters.h"

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::vacation {

std::vector<std::string> Parameters::presets() { return {"low", "high", "low_small", "high_small"}; }

Parameters Parameters::preset(const std::string& name) {
  Parameters parameters;
  if (name.starts_with("high")) {
    parameters.most_queries = 4;
    parameters.queried_percent = 60;
    parameters.user_percent = 90;
  }
  if (name.ends_with("_small")) parameters.scale.relations = 16'384;
  return parameters;
}

void Parameters::add_options(CLI::App& app) {
  constexpr std::uint32_t most_relations = 100'000'000;
  app.add_option("--relations", scale.relations, "offers of each kind, and customers")
      ->check(CLI::Range(1u, most_relations))
      ->capture_default_str();
  app.add_option("--queries", most_queries, "offers that one transaction looks at, at most")
      ->check(CLI::Range(1u, queries_limit))
      ->capture_default_str();
  app.add_option("--queried", queried_percent, "percent of the offers and customers that are ever asked for")
      ->check(CLI::Range(1u, 100u))
      ->capture_default_str();
  app.add_option("--users", user_percent, "percent of the transactions that make reservations")
      ->check(CLI::Range(0u, 100u))
      ->capture_default_str();
}

std::string Parameters::describe() const {
  return "relations=" + std::to_string(scale.relations) + " queries=" + std::to_string(most_queries) +
         " queried=" + std::to_string(queried_percent) + "% users=" + std::to_string(user_percent) + "%";
}

}  // namespace perdure::benchmarks::vacation
