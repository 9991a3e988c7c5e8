#include <gtest/gtest.h>

#include "allocation/workload.h"
#include "fannkuch/workload.h"
#include "nbody/workload.h"
#include "scratch_pool.h"
#include "sps/workload.h"

namespace perdure::benchmarks {
namespace {

TEST(Fannkuch, AnswersAsTheGameDoes) {
  fannkuch::Board board{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {}};
  EXPECT_EQ(go_through_permutations(board, 7), (fannkuch::Answer{.checksum = 228, .most_flips = 16}));
  EXPECT_EQ(go_through_permutations(board, 8), (fannkuch::Answer{.checksum = 1616, .most_flips = 22}));
  EXPECT_EQ(go_through_permutations(board, 9), (fannkuch::Answer{.checksum = 8629, .most_flips = 30}));
}

TEST(FannkuchWorkload, KeepsItsInvariants) {
  EXPECT_EQ(wrong_after_run_and_reopening<fannkuch::Fannkuch>({{.elements = 6}}, 20), "");
}

TEST(FannkuchWorkload, TellsOfAWrongAnswerAndOfAnElementOutOfPlace) {
  ScratchPool pool;
  fannkuch::Fannkuch workload(pool.get(), {{.elements = 6}}, 1);
  populate(workload);
  run_two_workers(workload, 2);
  auto& data = pool.get().root<fannkuch::Data>("fannkuch");
  EXPECT_EQ(data.runs, 4U);
  TM_BEGIN { ++data.answer.checksum; } TM_END;
  EXPECT_NE(joined(workload.violations()).find("the checksum is"), std::string::npos);
  TM_BEGIN { data.board.elements[2] = 5; } TM_END;
  EXPECT_NE(joined(workload.violations()).find("element 2 is 5"), std::string::npos);
}

TEST(NBody, HasTheEnergyThatTheGameHas) {
  auto bodies = nbody::first_bodies();
  EXPECT_NEAR(nbody::energy(bodies), -0.169075164, 5e-10);
  for (int step = 0; step < 1000; ++step) nbody::advance(bodies);
  EXPECT_NEAR(nbody::energy(bodies), -0.169087605, 5e-10);
}

TEST(NBodyWorkload, KeepsItsInvariants) { EXPECT_EQ(wrong_after_run_and_reopening<nbody::Planets>({}, 500), ""); }

TEST(NBodyWorkload, TellsOfAStepThatIsLost) {
  ScratchPool pool;
  nbody::Planets workload(pool.get(), {}, 1);
  populate(workload);
  run_two_workers(workload, 50);
  EXPECT_EQ(joined(workload.violations()), "");
  auto& data = pool.get().root<nbody::Data>("nbody");
  TM_BEGIN { ++data.steps; } TM_END;
  EXPECT_NE(joined(workload.violations()).find("after 101 steps"), std::string::npos);
}

TEST(SwapsWorkload, SwapsAsOftenAsThereAreIntegers) {
  auto parameters = sps::Parameters::preset("atc20");
  parameters.scale.integers = 1000;
  EXPECT_EQ(wrong_after_run_and_reopening<sps::Swaps>(parameters, 3), "");
  ScratchPool pool;
  sps::Swaps workload(pool.get(), parameters, 1);
  populate(workload);
  workload.worker({0, 1, 7}).step();
  auto& data = pool.get().root<sps::Data<std::uint64_t*>>("sps");
  int moved = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) moved += data.integers[i] != i;
  EXPECT_GT(moved, 800);  // of e^2 integers one is in no swap
}

TEST(AllocationWorkload, FreesAllTrees) {
  auto parameters = allocation::Parameters::preset("atc20");
  parameters.depth = 6;
  EXPECT_EQ(wrong_after_run_and_reopening<allocation::Allocation>(parameters, 2), "");
}

}  // namespace
}  // namespace perdure::benchmarks
