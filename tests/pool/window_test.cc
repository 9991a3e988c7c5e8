#include "pool/window.h"

#include <gtest/gtest.h>

#include <memory>

namespace perdure::pool {
namespace {

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

TEST(Window, ContainsItsSlotsAndNothingElse) {
  EXPECT_TRUE(in_window(at(window_base)));
  EXPECT_TRUE(in_window(at(window_base + window_bytes - 1)));
  EXPECT_FALSE(in_window(at(window_base - 1)));
  EXPECT_FALSE(in_window(at(window_base + window_bytes)));
  EXPECT_FALSE(in_window(nullptr));
  EXPECT_FALSE(in_window(at(~std::uintptr_t{0})));
}

TEST(Window, HoldsNeitherStackNorHeapNorCode) {
  const int local = 0;
  const auto heap = std::make_unique<int>();
  static int global = 0;
  EXPECT_FALSE(in_window(&local));
  EXPECT_FALSE(in_window(heap.get()));
  EXPECT_FALSE(in_window(&global));
}

TEST(Window, SlotsFollowEachOther) {
  for (std::size_t slot = 0; slot < slot_count; ++slot) {
    EXPECT_EQ(slot_of(slot_address(slot)), slot);
    EXPECT_EQ(slot_of(slot_address(slot) + slot_bytes - 1), slot);
  }
}

}  // namespace
}  // namespace perdure::pool
