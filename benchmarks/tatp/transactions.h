#ifndef PERDURE_BENCHMARKS_TATP_TRANSACTIONS_H
#define PERDURE_BENCHMARKS_TATP_TRANSACTIONS_H

#include "database.h"

/// The bodies of TATP's seven transactions (its description, section 2).
///
/// One that finds no row to work on fails, in TATP's terms, and says so. It has then written nothing: what could be
/// missing is looked up before the first write.
namespace perdure::benchmarks::tatp {

/// Get Subscriber Data.
/// \returns the whole row; its `id` is 0 if there is none.
inline Subscriber get_subscriber_data(Database& database, std::uint32_t subscriber) {
  const Subscriber* row = database.subscribers.find(subscriber_key(subscriber));
  return row == nullptr ? Subscriber{} : *row;
}

/// Get New Destination: the number that calls are forwarded to between the two times.
/// \returns a number of zero characters if there is none.
inline PhoneNumber get_new_destination(Database& database, std::uint32_t subscriber, std::uint32_t type,
                                       std::uint32_t start_time, std::uint32_t end_time) {
  const auto* facility = database.special_facilities.find(typed_key(subscriber, type));
  if (facility == nullptr || !facility->is_active) return {};
  for (std::uint32_t start = 0; start <= start_time; start += hours_between_start_times) {
    const auto* forwarding = database.call_forwardings.find(forwarding_key(subscriber, type, start));
    if (forwarding != nullptr && forwarding->end_time > end_time) return forwarding->number;
  }
  return {};
}

/// Get Access Data.
/// \returns the row; its `type` is 0 if there is none.
inline AccessInfo get_access_data(Database& database, std::uint32_t subscriber, std::uint32_t type) {
  const auto* row = database.access_infos.find(typed_key(subscriber, type));
  return row == nullptr ? AccessInfo{} : *row;
}

/// Update Subscriber Data. Fails without such a facility.
inline bool update_subscriber_data(Database& database, std::uint32_t subscriber, std::uint32_t type, std::uint8_t bit,
                                   std::uint8_t data_a) {
  auto* facility = database.special_facilities.find(typed_key(subscriber, type));
  auto* row = database.subscribers.find(subscriber_key(subscriber));
  if (facility == nullptr || row == nullptr) return false;
  row->bits[0] = bit;
  facility->data_a = data_a;
  return true;
}

/// Update Location.
inline bool update_location(Database& database, Key number, std::uint32_t location) {
  Subscriber** row = database.subscribers_by_number.find(number);
  if (row == nullptr) return false;
  (*row)->visited_location = location;
  return true;
}

/// Insert Call Forwarding. Fails if the subscriber has no such facility, or forwards calls at that time already.
inline bool insert_call_forwarding(Database& database, Key number, const CallForwarding& wanted) {
  Subscriber** row = database.subscribers_by_number.find(number);
  if (row == nullptr) return false;
  const auto id = (*row)->id;
  bool has_facility = false;
  for (std::uint32_t type = 1; type <= types; ++type) {  // all of the subscriber's are asked for
    has_facility |= database.special_facilities.find(typed_key(id, type)) != nullptr && type == wanted.facility_type;
  }
  const auto key = forwarding_key(id, wanted.facility_type, wanted.start_time);
  if (!has_facility || database.call_forwardings.find(key) != nullptr) return false;
  CallForwarding forwarding = wanted;
  forwarding.subscriber_id = id;
  database.call_forwardings.insert(key, forwarding);
  return true;
}

/// Delete Call Forwarding. Fails if there is none.
inline bool delete_call_forwarding(Database& database, Key number, std::uint32_t type, std::uint32_t start_time) {
  Subscriber** row = database.subscribers_by_number.find(number);
  return row != nullptr && database.call_forwardings.erase(forwarding_key((*row)->id, type, start_time));
}

}  // namespace perdure::benchmarks::tatp

#endif
