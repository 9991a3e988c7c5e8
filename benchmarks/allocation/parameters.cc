#include "parameters.h"

#include <CLI/CLI.hpp>

namespace perdure::benchmarks::allocation {

std::vector<std::string> Parameters::presets() { return {"trees", "larson", "atc20"}; }

Parameters Parameters::preset(const std::string& name) {
  Parameters parameters;
  if (name == "larson") parameters.job = Job::churn;
  if (name == "atc20") parameters.job = Job::game;
  return parameters;
}

void Parameters::add_options(CLI::App& app) {
  app.add_option("--depth", depth, "of the trees")->check(CLI::Range(1, 30))->capture_default_str();
  app.add_option("--subtree-depth", subtree_depth, "levels that are made, walked or freed in a transaction, of `trees`")
      ->check(CLI::Range(1, 30))
      ->capture_default_str();
  app.add_option("--blocks", blocks, "that a thread has, of `larson`")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--batch", batch, "blocks replaced in a transaction, of `larson`")
      ->check(CLI::Range(1u, most_in_batch))
      ->capture_default_str();
  app.add_flag("--plain", is_plain, "no transactions, and memory from malloc");
}

std::string Parameters::describe() const {
  const std::string plain = is_plain ? " plain" : "";
  return job == Job::churn ? "blocks=" + std::to_string(blocks) + " batch=" + std::to_string(batch) + plain
                           : "depth=" + std::to_string(depth) + plain;
}

}  // namespace perdure::benchmarks::allocation
