#include <set>

#include <gtest/gtest.h>

#include "damage_test.h"
#include "scratch_pool.h"
#include "tatp/workload.h"

namespace perdure::benchmarks::tatp {
namespace {

Parameters small(const std::string& preset) {
  auto parameters = Parameters::preset(preset);
  parameters.scale.subscribers = 500;
  return parameters;
}

TEST(TatpKeys, DifferWhenTheirRowsDo) {
  std::set<Key> numbers, forwardings;
  for (std::uint32_t subscriber = 1; subscriber <= 2000; ++subscriber) {
    numbers.insert(number_key(number_of(subscriber)));
    for (std::uint32_t type = 1; type <= types; ++type) {
      for (const std::uint32_t start : {0, 8, 16}) forwardings.insert(forwarding_key(subscriber, type, start));
    }
  }
  EXPECT_EQ(numbers.size(), 2000);
  EXPECT_EQ(forwardings.size(), 2000 * types * start_times);
  EXPECT_EQ(number_of(70'412), fixed_text<15>("000000000070412"));
}

TEST(TatpClient, ChoosesEverySubscriberAndNoOther) {
  for (const auto* preset : {"standard", "pact19"}) {
    Client client(small(preset), 1);
    std::set<std::uint32_t> chosen;
    for (int i = 0; i < 20'000; ++i) chosen.insert(client.subscriber());
    EXPECT_EQ(chosen.size(), 500);
    EXPECT_EQ(*chosen.begin(), 1);
  }
}

TEST(TatpWorkload, KeepsItsInvariants) {
  EXPECT_EQ(wrong_after_run_and_reopening<Telecom>(small("standard"), 3000), "");
  auto parameters = small("pact19");
  EXPECT_EQ(wrong_after_run_and_reopening<Telecom>(parameters, 3000), "");
  parameters.scale.twins = true;
  parameters.updates_per_transaction = 20;
  EXPECT_EQ(wrong_after_run_and_reopening<Telecom>(parameters, 300), "");
}

/// A small populated database.
class TatpConsistencyTest : public DamageTest<Telecom, Database> {
 protected:
  TatpConsistencyTest() : DamageTest("tatp", parameters()) {}

  static Parameters parameters() {
    auto parameters = small("standard");
    parameters.scale.twins = true;
    return parameters;
  }

  // Some row of a table.
  template <class Row>
  static Row any_of(const HashIndex<Row>& table) {
    Row any{};
    table.for_each([&](const Row& row) { any = row; });
    return any;
  }
};

TEST_F(TatpConsistencyTest, HoldsForThePopulation) {
  std::uint64_t access_infos = 0, facilities = 0, forwardings = 0;
  database_.access_infos.for_each([&](const auto&) { ++access_infos; });
  database_.special_facilities.for_each([&](const auto&) { ++facilities; });
  database_.call_forwardings.for_each([&](const auto&) { ++forwardings; });
  // 2.5 of each a subscriber on average, and 1.5 call forwardings a facility.
  EXPECT_NEAR(access_infos, 1250, 100);
  EXPECT_NEAR(facilities, 1250, 100);
  EXPECT_NEAR(forwardings, 1875, 150);
}

TEST_F(TatpConsistencyTest, TellsOfASubscriberThatIsMissing) {
  expect_told("the number of subscribers is 499",
              [](Database& database) { database.subscribers.erase(subscriber_key(7)); });
}

TEST_F(TatpConsistencyTest, TellsOfANumberThatLeadsElsewhere) {
  expect_told("subscriber 7 is not found by its number", [](Database& database) {
    *database.subscribers_by_number.find(number_key(number_of(7))) = database.subscribers.find(subscriber_key(8));
  });
}

TEST_F(TatpConsistencyTest, TellsOfTwinsApart) {
  expect_told("subscriber 494 is not where its twin is",
              [](Database& database) { database.subscribers.find(subscriber_key(7))->visited_location ^= 1; });
}

TEST_F(TatpConsistencyTest, TellsOfAForwardingTooFew) {
  const auto row = any_of(database_.call_forwardings);
  expect_told("the number of call forwardings", [&](Database& database) {
    database.call_forwardings.erase(forwarding_key(row.subscriber_id, row.facility_type, row.start_time));
  });
}

TEST_F(TatpConsistencyTest, TellsOfAForwardingWithoutItsFacility) {
  const auto row = any_of(database_.call_forwardings);
  expect_told("belongs to no facility", [&](Database& database) {
    database.special_facilities.erase(typed_key(row.subscriber_id, row.facility_type));
  });
}

TEST_F(TatpConsistencyTest, TellsOfWrongTimes) {
  const auto row = any_of(database_.call_forwardings);
  const auto key = forwarding_key(row.subscriber_id, row.facility_type, row.start_time);
  expect_told("has wrong times", [&](Database& database) { database.call_forwardings.find(key)->end_time = 0; });
}

TEST_F(TatpConsistencyTest, TransactionsFindWhatWasPopulated) {
  const auto forwarding = any_of(database_.call_forwardings);
  const auto id = forwarding.subscriber_id;
  const Key number = number_key(number_of(id));
  TM_BEGIN { database_.special_facilities.find(typed_key(id, forwarding.facility_type))->is_active = true; } TM_END;
  EXPECT_EQ(get_subscriber_data(database_, id).number, number_of(id));
  EXPECT_EQ(get_new_destination(database_, id, forwarding.facility_type, forwarding.start_time, 0).size(), 15);
  EXPECT_EQ(get_new_destination(database_, id, forwarding.facility_type, forwarding.start_time, 24), PhoneNumber{});
  EXPECT_FALSE(TM_BEGIN { return insert_call_forwarding(database_, number, forwarding); } TM_END);
  EXPECT_TRUE(
      TM_BEGIN { return delete_call_forwarding(database_, number, forwarding.facility_type, forwarding.start_time); } TM_END);
  EXPECT_TRUE(TM_BEGIN { return insert_call_forwarding(database_, number, forwarding); } TM_END);
  EXPECT_EQ(joined(workload_.violations()), "");
}

}  // namespace
}  // namespace perdure::benchmarks::tatp
