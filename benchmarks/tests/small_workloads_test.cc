#include <gtest/gtest.h>

#include "queue/workload.h"
#include "scratch_pool.h"
#include "sets/structures.h"
#include "sets/workload.h"
#include "sps/workload.h"

namespace perdure::benchmarks {
namespace {

sps::Parameters few_integers(std::uint32_t swaps) {
  auto parameters = sps::Parameters::preset("eurosys20");
  parameters.scale.integers = 1000;
  parameters.swaps = swaps;
  return parameters;
}

TEST(SwapsWorkload, KeepsItsInvariants) {
  for (const std::uint32_t swaps : {1, 8, 64}) {
    EXPECT_EQ(wrong_after_run_and_reopening<sps::Swaps>(few_integers(swaps), 500), "") << swaps;
  }
}

TEST(SwapsWorkload, MovesIntegersAndTellsOfOneThatIsLost) {
  ScratchPool pool;
  sps::Swaps workload(pool.get(), few_integers(8), 1);
  populate(workload);
  run_two_workers(workload, 500);
  auto& data = pool.get().root<sps::Data<std::uint64_t*>>("sps");
  int moved = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) moved += data.integers[i] != i;
  EXPECT_GT(moved, 900);
  EXPECT_EQ(joined(workload.violations()), "");
  TM_BEGIN { data.integers[0] = data.integers[1]; } TM_END;
  EXPECT_NE(joined(workload.violations()).find("is there twice"), std::string::npos);
  TM_BEGIN { data.integers[0] = 1000; } TM_END;
  EXPECT_NE(joined(workload.violations()).find("integer 1000 was never there"), std::string::npos);
}

TEST(QueueWorkload, KeepsItsInvariants) {
  EXPECT_EQ(wrong_after_run_and_reopening<queue::QueueWorkload>({{.items = 100}}, 1001), "");
  EXPECT_EQ(wrong_after_run_and_reopening<queue::QueueWorkload>({{.items = 0}}, 1000), "");
}

TEST(QueueWorkload, TellsOfAnItemThatIsLost) {
  ScratchPool pool;
  queue::QueueWorkload workload(pool.get(), {{.items = 100}}, 1);
  populate(workload);
  EXPECT_EQ(joined(workload.violations()), "");
  auto& items = pool.get().root<queue::Data<LinkedQueue>>("queue").queue;
  TM_BEGIN { items.dequeue(); } TM_END;
  EXPECT_NE(joined(workload.violations()).find("the number of items is 99"), std::string::npos);
}

template <class Structure>
class SetsWorkload : public ::testing::Test {};

using Structures = ::testing::Types<SortedList, sets::Tree, sets::Hash, Treap, HashArrayMappedTrie, sets::StandardSet,
                                    sets::StandardUnorderedSet>;
TYPED_TEST_SUITE(SetsWorkload, Structures);

sets::Parameters few_keys(const std::string& preset, bool whole_updates) {
  auto parameters = sets::Parameters::preset(preset);
  parameters.scale.keys = 200;
  parameters.scale.whole_updates = whole_updates;
  parameters.update_percent = 50;
  return parameters;
}

TYPED_TEST(SetsWorkload, KeepsItsInvariants) {
  EXPECT_EQ(wrong_after_run_and_reopening<sets::Sets<TypeParam>>(few_keys("eurosys20", false), 1000), "");
  EXPECT_EQ(wrong_after_run_and_reopening<sets::Sets<TypeParam>>(few_keys("eurosys20", true), 1000), "");
  EXPECT_EQ(wrong_after_run_and_reopening<sets::Sets<TypeParam>>(few_keys("icfp21", false), 1000), "");
}

TYPED_TEST(SetsWorkload, IsTheSameSetInAnyOrder) {
  auto parameters = few_keys("icfp21", false);
  parameters.scale.shuffled = true;
  EXPECT_EQ(wrong_after_run_and_reopening<sets::Sets<TypeParam>>(parameters, 1000), "");
}

TYPED_TEST(SetsWorkload, TellsOfAKeyThatIsLostOrWasNeverThere) {
  ScratchPool pool;
  sets::Sets<TypeParam> workload(pool.get(), few_keys("eurosys20", true), 1);
  populate(workload);
  EXPECT_EQ(joined(workload.violations()), "");
  auto& set = pool.get().root<sets::Data<TypeParam>>("sets").set;
  TM_BEGIN { set.insert(200); } TM_END;
  EXPECT_NE(joined(workload.violations()).find("key 200 was never added"), std::string::npos);
  TM_BEGIN {
    set.erase(200);
    set.erase(7);
  } TM_END;
  EXPECT_NE(joined(workload.violations()).find("is 199, but populated is 200"), std::string::npos);
}

}  // namespace
}  // namespace perdure::benchmarks
