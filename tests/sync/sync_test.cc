#include <gtest/gtest.h>

#include <bit>
#include <mutex>
#include <thread>
#include <vector>

#include "sched/hourglass.h"
#include "sync/byte_lock.h"
#include "sync/fair_lock.h"
#include "sync/ring.h"
#include "sync/ticket_lock.h"

namespace perdure {
namespace {

std::size_t bits_of(const sync::Filter& filter) {
  std::size_t result = 0;
  for (std::size_t i = 0; i < sync::Filter::words; ++i)
    result += static_cast<std::size_t>(std::popcount(filter.word(i)));
  return result;
}

TEST(Filter, UsesAllOfItsBits) {
  sync::Filter filter;
  for (std::uintptr_t i = 0; i < 20'000; ++i) filter.add(i * sync::Filter::granule_bytes);
  EXPECT_EQ(bits_of(filter), 1024U);
}

TEST(Filter, HasABitForEachGranuleOfARange) {
  sync::Filter filter;
  filter.add(0, 4 * sync::Filter::granule_bytes);
  EXPECT_EQ(bits_of(filter), 4U);
  sync::Filter first;
  first.add(1);
  sync::Filter same;
  same.add(sync::Filter::granule_bytes - 1);
  for (std::size_t i = 0; i < sync::Filter::words; ++i) EXPECT_EQ(first.word(i), same.word(i));
}

TEST(ByteLock, LiesInOneLine) {
  for (std::uintptr_t address = 0; address < 64 * 32; address += 32) {
    const auto lock = reinterpret_cast<std::uintptr_t>(&sync::byte_lock_table.of(reinterpret_cast<void*>(address)));
    EXPECT_EQ(lock % 64, 0U);
  }
}

TEST(ByteLock, ReadersBeyondTheNumberedOnesAreCounted) {
  sync::ByteLock lock{};
  const int owner = 0;
  EXPECT_TRUE(lock.try_read({}));
  EXPECT_TRUE(lock.try_read({}));
  EXPECT_TRUE(lock.has_other_readers(sync::ReaderSlot(0), false));
  EXPECT_TRUE(lock.has_other_readers({}, true)) << "one of the two is another";
  lock.end_read({});
  EXPECT_FALSE(lock.has_other_readers({}, true));
  EXPECT_TRUE(lock.try_own(&owner));
  EXPECT_FALSE(lock.try_read({}));
  EXPECT_FALSE(lock.try_own(&lock));
  lock.end_own();
  EXPECT_TRUE(lock.try_read({}));
}

/// Threads that take one after the other what this one has, and give it up again. \returns their order.
template <class Take, class GiveUp>
std::vector<int> pass_on(Take&& take, GiveUp&& give_up) {
  take();
  constexpr int threads = 8;
  std::vector<int> order;
  std::vector<std::thread> waiting;
  std::atomic<int> asking{0};
  for (int number = 0; number < threads; ++number) {
    waiting.emplace_back([&, number] {
      asking.store(number + 1);
      take();
      order.push_back(number);  // it is this thread's turn alone
      give_up();
    });
    while (asking.load() != number + 1) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // until it has its ticket, and waits
  }
  give_up();
  for (std::thread& thread : waiting) thread.join();
  return order;
}

const std::vector<int> order_of_asking = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(Hourglass, IsPassedOnInTheOrderOfAsking) {
  sched::Hourglass hourglass;
  EXPECT_EQ(pass_on([&] { hourglass.turn(); }, [&] { hourglass.release(); }), order_of_asking);
  EXPECT_FALSE(hourglass.is_turned());
}

TEST(TicketLock, IsPassedOnInTheOrderOfAsking) {
  sync::TicketLock lock;
  EXPECT_EQ(pass_on([&] { lock.lock(); }, [&] { lock.unlock(); }), order_of_asking);
}

template <class Lock>
class Locks : public testing::Test {};
using AllLocks = testing::Types<sync::SpinLock, sync::TicketLock, sync::FairLock>;
TYPED_TEST_SUITE(Locks, AllLocks);

/// With more threads than a mask of sleepers has bits, and owners that are not always running.
TYPED_TEST(Locks, AreHeldByOneThread) {
  TypeParam lock;
  constexpr int threads = 40;
  constexpr int rounds = 100;
  int count = 0;
  std::vector<std::thread> counting;
  for (int number = 0; number < threads; ++number)
    counting.emplace_back([&, number] {
      for (int i = 0; i < rounds; ++i) {
        const std::scoped_lock guard(lock);
        ++count;
        if (i % threads == number) std::this_thread::yield();
      }
    });
  for (std::thread& thread : counting) thread.join();
  EXPECT_EQ(count, threads * rounds);
}

/// One thread asks again as soon as it has released the lock, until the others have had their turn.
TEST(FairLock, LetsEverybodyThrough) {
  sync::FairLock lock;
  std::atomic<int> served{0};
  constexpr int threads = 4;
  std::vector<std::thread> asking;
  for (int number = 0; number < threads; ++number)
    asking.emplace_back([&] {
      const std::scoped_lock guard(lock);
      served.fetch_add(1);
    });
  while (served.load() != threads) {
    const std::scoped_lock guard(lock);
    for (int i = 0; i < 1'000; ++i) sync::pause();
  }
  for (std::thread& thread : asking) thread.join();
}

}  // namespace
}  // namespace perdure
