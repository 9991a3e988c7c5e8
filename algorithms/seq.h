#ifndef PERDURE_ALGORITHMS_SEQ_H
#define PERDURE_ALGORITHMS_SEQ_H

#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/plain_reads.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Yardstick: plain loads and stores. No synchronisation, no durability, and no roll-back: for one thread, in
/// benchmarks, with transactions that throw only before their first write.
template <class ModeType>
class Seq : public PlainReads {
 public:
  using Mode = ModeType;
  constexpr Seq() = default;

  std::uint64_t begin(sched::ThreadSlot&) { return 0; }

  template <tx::Memory, class T>
  void write(T* address, T value) {
    *address = value;
  }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured&) {
    return tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot&) {}
  void abandon(pool::PrivateMappings&) {}
  static void forget_threads() {}
  void release() {}
};

}  // namespace perdure::algorithms

#endif
