#ifndef PERDURE_LOG_WATERMARK_H
#define PERDURE_LOG_WATERMARK_H

#include <atomic>
#include <cstdint>

#include "log/commit_record.h"
#include "persist/domain.h"

namespace perdure::log {

/// A pool's watermark: as it is stored, and as it is known to be durable. What depends on old records being out of
/// effect, such as writing over them, goes by the latter.
class Watermark {
 public:
  constexpr Watermark() = default;

  /// A new run of the pool, whose number is durable already (recover/replay_records.h).
  void attach(RecordWatermark& stored) {
    stored_ = &stored;
    run_ = stored.run.value();
    durable_.store(0, std::memory_order_relaxed);
  }

  std::uint64_t run() const { return run_; }
  std::uint64_t durable() const { return durable_.load(std::memory_order_acquire); }

  /// Every transaction up to `time` has been written to its place, durably. The watermark itself is durable after the
  /// caller's next fence; then `became_durable` says so.
  void raise(std::uint64_t time) {
    stored_->watermark.raise(time);
    persistence::flush(stored_);
  }
  /// Several threads bring a time: the latest stays. Release: whoever reads it comes after what made it true.
  void became_durable(std::uint64_t time) {
    std::uint64_t seen = durable_.load(std::memory_order_relaxed);
    while (seen < time && !durable_.compare_exchange_weak(seen, time, std::memory_order_acq_rel)) {
    }
  }

 private:
  RecordWatermark* stored_ = nullptr;
  std::uint64_t run_ = 0;
  alignas(64) std::atomic<std::uint64_t> durable_{0};
};

}  // namespace perdure::log

#endif
