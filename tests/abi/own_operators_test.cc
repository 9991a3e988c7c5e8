// A program that replaces operator new and delete: it links, its operators are used outside of transactions, and what
// transactions have allocated in a pool can be deleted by them.
#include <gtest/gtest.h>
#include <perdure/perdure.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>
#include <string>

namespace {

unsigned long allocations = 0;
unsigned long frees = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  ++frees;
  std::free(block);
}

namespace perdure::tests {
namespace {

using Names = std::map<long, std::string>;

class OwnOperators : public testing::Test {
 protected:
  OwnOperators() { std::filesystem::remove(path_); }
  ~OwnOperators() override { std::filesystem::remove(path_); }

  std::filesystem::path path_ = std::filesystem::temp_directory_path() / "perdure_own_operators.pool";
};

// The forms that it does not replace lead to those that it does.
TEST_F(OwnOperators, AreUsedOutsideOfTransactions) {
  const unsigned long allocations_before = allocations;
  const unsigned long frees_before = frees;
  ::operator delete(::operator new(8));
  ::operator delete[](::operator new[](8));
  ::operator delete(::operator new(8, std::nothrow), std::nothrow);
  ::operator delete[](::operator new[](8), std::size_t{8});
  const unsigned long allocated = allocations - allocations_before;
  const unsigned long freed = frees - frees_before;
  EXPECT_EQ(allocated, 4U);
  EXPECT_EQ(freed, 4U);
}

TEST_F(OwnOperators, DeleteWhatTransactionsHaveAllocated) {
  const std::string text(100, 'x');
  Names names;
  TM_BEGIN { names[1] = text; } TM_END;
  names.erase(1);
  Pool pool = Pool::open(path_, {.accept_volatile = true});
  Names& of_pool = pool.root<Names>("names");
  TM_BEGIN {
    for (long i = 0; i < 100; ++i) of_pool[i] = text;
  } TM_END;
  EXPECT_EQ(of_pool.at(99), text);
  std::string* const taken = TM_BEGIN { return new std::string(text); } TM_END;
  EXPECT_EQ(*taken, text);
  delete taken;
  TM_BEGIN { of_pool.clear(); } TM_END;
}

}  // namespace
}  // namespace perdure::tests
