#ifndef PERDURE_TX_PART_RESULTS_H
#define PERDURE_TX_PART_RESULTS_H

/// Values of perdure_status (perdure/c.h) that come from transactions.
namespace perdure::tx {

inline constexpr int part_retried = -26;        ///< it has called `retry`, and is undone
inline constexpr int timed_out = -27;           ///< a transaction need not wait any longer
inline constexpr int cancelled_by_other = -28;  ///< a transaction must not wait any longer

}  // namespace perdure::tx

#endif
