#include "alloc/heap.h"

#include <algorithm>
#include <barrier>
#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "pool_test.h"

namespace perdure::alloc {
namespace {

class HeapTest : public testing::PoolTest {
 protected:
  void open(std::size_t limit = 0) {
    heap_.reset();
    mapping_.reset();
    mapping_.emplace(pool::Mapping::open(path(), limit));
    mapping_->mark_dirty();
    heap_ = std::make_unique<Heap>(*mapping_);
    heap_->finish_rebuild();
  }

  std::optional<pool::Mapping> mapping_;
  std::unique_ptr<Heap> heap_;
};

/// Pools of these many bytes, at most: in large ones, threads that allocate much take whole superblocks.
class FullHeapTest : public HeapTest, public ::testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Limits, FullHeapTest, ::testing::Values(8 << 20, 64 << 20));

TEST_F(HeapTest, BlocksAreDisjointAlignedAndUsable) {
  open();
  std::mt19937 random(1);
  std::map<std::byte*, std::size_t> blocks;
  for (int i = 0; i < 4000; ++i) {
    const std::size_t bytes = std::uniform_int_distribution<std::size_t>(0, i % 20 == 0 ? 200000 : 2000)(random);
    auto* const block = static_cast<std::byte*>(heap_->allocate(bytes));
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 32, 0u);
    ASSERT_GE(heap_->usable_size(block), bytes);
    ASSERT_TRUE(heap_->is_block(block));
    ASSERT_FALSE(heap_->is_block(block + 8));
    std::memset(block, i, heap_->usable_size(block));
    blocks[block] = heap_->usable_size(block);
  }
  std::byte* end = nullptr;
  for (const auto& [block, bytes] : blocks) {
    ASSERT_GE(block, end);
    end = block + bytes;
  }
  for (const auto& [block, bytes] : blocks) heap_->deallocate(block);
}

TEST_F(HeapTest, HonoursAlignmentUpToASuperblock) {
  open();
  for (std::size_t alignment = 1; alignment <= max_alignment; alignment *= 2)
    for (const std::size_t bytes : {1, 40, 1000, 40000, 100000})
      for (int i = 0; i < 3; ++i) {
        void* const block = heap_->allocate(bytes, alignment);
        ASSERT_NE(block, nullptr);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
        ASSERT_GE(heap_->usable_size(block), bytes);
      }
  EXPECT_EQ(heap_->allocate(1, 2 * max_alignment), nullptr);
}

TEST_F(HeapTest, ImpossibleSizesAreRefusedAndHarmless) {
  open();
  EXPECT_EQ(heap_->allocate(~std::size_t{0}), nullptr);
  EXPECT_EQ(heap_->allocate(Heap::max_bytes), nullptr);
  EXPECT_NE(heap_->allocate(100), nullptr);
}

TEST_F(HeapTest, FreeBlocksAreReusedNotAdded) {
  open();
  for (const std::size_t bytes : {32, 500, 20000, 70000, 3000000}) {
    heap_->deallocate(heap_->allocate(bytes));
    const std::uint64_t size = mapping_->superblocks();
    for (int i = 0; i < 2000; ++i) heap_->deallocate(heap_->allocate(bytes));
    EXPECT_EQ(mapping_->superblocks(), size) << bytes;
  }
}

TEST_F(HeapTest, FreeBlocksAreNotWrittenTo) {
  open();
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 5000; ++i) {
    blocks.push_back(static_cast<std::byte*>(heap_->allocate(64)));
    std::memset(blocks.back(), 0x5a, 64);
  }
  for (std::byte* const block : blocks) heap_->deallocate(block);
  for (const std::byte* const block : blocks)
    for (int i = 0; i < 64; ++i) ASSERT_EQ(block[i], std::byte{0x5a}) << "a doomed reader would see this change";
}

TEST_P(FullHeapTest, RefusesThenFreesThenAllocatesAgain) {
  open(GetParam());
  for (const std::size_t bytes : {64, 4000, 30000, 70000, 1 << 20}) {
    std::size_t first_round = 0;
    for (int round = 0; round < 3; ++round) {
      std::vector<void*> blocks;
      while (void* const block = heap_->allocate(bytes)) {
        std::memset(block, 1, bytes);
        blocks.push_back(block);
      }
      EXPECT_EQ(heap_->allocate(bytes), nullptr);
      if (round == 0) first_round = blocks.size();
      EXPECT_EQ(blocks.size(), first_round) << bytes << " bytes, round " << round;
      EXPECT_GE(blocks.size() * heap_->usable_size(blocks[0]), GetParam() * 3 / 4);
      for (void* const block : blocks) heap_->deallocate(block);
    }
  }
  EXPECT_EQ(std::filesystem::file_size(path()), GetParam());
}

TEST_F(HeapTest, GrowsAcrossSegmentsWithLargeBlocks) {
  open();
  const std::size_t segment = pool::superblocks_per_segment * pool::superblock_bytes;
  const auto space = std::filesystem::space(directory_);
  if (space.available < 3 * segment) GTEST_SKIP() << "needs " << 3 * segment << " bytes of disk";
  auto* const block = static_cast<std::byte*>(heap_->allocate(segment + 1));
  ASSERT_NE(block, nullptr);
  block[0] = block[segment] = std::byte{1};
  void* const behind = heap_->allocate(1 << 20);
  ASSERT_NE(behind, nullptr);
  EXPECT_GT(heap_->superblocks().number_of(behind), pool::superblocks_per_segment);
  EXPECT_NE(mapping_->directory_entry(1), 0u);
  heap_->deallocate(block);
  heap_->deallocate(behind);
  EXPECT_TRUE(heap_->is_block(heap_->allocate(segment)));
}

TEST_F(HeapTest, LogSegmentsStartWithAZeroLineAndStayLogs) {
  open();
  // Dirty every superblock first.
  std::vector<void*> blocks;
  for (int i = 0; i < 40; ++i) {
    blocks.push_back(heap_->allocate(60000));
    std::memset(blocks.back(), 0xff, 60000);
  }
  for (void* const block : blocks) heap_->deallocate(block);
  std::set<void*> segments;
  for (int i = 0; i < 10; ++i) {
    auto* const segment = static_cast<std::uint64_t*>(heap_->allocate_log_segment());
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(segment) % pool::superblock_bytes, 0u);
    for (int word = 0; word < 8; ++word) ASSERT_EQ(segment[word], 0u);
    ASSERT_TRUE(segments.insert(segment).second);
  }
  for (void* const segment : segments) heap_->release_log_segment(segment);
  EXPECT_TRUE(segments.contains(heap_->allocate_log_segment())) << "released segments are used again";
  std::set<void*> visited;
  heap_->for_each_log_segment([&](void* segment) { visited.insert(segment); });
  EXPECT_EQ(visited, segments);
  open();
  visited.clear();
  heap_->for_each_log_segment([&](void* segment) { visited.insert(segment); });
  EXPECT_EQ(visited, segments) << "and are found after a crash";
  EXPECT_TRUE(segments.contains(heap_->allocate_log_segment()));
}

TEST_F(HeapTest, NonBlocksAreNotFreed) {
  open();
  auto* const block = static_cast<std::byte*>(heap_->allocate(200000));
  EXPECT_DEATH(heap_->deallocate(block + pool::superblock_bytes), "no block of the pool begins there");
  EXPECT_DEATH(heap_->deallocate(mapping_->base()), "no block of the pool begins there");
}

TEST_F(HeapTest, CurrentHeapIsTheOldestThatIsOpen) {
  EXPECT_EQ(current_heap(), nullptr);
  open();
  pool::Mapping other_mapping = pool::Mapping::open(in_directory("b.pool"), 0);
  Heap other(other_mapping);
  EXPECT_EQ(heap_of(mapping_->base()), nullptr);
  register_heap(*heap_);
  register_heap(other);
  EXPECT_EQ(current_heap(), heap_.get());
  EXPECT_EQ(heap_of(mapping_->base() + 12345), heap_.get());
  EXPECT_EQ(heap_of(other_mapping.base()), &other);
  unregister_heap(*heap_);
  EXPECT_EQ(current_heap(), &other);
  EXPECT_EQ(heap_of(mapping_->base()), nullptr);
  unregister_heap(other);
  EXPECT_EQ(current_heap(), nullptr);
}

TEST_P(FullHeapTest, EndingThreadsGiveTheirCachesBack) {
  open(GetParam());
  register_heap(*heap_);
  std::size_t most = 0;
  for (int round = 0; round < 20; ++round) {
    std::size_t got = 0;
    std::thread([&] {
      std::vector<void*> blocks;
      while (void* const block = heap_->allocate(1000)) blocks.push_back(block);
      got = blocks.size();
      for (void* const block : blocks) heap_->deallocate(block);
    }).join();
    most = std::max(most, got);
    ASSERT_EQ(got, most) << "round " << round;
  }
  unregister_heap(*heap_);
}

TEST_F(HeapTest, CachesOfAClosedHeapAreForgotten) {
  open();
  heap_->deallocate(heap_->allocate(64));
  open();  // probably in the same slot, certainly another heap
  void* const block = heap_->allocate(64);
  EXPECT_TRUE(heap_->is_block(block));
}

/// In turns, as badly as can be: all the same, they do not write to each other's lines.
TEST_F(HeapTest, ThreadsThatAllocateMuchHaveSuperblocksOfTheirOwn) {
  open(64 << 20);
  heap_->deallocate(heap_->allocate(32 << 20));                          // a large pool from here on
  constexpr std::size_t thread_count = 2, count = 50000, first = 20000;  // at first a thread takes only a few
  std::array<std::vector<std::byte*>, thread_count> blocks;
  std::barrier turns(thread_count);
  std::vector<std::thread> threads;
  for (auto& own : blocks)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < count; ++i) {
        own.push_back(static_cast<std::byte*>(heap_->allocate(32)));
        if (i % 64 == 0) turns.arrive_and_wait();
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::array<std::set<std::uint64_t>, thread_count> superblocks;
  for (std::size_t i = 0; i < thread_count; ++i)
    for (std::size_t k = first; k < count; ++k) superblocks[i].insert(heap_->superblocks().number_of(blocks[i][k]));
  std::vector<std::uint64_t> shared;
  std::ranges::set_intersection(superblocks[0], superblocks[1], std::back_inserter(shared));
  EXPECT_EQ(shared, std::vector<std::uint64_t>());
}

/// Threads allocate, fill, check, pass on to each other and free.
TEST_F(HeapTest, ThreadsNeverShareABlock) {
  open(256 << 20);
  constexpr int thread_count = 4, turns = 20000, places = 64;
  std::array<std::atomic<std::uint64_t*>, places> exchange{};
  std::atomic<int> errors{0};
  auto check_and_free = [&](std::uint64_t* block) {
    if (block == nullptr) return;
    const std::uint64_t words = block[0];
    for (std::uint64_t i = 1; i < words; ++i)
      if (block[i] != block[1]) ++errors;
    heap_->deallocate(block);
  };
  auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int turn = 0; turn < turns; ++turn) {
      const std::uint64_t words = 2 + random() % (turn % 500 == 0 ? 20000 : 60);
      auto* const block = static_cast<std::uint64_t*>(heap_->allocate(words * 8));
      if (block == nullptr) {
        ++errors;
        return;
      }
      block[0] = words;
      std::fill(block + 1, block + words, std::uint64_t{seed} << 32 | static_cast<unsigned>(turn));
      check_and_free(exchange[random() % places].exchange(block));
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < thread_count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  for (auto& place : exchange) check_and_free(place.load());
  EXPECT_EQ(errors, 0);
}

TEST_F(HeapTest, ThreadsGrowThePoolTogether) {
  open(64 << 20);
  std::atomic<std::size_t> total{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const std::size_t bytes = i % 2 == 0 ? 30000 : 150000;
      while (void* const block = heap_->allocate(bytes)) {
        std::memset(block, i, bytes);
        total += bytes;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(total, (64u << 20) * 3 / 4);
  EXPECT_EQ(mapping_->superblocks() * pool::superblock_bytes, 64u << 20);
}

}  // namespace
}  // namespace perdure::alloc
