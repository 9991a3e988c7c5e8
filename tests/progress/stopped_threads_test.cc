// Where threads help each other (tx/helping.h), those that are stopped, wherever that is, keep no other from making
// updates; and each update is made once, whoever makes it. A signal handler stops them, so also in the library.
#include <pthread.h>
#include <time.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "perdure/perdure.h"
#include "perdure/statistics.h"
#include "tests/pool/pool_test.h"

namespace perdure {
namespace {

constexpr std::size_t cells = 16;

struct Ledger {
  struct alignas(64) Cell {
    long value = 0;
  };
  std::array<Cell, cells> accounts;
  long operations = 0;
};

/// \returns which operation it was.
long move(Ledger& ledger, std::size_t from, std::size_t to) {
  long number = 0;
  TM_BEGIN {
    --ledger.accounts[from].value;
    ++ledger.accounts[to].value;
    number = ++ledger.operations;
  } TM_END;
  return number;
}

std::atomic<unsigned> stopped{0};
std::atomic<unsigned> releases{0};

void stop_here(int /*signal*/) {
  const unsigned seen = releases.load();
  stopped.fetch_add(1);
  const timespec moment{0, 100'000};
  while (releases.load() == seen) nanosleep(&moment, nullptr);
  stopped.fetch_sub(1);
}

/// Moves until it is told to end, and notes which operations these were.
class Worker {
 public:
  Worker(Ledger& ledger, unsigned seed) : thread_([this, &ledger, seed] { run(ledger, seed); }) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { end(); }

  void stop() { pthread_kill(thread_.native_handle(), SIGUSR1); }
  void end() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::size_t done() const { return done_; }
  const std::vector<long>& numbers() const { return numbers_; }

 private:
  void run(Ledger& ledger, unsigned random) {
    numbers_.reserve(most);
    while (!is_over_ && numbers_.size() < most) {
      random = random * 1664525 + 1013904223;
      numbers_.push_back(move(ledger, random >> 20 & (cells - 1), random >> 26 & (cells - 1)));
      done_ = numbers_.size();
    }
    // Who is stopped here has ended.
    while (!is_over_) std::this_thread::yield();
  }

  static constexpr std::size_t most = 4'000'000;
  std::vector<long> numbers_;
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

class StoppedThreads : public testing::PoolTest, public ::testing::WithParamInterface<unsigned> {
 protected:
  StoppedThreads() {
    struct sigaction action{};
    action.sa_handler = stop_here;
    sigaction(SIGUSR1, &action, nullptr);
  }

  static void release() {
    ++releases;
    while (stopped != 0) std::this_thread::yield();
  }

  /// \returns whether the thread makes some more within a time that is far too long.
  static bool goes_on(const Worker& worker) {
    using std::chrono_literals::operator""s;
    constexpr std::size_t more = 30;
    const std::size_t before = worker.done();
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (worker.done() < before + more) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }
};

TEST_P(StoppedThreads, KeepNoOtherFromUpdates) {
  const unsigned most_stopped = GetParam();
  constexpr unsigned workers = 4;
  constexpr unsigned rounds = 60;
  std::vector<long> numbers;
  {
    // The pool itself, the copy that counts, and one for those that go on. Who is stopped may read one, and have one.
    Pool pool = Pool::open(path(), {.copies = 2 * most_stopped + 3});
    Ledger& ledger = pool.root<Ledger>("ledger");
    move(ledger, 0, 1);
    move(ledger, 1, 0);
    std::vector<std::unique_ptr<Worker>> all;
    for (unsigned i = 0; i < workers; ++i) all.push_back(std::make_unique<Worker>(ledger, i));
    // Until they have all the memory that they need: no thread is to be stopped in `malloc`.
    for (const auto& worker : all)
      while (worker->done() < 2000) std::this_thread::yield();
    for (unsigned round = 0; round < rounds && !HasFailure(); ++round) {
      for (unsigned i = 0; i < most_stopped; ++i) {
        all[(round + i) % workers]->stop();
        while (stopped <= i) std::this_thread::yield();
      }
      for (unsigned i = most_stopped; i < workers; ++i)
        EXPECT_TRUE(goes_on(*all[(round + i) % workers])) << "in round " << round;
      release();
    }
    for (const auto& worker : all) {
      worker->end();
      numbers.insert(numbers.end(), worker->numbers().begin(), worker->numbers().end());
    }
    EXPECT_EQ(ledger.operations, static_cast<long>(numbers.size()) + 2) << "where no transaction runs";
  }
  std::ranges::sort(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    ASSERT_EQ(numbers[i], static_cast<long>(i) + 3) << "each operation is made once";
  Pool pool = Pool::open(path());
  const Ledger& ledger = pool.root<Ledger>("ledger");
  long sum = 0;
  for (const Ledger::Cell& cell : ledger.accounts) sum += execute([&] { return cell.value; });
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(execute([&] { return ledger.operations; }), static_cast<long>(numbers.size()) + 2);
}

INSTANTIATE_TEST_SUITE_P(Stopped, StoppedThreads, ::testing::Values(1, 2, 3), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace perdure
