// Every kind of access through the entry points, compared with plain memory.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>

#include "by_hand.h"

extern "C" {
int perdure_tm_memcmp(const void*, const void*, std::size_t);
void* perdure_tm_memchr(const void*, int, std::size_t);
std::size_t perdure_tm_strlen(const char*);
int perdure_tm_strcmp(const char*, const char*);
char* perdure_tm_strncpy(char*, const char*, std::size_t);
void* perdure_tm_realloc(void*, std::size_t);
void* perdure_tm_calloc(std::size_t, std::size_t);
}

namespace perdure {
namespace {

using namespace by_hand;

class Access : public PoolTest {
 protected:
  static constexpr std::size_t bytes = 512;
  Access() : shared_(reinterpret_cast<std::byte*>(words(bytes / 8))) {}

  std::byte* shared_;
};

std::array<std::byte, 512> pattern() {
  std::array<std::byte, 512> result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::byte>(i * 7 + 1);
  return result;
}

TEST_F(Access, MixedWidthsComposeWithinATransaction) {
  auto* const word = reinterpret_cast<std::uint64_t*>(shared_);
  transact([&] { write(*word, 0x1122334455667788U); });
  transact([&] {
    auto* const base = reinterpret_cast<std::uint8_t*>(word);
    perdure_write_u8(base + 1, 0xaa);
    EXPECT_EQ(read(*word), 0x112233445566aa88U);
    perdure_write_u16(reinterpret_cast<std::uint16_t*>(base + 6), 0xbbcc);
    EXPECT_EQ(perdure_read_u32(reinterpret_cast<std::uint32_t*>(base + 4)), 0xbbcc3344U);
    EXPECT_EQ(read(*word), 0xbbcc33445566aa88U);
    perdure_write_f32(reinterpret_cast<float*>(base), 1.5F);
    EXPECT_EQ(perdure_read_f32(reinterpret_cast<float*>(base)), 1.5F);
  });
  EXPECT_EQ(*word >> 32, 0xbbcc3344U);
}

TEST_F(Access, BytesAtEveryOffsetAndSize) {
  const auto source = pattern();
  for (std::size_t offset = 0; offset < 70; offset += 3)
    for (std::size_t size = 0; size < 140; size += 7) {
      std::array<std::byte, bytes> expected;
      std::memcpy(expected.data(), shared_, bytes);
      std::memcpy(expected.data() + offset, source.data(), size);
      transact([&] {
        perdure_write_bytes(shared_ + offset, source.data(), size);
        std::array<std::byte, bytes> seen;
        perdure_read_bytes(seen.data(), shared_, bytes);  // its own writes, before the commit
        EXPECT_EQ(seen, expected);
      });
      ASSERT_EQ(std::memcmp(shared_, expected.data(), bytes), 0) << offset << " " << size;
    }
}

TEST_F(Access, OverlappingMoves) {
  const auto source = pattern();
  for (const auto& [to, from, size] :
       {std::array<std::size_t, 3>{0, 5, 400}, {5, 0, 400}, {64, 0, 300}, {0, 300, 200}}) {
    auto expected = source;
    std::memmove(expected.data() + to, expected.data() + from, size);
    transact([&] { perdure_write_bytes(shared_, source.data(), bytes); });
    transact([&, target = shared_ + to, source_start = shared_ + from, length = size] {
      perdure_memmove(target, source_start, length);
    });
    EXPECT_EQ(std::memcmp(shared_, expected.data(), bytes), 0) << to << " " << from;
  }
}

TEST_F(Access, MemsetOfHighBytes) {
  transact([&] { perdure_memset(shared_ + 3, 0x80, 100); });
  EXPECT_EQ(shared_[2], std::byte{0});
  EXPECT_TRUE(std::all_of(shared_ + 3, shared_ + 103, [](std::byte byte) { return byte == std::byte{0x80}; }));
  EXPECT_EQ(shared_[103], std::byte{0});
}

TEST_F(Access, NeighboursOfAWrittenChunkKeepTheirBytes) {
  const auto source = pattern();
  transact([&] { perdure_write_bytes(shared_, source.data(), bytes); });
  transact([&] { perdure_write_u8(reinterpret_cast<std::uint8_t*>(shared_) + 100, 0); });
  auto expected = source;
  expected[100] = std::byte{0};
  EXPECT_EQ(std::memcmp(shared_, expected.data(), bytes), 0);
}

TEST_F(Access, StringFunctions) {
  auto* const text = reinterpret_cast<char*>(shared_);
  transact([&] { perdure_write_bytes(text, "persistent", 11); });
  transact([&] {
    for (std::size_t start = 0; start <= 10; ++start) EXPECT_EQ(perdure_tm_strlen(text + start), 10 - start);
    EXPECT_EQ(perdure_tm_strcmp(text, "persistent"), 0);
    EXPECT_LT(perdure_tm_strcmp(text, "persists"), 0);
    EXPECT_GT(perdure_tm_strcmp(text, "persist"), 0);
    EXPECT_EQ(perdure_tm_memcmp(text, "persistent", 11), 0);
    EXPECT_LT(perdure_tm_memcmp(text, "persistenz", 10), 0);
    EXPECT_EQ(perdure_tm_memchr(text, 't', 11), text + 6);
    EXPECT_EQ(perdure_tm_memchr(text, 'x', 11), nullptr);
    perdure_tm_strncpy(text + 32, "ab", 5);
  });
  EXPECT_EQ(std::memcmp(text + 32, "ab\0\0\0", 5), 0);
}

TEST_F(Access, CallocIsZeroAndReallocKeepsTheContents) {
  transact([&] {
    auto* const block = static_cast<std::uint8_t*>(perdure_tm_calloc(100, 1));
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(perdure_read_u8(block + i), 0);
      perdure_write_u8(block + i, static_cast<std::uint8_t>(i));
    }
    auto* const larger = static_cast<std::uint8_t*>(perdure_tm_realloc(block, 10'000));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(perdure_read_u8(larger + i), i);
    EXPECT_EQ(perdure_tm_calloc(SIZE_MAX, 2), nullptr);
  });
}

TEST_F(Access, RandomAccessesAgreeWithPlainMemory) {
  std::mt19937_64 random(1);
  std::array<std::byte, bytes> expected{};
  for (int round = 0; round < 200; ++round) {
    auto after = expected;
    transact([&] {
      after = expected;
      for (int access = 0; access < 50; ++access) {
        const std::size_t offset = random() % (bytes - 16);
        const std::size_t size = random() % 17;
        std::array<std::byte, 16> data;
        if (random() % 2 == 0) {
          const std::uint64_t value = random();
          for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<std::byte>(value >> (i % 8));
          perdure_write_bytes(shared_ + offset, data.data(), size);
          std::memcpy(after.data() + offset, data.data(), size);
        } else {
          perdure_read_bytes(data.data(), shared_ + offset, size);
          ASSERT_EQ(std::memcmp(data.data(), after.data() + offset, size), 0);
        }
      }
    });
    expected = after;
    ASSERT_EQ(std::memcmp(shared_, expected.data(), bytes), 0);
  }
}

}  // namespace
}  // namespace perdure
