// The checker itself: each anomaly in a history made by hand, beside a history that is sound.
#include "history_checker.h"

#include <gtest/gtest.h>

#include <random>

#include "dependency_graph.h"

namespace perdure::history {
namespace {

using Kind = Anomaly::Kind;
using List = std::vector<Value>;

/// A history written down: each call is an attempt with the operations that follow it.
class Script {
 public:
  Script& committed(Time begin = unknown_begin, Time end = unknown_end) { return attempt(begin, end, true); }
  Script& aborted(Time begin = unknown_begin, Time end = unknown_end) { return attempt(begin, end, false); }
  Script& append(Key key, Value value) {
    history_.append(key, value);
    return *this;
  }
  Script& read(Key key, const List& list) {
    history_.read(key, list);
    return *this;
  }
  std::vector<Anomaly> with_final(std::vector<List> lists) {
    history_.set_final_lists(std::move(lists));
    return check(history_);
  }

 private:
  Script& attempt(Time begin, Time end, bool is_committed) {
    history_.begin_attempt(begin);
    history_.end_attempt(end, is_committed);
    return *this;
  }

  History history_;
};

void expect_only(const std::vector<Anomaly>& found, Kind kind, bool in_real_time = false) {
  ASSERT_EQ(found.size(), 1U);
  EXPECT_STREQ(name_of(found[0].kind), name_of(kind)) << found[0].description;
  EXPECT_EQ(found[0].in_real_time, in_real_time) << found[0].description;
}

void expect_none(const std::vector<Anomaly>& found) {
  for (const Anomaly& each : found) ADD_FAILURE() << name_of(each.kind) << ": " << each.description;
}

constexpr Key x = 0;
constexpr Key y = 1;

TEST(HistoryChecker, SerialHistoryIsSound) {
  expect_none(Script()
                  .committed(1, 2)
                  .append(x, 1)
                  .read(x, {1})
                  .committed(3, 4)
                  .read(x, {1})
                  .append(x, 2)
                  .append(x, 3)
                  .append(y, 4)
                  .read(x, {1, 2, 3})
                  .aborted(5, 6)
                  .read(y, {4})
                  .append(y, 5)
                  .read(y, {4, 5})
                  .read(x, {1, 2, 3})
                  .committed(7, 8)
                  .read(x, {1, 2, 3})
                  .read(y, {4})
                  .with_final({{1, 2, 3}, {4}}));
}

TEST(HistoryChecker, OrderOfOverlappingAttemptsIsFree) {
  expect_none(Script()
                  .committed(1, 10)
                  .append(x, 1)
                  .committed(2, 9)
                  .read(x, {})  // ordered before the first although it ended earlier
                  .committed(3, 8)
                  .read(x, {1})
                  .with_final({{1}}));
}

TEST(HistoryChecker, LostUpdate) {
  expect_only(Script().committed().read(x, {}).append(x, 1).committed().read(x, {}).append(x, 2).with_final({{2}}),
              Kind::lost_update);
}

TEST(HistoryChecker, LostUpdateWhereBothAppendsSurvive) {
  expect_only(Script().committed().read(x, {}).append(x, 1).committed().read(x, {}).append(x, 2).with_final({{1, 2}}),
              Kind::single_anti_dependency_cycle);
}

TEST(HistoryChecker, ValueThatNobodyAppended) {
  expect_only(Script().committed().append(x, 1).with_final({{1, 7}}), Kind::unwritten_value);
  expect_only(Script().committed().append(x, 1).committed().read(x, {1, 7}).with_final({{1}}), Kind::unwritten_value);
}

TEST(HistoryChecker, ValueTwice) {
  expect_only(Script().committed().append(x, 1).with_final({{1, 1}}), Kind::unwritten_value);
}

TEST(HistoryChecker, ValueInAnotherList) {
  expect_only(Script().committed().append(x, 1).append(y, 2).with_final({{1, 2}, {2}}), Kind::unwritten_value);
}

TEST(HistoryChecker, AbortedRead) {
  expect_only(Script().aborted().append(x, 1).committed().read(x, {1}).with_final({{}}), Kind::aborted_read);
}

TEST(HistoryChecker, AbortedAttemptThatReadsAnAbortedAppend) {
  expect_only(Script().aborted().append(x, 1).aborted().read(x, {1}).with_final({{}}), Kind::aborted_read);
}

TEST(HistoryChecker, AbortedAppendThatStays) {
  expect_only(Script().aborted().append(x, 1).with_final({{1}}), Kind::aborted_read);
}

TEST(HistoryChecker, IntermediateRead) {
  expect_only(Script().committed().append(x, 1).append(x, 2).committed().read(x, {1}).with_final({{1, 2}}),
              Kind::intermediate_read);
}

TEST(HistoryChecker, IncompatibleOrder) {
  expect_only(Script().committed().append(x, 1).committed().append(x, 2).committed().read(x, {2}).with_final({{1, 2}}),
              Kind::incompatible_order);
}

TEST(HistoryChecker, OwnAppendNotSeen) {
  expect_only(Script().committed().append(x, 1).read(x, {}).with_final({{1}}), Kind::internal);
}

TEST(HistoryChecker, OwnAppendSeenTooEarly) {
  expect_only(Script().committed().read(x, {1}).append(x, 1).append(x, 2).with_final({{2, 1}}), Kind::internal);
}

TEST(HistoryChecker, WriteCycle) {
  expect_only(
      Script().committed().append(x, 1).append(y, 2).committed().append(x, 3).append(y, 4).with_final({{1, 3}, {4, 2}}),
      Kind::write_cycle);
}

TEST(HistoryChecker, AnotherAppendBetweenTwoOfAnAttempt) {
  expect_only(Script().committed().append(x, 1).append(x, 2).committed().append(x, 3).with_final({{1, 3, 2}}),
              Kind::write_cycle);
}

TEST(HistoryChecker, ReadCycle) {
  expect_only(
      Script().committed().append(x, 1).read(y, {2}).committed().append(y, 2).read(x, {1}).with_final({{1}, {2}}),
      Kind::read_cycle);
}

TEST(HistoryChecker, ReadSkew) {
  expect_only(
      Script().committed().append(x, 1).append(y, 2).committed().read(x, {1}).read(y, {}).with_final({{1}, {2}}),
      Kind::single_anti_dependency_cycle);
}

TEST(HistoryChecker, ReadSkewOfAnAbortedAttempt) {
  expect_only(Script().committed().append(x, 1).append(y, 2).aborted().read(x, {}).read(y, {2}).with_final({{1}, {2}}),
              Kind::single_anti_dependency_cycle);
}

TEST(HistoryChecker, ReadThatChangesWithinAnAttempt) {
  expect_only(Script().committed().append(x, 1).committed().read(x, {}).read(x, {1}).with_final({{1}}),
              Kind::single_anti_dependency_cycle);
}

TEST(HistoryChecker, WriteSkew) {
  expect_only(Script().committed().read(x, {}).append(y, 1).committed().read(y, {}).append(x, 2).with_final({{2}, {1}}),
              Kind::anti_dependency_cycle);
}

TEST(HistoryChecker, TwoReadersThatDisagreeOnTheOrderOfWriters) {
  expect_only(Script()
                  .committed()
                  .append(x, 1)
                  .committed()
                  .append(y, 2)
                  .committed()
                  .read(x, {1})
                  .read(y, {})
                  .committed()
                  .read(x, {})
                  .read(y, {2})
                  .with_final({{1}, {2}}),
              Kind::anti_dependency_cycle);
}

TEST(HistoryChecker, StaleRead) {
  expect_only(Script().committed(1, 2).append(x, 1).committed(3, 4).read(x, {}).with_final({{1}}),
              Kind::single_anti_dependency_cycle, true);
}

TEST(HistoryChecker, StaleReadOfAnAbortedAttempt) {
  expect_only(Script().committed(1, 2).append(x, 1).aborted(3, 4).read(x, {}).with_final({{1}}),
              Kind::single_anti_dependency_cycle, true);
}

TEST(HistoryChecker, ReadFromTheFuture) {
  expect_only(Script().committed(1, 2).read(x, {1}).committed(3, 4).append(x, 1).with_final({{1}}), Kind::read_cycle,
              true);
}

TEST(HistoryChecker, WritesAgainstRealTime) {
  expect_only(Script().committed(3, 4).append(x, 1).committed(1, 2).append(x, 2).with_final({{1, 2}}),
              Kind::write_cycle, true);
}

TEST(HistoryChecker, WriteSkewAgainstRealTimeOverSeveralAttempts) {
  expect_only(Script()
                  .committed(1, 2)
                  .append(x, 1)
                  .committed(3, 4)
                  .append(y, 2)
                  .committed(1, 5)
                  .read(y, {2})
                  .read(x, {})  // saw the later one but not the earlier
                  .with_final({{1}, {2}}),
              Kind::single_anti_dependency_cycle, true);
}

TEST(HistoryChecker, ThreadsAreJoined) {
  History all;
  for (Value thread = 0; thread < 2; ++thread) {
    History one;
    one.begin_attempt(1 + 2 * thread);
    one.read(x, {});  // the second should have seen the first
    one.append(x, thread + 1);
    one.end_attempt(2 + 2 * thread, true);
    all.add(one);
  }
  all.set_final_lists({{1, 2}});
  expect_only(check(all), Kind::single_anti_dependency_cycle);
}

/// A serial execution, recorded: sound until one read is put back in time.
TEST(HistoryChecker, OneStaleReadInALongHistory) {
  std::mt19937 random(1);
  constexpr std::size_t attempts = 20'000;
  constexpr std::size_t keys = 500;
  for (const bool is_broken : {false, true}) {
    History history;
    std::vector<List> lists(keys);
    for (std::size_t i = 0; i < attempts; ++i) {
      history.begin_attempt(2 * i + 1);
      const Key read = random() % keys;
      List seen = lists[read];
      if (is_broken && i >= attempts / 2 && !seen.empty()) {
        seen.pop_back();
        history.read(read, seen);
        history.end_attempt(2 * i + 2, true);
        break;
      }
      history.read(read, seen);
      const Key appended = random() % keys;
      history.append(appended, i + 1);
      lists[appended].push_back(i + 1);
      history.end_attempt(2 * i + 2, true);
    }
    history.set_final_lists(lists);
    EXPECT_EQ(check(history).size(), is_broken ? 1U : 0U);
  }
}

TEST(DependencyGraph, LongCycleDoesNotExhaustTheStack) {
  constexpr std::uint32_t length = 200'000;
  std::vector<DependencyGraph::Edge> edges;
  for (std::uint32_t i = 0; i < length; ++i) edges.push_back({i, (i + 1) % length, Dependency::write_write});
  const DependencyGraph ring(length, edges);
  for (const auto component : ring.cyclic_components(all_dependencies)) ASSERT_EQ(component, 0U);
  EXPECT_EQ(ring.path(5, 5, all_dependencies).size(), length);
  edges.pop_back();
  for (const auto component : DependencyGraph(length, edges).cyclic_components(all_dependencies))
    ASSERT_EQ(component, DependencyGraph::no_node);
}

/// Against reachability by brute force.
TEST(DependencyGraph, ComponentsOfRandomGraphs) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t nodes = 1 + random() % 12;
    std::vector<DependencyGraph::Edge> edges;
    for (std::uint32_t i = 0; i < random() % 24; ++i) {
      const std::uint32_t from = random() % nodes;
      const std::uint32_t to = random() % nodes;
      if (from != to) edges.push_back({from, to, static_cast<Dependency>(1U << random() % 4)});
    }
    const DependencyGraph graph(nodes, edges);
    const auto allowed = static_cast<Dependencies>(random() % 16);
    const auto components = graph.cyclic_components(allowed);
    for (std::uint32_t a = 0; a < nodes; ++a)
      for (std::uint32_t b = 0; b < nodes; ++b) {
        const bool are_on_a_cycle = !graph.path(a, b, allowed).empty() && !graph.path(b, a, allowed).empty();
        ASSERT_EQ(components[a] != DependencyGraph::no_node && components[a] == components[b], are_on_a_cycle);
      }
  }
}

}  // namespace
}  // namespace perdure::history
