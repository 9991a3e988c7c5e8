#ifndef PERDURE_LOG_REPLICA_WORD_H
#define PERDURE_LOG_REPLICA_WORD_H

#include <atomic>
#include <cstdint>

#include "alloc/descriptor_table.h"
#include "pool/format.h"
#include "pool/mapping.h"

namespace perdure::log {

/// Number of one of the copies of a pool. 0 is the pool itself. Each other one is the same, but for superblocks that
/// have replicas: there, it is the replica of that number.
using Copy = std::uint32_t;
inline constexpr Copy main_copy = 0;
inline constexpr Copy most_copies = alloc::most_replicas_of_one + 1;

/// Which copy of the pool counts, in the pool: the persistent curComb (EuroSys'20, section 5). One word, which the
/// medium has whole or not at all, on a line of its own: flushing it makes nothing else durable.
class ReplicaWord {
 public:
  bool is_sound() const { return load() < most_copies; }
  Copy copy() const { return static_cast<Copy>(load()); }
  /// Relaxed: others learn of it by ReplicaSet; for the medium, the fences around it order it.
  void store(Copy copy) { std::atomic_ref(word_).store(std::uint64_t{copy}, std::memory_order_relaxed); }

 private:
  std::uint64_t load() const {
    return std::atomic_ref(const_cast<std::uint64_t&>(word_)).load(std::memory_order_relaxed);
  }

  std::uint64_t word_;
};
static_assert(sizeof(ReplicaWord) == sizeof(std::uint64_t));

inline ReplicaWord& replica_word_of(const pool::Mapping& mapping) {
  return *reinterpret_cast<ReplicaWord*>(mapping.base() + pool::replica_word_offset);
}

}  // namespace perdure::log

#endif
