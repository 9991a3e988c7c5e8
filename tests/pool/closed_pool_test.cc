// What a transaction that writes to a closed pool comes to, in an ordinary program.
#include <fcntl.h>

#include <thread>

#include "perdure/pool.h"
#include "pool_test.h"

namespace perdure {
namespace {

using ClosedPoolTest = testing::PoolTest;

struct Counter {
  long value = 0;
};

/// In a process of its own. \returns what it said before it was ended by a report.
template <class Body>
std::string last_words(const std::filesystem::path& said, Body&& body) {
  const int status = testing::in_child([&] {
    dup2(open(said.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
    body();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  return testing::read_all(said);
}

/// Of the first transaction of a thread, and of one that has written before.
TEST_F(ClosedPoolTest, AWriteSaysSo) {
  for (const bool has_written : {false, true}) {
    const std::string said = last_words(in_directory("said"), [&] {
      Pool pool = Pool::open(path());
      auto& counter = pool.root<Counter>("counter");
      if (has_written) TM_BEGIN { counter.value = 1; } TM_END;
      pool.close();
      TM_BEGIN { counter.value = 2; } TM_END;
    });
    EXPECT_NE(said.find("perdure: a transaction uses memory of pool '" + path().string() + "', which is not open"),
              said.npos)
        << said;
  }
}

TEST_F(ClosedPoolTest, AThreadsFirstWriteSaysSo) {
  const std::string said = last_words(in_directory("said"), [&] {
    Pool pool = Pool::open(path());
    auto& counter = pool.root<Counter>("counter");
    pool.close();
    std::thread([&] { TM_BEGIN { counter.value = 2; } TM_END; }).join();
  });
  EXPECT_NE(said.find(path().string() + "', which is not open"), said.npos) << said;
}

}  // namespace
}  // namespace perdure
