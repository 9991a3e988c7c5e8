#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "common/machine.h"
#include "generator.h"

/// Loads a server with gets and sets and checks every answer.
namespace perdure::benchmarks::memcached::load {
namespace {

struct Options {
  Parameters parameters;
  double seconds = 1;
  double warmup = 0.2;
  std::string journal;  // where the versions are written at the end
  std::string verify;   // a journal: read all its keys, and end
  bool until_killed = false;
};

using AllVersions = std::vector<std::vector<Versions>>;

AllVersions read_journal(const std::string& path, const Parameters& parameters) {
  std::ifstream file(path);
  AllVersions all(parameters.threads, std::vector<Versions>(parameters.keys));
  for (auto& versions : all) {
    for (auto& version : versions) file >> version.sent >> version.answered;
  }
  if (!file) throw std::runtime_error(path + ": not a journal of a run with the same threads and keys");
  return all;
}

void write_journal(const std::string& path, const AllVersions& all) {
  std::ofstream file(path);
  for (const auto& versions : all) {
    for (const auto& version : versions) file << version.sent << ' ' << version.answered << '\n';
  }
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

template <class Job>
void on_every_thread(std::vector<std::unique_ptr<Generator>>& generators, Job job) {
  std::vector<std::thread> threads;
  for (auto& generator : generators) threads.emplace_back([&job, &generator] { job(*generator); });
  for (auto& thread : threads) thread.join();
}

Measured sum_of(const std::vector<std::unique_ptr<Generator>>& generators) {
  Measured sum;
  for (const auto& generator : generators) {
    const auto& measured = generator->measured();
    sum.requests += measured.requests;
    sum.misses += measured.misses;
    if (sum.wrong == 0) sum.first_wrong = measured.first_wrong;
    sum.wrong += measured.wrong;
    sum.is_disconnected |= measured.is_disconnected;
    sum.latency.merge(measured.latency);
  }
  return sum;
}

/// \returns the seconds that were measured.
double measure(std::vector<std::unique_ptr<Generator>>& generators, const Options& options) {
  using Clock = std::chrono::steady_clock;
  std::atomic<bool> measures{false};
  std::atomic<bool> stop{false};
  double seconds = 0;
  std::thread timer([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(options.warmup));
    measures = true;
    const auto begin = Clock::now();
    if (!options.until_killed) {
      std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
      stop = true;
    }
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  });
  on_every_thread(generators, [&](Generator& generator) { generator.run(measures, stop); });
  timer.join();
  return seconds;
}

void print(const Measured& sum, double seconds, const Parameters& parameters) {
  constexpr double microsecond = 1000;
  nlohmann::ordered_json result;
  result["client_threads"] = parameters.threads;
  result["connections"] = parameters.threads * parameters.connections;
  result["keys"] = parameters.threads * parameters.keys;
  result["value_bytes"] = parameters.value_bytes;
  result["sets_percent"] = parameters.sets;
  result["seconds"] = seconds;
  result["requests"] = sum.requests;
  result["throughput"] = seconds > 0 ? static_cast<double>(sum.requests) / seconds : 0;
  result["misses"] = sum.misses;
  result["wrong"] = sum.wrong;
  result["latency_p50_us"] = sum.latency.percentile(0.5) / microsecond;
  result["latency_p99_us"] = sum.latency.percentile(0.99) / microsecond;
  result["processor"] = processor_model();
  result["cores"] = usable_cores();
  result["kernel"] = kernel_version();
  std::cout << result.dump() << '\n';
}

int run(const Options& options) {
  const auto& parameters = options.parameters;
  AllVersions versions(parameters.threads);
  if (!options.verify.empty()) versions = read_journal(options.verify, parameters);
  std::vector<std::unique_ptr<Generator>> generators;
  for (std::size_t i = 0; i < parameters.threads; ++i) {
    generators.push_back(std::make_unique<Generator>(parameters, i, versions[i]));
  }
  double seconds = 0;
  if (!options.verify.empty()) {
    on_every_thread(generators, [](Generator& generator) { generator.verify(); });
  } else {
    on_every_thread(generators, [](Generator& generator) { generator.populate(); });
    if (options.until_killed) std::cout << "populated\n" << std::flush;
    seconds = measure(generators, options);
  }
  if (!options.journal.empty()) write_journal(options.journal, versions);
  const auto sum = sum_of(generators);
  print(sum, seconds, parameters);
  if (sum.wrong > 0) std::cerr << sum.wrong << " wrong answers; the first: " << sum.first_wrong << '\n';
  const bool is_cut_off = sum.is_disconnected && !options.until_killed;
  if (is_cut_off) std::cerr << "the server has closed a connection\n";
  return sum.wrong > 0 || is_cut_off ? EXIT_FAILURE : EXIT_SUCCESS;
}

void add_options(CLI::App& app, Options& options) {
  auto& parameters = options.parameters;
  app.add_option("--address", parameters.address)->capture_default_str();
  app.add_option("--port", parameters.port)->capture_default_str();
  app.add_option("--threads", parameters.threads)->check(CLI::Range(1, 256))->capture_default_str();
  parameters.add_options(app);
  app.add_option("--seconds", options.seconds)->capture_default_str();
  app.add_option("--warmup", options.warmup)->capture_default_str();
  app.add_option("--seed", parameters.seed)->capture_default_str();
  app.add_flag("--may-miss", parameters.may_miss, "a get may find nothing: the server evicts");
  app.add_option("--journal", options.journal, "write there what was stored and what was answered");
  app.add_option("--verify", options.verify, "read all keys of this journal, and end");
  app.add_flag("--until-killed", options.until_killed, "go on until the server is gone, which is no error then");
}

}  // namespace
}  // namespace perdure::benchmarks::memcached::load

int main(int argc, char** argv) {
  using namespace perdure::benchmarks::memcached::load;
  CLI::App app("Loads a memcached server and checks every answer");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
    if (options.parameters.keys < options.parameters.connections) {
      throw CLI::ValidationError("--keys", "at least one for each connection");
    }
    return run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::cerr << "memcached_load: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
