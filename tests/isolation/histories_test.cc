// Transactions over lists, from several threads: their history must be sound (history_checker.h).
#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <string>
#include <vector>

#include "delays.h"
#include "history_checker.h"
#include "in_parallel.h"
#include "lists.h"

namespace perdure {
namespace {

using namespace by_hand;
using history::History;
using history::Key;
using history::Time;

/// What one round is like.
struct Setting {
  const char* name;
  unsigned threads;
  unsigned keys;          // in use at a time
  unsigned transactions;  // of each thread
  delays::Everywhere delays;
};

std::ostream& operator<<(std::ostream& out, const Setting& setting) { return out << setting.name; }

/// Real time for the history. An attempt that ended before another began has the smaller time: both are taken outside
/// of the attempts, and increments of one counter are ordered.
class RealTime {
 public:
  explicit RealTime(bool is_known) : is_known_(is_known) {}

  Time begin() { return is_known_ ? tick() : history::unknown_begin; }
  Time end() { return is_known_ ? tick() : history::unknown_end; }

 private:
  // Relaxed, so that ThreadSanitizer does not take it for synchronisation between the transactions.
  Time tick() { return counter_.fetch_add(1, std::memory_order_relaxed) + 1; }

  bool is_known_;
  std::atomic<Time> counter_{0};
};

struct Cancelled {};

/// A transaction that another thread may run, on a copy: what it does, and what it has seen.
template <class Lists>
struct PortableBlock {
  struct Step {
    Key key;
    bool appends;
    bool has_appended = false;
    history::Value value;
    std::size_t length = 0;
    history::List list = {};
  };
  static constexpr unsigned most_steps = 4;

  Lists* lists;
  unsigned count = 0;
  std::array<Step, most_steps> steps = {};

  void operator()() {
    for (unsigned i = 0; i < count; ++i) {
      Step& step = steps[i];
      step.has_appended = step.appends && lists->append(step.key, step.value);
      if (!step.has_appended) step.length = lists->read(step.key, step.list);
    }
  }
};

/// One thread's transactions, and the record of them, which is not transactional.
template <class Lists>
class Worker {
 public:
  Worker(const Setting& setting, Lists& lists, RealTime& time, unsigned number, std::uint32_t seed)
      : setting_(setting), lists_(lists), time_(time), random_(seed + number), next_value_((number + 1ULL) << 32) {}

  void run() {
    const delays::Delayed delayed(setting_.delays, random_());
    for (unsigned i = 0; i < setting_.transactions; ++i) run_one(first_key(setting_, i));
  }

  const History& history() const { return history_; }

  /// Lists fill up; so every so often all threads go on to new ones.
  static Key first_key(const Setting& setting, unsigned transaction) {
    const unsigned until_full = std::max(1U, setting.keys * unsigned{history::list_capacity} / setting.threads);
    return transaction / until_full * setting.keys;
  }

 private:
  void run_one(Key first_key) {
    const std::uint32_t choice = random_();
    const bool only_reads = choice % 3 == 0;
    const bool is_cancelled = choice % 16 == 1;
    const unsigned operations = 1 + choice / 16 % PortableBlock<Lists>::most_steps;
    if (choice / 65536 % 2 == 0) return run_portable(first_key, only_reads, operations);
    // Seldom, since everybody else waits meanwhile.
    const bool is_serial = choice / 64 % 32 == 0;
    const unsigned becomes_serial_at = choice / 2048 % 32;
    Time earliest_begin = time_.begin();
    bool is_retry = false;
    auto body = [&] {
      // The time in the body is that of the end of the attempt before, and the earliest begin of the one after.
      if (std::exchange(is_retry, true)) history_.end_attempt(time_.end(), false);
      history_.begin_attempt(std::exchange(earliest_begin, time_.begin()));
      for (unsigned i = 0; i < operations; ++i) {
        if (i == becomes_serial_at) perdure_become_serial();
        run_operation(first_key, only_reads);
      }
      if (is_cancelled) throw Cancelled();
    };
    try {
      if (is_serial)
        transact_serially(body);
      else
        transact(body);
      history_.end_attempt(time_.end(), true);
    } catch (Cancelled) {
      history_.end_attempt(time_.end(), false);
    }
  }

  /// Of its attempts the last one is recorded, whoever made it.
  void run_portable(Key first_key, bool only_reads, unsigned operations) {
    PortableBlock<Lists> block{.lists = &lists_, .count = operations};
    for (unsigned i = 0; i < operations; ++i)
      block.steps[i] = {
          .key = any_key(first_key), .appends = !only_reads && random_() % 2 == 0, .value = ++next_value_};
    history_.begin_attempt(time_.begin());
    transact_portably(block);
    for (unsigned i = 0; i < operations; ++i) {
      const auto& step = block.steps[i];
      if (step.has_appended)
        history_.append(step.key, step.value);
      else
        history_.read(step.key, {step.list.data(), step.length});
    }
    history_.end_attempt(time_.end(), true);
  }

  Key any_key(Key first_key) { return first_key + random_() % setting_.keys; }

  void run_operation(Key first_key, bool only_reads) {
    const Key key = any_key(first_key);
    if (!only_reads && random_() % 2 == 0) {
      const history::Value value = ++next_value_;  // another one in each attempt
      if (lists_.append(key, value)) return history_.append(key, value);
    }
    history::List list;
    const std::size_t length = lists_.read(key, list);
    history_.read(key, {list.data(), length});
  }

  const Setting& setting_;
  Lists& lists_;
  RealTime& time_;
  std::minstd_rand random_;
  history::Value next_value_;
  History history_;
};

class Histories : public PoolTest, public testing::WithParamInterface<Setting> {
 protected:
  Histories() : keys_(Worker<history::ListsInPlace>::first_key(GetParam(), GetParam().transactions) + GetParam().keys) {
    words_ = words(keys_ * history::ListsInPlace::words_per_list);
  }

  void SetUp() override {
    if (!delays::apply(GetParam().delays)) GTEST_SKIP() << "other delays are for this library";
  }

  template <class Lists>
  void run_campaign() {
    std::size_t attempts = 0;
    const unsigned rounds = delays::campaign_with(GetParam().delays).run([&](unsigned round) {
      const History history = record<Lists>(round);
      attempts += history.attempts().size();
      const auto anomalies = history::check(history);
      for (const auto& anomaly : anomalies)
        ADD_FAILURE() << "round " << round << ": " << name_of(anomaly.kind)
                      << (anomaly.in_real_time ? " in real time" : "") << ": " << anomaly.description;
      return !HasFailure();
    });
    RecordProperty("rounds", static_cast<int>(rounds));
    RecordProperty("attempts", std::to_string(attempts));
  }

 private:
  template <class Lists>
  History record(unsigned round) {
    Lists lists(words_, keys_);
    const Impatient impatient(round % 4 >= 2);
    RealTime time(round % 2 == 0);  // the counter itself holds threads together
    std::vector<Worker<Lists>> workers;
    for (unsigned i = 0; i < GetParam().threads; ++i) workers.emplace_back(GetParam(), lists, time, i, round * 1000);
    in_parallel(GetParam().threads, [&](unsigned number) { workers[number].run(); });
    History result;
    for (const Worker<Lists>& worker : workers) result.add(worker.history());
    result.set_final_lists(final_lists(lists));
    return result;
  }

  template <class Lists>
  std::vector<std::vector<history::Value>> final_lists(Lists& lists) {
    std::vector<std::vector<history::Value>> result(keys_);
    for (Key key = 0; key < keys_; ++key) {
      history::List list;
      std::size_t length = 0;
      transact([&] { length = lists.read(key, list); });
      result[key].assign(list.begin(), list.begin() + length);
    }
    return result;
  }

  std::size_t keys_;
  std::uint64_t* words_;
};

TEST_P(Histories, OfListsInPlaceAreSound) { run_campaign<history::ListsInPlace>(); }
TEST_P(Histories, OfCopiedListsAreSound) { run_campaign<history::CopiedLists>(); }

constexpr Setting settings[] = {
    {"TwoThreads", 2, 4, 2'000, delays::undisturbed},
    {"EightThreadsManyKeys", 8, 64, 300, delays::undisturbed},
    {"DelayedAtAccesses", 4, 6, 50, delays::delayed_at_accesses},
    {"StalledAnywhere", 4, 6, 400, delays::stalled_anywhere},
    {"DelayedWithinTheLibrary", 4, 6, 100, delays::delayed_within_the_library},
};

INSTANTIATE_TEST_SUITE_P(, Histories, testing::ValuesIn(settings), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace perdure
