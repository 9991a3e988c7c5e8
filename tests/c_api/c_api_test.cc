// perdure/c.h: transactions that C code runs, pools, errors.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "accounts.h"
#include "perdure/perdure.h"
#include "persist/instance.h"

namespace {

class CApi : public ::testing::Test {
 protected:
  void SetUp() override { open(); }
  void TearDown() override {
    close();
    std::filesystem::remove_all(folder);
  }

  void open() {
    ASSERT_EQ(perdure_pool_open(path.c_str(), &pool), PERDURE_OK) << perdure_last_error();
    ASSERT_EQ(find_root(pool, &accounts), PERDURE_OK) << perdure_last_error();
  }
  void close() {
    EXPECT_EQ(perdure_pool_close(pool), PERDURE_OK);
    pool = nullptr;
  }

  Transfer from_to(int from, int to, long amount) { return {accounts, from, to, amount, "rent"}; }

  std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / ("c_api_" + std::to_string(::getpid()));
  std::filesystem::path path = (std::filesystem::create_directories(folder), folder / "test.pool");
  perdure_pool* pool = nullptr;
  Accounts* accounts = nullptr;
};

int count_and_refuse(void* to) {
  ++static_cast<Accounts*>(to)->transfers;
  return 3;
}
int throw_error(void* to) {
  static_cast<Accounts*>(to)->transfers = 50;
  throw std::runtime_error("thrown by the body");
}
int throw_number(void*) { throw 3; }
int throw_bad_alloc(void*) { throw std::bad_alloc(); }

bool is_durable() { return perdure::instance.durable; }

TEST_F(CApi, CommitsAndIsThereAgain) {
  EXPECT_EQ(accounts->transfers, 0);
  accounts->balance[0] = 0;
  const Transfer rent = from_to(1, 0, 0);
  EXPECT_EQ(transfer_money(&rent), PERDURE_OK);
  EXPECT_EQ(accounts->transfers, 1);
  EXPECT_STREQ(accounts->notes->text, "rent");
  if (!is_durable()) return;
  close();
  open();
  EXPECT_EQ(accounts->transfers, 1);
  EXPECT_STREQ(accounts->notes->text, "rent");
  EXPECT_EQ(forget_notes(accounts), PERDURE_OK);
  EXPECT_EQ(accounts->notes, nullptr);
}

TEST_F(CApi, RollsBackWhatTheBodyRefuses) {
  const Transfer rent = from_to(1, 0, 5);
  EXPECT_EQ(transfer_money(&rent), too_little_money);
  EXPECT_EQ(accounts->transfers, 0);
  EXPECT_EQ(accounts->balance[0], 0);
  EXPECT_EQ(accounts->notes, nullptr);
}

TEST_F(CApi, InnerTransactionsArePartOfTheOuterOne) {
  const Transfer both[] = {from_to(1, 0, 0), from_to(1, 0, 5)};
  EXPECT_EQ(transfer_both(both), too_little_money);
  EXPECT_EQ(accounts->transfers, 0);
  const Transfer nothing[] = {from_to(1, 0, 0), from_to(0, 1, 0)};
  EXPECT_EQ(transfer_both(nothing), PERDURE_OK);
  EXPECT_EQ(accounts->transfers, 2);
  int result = 0;
  TM_BEGIN { result = perdure_transaction(count_and_refuse, accounts); } TM_END;
  EXPECT_EQ(result, 3);
  EXPECT_EQ(accounts->transfers, 3);
}

PERDURE_PURE int run_plainly(const Transfer* transfer) { return transfer_money(transfer); }

TEST_F(CApi, RunsInnerTransactionsOfPlainCode) {
  const Transfer refused = from_to(1, 0, 5);
  int result = 0;
  TM_BEGIN { result = run_plainly(&refused); } TM_END;
  EXPECT_EQ(result, too_little_money);
  EXPECT_EQ(accounts->transfers, 1);
}

TEST_F(CApi, RunsSerialTransactions) {
  for (const auto number_it : {number_note, number_note_in_the_middle}) {
    EXPECT_EQ(number_it(accounts, 42), PERDURE_OK);
    ASSERT_NE(accounts->notes, nullptr);
    EXPECT_STREQ(accounts->notes->text, "number 42");
    EXPECT_EQ(accounts->transfers, 42);
    EXPECT_EQ(number_it(accounts, -1), too_little_money);
    EXPECT_STREQ(accounts->notes->text, "number 42");
    EXPECT_EQ(accounts->transfers, 42);
    EXPECT_EQ(forget_notes(accounts), PERDURE_OK);
  }
}

TEST_F(CApi, IsolatesThreads) {
  TM_BEGIN {
    for (long& balance : accounts->balance) balance = 1000;
  } TM_END;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 500; ++i) {
        const Transfer rent = from_to((i + thread) % most_accounts, (i * 7) % most_accounts, 1);
        ASSERT_EQ(transfer_money(&rent), PERDURE_OK);
      }
    });
  for (std::thread& thread : threads) thread.join();
  long total = 0;
  for (const long balance : accounts->balance) total += balance;
  EXPECT_EQ(total, 1000L * most_accounts);
  EXPECT_EQ(accounts->transfers, 1000);
}

TEST_F(CApi, SaysWhyAPoolIsRefused) {
  perdure_pool* second = pool;
  if (is_durable()) {
    EXPECT_EQ(perdure_pool_open(path.c_str(), &second), PERDURE_IN_USE);
    EXPECT_EQ(second, nullptr);
    EXPECT_NE(std::string(perdure_last_error()).find("test.pool"), std::string::npos);
    std::ofstream(folder / "text") << "no pool, but long enough to look like the beginning of one";
    EXPECT_EQ(perdure_pool_open((folder / "text").c_str(), &second), PERDURE_NOT_A_POOL);
    EXPECT_EQ(perdure_pool_open((folder / "no" / "folder").c_str(), &second), PERDURE_SYSTEM);
  }
  EXPECT_EQ(perdure_pool_open(nullptr, &second), PERDURE_USAGE);
  EXPECT_NE(std::string(perdure_last_error()).find("path is null"), std::string::npos);
}

TEST_F(CApi, RootsHaveATypeAndAName) {
  void* root = accounts;
  EXPECT_EQ(perdure_pool_root(pool, "accounts", "other", 8, 8, &root), PERDURE_ROOT_TYPE_MISMATCH);
  EXPECT_EQ(root, nullptr);
  EXPECT_NE(std::string(perdure_last_error()).find("'accounts'"), std::string::npos);
  EXPECT_EQ(perdure_pool_root(pool, "", "other", 8, 8, &root), PERDURE_USAGE);
  EXPECT_EQ(perdure_pool_root(pool, "name", "other", 0, 8, &root), PERDURE_USAGE);
  EXPECT_EQ(perdure_pool_root(pool, "name", "other", 8, 3, &root), PERDURE_USAGE);
  EXPECT_EQ(perdure_pool_root(nullptr, "name", "other", 8, 8, &root), PERDURE_USAGE);
  // Aligned as it asks for, and made of zeros.
  ASSERT_EQ(perdure_pool_root(pool, "aligned", "union large", 4096, 64, &root), PERDURE_OK);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(root) % 64, 0U);
  EXPECT_EQ(std::string(4096, '\0'), std::string(static_cast<const char*>(root), 4096));
}

TEST_F(CApi, ChoosesThePoolThatTransactionsAllocateIn) {
  perdure_pool* other = nullptr;
  const std::string path_of_other = folder / "other.pool";
  ASSERT_EQ(perdure_pool_open(path_of_other.c_str(), &other), PERDURE_OK);
  accounts->balance[1] = 100;
  const Transfer rent = from_to(1, 0, 1);
  // The note is the last thing allocated; it lies near the objects of its pool.
  const auto note_is_near = [&](perdure_pool* in, const char* name) {
    EXPECT_EQ(transfer_money(&rent), PERDURE_OK) << perdure_last_error();
    void* object = nullptr;
    EXPECT_EQ(perdure_pool_root(in, name, "char", 64, 8, &object), PERDURE_OK);
    constexpr long far = 1L << 32;
    return std::abs(reinterpret_cast<char*>(accounts->notes) - static_cast<char*>(object)) < far;
  };
  EXPECT_TRUE(note_is_near(pool, "mine"));
  EXPECT_EQ(perdure_pool_choose(other), PERDURE_OK);
  EXPECT_TRUE(note_is_near(other, "others"));
  EXPECT_FALSE(note_is_near(pool, "mine"));
  EXPECT_EQ(perdure_pool_choose(nullptr), PERDURE_OK);
  EXPECT_TRUE(note_is_near(pool, "mine"));
  EXPECT_EQ(perdure_pool_choose(other), PERDURE_OK);
  EXPECT_EQ(forget_notes(accounts), PERDURE_OK);  // some of them lie in the pool that is closed now
  EXPECT_EQ(perdure_pool_close(other), PERDURE_OK);
  EXPECT_TRUE(note_is_near(pool, "mine")) << "a pool that is closed is not chosen any more";
}

TEST_F(CApi, DoesNotChooseAPoolThatIsOnlyRead) {
  if (!is_durable()) GTEST_SKIP() << "a volatile pool is never open for reading";
  close();
  perdure_open_options options = {};
  options.read_only = 1;
  ASSERT_EQ(perdure_pool_open_with(path.c_str(), &options, &pool), PERDURE_OK);
  EXPECT_EQ(perdure_pool_choose(pool), PERDURE_USAGE);
  EXPECT_NE(std::strstr(perdure_last_error(), "Open it for writing"), nullptr);
}

TEST_F(CApi, ReportsHowAPoolWasFound) {
  perdure_open_report report{};
  EXPECT_EQ(perdure_pool_report(nullptr, 0, &report), PERDURE_USAGE);
  ASSERT_EQ(perdure_pool_report(pool, 1, &report), PERDURE_OK);
  EXPECT_EQ(report.state, is_durable() ? 0 : 3) << "created, or volatile";
  if (!is_durable()) return;
  EXPECT_EQ(report.medium, 1);
  EXPECT_EQ(report.mark_is_running, 0);
  ASSERT_EQ(perdure_pool_close(pool), PERDURE_OK);
  const std::filesystem::path copy = folder / "copy.pool";
  std::filesystem::copy(path, copy);
  ASSERT_EQ(perdure_pool_open(path.c_str(), &pool), PERDURE_OK);
  perdure_pool* beside = nullptr;
  perdure_open_options options = {};
  options.refuse_to_move = 1;
  EXPECT_EQ(perdure_pool_open_with(copy.c_str(), &options, &beside), PERDURE_ADDRESS_TAKEN);
  ASSERT_EQ(perdure_pool_open(copy.c_str(), &beside), PERDURE_OK) << perdure_last_error();
  ASSERT_EQ(perdure_pool_report(beside, 0, &report), PERDURE_OK);
  EXPECT_EQ(report.state, 1) << "clean";
  EXPECT_NE(report.moved_from, 0U);
  EXPECT_NE(report.pointers_moved, 0U);
  EXPECT_EQ(perdure_pool_close(beside), PERDURE_OK);
}

TEST_F(CApi, ListsRenamesAndRemovesRoots) {
  void* other = nullptr;
  ASSERT_EQ(perdure_pool_root(pool, "other", "struct other", 48, 16, &other), PERDURE_OK);
  perdure_root_info roots[3];
  std::size_t count = 0;
  ASSERT_EQ(perdure_pool_list_roots(pool, roots, 1, &count), PERDURE_OK);
  EXPECT_EQ(count, 2U);
  EXPECT_STREQ(roots[0].name, "accounts");
  ASSERT_EQ(perdure_pool_list_roots(pool, roots, 3, &count), PERDURE_OK);
  EXPECT_STREQ(roots[1].type, "other");
  EXPECT_EQ(roots[1].size, 48U);
  EXPECT_EQ(roots[1].alignment, 16U);
  EXPECT_EQ(perdure_pool_list_roots(pool, nullptr, 0, &count), PERDURE_OK);
  EXPECT_EQ(perdure_pool_list_roots(pool, nullptr, 1, &count), PERDURE_USAGE);
  EXPECT_EQ(perdure_pool_rename_root(pool, "other", "accounts"), PERDURE_ROOT_EXISTS);
  EXPECT_EQ(perdure_pool_rename_root(pool, "none", "name"), PERDURE_NO_SUCH_ROOT);
  EXPECT_EQ(perdure_pool_rename_root(pool, "other", nullptr), PERDURE_USAGE);
  ASSERT_EQ(perdure_pool_rename_root(pool, "other", "renamed"), PERDURE_OK) << perdure_last_error();
  void* same = nullptr;
  ASSERT_EQ(perdure_pool_root(pool, "renamed", "struct other", 48, 16, &same), PERDURE_OK);
  EXPECT_EQ(same, other);
  EXPECT_EQ(perdure_pool_remove_root(pool, "renamed"), PERDURE_OK);
  EXPECT_EQ(perdure_pool_remove_root(pool, "renamed"), PERDURE_NO_SUCH_ROOT);
  EXPECT_NE(std::string(perdure_last_error()).find("'renamed'"), std::string::npos);
  ASSERT_EQ(perdure_pool_list_roots(pool, roots, 3, &count), PERDURE_OK);
  EXPECT_EQ(count, 1U);
}

TEST_F(CApi, SharesRootsWithCpp) {
  if (!is_durable()) GTEST_SKIP() << "a volatile pool is empty when it is opened again";
  const Transfer rent = from_to(1, 0, 0);
  ASSERT_EQ(transfer_money(&rent), PERDURE_OK);
  close();
  {
    auto same = perdure::Pool::open(path);
    EXPECT_EQ(same.root<struct Accounts>("accounts").transfers, 1);
  }
  open();
}

TEST_F(CApi, ReportsExceptionsOfCpp) {
  EXPECT_EQ(perdure_transaction(throw_error, accounts), PERDURE_FAILED);
  EXPECT_STREQ(perdure_last_error(), "thrown by the body");
  EXPECT_EQ(accounts->transfers, 0);
  EXPECT_EQ(perdure_transaction(throw_number, nullptr), PERDURE_FAILED);
  EXPECT_EQ(perdure_transaction(throw_bad_alloc, nullptr), PERDURE_OUT_OF_MEMORY);
}

TEST_F(CApi, ClosesNothing) { EXPECT_EQ(perdure_pool_close(nullptr), PERDURE_OK); }

}  // namespace
