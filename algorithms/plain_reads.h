#ifndef PERDURE_ALGORITHMS_PLAIN_READS_H
#define PERDURE_ALGORITHMS_PLAIN_READS_H

#include <cstdint>
#include <cstring>

#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What the algorithms have in common under which one transaction runs at a time and changes memory in place: reads are
/// plain loads, and nothing ever conflicts.
class PlainReads {
 public:
  static constexpr tx::Traits traits{.needs_quiescence = false,
                                     .has_doomed_readers = false,
                                     .writes_in_place = true,
                                     .reads_are_loads = true,
                                     .one_at_a_time = true};

  template <tx::Memory, class T>
  T read(const T* address) {
    return *address;
  }

  template <tx::Memory>
  bool read_stripe(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return true;
  }

  bool extend() { return true; }
  std::uint64_t commit_timestamp() const { return 0; }

 protected:
  constexpr PlainReads() = default;
};

}  // namespace perdure::algorithms

#endif
