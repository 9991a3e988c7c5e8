// Transactions of any size: they commit, or fail as a whole when the pool is full.
#include <algorithm>
#include <filesystem>
#include <new>
#include <span>

#include "tests/isolation/campaign.h"
#include "tests/tx/by_hand.h"

namespace perdure {
namespace {

using namespace by_hand;

class Huge : public PoolTest {
 protected:
  const std::size_t many = is_long_campaign() ? 10'000'000 : 1'000'000;

  /// Not zeroed: that would be a huge transaction already.
  static std::span<std::uint64_t> block_of(std::size_t words) {
    std::uint64_t* block = nullptr;
    transact([&] { block = allocate_words(words); });
    return {block, block == nullptr ? 0 : words};
  }

  /// Whether it commits, or fails with `std::bad_alloc`.
  static bool fill(std::span<std::uint64_t> words, std::uint64_t from) {
    try {
      transact([&] {
        for (std::size_t i = 0; i < words.size(); ++i) write(words[i], from + i);
      });
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

  static bool is_filled(std::span<const std::uint64_t> words, std::uint64_t from) {
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] != from + i) return false;
    return true;
  }
};

TEST_F(Huge, MillionsOfWritesCommit) {
  const auto words = block_of(many);
  ASSERT_TRUE(fill(words, 1));
  EXPECT_TRUE(is_filled(words, 1));
}

TEST_F(Huge, MillionsOfWritesAreUndone) {
  const auto words = block_of(many);
  std::ranges::generate(words, [i = std::uint64_t{1}]() mutable { return i++; });
  EXPECT_THROW(transact([&] {
                 for (std::size_t i = 0; i < words.size(); ++i) write(words[i], 0);
                 throw 1;
               }),
               int);
  EXPECT_TRUE(is_filled(words, 1));
}

/// A pool that is too small for the log of a transaction that its data has room in.
class FullPool : public Huge {
 protected:
  static constexpr std::size_t size_limit = std::size_t{6} << 20;
  static constexpr std::size_t fits = 20'000;
  static constexpr std::size_t does_not_fit = 400'000;

  void SetUp() override {
    if (!library_is_durable() || has_replicas()) GTEST_SKIP() << "writes no log";
    reopen({.size_limit = size_limit});
  }

  /// \returns how many blocks of 64 KiB there is room for now.
  static std::size_t room() {
    std::vector<std::uint64_t*> blocks;
    transact([&] {
      while (std::uint64_t* const block = allocate_words(8'000)) blocks.push_back(block);
    });
    for (std::uint64_t* const block : blocks) transact([&] { entry::transactional_free(block); });
    return blocks.size();
  }
};

TEST_F(FullPool, FailsTheTransactionAndLosesNothing) {
  const auto words = block_of(does_not_fit);
  for (std::size_t first = 0; first < words.size(); first += fits) ASSERT_TRUE(fill(words.subspan(first, fits), first));
  const std::size_t room_before = room();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(fill(words, 7)) << "no room for the log";
    EXPECT_TRUE(is_filled(words, 0));
    ASSERT_TRUE(fill(words.first(fits), 0)) << "smaller transactions work as before";
  }
  EXPECT_GE(room() + 2, room_before) << "the log that could not be written takes no room";
  reopen({.size_limit = size_limit});
  const auto others = block_of(fits);
  EXPECT_EQ(others.size(), fits);
  EXPECT_TRUE(fill(others, 5));
}

}  // namespace
}  // namespace perdure
