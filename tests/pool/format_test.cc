#include "pool/format.h"

#include <gtest/gtest.h>

#include "alloc/descriptor_table.h"
#include "pool/header.h"

namespace perdure::pool {
namespace {

TEST(Header, IsIntactUntilAnyByteChanges) {
  Header header = make_header(window_base, 16, make_uuid());
  ASSERT_TRUE(is_intact(header));
  auto* const bytes = reinterpret_cast<unsigned char*>(&header);
  for (std::size_t i = 0; i < sizeof(Header); ++i) {
    bytes[i] ^= 1;
    EXPECT_FALSE(is_intact(header)) << "byte " << i;
    bytes[i] ^= 1;
  }
}

TEST(Header, UuidsDiffer) { EXPECT_NE(make_uuid(), make_uuid()); }

TEST(DirectoryEntry, ReturnsWhatWasEncodedAndKnowsDamage) {
  std::uint64_t superblock = 0;
  const std::uint64_t word = encode_directory_entry(3, 77);
  EXPECT_TRUE(decode_directory_entry(3, word, superblock));
  EXPECT_EQ(superblock, 77u);
  EXPECT_FALSE(decode_directory_entry(4, word, superblock)) << "an entry counts at its place only";
  for (int bit = 0; bit < 64; ++bit) EXPECT_FALSE(decode_directory_entry(3, word ^ (1ull << bit), superblock));
  EXPECT_TRUE(decode_directory_entry(3, 0, superblock));
  EXPECT_EQ(superblock, 0u);
}

using alloc::Descriptor;

TEST(Descriptor, ReturnsWhatWasEncodedAndKnowsDamage) {
  const Descriptor all[] = {
      {}, {Descriptor::Kind::small, 5, 0}, {Descriptor::Kind::large, 0, 4000000}, {Descriptor::Kind::log, 0, 0}};
  for (const Descriptor& descriptor : all) {
    const std::uint64_t word = alloc::encode(9, descriptor);
    EXPECT_EQ(alloc::decode(9, word), descriptor);
    for (int bit = 0; bit < 64; ++bit) EXPECT_EQ(alloc::decode(9, word ^ (1ull << bit)), std::nullopt);
  }
  EXPECT_EQ(alloc::decode(9, 0), std::nullopt) << "lost is not free";
  EXPECT_EQ(alloc::decode(10, alloc::encode(9, all[1])), std::nullopt) << "a descriptor counts at its place only";
}

}  // namespace
}  // namespace perdure::pool
