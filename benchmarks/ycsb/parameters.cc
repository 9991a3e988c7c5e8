#include "parameters.h"

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::ycsb {

std::vector<std::string> Parameters::presets() { return {"a", "f"}; }

Parameters Parameters::preset(const std::string& name) {
  Parameters parameters;
  parameters.modifies = name == "f";
  return parameters;
}

void Parameters::add_options(CLI::App& app) {
  app.add_option("--records", scale.records, "records of 1,000 bytes")
      ->check(CLI::Range(1u, 100'000'000u))
      ->capture_default_str();
  app.add_option("--updates", updates, "percent of the transactions")
      ->check(CLI::Range(0u, 100u))
      ->capture_default_str();
}

std::string Parameters::describe() const {
  return "records=" + std::to_string(scale.records) + " updates=" + std::to_string(updates) +
         (modifies ? " modifies" : "");
}

}  // namespace perdure::benchmarks::ycsb
