#ifndef PERDURE_ALGORITHMS_SEQ_H
#define PERDURE_ALGORITHMS_SEQ_H

#include <cstdint>
#include <cstring>

#include "algorithms/mode.h"
#include "persist/domain.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Yardstick: plain loads and stores. No synchronisation, no durability, and no roll-back: for one thread, in
/// benchmarks, with transactions that throw only before their first write.
template <class ModeType, persist::Domain Domain>
class Seq {
 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{
      .needs_quiescence = false, .has_doomed_readers = false, .writes_in_place = true, .reads_are_loads = true};

  constexpr Seq() = default;

  std::uint64_t begin(sched::ThreadSlot&) { return 0; }

  template <tx::Memory, class T>
  T read(const T* address) {
    return *address;
  }

  template <tx::Memory>
  bool read_stripe(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return true;
  }

  template <tx::Memory, class T>
  void write(T* address, T value) {
    *address = value;
  }

  bool extend() { return true; }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured&) {
    return tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot&) {}
  std::uint64_t commit_timestamp() const { return 0; }
  void release() {}
};

}  // namespace perdure::algorithms

#endif
