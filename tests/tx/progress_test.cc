// Progress: the hourglass lets a transaction finish that keeps losing, one after the other in the order they asked.
#include <atomic>
#include <thread>
#include <vector>

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

TEST_F(Progress, LongTransactionFinishesAmongShortOnesThatConflictWithIt) {
  constexpr int places = 1000;
  constexpr int long_ones = 5;
  auto* const shared = words(places);
  std::atomic<bool> done{false};
  std::vector<std::thread> short_ones;
  for (int thread = 0; thread < 3; ++thread)
    short_ones.emplace_back([&, thread] {
      std::uint64_t random = static_cast<std::uint64_t>(thread) + 1;
      while (!done) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        auto& place = shared[(random >> 40) % places];
        transact([&] { write(place, read(place) + 1); });
      }
    });
  for (int i = 0; i < long_ones; ++i)
    transact([&] {
      for (int place = 0; place < places; ++place) {
        write(shared[place], read(shared[place]) + 1);
        if (place % 100 == 0) std::this_thread::yield();  // so that others get in between
      }
    });
  done = true;
  for (std::thread& thread : short_ones) thread.join();
  for (int place = 0; place < places; ++place) EXPECT_GE(shared[place], static_cast<std::uint64_t>(long_ones));
}

TEST_F(Progress, ThreadsComeAndGo) {
  auto* const shared = words(1);
  constexpr int count = 10'000;
  for (int i = 0; i < count; ++i) std::thread([&] { transact([&] { write(shared[0], read(shared[0]) + 1); }); }).join();
  EXPECT_EQ(shared[0], static_cast<std::uint64_t>(count));
  std::size_t slots = 0;
  sched::thread_registry.for_each([&](const sched::ThreadSlot&) { ++slots; });
  EXPECT_LT(slots, 10U) << "slots are reused";
  if (library_is_durable()) EXPECT_LT(std::filesystem::file_size(pool().path()), 16U << 20) << "and so is log space";
}

}  // namespace
}  // namespace perdure
