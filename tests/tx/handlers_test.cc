// What a transaction has done when it has ended.
#include "perdure/handlers.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../pool/pool_test.h"
#include "perdure/c.h"
#include "perdure/pool.h"
#include "perdure/transaction.h"
#include "tx/abort.h"

namespace perdure {
namespace {

/// So many attempts are made. They are counted outside of what is rolled back.
[[perdure::pure]] void abort_until(std::atomic<int>& attempts, int last) {
  if (++attempts < last) tx::abort(tx::CommitResult::validation);
}

const std::string long_text = "a text that is too long to lie in the string itself";

struct Note {
  std::string text;
};
std::vector<std::string> notes;
void write_down(const std::string& text) {
  std::fputs("", stderr);  // nothing that transactions could do
  notes.push_back(text);
}

class HandlersTest : public testing::PoolTest {
 protected:
  HandlersTest() { notes.clear(); }
  using Notes = std::vector<std::string>;

  Pool pool_ = Pool::open(path());
};

/// Registered by functions that the transaction calls.
[[gnu::noinline]] void note_on_commit(const std::string& text) {
  on_commit([text] { write_down(text); });
}
[[gnu::noinline]] void note_on_abort(const std::string& text) {
  on_abort([text] { write_down(text); });
}

TEST_F(HandlersTest, RunInOrderAfterTheCommit) {
  long value = 0;
  TM_BEGIN {
    note_on_commit("first");
    note_on_abort("never");
    TM_BEGIN { on_commit([&value] { write_down("second, with " + std::to_string(value)); }); } TM_END;
    value = 5;
  } TM_END;
  EXPECT_EQ(notes, (Notes{"first", "second, with 5"}));
  TM_BEGIN { value = 6; } TM_END;
  EXPECT_EQ(notes.size(), 2U);
}

TEST_F(HandlersTest, HoldWhatWasThereWhenTheyWereRegistered) {
  auto& in_pool = pool_.root<Note>("note");
  long number = 1;
  TM_BEGIN {
    in_pool.text = long_text;
    number = 2;
    on_commit([text = in_pool.text, numbers = std::array{number, number + 1}] {
      write_down(text + std::to_string(numbers[0]) + std::to_string(numbers[1]));
    });
    in_pool.text = "something else";
    number = 3;
  } TM_END;
  EXPECT_EQ(notes, Notes{long_text + "23"});
}

TEST_F(HandlersTest, ForgottenWithAnAttemptThatIsRolledBack) {
  std::atomic<int> attempts = 0;
  int seen = 0;
  TM_BEGIN {
    note_on_commit(long_text);
    note_on_abort(long_text);
    on_commit([values = std::vector<std::string>(20, long_text)] { write_down(values.back()); });
    seen = seen + 1;
    abort_until(attempts, 4);
  } TM_END;
  EXPECT_EQ(attempts, 4);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(notes, (Notes{long_text, long_text}));
}

TEST_F(HandlersTest, RunAfterAnExceptionThatLeaves) {
  auto& in_pool = pool_.root<Note>("note");
  const auto fail = [&] {
    TM_BEGIN {
      in_pool.text = "unfinished";
      note_on_commit("never");
      note_on_abort("first");
      on_abort([values = std::vector<std::string>(20, in_pool.text), &in_pool] {
        write_down(values.back() + "/" + in_pool.text);
        TM_BEGIN { in_pool.text = long_text; } TM_END;
        throw std::logic_error("of the handler");
      });
      note_on_abort("last");
      throw std::runtime_error("of the transaction");
    } TM_END;
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_EQ(notes, (Notes{"first", "unfinished/", "last"}));
  EXPECT_EQ(in_pool.text, long_text);
}

TEST_F(HandlersTest, AnExceptionThatStaysInTheTransactionIsNone) {
  TM_BEGIN {
    try {
      note_on_abort("never");
      note_on_commit("committed");
      throw std::runtime_error("caught");
    } catch (const std::runtime_error&) {
    }
  } TM_END;
  EXPECT_EQ(notes, Notes{"committed"});
}

TEST_F(HandlersTest, WhatOneThrowsComesAfterTheOthers) {
  long value = 0;
  const auto run = [&] {
    TM_BEGIN {
      value = 7;
      on_commit([] { throw std::runtime_error("the first"); });
      note_on_commit("the second");
      on_commit([] { throw std::logic_error("the third"); });
    } TM_END;
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(notes, Notes{"the second"});
  EXPECT_EQ(value, 7);
}

TEST_F(HandlersTest, RunTransactionsOfTheirOwn) {
  auto& in_pool = pool_.root<Note>("note");
  TM_BEGIN {
    on_commit([&in_pool] {
      TM_BEGIN {
        in_pool.text = long_text;
        note_on_commit("inner");
      } TM_END;
      write_down("outer");
    });
  } TM_END;
  EXPECT_EQ(notes, (Notes{"inner", "outer"}));
  EXPECT_EQ(in_pool.text, long_text);
}

TEST_F(HandlersTest, OutsideOfTransactionsAtOnce) {
  note_on_commit("now");
  note_on_abort("never");
  EXPECT_EQ(notes, Notes{"now"});
}

/// Counts its copies, in a place that transactions roll back.
struct Counting {
  explicit Counting(long& counted) : count(&counted) { ++counted; }
  Counting(const Counting& other) : count(other.count) { ++*count; }
  Counting& operator=(const Counting&) = delete;
  ~Counting() { --*count; }
  void operator()() const {}
  long* count;
};

TEST_F(HandlersTest, CopiesAreCounted) {
  long count = 0;
  std::atomic<int> attempts = 0;
  TM_BEGIN {
    on_commit(Counting(count));
    on_abort(Counting(count));
    abort_until(attempts, 3);
  } TM_END;
  EXPECT_EQ(count, 0);
  const auto fail = [&] {
    TM_BEGIN {
      on_commit(Counting(count));
      on_abort(Counting(count));
      throw 1;
    } TM_END;
  };
  EXPECT_THROW(fail(), int);
  EXPECT_EQ(count, 0);
}

struct CannotBeCopied {
  CannotBeCopied() = default;
  CannotBeCopied(const CannotBeCopied& other) : text(other.text) { throw std::runtime_error("no copies"); }
  void operator()() const {}
  std::string text = long_text;
};

TEST_F(HandlersTest, ACopyThatFailsLeavesTheRest) {
  TM_BEGIN {
    const CannotBeCopied handler;
    try {
      on_commit(handler);
    } catch (const std::runtime_error&) {
      note_on_commit("failed");
    }
    note_on_commit(long_text);
  } TM_END;
  EXPECT_EQ(notes, (Notes{"failed", long_text}));
}

TEST_F(HandlersTest, OfManyThreads) {
  long value = 0;
  std::atomic<long> runs = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 500; ++j)
        TM_BEGIN {
          ++value;
          on_commit([&runs, text = long_text] { runs += text.size() == long_text.size() ? 1 : 0; });
        } TM_END;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(value, 2000);
  EXPECT_EQ(runs, 2000);
}

void add_one(void* number) { ++*static_cast<int*>(number); }

struct Numbers {
  int result = 0;
  int committed = 0;
  int aborted = 0;
};

int body_for_c(void* argument) {
  auto& numbers = *static_cast<Numbers*>(argument);
  perdure_on_commit(add_one, &numbers.committed);
  perdure_on_abort(add_one, &numbers.aborted);
  return numbers.result;
}

TEST_F(HandlersTest, ForC) {
  Numbers numbers;
  EXPECT_EQ(perdure_transaction(body_for_c, &numbers), 0);
  EXPECT_EQ(numbers.committed, 1);
  EXPECT_EQ(numbers.aborted, 0);
  numbers.result = 3;
  EXPECT_EQ(perdure_transaction(body_for_c, &numbers), 3);
  EXPECT_EQ(numbers.committed, 1);
  EXPECT_EQ(numbers.aborted, 1);
}

}  // namespace
}  // namespace perdure
