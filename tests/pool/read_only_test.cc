// Pools that are open for reading.
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

#include "alloc/heap.h"
#include "perdure/c.h"
#include "perdure/pool.h"
#include "pool_test.h"

namespace perdure {
namespace {

using Kind = PoolError::Kind;
using State = OpenReport::State;

struct Text {
  std::string text = "made";
  long changes = 0;
};

constexpr OpenOptions for_reading{.read_only = true};

PERDURE_PURE void crash() { raise(SIGKILL); }

class ReadOnlyTest : public testing::PoolTest {
 protected:
  void make_clean() const {
    Pool pool = Pool::open(path());
    Text& text = pool.root<Text>("text");
    TM_BEGIN {
      text.text = std::string(100, 'x');
      ++text.changes;
    } TM_END;
  }

  /// What a process leaves that is killed in a transaction.
  void make_crashed() const {
    make_clean();
    const int status = testing::in_child([&] {
      Pool pool = Pool::open(path());
      Text& text = pool.root<Text>("text");
      TM_BEGIN { ++text.changes; } TM_END;
      TM_BEGIN {
        text.text = std::string(100, 'y');
        text.changes = 100;
        crash();
      } TM_END;
    });
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  void expect_text(Pool& pool, long changes) const {
    Text& text = pool.root<Text>("text");
    EXPECT_EQ(execute([&] { return text.changes; }), changes);
    EXPECT_EQ(text.text, std::string(100, 'x'));
  }

  /// Runs `body` while another process has the pool open.
  template <class Body>
  void while_open_elsewhere(const OpenOptions& options, Body&& body) const {
    const testing::Pipe is_open;
    const testing::Pipe may_end;
    const pid_t other = fork();
    if (other == 0) {
      const Pool pool = Pool::open(path(), options);
      is_open.signal();
      may_end.wait();
      _exit(0);
    }
    is_open.wait();
    body();
    may_end.signal();
    waitpid(other, nullptr, 0);
  }

  /// Runs `body`; the file is the same afterwards, and was not written.
  template <class Body>
  void expect_unchanged(Body&& body) const {
    const std::string before = testing::read_all(path());
    const auto time = std::filesystem::last_write_time(path());
    body();
    EXPECT_EQ(testing::read_all(path()), before);
    EXPECT_EQ(std::filesystem::last_write_time(path()), time);
  }
};

TEST_F(ReadOnlyTest, CleanPoolIsReadAsItIs) {
  make_clean();
  expect_unchanged([&] {
    Pool pool = Pool::open(path(), for_reading);
    EXPECT_EQ(pool.report().state, State::clean);
    expect_text(pool, 1);
    EXPECT_EQ(pool.list_roots().size(), 1u);
  });
  EXPECT_EQ(Pool::open(path()).report().state, State::clean);
}

TEST_F(ReadOnlyTest, CrashedPoolIsRecoveredInMemoryOnly) {
  make_crashed();
  expect_unchanged([&] {
    for (int i = 0; i < 2; ++i) {
      Pool pool = Pool::open(path(), for_reading);
      EXPECT_EQ(pool.report().state, State::recovered);
      expect_text(pool, 2);
    }
  });
  Pool pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, State::recovered);
  expect_text(pool, 2);
}

TEST_F(ReadOnlyTest, TransactionsThatWriteAreRefused) {
  make_clean();
  expect_unchanged([&] {
    Pool pool = Pool::open(path(), for_reading);
    Text& text = pool.root<Text>("text");
    for (int i = 0; i < 3; ++i) {
      try {
        TM_BEGIN { ++text.changes; } TM_END;
        ADD_FAILURE() << "the transaction committed";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("open for reading"), std::string::npos);
      }
    }
    EXPECT_THROW(pool.rename_root("text", "other"), Error);
    EXPECT_THROW(pool.remove_root<Text>("text"), Error);
    expect_text(pool, 1);
  });
}

TEST_F(ReadOnlyTest, WhatTransactionsAllocateIsElsewhere) {
  make_clean();
  Pool pool = Pool::open(path(), for_reading);
  const Text& text = pool.root<Text>("text");
  const std::string copy = execute([&] { return text.text + text.text; });
  EXPECT_EQ(copy, std::string(200, 'x'));
  EXPECT_FALSE(pool::in_window(copy.data()));
  Pool other = Pool::open(in_directory("other"));
  Text& changed = other.root<Text>("text");
  TM_BEGIN { changed.text = text.text; } TM_END;
  EXPECT_EQ(alloc::heap_of(changed.text.data()), alloc::heap_of(&changed)) << "one that is written is the current one";
}

TEST_F(ReadOnlyTest, WhatTransactionsFreeStays) {
  make_clean();
  expect_unchanged([&] {
    Pool pool = Pool::open(path(), for_reading);
    Text* const text = pool.find_root<Text>("text");
    TM_BEGIN { ::operator delete(text); } TM_END;
    EXPECT_TRUE(alloc::heap_of(text)->is_block(text));
    expect_text(pool, 1);
  });
}

TEST_F(ReadOnlyTest, RootsAreFoundNotMade) {
  make_clean();
  Pool pool = Pool::open(path(), for_reading);
  EXPECT_TRUE(testing::refuses([&] { pool.root<Text>("other"); }, Kind::no_such_root, path(), "'other'"));
  EXPECT_TRUE(testing::refuses([&] { pool.root<long>("text"); }, Kind::root_type_mismatch, path(), "'text'"));
  EXPECT_EQ(pool.find_root<Text>("other"), nullptr);
}

TEST_F(ReadOnlyTest, StoresOutsideOfTransactionsFault) {
  make_clean();
  const int status = testing::in_child([&] {
    Pool pool = Pool::open(path(), for_reading);
    std::signal(SIGSEGV, [](int) { _exit(7); });
    pool.root<Text>("text").changes = 5;
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(ReadOnlyTest, ReadersShareAndExcludeWriters) {
  make_clean();
  while_open_elsewhere(for_reading, [&] {
    EXPECT_TRUE(testing::refuses([&] { Pool::open(path()); }, Kind::in_use, path(), "another process"));
    Pool pool = Pool::open(path(), for_reading);
    expect_text(pool, 1);
    EXPECT_TRUE(testing::refuses([&] { Pool::open(path(), for_reading); }, Kind::in_use, path(), "this process"));
  });
  while_open_elsewhere({}, [&] {
    EXPECT_TRUE(testing::refuses([&] { Pool::open(path(), for_reading); }, Kind::in_use, path(), "another process"));
  });
}

TEST_F(ReadOnlyTest, NothingIsCreated) {
  EXPECT_TRUE(
      testing::refuses([&] { Pool::open(path(), for_reading); }, Kind::system, path(), "does not exist, and opening"));
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(ReadOnlyTest, FileThatMayNotBeWrittenCanBeRead) {
  make_clean();
  using std::filesystem::perms;
  constexpr perms readable = perms::owner_read | perms::group_read | perms::others_read;
  std::filesystem::permissions(path(), readable);
  std::filesystem::permissions(directory_, readable | perms::owner_exec | perms::group_exec | perms::others_exec);
  const int status = testing::in_child([&] {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && setuid(nobody) != 0) _exit(2);
    const bool is_refused = testing::refuses([&] { Pool::open(path()); }, Kind::no_permission, path(), "permission");
    Pool pool = Pool::open(path(), for_reading);
    _exit(is_refused && pool.root<Text>("text").changes == 1 ? 0 : 1);
  });
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "cannot become another user";
  EXPECT_EQ(status, 0);
}

TEST_F(ReadOnlyTest, IsAnOptionOfTheInterfaceForCToo) {
  make_clean();
  perdure_open_options options{};
  options.read_only = 1;
  perdure_pool* pool = nullptr;
  expect_unchanged([&] {
    ASSERT_EQ(perdure_pool_open_with(path().c_str(), &options, &pool), PERDURE_OK) << perdure_last_error();
    void* root = nullptr;
    EXPECT_EQ(perdure_pool_root(pool, "new", "long", 8, 8, &root), PERDURE_NO_SUCH_ROOT);
    EXPECT_EQ(perdure_pool_close(pool), PERDURE_OK);
  });
}

}  // namespace
}  // namespace perdure
