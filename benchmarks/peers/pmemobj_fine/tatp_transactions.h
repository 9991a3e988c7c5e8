#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_TATP_TRANSACTIONS_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_TATP_TRANSACTIONS_H

#include <array>
#include <optional>
#include <span>

#include "perdure/transaction.h"
#include "tatp/workload.h"
#include "tatp_tables.h"

namespace perdure::benchmarks::fine {

/// TATP's seven transactions (tatp/transactions.h) under the locks of the subscribers that they are about.
class TatpTransactions {
 public:
  explicit TatpTransactions(Tables& tables) : tables_(tables) {}

  std::optional<tatp::Subscriber> get_subscriber_data(std::uint32_t subscriber) const {
    return execute([&] {
      FineTransaction::current().lock_shared(tables_.lock_of(subscriber));
      return copy_of(tables_.subscribers.find(tatp::subscriber_key(subscriber)));
    });
  }

  tatp::PhoneNumber get_new_destination(std::uint32_t subscriber, std::uint32_t type, std::uint32_t start_time,
                                        std::uint32_t end_time) const {
    return execute([&]() -> tatp::PhoneNumber {
      FineTransaction::current().lock_shared(tables_.lock_of(subscriber));
      const auto* const facility = tables_.special_facilities.find(tatp::typed_key(subscriber, type));
      if (facility == nullptr || !facility->is_active) return {};
      for (std::uint32_t start = 0; start <= start_time; start += tatp::hours_between_start_times) {
        const auto* const forwarding = tables_.call_forwardings.find(tatp::forwarding_key(subscriber, type, start));
        if (forwarding != nullptr && forwarding->end_time > end_time) return forwarding->number;
      }
      return {};
    });
  }

  /// Nothing changes these rows, so no lock is wanted.
  std::optional<tatp::AccessInfo> get_access_data(std::uint32_t subscriber, std::uint32_t type) const {
    return copy_of(tables_.access_infos.find(tatp::typed_key(subscriber, type)));
  }

  bool update_subscriber_data(std::uint32_t subscriber, std::uint32_t type, std::uint8_t bit, std::uint8_t data_a) {
    return execute([&] {
      auto& transaction = FineTransaction::current();
      transaction.lock(tables_.lock_of(subscriber));
      auto* const facility = tables_.special_facilities.find(tatp::typed_key(subscriber, type));
      auto* const row = tables_.subscribers.find(tatp::subscriber_key(subscriber));
      if (facility == nullptr || row == nullptr) return false;
      transaction.set(row->bits[0], bit);
      transaction.set(facility->data_a, data_a);
      return true;
    });
  }

  bool update_locations(std::span<const tatp::LocationUpdate> updates) {
    return execute([&] {
      auto& transaction = FineTransaction::current();
      std::array<Move, 2 * tatp::Parameters::most_updates> place;
      std::size_t count = 0;
      for (const auto& update : updates) {
        place[count++] = {subscriber_of(update.number), update.location};
        if (update.twin != 0) place[count++] = {subscriber_of(update.twin), update.location};
      }
      const std::span moves(place.data(), count);
      if (std::any_of(moves.begin(), moves.end(), [](const Move& move) { return move.row == nullptr; })) return false;
      lock(transaction, moves);
      for (const Move& move : moves) transaction.set(move.row->visited_location, move.location);
      return true;
    });
  }

  bool insert_call_forwarding(Key number, const tatp::CallForwarding& wanted) {
    return execute([&] {
      const auto* const row = subscriber_of(number);
      if (row == nullptr) return false;
      FineTransaction::current().lock(tables_.lock_of(row->id));
      bool has_facility = false;
      for (std::uint32_t type = 1; type <= tatp::types; ++type) {  // all of the subscriber's are asked for
        const auto* const facility = tables_.special_facilities.find(tatp::typed_key(row->id, type));
        has_facility |= facility != nullptr && type == wanted.facility_type;
      }
      const auto key = tatp::forwarding_key(row->id, wanted.facility_type, wanted.start_time);
      if (!has_facility || tables_.call_forwardings.find(key) != nullptr) return false;
      tatp::CallForwarding forwarding = wanted;
      forwarding.subscriber_id = row->id;
      tables_.call_forwardings.insert(key, forwarding);
      return true;
    });
  }

  bool delete_call_forwarding(Key number, std::uint32_t type, std::uint32_t start_time) {
    return execute([&] {
      const auto* const row = subscriber_of(number);
      if (row == nullptr) return false;
      FineTransaction::current().lock(tables_.lock_of(row->id));
      return tables_.call_forwardings.erase(tatp::forwarding_key(row->id, type, start_time));
    });
  }

 private:
  struct Move {
    tatp::Subscriber* row;
    std::uint32_t location;
  };

  template <class Row>
  static std::optional<Row> copy_of(const Row* row) {
    return row == nullptr ? std::nullopt : std::optional(*row);
  }

  // Its place and its identifier never change; what else is in the row is under its lock.
  tatp::Subscriber* subscriber_of(Key number) const {
    const auto* const row = tables_.subscribers_by_number.find(number);
    return row == nullptr ? nullptr : row->get();
  }

  void lock(FineTransaction& transaction, std::span<const Move> moves) const {
    std::array<PMEMrwlock*, 2 * tatp::Parameters::most_updates> locks;
    std::size_t count = 0;
    for (const Move& move : moves) locks[count++] = &tables_.lock_of(move.row->id);
    transaction.lock_all(std::span(locks.data(), count));
  }

  Tables& tables_;
};

}  // namespace perdure::benchmarks::fine

#endif
