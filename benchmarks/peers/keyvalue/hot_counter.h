#ifndef PERDURE_BENCHMARKS_PEERS_HOT_COUNTER_H
#define PERDURE_BENCHMARKS_PEERS_HOT_COUNTER_H

#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/local_count.h"
#include "common/rooted_workload.h"
#include "counter/parameters.h"
#include "store.h"

namespace perdure::benchmarks::keyvalue {

/// One counter (counter/workload.h) in a key-value store.
template <class Library>
class HotCounter {
 public:
  using Parameters = counter::Parameters;

  /// Adds, where the store can do that; the others read and write under a lock, and hold it until that is durable: what
  /// is counted on must not be lost.
  class Worker {
   public:
    explicit Worker(HotCounter& counter) : counter_(counter), added_(counter.added_) {}
    Outcome step() {
      counter_.increment();
      added_ += 1;
      return Outcome::committed;
    }

   private:
    HotCounter& counter_;
    LocalCount added_;
  };

  static constexpr const char* name = "counter";

  HotCounter(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : parameters_(parameters), store_(pool.path()), added_(static_cast<std::int64_t>(value())) {
    if (parameters.kind != counter::Kind::one)
      throw std::invalid_argument("a key-value store has one counter, and no maps of threads: take --preset one");
  }

  const Parameters& parameters() const { return parameters_; }
  bool is_populated() const { return store_.template get<std::uint64_t>(key()).has_value(); }
  void begin_population() {}
  void populate(const Share&) {}
  void finish_population() { set(0); }
  Worker worker(const Share&) { return Worker(*this); }

  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    expect_equal(found, "the counter", value(), "the number of increments", added_.load());
    return found;
  }

 private:
  static RowKey key() { return {'c', 0}; }
  std::uint64_t value() const { return store_.template get<std::uint64_t>(key()).value_or(0); }
  void increment() {
    typename Store<Library>::Batch batch;
    if constexpr (requires { batch.add(key(), 1); }) {
      batch.add(key(), 1);
      store_.commit(batch);
    } else {
      const std::scoped_lock lock(mutex_);
      set(value() + 1);
    }
  }
  void set(std::uint64_t value) {
    typename Store<Library>::Batch batch;
    batch.put(key(), value);
    store_.commit(batch);
  }

  Parameters parameters_;
  Store<Library> store_;
  std::mutex mutex_;
  LocalCount::Total added_;
};

}  // namespace perdure::benchmarks::keyvalue

#endif
