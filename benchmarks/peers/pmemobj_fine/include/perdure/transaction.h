#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_TRANSACTION_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_TRANSACTION_H

#include <type_traits>

#include "pmemobj_fine/fine_transaction.h"

namespace perdure {

/// In the place of include/perdure/transaction.h: a transaction whose body, written by hand, takes the locks and adds
/// to the undo log what it changes (peers::FineTransaction). Bodies do not nest.
template <class Body>
auto execute(Body&& body) {
  peers::FineTransaction transaction;
  if constexpr (std::is_void_v<decltype(body())>) {
    body();
    transaction.commit();
  } else {
    const auto result = body();
    transaction.commit();
    return result;
  }
}

}  // namespace perdure

#define TM_BEGIN ::perdure::execute([&]
#define TM_END )

#endif
