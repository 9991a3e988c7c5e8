#ifndef PERDURE_BENCHMARKS_PEERS_FLOOR_DISK_H
#define PERDURE_BENCHMARKS_PEERS_FLOOR_DISK_H

#include <cstdint>
#include <span>

#include "algorithms/mode.h"
#include "algorithms/one_at_a_time.h"
#include "group_writer.h"
#include "log/growing_array.h"
#include "log/write_set.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Yardstick: the least that a durable transaction can cost on a disk. One lock, updates in place, and what was changed
/// goes to the disk in one write with its sync, together with what all other threads have changed meanwhile. No
/// roll-back, and nothing that a recovery could use.
template <class ModeType>
class FloorDisk : public OneAtATime {
 public:
  struct Mode : ModeType {
    static constexpr bool durable = true;
    static constexpr bool last_allocation_tracking = true;
  };

  constexpr FloorDisk() = default;

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    *address = value;
    if constexpr (M == tx::Memory::pool) {
      const std::uintptr_t word = Words::chunk_of(address);
      if (words_.find(word) == nullptr) words_.insert(word);
    }
  }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured& captured) {
    changes_.clear();
    captured.for_each_block([this](const void* block, std::size_t bytes) {
      changes_.push_back(reinterpret_cast<std::uintptr_t>(block));
      for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i)
        changes_.push_back(static_cast<const std::uint64_t*>(block)[i]);
    });
    for (const Word& word : words_) {
      changes_.push_back(word.address);
      changes_.push_back(*reinterpret_cast<const std::uint64_t*>(word.address));
    }
    words_.clear();
    unlock();
    if (changes_.empty()) return tx::CommitResult::read_only;
    peers::group_writer().commit({changes_.begin(), changes_.size()});
    return tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot&) {
    words_.clear();
    unlock();
  }

  void release() {
    words_.release();
    changes_.release();
  }

 private:
  struct Word {
    static constexpr std::size_t chunk_bytes = sizeof(std::uint64_t);
    std::uint64_t address;
  };
  using Words = log::WriteSet<Word>;

  Words words_;
  log::GrowingArray<std::uint64_t> changes_;
};

}  // namespace perdure::algorithms

#endif
