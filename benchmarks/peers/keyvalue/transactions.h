#ifndef PERDURE_BENCHMARKS_PEERS_TRANSACTIONS_H
#define PERDURE_BENCHMARKS_PEERS_TRANSACTIONS_H

#include <array>
#include <mutex>
#include <optional>
#include <span>

#include "tables.h"
#include "tatp/workload.h"

namespace perdure::benchmarks::keyvalue {

/// Locks for what must not change between being read and being written; the stores have none that both offer. One for
/// many subscribers; a transaction is about one.
class SubscriberLocks {
 public:
  std::mutex& of(std::uint32_t subscriber) { return locks_[subscriber % locks_.size()].mutex; }

 private:
  struct alignas(64) Lock {
    std::mutex mutex;
  };
  std::array<Lock, 1024> locks_;
};

/// TATP's seven transactions (tatp/transactions.h) over a key-value store. Each update is one batch, written and
/// synchronised before its function returns.
template <class Library>
class Transactions {
 public:
  Transactions(Store<Library>& store, SubscriberLocks& locks) : store_(store), locks_(locks) {}

  std::optional<Subscriber> get_subscriber_data(std::uint32_t subscriber) const {
    return store_.template get<Subscriber>(subscriber_key(subscriber));
  }

  tatp::PhoneNumber get_new_destination(std::uint32_t subscriber, std::uint32_t type, std::uint32_t start_time,
                                        std::uint32_t end_time) const {
    const std::scoped_lock lock(locks_.of(subscriber));
    const auto facility = store_.template get<SpecialFacility>(facility_key(subscriber, type));
    if (!facility || !facility->is_active) return {};
    for (std::uint32_t start = 0; start <= start_time; start += tatp::hours_between_start_times) {
      const auto forwarding = store_.template get<CallForwarding>(forwarding_key(subscriber, type, start));
      if (forwarding && forwarding->end_time > end_time) return forwarding->number;
    }
    return {};
  }

  std::optional<AccessInfo> get_access_data(std::uint32_t subscriber, std::uint32_t type) const {
    return store_.template get<AccessInfo>(access_key(subscriber, type));
  }

  bool update_subscriber_data(std::uint32_t subscriber, std::uint32_t type, std::uint8_t bit, std::uint8_t data_a) {
    const std::scoped_lock lock(locks_.of(subscriber));
    auto facility = store_.template get<SpecialFacility>(facility_key(subscriber, type));
    auto row = store_.template get<Subscriber>(subscriber_key(subscriber));
    if (!facility || !row) return false;
    row->bits[0] = bit;
    facility->data_a = data_a;
    Batch batch;
    batch.put(subscriber_key(subscriber), *row);
    batch.put(facility_key(subscriber, type), *facility);
    store_.commit(batch);
    return true;
  }

  /// \pre There is one: a transaction is about one subscriber.
  bool update_locations(std::span<const tatp::LocationUpdate> updates) {
    const auto& update = updates.front();
    const auto id = subscriber_of(update.number);
    if (!id) return false;
    const std::scoped_lock lock(locks_.of(*id));
    auto row = store_.template get<Subscriber>(subscriber_key(*id));
    if (!row) return false;
    row->visited_location = update.location;
    Batch batch;
    batch.put(subscriber_key(*id), *row);
    store_.commit(batch);
    return true;
  }

  bool insert_call_forwarding(Key number, const CallForwarding& wanted) {
    const auto id = subscriber_of(number);
    if (!id) return false;
    const std::scoped_lock lock(locks_.of(*id));
    bool has_facility = false;
    for (std::uint32_t type = 1; type <= tatp::types; ++type) {  // all of the subscriber's are asked for
      const auto facility = store_.template get<SpecialFacility>(facility_key(*id, type));
      has_facility |= facility && type == wanted.facility_type;
    }
    const auto key = forwarding_key(*id, wanted.facility_type, wanted.start_time);
    if (!has_facility || store_.template get<CallForwarding>(key)) return false;
    CallForwarding forwarding = wanted;
    forwarding.subscriber_id = *id;
    Batch batch;
    batch.put(key, forwarding);
    store_.commit(batch);
    return true;
  }

  bool delete_call_forwarding(Key number, std::uint32_t type, std::uint32_t start_time) {
    const auto id = subscriber_of(number);
    if (!id) return false;
    const std::scoped_lock lock(locks_.of(*id));
    const auto key = forwarding_key(*id, type, start_time);
    if (!store_.template get<CallForwarding>(key)) return false;
    Batch batch;
    batch.erase(key);
    store_.commit(batch);
    return true;
  }

 private:
  using Batch = typename Store<Library>::Batch;

  std::optional<std::uint32_t> subscriber_of(Key number) const {
    return store_.template get<std::uint32_t>(number_key(number));
  }

  Store<Library>& store_;
  SubscriberLocks& locks_;
};

}  // namespace perdure::benchmarks::keyvalue

#endif
