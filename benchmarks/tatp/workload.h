#ifndef PERDURE_BENCHMARKS_TATP_WORKLOAD_H
#define PERDURE_BENCHMARKS_TATP_WORKLOAD_H

#include <limits>
#include <stdexcept>

#include "common/local_count.h"
#include "consistency.h"
#include "mix.h"
#include "perdure/transaction.h"
#include "population.h"
#include "transactions.h"

namespace perdure::benchmarks::tatp {

/// What Update Location is about.
struct LocationUpdate {
  Key number;
  Key twin;  // the number of the subscriber's twin, if there are twins
  std::uint32_t location;
};

/// Draws what transactions are about.
class Client {
 public:
  Client(const Parameters& parameters, std::uint64_t seed)
      : scale_(parameters.scale), uniform_(parameters.uniform), random_(seed) {}

  std::uint32_t subscriber() {
    const auto subscribers = scale_.subscribers;
    if (uniform_) return between(1, subscribers);
    return (between(0, spread()) | between(1, subscribers)) % subscribers + 1;
  }

  /// One that is known by its number only, as the texts that networks send.
  Key number() { return number_key(number_of(subscriber())); }

  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint32_t>(random_.between(low, high));
  }
  std::uint8_t byte(std::uint32_t high) { return static_cast<std::uint8_t>(between(0, high)); }
  std::uint32_t type() { return between(1, types); }
  std::uint32_t start_time() { return between(0, start_times - 1) * hours_between_start_times; }
  std::uint32_t location() { return between(1, std::numeric_limits<std::uint32_t>::max()); }

  LocationUpdate location_update() {
    const auto id = subscriber();
    const Key twin = scale_.twins ? number_key(number_of(scale_.twin_of(id))) : 0;
    return {number_key(number_of(id)), twin, location()};
  }

  CallForwarding forwarding() {
    const auto start = start_time();
    return {0, static_cast<std::uint8_t>(type()), static_cast<std::uint8_t>(start),
            static_cast<std::uint8_t>(start + between(1, hours_between_start_times)), random_digits<15>(random_)};
  }

 private:
  // The constant A of the non-uniform choice (section 2), which depends on the number of subscribers.
  std::uint32_t spread() const {
    if (scale_.subscribers <= 1'000'000) return 65'535;
    return scale_.subscribers <= 10'000'000 ? 1'048'575 : 2'097'151;
  }

  const Scale scale_;
  const bool uniform_;
  Random random_;
};

/// One thread that serves a network.
class Worker {
 public:
  /// \param forwardings  how many call forwardings there are.
  Worker(Database& database, const Parameters& parameters, const Share& share, LocalCount::Total& forwardings)
      : database_(database), parameters_(parameters), client_(parameters, share.seed), added_(forwardings) {}

  Outcome step() {
    if (parameters_.update_location_only) {
      update_location();
    } else {
      step_of_mix(*this, client_.between(0, 99));
    }
    return Outcome::committed;
  }

  void get_subscriber_data() {
    auto& database = database_;
    const auto subscriber = client_.subscriber();
    const Subscriber row = TM_BEGIN { return tatp::get_subscriber_data(database, subscriber); } TM_END;
    expect(row.id == subscriber && row.bits[0] <= 1);
  }

  void get_new_destination() {
    auto& database = database_;
    const auto subscriber = client_.subscriber(), type = client_.type(), start = client_.start_time();
    const auto end = client_.between(1, 24);
    const PhoneNumber number =
        TM_BEGIN { return tatp::get_new_destination(database, subscriber, type, start, end); } TM_END;
    expect((number.front() == '\0') == (number.back() == '\0'));  // all of a number or nothing
  }

  void get_access_data() {
    auto& database = database_;
    const auto subscriber = client_.subscriber(), type = client_.type();
    const AccessInfo row = TM_BEGIN { return tatp::get_access_data(database, subscriber, type); } TM_END;
    expect(row.type == 0 || (row.type == type && row.subscriber_id == subscriber));
  }

  void update_subscriber_data() {
    auto& database = database_;
    const auto subscriber = client_.subscriber(), type = client_.type();
    const auto bit = client_.byte(1), data = client_.byte(255);
    TM_BEGIN { tatp::update_subscriber_data(database, subscriber, type, bit, data); } TM_END;
  }

  void update_location() {
    auto& database = database_;
    const auto count = parameters_.updates_per_transaction;
    const bool twins = parameters_.scale.twins;
    std::array<LocationUpdate, Parameters::most_updates> updates;
    for (std::uint32_t i = 0; i < count; ++i) updates[i] = client_.location_update();
    const bool succeeded = TM_BEGIN {
      bool found = true;
      for (std::uint32_t i = 0; i < count; ++i) {
        found &= tatp::update_location(database, updates[i].number, updates[i].location);
        if (twins) tatp::update_location(database, updates[i].twin, updates[i].location);
      }
      return found;
    } TM_END;
    expect(succeeded);
  }

  void insert_call_forwarding() {
    auto& database = database_;
    const Key number = client_.number();
    const CallForwarding wanted = client_.forwarding();
    added_ += TM_BEGIN { return tatp::insert_call_forwarding(database, number, wanted); } TM_END;
  }

  void delete_call_forwarding() {
    auto& database = database_;
    const Key number = client_.number();
    const auto type = client_.type(), start = client_.start_time();
    added_ -= TM_BEGIN { return tatp::delete_call_forwarding(database, number, type, start); } TM_END;
  }

 private:
  static void expect(bool as_written) {
    if (!as_written) throw std::logic_error("a row read is not as it was written: transactions are not isolated");
  }

  Database& database_;
  const Parameters parameters_;
  Client client_;
  LocalCount added_;  // call forwardings
};

/// TATP's mix of transactions, or Update Location alone.
class Telecom : public RootedWorkload<Database, Parameters> {
 public:
  using Worker = tatp::Worker;

  static constexpr const char* name = "tatp";

  Telecom(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : RootedWorkload(pool, "tatp", parameters), forwardings_(Consistency(root_).forwardings()) {}

  void begin_population() {
    RootedWorkload::begin_population();
    Population::prepare_tables(root_, parameters_.scale);
  }

  void populate(const Share& share) {
    const std::size_t subscribers = parameters_.scale.subscribers;
    Population population(root_, parameters_.scale, share.seed);
    forwardings_ += population.fill(share.begin(subscribers), share.end(subscribers));
  }

  Worker worker(const Share& share) { return Worker(root_, parameters_, share, forwardings_); }

  std::vector<std::string> violations() const {
    const Consistency consistency(root_);
    auto found = consistency.violations();
    expect_equal(found, "the number of call forwardings", consistency.forwardings(), "what was added and not deleted",
                 forwardings_.load());
    return found;
  }

 private:
  LocalCount::Total forwardings_;
};

}  // namespace perdure::benchmarks::tatp

#endif
