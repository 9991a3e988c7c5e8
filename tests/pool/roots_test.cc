#include "perdure/roots.h"

#include <algorithm>
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

/// Owns a block: both are to be freed with it.
struct Owner {
  Counter* counter = new Counter;
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { delete counter; }
};

std::vector<std::string> names_of(const Pool& pool) {
  std::vector<std::string> names;
  for (const roots::RootInfo& root : pool.list_roots()) names.push_back(root.name);
  std::sort(names.begin(), names.end());
  return names;
}

TEST_F(RootsTest, AreListedWithTheirTypes) {
  Pool pool = Pool::open(path());
  EXPECT_TRUE(pool.list_roots().empty());
  pool.root<Counter>("counter");
  pool.root<Aligned>("aligned");
  const auto listed = pool.list_roots();
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0].name, "counter");
  EXPECT_EQ(listed[0].type_name, roots::type_name<Counter>());
  EXPECT_EQ(listed[1].size, sizeof(Aligned));
  EXPECT_EQ(listed[1].alignment, alignof(Aligned));
}

TEST_F(RootsTest, AreFoundWithoutBeingMade) {
  Pool pool = Pool::open(path());
  EXPECT_EQ(pool.find_root<Counter>("counter"), nullptr);
  EXPECT_TRUE(pool.list_roots().empty());
  Counter& counter = pool.root<Counter>("counter");
  EXPECT_EQ(pool.find_root<Counter>("counter"), &counter);
  EXPECT_TRUE(
      testing::refuses([&] { pool.find_root<Wide>("counter"); }, Kind::root_type_mismatch, path(), "::Counter'"));
}

TEST_F(RootsTest, AreRenamedInPlace) {
  Counter* counter = nullptr;
  {
    Pool pool = Pool::open(path());
    counter = &pool.root<Counter>("a name that is longer than the other");
    pool.rename_root("a name that is longer than the other", "short");
    pool.rename_root("short", "short");
    EXPECT_EQ(names_of(pool), std::vector<std::string>{"short"});
  }
  Pool pool = Pool::open(path());
  EXPECT_EQ(pool.find_root<Counter>("short"), counter);
}

TEST_F(RootsTest, RenamingIsRefusedByNameOfTheReason) {
  Pool pool = Pool::open(path());
  pool.root<Counter>("one");
  pool.root<Counter>("two");
  EXPECT_TRUE(testing::refuses([&] { pool.rename_root("three", "four"); }, Kind::no_such_root, path(), "'three'"));
  EXPECT_TRUE(testing::refuses([&] { pool.rename_root("one", "two"); }, Kind::root_exists, path(), "'two'"));
  EXPECT_TRUE(testing::refuses([&] { pool.rename_root("one", ""); }, Kind::usage, path(), "cannot name a root"));
  EXPECT_EQ(names_of(pool), (std::vector<std::string>{"one", "two"}));
}

TEST_F(RootsTest, RemovalDestroysTheObject) {
  Pool pool = Pool::open(path());
  const Counter* const counter = pool.root<Owner>("owner").counter;
  const Owner* const owner = pool.find_root<Owner>("owner");
  alloc::Heap& heap = *alloc::heap_of(owner);
  EXPECT_TRUE(
      testing::refuses([&] { pool.remove_root<Wide>("owner"); }, Kind::root_type_mismatch, path(), "Owner' (size"));
  ASSERT_TRUE(heap.is_block(owner) && heap.is_block(counter));
  EXPECT_TRUE(pool.remove_root<Owner>("owner"));
  EXPECT_FALSE(pool.remove_root<Owner>("owner"));
  EXPECT_TRUE(pool.list_roots().empty());
  pool.close();
  pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, OpenReport::State::clean);
  EXPECT_FALSE(alloc::heap_of(owner)->is_block(owner));
  EXPECT_FALSE(alloc::heap_of(owner)->is_block(counter));
}

TEST_F(RootsTest, DroppingFreesTheBlockAndTheNextRecoveryTheRest) {
  const Counter* counter = nullptr;
  const Owner* owner = nullptr;
  {
    Pool pool = Pool::open(path());
    owner = &pool.root<Owner>("owner");
    counter = owner->counter;
    EXPECT_TRUE(pool.drop_root("owner"));
    EXPECT_FALSE(pool.drop_root("owner"));
  }
  const int status = testing::in_child([&] {
    Pool pool = Pool::open(path());
    const alloc::Heap& heap = *alloc::heap_of(owner);
    _exit(!heap.is_block(owner) && heap.is_block(counter) ? 7 : 1);
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
  const Pool pool = Pool::open(path(), {.wait_for_mark = true});
  EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
  EXPECT_FALSE(alloc::heap_of(counter)->is_block(counter));
}

TEST_F(RootsTest, RemovedOnesMakeRoomForOthers) {
  Pool pool = Pool::open(path());
  for (std::size_t i = 0; i < roots::max_roots; ++i) pool.root<Counter>("root" + std::to_string(i));
  EXPECT_TRUE(pool.remove_root<Counter>("root100"));
  EXPECT_NO_THROW(pool.root<Wide>("wide"));
  EXPECT_EQ(pool.list_roots().size(), roots::max_roots);
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
