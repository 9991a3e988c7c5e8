#include <gtest/gtest.h>

#include <bit>
#include <thread>
#include <vector>

#include "sched/hourglass.h"
#include "sync/byte_lock.h"
#include "sync/ring.h"

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

TEST(Hourglass, IsPassedOnInTheOrderOfAsking) {
  sched::Hourglass hourglass;
  hourglass.turn();
  constexpr int threads = 8;
  std::vector<int> order;
  std::vector<std::thread> waiting;
  std::atomic<int> asking{0};
  for (int number = 0; number < threads; ++number) {
    waiting.emplace_back([&, number] {
      asking.store(number + 1);
      hourglass.turn();
      order.push_back(number);  // it is this thread's turn alone
      hourglass.release();
    });
    while (asking.load() != number + 1) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // until it has its ticket
  }
  hourglass.release();
  for (std::thread& thread : waiting) thread.join();
  for (int number = 0; number < threads; ++number) EXPECT_EQ(order[static_cast<std::size_t>(number)], number);
  EXPECT_FALSE(hourglass.is_turned());
}

}  // namespace
}  // namespace perdure
