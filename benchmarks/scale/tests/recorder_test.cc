// What the recording library writes of a transaction.
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "../../../tests/tx/by_hand.h"
#include "scale/trace.h"

namespace perdure {
namespace {

using by_hand::allocate_words;
using by_hand::read;
using by_hand::transact;
using by_hand::write;

TEST(Recorder, WritesWhatATransactionReadsAndWrites) {
  const std::string trace = testing::TempDir() + "perdure_recorder_" + std::to_string(::getpid());
  const std::string path = trace + ".pool";
  ASSERT_EQ(setenv("RECORD_TRACE", trace.c_str(), 1), 0);
  {
    const Pool pool = Pool::open(path);
    std::uint64_t* words = nullptr;
    transact([&] { words = allocate_words(64); });
    std::thread([&] {
      transact([&] {
        read(words[0]);
        read(words[1]);  // of the same stripe: large blocks are aligned to one
        read(words[0]);
        write(words[32], 1);
        write(words[32], 2);
        allocate_words(64);
      });
      transact([] {});
    }).join();
  }
  const auto streams = scale::read_trace(trace, 1);
  std::remove(trace.c_str());
  std::remove(path.c_str());
  ASSERT_EQ(streams[0].transactions.size(), 2U);
  const scale::TransactionShape& shape = streams[0].transactions[0];
  EXPECT_EQ(shape.reads, 3U);
  EXPECT_EQ(shape.writes, 2U);
  EXPECT_EQ(shape.read_set, 1U) << "all of one stripe, before the first write";
  EXPECT_GE(shape.captured_lines, 8U);
  EXPECT_LE(shape.captured_lines, 9U);
  std::size_t writes = 0;
  for (const scale::Access& access : streams[0].accesses) {
    if (access.is_write == 0) continue;
    ++writes;
    EXPECT_EQ(access.stripe - streams[0].accesses[0].stripe, 8U) << "256 bytes behind what was read";
    EXPECT_EQ(std::popcount(access.words), 1);
  }
  EXPECT_EQ(writes, 1U) << "an entry for the first write of the stripe";
  EXPECT_EQ(streams[0].transactions[1].accesses, 0U);
}

}  // namespace
}  // namespace perdure
