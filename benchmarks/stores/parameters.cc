#include "parameters.h"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::stores {

std::vector<std::string> Parameters::presets() {
  std::vector<std::string> names;
  for (const Mix& mix : mixes) names.emplace_back(mix.name);
  return names;
}

Parameters Parameters::preset(const std::string& name) {
  Parameters parameters;
  parameters.mix = std::ranges::find(mixes, name, &Mix::name);
  parameters.value_bytes = parameters.mix->value_bytes;
  if (parameters.value_bytes == large_value) parameters.entries = 1000;
  return parameters;
}

void Parameters::add_options(CLI::App& app) {
  constexpr std::size_t least_value = 16;  // the key's number, and a stamp
  app.add_option("--entries", entries, "keys that the store begins with, or random keys are drawn from")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  app.add_option("--value-bytes", value_bytes, "size of each value")
      ->check(CLI::Range(least_value, std::size_t{100} << 20))
      ->capture_default_str();
  app.add_flag("--sync,!--no-sync", synchronous, "whether a write is durable when it returns (default: it is)");
}

std::string Parameters::describe() const {
  return "entries=" + std::to_string(entries) + " value_bytes=" + std::to_string(value_bytes) +
         (synchronous ? " sync" : " no-sync");
}

}  // namespace perdure::benchmarks::stores
