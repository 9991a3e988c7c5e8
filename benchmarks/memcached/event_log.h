#ifndef PERDURE_BENCHMARKS_MEMCACHED_EVENT_LOG_H
#define PERDURE_BENCHMARKS_MEMCACHED_EVENT_LOG_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::benchmarks::memcached {

/// Kinds of events, as bits.
using Streams = std::uint32_t;
inline constexpr Streams fetchers = 1U << 0U;
inline constexpr Streams mutations = 1U << 1U;
inline constexpr Streams evictions = 1U << 2U;
inline constexpr Streams connevents = 1U << 3U;
inline constexpr Streams deletions = 1U << 4U;
inline constexpr Streams silent = 1U << 5U;  // what memcached has besides, and nothing happens in here

/// The streams that `watch` names with these words; without any, fetchers. Nothing if one is not known.
std::optional<Streams> streams_named(const std::vector<std::string_view>& words);

/// Lines about what the server does, for the clients that said `watch`.
///
/// Each watcher has a buffer of its own. When that is full, lines are dropped and counted: nobody waits for a watcher.
class EventLog {
 public:
  static constexpr std::size_t most_watchers = 20;
  static constexpr std::size_t most_waiting_bytes = std::size_t{256} * 1024;  // of a watcher

  /// A client that watches, as long as this exists.
  class Watcher {
   public:
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    ~Watcher();

    /// Moves the lines that wait into `text`, and behind them how many were dropped.
    void take(std::string& text);

   private:
    friend class EventLog;
    Watcher(EventLog& log, Streams streams, std::function<void()> wake)
        : log_(log), streams_(streams), wake_(std::move(wake)) {}

    EventLog& log_;
    const Streams streams_;
    const std::function<void()> wake_;
    std::string waiting_;        // guarded by log_.mutex_, like the next
    std::uint64_t skipped_ = 0;  // behind what waits
  };

  struct Totals {
    std::uint64_t written = 0;  // lines
    std::uint64_t sent = 0;     // a line counts for each of its watchers
    std::uint64_t skipped = 0;
    std::uint64_t watchers = 0;
  };

  /// What somebody watches. Nothing is ordered by it: what is under way when a client begins to watch may be told or
  /// not.
  Streams watched() const { return watched_.load(std::memory_order_relaxed); }

  /// \param wake  is called by any thread when lines begin to wait; it must not use the log.
  /// \returns null when there are `most_watchers` already.
  std::unique_ptr<Watcher> watch(Streams streams, std::function<void()> wake);

  /// Tells all who watch the stream.
  /// \param fields  what the line says, without time, number and end.
  void publish(Streams stream, std::string_view fields);

  Totals totals() const;
  void reset_totals();

 private:
  void forget(const Watcher* watcher);
  void note_watched();

  std::atomic<Streams> watched_ = 0;
  mutable std::mutex mutex_;
  std::vector<Watcher*> watchers_;  // guarded by mutex_, like the rest
  std::uint64_t last_number_ = 0;
  Totals totals_;
};

}  // namespace perdure::benchmarks::memcached

#endif
