#ifndef PERDURE_BENCHMARKS_PEERS_KEYVALUE_NETWORK_H
#define PERDURE_BENCHMARKS_PEERS_KEYVALUE_NETWORK_H

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "transactions.h"

namespace perdure::benchmarks::keyvalue {

/// A key-value store, for telecom::Telecom.
template <class Library>
class Network {
 public:
  /// \throws std::invalid_argument for what only transactions over several subscribers can do.
  Network(Pool& pool, const tatp::Parameters& parameters) : store_((refuse(parameters), pool.path())) {}

  std::optional<tatp::Scale> scale() const { return store_.template get<tatp::Scale>(scale_key()); }
  void save(const tatp::Database& database) { keyvalue::save(database, store_); }
  std::unique_ptr<tatp::Database> load() const { return keyvalue::load(store_, *scale()); }
  Transactions<Library> transactions() { return {store_, locks_}; }

 private:
  static void refuse(const tatp::Parameters& parameters) {
    if (parameters.updates_per_transaction > 1 || parameters.scale.twins) {
      throw std::invalid_argument(std::string("with ") + Library::name +
                                  " a transaction is about one subscriber; run without --ops-per-tx and --twins");
    }
  }

  Store<Library> store_;
  SubscriberLocks locks_;
};

}  // namespace perdure::benchmarks::keyvalue

#endif
