#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "alloc/heap.h"
#include "perdure/pool.h"
#include "pool/header.h"
#include "pool_test.h"

namespace perdure {
namespace {

using State = OpenReport::State;

class OpenTest : public testing::PoolTest {
 protected:
  /// A list of `count` blocks of `bytes`, each pointing to the next, under the root of this number, made directly:
  /// what a transaction would leave.
  static void make_list(alloc::Heap& heap, std::size_t root, std::size_t count, std::size_t bytes) {
    void* first = nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      auto* const block = static_cast<void**>(heap.allocate(bytes));
      std::memset(block, 0, bytes);
      block[0] = first;
      block[1] = reinterpret_cast<void*>(i);
      first = block;
    }
    roots::Root& target = heap.mapping().root_table().roots[root];
    target = {};
    target.size = bytes;
    target.name[0] = 'a';
    target.object = first;
  }

  static std::vector<void**> read_list(alloc::Heap& heap, std::size_t root) {
    std::vector<void**> blocks;
    auto* block = static_cast<void**>(heap.mapping().root_table().roots[root].object);
    for (; block != nullptr; block = static_cast<void**>(block[0])) blocks.push_back(block);
    return blocks;
  }

  /// Allocates until the pool is full, and checks that no block is handed out twice.
  static std::size_t fill(alloc::Heap& heap, std::size_t bytes) {
    std::size_t count = 0;
    while (void* const block = heap.allocate(bytes)) {
      std::memset(block, 0xee, bytes);
      ++count;
    }
    return count;
  }

  static alloc::Heap& heap() { return *alloc::current_heap(); }
};

TEST_F(OpenTest, CreatesThenOpensClean) {
  {
    Pool pool = Pool::open(path());
    EXPECT_EQ(pool.report().state, State::created);
    EXPECT_EQ(pool.path(), path());
    EXPECT_EQ(pool.report().medium, Medium::page_cache);
  }
  Pool pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, State::clean);
  pool.close();
  pool.close();
  EXPECT_EQ(Pool::open(path()).report().state, State::clean);
}

TEST_F(OpenTest, StartsSmall) {
  Pool::open(path()).close();
  EXPECT_EQ(std::filesystem::file_size(path()), 1u << 20);
}

TEST_F(OpenTest, KeepsItsAddressAndItsContents) {
  void* root = nullptr;
  {
    const Pool pool = Pool::open(path());
    make_list(heap(), 0, 1000, 48);
    make_list(heap(), 1, 10, 300000);
    root = &heap().mapping().root_table();
  }
  const Pool pool = Pool::open(path());
  EXPECT_EQ(&heap().mapping().root_table(), root);
  EXPECT_EQ(read_list(heap(), 0).size(), 1000u);
  EXPECT_EQ(read_list(heap(), 1).size(), 10u);
  EXPECT_EQ(read_list(heap(), 0)[0][1], reinterpret_cast<void*>(999));
}

TEST_F(OpenTest, CleanOpenKnowsExactlyTheFreeBlocks) {
  constexpr std::size_t bytes = 96;
  std::size_t room = 0;
  {
    const Pool pool = Pool::open(path(), {.size_limit = 4 << 20});
    make_list(heap(), 0, 777, bytes);
    make_list(heap(), 1, 3, 200000);
    std::vector<void*> blocks;
    while (void* const block = heap().allocate(bytes)) blocks.push_back(block);
    room = blocks.size();
    for (void* const block : blocks) heap().deallocate(block);
  }
  for (int round = 0; round < 3; ++round) {
    const Pool pool = Pool::open(path(), {.size_limit = 4 << 20});
    ASSERT_EQ(pool.report().state, State::clean);
    std::vector<void*> blocks;
    while (void* const block = heap().allocate(bytes)) blocks.push_back(block);
    EXPECT_EQ(blocks.size(), room);
    for (void* const block : blocks) std::memset(block, 0xee, bytes);
    EXPECT_EQ(read_list(heap(), 0).size(), 777u) << "nothing in use was handed out";
    EXPECT_EQ(read_list(heap(), 1).size(), 3u);
    for (void* const block : blocks) heap().deallocate(block);
  }
}

TEST_F(OpenTest, FullPoolClosesAndOpens) {
  std::size_t count = 0;
  {
    const Pool pool = Pool::open(path(), {.size_limit = 1 << 20});
    make_list(heap(), 0, 10, 64);
    count = fill(heap(), 64);
  }
  const Pool pool = Pool::open(path(), {.size_limit = 1 << 20});
  EXPECT_EQ(pool.report().state, State::recovered) << "without room for a snapshot the next open marks";
  EXPECT_EQ(read_list(heap(), 0).size(), 10u);
  EXPECT_EQ(fill(heap(), 64), count) << "what no root reached is free";
}

TEST_F(OpenTest, CrashLosesNothingReachableAndLeaksNothing) {
  constexpr std::size_t limit = 16 << 20;
  const int status = testing::in_child([&] {
    const Pool pool = Pool::open(path(), {.size_limit = limit});
    make_list(heap(), 0, 5000, 64);
    make_list(heap(), 1, 20, 100000);
    make_list(heap(), 2, 3000, 64);
    make_list(heap(), 2, 1, 64);  // the 3000 are leaked
    while (heap().allocate(150000)) {
    }  // and these
    kill(getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  Pool pool = Pool::open(path(), {.size_limit = limit});
  EXPECT_EQ(pool.report().state, State::recovered);
  EXPECT_GE(pool.wait_for_mark().blocks_reclaimed, 3000u);
  EXPECT_EQ(read_list(heap(), 0).size(), 5000u);
  EXPECT_EQ(read_list(heap(), 1).size(), 20u);
  EXPECT_EQ(read_list(heap(), 2).size(), 1u);
  const std::size_t live = 5000 * 64 + 20 * 2 * pool::superblock_bytes;
  EXPECT_GE(fill(heap(), 64) * 64 + live, limit - 6 * pool::superblock_bytes);
  EXPECT_EQ(read_list(heap(), 0).size(), 5000u) << "no block in use was handed out";
  EXPECT_EQ(read_list(heap(), 1).size(), 20u);
}

TEST_F(OpenTest, MarkFollowsInteriorPointersAndCycles) {
  void* inner = nullptr;
  const int status = testing::in_child([&] {
    const Pool pool = Pool::open(path());
    make_list(heap(), 0, 1, 256);
    auto* const first = static_cast<void**>(heap().mapping().root_table().roots[0].object);
    auto* const large = static_cast<std::byte*>(heap().allocate(500000));
    auto* const small = static_cast<void**>(heap().allocate(128));
    std::memset(large, 0, 500000);
    first[2] = large + 400000;                              // into the middle
    *reinterpret_cast<void**>(large + 499992) = small + 5;  // from the very end
    small[0] = first;                                       // and round
    _exit(7);
  });
  ASSERT_EQ(WEXITSTATUS(status), 7);
  const Pool pool = Pool::open(path(), {.wait_for_mark = true});
  auto* const first = static_cast<void**>(heap().mapping().root_table().roots[0].object);
  auto* const large = static_cast<std::byte*>(first[2]) - 400000;
  EXPECT_TRUE(heap().is_block(large));
  inner = *reinterpret_cast<void**>(large + 499992);
  EXPECT_TRUE(heap().is_block(static_cast<void**>(inner) - 5));
  EXPECT_FALSE(heap().is_block(static_cast<std::byte*>(inner) - 40 + 128)) << "its neighbour was not marked";
}

TEST_F(OpenTest, MarkNeedsNoStack) {
  const int status = testing::in_child([&] {
    const Pool pool = Pool::open(path());
    make_list(heap(), 0, 500000, 32);
    _exit(7);
  });
  ASSERT_EQ(WEXITSTATUS(status), 7);
  const Pool pool = Pool::open(path());
  EXPECT_EQ(read_list(heap(), 0).size(), 500000u);
}

TEST_F(OpenTest, StaleDescriptorsDoNoHarm) {
  // Superblocks pass from use to use; a crash at the end must find only the last one.
  const int status = testing::in_child([&] {
    const Pool pool = Pool::open(path(), {.size_limit = 4 << 20});
    for (int round = 0; round < 50; ++round)
      for (const std::size_t bytes : {64, 30000, 200000, 3000, 1000000}) {
        std::vector<void*> blocks;
        while (void* const block = heap().allocate(bytes)) blocks.push_back(block);
        for (void* const block : blocks) heap().deallocate(block);
      }
    make_list(heap(), 0, 100, 5000);
    make_list(heap(), 1, 5, 150000);
    make_list(heap(), 2, 100, 64);
    _exit(7);
  });
  ASSERT_EQ(WEXITSTATUS(status), 7);
  const Pool pool = Pool::open(path(), {.size_limit = 4 << 20});
  fill(heap(), 100000);
  fill(heap(), 4000);
  fill(heap(), 32);
  EXPECT_EQ(read_list(heap(), 0).size(), 100u);
  EXPECT_EQ(read_list(heap(), 1).size(), 5u);
  EXPECT_EQ(read_list(heap(), 2).size(), 100u);
}

TEST_F(OpenTest, SeveralPoolsAtOnce) {
  std::vector<Pool> pools;
  for (int i = 0; i < 8; ++i) pools.push_back(Pool::open(in_directory(std::to_string(i))));
  const auto* const first = alloc::current_heap();
  pools.erase(pools.begin());
  EXPECT_NE(alloc::current_heap(), first);
  Pool again = Pool::open(in_directory("0"));
  EXPECT_EQ(again.report().state, State::clean);
}

TEST_F(OpenTest, MoveHandsOver) {
  Pool one = Pool::open(path());
  Pool two = std::move(one);
  EXPECT_NE(alloc::current_heap(), nullptr);
  two = Pool::open(in_directory("other"));  // closes the first
  EXPECT_EQ(Pool::open(path()).report().state, State::clean);
}

TEST_F(OpenTest, LimitIsEachOpensOwn) {
  {
    const Pool pool = Pool::open(path(), {.size_limit = 4 << 20});
    fill(heap(), 10000);
  }
  EXPECT_EQ(std::filesystem::file_size(path()), 4u << 20);
  {
    const Pool pool = Pool::open(path(), {.size_limit = 2 << 20});  // less than it has: no growth
    EXPECT_EQ(heap().allocate(4 << 20), nullptr);
  }
  const Pool pool = Pool::open(path());
  EXPECT_NE(heap().allocate(4 << 20), nullptr);
}

TEST_F(OpenTest, OneCopyOfTheHeaderIsEnough) {
  for (const std::uint64_t offset : {0, 9, 100, 4000, 4096, 4096 + 170, 8191}) {
    {
      const Pool pool = Pool::open(path());
      make_list(heap(), 0, 100, 64);
    }
    testing::flip_byte(path(), offset);
    {
      const Pool pool = Pool::open(path());
      EXPECT_TRUE(pool.report().header_repaired) << offset;
      EXPECT_EQ(read_list(heap(), 0).size(), 100u);
    }
    const Pool pool = Pool::open(path());
    EXPECT_FALSE(pool.report().header_repaired) << offset;
    EXPECT_EQ(pool.report().state, State::clean);
  }
}

TEST_F(OpenTest, HeaderOfAnEarlierCloseMeansMarking) {
  void* first = nullptr;
  {
    const Pool pool = Pool::open(path());
    first = heap().allocate(100'000);
    make_list(heap(), 0, 100, 64);
  }
  const std::string earlier = testing::read_all(path()).substr(0, pool::header_copies * pool::page_bytes);
  {
    const Pool pool = Pool::open(path());
    make_list(heap(), 1, 300, 64);
    heap().deallocate(first);  // where the next snapshot is put, and not over the one before
  }
  testing::write_all(path(), earlier + testing::read_all(path()).substr(earlier.size()));
  const Pool pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, State::recovered) << "the blocks that it calls free are not";
  EXPECT_EQ(read_list(heap(), 0).size(), 100u);
  EXPECT_EQ(read_list(heap(), 1).size(), 300u);
}

TEST_F(OpenTest, DamagedSnapshotMeansMarking) {
  {
    const Pool pool = Pool::open(path());
    make_list(heap(), 0, 100, 64);
    while (heap().superblocks().count() < 40) heap().allocate(100000);
  }
  pool::Header header;
  std::memcpy(&header, testing::read_all(path()).data(), sizeof(header));
  ASSERT_NE(header.snapshot, 0u);
  testing::flip_byte(path(), header.snapshot * pool::superblock_bytes + 3);
  const Pool pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, State::recovered);
  EXPECT_EQ(read_list(heap(), 0).size(), 100u);
}

TEST_F(OpenTest, ForkedChildDoesNotCloseItsParentsPool) {
  Pool pool = Pool::open(path());
  make_list(heap(), 0, 10, 64);
  EXPECT_EQ(testing::in_child([&] { pool.close(); }), 0);
  make_list(heap(), 1, 10, 64);
  pool.close();
  const Pool again = Pool::open(path());
  EXPECT_EQ(again.report().state, State::clean);
  EXPECT_EQ(read_list(heap(), 1).size(), 10u);
}

}  // namespace
}  // namespace perdure
