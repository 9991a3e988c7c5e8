// Children that are forked while other threads run transactions on volatile memory.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "perdure/statistics.h"
#include "perdure/transaction.h"
#include "persist/sanitizers.h"

// Exceptions that were on their way when a transaction was rolled back are left behind (tx/exception_state.h).
extern "C" const char* __lsan_default_suppressions() { return "leak:__cxa_allocate_exception\n"; }

namespace perdure {
namespace {

constexpr int accounts = 64;
constexpr long in_all = accounts * 1000;

/// Money that is moved around; nothing is lost, whoever looks. One account is in another place than the others, and one
/// move touches so many that logs grow in the middle of it.
struct Bank {
  Bank() {
    for (long& account : balances) account = 1000;
  }

  void transfer(int from, int to, long amount) {
    TM_BEGIN {
      balances[from] -= amount;
      balances[to] += amount;
      if (amount == 7) throw std::runtime_error("has changed its mind");
    } TM_END;
  }

  void rotate() {
    TM_BEGIN {
      const long first = balances[0];
      for (int i = 0; i + 1 < accounts; ++i) balances[i] = balances[i + 1];
      balances[accounts - 1] = first;
      for (auto& [key, value] : history) value += key;
    } TM_END;
  }

  void note(int key) {
    TM_BEGIN { history[key] = history[key] + 1; } TM_END;
  }

  long sum() const { return std::accumulate(balances.begin(), balances.end(), 0L); }
  long sum_in_transaction() const {
    return execute([&] {
      long sum = 0;
      for (const long balance : balances) sum += balance;
      return sum;
    });
  }

  std::array<long, accounts> balances;
  std::map<int, long> history;
};

void use(Bank& bank, unsigned seed, const std::atomic<bool>& is_over) {
  std::minstd_rand random(seed);
  for (int i = 0; !is_over.load(std::memory_order_relaxed); ++i) {
    try {
      bank.transfer(static_cast<int>(random() % accounts), static_cast<int>(random() % accounts),
                    static_cast<long>(random() % 10));
    } catch (const std::runtime_error&) {
    }
    if (i % 16 == 0) bank.rotate();
    if (i % 64 == 0) bank.note(i % 512);
    if (i % 32 == 0) bank.sum_in_transaction();
  }
}

/// Threads that run transactions as long as it lives.
class Threads {
 public:
  Threads(Bank& bank, unsigned count) {
    for (unsigned i = 1; i <= count; ++i) threads_.emplace_back([&bank, i, this] { use(bank, i, is_over_); });
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

/// \returns how the child ended. One that waits for threads that it does not have is ended by a signal.
template <class Body>
int in_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool is_whole(Bank& bank) { return bank.sum() == in_all && bank.sum_in_transaction() == in_all; }

bool works(Bank& bank) {
  for (int i = 0; i < 20; ++i) bank.transfer(i, i + 20, 3);
  bank.rotate();
  bank.note(5);
  return is_whole(bank);
}

#if defined(PERDURE_THREAD_SANITIZER) || defined(PERDURE_ADDRESS_SANITIZER)
constexpr int forks = 30;
#else
constexpr int forks = 200;
#endif

TEST(ForkedChild, FindsWhatWasCommittedAndRunsTransactions) {
  const auto at = std::make_unique<Bank>();  // on the heap: some modes take a stack to be its thread's own
  Bank& bank = *at;
  const Threads threads(bank, 4);
  bank.sum_in_transaction();
  for (int i = 0; i < forks; ++i) {
    ASSERT_EQ(in_child([&] { return is_whole(bank) ? (works(bank) ? 0 : 2) : 1; }), 0) << "fork " << i;
    if (i % 2 == 0) bank.transfer(1, 2, 3);
  }
}

TEST(ForkedChild, OfAThreadThatRunsNoTransactions) {
  const auto at = std::make_unique<Bank>();
  Bank& bank = *at;
  const Threads threads(bank, 3);
  for (int i = 0; i < forks / 4; ++i)
    ASSERT_EQ(in_child([&] { return is_whole(bank) && works(bank) ? 0 : 1; }), 0) << "fork " << i;
}

TEST(ForkedChild, OfMoreThreadsThanNumberedReaders) {
  const auto at = std::make_unique<Bank>();
  Bank& bank = *at;
  const Threads threads(bank, 60);
  for (int i = 0; i < forks / 10; ++i)
    ASSERT_EQ(in_child([&] { return is_whole(bank) && works(bank) ? 0 : 1; }), 0) << "fork " << i;
}

// ThreadSanitizer allows no threads there.
#ifndef PERDURE_THREAD_SANITIZER
TEST(ForkedChild, HasThreadsAndChildrenOfItsOwn) {
  const auto at = std::make_unique<Bank>();
  Bank& bank = *at;
  const Threads threads(bank, 3);
  for (int i = 0; i < forks / 10; ++i) {
    const int status = in_child([&] {
      const Threads own(bank, 2);
      for (int grandchild = 0; grandchild < 3; ++grandchild)
        if (in_child([&] { return is_whole(bank) && works(bank) ? 0 : 1; }) != 0) return 1;
      return bank.sum_in_transaction() == in_all ? 0 : 2;
    });
    ASSERT_EQ(status, 0) << "fork " << i;
  }
}
#endif

TEST(ForkedChild, OfAProcessWithOneThread) {
  const auto at = std::make_unique<Bank>();
  Bank& bank = *at;
  bank.transfer(1, 2, 5);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(in_child([&] { return works(bank) ? 0 : 1; }), 0);
  const auto commits = statistics().commits;
  EXPECT_EQ(in_child([&] {
              bank.transfer(1, 2, 5);
              return statistics().commits == commits + 1 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace perdure
