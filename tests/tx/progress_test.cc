// Progress: the hourglass lets a transaction finish that keeps losing, one after the other in the order they asked.
#include <atomic>
#include <thread>

#include "by_hand.h"
#include "sched/hourglass.h"

namespace perdure {
namespace {

using namespace by_hand;

class Progress : public PoolTest {};

TEST_F(Progress, DistressedTransactionTakesTheHourglassAndReturnsIt) {
  auto* const shared = words(1);
  const std::uint64_t before = statistics().hourglass_turns;
  unsigned attempts = 0;
  transact([&] {
    write(shared[0], 1);
    if (attempts++ < sched::Hourglass::threshold + 5) force_abort();
    EXPECT_TRUE(sched::hourglass.is_turned());
  });
  EXPECT_EQ(statistics().hourglass_turns, before + 1);
  EXPECT_FALSE(sched::hourglass.is_turned());
}

TEST_F(Progress, ExceptionFromADistressedTransactionReturnsTheHourglass) {
  unsigned attempts = 0;
  EXPECT_THROW(transact([&] {
                 if (attempts++ < sched::Hourglass::threshold + 1) force_abort();
                 throw 1;
               }),
               int);
  EXPECT_FALSE(sched::hourglass.is_turned());
}

TEST_F(Progress, NewAttemptsWaitForADistressedTransaction) {
  sched::hourglass.turn();
  std::atomic<bool> finished{false};
  std::thread other([&] {
    transact([] {});
    finished = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(finished);
  sched::hourglass.release();
  other.join();
  EXPECT_TRUE(finished);
}

}  // namespace
}  // namespace perdure
