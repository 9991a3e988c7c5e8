#include "parameters.h"

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::fannkuch {

std::vector<std::string> Parameters::presets() { return {"atc20"}; }

Parameters Parameters::preset(const std::string&) { return {}; }

void Parameters::add_options(CLI::App& app) {
  app.add_option("--elements", scale.elements,
                 "length n of the array, of which a transaction makes all n! permutations")
      ->check(CLI::Range(2u, most_elements))
      ->capture_default_str();
}

std::string Parameters::describe() const { return "elements=" + std::to_string(scale.elements); }

}  // namespace perdure::benchmarks::fannkuch
