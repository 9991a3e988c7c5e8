#include "parameters.h"

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::queue {

std::vector<std::string> Parameters::presets() { return {"eurosys20"}; }

Parameters Parameters::preset(const std::string&) { return {}; }

void Parameters::add_options(CLI::App& app) {
  app.add_option("--items", scale.items, "items in the queue at the start")
      ->check(CLI::Range(0u, 100'000'000u))
      ->capture_default_str();
}

std::string Parameters::describe() const { return "items=" + std::to_string(scale.items); }

}  // namespace perdure::benchmarks::queue
