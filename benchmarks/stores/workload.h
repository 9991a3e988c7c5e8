#ifndef PERDURE_BENCHMARKS_STORES_WORKLOAD_H
#define PERDURE_BENCHMARKS_STORES_WORKLOAD_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client.h"
#include "common/rooted_workload.h"
#include "perdure/statistics.h"

namespace perdure::benchmarks::stores {

/// db_bench's workloads and YCSB's (mix.h), over a store with LevelDB's interface or RocksDB's.
template <class Library>
class Stores {
 public:
  using Parameters = stores::Parameters;
  using Worker = Client<Library>;

  static constexpr const char* name = "stores";

  Stores(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : parameters_(parameters),
        begun_(std::chrono::steady_clock::now()),
        database_(pool.path(), parameters),
        opened_after_(std::chrono::steady_clock::now() - begun_),
        zipfian_(parameters.entries),
        end_(parameters.mix->begins_filled ? parameters.entries : 0) {
    const auto first = database_.iterator();
    first->SeekToFirst();
    is_populated_ = first->Valid();
  }

  const Parameters& parameters() const { return parameters_; }
  bool is_populated() const { return is_populated_; }

  /// How long the store took to open.
  std::chrono::duration<double, std::milli> opened_after() const { return opened_after_; }

  void begin_population() {}
  void populate(const Share& share) {
    constexpr std::size_t batch_bytes = 100'000;
    if (!parameters_.mix->begins_filled) return;
    const std::size_t batch = 1 + batch_bytes / parameters_.value_bytes;
    for_each_batch(share, parameters_.entries, batch,
                   [this](std::size_t begin, std::size_t end) { database_.load(begin, end); });
  }
  void finish_population() {
    database_.settle();
    is_populated_ = true;
  }

  Worker worker(const Share& share) { return {database_, parameters_, share, zipfian_, end_}; }

  void begin_counting() { counts_before_ = database_.counts(); }
  Statistics counted() {
    const auto now = database_.counts();
    const auto since = [&](const char* name) { return now.contains(name) ? now.at(name) - counts_before_[name] : 0; };
    Statistics found;
    found.flushes = since("flushes");
    found.fences = since("fences");
    found.log_bytes = since("log_bytes");
    return found;
  }

  std::vector<std::string> violations() const {
    std::uint64_t count = 0;
    std::uint64_t next = 0;
    std::vector<std::string> found;
    const auto at = database_.iterator();
    for (at->SeekToFirst(); at->Valid(); at->Next(), ++count) {
      const std::uint64_t number = database_.number_at(*at);
      if (number < next) found.push_back("key " + std::to_string(number) + " is out of order");
      next = number + 1;
    }
    database_.expect_sound(*at);
    if (keeps_its_entries() && count < parameters_.entries)
      found.push_back("there are " + std::to_string(count) + " entries of " + std::to_string(parameters_.entries));
    return found;
  }

 private:
  bool keeps_its_entries() const { return parameters_.mix->begins_filled && !has(*parameters_.mix, Operation::erase); }

  Parameters parameters_;
  std::chrono::steady_clock::time_point begun_;
  Database<Library> database_;
  std::chrono::duration<double, std::milli> opened_after_;
  ycsb::Zipfian zipfian_;
  std::atomic<std::uint64_t> end_;
  bool is_populated_ = false;
  std::map<std::string, std::uint64_t> counts_before_;
};

}  // namespace perdure::benchmarks::stores

#endif
