// Transactions in pools that cannot grow any more: by the disk, or by the limit that the user sets.
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "open/open_pool.h"
#include "perdure/c.h"
#include "perdure/pool.h"
#include "perdure/statistics.h"
#include "small_disk.h"

namespace perdure {
namespace {

/// A node says what it must hold, so that a node that was lost or overwritten is noticed.
struct Node {
  Node* next;
  std::uint64_t number;
  std::uint64_t bytes;

  unsigned char* data() { return reinterpret_cast<unsigned char*>(this + 1); }
};

struct List {
  Node* first = nullptr;
  std::uint64_t count = 0;
};

void add(List& list, std::size_t bytes) {
  TM_BEGIN {
    auto* const node = static_cast<Node*>(::operator new(sizeof(Node) + bytes));
    node->next = list.first;
    node->number = list.count;
    node->bytes = bytes;
    // Every byte of it: a hole in the file would be a SIGBUS.
    for (std::size_t i = 0; i < bytes; ++i) node->data()[i] = static_cast<unsigned char>(list.count + i);
    list.first = node;
    ++list.count;
  } TM_END;
}

void remove_first(List& list) {
  TM_BEGIN {
    Node* const node = list.first;
    list.first = node->next;
    --list.count;
    ::operator delete(node);
  } TM_END;
}

bool is_whole(List& list) {
  return execute([&] {
    std::uint64_t left = list.count;
    for (Node* node = list.first; node != nullptr; node = node->next) {
      if (left == 0 || node->number != --left) return false;
      for (std::size_t i = 0; i < node->bytes; ++i)
        if (node->data()[i] != static_cast<unsigned char>(node->number + i)) return false;
    }
    return left == 0;
  });
}

bool try_to_add(List& list, std::size_t bytes) {
  try {
    add(list, bytes);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// Adds nodes of many sizes in turn, each until there is no room for one of its size.
void fill(List& list) {
  std::vector<std::size_t> sizes = {200'000, 50'000, 12'500, 3'000, 800, 200, 50, 3};
  while (!sizes.empty()) std::erase_if(sizes, [&](std::size_t bytes) { return !try_to_add(list, bytes); });
}

class FullDiskTest : public testing::SmallDiskTest {
 protected:
  FullDiskTest() : SmallDiskTest("size=3m") {}
};

TEST_F(FullDiskTest, TransactionsThatFillItTwentyTimesLoseNothing) {
  std::uint64_t kept = 0;
  for (int round = 0; round < 20; ++round) {
    Pool pool = Pool::open(path());
    List& list = pool.root<List>("list");
    ASSERT_EQ(list.count, kept) << "round " << round;
    ASSERT_TRUE(is_whole(list)) << "round " << round;
    fill(list);
    EXPECT_LT(available(), pool::superblock_bytes);
    leave(0);
    fill(list);
    ASSERT_TRUE(is_whole(list)) << "round " << round;
    ASSERT_GT(list.count, kept);
    // Room for a few transactions more, and to close.
    std::filesystem::remove(in_directory("ballast"));
    while (list.count > 40 + static_cast<std::uint64_t>(round)) remove_first(list);
    EXPECT_NO_THROW(add(list, 1000)) << "the pool stays usable";
    kept = list.count;
    if (round % 3 == 0) continue;
    // As if the process were killed: what is in the file now is what it leaves.
    const std::string crashed = testing::read_all(path());
    pool.close();
    testing::write_all(path(), crashed);
  }
}

/// A list of nodes, some of them large, of which most are removed again.
void swell_and_shrink(List& list, std::uint64_t round) {
  constexpr std::size_t sizes[] = {9'000'000, 100, 3'000'000, 60'000, 700'000, 5000};
  while (list.count < 12) add(list, sizes[(list.count + round) % std::size(sizes)]);
  while (list.count > 3) remove_first(list);
}

class KilledTest : public testing::PoolTest {
 protected:
  KilledTest() {
    Pool pool = Pool::open(path());
    pool.root<List>("list");
  }

  /// Kills a child that runs `body` at one of its first moments.
  template <class Body>
  void kill_while(Body&& body, unsigned round) const {
    const testing::Pipe is_at_work;
    const pid_t child = fork();
    if (child == 0) {
      body([&] { is_at_work.signal(); });
      _exit(0);
    }
    is_at_work.wait();
    usleep(round * 977 % 30'000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  void expect_whole() const {
    Pool pool = Pool::open(path());
    List& list = pool.root<List>("list");
    ASSERT_TRUE(is_whole(list));
    ASSERT_NO_THROW(add(list, 1'000'000));
    ASSERT_TRUE(is_whole(list));
    remove_first(list);
  }
};

TEST_F(KilledTest, WhileSpaceIsGivenBackAndTakenAgain) {
  for (unsigned round = 0; round < 30; ++round) {
    kill_while(
        [&](auto&& begin) {
          Pool pool = Pool::open(path());
          List& list = pool.root<List>("list");
          begin();
          for (std::uint64_t i = 0;; ++i) swell_and_shrink(list, i);
        },
        round);
    expect_whole();
  }
}

TEST_F(KilledTest, WhileItIsTrimmedOrGrown) {
  for (unsigned round = 0; round < 10; ++round) {
    {
      Pool pool = Pool::open(path());
      swell_and_shrink(pool.root<List>("list"), round);
    }
    kill_while(
        [&](auto&& begin) {
          begin();
          for (;;) {
            opening::OpenPool(path(), {}).grow(40 << 20 >> 16);
            opening::OpenPool(path(), {}).trim();
          }
        },
        round);
    expect_whole();
  }
}

/// In transactions: what is freed takes effect when nobody can see it any more.
class GivenBackTest : public testing::SmallDiskTest {
 protected:
  GivenBackTest() : SmallDiskTest("size=40m") {}
};

TEST_F(GivenBackTest, AnotherFileTakesTheSpaceAndTransactionsFailCleanly) {
  Pool pool = Pool::open(path());
  List& list = pool.root<List>("list");
  add(list, 1'000'000);
  for (int i = 0; i < 24; ++i) add(list, 1'000'000);
  while (list.count > 1) remove_first(list);
  // What was freed waits until later transactions have ended.
  for (int i = 0; i < 200; ++i) {
    add(list, 3000);
    remove_first(list);
  }
  EXPECT_GE(available(), 20u << 20) << "it was given back";
  EXPECT_GE(statistics().bytes_given_back, 18u << 20);
  leave(0);
  const std::uint64_t count = list.count;
  EXPECT_THROW(add(list, 24'000'000), std::bad_alloc);
  EXPECT_EQ(list.count, count);
  EXPECT_TRUE(is_whole(list));
  fill(list);
  EXPECT_TRUE(is_whole(list));
  std::filesystem::remove(in_directory("ballast"));
  EXPECT_NO_THROW(add(list, 10'000'000)) << "the pool stays usable";
  EXPECT_TRUE(is_whole(list));
  pool.close();
  pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, OpenReport::State::clean);
  EXPECT_TRUE(is_whole(pool.root<List>("list")));
}

class LimitTest : public testing::PoolTest {};

TEST_F(LimitTest, AnAllocationBeyondItRollsTheTransactionBack) {
  constexpr std::size_t limit = 4 << 20;
  {
    Pool pool = Pool::open(path(), {.size_limit = limit});
    List& list = pool.root<List>("list");
    fill(list);
    EXPECT_LE(std::filesystem::file_size(path()), limit);
    const std::uint64_t count = list.count;
    EXPECT_THROW(add(list, 100'000), std::bad_alloc);
    EXPECT_EQ(list.count, count);
    EXPECT_TRUE(is_whole(list));
    for (int i = 0; i < 100; ++i) remove_first(list);
    EXPECT_NO_THROW(add(list, 3)) << "what was freed is to be had again";
  }
  Pool pool = Pool::open(path());
  List& list = pool.root<List>("list");
  EXPECT_TRUE(is_whole(list));
  EXPECT_NO_THROW(add(list, 8 << 20)) << "the limit was that open's own";
}

TEST_F(LimitTest, IsAnOptionOfTheInterfaceForCToo) {
  perdure_open_options options{};
  options.size_limit = 2 << 20;
  perdure_pool* pool = nullptr;
  ASSERT_EQ(perdure_pool_open_with(path().c_str(), &options, &pool), PERDURE_OK) << perdure_last_error();
  void* root = nullptr;
  EXPECT_EQ(perdure_pool_root(pool, "large", "large", 8 << 20, 8, &root), PERDURE_OUT_OF_MEMORY);
  EXPECT_EQ(perdure_pool_root(pool, "small", "small", 8, 8, &root), PERDURE_OK);
  EXPECT_EQ(perdure_pool_close(pool), PERDURE_OK);
  options.size_limit = 1000;
  EXPECT_EQ(perdure_pool_open_with(path().c_str(), &options, &pool), PERDURE_USAGE);
  EXPECT_EQ(perdure_pool_open_with(path().c_str(), nullptr, &pool), PERDURE_USAGE);
}

}  // namespace
}  // namespace perdure
