#ifndef PERDURE_BENCHMARKS_MEMCACHED_LOAD_GENERATOR_H
#define PERDURE_BENCHMARKS_MEMCACHED_LOAD_GENERATOR_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client.h"
#include "common/latency.h"
#include "common/random.h"
#include "values.h"

namespace perdure::benchmarks::memcached::load {

struct Parameters {
  std::string address = "127.0.0.1";
  std::uint16_t port = 11211;
  std::size_t threads = 1;
  std::size_t connections = 16;  // of each thread
  std::uint64_t keys = 10'000;   // of each thread
  std::size_t value_bytes = 100;
  unsigned sets = 10;  // percent; the rest are gets
  double seconds = 1;
  double warmup = 0.2;
  std::uint64_t seed = 1;
  bool may_miss = false;  // the server's memory is smaller than the values
};

/// A key's versions, as its client knows them.
struct Versions {
  std::uint32_t sent = 0;      // the last that the server was asked to store; 0: none
  std::uint32_t answered = 0;  // the last that it said to have stored
};

struct Measured {
  std::uint64_t requests = 0;
  std::uint64_t misses = 0;
  std::uint64_t wrong = 0;
  std::string first_wrong;  // answer
  bool is_disconnected = false;
  LatencyHistogram latency;
};

/// One thread of clients. Its keys are its own, so it knows what every answer must be. Each connection has one request
/// under way, to a key of its own: all are sent, then all answers are read and checked.
class Generator {
 public:
  Generator(const Parameters& parameters, std::size_t number, std::vector<Versions>& versions);

  /// Stores every key once.
  void populate();
  /// Works until the server goes, or `stop`.
  /// \param measures  whether what is done now counts.
  void run(const std::atomic<bool>& measures, const std::atomic<bool>& stop);
  /// Reads every key.
  void verify();

  const Measured& measured() const { return measured_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Asked {
    std::uint64_t key;
    bool is_set;
  };

  void ask(Client& client, Asked& asked, bool is_set, std::uint64_t key);
  void read_answer(Client& client, const Asked& asked);
  void read_value(Client& client, std::uint64_t key);
  void expect(bool is_right, std::string_view answer, std::uint64_t key);
  std::uint64_t drawn_key(std::size_t connection);

  const Parameters parameters_;
  const std::uint64_t first_key_;
  std::vector<Versions>& versions_;
  Random random_;
  Values values_;
  std::vector<Client> clients_;
  std::vector<Asked> asked_;
  std::string text_;
  Measured measured_;
};

}  // namespace perdure::benchmarks::memcached::load

#endif
