#ifndef PERDURE_BENCHMARKS_MEMCACHED_PREFIXES_H
#define PERDURE_BENCHMARKS_MEMCACHED_PREFIXES_H

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace perdure::benchmarks::memcached {

/// What `stats detail` counts: requests, by what their keys have before the first colon. Off until a client asks.
class Prefixes {
 public:
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  void turn(bool on) { is_on_.store(on, std::memory_order_relaxed); }

  void count_get(std::string_view key, bool is_hit) {
    if (is_on()) count(key, {1, is_hit ? 1U : 0U, 0, 0});
  }
  void count_set(std::string_view key) {
    if (is_on()) count(key, {0, 0, 1, 0});
  }
  void count_erase(std::string_view key) {
    if (is_on()) count(key, {0, 0, 0, 1});
  }

  void clear() {
    const std::scoped_lock lock(mutex_);
    counts_.clear();
  }

  /// A line for each prefix, with its end.
  std::string text() const {
    const std::scoped_lock lock(mutex_);
    std::string lines;
    for (const auto& [prefix, counted] : counts_) {
      lines += "PREFIX " + prefix + " get " + std::to_string(counted.gets) + " hit " + std::to_string(counted.hits) +
               " set " + std::to_string(counted.sets) + " del " + std::to_string(counted.erasures) + "\r\n";
    }
    return lines;
  }

 private:
  struct Counts {
    std::uint64_t gets = 0;
    std::uint64_t hits = 0;
    std::uint64_t sets = 0;
    std::uint64_t erasures = 0;
  };

  void count(std::string_view key, const Counts& more) {
    const auto end = key.find(':');
    if (end == std::string_view::npos) return;
    const std::scoped_lock lock(mutex_);
    Counts& counted = counts_[std::string(key.substr(0, end))];
    counted.gets += more.gets;
    counted.hits += more.hits;
    counted.sets += more.sets;
    counted.erasures += more.erasures;
  }

  std::atomic<bool> is_on_ = false;
  mutable std::mutex mutex_;
  std::map<std::string, Counts> counts_;  // guarded by mutex_
};

}  // namespace perdure::benchmarks::memcached

#endif
