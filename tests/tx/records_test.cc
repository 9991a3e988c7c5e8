// Self-validating records (log/commit_record.h) in the file of a process that died without closing its pool.
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "by_hand.h"
#include "perdure/error.h"
#include "pool/header.h"

namespace perdure {
namespace {

using namespace by_hand;

/// Words that many transactions count up, each one all of them.
struct Words {
  std::uint64_t* address;
  std::size_t count;
};

class Records : public testing::Test {
 protected:
  ~Records() override { std::filesystem::remove(path_); }

  /// In a process that ends without closing: transaction i writes `begin` + i to every word. \returns the words, where
  /// the pool has them in every process.
  Words run_and_die(std::size_t words, std::uint64_t begin, std::size_t transactions, const OpenOptions& options = {}) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      const Pool pool = Pool::open(path_, options);
      std::uint64_t* address = nullptr;
      transact([&] {
        address = allocate_words(words * stride);
        perdure_memset(address, 0, words * stride * sizeof(std::uint64_t));
      });
      for (std::size_t i = 0; i < transactions; ++i)
        transact([&] {
          for (std::size_t word = 0; word < words; ++word) write(address[word * stride], begin + i);
        });
      _exit(::write(ends[1], &address, sizeof address) == sizeof address ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    std::uint64_t* address = nullptr;
    EXPECT_EQ(::read(ends[0], &address, sizeof address), static_cast<ssize_t>(sizeof address));
    close(ends[0]);
    close(ends[1]);
    return {address, words};
  }

  /// Where the value stands in the file.
  std::vector<std::size_t> places_of(std::uint64_t value) const {
    std::ifstream file(path_, std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at + sizeof value <= bytes.size(); at += sizeof value)
      if (std::memcmp(&bytes[at], &value, sizeof value) == 0) places.push_back(at);
    return places;
  }

  void damage(std::size_t place) const {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(place));
    file.put('\x5a');
  }

  static constexpr std::size_t stride = 8;  // a line for each word
  static constexpr std::uint64_t first = 0x1234567800000000;
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("perdure_records_" + std::to_string(getpid()) + ".pool");
};

TEST_F(Records, AreReplayedUpToTheLast) {
  const Words words = run_and_die(3, first, 10);
  const Pool pool = Pool::open(path_);
  EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
  EXPECT_GE(pool.report().transactions_replayed, 10U);
  for (std::size_t i = 0; i < words.count; ++i) EXPECT_EQ(words.address[i * stride], first + 9);
}

TEST_F(Records, OfSeveralPartsAreReplayedAsOne) {
  constexpr std::size_t many = 20'000;  // 40,000 words of payload: five segments
  const Words words = run_and_die(many, first, 2);
  const Pool pool = Pool::open(path_);
  EXPECT_GE(pool.report().transactions_replayed, 1U);
  for (std::size_t i = 0; i < many; ++i) ASSERT_EQ(words.address[i * stride], first + 1);
}

TEST_F(Records, OfAnEarlierRunDoNotCount) {
  const Words before = run_and_die(1, first, 20);
  run_and_die(1, first, 3);  // recovers, and begins a clock and logs anew
  const Pool pool = Pool::open(path_);
  EXPECT_LE(pool.report().transactions_replayed, 5U);
  EXPECT_EQ(before.count, 1U);
}

/// A program that did not know of checks in the watermark's page wrote the numbers alone, and no feature bit.
TEST_F(Records, OfAnOlderProgramAreReplayed) {
  const Words words = run_and_die(3, first, 10);
  {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    pool::Header header;
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    header.incompatible_features = 0;
    pool::seal(header);
    file.seekp(0);
    for (std::size_t copy = 0; copy < pool::header_copies; ++copy)
      file.write(reinterpret_cast<const char*>(&header), sizeof header);
    for (const std::size_t number : {0, 1}) {
      file.seekp(static_cast<std::streamoff>(pool::watermark_offset + number * 8 + 6));
      file.write("\0\0", 2);
    }
  }
  const Pool pool = Pool::open(path_);
  EXPECT_GE(pool.report().transactions_replayed, 10U);
  for (std::size_t i = 0; i < words.count; ++i) EXPECT_EQ(words.address[i * stride], first + 9);
}

/// Whatever bit of it is lost: it might put records out of effect that count.
TEST_F(Records, AreNotReplayedByADamagedWatermark) {
  run_and_die(1, first, 10);
  for (unsigned bit = 0; bit < 128; ++bit) {
    const auto flip = [&] {
      std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
      const auto place = static_cast<std::streamoff>(pool::watermark_offset + bit / 8);
      file.seekg(place);
      const int byte = file.get();
      file.seekp(place);
      file.put(static_cast<char>(byte ^ (1 << bit % 8)));
    };
    flip();
    EXPECT_THROW(Pool::open(path_), PoolError) << "bit " << bit;
    flip();
  }
  const Pool pool = Pool::open(path_);
  EXPECT_GE(pool.report().transactions_replayed, 10U);
}

TEST_F(Records, LogBudgetBoundsWhatRecoveryReplays) {
  constexpr std::size_t budget = 4096;
  constexpr std::size_t line = 64;
  run_and_die(1, first, 50'000, {.log_budget = budget});
  const Pool pool = Pool::open(path_);
  EXPECT_GT(pool.report().transactions_replayed, 0U);
  EXPECT_LE(pool.report().transactions_replayed, budget / line);
}

TEST_F(Records, DamageAmongThemIsRefusedAndChangesNothing) {
  run_and_die(1, first, 10);
  const std::vector<std::size_t> places = places_of(first + 5);
  ASSERT_EQ(places.size(), 1U) << "the value was overwritten in its place, and stands in one record";
  damage(places.front());
  const auto bytes_before = places_of(first + 9);
  try {
    Pool::open(path_);
    FAIL() << "the pool was opened";
  } catch (const PoolError& error) {
    EXPECT_EQ(error.kind(), PoolError::Kind::damaged);
    EXPECT_NE(std::string(error.what()).find("a record is missing among others"), std::string::npos) << error.what();
  }
  EXPECT_EQ(places_of(first + 9), bytes_before);
}

TEST_F(Records, ThatWereCutShortAreIgnored) {
  run_and_die(1, first, 10);
  for (const std::size_t place : places_of(first + 9)) damage(place);  // in its place, and in the last record
  const Pool pool = Pool::open(path_);
  EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
}

}  // namespace
}  // namespace perdure
