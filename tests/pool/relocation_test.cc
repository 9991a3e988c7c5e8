// Moving a pool to another address: which words are rewritten, and what is refused. The layouts of blocks are given by
// hand here; those of C++ types come from the plugin (moved_types_test.cc).
#include "relocate/relocation.h"

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <functional>
#include <vector>

#include "open/open_pool.h"
#include "perdure/pool.h"
#include "pool/header.h"
#include "pool_test.h"

namespace perdure {
namespace {

using Kind = PoolError::Kind;
using Words = alloc::LayoutWords;
using opening::OpenPool;
using relocate::RelocationOptions;
using relocate::RelocationReport;
using relocate::UnsureWords;

/// A layout as the plugin writes it.
template <std::size_t Count>
struct Layout {
  alloc::BlockLayout head;
  std::array<Words, Count> words;
};

/// What the blocks of these tests hold.
struct Node {
  Node* next;
  std::uint64_t number;  // an integer that the type calls so: unsure
  std::uint32_t low, high;
  void* other;
  std::uint8_t is_pointer;  // whether the next one is
  std::uint64_t either;
};
constexpr Words pointer_at(std::uint32_t offset) { return {offset, 1, Words::Kind::pointer, 0, 0, 0, 0}; }
Layout<4> node_layout = {
    {0, sizeof(Node), 0, 4, 0},
    {pointer_at(offsetof(Node, next)), Words{offsetof(Node, number), 1, Words::Kind::unsure, 0, 0, 0, 0},
     pointer_at(offsetof(Node, other)),
     Words{offsetof(Node, either), 1, Words::Kind::conditional, 0xff, 1, 0, offsetof(Node, is_pointer)}}};
Layout<1> pointers_layout = {{0, 8, 0, 1, 0}, {pointer_at(0)}};

class RelocationTest : public testing::PoolTest {
 protected:
  static Node* make_node(OpenPool& pool, std::size_t nodes = 1) {
    auto* const node = static_cast<Node*>(pool.heap().allocate(nodes * sizeof(Node), 16, &node_layout.head));
    std::memset(node, 0, nodes * sizeof(Node));
    return node;
  }

  static void set_root(OpenPool& pool, void* object, std::uint64_t size) {
    roots::Root& root = pool.root_table().roots[0];
    root.size = size;
    root.alignment = 8;
    std::strcpy(root.name.data(), "root");
    std::strcpy(root.type_name.data(), "type");
    root.object = object;
  }
  static Node& root_of(OpenPool& pool) { return *static_cast<Node*>(pool.root_table().roots[0].object); }

  /// A pool with one root, a node that `fill` fills.
  void make(const std::function<void(OpenPool&, Node&)>& fill) const {
    OpenPool pool(path(), {});
    Node* const root = make_node(pool);
    fill(pool, *root);
    set_root(pool, root, sizeof(Node));
    pool.close();
  }

  static pool::Header header_of(const std::filesystem::path& path) {
    pool::Header header;
    std::memcpy(static_cast<void*>(&header), testing::read_all(path).data(), sizeof header);
    return header;
  }
  std::uint64_t address() const { return header_of(path()).address; }
  std::size_t slot() const { return pool::slot_of(reinterpret_cast<const void*>(address())); }

  RelocationReport move(const RelocationOptions& options = {}) const { return relocate::relocate(path(), options); }

  void expect_refused(const RelocationOptions& options, const std::string& part) const {
    const std::string before = testing::read_all(path());
    EXPECT_TRUE(testing::refuses([&] { move(options); }, Kind::address_taken, path(), part));
    EXPECT_EQ(testing::read_all(path()), before) << "the file was changed";
  }
};

TEST_F(RelocationTest, RewritesPointersAndNothingElse) {
  static int outside = 0;
  const std::size_t other_slot = 5;
  make([&](OpenPool& pool, Node& root) {
    root.next = make_node(pool);
    root.next->next = &root;
    root.next->other = &root.next->low;  // into the middle
    root.number = 4711;
    // Two numbers that look like an address in the pool.
    const auto base = reinterpret_cast<std::uintptr_t>(pool.mapping().base());
    root.low = static_cast<std::uint32_t>(base + (1 << 20));
    root.high = static_cast<std::uint32_t>(base >> 32);
    root.other = &outside;
    root.either = reinterpret_cast<std::uintptr_t>(root.next);
    root.next->is_pointer = 1;
    root.next->either = reinterpret_cast<std::uintptr_t>(pool.mapping().base());
    Node* const last = make_node(pool);
    root.next->next->next->next = last;
    last->other = pool::slot_address((pool.mapping().slot() + other_slot) % pool::slot_count) + 4096;
    last->next = &root;
  });
  const std::uint64_t before = address();
  const RelocationReport moved = move();
  EXPECT_EQ(moved.from, before);
  EXPECT_EQ(moved.to, address());
  EXPECT_NE(moved.to, before);
  EXPECT_FALSE(moved.completed);
  EXPECT_EQ(moved.pointers_moved, 6U) << "with the root";
  EXPECT_EQ(moved.pointers_cleared, 1U);
  EXPECT_EQ(moved.pointers_to_other_pools, 1U);

  OpenPool pool(path(), {.move_if_address_taken = false});
  EXPECT_EQ(pool.report().state, OpenReport::State::clean);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool.mapping().base()), moved.to);
  Node& root = root_of(pool);
  EXPECT_EQ(pool::slot_of(&root), pool.mapping().slot());
  Node& second = *root.next;
  EXPECT_TRUE(pool.heap().is_block(&second));
  Node& last = *second.next;
  EXPECT_EQ(last.next, &root);
  EXPECT_EQ(second.other, &second.low);
  EXPECT_EQ(root.number, 4711U);
  EXPECT_EQ(root.low, static_cast<std::uint32_t>(before + (1 << 20)));
  EXPECT_EQ(root.high, static_cast<std::uint32_t>(before >> 32));
  EXPECT_EQ(root.other, nullptr);
  EXPECT_EQ(root.either, before + (reinterpret_cast<std::uintptr_t>(&second) - moved.to)) << "is not a pointer";
  EXPECT_EQ(second.either, moved.to);
  EXPECT_EQ(last.other,
            pool::slot_address((pool::slot_of(reinterpret_cast<const void*>(before)) + other_slot) % pool::slot_count) +
                4096);
}

TEST_F(RelocationTest, UnsureWordsAreAskedFor) {
  const auto fill = [](OpenPool& pool, Node& root) {
    root.next = make_node(pool);
    root.number = reinterpret_cast<std::uintptr_t>(&root.next->low);
  };
  make(fill);
  expect_refused({}, "1 words hold addresses of its blocks");
  const std::uint64_t before = address();
  EXPECT_EQ(move({.unsure = UnsureWords::keep}).pointers_moved, 2U);
  {
    OpenPool pool(path(), {});
    Node& root = root_of(pool);
    EXPECT_EQ(root.number, before + (reinterpret_cast<std::uintptr_t>(&root.next->low) - address()));
    root.number = reinterpret_cast<std::uintptr_t>(&root.next->low);
    pool.close();
  }
  EXPECT_EQ(move({.unsure = UnsureWords::move}).pointers_moved, 3U);
  OpenPool pool(path(), {});
  EXPECT_EQ(root_of(pool).number, reinterpret_cast<std::uintptr_t>(&root_of(pool).next->low));
}

TEST_F(RelocationTest, WordsThatLeadToNothingAreNumbers) {
  make([](OpenPool& pool, Node& root) {
    void* const freed = pool.heap().allocate(sizeof(Node), 16, &node_layout.head);
    root.number = reinterpret_cast<std::uintptr_t>(freed);
    pool.heap().deallocate(freed);
  });
  EXPECT_EQ(move().pointers_moved, 1U) << "the root";
}

TEST_F(RelocationTest, BlocksOfUnknownTypeAreAskedForIfTheyHoldAddresses) {
  make([](OpenPool& pool, Node& root) {
    auto* const words = static_cast<std::uint64_t*>(pool.heap().allocate(64));
    std::memset(words, 0, 64);
    root.other = words;
  });
  EXPECT_EQ(move().pointers_moved, 2U);
  {
    OpenPool pool(path(), {});
    *static_cast<Node**>(root_of(pool).other) = &root_of(pool);
    pool.close();
  }
  expect_refused({}, "whose type is not known");
  EXPECT_EQ(move({.unsure = UnsureWords::move}).pointers_moved, 3U);
  OpenPool pool(path(), {});
  EXPECT_EQ(*static_cast<Node**>(root_of(pool).other), &root_of(pool));
}

TEST_F(RelocationTest, ArraysAndLargeBlocksAndMany) {
  constexpr std::size_t count = 200'000;
  make([](OpenPool& pool, Node& root) {
    auto** const nodes = static_cast<Node**>(pool.heap().allocate(count * sizeof(Node*), 16, &pointers_layout.head));
    for (std::size_t i = 0; i < count; ++i) {
      nodes[i] = make_node(pool, i % 7 + 1);
      nodes[i]->number = i;
      for (std::size_t element = 0; element <= i % 7; ++element) nodes[i][element].next = nodes[i / 2];
    }
    root.other = nodes;
  });
  (void)move();
  OpenPool pool(path(), {});
  EXPECT_EQ(pool.report().state, OpenReport::State::clean);
  auto** const nodes = static_cast<Node**>(root_of(pool).other);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(pool.heap().is_block(nodes[i]));
    ASSERT_EQ(nodes[i]->number, i);
    for (std::size_t element = 0; element <= i % 7; ++element) ASSERT_EQ(nodes[i][element].next, nodes[i / 2]);
  }
}

TEST_F(RelocationTest, NoPointerLeadsToTheNewAddressAlready) {
  make([](OpenPool& pool, Node& root) {
    root.other = pool::slot_address((pool.mapping().slot() + 1) % pool::slot_count);
  });
  const std::size_t present = slot();
  const std::size_t led_to = (present + 1) % pool::slot_count;
  expect_refused({.slot = led_to}, "already");
  for (int i = 0; i < 3; ++i) {
    (void)move();
    EXPECT_NE(slot(), led_to);
  }
  EXPECT_EQ(move({.slot = present}).to, address());
  EXPECT_EQ(slot(), present);
  const RelocationReport nothing = move({.slot = present});
  EXPECT_EQ(nothing.from, nothing.to);
}

TEST_F(RelocationTest, OnlyAPoolThatWasClosed) {
  const int status = testing::in_child([&] {
    const OpenPool pool(path(), {});
    raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  expect_refused({}, "was not closed");
  OpenPool(path(), {.wait_for_mark = true}).close();
  EXPECT_NO_THROW(move());
}

TEST_F(RelocationTest, ADamagedRootIsNotTakenForAPointerOutOfThePool) {
  make([](OpenPool&, Node&) {});
  testing::flip_byte(path(), pool::root_table_offset + 6);
  const std::string before = testing::read_all(path());
  EXPECT_TRUE(testing::refuses([&] { move(); }, Kind::damaged, path(), "root number 0"));
  EXPECT_EQ(testing::read_all(path()), before);
}

/// As a crash leaves it that comes when some pointers have been rewritten.
TEST_F(RelocationTest, AMoveThatWasCutShortIsCompletedByOpening) {
  make([](OpenPool& pool, Node& root) {
    for (Node* last = &root; last != nullptr && pool.mapping().durable();) {
      if (root.low++ == 100) break;
      last->next = make_node(pool);
      last = last->next;
    }
  });
  const std::size_t to = (slot() + 3) % pool::slot_count;
  {
    pool::Mapping mapping = pool::Mapping::open_for_moving(path());
    const std::uint64_t from = mapping.header().address;
    mapping.begin_move(pool::slot_address(to), false);
    auto* node = &mapping.root_table().roots[0].object;
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(*node) - from;
      *node = pool::slot_address(to) + offset;
      node = reinterpret_cast<void**>(mapping.base() + offset);
    }
  }
  EXPECT_TRUE(
      testing::refuses([&] { OpenPool(path(), {.read_only = true}); }, Kind::address_taken, path(), "cut short"));
  OpenPool pool(path(), {});
  EXPECT_EQ(pool.mapping().slot(), to);
  EXPECT_EQ(pool.mapping().header().incompatible_features & pool::moving, 0U);
  EXPECT_EQ(pool.report().pointers_moved, 51U);
  int count = 0;
  for (const Node* node = &root_of(pool); node != nullptr; node = node->next, ++count)
    ASSERT_TRUE(pool.heap().is_block(node));
  EXPECT_EQ(count, 101);
}

TEST_F(RelocationTest, OpeningMovesAPoolWhoseAddressIsTaken) {
  make([](OpenPool&, Node& root) { root.next = &root; });
  const auto copy = in_directory("copy");
  std::filesystem::copy(path(), copy);
  OpenPool first(path(), {});
  OpenPool second(copy, {});
  EXPECT_EQ(first.report().moved_from, 0U);
  EXPECT_EQ(second.report().moved_from, reinterpret_cast<std::uintptr_t>(first.mapping().base()));
  EXPECT_EQ(second.report().pointers_moved, 2U);
  for (OpenPool* const pool : {&first, &second}) EXPECT_EQ(root_of(*pool).next, &root_of(*pool));
  EXPECT_NE(&root_of(first), &root_of(second));
  EXPECT_NE(first.mapping().header().uuid, second.mapping().header().uuid) << "two pools from now on";
}

TEST_F(RelocationTest, APoolOfAnotherWindow) {
  make([](OpenPool&, Node& root) {
    root.next = &root;
    root.other = reinterpret_cast<void*>(0x7000000000 + (std::uint64_t{1} << 35));  // another slot of that window
  });
  std::string bytes = testing::read_all(path());
  pool::Header header = header_of(path());
  const std::uint64_t offset =
      reinterpret_cast<std::uintptr_t>(
          reinterpret_cast<roots::RootTable*>(bytes.data() + pool::root_table_offset)->roots[0].object) -
      header.address;
  header.window_base = header.address = 0x7000000000;
  header.slot_bytes = std::uint64_t{1} << 35;
  pool::seal(header);
  for (std::size_t copy = 0; copy < pool::header_copies; ++copy)
    std::memcpy(bytes.data() + copy * pool::page_bytes, &header, sizeof header);
  const std::uint64_t there = header.address + offset;
  std::memcpy(bytes.data() + pool::root_table_offset, &there, sizeof there);
  std::memcpy(bytes.data() + offset, &there, sizeof there);
  testing::write_all(path(), bytes);
  OpenPool pool(path(), {});
  EXPECT_EQ(pool.report().moved_from, 0x7000000000U);
  EXPECT_EQ(pool.report().pointers_cleared, 1U);
  EXPECT_EQ(root_of(pool).next, &root_of(pool));
  EXPECT_EQ(root_of(pool).other, nullptr);
}

}  // namespace
}  // namespace perdure
