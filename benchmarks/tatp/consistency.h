#ifndef PERDURE_BENCHMARKS_TATP_CONSISTENCY_H
#define PERDURE_BENCHMARKS_TATP_CONSISTENCY_H

#include <algorithm>
#include <string>
#include <vector>

#include "database.h"

namespace perdure::benchmarks::tatp {

/// Checks that every row is there, where its key says, has valid fields, and belongs to rows that are there. Runs
/// alone.
class Consistency {
 public:
  explicit Consistency(Database& database) : database_(database) {
    check_indexes();
    if (!violations_.empty()) return;  // a walk through a broken index may not end
    check_subscribers();
    check_access_infos();
    check_facilities();
    check_forwardings();
  }

  /// What is broken, one a line; empty if all is well.
  const std::vector<std::string>& violations() const { return violations_; }

  std::int64_t forwardings() const { return forwardings_; }

 private:
  void check_indexes() {
    add("subscriber", database_.subscribers.violations());
    add("subscriber by number", database_.subscribers_by_number.violations());
    add("access info", database_.access_infos.violations());
    add("special facility", database_.special_facilities.violations());
    add("call forwarding", database_.call_forwardings.violations());
  }

  void add(const std::string& table, const std::vector<std::string>& violations) {
    for (const auto& violation : violations) violations_.push_back("table " + table + ": " + violation);
  }

  void check_subscribers() {
    std::uint64_t rows = 0;
    database_.subscribers.for_each([&](const Subscriber& row) {
      ++rows;
      const auto name = "subscriber " + std::to_string(row.id);
      expect(row.number == number_of(row.id), name + " has another's number");
      expect(database_.subscribers.find(subscriber_key(row.id)) == &row, name + " is not found by its identifier");
      Subscriber** by_number = database_.subscribers_by_number.find(number_key(row.number));
      expect(by_number != nullptr && *by_number == &row, name + " is not found by its number");
      check_facility_count(row.id);
      if (database_.scale.twins) check_twin(row, name);
    });
    expect_equal(violations_, "the number of subscribers", rows, "populated", database_.scale.subscribers);
    std::uint64_t numbers = 0;
    database_.subscribers_by_number.for_each([&](const Subscriber*) { ++numbers; });
    expect_equal(violations_, "the number of phone numbers", numbers, "that of subscribers", rows);
  }

  void check_twin(const Subscriber& row, const std::string& name) {
    const auto* twin = database_.subscribers.find(subscriber_key(database_.scale.twin_of(row.id)));
    expect(twin != nullptr && twin->visited_location == row.visited_location, name + " is not where its twin is");
  }

  void check_facility_count(std::uint32_t subscriber) {
    int facilities = 0, access_infos = 0;
    for (std::uint32_t type = 1; type <= types; ++type) {
      facilities += database_.special_facilities.find(typed_key(subscriber, type)) != nullptr;
      access_infos += database_.access_infos.find(typed_key(subscriber, type)) != nullptr;
    }
    expect(facilities > 0, "subscriber " + std::to_string(subscriber) + " has no special facility");
    expect(access_infos > 0, "subscriber " + std::to_string(subscriber) + " has no access info");
  }

  void check_access_infos() {
    database_.access_infos.for_each([&](const AccessInfo& row) {
      expect(database_.access_infos.find(typed_key(row.subscriber_id, row.type)) == &row && is_known(row.subscriber_id),
             "an access info of subscriber " + std::to_string(row.subscriber_id) + " is nobody's");
    });
  }

  void check_facilities() {
    database_.special_facilities.for_each([&](const SpecialFacility& row) {
      const auto* found = database_.special_facilities.find(typed_key(row.subscriber_id, row.type));
      expect(found == &row && is_known(row.subscriber_id),
             "a special facility of subscriber " + std::to_string(row.subscriber_id) + " is nobody's");
    });
  }

  void check_forwardings() {
    database_.call_forwardings.for_each([&](const CallForwarding& row) {
      ++forwardings_;
      const auto name = "a call forwarding of subscriber " + std::to_string(row.subscriber_id);
      const auto key = forwarding_key(row.subscriber_id, row.facility_type, row.start_time);
      expect(database_.call_forwardings.find(key) == &row, name + " is not found by its key");
      expect(database_.special_facilities.find(typed_key(row.subscriber_id, row.facility_type)) != nullptr,
             name + " belongs to no facility");
      expect(row.start_time % hours_between_start_times == 0 && row.end_time > row.start_time &&
                 row.end_time <= row.start_time + hours_between_start_times,
             name + " has wrong times");
      expect(std::all_of(row.number.begin(), row.number.end(), [](char c) { return c >= '0' && c <= '9'; }),
             name + " leads to no number");
    });
  }

  bool is_known(std::uint32_t subscriber) { return database_.subscribers.find(subscriber_key(subscriber)) != nullptr; }

  void expect(bool holds, const std::string& otherwise) {
    if (!holds) violations_.push_back(otherwise);
  }

  Database& database_;
  std::int64_t forwardings_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace perdure::benchmarks::tatp

#endif
