// Traces: what is read is what was written, and nothing else is taken for one.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "scale/trace.h"

namespace perdure::scale {
namespace {

class Trace : public testing::Test {
 protected:
  Trace()
      : path_(testing::TempDir() + "perdure_trace_" + std::to_string(testing::UnitTest::GetInstance()->random_seed()) +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~Trace() override { std::remove(path_.c_str()); }

  /// One transaction that reads stripe `number`.
  void append(std::uint32_t number, std::uint64_t magic = StreamHeader::right_magic) const {
    const StreamHeader header{magic, 1, 1};
    const TransactionShape shape{1, 1, 0, 1, 0, 5};
    const Access access{number, 0, 1, 0};
    std::ofstream file(path_, std::ios::binary | std::ios::app);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(reinterpret_cast<const char*>(&shape), sizeof shape);
    file.write(reinterpret_cast<const char*>(&access), sizeof access);
  }

  const std::string path_;
};

TEST_F(Trace, TheLastStreamsCount) {
  for (std::uint32_t number = 0; number < 3; ++number) append(number);
  const auto streams = read_trace(path_, 2);
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_EQ(streams[0].accesses[0].stripe, 1U);
  EXPECT_EQ(streams[1].accesses[0].stripe, 2U);
  EXPECT_EQ(streams[1].transactions[0].outside, 5.0F);
}

TEST_F(Trace, WhatIsMissingOrBrokenIsRefused) {
  EXPECT_THROW(read_trace(path_, 1), std::runtime_error) << "no file";
  append(0);
  EXPECT_THROW(read_trace(path_, 2), std::runtime_error) << "fewer streams";
  append(1, 42);
  EXPECT_THROW(read_trace(path_, 1), std::runtime_error) << "another magic";
}

TEST_F(Trace, WhatIsCutOffIsRefused) {
  append(0);
  std::ifstream in(path_, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  bytes.pop_back();
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  EXPECT_THROW(read_trace(path_, 1), std::runtime_error);
}

}  // namespace
}  // namespace perdure::scale
