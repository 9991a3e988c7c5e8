#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_TATP_NETWORK_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_TATP_NETWORK_H

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "perdure/pool.h"
#include "tatp_transactions.h"
#include "telecom/rows.h"

namespace perdure::benchmarks::fine {

/// TATP's tables in a pool of libpmemobj, for telecom::Telecom.
class TatpNetwork {
 public:
  TatpNetwork(Pool& pool, const tatp::Parameters&) : tables_(pool.root<Tables>("tatp")) {
    if (tables_.population == PopulationState::begun) {
      throw std::runtime_error(pool.path().string() + ": its population was not completed; remove the file");
    }
  }

  std::optional<tatp::Scale> scale() const {
    if (tables_.population != PopulationState::complete) return std::nullopt;
    return tables_.scale.get();
  }

  /// One row a transaction.
  void save(const tatp::Database& database) {
    execute([&] { make_tables(database.scale); });
    database.subscribers.for_each([&](const tatp::Subscriber& row) {
      execute([&] {
        const auto& place = tables_.subscribers.insert(tatp::subscriber_key(row.id), row);
        tables_.subscribers_by_number.insert(tatp::number_key(row.number), InPool<tatp::Subscriber>(&place));
      });
    });
    save(database.access_infos, tables_.access_infos);
    save(database.special_facilities, tables_.special_facilities);
    save(database.call_forwardings, tables_.call_forwardings);
    execute([&] { tables_.population = PopulationState::complete; });
  }

  /// \throws std::runtime_error if a table's chains are broken.
  std::unique_ptr<tatp::Database> load() const {
    auto database = std::make_unique<tatp::Database>();
    database->scale = tables_.scale;
    read(tables_.subscribers, [&](const tatp::Subscriber& row) {
      const auto* const by_number = tables_.subscribers_by_number.find(tatp::number_key(row.number));
      telecom::add(*database, row, by_number != nullptr && by_number->get() == &row);
    });
    const auto add = [&](const auto& row) { telecom::add(*database, row); };
    read(tables_.access_infos, add);
    read(tables_.special_facilities, add);
    read(tables_.call_forwardings, add);
    return database;
  }

  TatpTransactions transactions() { return TatpTransactions(tables_); }

 private:
  // As many rows as there are on average.
  void make_tables(const tatp::Scale& scale) {
    const std::size_t subscribers = scale.subscribers;
    tables_.scale = scale;
    tables_.population = PopulationState::begun;
    tables_.locks.make();
    tables_.subscribers.make(subscribers, subscriber_locks);
    tables_.subscribers_by_number.make(subscribers, subscriber_locks);
    tables_.access_infos.make(subscribers * 5 / 2, subscriber_locks);
    tables_.special_facilities.make(subscribers * 5 / 2, subscriber_locks);
    tables_.call_forwardings.make(subscribers * 15 / 4, subscriber_locks);
  }

  template <class Rows, class Table>
  static void save(const Rows& rows, Table& table) {
    rows.for_each_entry([&](Key key, const auto& row) { execute([&] { table.insert(key, row); }); });
  }

  template <class Table, class Visit>
  static void read(const Table& table, Visit visit) {
    for (const auto& violation : table.violations()) throw std::runtime_error("the data is broken: " + violation);
    table.for_each([&](Key, const auto& row) { visit(row); });
  }

  Tables& tables_;
};

}  // namespace perdure::benchmarks::fine

#endif
