// Progress, whatever the algorithm: long transactions finish among short ones, and no thread starves.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <string>

#include "sched/hourglass.h"
#include "tests/isolation/campaign.h"
#include "tests/isolation/in_parallel.h"
#include "tests/tx/by_hand.h"

namespace perdure {
namespace {

using namespace by_hand;

constexpr unsigned threads = 4;
using Counts = std::array<std::atomic<std::uint64_t>, threads>;

std::uint64_t sum(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

class LongTransaction : public PoolTest {
 protected:
  static constexpr std::size_t places = 64;

  LongTransaction() : shared_(words(places)) {}

  void short_transactions(unsigned thread) {
    std::minstd_rand random(thread);
    while (!is_over_) {
      const std::size_t place = random() % places;
      transact([&] { write(shared_[place], read(shared_[place]) + 1); });
      ++commits_[thread];
    }
  }

  /// Reads and writes every place, and before the last gives the others time to commit: an optimistic one is then
  /// aborted as long as the others may begin.
  void long_transaction() {
    unsigned attempts = 0;
    std::uint64_t commits_at_turn = 0;
    transact([&] {
      ++attempts;
      // From here on the hourglass is this transaction's.
      if (attempts == sched::Hourglass::threshold + 1) commits_at_turn = sum(commits_);
      for (std::size_t i = 0; i < places; ++i) {
        if (i == places - 1 && attempts <= sched::Hourglass::threshold) wait_for_commits();
        write(shared_[i], read(shared_[i]) + 1);
      }
    });
    attempts_ += attempts;
    // Each of the others may have been running, and may have committed without having counted it.
    if (attempts > sched::Hourglass::threshold) EXPECT_LE(sum(commits_), commits_at_turn + 2 * (threads - 1));
  }

  /// Not for long: they may be waiting for this transaction's locks.
  void wait_for_commits() const {
    const std::uint64_t enough = sum(commits_) + 5;
    for (int patience = 0; patience < 5 && sum(commits_) < enough; ++patience)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }

  std::uint64_t* shared_;
  std::atomic<bool> is_over_{false};
  Counts commits_{};
  unsigned attempts_ = 0;
};

TEST_F(LongTransaction, FinishesAmongShortOnesThatConflictWithIt) {
  const unsigned long_ones = is_long_campaign() ? 10 : 1;
  in_parallel(threads, [&](unsigned number) {
    if (number != 0) return short_transactions(number);
    for (unsigned i = 0; i < long_ones; ++i) long_transaction();
    is_over_ = true;
  });
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < places; ++i) total += shared_[i];
  EXPECT_EQ(total, long_ones * places + sum(commits_));
  EXPECT_FALSE(sched::hourglass.is_turned());
  RecordProperty("long_transactions", static_cast<int>(long_ones));
  RecordProperty("attempts", static_cast<int>(attempts_));
}

class Fairness : public PoolTest {};

/// All threads do the same to the same words, until the slowest has done enough: which ends only if none starves.
TEST_F(Fairness, NoThreadStarves) {
  const std::uint64_t enough = is_long_campaign() ? 2'000 : 100;
  auto* const shared = words(8);
  Counts commits{};
  in_parallel(threads, [&](unsigned number) {
    while (std::ranges::any_of(commits, [&](const auto& each) { return each < enough; })) {
      transact([&] {
        for (int i = 0; i < 8; ++i) {
          write(shared[i], read(shared[i]) + 1);
          // Otherwise the shares would be those of the scheduler's time slices.
          if (i == 4) std::this_thread::yield();
        }
      });
      ++commits[number];
    }
  });
  for (int i = 0; i < 8; ++i) EXPECT_EQ(shared[i], sum(commits));
  for (unsigned number = 0; number < threads; ++number)
    RecordProperty("commits_of_thread_" + std::to_string(number), std::to_string(commits[number]));
}

/// Two threads of serial transactions, two of ordinary ones, which read and write the same: neither keeps the other
/// from going on.
TEST_F(Fairness, SerialTransactionsAndOthersTakeTurns) {
  const std::uint64_t enough = is_long_campaign() ? 1'000 : 50;
  auto* const shared = words(8);
  Counts commits{};
  in_parallel(threads, [&](unsigned number) {
    auto add = [&] {
      for (int i = 0; i < 8; ++i) {
        write(shared[i], read(shared[i]) + 1);
        if (i == 4) std::this_thread::yield();
      }
    };
    while (std::ranges::any_of(commits, [&](const auto& each) { return each < enough; })) {
      if (number % 2 == 0)
        transact_serially(add);
      else
        transact(add);
      ++commits[number];
    }
  });
  for (int i = 0; i < 8; ++i) EXPECT_EQ(shared[i], sum(commits));
  EXPECT_FALSE(sched::hourglass.is_turned());
  RecordProperty("serial_commits", std::to_string(commits[0] + commits[2]));
  RecordProperty("commits_beside_serial", std::to_string(commits[1] + commits[3]));
}

}  // namespace
}  // namespace perdure
