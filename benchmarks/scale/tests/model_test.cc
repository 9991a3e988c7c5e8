// The model of scaling, where one can say what must come out.
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>

#include "experiments.h"

namespace perdure::scale {
namespace {

class Concurrent : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, Concurrent,
                         testing::Values("orec_lazy", "orec_eager", "orec_mixed", "norec", "tlrw", "ring"));

class Locks : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, Locks, testing::Values("lock_eager", "lock_lazy"));

TEST_P(Concurrent, OneThreadTakesWhatItsTransactionTakes) {
  EXPECT_NEAR(throughput(GetParam(), "ip", 1, disjoint(1, 10), body_only()), 1e6, 1e4);
}

TEST_P(Concurrent, DisjointTransactionsScaleWhereNothingIsShared) {
  if (std::string(GetParam()) == "ring") GTEST_SKIP() << "its filters confuse locations";
  // NOrec's commits exclude each other, but take no time here.
  EXPECT_NEAR(speedup(GetParam(), "ip", 32, disjoint(32, 10), body_only()), 32, 1);
}

TEST_P(Concurrent, ReadersScale) {
  if (std::string(GetParam()) == "tlrw") GTEST_SKIP() << "its readers write to locks";
  Costs costs = body_only();
  costs.transfer = 100;
  EXPECT_NEAR(speedup(GetParam(), "ip", 64, all_the_same(64, {read_of(0), read_of(far_apart)}), costs), 64, 1);
}

TEST_P(Concurrent, WritersOfOneWordTakeTurns) {
  Costs costs = body_only();
  costs.fence = 2000;
  const auto streams = all_the_same(16, {read_of(0), write_of(0)});
  EXPECT_LT(speedup(GetParam(), "ip", 16, streams, costs), 2.5);
}

TEST_P(Concurrent, ConflictsAbort) {
  if (std::string(GetParam()) == "tlrw") GTEST_SKIP() << "waits first";
  const auto streams = all_the_same(4, {read_of(0), write_of(0)});
  EXPECT_GT(simulate({GetParam(), "ip", 4, 1e6, 1}, streams, body_only()).aborts_per_commit, 0.01);
  EXPECT_EQ(simulate({GetParam(), "ip", 1, 1e6, 1}, streams, body_only()).aborts_per_commit, 0);
}

TEST(Clock, BoundsTheThroughputOfDisjointWriters) {
  Costs costs = body_only();
  costs.transfer = 100;
  // The line with the clock changes hands at every commit, and no faster.
  const double most = throughput("orec_lazy", "ip", 64, disjoint(64, 10), costs);
  EXPECT_LE(most, 1e9 / costs.transfer * 1.01);
  EXPECT_GE(most, 1e9 / costs.transfer * 0.3);
}

TEST(Tlrw, ReadersOfOneLocationHandItsLineOn) {
  Costs costs = body_only();
  costs.transfer = 100;
  const double most = throughput("tlrw", "ip", 64, all_the_same(64, {read_of(0)}), costs);
  EXPECT_LE(most, 1e9 / costs.transfer * 1.01);
  EXPECT_GE(most, 1e9 / costs.transfer * 0.4) << "to begin and to end the read";
}

TEST(Norec, CommitsExcludeEachOther) {
  Costs costs = body_only();
  costs.fence = 500;
  const double most = throughput("norec", "fast", 32, disjoint(32, 10), costs);
  EXPECT_LE(most, 1e9 / costs.fence * 1.01);
  EXPECT_GE(most, 1e9 / costs.fence * 0.7);
  EXPECT_GT(throughput("orec_lazy", "fast", 32, disjoint(32, 10), costs), 5 * most);
}

TEST(Ring, CommitsThatDoNotMeetOverlap) {
  Costs costs = body_only();
  costs.fence = 500;
  costs.body = 100;
  EXPECT_GT(speedup("ring", "fast", 4, disjoint(4, 2), costs), 2);
}

TEST_P(Locks, ThroughputIsThatOfTheHolder) {
  Costs costs = body_only();
  const double alone = 1e9 / costs.body;
  EXPECT_NEAR(throughput(GetParam(), "ip", 1, disjoint(8, 10), costs), alone, alone * 0.01);
  EXPECT_NEAR(throughput(GetParam(), "ip", 8, disjoint(8, 10), costs), alone, alone * 0.01);
}

TEST_P(Locks, WorkOutsideOverlapsWithTheHolder) {
  Costs costs = body_only();
  costs.outside = 10 * costs.body;
  EXPECT_NEAR(speedup(GetParam(), "ip", 4, disjoint(4, 10), costs), 4, 0.8);
}

TEST(Locks, FencesAreHeldThrough) {
  Costs costs = body_only();
  costs.fence = 1000;
  // One write: activation, the old value, the data, the end of the record.
  const double four = 1e9 / (costs.body + 4 * costs.fence);
  const double one = 1e9 / (costs.body + costs.fence);
  EXPECT_NEAR(throughput("lock_eager", "ip", 1, disjoint(1, 2), costs), four, four * 0.02);
  EXPECT_NEAR(throughput("lock_lazy", "ip", 1, disjoint(1, 2), costs), four, four * 0.02);
  EXPECT_NEAR(throughput("lock_lazy", "fast", 1, disjoint(1, 2), costs), one, one * 0.02);
}

/// What one thread's transactions take that write so many words, in fences.
double fences(const std::string& algorithm, const std::string& mode, std::uint32_t writes) {
  Costs costs = body_only();
  costs.fence = 1000;
  const double nanoseconds = 1e9 / throughput(algorithm, mode, 1, disjoint(1, 2 * writes), costs);
  return (nanoseconds - costs.body) / costs.fence;
}

// As tests/tx/flush_counts_test.cc counts them.
TEST(Fences, AreThoseOfTheMode) {
  for (const std::uint32_t writes : {1U, 8U}) {
    for (const char* mode : {"naive", "gp", "ip", "gpw"}) {
      const double activation = std::string(mode) == "gpw" ? 0 : 1;
      EXPECT_NEAR(fences("orec_lazy", mode, writes), 4, 0.1) << mode;
      EXPECT_NEAR(fences("orec_eager", mode, writes), writes + 2 + activation, 0.1) << mode;
      EXPECT_NEAR(fences("tlrw", mode, writes), std::string(mode) == "naive" ? writes + 3 : 3 + activation, 0.1)
          << mode;
    }
  }
}

TEST(Quiescence, WaitsForTheLongest) {
  auto streams = disjoint(2, 2);
  streams[1].transactions[0].reads *= 100;  // a hundred times as long, and half as long as the average
  const double waits = throughput("orec_lazy", "gp", 2, streams, body_only());
  EXPECT_GT(throughput("orec_lazy", "ip", 2, streams, body_only()), 5 * waits);
  EXPECT_GT(throughput("orec_lazy", "gpw", 2, streams, body_only()), 5 * waits) << "nobody uses other memory";
  EXPECT_LT(throughput("orec_lazy", "naive", 2, streams, body_only()), 1.1 * waits);
  EXPECT_GT(throughput("tlrw", "gp", 2, streams, body_only()), 5 * waits) << "it has no need to";
}

/// Two threads that do not meet: but when one has committed, the other validates what it has read.
double pace_of_validation(const std::string& algorithm, std::uint32_t reads, std::uint32_t noted) {
  auto streams = disjoint(2, 2);
  for (Stream& stream : streams) {
    stream.transactions[0].reads = reads;
    stream.transactions[0].read_set = noted;
  }
  Costs costs = body_only();
  costs.validate = 20;
  return throughput(algorithm, "ip", 2, streams, costs);
}

TEST(Validation, LooksAtAllThatWasNotedOfAStripe) {
  for (const char* algorithm : {"orec_lazy", "orec_eager", "orec_mixed"})
    EXPECT_GT(pace_of_validation(algorithm, 100, 1), 1.3 * pace_of_validation(algorithm, 100, 100)) << algorithm;
  EXPECT_GT(pace_of_validation("norec", 1, 1), 1.3 * pace_of_validation("norec", 100, 1)) << "every value";
}

TEST(Retirement, LooksAtAllThreadsAtOnce) {
  Costs costs = body_only();
  costs.transfer = 100;
  costs.next_transfer = 10;
  costs.body = 20'000;
  const Outcome outcome = simulate({"orec_lazy", "ip", 64, 4e6, 1}, disjoint(64, 2), costs);
  EXPECT_GT(outcome.spent.retiring, 500);
  EXPECT_LT(outcome.spent.retiring, 2000) << "two looks; one line after the other, each would take 6,300 ns";
}

TEST(Retirement, KeepsOthersFromFinishingForOneFence) {
  Costs costs = body_only();
  costs.fence = 500;
  // Who drains the queue retires all that can be with one fence, for which the others wait together.
  for (const char* mode : {"gp", "ip", "gpw"})
    EXPECT_GT(throughput("orec_lazy", mode, 64, disjoint(64, 2), costs), 10e9 / costs.fence) << mode;
  EXPECT_GT(simulate({"orec_lazy", "ip", 64, 1e6, 1, true}, disjoint(64, 2), costs).transactions_per_second,
            10e9 / costs.fence)
      << "as published";
  EXPECT_GT(throughput("orec_lazy", "fast", 64, disjoint(64, 2), costs), 10e9 / costs.fence) << "has no such queue";
}

TEST(Bandwidth, IsSharedByAll) {
  Costs costs = body_only();
  costs.shared_flush = 50;
  for (const char* algorithm : {"orec_eager", "tlrw"}) {
    const auto lines = 2;  // at least: the old value, and the new one
    EXPECT_LE(throughput(algorithm, "ip", 64, disjoint(64, 2), costs), 1.01e9 / (lines * costs.shared_flush));
    EXPECT_NEAR(throughput(algorithm, "stm", 64, disjoint(64, 2), costs), 64e9 / costs.body, 1e6) << "flushes nothing";
  }
}

TEST(TimeSpent, IsAllTheTimeThereIs) {
  Costs costs = body_only();
  costs.fence = 100;
  costs.transfer = 50;
  costs.pause = 10;
  const auto streams = all_the_same(8, {read_of(0), write_of(far_apart), write_of(0)});
  for (const char* algorithm : {"orec_lazy", "orec_eager", "norec", "tlrw", "ring"}) {
    for (const char* mode : {"naive", "gp", "ip", "fast"}) {
      const Outcome outcome = simulate({algorithm, mode, 8, 4e6, 1}, streams, costs);
      const TimeSpent& spent = outcome.spent;
      const double all = spent.running + spent.committing + spent.retiring + spent.waiting + spent.in_vain;
      const double each = 8e9 / outcome.transactions_per_second;
      EXPECT_NEAR(all, each, 0.1 * each) << algorithm << ' ' << mode;
    }
  }
}

TEST(Hourglass, LetsALongTransactionFinish) {
  std::vector<Stream> streams;
  std::vector<Access> all;
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    streams.push_back(stream_of({write_of(thread * far_apart)}));
    all.push_back(read_of(thread * far_apart));
  }
  all.push_back(write_of(3 * far_apart));
  streams.push_back(stream_of(all));
  streams[3].transactions[0].reads = 3000;  // so its body takes 4,000 ns, and that of the others next to nothing
  Costs costs = body_only();
  costs.transaction = 500;
  EXPECT_GT(simulate({"orec_lazy", "ip", 4, 2e7, 1}, streams, costs).hourglass_turns_per_commit, 0);
}

TEST(Simulation, IsTheSameForTheSameSeed) {
  Costs costs = body_only();
  costs.transfer = 70;
  costs.pause = 20;
  const auto streams = all_the_same(8, {read_of(0), write_of(far_apart), write_of(0)});
  const auto run = [&](std::uint64_t seed) {
    return simulate({"orec_lazy", "ip", 8, 1e6, seed}, streams, costs).aborts_per_commit;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(Simulation, RefusesWhatItDoesNotModel) {
  EXPECT_THROW(simulate({"none", "ip", 1, 1e6, 1}, disjoint(1, 1), {}), std::invalid_argument);
  EXPECT_THROW(simulate({"orec_lazy", "none", 1, 1e6, 1}, disjoint(1, 1), {}), std::invalid_argument);
  EXPECT_THROW(simulate({"orec_lazy", "ip", 2, 1e6, 1}, disjoint(1, 1), {}), std::invalid_argument);
}

TEST(Calibration, MakesOneThreadAsFastAsMeasured) {
  Costs costs;
  costs.fence = 100;
  costs.flush = 10;
  const Experiment experiment{"orec_lazy", "gp", 1, 1e6, 1};
  const auto streams = disjoint(1, 20);
  const Costs calibrated = calibrate(costs, experiment, streams, 5000);
  EXPECT_NEAR(simulate(experiment, streams, calibrated).transactions_per_second, 1e9 / 5000, 2e3);
}

TEST(Costs, AreReadByName) {
  std::istringstream in("fence 12.5\nbody 3\n");
  const Costs costs = read_costs(in);
  EXPECT_EQ(costs.fence, 12.5);
  EXPECT_EQ(costs.body, 3);
  std::istringstream unknown("fense 1\n");
  EXPECT_THROW(read_costs(unknown), std::runtime_error);
  std::istringstream negative("fence -1\n");
  EXPECT_THROW(read_costs(negative), std::runtime_error);
}

}  // namespace
}  // namespace perdure::scale
