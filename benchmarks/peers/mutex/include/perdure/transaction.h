#ifndef PERDURE_BENCHMARKS_PEERS_MUTEX_TRANSACTION_H
#define PERDURE_BENCHMARKS_PEERS_MUTEX_TRANSACTION_H

#include <mutex>

namespace perdure {
namespace peers {

/// Alone in its line: what lies beside it would slow down those who wait for it.
alignas(64) inline std::mutex mutex;

}  // namespace peers

/// In the place of include/perdure/transaction.h: what one would write without transactions, one lock for everything.
/// Nothing is rolled back, so a body throws before its first write, as under the yardsticks. Bodies do not nest.
template <class Body>
decltype(auto) execute(Body&& body) {
  const std::scoped_lock lock(peers::mutex);
  return body();
}

}  // namespace perdure

#define TM_BEGIN ::perdure::execute([&]
#define TM_END )

#endif
