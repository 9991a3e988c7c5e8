// Disk space of what is free: given back while the pool is in use, and reserved again before it is.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "alloc/heap.h"
#include "open/open_pool.h"
#include "perdure/pool.h"
#include "small_disk.h"
#include "tests/repetitions.h"

namespace {
std::atomic<int> fallocate_error{0};
}

/// The library's calls of it, too: a file system that makes no holes, or fails.
extern "C" int fallocate(int file, int mode, off_t offset, off_t bytes) {
  if (fallocate_error == 0) return static_cast<int>(syscall(SYS_fallocate, file, mode, offset, bytes));
  errno = fallocate_error;
  return -1;
}

namespace perdure {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::size_t disk_bytes(const std::filesystem::path& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? static_cast<std::size_t>(status.st_blocks) * 512 : 0;
}

bool makes_holes(const std::filesystem::path& directory) {
  const auto path = directory / "probe";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const bool result = fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 65536) == 0;
  close(file);
  std::filesystem::remove(path);
  return result;
}

std::byte* allocate(alloc::Heap& heap, std::size_t bytes, int fill) {
  auto* const block = static_cast<std::byte*>(heap.allocate(bytes));
  if (block != nullptr) std::memset(block, fill, bytes);  // every page of it: a hole is a SIGBUS where the disk is full
  return block;
}

bool holds(const std::byte* block, std::size_t bytes, int value) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (block[i] != static_cast<std::byte>(value)) return false;
  return true;
}

class SpaceTest : public testing::PoolTest {
 protected:
  void SetUp() override {
    if (!makes_holes(directory_)) GTEST_SKIP() << "this file system makes no holes";
  }

  /// As if the process were killed: what is in the file now is what it leaves. Copied as `cp --sparse=never` would.
  void crash(std::optional<Pool>& pool) const {
    const std::string crashed = testing::read_all(path());
    pool.reset();
    testing::write_all(path(), crashed);
  }
};

TEST_F(SpaceTest, ALargeBlockThatIsFreedGivesItsSpaceBack) {
  const Pool pool = Pool::open(path());
  alloc::Heap& heap = *alloc::current_heap();
  std::byte* const kept = allocate(heap, 100, 7);
  std::byte* const large = allocate(heap, 100 * mebibyte, 1);
  EXPECT_GE(disk_bytes(path()), 100 * mebibyte);
  heap.deallocate(large);
  EXPECT_LE(disk_bytes(path()), 6 * mebibyte);
  EXPECT_GE(std::filesystem::file_size(path()), 100 * mebibyte) << "it is not cut while it is in use";
  EXPECT_TRUE(holds(kept, 100, 7));
  std::byte* const again = allocate(heap, 100 * mebibyte, 2);
  ASSERT_NE(again, nullptr);
  EXPECT_GE(disk_bytes(path()), 100 * mebibyte) << "it is reserved again";
  EXPECT_EQ(again, large) << "and where it was";
  heap.deallocate(again);
}

TEST_F(SpaceTest, SmallBlocksThatAreFreedGiveTheirSpaceBackAsTheyGo) {
  const Pool pool = Pool::open(path());
  alloc::Heap& heap = *alloc::current_heap();
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 100'000; ++i) blocks.push_back(allocate(heap, 1000, i));
  const std::size_t full = disk_bytes(path());
  ASSERT_GE(full, 100 * mebibyte);
  std::size_t least = full;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    heap.deallocate(blocks[i]);
    if (i == blocks.size() / 2) least = disk_bytes(path());
  }
  EXPECT_LE(least, full * 3 / 4) << "half of it is free";
  EXPECT_LE(disk_bytes(path()), 12 * mebibyte);
}

TEST_F(SpaceTest, WhatComesAndGoesIsNotGivenBackEachTime) {
  const Pool pool = Pool::open(path());
  alloc::Heap& heap = *alloc::current_heap();
  std::byte* const kept = allocate(heap, 64 * mebibyte, 1);
  for (int i = 0; i < 5; ++i) heap.deallocate(allocate(heap, 6 * mebibyte, i));
  const std::size_t before = disk_bytes(path());
  for (int i = 0; i < 50; ++i) heap.deallocate(allocate(heap, 6 * mebibyte, i));
  EXPECT_EQ(disk_bytes(path()), before);
  EXPECT_EQ(heap.superblocks().holes(), 0u);
  heap.deallocate(kept);
}

TEST_F(SpaceTest, ACloseCutsTheTailAndTheNextOpenIsClean) {
  std::byte* kept = nullptr;
  {
    Pool pool = Pool::open(path());
    alloc::Heap& heap = *alloc::current_heap();
    kept = allocate(heap, 300 * 1024, 3);
    std::byte* const large = allocate(heap, 80 * mebibyte, 1);
    heap.deallocate(large);
  }
  EXPECT_LE(std::filesystem::file_size(path()), 10 * mebibyte);
  Pool pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, OpenReport::State::clean);
  EXPECT_TRUE(holds(kept, 300 * 1024, 3));
  EXPECT_NE(allocate(*alloc::current_heap(), 80 * mebibyte, 4), nullptr);
  EXPECT_TRUE(holds(kept, 300 * 1024, 3));
}

TEST_F(SpaceTest, ATailOfWholeSegmentsIsCutWithTheirDescriptors) {
  for (int round = 0; round < 2; ++round) {
    Pool pool = Pool::open(path());
    EXPECT_EQ(pool.report().state, round == 0 ? OpenReport::State::created : OpenReport::State::clean);
    alloc::Heap& heap = *alloc::current_heap();
    void* const huge = heap.allocate(std::size_t{1600} * mebibyte);  // not touched: its pages need not be there
    if (huge == nullptr) GTEST_SKIP() << "not enough room for a pool of several segments";
    heap.deallocate(huge);
    pool.close();
    EXPECT_LE(std::filesystem::file_size(path()), 10 * mebibyte) << "round " << round;
  }
}

TEST_F(SpaceTest, WhereTheFileSystemMakesNoHolesEverythingElseWorks) {
  for (const int when : {0, 1}) {
    Pool pool = Pool::open(path());
    alloc::Heap& heap = *alloc::current_heap();
    std::byte* const large = allocate(heap, 50 * mebibyte, 1);
    std::byte* const behind = allocate(heap, 100'000, 2);
    // It may be found out at first, or fail later.
    if (when == 1) heap.deallocate(allocate(heap, 50 * mebibyte, 3));
    fallocate_error = when == 0 ? EOPNOTSUPP : EIO;
    heap.deallocate(large);
    fallocate_error = 0;
    EXPECT_GE(disk_bytes(path()), 50 * mebibyte);
    EXPECT_EQ(allocate(heap, 50 * mebibyte, 4), large);
    EXPECT_TRUE(holds(behind, 100'000, 2));
    heap.deallocate(large);
    heap.deallocate(behind);
    pool.close();
    EXPECT_EQ(Pool::open(path()).report().state, OpenReport::State::clean);
  }
}

TEST_F(SpaceTest, HolesAreKnownAgainAtTheNextOpen) {
  std::byte* low = nullptr;
  std::byte* high = nullptr;
  std::size_t before = 0;
  {
    const Pool pool = Pool::open(path());
    alloc::Heap& heap = *alloc::current_heap();
    low = allocate(heap, 100 * mebibyte, 1);
    high = allocate(heap, 100'000, 2);
    heap.deallocate(low);
  }
  before = disk_bytes(path());
  EXPECT_LE(before, 8 * mebibyte);
  const Pool pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, OpenReport::State::clean);
  EXPECT_EQ(disk_bytes(path()), before) << "opening does not fill holes";
  alloc::Heap& heap = *alloc::current_heap();
  EXPECT_GE(heap.superblocks().holes(), 90 * mebibyte / pool::superblock_bytes);
  EXPECT_TRUE(holds(high, 100'000, 2));
  EXPECT_EQ(allocate(heap, 100 * mebibyte, 3), low);
  EXPECT_TRUE(holds(high, 100'000, 2));
}

TEST_F(SpaceTest, AfterACrashTheyAreKnownToo) {
  const int status = testing::in_child([&] {
    const Pool pool = Pool::open(path());
    alloc::Heap& heap = *alloc::current_heap();
    std::byte* const low = allocate(heap, 100 * mebibyte, 1);
    allocate(heap, 100'000, 2);
    heap.deallocate(low);
    raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  const std::size_t before = disk_bytes(path());
  EXPECT_LE(before, 8 * mebibyte);
  Pool pool = Pool::open(path(), {.wait_for_mark = true});
  EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
  EXPECT_LE(disk_bytes(path()), before);
  EXPECT_GE(alloc::current_heap()->superblocks().holes(), 90 * mebibyte / pool::superblock_bytes);
}

TEST_F(SpaceTest, ACopyWithoutHolesIsAPoolLikeAnyOther) {
  std::optional<Pool> pool(Pool::open(path()));
  alloc::Heap& heap = *alloc::current_heap();
  std::byte* const low = allocate(heap, 30 * mebibyte, 1);
  std::byte* const high = allocate(heap, 100'000, 2);
  heap.deallocate(low);
  crash(pool);
  EXPECT_GE(disk_bytes(path()), 30 * mebibyte);
  const Pool copy = Pool::open(path());
  EXPECT_NE(allocate(*alloc::current_heap(), 30 * mebibyte, 3), nullptr);
  EXPECT_TRUE(copy.report().state == OpenReport::State::recovered && high != nullptr);
}

TEST_F(SpaceTest, ACopyWithMoreHolesGetsWhatItsBlocksNeed) {
  std::byte* zeros = nullptr;
  {
    const Pool pool = Pool::open(path());
    alloc::Heap& heap = *alloc::current_heap();
    std::byte* const low = allocate(heap, 30 * mebibyte, 1);
    zeros = allocate(heap, 20 * mebibyte, 0);
    heap.deallocate(low);
  }
  const auto copy = in_directory("copy");
  ASSERT_EQ(std::system(("cp --sparse=always '" + path().string() + "' '" + copy.string() + "'").c_str()), 0);
  std::filesystem::rename(copy, path());
  ASSERT_LE(disk_bytes(path()), 10 * mebibyte);
  const Pool pool = Pool::open(path());
  EXPECT_GE(disk_bytes(path()), 20 * mebibyte) << "blocks in use have all of their space";
  EXPECT_LE(disk_bytes(path()), 30 * mebibyte) << "what is free need not";
  EXPECT_NE(allocate(*alloc::current_heap(), 30 * mebibyte, 3), nullptr);
  EXPECT_TRUE(holds(zeros, 20 * mebibyte, 0));
}

TEST_F(SpaceTest, ThreadsAllocateWhileSpaceIsGivenBack) {
  const Pool pool = Pool::open(path(), {.size_limit = 256 * mebibyte});
  alloc::Heap& heap = *alloc::current_heap();
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&heap, number] {
      for (unsigned round = 0; round < repetitions(8); ++round) {
        const std::size_t bytes = number % 2 == 0 ? 40 * mebibyte : 3000;
        std::vector<std::byte*> blocks;
        for (std::size_t taken = 0; taken < 40 * mebibyte; taken += bytes) {
          blocks.push_back(allocate(heap, bytes, number));
          // There is room for all of them: what is on its way to the file system counts as room.
          ASSERT_NE(blocks.back(), nullptr);
        }
        for (std::byte* const block : blocks) {
          ASSERT_TRUE(holds(block, bytes, number));
          heap.deallocate(block);
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// -- where the disk is full -------------------------------------------------------------------------------------------

class FullDiskSpaceTest : public testing::SmallDiskTest {
 protected:
  FullDiskSpaceTest() : SmallDiskTest("size=40m") {}
};

TEST_F(FullDiskSpaceTest, AnotherFileMayTakeTheSpaceAndNothingIsLost) {
  for (int round = 0; round < 5; ++round) {
    std::optional<Pool> pool(Pool::open(path()));
    alloc::Heap* heap = alloc::current_heap();
    std::byte* const large = allocate(*heap, 24 * mebibyte, 1);
    ASSERT_NE(large, nullptr) << "round " << round;
    std::byte* const kept = allocate(*heap, 2 * mebibyte, 2);
    ASSERT_NE(kept, nullptr);
    heap->deallocate(large);
    leave(0);  // another file takes it
    if (round % 2 == 1) {
      pool.reset();
      pool.emplace(Pool::open(path()));
      heap = alloc::current_heap();
    }
    EXPECT_EQ(heap->allocate(24 * mebibyte), nullptr);
    std::vector<std::byte*> blocks;
    for (const std::size_t bytes : {std::size_t{200'000}, std::size_t{5000}, std::size_t{100}})
      while (std::byte* const block = allocate(*heap, bytes, 3)) blocks.push_back(block);
    EXPECT_FALSE(blocks.empty()) << "some was kept at hand";
    EXPECT_TRUE(holds(kept, 2 * mebibyte, 2));
    for (std::byte* const block : blocks) heap->deallocate(block);
    std::filesystem::remove(in_directory("ballast"));
    std::byte* const again = allocate(*heap, 24 * mebibyte, 4);
    EXPECT_NE(again, nullptr) << "the pool stays usable";
    heap->deallocate(again);
    heap->deallocate(kept);
  }
}

}  // namespace
}  // namespace perdure
