// Memory of pools that is freed outside of transactions, in a file that is compiled with the plugin.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "../pool/pool_test.h"
#include "alloc/heap.h"
#include "perdure/pool.h"
#include "perdure/transaction.h"
#include "persist/sanitizers.h"
#include "pool/window.h"

namespace perdure {
namespace {

class FreesTest : public testing::PoolTest {
 protected:
  /// In the pool.
  static char* make_text(std::size_t bytes = 100) {
    char* const text = execute([bytes] {
      auto* const text = static_cast<char*>(std::malloc(bytes));
      std::strcpy(text, "a text");
      return text;
    });
    EXPECT_TRUE(pool::in_window(text));
    return text;
  }

  /// Blocks are used again and again.
  template <class Free>
  void expect_to_free(Free&& free) {
    const auto free_one = [&] { free(make_text(1000)); };
    for (int i = 0; i < 1000; ++i) free_one();
    const auto superblocks = alloc::current_heap()->mapping().superblocks();
    for (int i = 0; i < 5000; ++i) free_one();
    EXPECT_EQ(alloc::current_heap()->mapping().superblocks(), superblocks);
  }

  Pool pool_ = Pool::open(path());
};

[[gnu::noinline]] void hide(void*& pointer) { asm volatile("" : "+r"(pointer)); }

TEST_F(FreesTest, Free) {
  expect_to_free([](void* text) { free(text); });
}

TEST_F(FreesTest, Realloc) {
  expect_to_free([](void* text) {
    auto* const moved = static_cast<char*>(realloc(text, 5000));
    EXPECT_FALSE(pool::in_window(moved));
    EXPECT_STREQ(moved, "a text");
    free(moved);
  });
  EXPECT_EQ(realloc(make_text(), 0), nullptr);
}

TEST_F(FreesTest, ReallocArray) {
  expect_to_free([](void* text) {
    void* const moved = reallocarray(text, 50, 100);
    EXPECT_STREQ(static_cast<char*>(moved), "a text");
    free(moved);
  });
}

TEST_F(FreesTest, UsableSize) {
  void* text = make_text(1000);
  EXPECT_GE(malloc_usable_size(text), 1000U);
  free(text);
  void* other = malloc(1000);
  hide(other);
  EXPECT_GE(malloc_usable_size(other), 1000U);
  free(other);
}

TEST_F(FreesTest, UsableSizeInTransactions) {
  char* text = static_cast<char*>(make_text(1000));
  std::size_t bytes = 0;
  char last = 0;
  TM_BEGIN {
    bytes = malloc_usable_size(text);
    text[bytes - 1] = 'z';
  } TM_END;
  TM_BEGIN {
    last = text[bytes - 1];
    free(text);
  } TM_END;
  EXPECT_GE(bytes, 1000U);
  EXPECT_LT(bytes, 2000U);
  EXPECT_EQ(last, 'z');
}

[[perdure::safe, gnu::noinline]] void put(char* to, const char* text, std::size_t bytes) {
  std::memcpy(to, text, bytes);
}
[[perdure::safe, gnu::noinline]] void put_one(char* to, char letter) { *to = letter; }
[[perdure::safe, gnu::noinline]] std::uint64_t word_at(const char* place) {
  std::uint64_t word = 0;
  std::memcpy(&word, place, sizeof word);
  return word;
}

/// Words that lie across the end of what was asked for, of the newest block and of an older one.
TEST_F(FreesTest, BytesBehindWhatWasAskedForInTransactions) {
  char* blocks[2] = {};
  std::uint64_t seen[2] = {};
  std::size_t bytes = 0;
  TM_BEGIN {
    for (char*& block : blocks) {
      block = static_cast<char*>(malloc(20));
      bytes = malloc_usable_size(block);
      put(block + 16, "abcdefgh", 8);
      put_one(block + 18, 'X');
      put(block + 19, "YZ", 2);
    }
    for (int i = 0; i < 2; ++i) {
      put_one(blocks[i] + 20, 'W');
      seen[i] = word_at(blocks[i] + 16);
    }
  } TM_END;
  ASSERT_GE(bytes, 24U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(seen[i], word_at("abXYWfgh"));
    EXPECT_EQ(word_at(blocks[i] + 16), word_at("abXYWfgh"));
    TM_BEGIN { free(blocks[i]); } TM_END;
  }
}

TEST_F(FreesTest, ByPointer) {
  void (*release)(void*) = free;
  asm volatile("" : "+r"(release));
  expect_to_free([&](void* text) { release(text); });
  expect_to_free([](void* text) { const std::unique_ptr<void, decltype(&free)> owner(text, &free); });
  // The same in transactions.
  expect_to_free([&](void* text) { TM_BEGIN { release(text); } TM_END; });
}

TEST_F(FreesTest, OfTheHeap) {
  for (const std::size_t bytes : {1, 100, 1 << 20}) {
    void* block = malloc(bytes);
    hide(block);
    block = realloc(block, 2 * bytes);
    hide(block);
    free(block);
  }
  free(nullptr);
}

#if !defined(PERDURE_ADDRESS_SANITIZER) && !defined(PERDURE_THREAD_SANITIZER)
TEST_F(FreesTest, ByTheCLibraryIsExplained) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // which executes the program, for children have no pools
  const auto read_line = [] {
    char* line = make_text(20);
    std::size_t bytes = 20;
    std::FILE* const file = std::tmpfile();
    for (int i = 0; i < 1000; ++i) std::fputs("a long line ", file);
    std::rewind(file);
    [[maybe_unused]] const auto got = getline(&line, &bytes, file);
  };
  EXPECT_DEATH(read_line(), "perdure: .*memory of a pool");
}
#endif

}  // namespace
}  // namespace perdure
