// A pool whose address is taken is moved when it is opened, and what C++ types keep in it is as it was: containers of
// the standard library, and a program's own types. Where their pointers are the plugin has told.
#include <array>
#include <csignal>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "alloc/heap.h"
#include "perdure/allocator.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "pool/window.h"
#include "pool_test.h"

namespace perdure {
namespace {

const std::string long_text = "a text that is too long to lie in the string itself, number ";

std::string text(int number) { return long_text + std::to_string(number); }

/// Moves when the pool is moved: opens it beside a copy that has its address.
class MovedTypesTest : public testing::PoolTest {
 protected:
  /// \param fill    makes what is in a new root, in a transaction.
  /// \param check   expects it, in the pool that was moved.
  /// \param change  changes it there, in a transaction.
  template <class Root, class Fill, class Check, class Change>
  void expect_moved(Fill fill, Check check, Change change) const {
    {
      Pool pool = Pool::open(path());
      Root& root = pool.root<Root>("root");
      TM_BEGIN { fill(root); } TM_END;
    }
    const auto copy = in_directory("copy");
    std::filesystem::copy(path(), copy);
    Pool other = Pool::open(path());
    Pool moved = Pool::open(copy);
    ASSERT_EQ(other.report().moved_from, 0U);
    ASSERT_NE(moved.report().moved_from, 0U);
    EXPECT_EQ(moved.report().pointers_cleared, 0U);
    Root& root = moved.root<Root>("root");
    ASSERT_NE(&root, &other.root<Root>("root"));
    // From here on, what would lead to the other pool is a fault.
    other.close();
    check(root);
    TM_BEGIN { change(root); } TM_END;
    moved.remove_root<Root>("root");
    moved.close();
    EXPECT_EQ(Pool::open(copy).report().state, OpenReport::State::clean);
  }
};

struct Node {
  int number;
  Node* next;
  std::unique_ptr<Node> owned;
  std::array<Node*, 3> others;
  char name[20];
  Node* const* last;
};

struct Nodes {
  Node* first = nullptr;
  Node** array = nullptr;
};

TEST_F(MovedTypesTest, OwnTypes) {
  expect_moved<Nodes>(
      [](Nodes& root) {
        root.array = new Node*[100];
        for (int i = 0; i < 100; ++i) {
          auto* const node = new Node{i,
                                      root.first,
                                      std::unique_ptr<Node>(new Node{1000 + i, nullptr, nullptr, {}, "", nullptr}),
                                      {root.first, nullptr, root.first},
                                      "name",
                                      &root.first};
          root.array[i] = root.first = node;
        }
      },
      [](Nodes& root) {
        int number = 100;
        for (Node* node = root.first; node != nullptr; node = node->next) {
          --number;
          ASSERT_EQ(node->number, number);
          ASSERT_EQ(root.array[number], node);
          ASSERT_EQ(node->owned->number, 1000 + number);
          ASSERT_EQ(node->others[0], node->next);
          ASSERT_EQ(node->others[2], node->next);
          ASSERT_EQ(node->last, &root.first);
        }
        ASSERT_EQ(number, 0);
      },
      [](Nodes& root) {
        while (Node* const node = root.first) {
          root.first = node->next;
          delete node;
        }
        delete[] root.array;
      });
}

struct Containers {
  std::vector<std::string> texts;
  std::string short_text = "short", long_one = "";
  std::map<int, std::string> map;
  std::set<std::string> set;
  std::unordered_map<std::string, std::vector<int>> hash;
  std::list<std::string> list;
  std::forward_list<int> forward_list;
  std::deque<std::string> deque;
  std::vector<std::unique_ptr<std::string>> owned;
  std::optional<std::string> optional, empty_optional;
  std::variant<int, std::string, double> variant = 0;
  std::vector<std::pair<unsigned, unsigned>> pairs;  // of which some look like addresses
  std::map<std::string, std::string, std::less<>, allocator<std::pair<const std::string, std::string>>> own_allocator;
};

TEST_F(MovedTypesTest, StandardContainers) {
  expect_moved<Containers>(
      [](Containers& root) {
        const auto address = reinterpret_cast<std::uintptr_t>(&root);
        for (int i = 0; i < 100; ++i) {
          root.texts.push_back(text(i));
          root.map.emplace(i, text(i));
          root.set.insert(text(i));
          root.hash[text(i)].push_back(i);
          root.list.push_back(text(i));
          root.forward_list.push_front(i);
          root.deque.push_back(text(i));
          root.owned.push_back(std::make_unique<std::string>(text(i)));
          root.pairs.emplace_back(static_cast<unsigned>(address), static_cast<unsigned>(address >> 32));
          root.own_allocator.emplace(text(i), std::to_string(i));
        }
        root.long_one = text(0);
        root.optional = text(1);
        root.variant = text(2);
      },
      [](Containers& root) {
        ASSERT_EQ(root.texts.size(), 100U);
        int number = 0;
        auto listed = root.list.begin();
        for (int i = 0; i < 100; ++i, ++listed) {
          ASSERT_EQ(root.texts[i], text(i));
          ASSERT_EQ(root.map.at(i), text(i));
          ASSERT_EQ(root.set.count(text(i)), 1U);
          ASSERT_EQ(root.hash.at(text(i)).at(0), i);
          ASSERT_EQ(*listed, text(i));
          ASSERT_EQ(root.deque[i], text(i));
          ASSERT_EQ(*root.owned[i], text(i));
          ASSERT_EQ(root.own_allocator.at(text(i)), std::to_string(i));
          ASSERT_EQ(root.pairs[i], root.pairs[0]);
        }
        for (const int each : root.forward_list) ASSERT_EQ(each, 99 - number++);
        ASSERT_EQ(root.short_text, "short");
        ASSERT_EQ(root.long_one, text(0));
        ASSERT_EQ(root.optional, text(1));
        ASSERT_FALSE(root.empty_optional);
        ASSERT_EQ(std::get<std::string>(root.variant), text(2));
        const std::uint64_t pair = root.pairs[0].first | std::uint64_t{root.pairs[0].second} << 32;
        ASSERT_NE(pair, reinterpret_cast<std::uintptr_t>(&root)) << "these are numbers";
      },
      [](Containers& root) {
        for (int i = 100; i < 200; ++i) {
          root.texts.push_back(text(i));
          root.map.emplace(i, text(i));
          root.hash[text(i)].push_back(i);
          root.own_allocator.emplace(text(i), "");
        }
      });
}

/// What leads to a block only in the eyes of who takes numbers for addresses.
struct Owner {
  std::unique_ptr<Node> owned;
  unsigned low = 0, high = 0;
  char text[16] = "";
  std::uint64_t* number = nullptr;
};

TEST_F(MovedTypesTest, AnExactMarkKeepsWhatPointersLeadTo) {
  for (const bool is_exact : {false, true}) {
    const auto name = in_directory(is_exact ? "exact" : "conservative");
    const int status = testing::in_child([&] {
      Pool pool = Pool::open(name);
      Owner& root = pool.root<Owner>("root");
      TM_BEGIN {
        root.owned.reset(new Node{1, nullptr, nullptr, {}, "name", nullptr});
        root.owned->others[1] = new Node{2, nullptr, nullptr, {}, "name", nullptr};
        const auto lost = reinterpret_cast<std::uintptr_t>(new Node{3, nullptr, nullptr, {}, "name", nullptr});
        root.low = static_cast<unsigned>(lost);
        root.high = static_cast<unsigned>(lost >> 32);
        root.number = new std::uint64_t(0);
        *root.number = reinterpret_cast<std::uintptr_t>(new Node{4, nullptr, nullptr, {}, "name", nullptr});
      } TM_END;
      raise(SIGKILL);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    Pool pool = Pool::open(name, {.wait_for_mark = true, .exact_mark = is_exact});
    ASSERT_EQ(pool.report().state, OpenReport::State::recovered);
    Owner& root = pool.root<Owner>("root");
    const alloc::Heap& heap = *alloc::heap_of(&root);
    EXPECT_EQ(root.owned->others[1]->number, 2);
    EXPECT_TRUE(heap.is_block(root.owned->others[1]));
    EXPECT_TRUE(heap.is_block(reinterpret_cast<const void*>(*root.number))) << "may be a pointer";
    const std::uint64_t pair = root.low | std::uint64_t{root.high} << 32;
    EXPECT_EQ(heap.is_block(reinterpret_cast<const void*>(pair)), !is_exact);
  }
}

struct Unclear {
  union {
    Unclear* pointer;
    std::uint64_t number;
  };
  Unclear() : pointer(nullptr) {}
};

/// An object in bytes that were allocated for it.
struct Memory {
  std::byte* bytes = nullptr;
};

class WhatATypeDoesNotTell : public MovedTypesTest, public ::testing::WithParamInterface<bool> {};

TEST_P(WhatATypeDoesNotTell, IsNotGuessed) {
  {
    Pool pool = Pool::open(path());
    Unclear& root = pool.root<Unclear>("root");
    Memory& memory = pool.root<Memory>("memory");
    const bool is_in_union = GetParam();
    TM_BEGIN {
      memory.bytes = new std::byte[100];
      if (is_in_union)
        root.pointer = &root;
      else
        new (memory.bytes) Node{1, nullptr, nullptr, {nullptr, nullptr, reinterpret_cast<Node*>(&root)}, "", nullptr};
    } TM_END;
  }
  const auto copy = in_directory("copy");
  std::filesystem::copy(path(), copy);
  const std::string before = testing::read_all(copy);
  const Pool other = Pool::open(path());
  EXPECT_TRUE(testing::refuses([&] { Pool::open(copy); }, PoolError::Kind::address_taken, copy,
                               "an integer, part of a union, or memory for anything"));
  EXPECT_EQ(testing::read_all(copy), before);
}

INSTANTIATE_TEST_SUITE_P(All, WhatATypeDoesNotTell, ::testing::Bool(),
                         [](const auto& is_in_union) { return is_in_union.param ? "Union" : "Bytes"; });

}  // namespace
}  // namespace perdure
