// What the recording library writes of long transactions over trees, and that the model runs them at the measured pace.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "calibration.h"
#include "pool/window.h"
#include "scale/trace.h"
#include "structures/tree_index.h"
#include "tests/scratch_pool.h"
#include "tpcc/workload.h"
#include "vacation/workload.h"

namespace perdure::benchmarks {
namespace {

using Stripes = std::set<std::uint32_t>;

template <class... Fields>
Stripes stripes_of(const Fields&... fields) {
  return {static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(&fields) - pool::window_base) /
                                     scale::stripe_bytes)...};
}

/// Those that a look-up passes through: the links, and the keys that it compares.
template <class Value>
Stripes path_to(const RedBlackTree<Value>& tree, Key key) {
  using Node = red_black_tree::Node<Value>;
  const Node* const* link = reinterpret_cast<const Node* const*>(&tree);  // its only member
  Stripes stripes = stripes_of(*link);
  for (; (*link)->key != key; link = &(*link)->child[key > (*link)->key])
    stripes.merge(stripes_of((*link)->key, (*link)->child[key > (*link)->key]));
  stripes.merge(stripes_of((*link)->key, (*link)->value));
  return stripes;
}

/// What a thread does in a pool, recorded.
class Recorded : public testing::Test {
 protected:
  Recorded() : path_(testing::TempDir() + "perdure_recorded_" + std::to_string(::getpid())) {
    ::setenv("RECORD_TRACE", path_.c_str(), 1);
  }
  ~Recorded() override { std::filesystem::remove(path_); }

  template <class Function>
  std::vector<scale::Stream> record(Function function) {
    std::thread(function).join();
    return scale::read_trace(path_, 1);
  }

  template <class W>
  std::vector<scale::Stream> record_steps(W& workload, int steps) {
    return record([&] {
      auto worker = workload.worker(Share{0, 1, 1});
      for (int step = 0; step < steps; ++step) worker.step();
    });
  }

  ScratchPool pool_;

 private:
  const std::string path_;
};

Stripes stripes(const std::vector<scale::Access>& accesses, bool is_write) {
  Stripes found;
  for (const scale::Access& access : accesses)
    if ((access.is_write != 0) == is_write) found.insert(access.stripe);
  return found;
}

int written_words(const std::vector<scale::Access>& accesses) {
  int words = 0;
  for (const scale::Access& access : accesses) words += access.is_write != 0 ? std::popcount(access.words) : 0;
  return words;
}

vacation::Parameters small_agency() {
  auto parameters = vacation::Parameters::preset("high_small");
  parameters.scale.relations = 300;
  return parameters;
}

class RecordedVacation : public Recorded {
 protected:
  RecordedVacation() : agency_(pool_.get(), small_agency(), 1) { populate(agency_); }

  vacation::Agency agency_;
};

class RecordedTpcc : public Recorded {
 protected:
  static constexpr std::uint32_t lines = 3;  // of each order

  RecordedTpcc() : orders_(pool_.get(), parameters(), 1) { populate(orders_); }

  tpcc::NewOrderWorkload<TreeIndex> orders_;

 private:
  static tpcc::Parameters parameters() {
    auto parameters = tpcc::Parameters::preset("pact19");
    parameters.scale.customers_per_district = 100;
    parameters.scale.items = 5000;
    parameters.fewest_lines = parameters.most_lines = lines;
    return parameters;
  }
};

TEST_F(RecordedVacation, AReservationReadsTheWaysToItsRowsAndWritesThese) {
  auto& database = pool_.get().root<vacation::Database>("vacation");
  constexpr std::uint32_t customer_id = 7, offer_id = 13;
  constexpr std::size_t kind = 1;
  const vacation::Customer& customer = *vacation::find_customer(database, customer_id);
  const vacation::Offer& offer = *vacation::find_offer(database, kind, offer_id);
  ASSERT_EQ(customer.bookings, nullptr);

  Stripes read = stripes_of(customer.bookings, offer.free, offer.price, offer.used);
  read.merge(path_to(database.customers, customer_id));
  read.merge(path_to(database.offers[kind], offer_id));

  const auto streams = record([&] {
    TM_BEGIN {
      auto& served = *vacation::find_or_add_customer(database, customer_id);
      vacation::reserve(database, served, kind, offer_id);
    } TM_END;
  });
  ASSERT_EQ(streams[0].transactions.size(), 1U);
  EXPECT_EQ(stripes(streams[0].accesses, false), read);
  EXPECT_GT(read.size(), 12U) << "two trees of 300 keys";
  EXPECT_EQ(stripes(streams[0].accesses, true), stripes_of(customer.bookings, offer.used, offer.free));
  EXPECT_EQ(written_words(streams[0].accesses), 3);
  EXPECT_EQ(streams[0].transactions[0].captured_lines, 1U) << "the booking";
}

TEST_F(RecordedTpcc, AnOrderOverTreesReadsManyNodesAndWritesTheFieldsThatItHasTo) {
  const auto streams = record_steps(orders_, 200);
  ASSERT_EQ(streams[0].transactions.size(), 200U);
  // The number of the district's next order; quantity, sum and count of each stock row; and where no leaf is split, for
  // each row that is inserted the key, the row's address and the order of the leaf.
  constexpr std::uint32_t inserted = 2 + lines;
  constexpr std::uint32_t fewest_writes = 1 + 3 * lines + 3 * inserted;
  constexpr std::uint32_t found = 3 + 2 * lines;
  // A look-up in a tree of one level reads its root, the height, the order of the root's entries and one of them.
  constexpr std::uint32_t fewest_reads = 4 * (found + inserted);
  std::uint32_t of_fewest = 0;
  for (const scale::TransactionShape& order : streams[0].transactions) {
    EXPECT_GE(order.writes, fewest_writes);
    EXPECT_GE(order.reads, fewest_reads);
    EXPECT_GE(order.captured_lines, inserted);
    of_fewest += order.writes == fewest_writes;
  }
  EXPECT_GT(of_fewest, 60U) << "a leaf is split every eighth insertion or so";
}

/// The district's number is a word of one stripe, whatever else an order is about.
TEST_F(RecordedTpcc, OrdersOfADistrictMeetInItsRow) {
  const auto streams = record_steps(orders_, 200);
  std::vector<Stripes> written;
  auto next = streams[0].accesses.begin();
  for (const scale::TransactionShape& order : streams[0].transactions) {
    written.push_back(stripes({next, next + order.accesses}, true));
    next += order.accesses;
  }
  auto& database = pool_.get().root<tpcc::Database<TreeIndex>>("tpcc");
  std::ptrdiff_t orders = 0;
  database.districts.for_each([&](const tpcc::District& district) {
    const std::uint32_t stripe = *stripes_of(district.next_order_id).begin();
    const auto meets = [&](const Stripes& of_order) { return of_order.contains(stripe); };
    const auto own = std::count_if(written.begin(), written.end(), meets);
    EXPECT_GE(own, 5);
    orders += own;
  });
  EXPECT_EQ(orders, 200) << "each belongs to one of ten";
}

/// One simulated thread, with what things might cost.
double simulated_nanoseconds(const std::string& algorithm, const std::string& mode,
                             const std::vector<scale::Stream>& streams, double measured) {
  scale::Costs costs;
  costs.outside = 50;
  costs.transaction = 40;
  costs.read = costs.read_stripe = 2;
  costs.write = 4;
  costs.flush = 3;
  costs.fence = 60;
  costs.transfer = 100;
  const scale::Experiment experiment{algorithm, mode, 1, 200 * measured, 1};
  return 1e9 / simulate(experiment, streams, calibrate(costs, experiment, streams, measured)).transactions_per_second;
}

void expect_reproduced(const std::vector<scale::Stream>& streams, double measured) {
  for (const char* algorithm : {"lock_eager", "orec_lazy", "orec_eager", "norec", "tlrw", "ring"})
    for (const char* mode : {"naive", "gp", "ip"})
      EXPECT_NEAR(simulated_nanoseconds(algorithm, mode, streams, measured), measured, measured * 0.05)
          << algorithm << ' ' << mode;
}

TEST_F(RecordedVacation, TheModelReproducesOneThread) { expect_reproduced(record_steps(agency_, 200), 10'000); }

TEST_F(RecordedTpcc, TheModelReproducesOneThread) { expect_reproduced(record_steps(orders_, 200), 30'000); }

}  // namespace
}  // namespace perdure::benchmarks
