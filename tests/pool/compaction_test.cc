// Moving blocks together: what is moved, what must stay, and that everything leads where it did. With layouts as the
// plugin tells them, and some by hand.
#include "compaction/compaction.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "abi/entry_points.h"
#include "layouts.h"
#include "open/open_pool.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "pool_test.h"

namespace perdure {
namespace {

using compaction::CompactionReport;
using opening::OpenPool;
using testing::Layout;

std::string text(int number) {
  return "a text that is too long to lie in the string itself, number " + std::to_string(number);
}

/// What stays of what is made: every eighth.
bool stays(int number) { return number % 8 == 3; }

std::uint64_t disk_bytes(const std::filesystem::path& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * 512 : 0;
}

CompactionReport compact(const std::filesystem::path& path) {
  OpenPool pool(path, {});
  const CompactionReport report = compaction::compact(pool);
  pool.trim();
  return report;
}

/// Whether the root says what stays.
template <class Root>
constexpr bool keeps_itself = requires { Root::keeps(0); };

class CompactionTest : public testing::PoolTest {
 protected:
  /// Fills a root, frees most of it in a later run, compacts, and looks at what is left; twice. In transactions of
  /// some steps each.
  template <class Root, class Fill, class Drop, class Check>
  void expect_compacted(int count, Fill fill, Drop drop, Check check) {
    {
      Pool pool = Pool::open(path());
      Root& root = pool.root<Root>("root");
      for (int begin = 0; begin < count; begin += step)
        TM_BEGIN {
          for (int i = begin; i < begin + step; ++i) fill(root, i);
        } TM_END;
      for (int begin = 0; begin < count; begin += step)
        TM_BEGIN {
          for (int i = begin; i < begin + step; ++i)
            if (keeps_itself<Root> || !stays(i)) drop(root, i);
        } TM_END;
    }
    const std::uint64_t before = disk_bytes(path());
    const CompactionReport first = compact(path());
    EXPECT_GT(first.blocks_moved, 0U) << first.blocks_pinned << " are pinned";
    EXPECT_GE(first.pointers_rewritten, first.blocks_moved);
    EXPECT_GT(first.superblocks_freed, 0U);
    EXPECT_LE(disk_bytes(path()) + first.superblocks_freed * pool::superblock_bytes / 2, before);
    report_ = first;
    look<Root>(check);
    const CompactionReport second = compact(path());
    EXPECT_EQ(second.blocks_moved, 0U);
    EXPECT_EQ(second.pointers_rewritten, 0U);
    look<Root>(check);
    // It can be used, and all that is in it freed.
    Pool pool = Pool::open(path());
    Root& root = pool.root<Root>("root");
    TM_BEGIN {
      for (int i = count; i < count + step; ++i) fill(root, i);
    } TM_END;
    TM_BEGIN {
      for (int i = 0; i < count + step; ++i)
        if (i >= count || stays(i)) drop(root, i);
    } TM_END;
  }

  template <class Root, class Check>
  void look(Check check) const {
    Pool pool = Pool::open(path());
    ASSERT_EQ(pool.report().state, OpenReport::State::clean);
    check(pool.root<Root>("root"));
  }

  static constexpr int step = 500;
  CompactionReport report_;
};

using Map = std::map<int, std::string>;

TEST_F(CompactionTest, Maps) {
  constexpr int count = 50'000;
  expect_compacted<Map>(
      count, [](Map& map, int i) { map.emplace(i, i % 2 == 0 ? text(i) : "short"); },
      [](Map& map, int i) { map.erase(i); },
      [](Map& map) {
        ASSERT_EQ(map.size(), count / 8U);
        int expected = 3;
        for (const auto& [key, value] : map) {
          ASSERT_EQ(key, expected);
          ASSERT_EQ(value, key % 2 == 0 ? text(key) : "short");
          ASSERT_EQ(map.find(key)->second, value);
          expected += 8;
        }
      });
  EXPECT_EQ(report_.blocks_pinned, 0U);
}

/// Where elements fill a block, the end of a vector is the beginning of the block behind it.
struct Filled {
  std::vector<std::vector<std::uint64_t>> vectors;

  /// One of eight, by lot: of some, neighbours stay, too.
  static bool keeps(int number) { return static_cast<unsigned>(number) * 2654435761U >> 29 == 0; }
};

TEST_F(CompactionTest, VectorsThatFillTheirBlocks) {
  constexpr int count = 20'000;
  expect_compacted<Filled>(
      count,
      [](Filled& root, int i) {
        if (i == 0) root.vectors.resize(count);
        if (i < count) root.vectors[i].assign(8, i);
      },
      [](Filled& root, int i) {
        if (i < count && !Filled::keeps(i)) std::vector<std::uint64_t>().swap(root.vectors[i]);
      },
      [](Filled& root) {
        for (int i = 0; i < count; ++i) {
          ASSERT_EQ(root.vectors[i].size(), Filled::keeps(i) ? 8U : 0U) << i;
          for (const std::uint64_t value : root.vectors[i]) ASSERT_EQ(value, static_cast<std::uint64_t>(i));
        }
      });
}

struct Sequences {
  std::vector<std::vector<std::string>*> vectors;
  std::list<std::string> list;
  std::list<std::string>::iterator place;  ///< in it
};

TEST_F(CompactionTest, VectorsAndLists) {
  constexpr int count = 10'000;
  expect_compacted<Sequences>(
      count,
      [](Sequences& root, int i) {
        root.vectors.resize(i + 1);
        root.vectors[i] = new std::vector<std::string>;
        root.vectors[i]->push_back(text(i));
        root.vectors[i]->push_back("short");
        root.list.push_back(text(i));
      },
      [](Sequences& root, int i) {
        delete root.vectors[i];
        root.vectors[i] = nullptr;
        if (i == 0 || root.place == root.list.end()) root.place = root.list.begin();
        while (*root.place != text(i)) ++root.place;
        root.place = root.list.erase(root.place);
      },
      [](Sequences& root) {
        auto listed = root.list.begin();
        for (int i = 0; i < count; ++i) {
          ASSERT_EQ(root.vectors[i] != nullptr, stays(i));
          if (!stays(i)) continue;
          ASSERT_EQ(*root.vectors[i], (std::vector<std::string>{text(i), "short"}));
          ASSERT_EQ(*listed++, text(i));
        }
        ASSERT_EQ(listed, root.list.end());
      });
}

struct Node {
  Node* next;
  Node** place;  ///< where the pointer is that leads here: into another block, or the root
  Node* self;
  int number;
};
struct Nodes {
  Node* first = nullptr;
  std::vector<Node*> all;
};

TEST_F(CompactionTest, PointersIntoTheMiddle) {
  constexpr int count = 50'000;
  expect_compacted<Nodes>(
      count,
      [](Nodes& root, int i) {
        root.all.resize(i + 1);
        root.all[i] = root.first = new Node{root.first, &root.first, nullptr, i};
        root.first->self = root.first;
        if (root.first->next != nullptr) root.first->next->place = &root.first->next;
      },
      [](Nodes& root, int i) {
        Node* const node = root.all[i];
        *node->place = node->next;
        if (node->next != nullptr) node->next->place = node->place;
        root.all[i] = nullptr;
        delete node;
      },
      [](Nodes& root) {
        int expected = count - 8 + 3;
        Node** place = &root.first;
        for (Node* node = root.first; node != nullptr; place = &node->next, node = node->next, expected -= 8) {
          ASSERT_EQ(node->number, expected);
          ASSERT_EQ(node->self, node);
          ASSERT_EQ(node->place, place);
          ASSERT_EQ(root.all[expected], node);
        }
        ASSERT_EQ(expected, 3 - 8);
      });
}

// -- blocks with layouts by hand -----------------------------------------------------------------------------------

struct Cell {
  Cell* next;
  std::uint64_t unsure;
  std::uint64_t number;
};

class CellsTest : public testing::PoolTest {
 protected:
  static constexpr int count = 10'000;

  /// A chain of cells, of which seven of eight are freed; `change` changes something of those that are left. Blocks are
  /// larger than a cell, so that there are no neighbours to be told apart.
  template <class Change>
  void make(Change change) {
    OpenPool pool(path(), {});
    std::array<Cell*, count> cells{};
    for (int i = 0; i < count; ++i) {
      cells[i] = static_cast<Cell*>(pool.heap().allocate(64, 16, layout_));
      *cells[i] = {nullptr, 0, static_cast<std::uint64_t>(i)};
    }
    Cell* first = nullptr;
    for (int i = count; i-- > 0;)
      if (stays(i))
        first = &(*cells[i] = {first, 0, static_cast<std::uint64_t>(i)});
      else
        pool.heap().deallocate(cells[i]);
    roots::Root& root = pool.root_table().roots[0];
    root.size = sizeof(Cell);
    root.alignment = 8;
    std::strcpy(root.name.data(), "root");
    root.object = first;
    change(pool, *first);
    pool.close();
  }

  /// \returns how many cells there are, as they should be.
  int look(const OpenPool& pool) const {
    int cells = 0;
    for (const Cell* cell = first(pool); cell != nullptr; cell = cell->next, ++cells)
      if (cell->number != static_cast<std::uint64_t>(8 * cells + 3)) return -1;
    return cells;
  }
  static Cell* first(const OpenPool& pool) { return static_cast<Cell*>(pool.root_table().roots[0].object); }

  Layout<2> cell_layout_{
      {0, 64, 0, 2, 0},
      {testing::pointers(0, 1), alloc::LayoutWords{8, 1, alloc::LayoutWords::Kind::unsure, 0, 0, 0, 0}}};
  alloc::BlockLayout* layout_ = &cell_layout_.head;
};

TEST_F(CellsTest, TheRootIsMovedLikeOthers) {
  make([](OpenPool&, Cell&) {});
  const CompactionReport report = compact(path());
  EXPECT_GT(report.blocks_moved, 900U);
  EXPECT_EQ(report.blocks_pinned, 0U);
  OpenPool pool(path(), {});
  EXPECT_EQ(look(pool), count / 8);
}

TEST_F(CellsTest, WhatUnsureWordsLeadToStays) {
  std::vector<std::uint64_t> kept;
  // To the middle of every block in one of ten superblocks or so; and one number that leads to nothing.
  make([&](OpenPool&, Cell& first) {
    std::uint64_t superblock = 0;
    for (Cell* cell = &first; cell != nullptr; cell = cell->next) {
      const std::uint64_t address = reinterpret_cast<std::uintptr_t>(cell);
      if (address / pool::superblock_bytes == superblock) continue;
      superblock = address / pool::superblock_bytes;
      if (superblock % 2 == 0) continue;
      first.next->unsure = reinterpret_cast<std::uintptr_t>(&first) + 72;  // is free
      cell->unsure = address + 20;
      kept.push_back(address);
    }
  });
  ASSERT_GT(kept.size(), 2U);
  const CompactionReport report = compact(path());
  EXPECT_EQ(report.blocks_pinned, kept.size() + 0U);
  EXPECT_GT(report.blocks_moved, 0U);
  OpenPool pool(path(), {});
  EXPECT_EQ(look(pool), count / 8);
  std::size_t found = 0;
  for (const Cell* cell = first(pool); cell != nullptr; cell = cell->next)
    if (std::ranges::find(kept, reinterpret_cast<std::uintptr_t>(cell)) != kept.end()) {
      EXPECT_EQ(cell->unsure, reinterpret_cast<std::uintptr_t>(cell) + 20);
      ++found;
    }
  EXPECT_EQ(found, kept.size());
}

TEST_F(CellsTest, BlocksOfUnknownLayoutKeepWhatTheyLeadTo) {
  layout_ = nullptr;
  make([](OpenPool&, Cell&) {});
  const CompactionReport report = compact(path());
  EXPECT_EQ(report.blocks_moved, 0U) << "but for the first, each is led to by another";
  EXPECT_EQ(report.blocks_pinned, count / 8 - 1U);
  OpenPool pool(path(), {});
  EXPECT_EQ(look(pool), count / 8);
}

TEST_F(CellsTest, WithoutRoomNothingIsChanged) {
  make([](OpenPool&, Cell&) {});
  OpenPool(path(), {}).trim();
  const std::uint64_t size = std::max<std::uint64_t>(std::filesystem::file_size(path()), 1 << 20);
  {
    OpenPool pool(path(), {.size_limit = size});
    Cell* const before = first(pool);
    std::vector<void*> large;
    while (void* const block = pool.heap().allocate(pool::superblock_bytes)) large.push_back(block);
    EXPECT_TRUE(testing::refuses([&] { compaction::compact(pool); }, PoolError::Kind::no_space, path(), "no room"));
    EXPECT_EQ(first(pool), before);
    EXPECT_EQ(look(pool), count / 8);
    for (void* const block : large) pool.heap().deallocate(block);
    pool.close();
  }
  EXPECT_GT(compact(path()).blocks_moved, 900U) << "what had been taken for it was given back";
  OpenPool pool(path(), {});
  EXPECT_EQ(look(pool), count / 8);
}

TEST_F(CellsTest, NotOfAPoolThatIsOnlyRead) {
  make([](OpenPool&, Cell&) {});
  OpenPool pool(path(), {.read_only = true});
  EXPECT_TRUE(testing::refuses([&] { compaction::compact(pool); }, PoolError::Kind::usage, path(), "for reading"));
}

}  // namespace
}  // namespace perdure
