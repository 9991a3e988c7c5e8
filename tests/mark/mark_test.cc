// The mark of a pool whose last user crashed, stopped by hand at every point, while transactions change what it has
// seen and what it has not.
#include <algorithm>
#include <set>
#include <thread>

#include "crashed_pool.h"
#include "simulate/faults.h"

namespace perdure::testing {
namespace {

using alloc::Marker;
using by_hand::read, by_hand::transact, by_hand::write;
using opening::OpenPool;

class MarkByHand : public MarkTest {
 protected:
  static constexpr std::uint64_t nodes = 8;
  static constexpr std::uint64_t leaves = 2 * nodes;

  static void go(Marker& marker, unsigned steps) {
    for (unsigned i = 0; i < steps && marker.step(); ++i) {
    }
  }

  static void finish(OpenPool& pool, Marker& marker) {
    marker.run();
    pool.heap().mark()->sweep();
  }

  /// Each leaf goes to the other list, as the only pointer to it.
  static void exchange_leaves(OpenPool& pool) {
    const auto ones = nodes_of(pool.root_table().roots[0]);
    const auto others = nodes_of(pool.root_table().roots[1]);
    for (std::size_t i = 0; i < ones.size(); ++i)
      transact([&] {
        write(others[i]->spare, read(ones[i]->leaf));
        write(ones[i]->spare, read(others[i]->leaf));
        write(ones[i]->leaf, 0);
        write(others[i]->leaf, 0);
      });
  }

  /// The lists change heads, and what follows the second node of each.
  static void exchange_lists(OpenPool& pool) {
    auto& roots = pool.root_table().roots;
    auto& one = reinterpret_cast<std::uint64_t&>(roots[0].object);
    auto& other = reinterpret_cast<std::uint64_t&>(roots[1].object);
    auto exchange = [](std::uint64_t& a, std::uint64_t& b) {
      const std::uint64_t first = read(a);
      write(a, read(b));
      write(b, first);
    };
    transact([&] { exchange(one, other); });
    transact([&] { exchange(pointer<Node>(read(one))->next, pointer<Node>(read(other))->next); });
  }

  /// A leaf goes to a block that was allocated meanwhile, which the mark is not about.
  static void move_leaves_to_new_nodes(OpenPool& pool) {
    for (std::size_t list = 0; list < 2; ++list)
      for (Node* const old : nodes_of(pool.root_table().roots[list]))
        transact([&] {
          Node* const node = allocate_zeroed<Node>();
          write(node->leaf, read(old->leaf));
          write(node->next, read(old->next));
          write(old->next, reinterpret_cast<std::uint64_t>(node));
          write(old->leaf, 0);
        });
  }

  /// Moved, and put back by an abort; then moved.
  static void move_after_an_abort(OpenPool& pool) {
    for (Node* const node : nodes_of(pool.root_table().roots[0])) {
      int attempts = 0;
      transact([&] {
        write(node->spare, read(node->leaf));
        write(node->leaf, 0);
        if (++attempts == 1) by_hand::force_abort();
      });
    }
  }

  /// The leaves that the lists lead to.
  static std::vector<Leaf*> leaves_of(OpenPool& pool) {
    std::vector<Leaf*> found;
    for (std::size_t list = 0; list < 2; ++list)
      for (const Node* node : nodes_of(pool.root_table().roots[list]))
        for (const std::uint64_t word : {node->leaf, node->spare})
          if (word != 0) found.push_back(pointer<Leaf>(word));
    return found;
  }

  /// Whether all leaves are there, in use, and stay what they are when all that is free is handed out.
  static bool is_whole(OpenPool& pool) {
    const std::vector<Leaf*> found = leaves_of(pool);
    bool whole = found.size() == leaves;
    for (const Leaf* leaf : found) whole &= pool.heap().is_block(leaf);
    const std::set<const void*> kept(found.begin(), found.end());
    for (int i = 0; i < 4096; ++i) whole &= !kept.contains(pool.heap().allocate(sizeof(Leaf)));
    return whole;
  }

  /// Stops the mark at every point for `change`. \returns at how many of them something got lost.
  template <class Change>
  unsigned losses(Change&& change, unsigned* points = nullptr) {
    make_two_lists(nodes);
    const std::string crashed = read_all(path());
    unsigned lost = 0;
    unsigned steps = 0;
    for (bool was_over = false; !was_over; ++steps) {
      write_all(path(), crashed);
      OpenPool pool = open_by_hand();
      Marker marker(*pool.heap().mark());
      for (unsigned i = 0; i < steps; ++i) was_over = !marker.step();
      change(pool);
      finish(pool, marker);
      lost += is_whole(pool) ? 0 : 1;
    }
    if (points != nullptr) *points = steps;
    return lost;
  }
};

TEST_F(MarkByHand, WhatIsMovedBehindItsBackIsFound) {
  unsigned points = 0;
  EXPECT_EQ(losses(exchange_leaves, &points), 0u);
  EXPECT_GT(points, 2 * 2 * nodes);
}

TEST_F(MarkByHand, ListsThatChangePlacesAreFound) { EXPECT_EQ(losses(exchange_lists), 0u); }

TEST_F(MarkByHand, WhatIsMovedToNewBlocksIsFound) { EXPECT_EQ(losses(move_leaves_to_new_nodes), 0u); }

TEST_F(MarkByHand, WhatAnAbortPutsBackIsFound) { EXPECT_EQ(losses(move_after_an_abort), 0u); }

#ifdef PERDURE_SIMULATED
TEST_F(MarkByHand, WithoutShadingItIsNot) {
  simulate::seed(simulate::Fault::no_shading);
  EXPECT_GT(losses(exchange_leaves), 0u);
  EXPECT_GT(losses(exchange_lists), 0u);
  EXPECT_GT(losses(move_leaves_to_new_nodes), 0u);
  simulate::seed(simulate::Fault::none);
}
#endif

TEST_F(MarkByHand, WhatIsFreedMeanwhileIsFreeAfterwards) {
  make_two_lists(nodes);
  const std::string crashed = read_all(path());
  for (unsigned steps = 0; steps < 5 * nodes; ++steps) {
    write_all(path(), crashed);
    OpenPool pool = open_by_hand();
    alloc::Heap& heap = pool.heap();
    std::set<std::uint64_t> held;
    for (std::uint64_t number = 0; number < heap.superblocks().count(); ++number)
      if (is_held(heap.superblocks().use(number))) held.insert(number);
    ASSERT_EQ(held.size(), 2u) << "of nodes, of leaves";
    Marker marker(*heap.mark());
    go(marker, steps);
    std::set<void*> freed;
    for (Node* const node : nodes_of(pool.root_table().roots[0])) {
      freed.insert(pointer<Leaf>(node->leaf));
      heap.deallocate(pointer<Leaf>(node->leaf));
      EXPECT_FALSE(heap.is_block(pointer<Leaf>(node->leaf)));
      node->leaf = 0;
    }
    for (int i = 0; i < 3000; ++i)
      ASSERT_FALSE(held.contains(heap.superblocks().number_of(heap.allocate(sizeof(Leaf)))));
    finish(pool, marker);
    for (int i = 0; i < 6000; ++i) freed.erase(heap.allocate(sizeof(Leaf)));
    EXPECT_TRUE(freed.empty()) << "not handed out again";
    EXPECT_EQ(leaves_of(pool).size(), nodes);
  }
}

TEST_F(MarkByHand, FreeingTwiceIsNoticed) {
  make_two_lists(nodes);
  for (const bool is_at_end : {false, true}) {
    const int status = in_child([&] {
      OpenPool pool = open_by_hand();
      Marker marker(*pool.heap().mark());
      void* const leaf = pointer<Leaf>(nodes_of(pool.root_table().roots[0])[3]->leaf);
      pool.heap().deallocate(leaf);
      if (is_at_end) finish(pool, marker);
      pool.heap().deallocate(leaf);
      pool.heap().collect_caches();
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << is_at_end;
  }
}

TEST_F(MarkByHand, FreeingWhatIsNoBlockIsNoticed) {
  make_two_lists(nodes);
  const int status = in_child([&] {
    OpenPool pool = open_by_hand();
    pool.heap().deallocate(&nodes_of(pool.root_table().roots[0])[3]->leaf);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST_F(MarkByHand, LargeBlocksAreKeptFreedAndReclaimed) {
  constexpr std::size_t large = 300000;
  make_crashed([&](OpenPool& pool) {
    auto& roots = pool.root_table().roots;
    for (std::size_t i = 0; i < 3; ++i) {
      auto* const block = static_cast<std::uint64_t*>(pool.heap().allocate(large));
      block[large / 8 - 1] = reinterpret_cast<std::uint64_t>(pool.heap().allocate(large));  // 3 more, by their ends
      roots[i].object = block;
      roots[i].size = large;
    }
    pool.heap().allocate(large);  // reached by nothing
  });
  const std::string crashed = read_all(path());
  for (unsigned steps = 0; steps < 6 * (large / 4096 + 2); steps += 7) {
    write_all(path(), crashed);
    std::uint64_t* emptied = nullptr;
    std::uint64_t* freed = nullptr;
    std::uint64_t moved = 0;
    {
      OpenPool pool = open_by_hand();
      Marker marker(*pool.heap().mark());
      go(marker, steps);
      auto& roots = pool.root_table().roots;
      emptied = static_cast<std::uint64_t*>(roots[0].object);
      freed = static_cast<std::uint64_t*>(roots[1].object);
      transact([&] {
        moved = read(emptied[large / 8 - 1]);
        write(emptied[large / 8 - 1], 0);
        write(emptied[0], moved);
        entry::transactional_free(freed);
        write(reinterpret_cast<std::uint64_t&>(roots[1].object), 0);
      });
      finish(pool, marker);
      EXPECT_GE(pool.wait_for_mark().blocks_reclaimed, 1u);
      EXPECT_TRUE(pool.heap().is_block(pointer<void>(moved)));
      EXPECT_EQ(emptied[0], moved);
    }
    OpenPool again(path(), {});
    EXPECT_EQ(again.report().state, OpenReport::State::clean);
    EXPECT_TRUE(again.heap().is_block(emptied));
    EXPECT_TRUE(again.heap().is_block(pointer<void>(moved)));
    EXPECT_FALSE(again.heap().is_block(freed));
  }
}

/// A transaction found that a mark works, and tells it what a word held when the sweep has given that block to others.
TEST_F(MarkByHand, WhoComesLateMayShadeWhatIsNowAnothers) {
  make_crashed([&](OpenPool& pool) {
    void* const before = pool.heap().allocate(pool::superblock_bytes);
    pool.root_table().roots[0].object = pool.heap().allocate(3 * pool::superblock_bytes);
    pool.root_table().roots[0].size = 1;
    pool.heap().deallocate(before);
  });
  OpenPool pool = open_by_hand();
  alloc::Mark& mark = *pool.heap().mark();
  auto* const freed = static_cast<std::byte*>(pool.root_table().roots[0].object);
  mark.free(freed);
  Marker marker(mark);
  finish(pool, marker);
  auto* const larger = static_cast<std::byte*>(pool.heap().allocate(4 * pool::superblock_bytes));
  ASSERT_EQ(larger + pool::superblock_bytes, freed);
  // It begins where nothing was when the mark began. The sanitizers see whether the mark takes that for a block.
  mark.shade(reinterpret_cast<std::uintptr_t>(freed + pool::superblock_bytes));
  EXPECT_TRUE(pool.heap().is_block(larger));
}

TEST_F(MarkByHand, AFullPoolWaitsForItsEnd) {
  const OpenOptions small = {.size_limit = 4 << 20};
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{200000}}) {
    std::filesystem::remove(path());
    make_crashed(
        [&](OpenPool& pool) {
          while (pool.heap().allocate(bytes) != nullptr) {
          }
        },
        small);
    OpenPool pool = open_by_hand(small);
    std::atomic<bool> was_over{false};
    void* block = nullptr;
    std::thread thread([&] {
      block = pool.heap().allocate(bytes);
      was_over = pool.heap().mark()->is_over();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Marker marker(*pool.heap().mark());
    finish(pool, marker);
    thread.join();
    EXPECT_NE(block, nullptr);
    EXPECT_TRUE(was_over);
    EXPECT_GT(pool.wait_for_mark().blocks_reclaimed, 14u);
  }
}

TEST_F(MarkByHand, AKillLeavesItToTheNextOpen) {
  make_two_lists(nodes);
  for (unsigned steps = 0; steps < 5 * nodes; ++steps) {
    const int status = in_child([&] {
      OpenPool pool = open_by_hand();
      Marker marker(*pool.heap().mark());
      go(marker, steps);
      exchange_lists(pool);
      transact([&] {  // a leaf is replaced: what is freed while a mark works is free in the next one
        Node* const node = pointer<Node>(read(reinterpret_cast<std::uint64_t&>(pool.root_table().roots[0].object)));
        const std::uint64_t leaf = read(node->leaf);
        write(node->leaf, reinterpret_cast<std::uint64_t>(make_leaf(steps)));
        entry::transactional_free(pointer<Leaf>(leaf));
      });
      kill(getpid(), SIGKILL);
    });
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  OpenPool pool = open_by_hand();
  Marker marker(*pool.heap().mark());
  finish(pool, marker);
  EXPECT_TRUE(is_whole(pool));
}

}  // namespace
}  // namespace perdure::testing
