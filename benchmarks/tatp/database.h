#ifndef PERDURE_BENCHMARKS_TATP_DATABASE_H
#define PERDURE_BENCHMARKS_TATP_DATABASE_H

#include "common/rooted_workload.h"
#include "parameters.h"
#include "rows.h"
#include "structures/hash_index.h"

namespace perdure::benchmarks::tatp {

/// The whole database: the root object of the pool.
struct Database {
  Scale scale;
  PopulationState population = PopulationState::empty;
  HashIndex<Subscriber> subscribers;
  HashIndex<Subscriber*> subscribers_by_number;
  HashIndex<AccessInfo> access_infos;
  HashIndex<SpecialFacility> special_facilities;
  HashIndex<CallForwarding> call_forwardings;
};

}  // namespace perdure::benchmarks::tatp

#endif
