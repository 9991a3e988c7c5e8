#ifndef PERDURE_BENCHMARKS_PEERS_TELECOM_H
#define PERDURE_BENCHMARKS_PEERS_TELECOM_H

#include <optional>
#include <stdexcept>

#include "tatp/workload.h"
#include "transactions.h"

namespace perdure::benchmarks::keyvalue {

/// One thread that serves a network whose data is in a key-value store.
template <class Library>
class Worker {
 public:
  Worker(Transactions<Library> transactions, const tatp::Parameters& parameters, const Share& share,
         LocalCount::Total& forwardings)
      : transactions_(transactions),
        update_location_only_(parameters.update_location_only),
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
    const Key number = client_.number();
    expect(transactions_.update_location(number, client_.location()));
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

  Transactions<Library> transactions_;
  const bool update_location_only_;
  tatp::Client client_;
  LocalCount added_;  // call forwardings
};

/// TATP over a key-value store. The rows are those of the workload `tatp`: its population makes them, in memory, and
/// its checks see them, read back.
template <class Library>
class Telecom {
 public:
  using Parameters = tatp::Parameters;
  using Worker = keyvalue::Worker<Library>;

  static constexpr const char* name = "tatp";

  /// \throws std::invalid_argument for what only transactions over several subscribers can do.
  Telecom(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : parameters_(supported(parameters)), store_(pool.path()) {
    const auto scale = store_.template get<tatp::Scale>(scale_key());
    if (!scale) return;
    is_populated_ = true;
    parameters_.scale = *scale;
    forwardings_ = tatp::Consistency(*load(store_, *scale)).forwardings();
  }

  const Parameters& parameters() const { return parameters_; }
  bool is_populated() const { return is_populated_; }

  void begin_population() {
    populated_ = std::make_unique<tatp::Database>();
    populated_->scale = parameters_.scale;
    tatp::Population::prepare_tables(*populated_, parameters_.scale);
  }

  void populate(const Share& share) {
    const std::size_t subscribers = parameters_.scale.subscribers;
    tatp::Population population(*populated_, parameters_.scale, share.seed);
    forwardings_ += population.fill(share.begin(subscribers), share.end(subscribers));
  }

  void finish_population() {
    save(*populated_, store_);
    populated_.reset();
    is_populated_ = true;
  }

  Worker worker(const Share& share) { return Worker({store_, locks_}, parameters_, share, forwardings_); }

  std::vector<std::string> violations() const {
    const auto database = load(store_, parameters_.scale);
    const tatp::Consistency consistency(*database);
    auto found = consistency.violations();
    expect_equal(found, "the number of call forwardings", consistency.forwardings(), "what was added and not deleted",
                 forwardings_.load());
    return found;
  }

 private:
  static const Parameters& supported(const Parameters& parameters) {
    if (parameters.updates_per_transaction > 1 || parameters.scale.twins) {
      throw std::invalid_argument(std::string("with ") + Library::name +
                                  " a transaction is about one subscriber; run " + "without --ops-per-tx and --twins");
    }
    return parameters;
  }

  Parameters parameters_;
  Store<Library> store_;
  SubscriberLocks locks_;
  bool is_populated_ = false;
  std::unique_ptr<tatp::Database> populated_;  // while it is populated
  LocalCount::Total forwardings_ = 0;
};

}  // namespace perdure::benchmarks::keyvalue

#endif
