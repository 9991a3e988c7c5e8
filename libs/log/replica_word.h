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
/// medium has whole or not at all, on a line of its own: flushing it makes nothing else durable. Where turns are
/// numbered (pool::numbered_turns), the bits above say the time of the last one; otherwise they are 0.
class ReplicaWord {
 public:
  bool is_sound(bool has_numbered_turns) const { return has_numbered_turns || load() < most_copies; }
  Copy copy() const { return static_cast<Copy>(load() % most_copies); }
  /// Relaxed: others learn of it by ReplicaSet; for the medium, the fences around it order it.
  void store(Copy copy) { std::atomic_ref(word_).store(std::uint64_t{copy}, std::memory_order_relaxed); }

  /// The copy counts since the turn at `time`, unless the word is of a later turn. By any number of threads at once:
  /// who is late changes nothing.
  void raise(std::uint64_t time, Copy copy) {
    const std::uint64_t turn = time * most_copies + copy;
    std::uint64_t seen = load();
    while (seen < turn && !std::atomic_ref(word_).compare_exchange_weak(seen, turn, std::memory_order_release,
                                                                        std::memory_order_relaxed)) {
    }
  }

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
