#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_TATP_TABLES_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_TATP_TABLES_H

#include "chained_table.h"
#include "lock_table.h"
#include "tatp/database.h"

namespace perdure::benchmarks::fine {

inline constexpr std::size_t subscriber_locks = 1024;

/// The tables of TATP in a pool of libpmemobj: the root object. A subscriber's lock, one for several, covers its rows
/// and the chains of its call forwardings; nothing else changes once the tables are populated, so all other chains are
/// followed without a lock.
struct Tables {
  /// The lowest bits of keys tell rows of a subscriber apart (tatp/rows.h).
  static constexpr unsigned type_bits = 2, forwarding_bits = 4;

  Logged<tatp::Scale> scale;
  Logged<PopulationState> population;
  peers::LockTable<PMEMrwlock, subscriber_locks> locks;
  ChainedTable<tatp::Subscriber> subscribers;
  ChainedTable<InPool<tatp::Subscriber>> subscribers_by_number;
  ChainedTable<tatp::AccessInfo, type_bits> access_infos;
  ChainedTable<tatp::SpecialFacility, type_bits> special_facilities;
  ChainedTable<tatp::CallForwarding, forwarding_bits> call_forwardings;

  PMEMrwlock& lock_of(std::uint32_t subscriber) const {
    return locks.of(decltype(subscribers)::group_of(tatp::subscriber_key(subscriber)));
  }
};

}  // namespace perdure::benchmarks::fine

#endif
