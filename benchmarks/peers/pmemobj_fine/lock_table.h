#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_LOCK_TABLE_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_LOCK_TABLE_H

#include <bit>

#include "logged.h"

namespace perdure::peers {

/// Locks in the pool, each in a line of its own. What has the same number, modulo their count, shares one.
/// \tparam Lock  PMEMmutex or PMEMrwlock. Zeroed bytes are one; libpmemobj makes it anew when it is first taken after
///               the pool was opened, so none stays locked after a crash.
template <class Lock, std::size_t count>
class LockTable {
 public:
  static_assert(std::has_single_bit(count));

  /// In a transaction.
  void make() {
    auto* const locks = FineTransaction::current().allocate_lines(count * sizeof(Lock));
    locks_ = InPool<Lock>(static_cast<Lock*>(locks));
  }

  Lock& of(std::uint64_t number) const { return locks_.get()[number % count]; }

 private:
  Logged<InPool<Lock>> locks_;
};

}  // namespace perdure::peers

#endif
