// A program with global operators new and delete of its own: they are called, but for memory of pools.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "../pool/pool_test.h"
#include "perdure/perdure.h"
#include "pool/window.h"

namespace {
std::atomic<long> made{0};
std::atomic<long> deleted{0};
std::atomic<long> deleted_of_pools{0};
}  // namespace

void* operator new(std::size_t bytes) {
  ++made;
  if (void* const block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  if (block != nullptr) ++deleted;
  if (perdure::pool::in_window(block)) ++deleted_of_pools;
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace perdure {
namespace {

const std::string long_text = "a text that is too long to lie in the string itself";

using OwnOperators = testing::PoolTest;

/// Operators are called as functions here: a pair of `new` and `delete` may be left out.
TEST_F(OwnOperators, AreCalledByPlainCode) {
  const long made_before = made;
  const long deleted_before = deleted;
  {
    void* const array = operator new[](100);
    void* const quiet = operator new(100, std::nothrow);
    const std::vector<std::string> texts(10, long_text);
    operator delete[](array);
    operator delete(quiet, std::nothrow);
  }
  const long made_there = made - made_before;
  const long deleted_there = deleted - deleted_before;
  EXPECT_GE(made_there, 13);
  EXPECT_EQ(made_there, deleted_there);
}

TEST_F(OwnOperators, AreNotCalledForMemoryOfPools) {
  const Pool pool = Pool::open(path());
  auto* const text = execute([] { return new std::string(long_text); });
  EXPECT_TRUE(pool::in_window(text));
  delete text;
  {
    const std::string copy = execute([] { return long_text + "."; });
    EXPECT_TRUE(pool::in_window(copy.data()));
  }
  EXPECT_EQ(deleted_of_pools, 0);
}

TEST_F(OwnOperators, MayDeleteWhatTransactionsHaveMadeElsewhere) {
  auto* const text = execute([] { return new std::string(long_text); });
  EXPECT_FALSE(pool::in_window(text));
  const long before = deleted;
  delete text;
  EXPECT_GE(deleted - before, 2);
  auto* const number = new long(5);
  TM_BEGIN { delete number; } TM_END;
}

}  // namespace
}  // namespace perdure
