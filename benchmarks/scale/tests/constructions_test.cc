// The model of the universal constructions, where one can say what must come out.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "experiments.h"

namespace perdure::scale {
namespace {

struct Construction {
  const char* algorithm;
  const char* mode;
  double updates_at_once = 1;  ///< how many two threads make: of CX, each makes all in its own copy, one thread in two
};

std::ostream& operator<<(std::ostream& out, const Construction& construction) {
  return out << construction.algorithm << '_' << construction.mode;
}

constexpr Construction redo_opt = {"redo_opt", "twin"};
constexpr Construction redo_helped = {"redo", "helped"};
constexpr Construction redo_timed = {"redo", "timed"};
constexpr Construction cx = {"cx", "ptm", 2};

double throughput(const Construction& construction, unsigned threads, const std::vector<Stream>& streams,
                  const Costs& costs) {
  return scale::throughput(construction.algorithm, construction.mode, threads, streams, costs);
}

double speedup(const Construction& construction, unsigned threads, const std::vector<Stream>& streams,
               const Costs& costs) {
  return throughput(construction, threads, streams, costs) / throughput(construction, 1, streams, costs);
}

class Constructions : public testing::TestWithParam<Construction> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, Constructions, testing::Values(redo_opt, redo_helped, redo_timed, cx));

TEST_P(Constructions, OneThreadTakesWhatItsTransactionTakes) {
  EXPECT_NEAR(throughput(GetParam(), 1, disjoint(1, 10), body_only()), 1e6, 1e4);
}

TEST_P(Constructions, AnUpdateTakesTwoFences) {
  Costs costs = body_only();
  costs.fence = 1000;
  const double nanoseconds = 1e9 / throughput(GetParam(), 1, disjoint(1, 10), costs);
  EXPECT_NEAR((nanoseconds - costs.body) / costs.fence, 2, 0.05);
}

TEST_P(Constructions, ReadersScale) {
  Costs costs = body_only();
  costs.transfer = 100;
  EXPECT_NEAR(speedup(GetParam(), 64, all_the_same(64, {read_of(0), read_of(far_apart)}), costs), 64, 1);
}

TEST_P(Constructions, ReadersFenceNothing) {
  Costs costs = body_only();
  costs.fence = 1000;
  EXPECT_NEAR(throughput(GetParam(), 1, all_the_same(1, {read_of(0)}), costs), 1e6, 1e4);
}

/// Updates are made one behind the other, whoever makes them, and whether or not they meet.
TEST_P(Constructions, UpdatesTakeTurns) {
  for (const unsigned threads : {2U, 8U, 64U})
    EXPECT_LT(throughput(GetParam(), threads, disjoint(threads, 10), body_only()), 1.05e6 * GetParam().updates_at_once)
        << threads;
}

TEST_P(Constructions, WhoMakesUpdatesOfOthersSharesTheFencesWithThem) {
  Costs costs = body_only();
  costs.body = 100;
  costs.fence = 2000;
  EXPECT_GT(speedup(GetParam(), 16, disjoint(16, 10), costs), 6);
}

/// A reader that takes as long as twenty updates keeps one waiting only where there are two copies.
TEST_P(Constructions, UpdatesGoOnBesideALongReader) {
  auto streams = disjoint(2, 2);
  streams[0] = stream_of(std::vector<Access>(1, read_of(0)));
  streams[0].transactions[0].reads = 40;
  streams[1].transactions[0] = {2, 1, 1, 1, 0, 0};
  const double both = throughput(GetParam(), 2, streams, body_only());
  const bool has_two_copies = std::string(GetParam().algorithm) == "redo_opt";
  EXPECT_EQ(both < 4e6, has_two_copies) << both;
}

// Redo-PTM's threads make the same updates side by side; in RedoTimed-PTM the others wait for the one that has the
// latest copy. (EuroSys'20, Table 1.)
TEST(Timed, CopiesLess) {
  Costs costs = body_only();
  costs.write_chunk = 200;
  costs.transfer = 100;
  costs.next_transfer = 50;
  EXPECT_GT(throughput(redo_timed, 4, disjoint(4, 40), costs),
            1.1 * throughput(redo_helped, 4, disjoint(4, 40), costs));
}

}  // namespace
}  // namespace perdure::scale
