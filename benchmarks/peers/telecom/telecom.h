#ifndef PERDURE_BENCHMARKS_PEERS_TELECOM_H
#define PERDURE_BENCHMARKS_PEERS_TELECOM_H

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>

#include "tatp/workload.h"

/// TATP over a store that has transactions of its own instead of `TM_BEGIN`.
namespace perdure::benchmarks::telecom {

/// One thread that serves a network whose data is in such a store.
template <class Transactions>
class Worker {
 public:
  Worker(Transactions transactions, const tatp::Parameters& parameters, const Share& share,
         LocalCount::Total& forwardings)
      : transactions_(transactions),
        update_location_only_(parameters.update_location_only),
        updates_per_transaction_(parameters.updates_per_transaction),
        client_(parameters, share.seed),
        added_(forwardings) {}

  Outcome step() {
    if (update_location_only_) {
      update_location();
    } else {
      tatp::step_of_mix(*this, client_.between(0, 99));
    }
    return Outcome::committed;
  }

  void get_subscriber_data() {
    const auto subscriber = client_.subscriber();
    const auto row = transactions_.get_subscriber_data(subscriber);
    expect(row && row->id == subscriber && row->bits[0] <= 1);
  }

  void get_new_destination() {
    const auto subscriber = client_.subscriber(), type = client_.type(), start = client_.start_time();
    const auto number = transactions_.get_new_destination(subscriber, type, start, client_.between(1, 24));
    expect((number.front() == '\0') == (number.back() == '\0'));
  }

  void get_access_data() {
    const auto subscriber = client_.subscriber(), type = client_.type();
    const auto row = transactions_.get_access_data(subscriber, type);
    expect(!row || (row->type == type && row->subscriber_id == subscriber));
  }

  void update_subscriber_data() {
    const auto subscriber = client_.subscriber(), type = client_.type();
    const auto bit = client_.byte(1), data = client_.byte(255);
    transactions_.update_subscriber_data(subscriber, type, bit, data);
  }

  void update_location() {
    std::array<tatp::LocationUpdate, tatp::Parameters::most_updates> place;
    const std::span updates(place.data(), updates_per_transaction_);
    for (auto& update : updates) update = client_.location_update();
    expect(transactions_.update_locations(updates));
  }

  void insert_call_forwarding() {
    const Key number = client_.number();
    added_ += transactions_.insert_call_forwarding(number, client_.forwarding());
  }

  void delete_call_forwarding() {
    const Key number = client_.number();
    const auto type = client_.type(), start = client_.start_time();
    added_ -= transactions_.delete_call_forwarding(number, type, start);
  }

 private:
  static void expect(bool as_written) {
    if (!as_written) throw std::logic_error("a row read is not as it was written");
  }

  Transactions transactions_;
  const bool update_location_only_;
  const std::uint32_t updates_per_transaction_;
  tatp::Client client_;
  LocalCount added_;  // call forwardings
};

/// TATP over such a store. The rows are those of the workload `tatp`: its population makes them, in ordinary memory,
/// and its checks see them, read back.
/// \tparam Store  is made for a pool and parameters, throws std::invalid_argument for what it cannot do, and has
///                - `scale()`, of the database in it, if there is one;
///                - `save(database)` and `load()`, of a whole tatp::Database;
///                - `transactions()`: an object with TATP's seven, named as in tatp/transactions.h, but that
///                  `update_locations` has several tatp::LocationUpdate.
template <class Store>
class Telecom {
 public:
  using Parameters = tatp::Parameters;
  using Worker = telecom::Worker<decltype(std::declval<Store>().transactions())>;

  static constexpr const char* name = "tatp";

  Telecom(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : parameters_(parameters), store_(pool, parameters) {
    const std::optional<tatp::Scale> scale = store_.scale();
    if (!scale) return;
    is_populated_ = true;
    parameters_.scale = *scale;
    forwardings_ = tatp::Consistency(*store_.load()).forwardings();
  }

  const Parameters& parameters() const { return parameters_; }
  bool is_populated() const { return is_populated_; }

  void begin_population() {
    populated_ = std::make_unique<tatp::Database>();
    populated_->scale = parameters_.scale;
    tatp::Population::prepare_tables(*populated_, parameters_.scale);
  }

  // One thread after the other: there is one database, and nothing in it has a lock.
  void populate(const Share& share) {
    const std::scoped_lock lock(populating_);
    const std::size_t subscribers = parameters_.scale.subscribers;
    tatp::Population population(*populated_, parameters_.scale, share.seed);
    forwardings_ += population.fill(share.begin(subscribers), share.end(subscribers));
  }

  void finish_population() {
    store_.save(*populated_);
    populated_.reset();
    is_populated_ = true;
  }

  Worker worker(const Share& share) { return Worker(store_.transactions(), parameters_, share, forwardings_); }

  std::vector<std::string> violations() const {
    const auto database = store_.load();
    const tatp::Consistency consistency(*database);
    auto found = consistency.violations();
    expect_equal(found, "the number of call forwardings", consistency.forwardings(), "what was added and not deleted",
                 forwardings_.load());
    return found;
  }

 private:
  Parameters parameters_;
  Store store_;
  bool is_populated_ = false;
  std::mutex populating_;
  std::unique_ptr<tatp::Database> populated_;  // while it is populated
  LocalCount::Total forwardings_ = 0;
};

}  // namespace perdure::benchmarks::telecom

#endif
