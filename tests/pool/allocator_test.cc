// perdure::allocator: containers that keep to their pool.
#include "perdure/allocator.h"

#include <list>
#include <map>
#include <new>
#include <scoped_allocator>
#include <stdexcept>
#include <string>
#include <vector>

#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "pool/window.h"
#include "pool_test.h"

namespace perdure {
namespace {

using Numbers = std::vector<long, allocator<long>>;
using Text = std::basic_string<char, std::char_traits<char>, allocator<char>>;
/// Its texts are in its pool, too.
using Texts = std::map<long, Text, std::less<>, std::scoped_allocator_adaptor<allocator<std::pair<const long, Text>>>>;

struct Shelf {
  Numbers numbers;
  std::list<long, allocator<long>> chain;
  Texts texts;
};

std::size_t pool_of(const void* address) { return pool::slot_of(address); }

void fill(Shelf& shelf, long count) {
  TM_BEGIN {
    for (long i = 0; i < count; ++i) {
      shelf.numbers.push_back(i);
      shelf.chain.push_back(i);
      shelf.texts.emplace(i, Text("a text that is too long to lie in the string itself"));
    }
  } TM_END;
}

void expect_all_in(const Shelf& shelf, std::size_t slot, std::size_t count) {
  EXPECT_EQ(shelf.numbers.size(), count);
  EXPECT_EQ(shelf.texts.size(), count);
  EXPECT_EQ(pool_of(shelf.numbers.data()), slot);
  for (const long& number : shelf.chain) EXPECT_EQ(pool_of(&number), slot);
  for (const auto& entry : shelf.texts) {
    EXPECT_EQ(pool_of(&entry), slot);
    EXPECT_EQ(pool_of(entry.second.data()), slot);
  }
}

class AllocatorTest : public testing::PoolTest {
 protected:
  Pool open(const char* name) const { return Pool::open(in_directory(name)); }
};

TEST_F(AllocatorTest, AContainerStaysInThePoolOfItsRoot) {
  {
    const Pool first = open("first.pool");
    Pool second = open("second.pool");
    auto& shelf = second.root<Shelf>("shelf");
    fill(shelf, 100);
    expect_all_in(shelf, pool_of(&shelf), 100);
  }
  const Pool first = open("first.pool");
  Pool second = open("second.pool");
  auto& shelf = second.root<Shelf>("shelf");
  TM_BEGIN {
    for (long i = 100; i < 1000; ++i) shelf.numbers.push_back(i);
  } TM_END;
  EXPECT_EQ(shelf.numbers.size(), 1000U);
  EXPECT_EQ(shelf.numbers[999], 999);
  EXPECT_EQ(pool_of(shelf.numbers.data()), pool_of(&shelf));
}

TEST_F(AllocatorTest, MovedAndAssignedBetweenPoolsElementsAreMoved) {
  Pool first = open("first.pool");
  Pool second = open("second.pool");
  auto& here = first.root<Shelf>("shelf");
  auto& there = second.root<Shelf>("shelf");
  fill(there, 10);
  TM_BEGIN { here = std::move(there); } TM_END;
  expect_all_in(here, pool_of(&here), 10);
  TM_BEGIN { there = here; } TM_END;
  expect_all_in(there, pool_of(&there), 10);
}

TEST_F(AllocatorTest, AnExceptionTakesBackWhatWasAllocated) {
  Pool pool = open("a.pool");
  auto& shelf = pool.root<Shelf>("shelf");
  fill(shelf, 3);
  const auto grow = [&] {
    TM_BEGIN {
      for (long i = 0; i < 1000; ++i) shelf.numbers.push_back(i);
      throw std::runtime_error("no");
    } TM_END;
  };
  EXPECT_THROW(grow(), std::runtime_error);
  expect_all_in(shelf, pool_of(&shelf), 3);
}

TEST_F(AllocatorTest, AFullPoolIsAnExceptionThatLeavesTheContainerAsItWas) {
  const Pool other = open("other.pool");  // has room, which is not used
  Pool pool = Pool::open(in_directory("small.pool"), {.size_limit = 2 << 20});
  auto& shelf = pool.root<Shelf>("shelf");
  fill(shelf, 3);
  const auto reserve = [&](std::size_t count) { TM_BEGIN { shelf.numbers.reserve(count); } TM_END; };
  EXPECT_THROW(reserve(1 << 20), std::bad_alloc);
  expect_all_in(shelf, pool_of(&shelf), 3);
  fill(shelf, 3);
  EXPECT_EQ(shelf.numbers.size(), 6U);
}

TEST_F(AllocatorTest, OutsideOfTransactionsItIsThePoolToo) {
  Pool first = open("first.pool");
  const Pool second = open("second.pool");
  const PoolScope scope(second);
  Numbers numbers;
  numbers.push_back(1);
  EXPECT_EQ(numbers.get_allocator(), allocator<char>());
  EXPECT_TRUE(pool::in_window(numbers.data()));
  const PoolScope inner(first);
  const Numbers copy = numbers;
  EXPECT_NE(copy.get_allocator(), numbers.get_allocator()) << "copies are of the thread's pool";
  EXPECT_NE(pool_of(copy.data()), pool_of(numbers.data()));
}

TEST_F(AllocatorTest, WithoutAPoolItIsTheHeap) {
  Numbers numbers;
  numbers.push_back(1);
  EXPECT_FALSE(pool::in_window(numbers.data()));
  EXPECT_THROW(static_cast<void>(allocator<long>().allocate(~std::size_t{0} / 4)), std::bad_array_new_length);
}

}  // namespace
}  // namespace perdure
