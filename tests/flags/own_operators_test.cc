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
}  // namespace

void* operator new(std::size_t bytes) {
  ++made;
  if (void* const block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  if (block != nullptr) ++deleted;
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace perdure {
namespace {

const std::string long_text = "a text that is too long to lie in the string itself";

class OwnOperators : public testing::PoolTest {
 protected:
  static long in_use() { return made - deleted; }
};

TEST_F(OwnOperators, AreCalledByPlainCode) {
  const long before = made;
  const long used = in_use();
  {
    const auto one = std::make_unique<long>(1);
    const std::unique_ptr<long[]> array(new long[10]);
    const std::unique_ptr<long> quiet(new (std::nothrow) long(3));
    const std::vector<std::string> texts(10, long_text);
    EXPECT_GE(made - before, 13);
    EXPECT_EQ(in_use() - used, made - before);
  }
  EXPECT_EQ(in_use(), used);
}

TEST_F(OwnOperators, AreNotCalledForMemoryOfPools) {
  const Pool pool = Pool::open(path());
  auto* const text = execute([] { return new std::string(long_text); });
  EXPECT_TRUE(pool::in_window(text));
  const long before = deleted;
  delete text;
  EXPECT_EQ(deleted, before);
  const long used = in_use();
  {
    const std::string copy = execute([] { return long_text + "."; });
    EXPECT_TRUE(pool::in_window(copy.data()));
  }
  EXPECT_EQ(in_use(), used);
}

TEST_F(OwnOperators, MayDeleteWhatTransactionsHaveMadeElsewhere) {
  auto* const text = execute([] { return new std::string(long_text); });
  EXPECT_FALSE(pool::in_window(text));
  const long before = deleted;
  delete text;
  EXPECT_EQ(deleted - before, 2);
  auto* const number = new long(5);
  TM_BEGIN { delete number; } TM_END;
}

}  // namespace
}  // namespace perdure
