// Every small workload, crashed everywhere.
#include <gtest/gtest.h>
#include <unistd.h>

#include "options.h"
#include "perdure/statistics.h"
#include "simulate/isolated.h"
#include "simulate/symbols.h"
#include "workloads.h"

namespace perdure::simulate {
namespace {

/// Flushes and fences without any effect: what the redundancy report is made of.
void print_redundant(const std::vector<Site>& sites) {
  for (const Site& site : sites) {
    if (site.clean + site.repeated == 0) continue;
    std::string place;
    for (const Frame& frame : frames_at(site.address))
      if (!frame.is_of_domain()) place += (place.empty() ? "" : " < ") + frame.function + " " + frame.place();
    std::printf("  %s: %llu times, %llu of them clean, %llu repeated: %s\n",
                site.kind == Event::Kind::flush ? "flush" : "fence", static_cast<unsigned long long>(site.times),
                static_cast<unsigned long long>(site.clean), static_cast<unsigned long long>(site.repeated),
                place.c_str());
  }
}

void explore(const NamedWorkload& named, Plan plan) {
  const auto workload = named.make();
  plan.replay = options().replay;
  plan.notes_sites = options().sites;
  if (plan.replay) {
    Explorer(*workload, plan, pool_directory(getpid())).explore();
    return;
  }
  const Verdict verdict = explore_isolated(*workload, plan, options().seconds);
  std::printf("%s %s: %llu events, %llu states, %llu of them in recovery", library_name(),
              std::string(named.name).c_str(), static_cast<unsigned long long>(verdict.report.events),
              static_cast<unsigned long long>(verdict.report.states),
              static_cast<unsigned long long>(verdict.report.nested));
  if (plan.samples != 0) std::printf("; %llu drawn", static_cast<unsigned long long>(verdict.report.drawn));
  std::printf("\n");
  if (options().sites) print_redundant(verdict.sites);
  EXPECT_FALSE(verdict.violation) << *verdict.violation << "\n  replay with: " << replay_command(verdict.at);
}

/// How many crash states of a workload are drawn where not all are to be explored; 0: all.
std::uint64_t samples_of(const NamedWorkload& named) {
  constexpr std::uint64_t more_for_lengthy = 10;
  if (options().all) return 0;
  if (named.size == Size::large) return options().samples;
  return named.size == Size::lengthy ? options().samples * more_for_lengthy : 0;
}

class Exploration : public testing::TestWithParam<NamedWorkload> {};

TEST_P(Exploration, EveryCrashLeavesWhatIsAllowed) {
  Plan plan;
  plan.depth = GetParam().size == Size::small || options().all ? options().depth : 1;
  plan.every_kill = options().all;
  plan.samples = samples_of(GetParam());
  plan.schedules = schedules_for(GetParam(), options().schedules);
  explore(GetParam(), plan);
}

INSTANTIATE_TEST_SUITE_P(Small, Exploration, testing::ValuesIn(small_workloads().begin(), small_workloads().end()),
                         [](const auto& info) { return std::string(info.param.name); });

class Samples : public testing::TestWithParam<NamedWorkload> {};

TEST_P(Samples, OfCrashesLeaveWhatIsAllowed) {
  Plan plan;
  plan.samples = options().samples;
  plan.seed = options().seed;
  explore(GetParam(), plan);
}

INSTANTIATE_TEST_SUITE_P(Long, Samples, testing::ValuesIn(sampled_workloads().begin(), sampled_workloads().end()),
                         [](const auto& info) { return std::string(info.param.name); });

/// The control of these tests: their checks see what a program loses that fences nothing.
TEST_P(Samples, OfAProgramWithoutFencesDoNot) {
  Plan plan;
  plan.samples = 2'000;
  plan.is_left_out = [](const Event& event) { return event.kind == Event::Kind::fence; };
  const auto workload = GetParam().make();
  EXPECT_TRUE(explore_isolated(*workload, plan, options().seconds).violation);
}

/// What is found in a run can be shown again: nothing depends on time, on addresses or on who came first by chance.
TEST(Schedules, ASeedGivesTheSameInterleavingAgain) {
  for (const NamedWorkload& named : small_workloads()) {
    if (named.threads == Threads::one) continue;
    Plan plan;
    plan.samples = 1;
    plan.schedules = schedules_for(named, 4);
    const auto workload = named.make();
    const Verdict first = explore_isolated(*workload, plan, options().seconds);
    const Verdict second = explore_isolated(*workload, plan, options().seconds);
    EXPECT_FALSE(first.violation) << named.name << ": " << *first.violation;
    EXPECT_EQ(first.report.events, second.report.events) << named.name;
  }
}

/// See pool_directory.
TEST(Schedules, PathsOfPoolsAreAsLongInEveryProcess) {
  EXPECT_EQ(pool_directory(7).native().size(), pool_directory(4'000'000).native().size());
}

}  // namespace

void register_tests() {}

}  // namespace perdure::simulate
