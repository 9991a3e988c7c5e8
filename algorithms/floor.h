#ifndef PERDURE_ALGORITHMS_FLOOR_H
#define PERDURE_ALGORITHMS_FLOOR_H

#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/one_at_a_time.h"
#include "log/write_set.h"
#include "persist/domain.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Yardstick: the least that a durable transaction can cost on this machine. One lock, updates in place, each dirty
/// line flushed once, one fence, no log: not crash-safe, and no roll-back. (The proven lower bound is one fence an
/// update: Cohen, Guerraoui, Zablotchi, SPAA'18.)
template <class ModeType>
class Floor : public OneAtATime {
 public:
  struct Mode : ModeType {
    static constexpr bool durable = true;
    static constexpr bool last_allocation_tracking = true;
  };

  constexpr Floor() = default;

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    *address = value;
    if constexpr (M == tx::Memory::pool) {
      const std::uintptr_t line = Lines::chunk_of(address);
      if (dirty_lines_.find(line) == nullptr) dirty_lines_.insert(line);
    }
  }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured& captured) {
    const bool wrote = !dirty_lines_.empty() || !captured.empty();
    if (wrote) {
      for (const Line& line : dirty_lines_) persistence::flush_data(line.address);
      captured.flush();
      persistence::fence();  // everything durable before the next transaction can see it
    }
    dirty_lines_.clear();
    unlock();
    return wrote ? tx::CommitResult::committed : tx::CommitResult::read_only;
  }

  void roll_back(sched::ThreadSlot&) {
    dirty_lines_.clear();
    unlock();
  }

  void release() { dirty_lines_.release(); }

 private:
  struct Line {
    static constexpr std::size_t chunk_bytes = persistence::line_bytes;
    std::uint64_t address;
  };
  using Lines = log::WriteSet<Line>;

  Lines dirty_lines_;
};

}  // namespace perdure::algorithms

#endif
