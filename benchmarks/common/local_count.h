#ifndef PERDURE_BENCHMARKS_LOCAL_COUNT_H
#define PERDURE_BENCHMARKS_LOCAL_COUNT_H

#include <atomic>
#include <cstdint>

namespace perdure::benchmarks {

/// A worker's part of a total, which is added to it when the worker ends. Totals that a check needs are kept like this,
/// in memory: a counter in the pool would be work in every transaction, and where all threads meet.
class LocalCount {
 public:
  using Total = std::atomic<std::int64_t>;

  explicit LocalCount(Total& total) : total_(total) {}
  LocalCount(const LocalCount&) = delete;
  LocalCount& operator=(const LocalCount&) = delete;
  ~LocalCount() { total_ += value_; }

  LocalCount& operator+=(std::int64_t more) {
    value_ += more;
    return *this;
  }
  LocalCount& operator-=(std::int64_t less) { return *this += -less; }

 private:
  Total& total_;
  std::int64_t value_ = 0;
};

}  // namespace perdure::benchmarks

#endif
