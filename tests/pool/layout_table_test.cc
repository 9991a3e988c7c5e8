// The table of layouts in a pool: what may be in it, and what becomes of damage.
#include <cstring>
#include <memory>
#include <utility>

#include "layouts.h"

namespace perdure::alloc {
namespace {

using namespace testing;

TEST(BlockLayouts, AreComparedByWhatTheySay) {
  Layout<3> one = of_all_kinds(), other = of_all_kinds();
  other.head.cache = 77;
  EXPECT_EQ(one.head, other.head);
  EXPECT_EQ(hash_of(one.head), hash_of(other.head));
  other.words[2].count = 1;
  EXPECT_FALSE(one.head == other.head);
  EXPECT_NE(hash_of(one.head), hash_of(other.head));
  other = of_all_kinds();
  other.head.first_element = 8;
  EXPECT_FALSE(one.head == other.head);
  EXPECT_NE(hash_of(one.head), hash_of(other.head));
}

TEST(BlockLayouts, MustKeepToTheRules) {
  ASSERT_TRUE(is_sound(of_all_kinds().head));
  ASSERT_TRUE(is_sound(no_pointers));
  const auto broken = [](auto&& change) {
    Layout<3> layout = of_all_kinds();
    change(layout);
    return !is_sound(layout.head);
  };
  EXPECT_TRUE(broken([](auto& layout) { layout.head.element_bytes = 56; })) << "words end behind the element";
  EXPECT_TRUE(broken([](auto& layout) { layout.head.element_bytes = 65; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.head.element_bytes = 65536 + 8; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.head.first_element = 4; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.head.reserved = 1; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.head.word_count = BlockLayout::max_words + 1; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.words[1].offset = 12; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.words[1].offset = 0; })) << "not sorted";
  EXPECT_TRUE(broken([](auto& layout) { layout.words[1].count = 4; })) << "not disjoint";
  EXPECT_TRUE(broken([](auto& layout) { layout.words[1].count = 0; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.words[2].count = 0xffffffff; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.words[2].offset = 0xfffffff8; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.words[1].kind = LayoutWords::Kind{0}; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.words[1].kind = LayoutWords::Kind{4}; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.words[1].test_mask = 1; })) << "there is no test";
  EXPECT_TRUE(broken([](auto& layout) { layout.words[1].reserved = 1; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.words[0].test_offset = 64; }));
  EXPECT_TRUE(broken([](auto& layout) { layout.words[0].test_value = 2; })) << "never true";
}

TEST_F(LayoutTest, MoreThanFitAreUnknown) {
  constexpr std::uint32_t count = 1100;
  std::vector<Layout<1>> layouts;
  for (std::uint32_t i = 0; i < count; ++i) layouts.push_back(layout_of_number(i));
  crash([&] {
    for (std::uint32_t i = 0; i < count; ++i) allocate_link(64, layouts[i])->number = i;
  });
  open();
  for (const Link* link = chain(); link != nullptr; link = link->next) {
    const BlockLayout* const known = heap().layout_of(link);
    ASSERT_EQ(known == nullptr, link->number >= layout_count - first_in_table) << link->number;
    if (known != nullptr) {
      ASSERT_EQ(*known, layout_of_number(static_cast<std::uint32_t>(link->number)).head);
    }
  }
  Layout<1> late = layout_of_number(5000 / 8);
  EXPECT_EQ(number_of(allocate(64, late)), 5000 / 8 + first_in_table);
  for (Link* link = chain(); link != nullptr;) heap().deallocate(std::exchange(link, link->next));
  pool_->root_table().roots[0].object = nullptr;
  EXPECT_NE(allocate(1000, layouts[0]), nullptr);
}

/// Layouts so large that they need superblocks of their own.
struct HugeLayout {
  BlockLayout head;
  std::array<LayoutWords, BlockLayout::max_words> words;
};

TEST_F(LayoutTest, TheTableHasAsManySuperblocksAsItNeeds) {
  const auto make = [](std::uint32_t first_word) {
    auto layout = std::make_unique<HugeLayout>();
    layout->head = {0, 65536, 0, BlockLayout::max_words, 0};
    for (std::uint32_t i = 0; i < BlockLayout::max_words; ++i)
      layout->words[i] = pointers(32 * i + (i == 0 ? 8 * first_word : 0), 1);
    return layout;
  };
  crash([&] {
    for (std::uint32_t i = 0; i < 4; ++i) allocate_link(1000, &make(i)->head)->number = i;
  });
  open();
  int count = 0;
  for (const Link* link = chain(); link != nullptr; link = link->next, ++count) {
    ASSERT_NE(heap().layout_of(link), nullptr);
    EXPECT_EQ(*heap().layout_of(link), make(static_cast<std::uint32_t>(link->number))->head);
  }
  EXPECT_EQ(count, 4);
  EXPECT_GE(heap().superblocks().layout_superblocks().size(), 4u);
}

TEST_F(LayoutTest, WhatIsNoLayoutIsUnknown) {
  open();
  Layout<1> bad = one_pointer(4, 64);
  EXPECT_EQ(number_of(allocate(64, bad)), unknown_layout);
  EXPECT_EQ(number_of(allocate(200000, bad)), unknown_layout);
}

// -- damage -----------------------------------------------------------------------------------------------------------

TEST_F(LayoutTest, DamageOfALayoutThatBlocksHaveIsRefused) {
  open();
  Layout<3> all = of_all_kinds();
  Layout<1> other = one_pointer(0, 64);
  allocate_link(128, all);
  allocate_link(64, other, 1);
  const std::uint64_t table = table_offset();
  ASSERT_NE(table, 0u);
  close();
  constexpr std::uint64_t first_bytes = 8 + 24 + 3 * 16;
  for (const std::uint64_t offset : {0ul, 8ul, 16ul, 24ul, 32ul, first_bytes - 1, first_bytes, first_bytes + 47}) {
    flip_byte(path(), table + offset);
    EXPECT_TRUE(
        refuses([&] { open(); }, PoolError::Kind::damaged, path(), offset < first_bytes ? "layout 2" : "layout 3"))
        << offset;
    flip_byte(path(), table + offset);
  }
  open();
  EXPECT_EQ(*heap().layout_of(chain()), all.head);
}

TEST_F(LayoutTest, AnEntryThatWasCutShortIsWrittenOver) {
  Layout<3> all = of_all_kinds();
  std::uint64_t table = 0;
  open();
  allocate_link(128, all);
  table = table_offset();
  close();
  // As if a crash had come before the entry was whole; and behind it lies another one.
  std::string file = read_all(path());
  constexpr std::uint64_t first_bytes = 8 + 24 + 3 * 16;
  std::memset(&file[table + first_bytes], 0x55, 500);
  write_all(path(), file);
  open();
  Layout<1> other = one_pointer(0, 64);
  allocate_link(64, other, 1);
  close();
  file = read_all(path());
  EXPECT_EQ(file.find('\x55', table), std::string::npos);
  open();
  EXPECT_EQ(*heap().layout_of(chain()), all.head);
  EXPECT_EQ(*heap().layout_of(chain(1)), other.head);
}

TEST_F(LayoutTest, AnEntryCountsAtItsPlaceOnly) {
  open();
  Layout<3> all = of_all_kinds();
  allocate_link(128, all);
  const std::uint64_t table = table_offset();
  close();
  std::string file = read_all(path());
  const std::string own = file.substr(table, 80);
  file.replace(table, 80, std::string(80, '\0'));
  file.replace(table + 80, 80, own);
  write_all(path(), file);
  EXPECT_TRUE(refuses([&] { open(); }, PoolError::Kind::damaged, path(), "layout 2"));
  file.replace(table, 80, own);
  write_all(path(), file);
  open();
  EXPECT_EQ(heap().layouts().count(), 3);
}

TEST_F(LayoutTest, APoolWithoutLayoutsIsAsItWas) {
  open();
  allocate_link(128, nullptr);
  EXPECT_EQ(pool_->mapping().header().incompatible_features & pool::layouts, 0u);
  EXPECT_EQ(table_offset(), 0u);
  allocate_link(128, &no_pointers);
  EXPECT_NE(pool_->mapping().header().incompatible_features & pool::layouts, 0u);
  EXPECT_EQ(table_offset(), 0u) << "that blocks have no pointers needs no entry";
}

}  // namespace
}  // namespace perdure::alloc
