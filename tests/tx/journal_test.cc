// The order in which a commit goes through the steps of its journal (log/durable_commit.h), by when what it has written
// becomes visible: also for a journal that is durable after the locks are released, as one on a disk is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "log/durable_commit.h"
#include "log/journal.h"

namespace perdure {
namespace {

struct Mode {
  using PoolEntry = log::WordEntry;
  static constexpr bool shades = false;
  [[maybe_unused]] static constexpr bool coalesced_flushes = true;
};

std::vector<std::string>& steps() {
  static std::vector<std::string> all;
  return all;
}

/// Where the record is in the log.
struct Place {
  std::uint64_t number = 0;
};

template <log::Visible when>
struct NotedJournal {
  using Writes = log::DurableCommit<Mode>::Writes;
  using Entry = Mode::PoolEntry;
  using Position = Place;
  static constexpr log::Visible visible = when;

  template <class Captured>
  void announce(const Writes&, const Captured&, sched::ThreadSlot&, std::uint64_t) {}
  template <class Captured>
  log::LogResult prepare(const Writes&, const Captured&) {
    return log::LogResult::written;
  }
  Position append(const Writes&, std::uint64_t timestamp) {
    steps().emplace_back("append");
    return {timestamp + 100};
  }
  void await(const Position& position) { steps().push_back("await " + std::to_string(position.number)); }
  static void written_back(const Entry& entry) {
    steps().push_back("written " + std::to_string(*reinterpret_cast<const std::uint64_t*>(entry.address)));
  }
  void complete(const Writes&, std::uint64_t) { steps().emplace_back("complete"); }
  void retire(std::uint64_t, sched::ThreadSlot&) { steps().emplace_back("retire"); }
  static void retire_older(const void*) {}
  void withdraw(sched::ThreadSlot&) {}
  void release() {}
};

using Steps = std::vector<std::string>;

/// Commits one word.
template <log::Visible when>
Steps steps_of_commit() {
  using Journal = NotedJournal<when>;
  static_assert(log::Journal<Journal>);
  alignas(8) std::uint64_t word = 1;
  typename Journal::Writes writes;
  const auto address = reinterpret_cast<std::uintptr_t>(&word);
  auto& entry = writes.insert(address);
  entry.clear();
  const std::uint64_t value = 2;
  std::memcpy(entry.data(), &value, sizeof value);
  entry.mark(&word);
  Journal journal;
  sched::ThreadSlot self;
  steps().clear();
  log::DurableCommit<Mode>::run(journal, writes, 7, self, [] { steps().emplace_back("release"); });
  writes.release();
  return steps();
}

TEST(JournalSteps, LocksAreReleasedWhenTheRecordIsDurable) {
  EXPECT_EQ(steps_of_commit<log::Visible::when_durable>(),
            (Steps{"append", "await 107", "written 2", "release", "complete", "retire"}));
}

TEST(JournalSteps, LocksAreReleasedWhenTheRecordIsRetired) {
  EXPECT_EQ(steps_of_commit<log::Visible::when_retired>(),
            (Steps{"append", "await 107", "written 2", "complete", "retire", "release"}));
}

TEST(JournalSteps, TheRecordIsAwaitedBehindTheLocksWhereItHasItsPlace) {
  EXPECT_EQ(steps_of_commit<log::Visible::when_appended>(),
            (Steps{"append", "written 2", "release", "complete", "retire", "await 107"}));
}

}  // namespace
}  // namespace perdure
