#include <cstring>
#include <thread>
#include <vector>

#include "alloc/heap.h"
#include "perdure/pool.h"
#include "small_disk.h"

namespace perdure {
namespace {

class DiskTest : public testing::SmallDiskTest {};

TEST_F(DiskTest, CreationOnAFullDiskLeavesNothing) {
  leave(500000);
  EXPECT_TRUE(testing::refuses([&] { Pool::open(path()); }, PoolError::Kind::no_space, path(), "No space left"));
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_FALSE(std::filesystem::exists(path().string() + ".creating"));
  std::filesystem::remove(in_directory("ballast"));
  EXPECT_EQ(Pool::open(path()).report().state, OpenReport::State::created);
}

TEST_F(DiskTest, FillingTheDiskIsAFailedAllocationNotASignal) {
  for (int round = 0; round < 20; ++round) {
    const Pool pool = Pool::open(path());
    alloc::Heap& heap = *alloc::current_heap();
    std::vector<std::byte*> blocks;
    const std::size_t bytes = round % 2 == 0 ? 1000 : 70000;
    while (auto* const block = static_cast<std::byte*>(heap.allocate(bytes))) {
      std::memset(block, round, bytes);  // every page of it: a hole would be a SIGBUS
      blocks.push_back(block);
    }
    ASSERT_GE(blocks.size() * heap.usable_size(blocks[0]), 6u << 20);
    for (const std::byte* const block : blocks) ASSERT_EQ(block[bytes - 1], std::byte(round));
    for (std::byte* const block : blocks) heap.deallocate(block);
    EXPECT_NE(heap.allocate(bytes), nullptr) << "the pool stays usable";
  }
}

TEST_F(DiskTest, ThreadsFillTheDiskTogether) {
  const Pool pool = Pool::open(path());
  alloc::Heap& heap = *alloc::current_heap();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&heap, i] {
      while (void* const block = heap.allocate(3000 * (i + 1))) std::memset(block, i, 3000 * (i + 1));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(available(), 128u << 10);
}

TEST_F(DiskTest, HolesOfASparseCopyAreFilledOrTheCopyIsRefused) {
  Pool::open(path()).close();
  const auto copy = in_directory("sparse");
  ASSERT_EQ(std::system(("cp --sparse=always '" + path().string() + "' '" + copy.string() + "'").c_str()), 0);
  std::filesystem::remove(path());
  leave(100000);
  const std::string before = testing::read_all(copy);
  EXPECT_TRUE(testing::refuses([&] { Pool::open(copy); }, PoolError::Kind::no_space, copy, "No space left"));
  EXPECT_EQ(testing::read_all(copy), before);
  std::filesystem::remove(in_directory("ballast"));
  const Pool pool = Pool::open(copy);
  leave(0);
  while (void* const block = alloc::current_heap()->allocate(10000)) std::memset(block, 1, 10000);
}

}  // namespace
}  // namespace perdure
