#ifndef PERDURE_BENCHMARKS_PEERS_TABLES_H
#define PERDURE_BENCHMARKS_PEERS_TABLES_H

#include <cstdint>
#include <memory>

#include "store.h"
#include "tatp/database.h"
#include "telecom/rows.h"

/// The tables of TATP in a key-value store: rows and keys are those of tatp/rows.h.
namespace perdure::benchmarks::keyvalue {

using tatp::AccessInfo;
using tatp::CallForwarding;
using tatp::SpecialFacility;
using tatp::Subscriber;

inline RowKey scale_key() { return {'0', 0}; }
inline RowKey subscriber_key(std::uint32_t id) { return {'s', tatp::subscriber_key(id)}; }
inline RowKey number_key(Key number) { return {'n', number}; }  // leads to the subscriber's identifier
inline RowKey access_key(std::uint32_t id, std::uint32_t type) { return {'a', tatp::typed_key(id, type)}; }
inline RowKey facility_key(std::uint32_t id, std::uint32_t type) { return {'f', tatp::typed_key(id, type)}; }
inline RowKey forwarding_key(std::uint32_t id, std::uint32_t type, std::uint32_t start_time) {
  return {'c', tatp::forwarding_key(id, type, start_time)};
}

/// Writes rows to a store, many at once.
template <class Library>
class Loader {
 public:
  explicit Loader(Store<Library>& store) : store_(store) {}

  template <class Row>
  void add(const RowKey& key, const Row& row) {
    constexpr std::size_t rows_a_batch = 1000;
    batch_.put(key, row);
    if (++rows_ % rows_a_batch == 0) write();
  }

  void write() {
    store_.load(batch_);
    batch_ = {};
  }

 private:
  Store<Library>& store_;
  typename Store<Library>::Batch batch_;
  std::size_t rows_ = 0;
};

/// Writes a database that was populated in memory to an empty store. The scale comes last: a store that has it is
/// complete.
template <class Library>
void save(const tatp::Database& database, Store<Library>& store) {
  Loader<Library> loader(store);
  database.subscribers.for_each([&](const Subscriber& row) {
    loader.add(subscriber_key(row.id), row);
    loader.add(number_key(tatp::number_key(row.number)), row.id);
  });
  database.access_infos.for_each(
      [&](const AccessInfo& row) { loader.add(access_key(row.subscriber_id, row.type), row); });
  database.special_facilities.for_each(
      [&](const SpecialFacility& row) { loader.add(facility_key(row.subscriber_id, row.type), row); });
  database.call_forwardings.for_each([&](const CallForwarding& row) {
    loader.add(forwarding_key(row.subscriber_id, row.facility_type, row.start_time), row);
  });
  loader.write();
  store.settle();
  typename Store<Library>::Batch last;
  last.put(scale_key(), database.scale);
  store.commit(last);
}

/// Reads all of a store, for a check.
template <class Library>
std::unique_ptr<tatp::Database> load(const Store<Library>& store, const tatp::Scale& scale) {
  auto database = std::make_unique<tatp::Database>();
  database->scale = scale;
  store.template for_each<Subscriber>('s', [&](const Subscriber& row) {
    const auto id = store.template get<std::uint32_t>(number_key(tatp::number_key(row.number)));
    telecom::add(*database, row, id == row.id);
  });
  const auto add = [&](const auto& row) { telecom::add(*database, row); };
  store.template for_each<AccessInfo>('a', add);
  store.template for_each<SpecialFacility>('f', add);
  store.template for_each<CallForwarding>('c', add);
  return database;
}

}  // namespace perdure::benchmarks::keyvalue

#endif
