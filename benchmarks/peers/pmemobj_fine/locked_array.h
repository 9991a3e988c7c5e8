#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_LOCKED_ARRAY_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_LOCKED_ARRAY_H

#include <array>
#include <span>

#include "lock_table.h"
#include "sps/workload.h"

namespace perdure::benchmarks::fine {

using peers::FineTransaction;
using peers::InPool;
using peers::Logged;

/// Integers in a pool of libpmemobj, with locks for stripes of them.
class LockedArray {
 public:
  Logged<std::uint64_t>& operator[](std::uint64_t i) const { return integers_.get()[i]; }

  friend void make(LockedArray& array, std::uint64_t count) {
    auto* const integers = FineTransaction::current().allocate_lines(count * sizeof(std::uint64_t));
    array.integers_ = InPool<Logged<std::uint64_t>>(static_cast<Logged<std::uint64_t>*>(integers));
    array.locks_.make();
  }

  friend void lock(const LockedArray& array, const sps::Swap* swaps, std::uint32_t count) {
    std::array<PMEMmutex*, 2 * sps::Parameters::most_swaps> locks;
    std::size_t wanted = 0;
    for (const auto& [one, other] : std::span(swaps, count)) {
      locks[wanted++] = &array.locks_.of(one);
      locks[wanted++] = &array.locks_.of(other);
    }
    FineTransaction::current().lock_all(std::span(locks.data(), wanted));
  }

 private:
  static constexpr std::size_t lock_count = 16'384;

  Logged<InPool<Logged<std::uint64_t>>> integers_;
  peers::LockTable<PMEMmutex, lock_count> locks_;
};

}  // namespace perdure::benchmarks::fine

template <>
struct perdure::benchmarks::sps::Data<perdure::benchmarks::fine::LockedArray> {
  peers::Logged<Scale> scale;
  peers::Logged<PopulationState> population;
  fine::LockedArray integers;
};

#endif
