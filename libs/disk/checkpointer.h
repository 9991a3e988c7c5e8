#ifndef PERDURE_DISK_CHECKPOINTER_H
#define PERDURE_DISK_CHECKPOINTER_H

#include <atomic>
#include <cstdint>
#include <functional>

#include "pool/background_thread.h"

namespace perdure::disk {

/// A thread that makes checkpoints when it is asked to, one at a time.
class Checkpointer {
 public:
  /// \param make  makes one; what it throws ends nothing: the log is poisoned then, and who commits is told.
  explicit Checkpointer(std::function<void()> make);
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;
  /// Waits for the one that is under way.
  ~Checkpointer();

  /// There is to be one that begins after this call. Returns at once.
  void request() {
    // Sequentially consistent, as is what the thread does: a request is seen, or comes before a checkpoint begins.
    if (state_.load() == idle) [[unlikely]]
      wake_up(requested);
  }

 private:
  enum State : std::uint32_t { idle, requested, ending };

  void wake_up(State state);
  void work();

  std::function<void()> make_;
  std::atomic<std::uint32_t> state_{idle};
  pool::BackgroundThread thread_;
};

}  // namespace perdure::disk

#endif
