#include "parameters.h"

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::sps {

std::vector<std::string> Parameters::presets() { return {"eurosys20", "atc20"}; }

Parameters Parameters::preset(const std::string& name) {
  Parameters parameters;
  parameters.is_whole = name == "atc20";
  return parameters;
}

void Parameters::add_options(CLI::App& app) {
  constexpr std::uint64_t most_integers = 1'000'000'000;
  app.add_option("--integers", scale.integers, "length of the array")
      ->check(CLI::Range(std::uint64_t{2}, most_integers))
      ->capture_default_str();
  app.add_option("--swaps", swaps, "swaps in a transaction")->check(CLI::Range(1u, most_swaps))->capture_default_str();
  app.add_flag("--whole", is_whole, "as many swaps in a transaction as there are integers");
}

std::string Parameters::describe() const {
  return "integers=" + std::to_string(scale.integers) + " swaps=" + std::to_string(is_whole ? scale.integers : swaps);
}

}  // namespace perdure::benchmarks::sps
