// Transactions over several pools: what they leave, also when a crash comes between the steps of the commit. Which
// crash leaves what is for the simulator to find (tests/simulator/crossings.cc); here it is what opening does with it.
#include <csignal>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "log/decisions.h"
#include "log/redo_log.h"
#include "log/two_phase_commit.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "persist/domain.h"
#include "pool/header.h"
#include "pool_test.h"

namespace perdure {
namespace {

using Kind = PoolError::Kind;
struct alignas(64) Account {
  std::uint64_t balance = 100;
};

Account& account_of(Pool& pool) { return pool.root<Account>("account"); }

std::uint64_t balance_of(const Account& account) {
  return execute([&] { return account.balance; });
}

void move(Account& from, Account& to, std::uint64_t amount) {
  TM_BEGIN {
    from.balance -= amount;
    to.balance += amount;
  } TM_END;
}

alloc::Heap& heap_of(const void* address) { return *alloc::heap_of(address); }

class SeveralPoolsTest : public testing::PoolTest {
 protected:
  std::filesystem::path first() const { return in_directory("first.pool"); }
  std::filesystem::path second() const { return in_directory("second.pool"); }

  void make() const { make(first(), second()); }
  static void make(const std::filesystem::path& one, const std::filesystem::path& other) {
    // Together, so that they get different addresses.
    Pool a = Pool::open(one);
    Pool b = Pool::open(other);
    account_of(a);
    account_of(b);
  }

  /// What a process leaves that is killed in the commit of a transaction that moves 10 from the first pool to the
  /// second: when the logs are prepared, or when it is decided, too.
  void crash_in_commit(bool decided) const { crash_in_commit(decided, first(), second()); }
  static void crash_in_commit(bool decided, const std::filesystem::path& from, const std::filesystem::path& to) {
    const int status = testing::in_child([&] {
      Pool pools[] = {Pool::open(from), Pool::open(to)};
      log::TwoPhaseCommit commit;
      log::RedoLog logs[2];
      for (std::size_t i = 0; i < 2; ++i) {
        Account& account = account_of(pools[i]);
        log::GrowingArray<log::WordEntry> entries;
        entries.push_back(
            {reinterpret_cast<std::uintptr_t>(&account.balance), i == 0 ? 90U : 110U, ~std::uint64_t{0}, 0});
        if (commit.join(heap_of(&account)) != log::LogResult::written) return;
        if (logs[i].write<true>(entries) != log::LogResult::written) return;
        commit.prepare(i, logs[i].complete());
      }
      persistence::fence();
      if (decided) commit.decide();
      raise(SIGKILL);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  static std::uint64_t balance_in(const std::filesystem::path& path, const OpenOptions& options = {}) {
    Pool pool = Pool::open(path, options);
    return balance_of(*pool.find_root<Account>("account"));
  }

  void expect_balances(std::uint64_t in_first, std::uint64_t in_second) const {
    EXPECT_EQ(balance_in(first()), in_first);
    EXPECT_EQ(balance_in(second()), in_second);
  }

  static std::size_t left_over_in(Pool& pool) {
    std::size_t count = 0;
    log::decisions[pool::slot_of(&account_of(pool))].for_each_left_over([&](std::size_t, const auto&) { ++count; });
    return count;
  }

  static pool::Uuid uuid_of(const std::filesystem::path& path) {
    pool::Header header;
    std::memcpy(static_cast<void*>(&header), testing::read_all(path).data(), sizeof header);
    return header.uuid;
  }
  static std::uint64_t features_of(const std::filesystem::path& path) {
    pool::Header header;
    std::memcpy(static_cast<void*>(&header), testing::read_all(path).data(), sizeof header);
    return header.incompatible_features & ~(pool::layouts | pool::retired_together);  // which depend on other things
  }
};

/// The features of every pool.
constexpr std::uint64_t always = pool::checked_watermark | pool::checked_free;

TEST_F(SeveralPoolsTest, ACommitIsInAllPools) {
  make();
  EXPECT_EQ(features_of(first()), always);
  {
    Pool a = Pool::open(first());
    Pool b = Pool::open(second());
    for (int i = 0; i < 5; ++i) move(account_of(a), account_of(b), 10);
    for (int i = 0; i < 3; ++i) move(account_of(b), account_of(a), 7);
    EXPECT_EQ(balance_of(account_of(a)), 71U);
    EXPECT_EQ(balance_of(account_of(b)), 129U);
  }
  EXPECT_EQ(features_of(first()), always | pool::transactions_over_pools);
  EXPECT_EQ(features_of(second()), always | pool::transactions_over_pools);
  expect_balances(71, 129);
}

/// Records of the one may still be replayed over what was freed there when the other is closed.
TEST_F(SeveralPoolsTest, ClosingOneFreesNothingInTheOther) {
  struct Owner {
    Account* owned = nullptr;
  };
  Pool a = Pool::open(first());
  Pool b = Pool::open(second());
  Owner& owner = b.root<Owner>("owner");
  const PoolScope scope(b);
  TM_BEGIN { owner.owned = new Account; } TM_END;
  TM_BEGIN { owner.owned->balance = 1; } TM_END;
  const Account* const freed = owner.owned;
  TM_BEGIN {
    delete owner.owned;
    owner.owned = nullptr;
  } TM_END;
  a.close();
  TM_BEGIN { owner.owned = new Account; } TM_END;
  EXPECT_NE(owner.owned, freed);
}

TEST_F(SeveralPoolsTest, AScopeSaysWhereTransactionsAllocate) {
  Pool a = Pool::open(first());
  Pool b = Pool::open(second());
  struct Owner {
    Account* owned;
  };
  const auto pool_of_new = [](Owner& owner) {
    TM_BEGIN { owner.owned = new Account; } TM_END;
    return pool::slot_of(owner.owned);
  };
  Owner& in_a = a.root<Owner>("owner");
  Owner& in_b = b.root<Owner>("owner");
  EXPECT_EQ(pool_of_new(in_a), pool::slot_of(&in_a)) << "the pool that was opened first";
  {
    const PoolScope scope(b);
    EXPECT_EQ(pool_of_new(in_b), pool::slot_of(&in_b));
    {
      const PoolScope inner(a);
      EXPECT_EQ(pool_of_new(in_a), pool::slot_of(&in_a));
    }
    EXPECT_EQ(pool_of_new(in_b), pool::slot_of(&in_b));
  }
  EXPECT_EQ(pool_of_new(in_a), pool::slot_of(&in_a));
  b.close();
  EXPECT_THROW(PoolScope{b}, PoolError);
}

TEST_F(SeveralPoolsTest, AnExceptionLeavesAllAsTheyWere) {
  make();
  Pool a = Pool::open(first());
  Pool b = Pool::open(second());
  Account& from = account_of(a);
  Account& to = account_of(b);
  EXPECT_THROW(
      {
        TM_BEGIN {
          from.balance -= 10;
          to.balance += 10;
          throw 7;
        } TM_END;
      },
      int);
  EXPECT_EQ(balance_of(from), 100U);
  EXPECT_EQ(balance_of(to), 100U);
  move(from, to, 1);
  EXPECT_EQ(balance_of(to), 101U);
}

TEST_F(SeveralPoolsTest, AKilledProcessLeavesWhatItCommitted) {
  make();
  const int status = testing::in_child([&] {
    Pool b = Pool::open(second());
    Pool a = Pool::open(first());
    for (int i = 0; i < 5; ++i) move(account_of(a), account_of(b), 10);
    raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  expect_balances(50, 150);
}

TEST_F(SeveralPoolsTest, ThreadsMoveBothWays) {
  make();
  Pool a = Pool::open(first());
  Pool b = Pool::open(second());
  Account& one = account_of(a);
  Account& other = account_of(b);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&one, &other, thread] {
      for (int i = 0; i < 200; ++i) {
        if (thread % 2 == 0)
          move(one, other, 1);
        else
          move(other, one, 1);
        TM_BEGIN { ++(thread % 2 == 0 ? one : other).balance; } TM_END;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(balance_of(one), 500U);
  EXPECT_EQ(balance_of(other), 500U);
  a.close();
  b.close();
  expect_balances(500, 500);
}

TEST_F(SeveralPoolsTest, WhatIsNotDecidedNeverWas) {
  make();
  crash_in_commit(false);
  expect_balances(100, 100);
  crash_in_commit(false);
  EXPECT_EQ(balance_in(second()), 100U);
  EXPECT_EQ(balance_in(first()), 100U);
}

TEST_F(SeveralPoolsTest, WhatIsDecidedIsInAllPools) {
  make();
  crash_in_commit(true);
  expect_balances(90, 110);
}

TEST_F(SeveralPoolsTest, WhatIsDecidedIsInAllPoolsInTheOtherOrder) {
  make();
  crash_in_commit(true);
  EXPECT_EQ(balance_in(second()), 110U);
  EXPECT_EQ(balance_in(first()), 90U);
}

TEST_F(SeveralPoolsTest, WhatIsDecidedIsInAllPoolsThatAreOpenTogether) {
  make();
  crash_in_commit(true);
  Pool a = Pool::open(first());
  EXPECT_EQ(left_over_in(a), 1U) << "the other pool has not asked yet";
  Pool b = Pool::open(second());
  EXPECT_EQ(left_over_in(a), 0U);
  EXPECT_EQ(balance_of(account_of(b)), 110U);
  move(account_of(b), account_of(a), 10);
  EXPECT_EQ(balance_of(account_of(a)), 100U);
}

TEST_F(SeveralPoolsTest, ADecisionIsKeptUntilAllHaveAskedForIt) {
  make();
  crash_in_commit(true);
  const auto elsewhere = in_directory("elsewhere");
  std::filesystem::create_directory(elsewhere);
  std::filesystem::rename(second(), elsewhere / "second.pool");
  for (int i = 0; i < 3; ++i) {
    Pool a = Pool::open(first());
    EXPECT_EQ(left_over_in(a), 1U);
  }
  std::filesystem::rename(elsewhere / "second.pool", second());
  EXPECT_EQ(balance_in(second()), 110U);
  Pool a = Pool::open(first());
  EXPECT_EQ(left_over_in(a), 0U) << "the other pool's file says that it has been opened since";
}

TEST_F(SeveralPoolsTest, ReadingChangesNothing) {
  make();
  crash_in_commit(true);
  const std::string before[] = {testing::read_all(first()), testing::read_all(second())};
  EXPECT_EQ(balance_in(second(), {.read_only = true}), 110U);
  EXPECT_EQ(balance_in(first(), {.read_only = true}), 90U);
  EXPECT_EQ(testing::read_all(first()), before[0]);
  EXPECT_EQ(testing::read_all(second()), before[1]);
  expect_balances(90, 110);
}

TEST_F(SeveralPoolsTest, ACoordinatorIsFoundByAnotherName) {
  make();
  crash_in_commit(true);
  std::filesystem::rename(first(), in_directory("renamed.pool"));
  EXPECT_EQ(balance_in(second()), 110U);
  EXPECT_EQ(balance_in(in_directory("renamed.pool")), 90U);
}

TEST_F(SeveralPoolsTest, PoolsAreMovedTogether) {
  const auto folder = in_directory("before");
  std::filesystem::create_directories(folder / "x");
  std::filesystem::create_directories(folder / "y");
  make(folder / "x" / "first.pool", folder / "y" / "second.pool");
  crash_in_commit(true, folder / "x" / "first.pool", folder / "y" / "second.pool");
  std::filesystem::rename(folder, in_directory("after"));
  EXPECT_EQ(balance_in(in_directory("after") / "y" / "second.pool"), 110U);
}

TEST_F(SeveralPoolsTest, WithoutItsCoordinatorAPoolIsRefused) {
  make();
  crash_in_commit(true);
  const auto elsewhere = in_directory("elsewhere");
  std::filesystem::create_directory(elsewhere);
  std::filesystem::rename(first(), elsewhere / "first.pool");
  const std::string before = testing::read_all(second());
  const auto open_second = [&] { Pool::open(second()); };
  EXPECT_TRUE(testing::refuses(open_second, Kind::pool_missing, second(), first().string()));
  EXPECT_TRUE(
      testing::refuses(open_second, Kind::pool_missing, second(), pool::spell_uuid(uuid_of(elsewhere / "first.pool"))));
  EXPECT_TRUE(testing::refuses([&] { Pool::open(second(), {.read_only = true}); }, Kind::pool_missing, second(),
                               "not to be found"));
  EXPECT_EQ(testing::read_all(second()), before);
  {
    const Pool a = Pool::open(elsewhere / "first.pool");
    EXPECT_EQ(balance_in(second()), 110U) << "it is open in this process";
  }
}

TEST_F(SeveralPoolsTest, AnotherPoolIsNotTakenForTheCoordinator) {
  make();
  crash_in_commit(true);
  std::filesystem::rename(first(), in_directory("kept"));
  std::filesystem::create_directory(in_directory("elsewhere"));
  std::filesystem::rename(in_directory("kept"), in_directory("elsewhere") / "kept");
  Pool::open(first()).close();
  EXPECT_TRUE(testing::refuses([&] { Pool::open(second()); }, Kind::pool_missing, second(), "not to be found"));
}

TEST_F(SeveralPoolsTest, AnOlderCopyOfTheCoordinatorIsRefused) {
  make();
  std::filesystem::copy_file(first(), in_directory("copy"));
  crash_in_commit(true);
  std::filesystem::rename(in_directory("copy"), first());
  EXPECT_TRUE(testing::refuses([&] { Pool::open(second()); }, Kind::pool_missing, second(), "older copy"));
  const Pool a = Pool::open(first());
  EXPECT_TRUE(testing::refuses([&] { Pool::open(second()); }, Kind::pool_missing, second(), "older copy"));
}

TEST_F(SeveralPoolsTest, AFullPoolAbortsTheTransaction) {
  make();
  Pool a = Pool::open(first());
  Pool b = Pool::open(second(), {.size_limit = 2 << 20});
  Account& from = account_of(a);
  Account& to = account_of(b);
  alloc::Heap& heap = heap_of(&to);
  std::vector<void*> segments;
  while (void* const segment = heap.allocate_log_segment()) segments.push_back(segment);
  EXPECT_THROW(move(from, to, 10), std::bad_alloc);
  EXPECT_THROW(move(to, from, 10), std::bad_alloc);
  EXPECT_EQ(balance_of(from), 100U);
  for (void* const segment : segments) heap.release_log_segment(segment);
  move(from, to, 10);
  EXPECT_EQ(balance_of(from), 90U);
  EXPECT_EQ(balance_of(to), 110U);
}

TEST_F(SeveralPoolsTest, WithoutAPlaceForADecisionNothingIsChanged) {
  make();
  {
    Pool a = Pool::open(first());
    Pool b = Pool::open(second());
    move(account_of(a), account_of(b), 10);
  }
  std::string bytes = testing::read_all(first());
  auto& page = log::decision_page(reinterpret_cast<std::byte*>(bytes.data()));
  for (log::Decision& decision : page.decisions) {
    decision.transaction = {1, 1};
    decision.participant_count = 1;
    decision.participants[0] = {{1, 2, 3}, 1};  // a pool that is nowhere
    decision.seal();
  }
  testing::write_all(first(), bytes);
  Pool a = Pool::open(first());
  Pool b = Pool::open(second());
  EXPECT_EQ(left_over_in(a), page.decisions.size());
  try {
    move(account_of(a), account_of(b), 10);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no place"), std::string::npos) << error.what();
  }
  EXPECT_EQ(balance_of(account_of(a)), 90U);
  EXPECT_EQ(balance_of(account_of(b)), 110U);
  move(account_of(b), account_of(a), 10);
  EXPECT_EQ(balance_of(account_of(a)), 100U) << "a decision in the other pool";
}

}  // namespace
}  // namespace perdure
