#include "parameters.h"

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::sets {

std::vector<std::string> Parameters::structures() {
  return {"tree", "hash", "treap", "hamt", "list", "std_set", "std_unordered_set"};
}

std::vector<std::string> Parameters::presets() { return {"eurosys20", "icfp21"}; }

Parameters Parameters::preset(const std::string& name) {
  Parameters parameters;
  if (name == "icfp21") {
    parameters.scale = {.keys = 100'000, .half = true};
    parameters.update_percent = 50;
  }
  return parameters;
}

void Parameters::add_options(CLI::App& app) {
  constexpr std::uint64_t most_keys = 1'000'000'000;
  app.add_option("--structure", structure, "what holds the keys")
      ->check(CLI::IsMember(structures()))
      ->capture_default_str();
  app.add_option("--keys", scale.keys, "keys are uniform below this; 0: 10^4 for a list, 10^6 for the others")
      ->check(CLI::Range(std::uint64_t{0}, most_keys))
      ->capture_default_str();
  app.add_option("--updates", update_percent, "percent of updates; the others are look-ups")
      ->check(CLI::Range(0u, 100u))
      ->capture_default_str();
  app.add_flag("--whole-updates", scale.whole_updates,
               "an update of preset eurosys20 is one transaction, not one that removes and one that adds back");
  app.add_flag("--shuffled", scale.shuffled,
               "populate in an order in which neighbours are far apart, as they come to lie in time, instead of in the "
               "order of the keys");
}

std::string Parameters::describe() const {
  return "structure=" + structure + " keys=" + std::to_string(scale.keys) +
         " members=" + std::to_string(scale.members()) + " updates=" + std::to_string(update_percent) + "%" +
         (scale.whole_updates ? " whole_updates" : "") + (scale.shuffled ? " shuffled" : "");
}

}  // namespace perdure::benchmarks::sets
