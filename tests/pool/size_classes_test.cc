#include "alloc/size_classes.h"

#include <gtest/gtest.h>

namespace perdure::alloc {
namespace {

TEST(SizeClasses, AreMultiplesOfTheChunk) {
  for (const std::uint32_t bytes : class_bytes) {
    EXPECT_EQ(bytes % 32, 0u);
    if (bytes > 256) EXPECT_EQ(bytes % 64, 0u) << bytes;
  }
}

TEST(SizeClasses, AreTheSmallestThatFit) {
  for (std::size_t bytes = 32; bytes <= max_small_bytes; ++bytes) {
    const std::size_t size = class_bytes[class_for(bytes)];
    ASSERT_GE(size, bytes);
    if (class_for(bytes) != 0) ASSERT_LT(class_bytes[class_for(bytes) - 1], bytes);
  }
}

TEST(SizeClasses, LieCloseToEachOther) {
  for (std::size_t i = 4; i < class_count; ++i)
    EXPECT_LE(class_bytes[i] * 4, class_bytes[i - 1] * (class_bytes[i] > 9000 ? 7 : 6)) << class_bytes[i];
}

TEST(SizeClasses, FillTheirSuperblocks) {
  for (std::size_t size_class = 0; size_class < class_count; ++size_class)
    EXPECT_GE(blocks_in_superblock(size_class) * class_bytes[size_class] * 100, pool::superblock_bytes * 97);
}

TEST(SizeClasses, DivisionByReciprocalIsExact) {
  for (std::size_t size_class = 0; size_class < class_count; ++size_class)
    for (std::size_t offset = 0; offset < pool::superblock_bytes; ++offset)
      ASSERT_EQ(block_at(size_class, offset), offset / class_bytes[size_class]);
}

TEST(SizeClasses, HonourAlignment) {
  for (std::size_t alignment = 1; alignment <= max_small_bytes; alignment *= 2)
    for (const std::size_t bytes : {1, 33, 100, 1000, 5000, 32768}) {
      const std::size_t size_class = aligned_class_for(bytes, alignment);
      ASSERT_LT(size_class, class_count);
      EXPECT_EQ(class_bytes[size_class] % alignment, 0u);
      EXPECT_GE(class_bytes[size_class], bytes);
    }
  EXPECT_EQ(aligned_class_for(1, 65536), class_count);
}

}  // namespace
}  // namespace perdure::alloc
