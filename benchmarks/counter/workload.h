#ifndef PERDURE_BENCHMARKS_COUNTER_WORKLOAD_H
#define PERDURE_BENCHMARKS_COUNTER_WORKLOAD_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/local_count.h"
#include "common/random.h"
#include "common/rooted_workload.h"
#include "parameters.h"
#include "perdure/counter.h"

namespace perdure::benchmarks::counter {

/// The root object of the pool.
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
  alignas(64) std::uint64_t value = 0;
  alignas(64) perdure::counter commuting;
  struct alignas(64) Own {
    std::map<std::uint64_t, std::uint64_t> elements;
  };
  std::array<Own, 64> own;  // of threads
};

class Worker {
 public:
  Worker(Data& data, Kind kind, const Share& share, LocalCount::Total& total)
      : data_(data), kind_(kind), own_(data.own[share.index % data.own.size()]), random_(share.seed), counted_(total) {}

  Outcome step() {
    switch (kind_) {
      case Kind::one:
        increment();
        break;
      case Kind::plain:
        put_or_take(data_.value);
        break;
      case Kind::commuting:
        put_or_take(data_.commuting);
        break;
    }
    return Outcome::committed;
  }

 private:
  void increment() {
    auto& value = data_.value;
    TM_BEGIN { ++value; } TM_END;
    counted_ += 1;
  }

  template <class Counter>
  void put_or_take(Counter& counter) {
    const auto key = static_cast<std::uint64_t>(random_.between(1, keys));
    auto& elements = own_.elements;
    bool was_there = false;
    TM_BEGIN {
      was_there = elements.erase(key) != 0;
      if (was_there) {
        --counter;
      } else {
        ++counter;
        elements.emplace(key, key);
      }
    } TM_END;
    counted_ += was_there ? -1 : 1;
  }

  Data& data_;
  Kind kind_;
  Data::Own& own_;
  Random random_;
  LocalCount counted_;
};

/// A number that all threads change.
class Counter : public RootedWorkload<Data, Parameters> {
 public:
  using Worker = counter::Worker;

  static constexpr const char* name = "counter";

  Counter(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : RootedWorkload(pool, "counter", parameters), counted_(in_pool()) {}

  void populate(const Share&) {}
  Worker worker(const Share& share) { return Worker(root_, parameters_.kind, share, counted_); }

  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    expect_equal(found, "the counter", in_pool(), "the number of increments", counted_.load());
    return found;
  }

 private:
  std::int64_t in_pool() const { return static_cast<std::int64_t>(root_.value) + root_.commuting; }

  LocalCount::Total counted_;
};

}  // namespace perdure::benchmarks::counter

#endif
