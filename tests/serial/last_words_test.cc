// Transactions that end the program: what they print is printed once, what they changed is not there, and handlers run
// transactions of their own. Each program is a child, which no pool was open before.
#include <err.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>

#include "perdure/nested.h"
#include "perdure/perdure.h"

namespace {

bool is_child = false;

}  // namespace

// What the thread that forked had of pools is left where it is (tx/threads.h).
extern "C" int __lsan_is_turned_off() { return is_child ? 1 : 0; }

namespace perdure {
namespace {

struct Values {
  long value = 0;
  long seen_at_exit = 0;
};

Values* values = nullptr;

void say(const char* what) { std::fprintf(stderr, "%s %ld\n", what, values->value); }

[[noreturn]] void fail(const char* what) {
  say(what);
  std::cerr << "which is " << what << '\n';
  std::abort();
}

void change_and_exit(int status) {
  values->value += 10;
  if (values->value != 11) fail("before");
  std::exit(status);
}

[[noreturn, gnu::format(printf, 2, 3)]] void give_up(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  verrx(status, format, arguments);
}

class LastWords : public ::testing::Test {
 protected:
  ~LastWords() override {
    std::filesystem::remove(pool_);
    std::filesystem::remove(said_);
  }

  /// \returns how a program ends that opens the pool and makes the value 1, durably, before it does the work.
  template <class Work>
  int status_of(Work&& work) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      is_child = true;
      std::freopen(said_.c_str(), "w", stderr);
      Pool pool = Pool::open(pool_, {.accept_volatile = true});
      values = &pool.root<Values>("values");
      TM_BEGIN { values->value = 1; } TM_END;
      std::atexit([] { TM_BEGIN { values->seen_at_exit = values->value + 1; } TM_END; });
      work();
      _exit(99);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }

  std::string said() const {
    std::ifstream file(said_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// \returns what a program finds that comes next.
  Values left() const {
    Pool pool = Pool::open(pool_);
    return pool.root<Values>("values");
  }

  static std::string path(const char* name) {
    return (std::filesystem::temp_directory_path() / ("perdure_last_words_" + std::to_string(getpid()) + name))
        .string();
  }

  const std::string pool_ = path(".pool");
  const std::string said_ = path(".said");
};

void expect_exit(int status, int expected) {
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), expected);
}

TEST_F(LastWords, ExitRollsBackAndRunsHandlers) {
  expect_exit(status_of([] { TM_BEGIN { change_and_exit(7); } TM_END; }), 7);
  EXPECT_EQ(said(), "");
  if (!library_is_durable()) return;
  EXPECT_EQ(left().value, 1);
  EXPECT_EQ(left().seen_at_exit, 2);
}

TEST_F(LastWords, MessagesOfErrArePrintedOnceAndSeeWhatTheTransactionWrote) {
  const auto fail_with = [](bool names_error) {
    TM_BEGIN {
      values->value += 10;
      errno = ENOENT;
      if (values->value == 11 && names_error) err(5, "value %ld", values->value);
      if (values->value == 11) errx(6, "value %ld", values->value);
    } TM_END;
  };
  const std::string name = program_invocation_short_name;
  expect_exit(status_of([&] { fail_with(true); }), 5);
  EXPECT_EQ(said(), name + ": value 11: No such file or directory\n");
  expect_exit(status_of([&] { fail_with(false); }), 6);
  EXPECT_EQ(said(), name + ": value 11\n");
  if (!library_is_durable()) return;
  EXPECT_EQ(left().value, 1);
  EXPECT_EQ(left().seen_at_exit, 2);
}

TEST_F(LastWords, ListsOfArgumentsForErr) {
  expect_exit(status_of([] { TM_BEGIN { give_up(9, "value %ld of %s", ++values->value, "two"); } TM_END; }), 9);
  EXPECT_EQ(said(), std::string(program_invocation_short_name) + ": value 2 of two\n");
}

TEST_F(LastWords, ExitInASerialTransactionAndInAPart) {
  expect_exit(status_of([] {
                TM_SERIAL { change_and_exit(8); }
                TM_END;
              }),
              8);
  const auto in_part = [] {
    TM_BEGIN {
      values->value += 5;
      try_nested([] {
        values->value -= 5;
        change_and_exit(9);
      });
    } TM_END;
  };
  expect_exit(status_of(in_part), 9);
  if (!library_is_durable()) return;
  EXPECT_EQ(left().value, 1);
  EXPECT_EQ(left().seen_at_exit, 2);
}

TEST_F(LastWords, ArePrintedOnce) {
  const int status = status_of([] {
    TM_BEGIN {
      ++values->value;
      if (values->value == 2) fail("failed");
    } TM_END;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
  EXPECT_EQ(said(), "failed 2\nwhich is failed\n") << "what the transaction has written";
  if (!library_is_durable()) return;
  EXPECT_EQ(left().value, 1);
}

TEST_F(LastWords, BesideOtherThreads) {
  const auto work = [] {
    std::thread others[2];
    for (std::thread& other : others)
      other = std::thread([] {
        for (;;) TM_BEGIN { ++values->value; } TM_END;
      });
    for (;;)
      TM_BEGIN {
        if (values->value > 1000) fail("enough");
      } TM_END;
  };
  const int status = status_of(work);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(said().find("enough", 1), said().rfind("enough")) << said();  // two lines have it
  EXPECT_NE(said().find("which is enough"), std::string::npos) << said();
  if (!library_is_durable()) return;
  EXPECT_GT(left().value, 1000);
}

}  // namespace
}  // namespace perdure
