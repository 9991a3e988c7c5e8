#ifndef PERDURE_BENCHMARKS_MEMCACHED_LOAD_WORKLOAD_H
#define PERDURE_BENCHMARKS_MEMCACHED_LOAD_WORKLOAD_H

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/workload.h"
#include "generator.h"
#include "memcached/server.h"
#include "parameters.h"

namespace perdure::benchmarks::memcached::load {

/// The server, measured like any other workload: it serves in this process, on as many threads as there are clients',
/// and these are the workers. A step is one request over TCP, of which each worker has several under way.
class Workload {
 public:
  static constexpr auto name = "memcached";
  using Parameters = load::Parameters;

  class Worker {
   public:
    explicit Worker(Generator& generator) : generator_(generator) { generator_.begin(); }

    benchmarks::Outcome step() {
      generator_.step();
      return benchmarks::Outcome::committed;
    }

    Generator::Clock::time_point begun() const { return generator_.begun(); }

   private:
    Generator& generator_;
  };

  Workload(Pool& pool, const Parameters& parameters, std::size_t threads)
      : parameters_(with_threads(parameters, threads)),
        settings_(settings_for(parameters_)),
        store_(pool, settings_.limits()),
        server_(store_, settings_),
        accepting_([this] { server_.run(); }),
        versions_(threads),
        generators_(threads) {
    parameters_.port = server_.port();
  }

  ~Workload() {
    server_.stop();
    accepting_.join();
  }

  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// The clients work while the server's threads do.
  static std::size_t running_threads(std::size_t threads) { return 2 * threads; }

  const Parameters& parameters() const { return parameters_; }
  bool is_populated() const { return store_.summary().items > 0; }
  void begin_population() {}
  void populate(const Share& share) { generator(share).populate(); }
  void finish_population() {}

  Worker worker(const Share& share) {
    auto& clients = generator(share);
    if (!clients.knows_versions()) clients.learn();
    return Worker(clients);
  }

  /// Of the cache, and wrong answers.
  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    for (const auto& clients : generators_) {
      if (clients == nullptr) continue;
      clients->finish();  // then the server is idle
      const auto& measured = clients->measured();
      if (measured.wrong == 0) continue;
      found.push_back(std::to_string(measured.wrong) + " wrong answers; the first: " + measured.first_wrong);
    }
    for (auto& violation : store_.violations()) found.push_back(std::move(violation));
    return found;
  }

 private:
  static Parameters with_threads(Parameters parameters, std::size_t threads) {
    if (parameters.keys < parameters.connections) {
      throw std::invalid_argument("--keys: at least one for each of the --connections");
    }
    parameters.threads = threads;
    return parameters;
  }

  static Settings settings_for(const Parameters& parameters) {
    constexpr std::size_t enough = 1024;  // MiB: nothing is evicted
    Settings settings;
    settings.port = 0;
    settings.threads = parameters.threads;
    settings.connections = parameters.threads * parameters.connections;
    settings.memory_mebibytes = enough;
    return settings;
  }

  // Made by the thread that uses it first; nobody else has its place.
  Generator& generator(const Share& share) {
    auto& place = generators_[share.index];
    if (place == nullptr) {
      auto parameters = parameters_;
      parameters.seed = share.seed;
      place = std::make_unique<Generator>(parameters, share.index, versions_[share.index]);
    }
    return *place;
  }

  Parameters parameters_;
  const Settings settings_;
  Store store_;
  Server server_;
  std::thread accepting_;
  std::vector<std::vector<Versions>> versions_;
  std::vector<std::unique_ptr<Generator>> generators_;
};

}  // namespace perdure::benchmarks::memcached::load

#endif
