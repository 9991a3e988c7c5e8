#include "calibration.h"

#include <algorithm>

namespace perdure::scale {

Costs calibrate(Costs costs, Experiment experiment, const std::vector<Stream>& streams, Time transaction) {
  costs.body = 0;
  experiment.threads = 1;
  experiment.duration = duration_of(experiment, streams, transaction);
  const Time without = 1e9 / simulate(experiment, streams, costs).transactions_per_second;
  costs.body = std::max(transaction - without, 0.0);
  return costs;
}

Time duration_of(const Experiment& experiment, const std::vector<Stream>& streams, Time transaction) {
  constexpr double most_accesses = 1e6;
  constexpr double fewest_transactions = 100;
  constexpr double most_transactions = 3000;
  double accesses = 1;
  double transactions = 1;
  for (const Stream& stream : streams) {
    accesses += static_cast<double>(stream.accesses.size());
    transactions += static_cast<double>(stream.transactions.size());
  }
  const double of_thread = most_accesses * transactions / (accesses * experiment.threads);
  return transaction * std::clamp(of_thread, fewest_transactions, most_transactions);
}

}  // namespace perdure::scale
