#include "perdure/roots.h"

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "alloc/heap.h"
#include "perdure/pool.h"
#include "pool_test.h"

namespace perdure {
namespace {

using Kind = PoolError::Kind;

struct Counter {
  long value = 0;
};
struct OtherCounter {
  long value = 0;
};
struct Wide {
  long values[4] = {};
};
struct alignas(256) Aligned {
  char bytes[300] = {};
};
struct Thrower {
  Thrower() { throw 42; }
};

class RootsTest : public testing::PoolTest {};

TEST_F(RootsTest, IsMadeOnceAndFoundAgain) {
  {
    Pool pool = Pool::open(path());
    Counter& counter = pool.root<Counter>("counter");
    EXPECT_EQ(counter.value, 0);
    EXPECT_TRUE(alloc::heap_of(&counter)->is_block(&counter));
    TM_BEGIN { counter.value = 5; } TM_END;
    EXPECT_EQ(&pool.root<Counter>("counter"), &counter);
    EXPECT_NE(&pool.root<Counter>("counter2"), &counter);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&pool.root<Aligned>("aligned")) % 256, 0u);
  }
  Pool pool = Pool::open(path());
  EXPECT_EQ(pool.root<Counter>("counter").value, 5);
}

TEST_F(RootsTest, SurvivesACrash) {
  const int status = testing::in_child([&] {
    Pool pool = Pool::open(path());
    auto& counter = pool.root<Counter>("counter");
    TM_BEGIN { counter.value = 7; } TM_END;
    kill(getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  Pool pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
  EXPECT_EQ(pool.root<Counter>("counter").value, 7);
}

TEST_F(RootsTest, OtherTypeIsRefusedWithBothNamed) {
  Pool pool = Pool::open(path());
  pool.root<Counter>("counter");
  EXPECT_TRUE(
      testing::refuses([&] { pool.root<OtherCounter>("counter"); }, Kind::root_type_mismatch, path(), "OtherCounter"));
  EXPECT_TRUE(
      testing::refuses([&] { pool.root<Wide>("counter"); }, Kind::root_type_mismatch, path(), "::Counter' (size 8"));
  EXPECT_EQ(pool.root<Counter>("counter").value, 0) << "and the root is as it was";
}

TEST_F(RootsTest, LongTypeNamesAreToldApartBeyondTheirCut) {
  using Map = std::map<std::string, std::map<std::string, std::map<std::string, std::map<std::string, std::string>>>>;
  using Deep = std::map<std::string, std::pair<Map, int>>;
  using Deeper = std::map<std::string, std::pair<Map, char>>;
  static_assert(sizeof(Deep) == sizeof(Deeper));
  ASSERT_GT(roots::type_name<Deep>().size(), roots::max_type_name_length);
  Pool pool = Pool::open(path());
  pool.root<Deep>("deep");
  EXPECT_TRUE(testing::refuses([&] { pool.root<Deeper>("deep"); }, Kind::root_type_mismatch, path(), "deep"));
}

TEST_F(RootsTest, NamesAreChecked) {
  Pool pool = Pool::open(path());
  for (const std::string& name : {std::string(), std::string(64, 'x'), std::string("a\0b", 3)})
    EXPECT_TRUE(testing::refuses([&] { pool.root<Counter>(name); }, Kind::usage, path(), "cannot name a root"));
  EXPECT_NE(&pool.root<Counter>(std::string(63, 'x')), &pool.root<Counter>(std::string(62, 'x')));
}

TEST_F(RootsTest, FullTableIsRefused) {
  Pool pool = Pool::open(path());
  for (std::size_t i = 0; i < roots::max_roots; ++i) pool.root<Counter>("root" + std::to_string(i));
  EXPECT_TRUE(testing::refuses([&] { pool.root<Counter>("one more"); }, Kind::usage, path(), "all 255"));
  EXPECT_EQ(pool.root<Counter>("root254").value, 0);
}

TEST_F(RootsTest, ConstructorThatThrowsLeavesNoRoot) {
  Pool pool = Pool::open(path());
  EXPECT_THROW(pool.root<Thrower>("thrower"), int);
  EXPECT_NO_THROW(pool.root<Counter>("thrower")) << "the name is still free";
}

TEST_F(RootsTest, LiesInItsOwnPool) {
  Pool first = Pool::open(path());
  Pool second = Pool::open(in_directory("b.pool"));
  EXPECT_NE(alloc::heap_of(&first.root<Counter>("x")), alloc::heap_of(&second.root<Counter>("x")));
}

TEST_F(RootsTest, ThreadsAgreeOnTheObject) {
  Pool pool = Pool::open(path());
  std::vector<Counter*> found(4);
  std::vector<std::thread> threads;
  for (auto& place : found) threads.emplace_back([&] { place = &pool.root<Counter>("shared"); });
  for (std::thread& thread : threads) thread.join();
  for (const Counter* const place : found) EXPECT_EQ(place, found[0]);
}

TEST_F(RootsTest, ClosedPoolHasNone) {
  Pool pool = Pool::open(path());
  pool.close();
  EXPECT_TRUE(testing::refuses([&] { pool.root<Counter>("counter"); }, Kind::usage, path(), "is closed"));
}

TEST_F(RootsTest, NamesOfTypesAreWhole) {
  EXPECT_EQ(roots::type_name<int>(), "int");
  EXPECT_EQ(roots::type_name<int[3]>(), "int[3]");
  EXPECT_NE(roots::type_name<Counter>(), roots::type_name<OtherCounter>());
}

}  // namespace
}  // namespace perdure
