#ifndef PERDURE_ENTRY_CLONE_TABLE_H
#define PERDURE_ENTRY_CLONE_TABLE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "abi/entry_points.h"

namespace perdure::entry {

/// From functions to their clones. Lookups take no lock: an open-addressed array that only grows is published to them,
/// and what is registered, with its duplicates (every file that instantiates a template brings a row for it), is kept
/// beside it under a lock.
class CloneTable {
 public:
  CloneTable() = default;
  CloneTable(const CloneTable&) = delete;
  CloneTable& operator=(const CloneTable&) = delete;

  /// \returns the row of the function; both its pointers are null when there is none.
  PerdureClone find(void* function) const {
    const Slots* const slots = slots_.load(std::memory_order_acquire);  // its slots are initialised
    return slots == nullptr ? PerdureClone{function, nullptr, nullptr} : slots->find(function);
  }

  void add(std::span<const PerdureClone> rows);
  void remove(std::span<const PerdureClone> rows);

  std::mutex& mutex() { return mutex_; }

 private:
  /// A slot gets its function once and keeps it, as a tombstone when the row is removed, so that chains of probes stay
  /// whole.
  struct Slot {
    std::atomic<void*> function{nullptr};
    std::atomic<void*> clone{nullptr};
    std::atomic<const char*> refusal{nullptr};
  };

  class Slots {
   public:
    explicit Slots(unsigned bits) : shift_(64 - bits), slots_(std::size_t{1} << bits) {}

    PerdureClone find(void* function) const;
    void put(const PerdureClone& row);

    std::size_t capacity() const { return slots_.size(); }
    std::size_t used() const { return used_; }

   private:
    std::size_t position_of(void* function) const {
      constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;
      return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(function) * golden_ratio) >> shift_);
    }
    /// The slot of the function, or the free one where it belongs.
    const Slot& slot_of(void* function) const;

    unsigned shift_;
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
  };

  void publish(void* function);
  void grow();

  std::atomic<Slots*> slots_{nullptr};
  std::mutex mutex_;
  std::unordered_multimap<void*, PerdureClone> rows_;  // by function
  std::vector<std::unique_ptr<Slots>> generations_;    // all stay: lookups may be in any
};

/// The program's. It is never destroyed: shared libraries are unloaded after all destructors have run.
CloneTable& clone_table();
/// Of those functions that have none there, the clones that serial transactions call.
CloneTable& serial_clone_table();

}  // namespace perdure::entry

#endif
