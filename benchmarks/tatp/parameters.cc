#include "parameters.h"

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::tatp {

std::vector<std::string> Parameters::presets() { return {"standard", "pact19"}; }

Parameters Parameters::preset(const std::string& name) {
  Parameters parameters;
  parameters.update_location_only = parameters.uniform = name == "pact19";
  return parameters;
}

void Parameters::add_options(CLI::App& app) {
  constexpr std::uint32_t most_subscribers = 100'000'000;
  app.add_option("--subscribers", scale.subscribers, "rows of the table Subscriber")
      ->check(CLI::Range(1u, most_subscribers))
      ->capture_default_str();
  app.add_option("--ops-per-tx", updates_per_transaction, "location updates in one transaction (preset pact19)")
      ->check(CLI::Range(1u, most_updates))
      ->capture_default_str();
  app.add_flag("--twins", scale.twins,
               "Update Location moves a second subscriber as well: twice the work, so that a transaction of which half "
               "is there shows in the invariants");
}

std::string Parameters::describe() const {
  return "subscribers=" + std::to_string(scale.subscribers) +
         (update_location_only ? " update_location ops_per_tx=" + std::to_string(updates_per_transaction) : " mix") +
         (uniform ? " uniform" : " non_uniform") + (scale.twins ? " twins" : "");
}

}  // namespace perdure::benchmarks::tatp
