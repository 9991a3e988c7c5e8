// What recovery makes of a redo log that it finds, whoever wrote it.
#include <signal.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "alloc/heap.h"
#include "log/redo_log.h"
#include "perdure/pool.h"
#include "pool_test.h"

namespace perdure {
namespace {

using Words = std::array<std::uint64_t, 8>;
using log::SegmentHeader;

constexpr std::uint64_t old_word = 0x0101010101010101;
constexpr std::uint64_t new_word = 0x0807060504030201;

alloc::Heap& heap() { return *alloc::current_heap(); }

class ReplayTest : public testing::PoolTest {
 protected:
  ReplayTest() {
    const Pool pool = Pool::open(path());
    auto* const words = new (heap().allocate(sizeof(Words))) Words;
    words->fill(old_word);
    heap().mapping().root_table().roots[0].object = words;
  }

  static Words& words() { return *static_cast<Words*>(heap().mapping().root_table().roots[0].object); }
  static std::uint64_t address_of(std::size_t word) { return reinterpret_cast<std::uintptr_t>(&words()[word]); }

  /// Leaves what a process leaves that is killed when its record counts. `make` gives the entries; `spoil` changes
  /// the record's segment after that.
  template <class Make>
  void crash_with(Make&& make, const std::function<void(SegmentHeader&)>& spoil = {}) const {
    const int status = testing::in_child([&] {
      const Pool pool = Pool::open(path());
      const auto made = make();
      log::GrowingArray<typename decltype(made)::value_type> entries;
      for (const auto& entry : made) entries.push_back(entry);
      log::RedoLog log;
      if (log.write<true>(entries) != log::LogResult::written) return;
      log.activate(1);
      if (spoil) heap().for_each_log_segment([&](void* segment) { spoil(*static_cast<SegmentHeader*>(segment)); });
      raise(SIGKILL);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  void expect_replayed(const Words& expected) const {
    const Pool pool = Pool::open(path());
    EXPECT_EQ(pool.report().transactions_replayed, 1U);
    EXPECT_EQ(words(), expected);
  }

  void expect_refused(const std::string& part) const {
    const std::string before = testing::read_all(path());
    EXPECT_TRUE(testing::refuses([&] { Pool::open(path()); }, PoolError::Kind::damaged, path(), part));
    EXPECT_EQ(testing::read_all(path()), before) << "the file was changed";
  }

  /// Of the first chunk the second word, and bytes 2 and 3 of the third; of the second chunk the last byte.
  static std::vector<log::DirtyChunk<32>> changes() {
    std::vector<log::DirtyChunk<32>> entries(2);
    for (std::size_t chunk = 0; chunk < 2; ++chunk) {
      entries[chunk].address = address_of(4 * chunk);
      entries[chunk].clear();
      entries[chunk].words.fill(new_word);
    }
    entries[0].mark(&words()[1]);
    entries[0].mark(reinterpret_cast<const std::uint16_t*>(&words()[2]) + 1);
    entries[1].mark(reinterpret_cast<const std::uint8_t*>(&words()[7]) + 7);
    return entries;
  }
};

TEST_F(ReplayTest, OfChangedBytesChangesTheseOnly) {
  crash_with(changes);
  expect_replayed({old_word, new_word, 0x0101010104030101, old_word, old_word, old_word, old_word, 0x0801010101010101});
}

TEST_F(ReplayTest, OfWholeChunksAsEarlierProgramsLoggedThem) {
  crash_with([] { return std::vector<log::ChunkEntry<32>>{{address_of(4), {1, 2, 3, 4}}}; });
  expect_replayed({old_word, old_word, old_word, old_word, 1, 2, 3, 4});
}

TEST_F(ReplayTest, OfMoreThanASegmentHolds) {
  constexpr std::size_t chunks = 5000;  // three words each
  crash_with([] {
    auto* const block = static_cast<std::uint64_t*>(heap().allocate(chunks * 32));
    heap().mapping().root_table().roots[1].object = block;
    std::vector<log::DirtyChunk<32>> entries(chunks);
    for (std::size_t i = 0; i < chunks; ++i) {
      entries[i].address = reinterpret_cast<std::uintptr_t>(block + 4 * i);
      entries[i].clear();
      entries[i].words = {i, i + 1, 0, 0};
      entries[i].mark(block + 4 * i);
      entries[i].mark(block + 4 * i + 1);
    }
    return entries;
  });
  const Pool pool = Pool::open(path());
  const auto* const block = static_cast<const std::uint64_t*>(heap().mapping().root_table().roots[1].object);
  for (std::size_t i = 0; i < chunks; ++i) {
    ASSERT_EQ(block[4 * i], i);
    ASSERT_EQ(block[4 * i + 1], i + 1);
  }
}

TEST_F(ReplayTest, RefusesALogThatContradictsItself) {
  const auto spoil_to = [&](const std::function<void(SegmentHeader&)>& spoil, const std::string& part) {
    const std::string sound = testing::read_all(path());
    crash_with(changes, spoil);
    expect_refused(part);
    testing::write_all(path(), sound);
  };
  const auto first_word = [](SegmentHeader& segment) -> std::uint64_t& {
    return *reinterpret_cast<std::uint64_t*>(&segment + 1);
  };
  spoil_to([](SegmentHeader& segment) { segment.entry_count = log::segment_bytes / 8; }, "too many entries");
  spoil_to([](SegmentHeader& segment) { --segment.entry_count; }, "contradict its length");
  spoil_to([](SegmentHeader& segment) { segment.chunk_bytes = 2; }, "unknown kind or size");
  spoil_to([&](SegmentHeader& segment) { first_word(segment) += 4; }, "outside the pool's data");
  spoil_to([&](SegmentHeader& segment) { first_word(segment) += pool::slot_bytes; }, "outside the pool's data");
  spoil_to([&](SegmentHeader& segment) { first_word(segment) -= 1 << 20; }, "outside the pool's data");
}

}  // namespace
}  // namespace perdure
