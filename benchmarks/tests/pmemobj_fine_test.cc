#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <span>
#include <thread>

#include <gtest/gtest.h>

#include "pmemobj_fine/hash_set.h"
#include "pmemobj_fine/locked_array.h"
#include "pmemobj_fine/tatp_network.h"
#include "pmemobj_fine/two_lock_queue.h"
#include "scratch_pool.h"
#include "telecom/telecom.h"

/// The peer with fine-grained locks: two threads want the same few things all the time, so that a lock too few shows.
namespace perdure::benchmarks {
namespace {

constexpr OpenOptions small_pool = {.size_limit = std::size_t{64} << 20};

/// \returns what is wrong after the first round that leaves anything wrong, or in the pool opened again.
template <Workload W>
std::string wrong_after_rounds(const typename W::Parameters& parameters, int rounds, int steps) {
  ScratchPool pool(small_pool);
  {
    W workload(pool.get(), parameters, 2);
    populate(workload);
    for (int round = 0; round < rounds; ++round) {
      run_two_workers(workload, steps);
      if (const auto wrong = joined(workload.violations()); !wrong.empty()) return wrong;
    }
  }
  const W again(pool.reopen(), parameters, 2);
  EXPECT_TRUE(again.is_populated());
  EXPECT_EQ(pool.get().report().state, OpenReport::State::clean);
  return joined(again.violations());
}

tatp::Parameters few_subscribers(const std::string& preset) {
  auto parameters = tatp::Parameters::preset(preset);
  parameters.scale.subscribers = 4;
  return parameters;
}

using Telecom = telecom::Telecom<fine::TatpNetwork>;

TEST(FineGrainedTatp, KeepsItsInvariants) {
  EXPECT_EQ(wrong_after_rounds<Telecom>(few_subscribers("standard"), 10, 200'000), "");
  auto twins = few_subscribers("pact19");
  twins.scale.twins = true;
  EXPECT_EQ(wrong_after_rounds<Telecom>(twins, 10, 10'000), "");
}

/// Whether the subscriber and its twin are at the same place, both locked.
bool are_together(const fine::Tables& tables, std::uint32_t one, std::uint32_t other) {
  return execute([&] {
    std::array locks = {&tables.lock_of(one), &tables.lock_of(other)};
    peers::FineTransaction::current().lock_all(std::span<PMEMrwlock*>(locks));
    const auto place = [&](auto id) { return tables.subscribers.find(tatp::subscriber_key(id))->visited_location; };
    return place(one) == place(other);
  });
}

TEST(FineGrainedTatp, NobodySeesTwinsApart) {
  ScratchPool pool(small_pool);
  auto parameters = few_subscribers("pact19");
  parameters.scale.twins = true;
  parameters.updates_per_transaction = 20;
  Telecom workload(pool.get(), parameters, 2);
  populate(workload);
  const auto& tables = pool.get().root<fine::Tables>("tatp");
  std::atomic<bool> is_over = false;
  std::thread mover([&] {
    run_two_workers(workload, 20'000);
    is_over = true;
  });
  int apart = 0;
  while (!is_over) apart += !are_together(tables, 1, parameters.scale.twin_of(1));
  mover.join();
  EXPECT_EQ(apart, 0);
}

sets::Parameters few_keys(const std::string& preset) {
  auto parameters = sets::Parameters::preset(preset);
  parameters.structure = "hash";
  parameters.scale.keys = 8;
  return parameters;
}

TEST(FineGrainedSets, KeepTheirInvariants) {
  EXPECT_EQ(wrong_after_rounds<fine::HashSets>(few_keys("icfp21"), 20, 20'000), "");
  auto parameters = few_keys("eurosys20");
  parameters.update_percent = 90;
  EXPECT_EQ(wrong_after_rounds<fine::HashSets>(parameters, 20, 10'001), "");
  parameters.scale.whole_updates = true;
  EXPECT_EQ(wrong_after_rounds<fine::HashSets>(parameters, 20, 10'000), "");
}

TEST(FineGrainedSets, AreHashTables) {
  ScratchPool pool(small_pool);
  EXPECT_THROW(fine::HashSets(pool.get(), sets::Parameters::preset("icfp21"), 1), std::invalid_argument);
}

TEST(FineGrainedSwaps, KeepEachIntegerOnce) {
  sps::Parameters parameters;
  parameters.scale.integers = 32;
  for (const std::uint32_t swaps : {1, 8}) {
    parameters.swaps = swaps;
    EXPECT_EQ(wrong_after_rounds<sps::SwapsIn<fine::LockedArray>>(parameters, 20, 5'000), "") << swaps;
  }
}

TEST(FineGrainedQueue, KeepsItsOrder) {
  for (const std::uint32_t items : {0, 100}) {
    EXPECT_EQ(wrong_after_rounds<queue::Queues<fine::TwoLockQueue>>({{.items = items}}, 20, 10'001), "") << items;
  }
}

TEST(FineGrainedQueue, GivesNothingOutThatIsNotCommitted) {
  struct Undone {};
  ScratchPool pool(small_pool);
  auto& queue = pool.get().root<fine::TwoLockQueue>("queue");
  std::future<std::uint64_t> taken;
  const auto add_and_undo = [&] {
    queue.enqueue();
    taken = std::async(std::launch::async, [&] { return execute([&] { return queue.dequeue(); }); });
    taken.wait_for(std::chrono::milliseconds(50));  // in vain, as it should be
    throw Undone{};
  };
  EXPECT_THROW(execute(add_and_undo), Undone);
  EXPECT_EQ(taken.get(), 0);
  EXPECT_EQ(queue.size(), 0);
  EXPECT_EQ(joined(queue.violations()), "");
}

TEST(FineGrainedPool, KnowsWhoseItIs) {
  ScratchPool pool(small_pool);
  pool.get().root<int>("one") = 7;
  EXPECT_EQ(pool.reopen().root<int>("one"), 7);
  EXPECT_THROW(pool.get().root<int>("other"), std::runtime_error);
}

}  // namespace
}  // namespace perdure::benchmarks
