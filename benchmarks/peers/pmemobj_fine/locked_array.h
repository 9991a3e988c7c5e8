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
  void make(std::uint64_t count) {
    auto* const integers = FineTransaction::current().allocate_lines(count * sizeof(std::uint64_t));
    integers_ = InPool<std::uint64_t>(static_cast<std::uint64_t*>(integers));
    locks_.make();
  }

  /// Gives each of the integers [begin, end) its own index. No other thread works on them.
  void number(std::uint64_t begin, std::uint64_t end) {
    auto* const integers = integers_.get().get();
    FineTransaction::current().add(integers + begin, (end - begin) * sizeof *integers);
    for (auto i = begin; i < end; ++i) integers[i] = i;
  }

  void swap(const sps::Swap* swaps, std::uint32_t count) const {
    auto& transaction = FineTransaction::current();
    lock(transaction, {swaps, count});
    for (const auto& [one, other] : std::span(swaps, count)) {
      const auto value = (*this)[one];
      transaction.set((*this)[one], (*this)[other]);
      transaction.set((*this)[other], value);
    }
  }

  std::uint64_t& operator[](std::uint64_t i) const { return integers_.get()[i]; }

 private:
  static constexpr std::size_t lock_count = 16'384;

  void lock(FineTransaction& transaction, std::span<const sps::Swap> swaps) const {
    std::array<PMEMmutex*, 2 * sps::Parameters::most_swaps> locks;
    std::size_t count = 0;
    for (const auto& [one, other] : swaps) {
      locks[count++] = &locks_.of(one);
      locks[count++] = &locks_.of(other);
    }
    transaction.lock_all(std::span(locks.data(), count));
  }

  Logged<InPool<std::uint64_t>> integers_;
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
