// Logs and locks of whole chunks are about more than the program reads and writes. Nobody may notice.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "by_hand.h"
#include "persist/instance.h"

namespace perdure {
namespace {

using namespace by_hand;

class Chunk : public PoolTest {
 protected:
  static constexpr std::size_t words_in_two_lines = 16;

  /// Two words in one chunk, and one far from them. Another thread sets the second and the third to 1 after `first` has
  /// run, if it can: where that locks it out, it comes later.
  template <class First, class Then>
  void with_a_writer_in_between(std::uint64_t* shared, First&& first, Then&& then) {
    std::atomic<bool> may_write{false}, has_written{false};
    std::thread writer([&] {
      while (!may_write) std::this_thread::yield();
      transact([&] {
        write(shared[1], 1);
        write(shared[words_in_two_lines - 1], 1);
      });
      has_written = true;
    });
    transact([&] {
      first();
      may_write = true;
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
      while (!has_written && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      then();
    });
    writer.join();
  }
};

/// Trap 7: a log of whole chunks would read the second word when the first is written.
TEST_F(Chunk, WhatLiesBesideItIsNeitherSeenNorUndone) {
  auto* const shared = words(words_in_two_lines);
  bool saw_a_mixture = false;
  with_a_writer_in_between(
      shared, [&] { write(shared[0], 7); },
      [&] { saw_a_mixture |= read(shared[1]) != read(shared[words_in_two_lines - 1]); });
  EXPECT_FALSE(saw_a_mixture);
  EXPECT_EQ(shared[0], 7U);
  EXPECT_EQ(shared[1], 1U) << "what another transaction wrote was undone by the write-back of the chunk";
}

TEST_F(Chunk, WriteBackUndoesNothingThatAnotherTransactionWrote) {
  auto* const shared = words(words_in_two_lines);
  with_a_writer_in_between(shared, [&] { write(shared[0], 7); }, [] {});
  EXPECT_EQ(shared[0], 7U);
  EXPECT_EQ(shared[1], 1U);
}

/// Trap 8: blocks are aligned to chunks and padded to whole ones.
TEST_F(Chunk, BelongsToOneBlock) {
  std::set<std::uintptr_t> chunks;
  std::size_t expected = 0;
  for (std::size_t bytes = 1; bytes <= 200; bytes += 7)
    transact([&] {
      const auto block = reinterpret_cast<std::uintptr_t>(entry::transactional_allocate(bytes, 1));
      const std::size_t last = (block + bytes - 1) / instance.granularity;
      for (std::size_t chunk = block / instance.granularity; chunk <= last; ++chunk, ++expected) chunks.insert(chunk);
      EXPECT_EQ(block % instance.granularity, 0U);
    });
  EXPECT_EQ(chunks.size(), expected);
}

/// Every piece of the largest chunks, and what lies across their borders.
TEST_F(Chunk, BorderIsCrossedByWritesOfAnySize) {
  auto* const shared = words(words_in_two_lines);
  auto* const bytes = reinterpret_cast<std::byte*>(shared);
  std::array<std::byte, words_in_two_lines * 8> expected{};
  std::byte next{1};
  for (const std::size_t size : {2, 3, 4, 8, 16, 24, 100})
    for (std::size_t offset = 0; offset + size <= expected.size(); ++offset) {
      std::array<std::byte, 100> source;
      source.fill(next);
      next = static_cast<std::byte>(std::to_integer<int>(next) + 1);
      transact([&] { perdure_write_bytes(bytes + offset, source.data(), size); });
      std::copy_n(source.data(), size, expected.data() + offset);
      ASSERT_EQ(std::memcmp(bytes, expected.data(), expected.size()), 0) << size << " bytes at " << offset;
    }
}

}  // namespace
}  // namespace perdure
