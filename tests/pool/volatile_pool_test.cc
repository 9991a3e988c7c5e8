#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "alloc/heap.h"
#include "perdure/pool.h"
#include "pool_test.h"

namespace perdure {
namespace {

struct Counter {
  long value = 0;
};

class VolatilePoolTest : public testing::PoolTest {};

TEST_F(VolatilePoolTest, NeitherReadsNorWritesTheFile) {
  testing::write_all(path(), "something else");
  {
    Pool pool = Pool::open(path(), {.accept_volatile = true});
    EXPECT_EQ(pool.report().state, OpenReport::State::is_volatile);
    EXPECT_EQ(pool.report().medium, Medium::volatile_memory);
    Counter& counter = pool.root<Counter>("counter");
    TM_BEGIN { counter.value = 5; } TM_END;
  }
  EXPECT_EQ(testing::read_all(path()), "something else");
  Pool pool = Pool::open(path(), {.accept_volatile = true});
  EXPECT_EQ(pool.root<Counter>("counter").value, 0) << "nothing is kept";
}

TEST_F(VolatilePoolTest, NeedsNoDirectory) {
  Pool pool = Pool::open("/no/such/directory/a.pool", {.accept_volatile = true});
  EXPECT_NO_THROW(pool.root<Counter>("counter"));
}

TEST_F(VolatilePoolTest, KeepsToItsLimit) {
  const Pool pool = Pool::open(path(), {.size_limit = 4 << 20, .accept_volatile = true});
  std::size_t bytes = 0;
  while (alloc::current_heap()->allocate(10000) != nullptr) bytes += 10000;
  EXPECT_GT(bytes, 3u << 20);
  EXPECT_LT(bytes, 4u << 20);
}

TEST_F(VolatilePoolTest, IsInheritedByAForkedChild) {
  Pool pool = Pool::open(path(), {.accept_volatile = true});
  auto& map = pool.root<std::map<int, long>>("map");
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  const auto use = [&](int first) {
    TM_BEGIN {
      for (int key = first; key < first + 10; ++key) map[key] += 1;
      map.erase(first + 10);
    } TM_END;
  };
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      while (!is_over) use(100 * i);
    });
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(testing::in_child([&] {
                alarm(60);
                for (int first = 0; first < 400; first += 5) use(first);
                _exit(map.at(0) > 0 ? 0 : 1);
              }),
              0);
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_F(VolatilePoolTest, SaysSoOnceUnlessAccepted) {
  ::testing::internal::CaptureStderr();
  Pool::open(path(), {.accept_volatile = true});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ::testing::internal::CaptureStderr();
  Pool::open(path());
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(path().string()), said.npos);
  EXPECT_NE(said.find("volatile memory"), said.npos);
  ::testing::internal::CaptureStderr();
  Pool::open(path());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace perdure
