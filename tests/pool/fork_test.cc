// A forked child and the pools of its parent.
#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "perdure/c.h"
#include "perdure/pool.h"
#include "persist/sanitizers.h"
#include "pool_test.h"

namespace perdure {
namespace {

using Kind = PoolError::Kind;

struct Counter {
  long value = 0;
};

void increment(Counter& counter) {
  TM_BEGIN { ++counter.value; } TM_END;
}

class ForkTest : public testing::PoolTest {
 protected:
  /// Runs `body`, which returns whether all is well, in a forked child that ends like any program.
  template <class Body>
  static void expect_in_child(Body&& body) {
    EXPECT_EQ(testing::in_child([&] { std::exit(body() ? 0 : 1); }), 0);
  }

  /// The parent's pool is as it was.
  void expect_unharmed(Pool& pool, long value) {
    auto& counter = pool.root<Counter>("counter");
    EXPECT_EQ(counter.value, value);
    increment(counter);
    pool.close();
    Pool again = Pool::open(path());
    EXPECT_EQ(again.report().state, OpenReport::State::clean);
    EXPECT_EQ(again.root<Counter>("counter").value, value + 1);
  }
};

TEST_F(ForkTest, TransactionsOfTheChildAreRefused) {
  Pool pool = Pool::open(path());
  auto& counter = pool.root<Counter>("counter");
  increment(counter);
  expect_in_child([&] {
    const auto is_refused = [&](auto&& body) {
      return testing::refuses(body, Kind::in_use, path(), "forked from process " + std::to_string(getppid()));
    };
    bool in_thread = false;
    std::thread([&] { in_thread = is_refused([&] { increment(counter); }); }).join();
    return in_thread && is_refused([&] { increment(counter); }) && is_refused([&] { pool.root<Counter>("new"); });
  });
  expect_unharmed(pool, 1);
}

TEST_F(ForkTest, TransactionsOfTheChildOnOtherMemoryWork) {
  Pool pool = Pool::open(path());
  auto& counter = pool.root<Counter>("counter");
  increment(counter);
  Counter other;
  auto text = std::make_unique<std::string>();
  expect_in_child([&] {
    const auto is_refused = [&](auto&& body) {
      return testing::refuses(body, Kind::in_use, path(), "forked from process " + std::to_string(getppid()));
    };
    for (int i = 0; i < 10; ++i) {
      increment(other);
      TM_BEGIN { *text += "more than fits into the string itself "; } TM_END;
      const bool both = is_refused([&] {
        TM_BEGIN {
          other.value = 100;
          counter.value = 5;  // without a look at it before
        } TM_END;
      });
      const bool reading = is_refused([&] { increment(counter); });
      bool in_thread = false;
      std::thread([&] {
        increment(other);
        in_thread = is_refused([&] { increment(counter); });
      }).join();
      if (!both || !reading || !in_thread || other.value != 2 * i + 2) return false;
    }
    return text->size() == 380;
  });
  expect_unharmed(pool, 1);
}

TEST_F(ForkTest, TheChildOpensNoPool) {
  Pool pool = Pool::open(path());
  pool.root<Counter>("counter");
  expect_in_child([&] {
    const auto other = in_directory("other");
    perdure_pool* for_c = nullptr;
    return testing::refuses([&] { Pool::open(path()); }, Kind::in_use, path(), "forked") &&
           testing::refuses([&] { Pool::open(other); }, Kind::in_use, other, path().string()) &&
           !std::filesystem::exists(other) && perdure_pool_open(path().c_str(), &for_c) == PERDURE_IN_USE;
  });
  expect_unharmed(pool, 0);
}

TEST_F(ForkTest, TheChildClosesNothing) {
  auto pool = std::make_unique<Pool>(Pool::open(path()));
  increment(pool->root<Counter>("counter"));
  expect_in_child([&] {
    pool->close();
    return true;
  });
  expect_in_child([&] {
    pool.reset();
    return true;
  });
  const std::string dirty = testing::read_all(path());
  EXPECT_EQ(testing::in_child([&] {
              const bool is_locked = testing::refuses([&] { Pool::open(path()); }, Kind::in_use, path(), "");
              _exit(is_locked ? 0 : 1);
            }),
            0);
  EXPECT_EQ(testing::read_all(path()), dirty);
  expect_unharmed(*pool, 1);
}

TEST_F(ForkTest, AnAccessOfTheChildIsExplained) {
  Pool pool = Pool::open(path());
  auto& counter = pool.root<Counter>("counter");
  const auto said = in_directory("said");
  const int status = testing::in_child([&] {
    if (std::freopen(said.c_str(), "w", stderr) == nullptr) _exit(1);
    counter.value = 5;
  });
#ifndef PERDURE_ADDRESS_SANITIZER
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  EXPECT_NE(testing::read_all(said).find("forked child"), std::string::npos);
  EXPECT_NE(testing::read_all(said).find(path().string()), std::string::npos);
#else
  EXPECT_NE(status, 0);
#endif
  expect_unharmed(pool, 0);
}

TEST_F(ForkTest, WhatTheChildInheritsOfAPoolIsDestroyedInSilence) {
  Pool pool = Pool::open(path());
  pool.root<Counter>("counter");
  auto in_pool = std::make_unique<std::string>(execute([] { return std::string(1000, 'x'); }));
  std::thread([&] { expect_in_child([&] { return in_pool.reset(), true; }); }).join();
  in_pool.reset();
  expect_unharmed(pool, 0);
}

TEST_F(ForkTest, TheChildDoesNotKeepTheLockOfAParentThatDied) {
  const testing::Pipe to_child;
  const testing::Pipe from_child;
  const int status = testing::in_child([&] {
    Pool pool = Pool::open(path());
    pool.root<Counter>("counter");
    if (fork() == 0) {
      from_child.signal();
      to_child.wait();
      _exit(0);
    }
    from_child.wait();
    raise(SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(Pool::open(path()).report().state, OpenReport::State::recovered);
  to_child.signal();
}

TEST_F(ForkTest, ForkingBeforeOrAfterIsFine) {
  {
    Pool pool = Pool::open(path());
    increment(pool.root<Counter>("counter"));
  }
  expect_in_child([&] {
    Pool pool = Pool::open(path());
    auto& counter = pool.root<Counter>("counter");
    increment(counter);
    return counter.value == 2;
  });
  EXPECT_EQ(Pool::open(path()).report().state, OpenReport::State::clean);
}

/// The child finds no half-open pool: neither its locks, which nobody would give up, nor its file, which would stay in
/// use as long as the child lives.
TEST_F(ForkTest, WhileAnotherThreadOpensAndClosesPools) {
  constexpr int children = 60;
  std::atomic<bool> is_over{false};
  std::string failure;
  int opened = 0;
  std::thread other([&] {
    try {
      while (!is_over) {
        Pool pool = Pool::open(path());
        increment(pool.root<Counter>("counter"));
        ++opened;
      }
    } catch (const std::exception& error) {
      failure = error.what();
    }
  });
  std::vector<pid_t> running;
  int wrong = 0;
  for (int i = 0; i < children; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // rather than hang
      Counter own;
      increment(own);
      std::thread([&] { increment(own); }).join();
      auto text = execute([] { return std::string(100, 'x'); });
      usleep(20'000);
      _exit(own.value == 2 && text.size() == 100 ? 0 : 1);
    }
    running.push_back(child);
    usleep(static_cast<useconds_t>(i % 7) * 500);
  }
  for (const pid_t child : running) {
    int status = 0;
    waitpid(child, &status, 0);
    wrong += status != 0;
  }
  is_over = true;
  other.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(failure, "");
  EXPECT_EQ(Pool::open(path()).root<Counter>("counter").value, opened);
}

}  // namespace
}  // namespace perdure
