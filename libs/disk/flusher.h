#ifndef PERDURE_DISK_FLUSHER_H
#define PERDURE_DISK_FLUSHER_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "disk/log_ring.h"
#include "pool/background_thread.h"

namespace perdure::disk {

/// Bounds how long and how much of the log waits that nobody waits for: a thread that sleeps until something is
/// appended, lets more of it come for a while, and makes it durable.
class Flusher {
 public:
  struct Lag {
    std::chrono::milliseconds time{10};
    std::uint64_t bytes = std::uint64_t{1} << 20;
  };

  /// \param when_flushed  called in the thread, each time.
  Flusher(LogRing& log, const Lag& lag, std::function<void()> when_flushed = [] {});
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;
  /// What was appended before is durable, unless the log is poisoned.
  ~Flusher();

  /// The calling thread has appended, and does not wait.
  void note_append() {
    // Sequentially consistent, as is what the thread does: either it sees the record, or we see that it has begun.
    if (state_.load() == idle) [[unlikely]]
      begin(lagging);
    if (log_.waiting_bytes() >= lag_.bytes) [[unlikely]]
      hurry();
  }

  /// What was appended before is to be durable soon. Returns at once.
  void hurry() { begin(hurried); }

 private:
  enum State : std::uint32_t { idle, lagging, hurried, ending };

  void begin(State state);
  void work();
  void flush();

  LogRing& log_;
  const Lag lag_;
  const std::function<void()> when_flushed_;
  std::atomic<std::uint32_t> state_{idle};
  pool::BackgroundThread thread_;
};

}  // namespace perdure::disk

#endif
