#ifndef PERDURE_BENCHMARKS_MEMCACHED_LOAD_GENERATOR_H
#define PERDURE_BENCHMARKS_MEMCACHED_LOAD_GENERATOR_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client.h"
#include "common/latency.h"
#include "common/random.h"
#include "parameters.h"
#include "values.h"

namespace perdure::benchmarks::memcached::load {

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
/// under way, to a key of its own.
class Generator {
 public:
  using Clock = std::chrono::steady_clock;

  Generator(const Parameters& parameters, std::size_t number, std::vector<Versions>& versions);

  /// Stores every key once.
  void populate();
  /// Finds out which versions of the keys a server has that was populated earlier.
  void learn();
  bool knows_versions() const { return knows_versions_; }

  /// Sends a request on each connection.
  void begin();
  /// Reads and checks the answer that has been waited for longest, and sends another request on its connection.
  void step();
  /// Reads and checks all answers that are still to come.
  void finish();
  /// When the request was sent whose answer was read last.
  Clock::time_point begun() const { return begun_; }

  /// Works until the server goes, or `stop`.
  /// \param measures  whether what is done now counts.
  void run(const std::atomic<bool>& measures, const std::atomic<bool>& stop);
  /// Reads every key.
  void verify();

  const Measured& measured() const { return measured_; }

 private:
  struct Asked {
    std::uint64_t key;
    bool is_set;
    bool is_under_way;
    Clock::time_point at;
  };

  void draw(std::size_t connection);
  void ask(Client& client, Asked& asked, bool is_set, std::uint64_t key);
  void read_answer(Client& client, const Asked& asked);
  /// \returns nothing for a miss.
  std::optional<std::string> value_of(Client& client, std::uint64_t key);
  void check(const std::optional<std::string>& value, std::uint64_t key);
  void answered(std::size_t connection);
  void expect(bool is_right, std::string_view answer, std::uint64_t key);
  std::uint64_t drawn_key(std::size_t connection);

  const Parameters parameters_;
  const std::uint64_t first_key_;
  std::vector<Versions>& versions_;
  Random random_;
  Values values_;
  std::vector<Client> clients_;
  std::vector<Asked> asked_;
  std::size_t next_ = 0;  // the connection that has waited longest
  bool knows_versions_ = false;
  Clock::time_point begun_;
  std::string text_;
  Measured measured_;
};

}  // namespace perdure::benchmarks::memcached::load

#endif
