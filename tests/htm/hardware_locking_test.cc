// Commits that take their locks in hardware isolate and serialise, beside those that do so in software: histories of
// threads in many interleavings, on the simulator's model of such a processor.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "history_checker.h"
#include "lists.h"
#include "perdure/statistics.h"
#include "sched/sole_thread.h"
#include "simulate/faults.h"
#include "simulate/hardware.h"
#include "simulate/scheduler.h"
#include "tests/pool/pool_test.h"

namespace perdure::simulate {
namespace {

using namespace by_hand;
using history::History;
using history::Key;
using history::ListsInPlace;

constexpr unsigned threads = 3;
constexpr unsigned transactions_each = 4;
constexpr unsigned keys = 3;
constexpr unsigned operations_most = 4;

/// A thread's transactions, and the record of them. One thread runs at a time, so a plain counter is real time.
class Worker {
 public:
  Worker(ListsInPlace& lists, history::Time& time, unsigned number, std::uint64_t seed)
      : lists_(lists), time_(time), random_(seed * threads + number), next_value_((number + 1ULL) << 32) {}

  void run() {
    for (unsigned i = 0; i < transactions_each; ++i) {
      bool is_again = false;
      transact([&] {
        if (is_again) history_.end_attempt(++time_, false);
        is_again = true;
        history_.begin_attempt(++time_);
        const unsigned operations = 1 + random_() % operations_most;
        for (unsigned operation = 0; operation < operations; ++operation) run_operation();
      });
      history_.end_attempt(++time_, true);
    }
  }

  const History& history() const { return history_; }

 private:
  void run_operation() {
    const Key key = random_() % keys;
    if (random_() % 2 == 0) {
      const history::Value value = ++next_value_;
      if (lists_.append(key, value)) return history_.append(key, value);
    }
    history::List list;
    const std::size_t length = lists_.read(key, list);
    history_.read(key, {list.data(), length});
  }

  ListsInPlace& lists_;
  history::Time& time_;
  std::minstd_rand random_;
  history::Value next_value_;
  History history_;
};

/// A thread that takes itself to be alone takes no locks: while this lives, none does.
struct NeverAlone {
  NeverAlone() { sched::patience.first = 0; }
  NeverAlone(const NeverAlone&) = delete;
  NeverAlone& operator=(const NeverAlone&) = delete;
  ~NeverAlone() { sched::patience = {}; }
};

/// Runs threads under the scheduler.
class Interleavings {
 public:
  /// A pool is open.
  Interleavings() {
    transact([&] { words_ = allocate_words(keys * ListsInPlace::words_per_list); });
  }
  /// \returns whether the history of one interleaving is sound.
  bool is_sound(std::uint64_t seed) {
    ListsInPlace lists(words_, keys);
    history::Time time = 0;
    std::vector<Worker> workers;
    for (unsigned i = 0; i < threads; ++i) workers.emplace_back(lists, time, i, seed);
    run(workers, seed);
    History result;
    for (const Worker& worker : workers) result.add(worker.history());
    std::vector<std::vector<history::Value>> final_lists(keys);
    for (Key key = 0; key < keys; ++key) {
      history::List list;
      std::size_t length = 0;
      transact_serially([&] { length = lists.read(key, list); });  // whatever is locked
      final_lists[key].assign(list.begin(), list.begin() + length);
    }
    result.set_final_lists(std::move(final_lists));
    const auto anomalies = history::check(result);
    if (!anomalies.empty()) how_ = anomalies.front().description;
    return anomalies.empty();
  }

  const HardwareModel::Counts& seen() const { return seen_; }
  const std::string& how() const { return how_; }

 private:
  void run(std::vector<Worker>& workers, std::uint64_t seed) {
    scheduler.start({.kind = seed % 2 == 0 ? Strategy::Kind::uniform : Strategy::Kind::priorities, .seed = seed});
    hardware.start(seed, {.accesses_an_interrupt = 64});
    std::vector<std::thread> running;
    for (Worker& worker : workers) running.emplace_back([&worker] { worker.run(); });
    for (std::thread& thread : running) thread.join();
    scheduler.stop();
    const auto& counts = hardware.counts();
    seen_.commits += counts.commits;
    seen_.conflicts += counts.conflicts;
    seen_.given_up += counts.given_up;
    seen_.other += counts.other;
  }

  std::uint64_t* words_ = nullptr;
  HardwareModel::Counts seen_;
  std::string how_;
};

class HardwareLocking : public PoolTest {
  const NeverAlone never_alone_;
};

TEST_F(HardwareLocking, SerialisesInEveryInterleaving) {
  const std::uint64_t runs = std::getenv("LONG_TESTS") != nullptr ? 50'000 : 500;
  Interleavings interleavings;
  for (std::uint64_t seed = 1; seed <= runs; ++seed)
    ASSERT_TRUE(interleavings.is_sound(seed)) << "seed " << seed << ": " << interleavings.how();
  // All that can happen has happened.
  EXPECT_GT(interleavings.seen().commits, runs);
  EXPECT_GT(interleavings.seen().conflicts, 0U);
  EXPECT_GT(interleavings.seen().given_up, 0U);
  EXPECT_GT(interleavings.seen().other, 0U);
  // And is counted.
  const HardwareModel::Counts& seen = interleavings.seen();
  EXPECT_GE(statistics().hardware_commits, seen.commits);
  EXPECT_GE(statistics().hardware_aborts, seen.conflicts + seen.given_up + seen.other);
}

/// Nothing is lost where a write set is too large for hardware, and where none of its attempts commits.
TEST_F(HardwareLocking, GoesOnInSoftware) {
  constexpr std::size_t count = 64;
  std::uint64_t* const many = words(count * 8);
  hardware.start(1, {.written_lines = 4});
  reset_statistics();
  transact([&] {
    for (std::size_t i = 0; i < count; ++i) write(many[i * 8], i);
  });
  EXPECT_EQ(hardware.counts().commits, 0U);
  EXPECT_EQ(hardware.counts().capacity, 1U) << "a second attempt would not fit either";
  EXPECT_EQ(statistics().hardware_commits, 0U);
  EXPECT_EQ(statistics().hardware_aborts, 1U);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(many[i * 8], i);
}

/// Two transactions, each of which writes where the other one reads: who comes second sees the first. One of them often
/// runs in software, because it was interrupted.
class Crossing {
 public:
  Crossing() {
    transact([&] { words_ = allocate_words(16); });
  }

  bool is_sound(std::uint64_t seed) {
    constexpr std::size_t far = 8;  // in another line
    words_[0] = words_[far] = 0;
    const auto cross = [&](std::size_t from, std::size_t to) {
      transact([&] {
        if (read(words_[from]) == 0) write(words_[to], 1);
      });
    };
    scheduler.start({.kind = Strategy::Kind::uniform, .seed = seed});
    hardware.start(seed, {.accesses_an_interrupt = 6});
    std::thread one([&] { cross(0, far); });
    std::thread other([&] { cross(far, 0); });
    one.join();
    other.join();
    scheduler.stop();
    return words_[0] + words_[far] == 1;
  }

 private:
  std::uint64_t* words_ = nullptr;
};

TEST_F(HardwareLocking, ComesBeforeItsTimestamp) {
  Crossing crossing;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) ASSERT_TRUE(crossing.is_sound(seed)) << "seed " << seed;
}

/// In a process of its own: a mistake may leave a lock behind, for which others wait for ever.
/// \returns whether some run of the program shows the mistake, or the process does not come to an end.
template <class Program>
bool is_noticed(Fault fault, std::uint64_t runs) {
  constexpr unsigned seconds = 20;
  const std::filesystem::path path = "/dev/shm/perdure_in_hardware_" + std::to_string(getpid()) + ".pool";
  const int status = testing::in_child([&] {
    alarm(seconds);
    seed(fault);
    const NeverAlone never_alone;
    const Pool pool = Pool::open(path, {.accept_volatile = true});
    Program program;
    for (std::uint64_t run = 1; run <= runs; ++run)
      if (!program.is_sound(run)) _exit(1);
  });
  std::filesystem::remove(path);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

TEST(SeededInHardware, IsNoticed) {
  constexpr std::uint64_t runs = 300;
  constexpr std::uint64_t short_runs = 3'000;
  EXPECT_FALSE(is_noticed<Interleavings>(Fault::none, runs));
  EXPECT_FALSE(is_noticed<Crossing>(Fault::none, short_runs));
  EXPECT_TRUE(is_noticed<Interleavings>(Fault::hardware_lock_ignored, runs));
  EXPECT_TRUE(is_noticed<Interleavings>(Fault::hardware_abort_ignored, runs));
  // Who runs in hardware may have read what is newer, but has not ticked the clock yet.
  if (instance.runs_in_hardware)
    EXPECT_TRUE(is_noticed<Crossing>(Fault::hardware_ticks_believed, short_runs));
  else
    EXPECT_TRUE(is_noticed<Interleavings>(Fault::hardware_newer_ignored, runs));
}

}  // namespace
}  // namespace perdure::simulate
