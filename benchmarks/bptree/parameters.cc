#include "parameters.h"

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::bptree {

std::vector<std::string> Parameters::presets() { return {"insert", "mix"}; }

Parameters Parameters::preset(const std::string& name) {
  Parameters parameters;
  if (name == "mix") {
    parameters.scale = {.key_bits = 21, .preload_percent = 50};
    parameters.mix = {.lookup = 25, .insert = 25, .range = 25, .remove = 25};
  } else {
    parameters.scale = {.key_bits = 22, .preload_percent = 0};
    parameters.mix = {.insert = 100};
  }
  return parameters;
}

void Parameters::add_options(CLI::App& app) {
  const auto percent = CLI::Range(0, 100);
  app.add_option("--key-bits", scale.key_bits, "keys are uniform in [0, 2^N)")
      ->check(CLI::Range(1u, 40u))
      ->capture_default_str();
  app.add_option("--preload", scale.preload_percent, "percent of all keys in the tree at the start")
      ->check(percent)
      ->capture_default_str();
  app.add_option("--lookup", mix.lookup, "percent of look-ups")->check(percent)->capture_default_str();
  app.add_option("--insert", mix.insert, "percent of insertions")->check(percent)->capture_default_str();
  app.add_option("--range", mix.range, "percent of range queries")->check(percent)->capture_default_str();
  app.add_option("--remove", mix.remove, "percent of removals")->check(percent)->capture_default_str();
  app.add_option("--range-keys", range_keys, "width of a range query, in keys")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--twins", scale.twins,
               "a transaction that inserts or removes a key does the same to its complement: twice the work, so that a "
               "transaction of which half is there shows in the invariants");
  app.callback([this] {
    if (mix.lookup + mix.insert + mix.range + mix.remove != 100) {
      throw CLI::ValidationError("--lookup, --insert, --range, --remove", "must add up to 100");
    }
  });
}

std::string Parameters::describe() const {
  return "key_bits=" + std::to_string(scale.key_bits) + " preload=" + std::to_string(scale.preload_percent) +
         " lookup=" + std::to_string(mix.lookup) + " insert=" + std::to_string(mix.insert) +
         " range=" + std::to_string(mix.range) + " remove=" + std::to_string(mix.remove) +
         " range_keys=" + std::to_string(range_keys) + (scale.twins ? " twins" : "");
}

}  // namespace perdure::benchmarks::bptree
