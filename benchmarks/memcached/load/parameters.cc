#include "parameters.h"

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::memcached::load {

std::vector<std::string> Parameters::presets() { return {"pact19"}; }

Parameters Parameters::preset(const std::string& /*name*/) {
  Parameters parameters;
  parameters.value_bytes = 1024;
  return parameters;
}

void Parameters::add_options(CLI::App& app) {
  app.add_option("--connections", connections, "of each thread")->check(CLI::Range(1, 10'000))->capture_default_str();
  app.add_option("--keys", keys, "of each thread; each connection has a share of them")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--value-bytes", value_bytes)->capture_default_str();
  app.add_option("--sets", sets, "in percent; the rest are gets")->check(CLI::Range(0, 100))->capture_default_str();
}

std::string Parameters::describe() const {
  return "connections=" + std::to_string(connections * threads) + " keys=" + std::to_string(keys * threads) +
         " value_bytes=" + std::to_string(value_bytes) + " sets=" + std::to_string(sets) + "%";
}

}  // namespace perdure::benchmarks::memcached::load
