// What blocks hold: told when they are allocated, and known whenever the pool is opened again.
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "abi/entry_points.h"
#include "entry/allocation.h"
#include "layouts.h"
#include "perdure/allocator.h"
#include "tests/tx/by_hand.h"

namespace perdure::alloc {
namespace {

using namespace testing;

TEST_F(LayoutTest, BlocksOfTwoLayoutsShareNoSuperblock) {
  open();
  Layout<1> first = one_pointer(0, 48), second = one_pointer(8, 48), same_as_first = one_pointer(0, 48);
  const std::array<BlockLayout*, 5> layouts = {first, second, nullptr, &no_pointers, same_as_first};
  std::map<std::uint64_t, std::set<LayoutNumber>> found;
  std::map<LayoutNumber, std::vector<void*>> blocks;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t which = static_cast<std::size_t>(i) % layouts.size();
    void* const block = allocate(48, layouts[which]);
    ASSERT_NE(block, nullptr);
    const LayoutNumber expected = which == 2 ? unknown_layout : which == 3 ? without_pointers : which == 1 ? 3 : 2;
    ASSERT_EQ(number_of(block), expected);
    found[heap().superblocks().number_of(block)].insert(expected);
    blocks[expected].push_back(block);
    // Some are freed, and handed out again.
    if (i % 3 != 0) continue;
    heap().deallocate(blocks[expected].back());
    blocks[expected].pop_back();
  }
  EXPECT_GT(found.size(), 8u);
  for (const auto& [superblock, numbers] : found) EXPECT_EQ(numbers.size(), 1u) << superblock;
  EXPECT_EQ(heap().layouts().get(unknown_layout), nullptr);
  EXPECT_EQ(heap().layouts().get(without_pointers), &no_pointers);
  EXPECT_EQ(*heap().layouts().get(2), first.head);
  EXPECT_EQ(*heap().layouts().get(3), second.head);
  EXPECT_EQ(heap().layouts().get(4), nullptr);
}

TEST_F(LayoutTest, ASuperblockThatIsFreeTakesAnyLayout) {
  open();
  Layout<1> first = one_pointer(0, 64), second = one_pointer(8, 64);
  std::vector<void*> blocks;
  for (int i = 0; i < 5000; ++i) blocks.push_back(allocate(64, first));
  const std::uint64_t superblock = heap().superblocks().number_of(blocks[2000]);
  for (void* const block : blocks) heap().deallocate(block);
  bool was_used = false;
  for (int i = 0; i < 5000; ++i) {
    void* const block = allocate(64, second);
    ASSERT_EQ(number_of(block), 3);
    was_used |= heap().superblocks().number_of(block) == superblock;
  }
  EXPECT_TRUE(was_used);
}

TEST_F(LayoutTest, AreKeptWhenThePoolIsClosedAndWhenItsProcessIsKilled) {
  Layout<3> all = of_all_kinds();
  Layout<1> large = one_pointer(24, 4096);
  constexpr int links = 3000;
  crash([&] {
    for (int i = 0; i < links; ++i) {
      allocate_link(128, all);
      allocate_link(128, &no_pointers, 1);
      allocate_link(128, nullptr, 2);
    }
    allocate_link(200000, large, 3);
    allocate_link(200000, nullptr, 4);
    allocate_link(200000, &no_pointers, 5);
  });
  for (int round = 0; round < 3; ++round) {
    open();
    ASSERT_EQ(pool_->wait_for_mark().state, round == 0 ? OpenReport::State::recovered : OpenReport::State::clean);
    const auto expect = [&](std::size_t root, BlockLayout* layout) {
      int count = 0;
      for (const Link* link = chain(root); link != nullptr; link = link->next, ++count) {
        BlockLayout* const known = heap().layout_of(link);
        ASSERT_EQ(known == nullptr, layout == nullptr);
        if (layout != nullptr) {
          ASSERT_EQ(*known, *layout);
        }
      }
      ASSERT_EQ(count, root < 3 ? links : 1);
    };
    expect(0, all);
    expect(1, &no_pointers);
    expect(2, nullptr);
    expect(3, large);
    expect(4, nullptr);
    expect(5, &no_pointers);
    // What is freed and allocated now goes to where it belongs.
    Layout<3> once_more = of_all_kinds();
    std::set<std::uint64_t> superblocks;
    for (const Link* link = chain(); link != nullptr; link = link->next)
      superblocks.insert(heap().superblocks().number_of(link));
    std::vector<void*> blocks;
    for (int i = 0; i < 200; ++i) blocks.push_back(allocate(128, once_more));
    for (void* const block : blocks) {
      ASSERT_EQ(number_of(block), number_of(chain()));
      heap().deallocate(block);
    }
    EXPECT_TRUE(superblocks.contains(heap().superblocks().number_of(blocks[0])) || round == 0);
    close();
  }
}

TEST_F(LayoutTest, AreKnownWhereAPoolIsOpenForReading) {
  Layout<3> all = of_all_kinds();
  for (const bool is_clean : {false, true}) {
    if (is_clean) {
      open();
      close();
    } else {
      crash([&] { allocate_link(128, all); });
    }
    pool_.emplace(path(), OpenOptions{.read_only = true});
    ASSERT_NE(heap().layout_of(chain()), nullptr);
    EXPECT_EQ(*heap().layout_of(chain()), all.head);
    close();
  }
}

TEST_F(LayoutTest, AHeldSuperblockIsOfItsBinAgainAfterTheMark) {
  Layout<3> all = of_all_kinds();
  crash([&] {
    for (int i = 0; i < 100; ++i) allocate_link(128, all);
    for (int i = 0; i < 100; ++i) allocate(128, all);  // nothing leads there
  });
  pool_.emplace(path(), OpenOptions{}, opening::Marking::by_hand);
  Link* const kept = chain();
  void* const meanwhile = allocate(128, all);
  EXPECT_NE(heap().superblocks().number_of(meanwhile), heap().superblocks().number_of(kept));
  EXPECT_EQ(number_of(meanwhile), number_of(kept));
  pool_->root_table().roots[0].object = kept->next;
  heap().deallocate(kept);  // while it is held
  Marker(*heap().mark()).run();
  heap().mark()->sweep();
  std::set<void*> given;
  for (int i = 0; i < 1000; ++i) given.insert(allocate(128, all));
  EXPECT_TRUE(given.contains(kept));
  for (void* const block : given) ASSERT_EQ(number_of(block), number_of(meanwhile));
}

TEST_F(LayoutTest, OnePoolAfterTheOtherMayUseALayout) {
  Layout<1> first = one_pointer(0, 64), second = one_pointer(8, 64);
  open();
  opening::OpenPool other(in_directory("b.pool"), {});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(number_of(allocate(64, first)), 2);
    void* const block = other.heap().allocate(64, 16, second);
    EXPECT_EQ(other.heap().superblocks().layout(other.heap().superblocks().number_of(block)), 2);
    EXPECT_EQ(*other.heap().layout_of(block), second.head);
    EXPECT_EQ(*other.heap().layout_of(other.heap().allocate(64, 16, first)), first.head);
    EXPECT_EQ(number_of(allocate(64, second)), 3);
  }
}

TEST_F(LayoutTest, ThreadsAgreeOnNumbers) {
  open();
  std::vector<Layout<1>> layouts;
  for (std::uint32_t i = 0; i < 200; ++i) layouts.push_back(layout_of_number(i));
  std::vector<std::thread> threads;
  std::array<std::vector<void*>, 4> blocks;
  for (auto& of_thread : blocks)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round)
        for (Layout<1>& layout : layouts) {
          of_thread.push_back(allocate(64, layout));
          heap().deallocate(allocate(96, layout));
        }
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_thread : blocks)
    for (std::size_t i = 0; i < of_thread.size(); ++i)
      ASSERT_EQ(*heap().layout_of(of_thread[i]), layouts[i % layouts.size()].head);
  EXPECT_EQ(heap().layouts().count(), first_in_table + layouts.size());
}

// -- full pools -------------------------------------------------------------------------------------------------------

TEST_F(LayoutTest, AFullPoolDoesWithoutLayouts) {
  constexpr std::size_t limit = 8 << 20;
  open(limit);
  while (allocate(30000, nullptr) != nullptr) {
  }
  while (allocate(64, nullptr) != nullptr) {
  }
  Layout<1> layout = one_pointer(0, 64);
  EXPECT_EQ(allocate(64, layout), nullptr);
  EXPECT_EQ(allocate(64, &no_pointers), nullptr);
  EXPECT_EQ(allocate(200000, layout), nullptr);
}

TEST_F(LayoutTest, BinsThatKeepEmptySuperblocksDoNotMakeAPoolFull) {
  open(8 << 20);
  std::vector<Layout<1>> layouts;
  for (std::uint32_t i = 0; i < 60; ++i) layouts.push_back(layout_of_number(i));
  for (int round = 0; round < 20; ++round)
    for (const std::size_t bytes : {64, 1000})
      for (Layout<1>& layout : layouts) {
        void* const block = allocate(bytes, layout);
        ASSERT_NE(block, nullptr) << round;
        heap().deallocate(block);
      }
  void* const large = allocate(6 << 20, nullptr);
  EXPECT_NE(large, nullptr);
}

// -- in transactions --------------------------------------------------------------------------------------------------

TEST_F(LayoutTest, IsThatOfTheNextAllocationAndOfNoOther) {
  open();
  Layout<1> layout = one_pointer(0, 64);
  by_hand::transact([&] {
    perdure_set_block_layout(layout);
    void* const first = entry::transactional_allocate(64, 16);
    void* const second = entry::transactional_allocate(64, 16);
    EXPECT_EQ(number_of(first), 2);
    EXPECT_EQ(number_of(second), unknown_layout);
    // Also where the allocation fails.
    perdure_set_block_layout(layout);
    EXPECT_EQ(entry::transactional_allocate(std::size_t{1} << 60, 16), nullptr);
    EXPECT_EQ(number_of(entry::transactional_allocate(64, 16)), unknown_layout);
  });
  perdure_set_block_layout(layout);
  void* const outside = perdure_allocate_in(pool_->mapping().base(), 1, 64, 16);
  EXPECT_EQ(number_of(outside), 2);
  EXPECT_EQ(number_of(perdure_allocate_in(pool_->mapping().base(), 1, 64, 16)), unknown_layout);
  perdure_set_block_layout(layout);
  EXPECT_THROW(perdure_allocate_in(pool_->mapping().base(), ~std::size_t{0}, 64, 16), std::bad_array_new_length);
  EXPECT_EQ(number_of(perdure_allocate_in(pool_->mapping().base(), 1, 64, 16)), unknown_layout);
}

extern "C" void* perdure_tm_malloc(std::size_t bytes);
extern "C" void* perdure_tm_calloc(std::size_t count, std::size_t bytes);
extern "C" void* perdure_tm_realloc(void* block, std::size_t bytes);

TEST_F(LayoutTest, IsKeptByRealloc) {
  open();
  Layout<1> layout = one_pointer(0, 64);
  by_hand::transact([&] {
    perdure_set_block_layout(layout);
    void* block = perdure_tm_malloc(64);
    for (const std::size_t bytes : {200, 1000, 200000, 100}) {
      block = perdure_tm_realloc(block, bytes);
      EXPECT_EQ(number_of(block), 2) << bytes;
    }
    EXPECT_EQ(number_of(perdure_tm_malloc(64)), unknown_layout);
    EXPECT_EQ(number_of(perdure_tm_realloc(perdure_tm_malloc(64), 100)), unknown_layout);
    perdure_set_block_layout(layout);
    EXPECT_EQ(perdure_tm_calloc(~std::size_t{0}, 64), nullptr);
    EXPECT_EQ(number_of(perdure_tm_calloc(1, 64)), unknown_layout);
  });
}

}  // namespace
}  // namespace perdure::alloc
