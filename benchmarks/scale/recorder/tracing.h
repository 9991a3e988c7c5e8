#ifndef PERDURE_BENCHMARKS_SCALE_TRACING_H
#define PERDURE_BENCHMARKS_SCALE_TRACING_H

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "algorithms/mode.h"
#include "algorithms/one_at_a_time.h"
#include "log/growing_array.h"
#include "log/write_set.h"
#include "persist/domain.h"
#include "pool/window.h"
#include "scale/trace.h"
#include "trace_file.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Runs one transaction at a time, like the yardstick `floor`, and notes what each reads and writes (scale/trace.h).
/// Not crash-safe, no roll-back. Where RECORD_TRACE names a file, the end of every thread appends to it what the last
/// of its transactions did.
template <class ModeType>
class Tracing : public OneAtATime {
 public:
  /// The ideal model, which is what the workloads keep to: nothing but accesses to pool memory is seen.
  struct Mode : ModeType {
    static constexpr bool durable = true;
    static constexpr bool last_allocation_tracking = true;
    static constexpr bool private_stack = true;
  };
  /// Unlike the base's: reads are to be seen.
  static constexpr tx::Traits traits{
      .needs_quiescence = false, .has_doomed_readers = false, .writes_in_place = true, .one_at_a_time = true};

  constexpr Tracing() = default;

  std::uint64_t begin(sched::ThreadSlot& slot) {
    const auto since = last_end_ == 0 ? 0 : now() - last_end_;
    const std::uint64_t start = OneAtATime::begin(slot);
    shape_ = {0, 0, 0, 0, 0, static_cast<float>(since)};
    repeats_ = 0;
    last_stripe_ = 0;
    return start;
  }

  template <tx::Memory M, class T>
  T read(const T* address) {
    if constexpr (M == tx::Memory::pool) note_read(address, sizeof(T));
    return *address;
  }

  template <tx::Memory M>
  bool read_stripe(void* to, const void* from, std::size_t bytes) {
    if constexpr (M == tx::Memory::pool) note_read(from, bytes);
    std::memcpy(to, from, bytes);
    return true;
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    if constexpr (M == tx::Memory::pool) {
      ++shape_.writes;
      note(address, sizeof(T), true);
    }
    *address = value;
  }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured& captured) {
    const bool wrote = shape_.writes != 0;
    shape_.captured_lines = 0;
    captured.for_each_line([this](std::uintptr_t) { ++shape_.captured_lines; });
    end();
    return wrote ? tx::CommitResult::committed : tx::CommitResult::read_only;
  }

  /// An exception leaves the body: to the model, a transaction that did only what it did until then.
  void roll_back(sched::ThreadSlot&) { end(); }

  void release() {
    scale::append_to_trace(transactions_, accesses_);
    transactions_.release();
    accesses_.release();
    seen_.release();
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Where a stripe was first read and first written: 1 + the index in `accesses_`; 0: not yet.
  struct Seen {
    static constexpr std::size_t chunk_bytes = scale::stripe_bytes;
    std::uint64_t address;
    std::size_t first[2];
  };

  static std::int64_t now() { return Clock::now().time_since_epoch().count(); }

  void note_read(const void* address, std::size_t bytes) {
    ++shape_.reads;
    // Noted each time, but for what a transaction reads next in the same stripe before it writes anything.
    const std::uintptr_t stripe = reinterpret_cast<std::uintptr_t>(address) / scale::stripe_bytes;
    if (shape_.writes != 0 || stripe != last_stripe_) ++shape_.read_set;
    last_stripe_ = stripe;
    note(address, bytes, false);
  }

  /// \param bytes  of one stripe.
  void note(const void* address, std::size_t bytes, bool is_write) {
    const std::uintptr_t chunk = log::WriteSet<Seen>::chunk_of(address);
    Seen* seen = seen_.find(chunk);
    if (seen == nullptr) {
      seen = &seen_.insert(chunk);
      seen->first[0] = seen->first[1] = 0;
    }
    std::size_t& first = seen->first[is_write ? 1 : 0];
    if (first == 0) {
      accesses_.push_back({static_cast<std::uint32_t>((chunk - pool::window_base) / scale::stripe_bytes),
                           static_cast<std::uint8_t>(is_write), 0, repeats_});
      first = accesses_.size();
      ++shape_.accesses;
      repeats_ = 0;
    } else if (repeats_ != 0xffff) {
      ++repeats_;
    }
    const std::size_t begin = (reinterpret_cast<std::uintptr_t>(address) - chunk) / 8;
    const std::size_t end = (reinterpret_cast<std::uintptr_t>(address) - chunk + bytes + 7) / 8;
    for (std::size_t word = begin; word < end; ++word)
      accesses_[first - 1].words |= static_cast<std::uint8_t>(1U << word);
  }

  void end() {
    transactions_.push_back(shape_);
    seen_.clear();
    scale::keep_last(transactions_, accesses_);
    unlock();
    last_end_ = now();
  }

  log::GrowingArray<scale::TransactionShape> transactions_;
  log::GrowingArray<scale::Access> accesses_;
  log::WriteSet<Seen> seen_;
  scale::TransactionShape shape_{};
  std::uint16_t repeats_ = 0;
  std::uintptr_t last_stripe_ = 0;  // that was read
  std::int64_t last_end_ = 0;
};

}  // namespace perdure::algorithms

#endif
