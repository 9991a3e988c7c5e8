#ifndef PERDURE_DISK_FLUSHER_H
#define PERDURE_DISK_FLUSHER_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "disk/log_ring.h"

namespace perdure::disk {

/// Bounds how long and how much of the log waits that nobody waits for: a thread that sleeps until something is
/// appended, lets more of it come for a while, and makes it durable.
class Flusher {
 public:
  struct Lag {
    std::chrono::milliseconds time{10};
    std::uint64_t bytes = std::uint64_t{1} << 20;
  };

  Flusher(LogRing& log, const Lag& lag);
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
      begin(hurried);
  }

 private:
  enum State : std::uint32_t { idle, lagging, hurried, ending };

  void begin(State state);
  void work();
  void flush();

  LogRing& log_;
  const Lag lag_;
  std::atomic<std::uint32_t> state_{idle};
  std::thread thread_;
};

}  // namespace perdure::disk

#endif
