#ifndef PERDURE_LOG_REPLICA_WORD_H
#define PERDURE_LOG_REPLICA_WORD_H

#include <atomic>
#include <cstdint>

#include "pool/format.h"
#include "pool/mapping.h"

namespace perdure::log {

/// One of the two copies of a pool.
enum class Side : std::uint8_t {
  main = 0,  ///< the pool itself
  twin = 1   ///< the same, but for superblocks that have a replica: there, the replica
};

constexpr Side other(Side side) { return side == Side::main ? Side::twin : Side::main; }

/// Which copy of the pool counts, in the pool: the persistent curComb (EuroSys'20, section 5). One word, which the
/// medium has whole or not at all, on a line of its own: flushing it makes nothing else durable.
class ReplicaWord {
 public:
  bool is_sound() const { return load() <= static_cast<std::uint64_t>(Side::twin); }
  Side side() const { return static_cast<Side>(load()); }
  /// Relaxed: others learn of it by ReplicaPair; for the medium, the fences around it order it.
  void store(Side side) { std::atomic_ref(word_).store(static_cast<std::uint64_t>(side), std::memory_order_relaxed); }

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
