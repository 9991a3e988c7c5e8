#ifndef PERDURE_BENCHMARKS_PEERS_TELECOM_ROWS_H
#define PERDURE_BENCHMARKS_PEERS_TELECOM_ROWS_H

#include "tatp/database.h"

/// Puts the rows that are read back from a store into a database in memory, for its checks.
namespace perdure::benchmarks::telecom {

/// \param is_found_by_number  whether the store leads from the number to this row.
inline void add(tatp::Database& database, const tatp::Subscriber& row, bool is_found_by_number) {
  auto& place = database.subscribers.insert(tatp::subscriber_key(row.id), row);
  if (is_found_by_number) database.subscribers_by_number.insert(tatp::number_key(row.number), &place);
}

inline void add(tatp::Database& database, const tatp::AccessInfo& row) {
  database.access_infos.insert(tatp::typed_key(row.subscriber_id, row.type), row);
}

inline void add(tatp::Database& database, const tatp::SpecialFacility& row) {
  database.special_facilities.insert(tatp::typed_key(row.subscriber_id, row.type), row);
}

inline void add(tatp::Database& database, const tatp::CallForwarding& row) {
  database.call_forwardings.insert(tatp::forwarding_key(row.subscriber_id, row.facility_type, row.start_time), row);
}

}  // namespace perdure::benchmarks::telecom

#endif
