#ifndef PERDURE_BENCHMARKS_TATP_MIX_H
#define PERDURE_BENCHMARKS_TATP_MIX_H

#include <cstdint>

namespace perdure::benchmarks::tatp {

/// Has `worker` run one transaction of TATP's mix.
/// \param drawn  0 to 99, all equally likely.
template <class Worker>
void step_of_mix(Worker& worker, std::uint32_t drawn) {
  if (drawn < 35) return worker.get_subscriber_data();
  if (drawn < 45) return worker.get_new_destination();
  if (drawn < 80) return worker.get_access_data();
  if (drawn < 82) return worker.update_subscriber_data();
  if (drawn < 96) return worker.update_location();
  if (drawn < 98) return worker.insert_call_forwarding();
  worker.delete_call_forwarding();
}

}  // namespace perdure::benchmarks::tatp

#endif
