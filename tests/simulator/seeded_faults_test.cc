// Single faults, seeded one at a time: each must be caught by the exploration of some workload. (docs/crash-testing.md)
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "log/replica_set.h"
#include "options.h"
#include "perdure/statistics.h"
#include "persist/instance.h"
#include "simulate/faults.h"
#include "simulate/isolated.h"
#include "simulate/symbols.h"
#include "workloads.h"

namespace perdure::simulate {
namespace {

/// How hard to look: first what is quick.
struct Effort {
  unsigned depth;
  unsigned schedules;
  bool only_threads;
};
constexpr Effort efforts[] = {{1, 6, false}, {1, 150, true}, {2, 2, false}};

/// Explores one of the chosen workloads after the other, until one shows a violation.
template <class Chosen>
std::string caught_among(const Plan& plan, Chosen&& chosen) {
  for (const Effort& effort : efforts)
    for (const NamedWorkload& named : small_workloads()) {
      if (named.size == Size::large || !chosen(named.name)) continue;
      if (effort.only_threads && (named.threads == Threads::one || named.size == Size::lengthy)) continue;
      const auto workload = named.make();
      Plan own = plan;
      own.depth = effort.depth;
      own.schedules = schedules_for(named, effort.schedules);
      const Verdict verdict = explore_isolated(*workload, own, options().seconds);
      if (verdict.violation) return std::string(named.name) + ": " + *verdict.violation + " (" + verdict.at + ")";
    }
  return {};
}

/// \param likely  the workload that is to be looked at first, with all efforts.
std::string caught_by(const Plan& plan, std::string_view likely = {}) {
  const std::string how = caught_among(plan, [&](std::string_view name) { return name == likely; });
  return how.empty() ? caught_among(plan, [&](std::string_view name) { return name != likely; }) : how;
}

// -- flushes and fences left out --------------------------------------------------------------------------------------

struct LeftOut {
  Site site;
  std::vector<std::string_view> workloads;  ///< that come by
  std::string name;                         ///< "flush_set_status_activate"
  std::string places;                       ///< functions and lines
};

std::string identifier(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

/// Named by the function that calls flush or fence and by those that it was inlined into.
LeftOut describe(const Site& site, std::vector<std::string_view> workloads) {
  LeftOut result{site, std::move(workloads), site.kind == Event::Kind::flush ? "flush" : "fence", {}};
  std::set<std::string> seen;
  for (const Frame& frame : frames_at(site.address)) {
    if (frame.is_of_domain()) continue;
    result.places += (result.places.empty() ? "" : " < ") + frame.function + " " + frame.place();
    const std::string name = frame.function.substr(0, frame.function.find_first_of("< "));
    if (seen.insert(name).second) result.name += "_" + identifier(name);
  }
  return result;
}

/// Every place that some workload comes by.
std::vector<LeftOut> all_left_out() {
  struct Found {
    Site site;
    std::vector<std::string_view> workloads;
  };
  std::map<const void*, Found> found;
  for (const NamedWorkload& named : small_workloads()) {
    if (named.size == Size::large) continue;
    Plan plan;
    plan.schedules = schedules_for(named, 4);
    plan.notes_sites = true;
    const auto workload = named.make();
    for (const Site& site : explore_isolated(*workload, plan, options().seconds).sites)
      found.try_emplace(site.address, Found{site, {}}).first->second.workloads.push_back(named.name);
  }
  std::vector<LeftOut> result;
  std::map<std::string, int> used;
  for (const auto& [address, each] : found) {
    LeftOut& added = result.emplace_back(describe(each.site, each.workloads));
    if (const int number = ++used[added.name]; number > 1) added.name += "_" + std::to_string(number);
  }
  return result;
}

/// The logs that a fault is about: any of them.
enum Logs : std::uint8_t { redo = 1, undo = 2, records = 4, replicas = 8, any = 15 };
constexpr Logs over_pools = static_cast<Logs>(redo | undo | records);  // who commits in several at once
constexpr Logs new_values = static_cast<Logs>(redo | records);
constexpr Logs with_status = static_cast<Logs>(redo | undo);

Logs log_of_library() {
  if (instance.facts.records) return records;
  if (instance.facts.replicas) return replicas;
  return instance.facts.undo_log ? undo : redo;
}

bool has(Logs logs) { return (logs & log_of_library()) != 0; }

/// What no small workload can show, by its name or a part of its places, and why.
struct Exempt {
  std::string_view name;
  const char* reason;
  Logs logs = any;

  bool covers(const LeftOut& fault) const { return fault.name == name || fault.places.find(name) != std::string::npos; }
};
constexpr const char* only_in_new_roots =
    "made only to parts of a root that does not count yet; the same line for words is not exempt";
constexpr const char* kind_beside_status =
    "the kind lies in the line of the status, which is stored later; in an undo log, a tag would have to be met by "
    "chance";
constexpr Exempt exempt[] = {
    {"flush_settle", "the directory changes only where a pool grows beyond 512 MiB"},
    {"fence_settle",
     "the header's fence comes before the pool is handed out, and so before anything relies on this one"},
    {"fence_settle_statuses_replay_logs",
     "data is changed after its status is durable, so a status can only be lost together with all that it vouches for",
     undo},
    {"fence_replay_logs_2",
     "undo records may end in any order, and the header's fence comes before the pool is handed out", undo},
    {"take_for_good", "what was in the superblock would have to hold the check of an entry at that place by chance"},
    {"fence_settle_layouts",
     "the header's fence comes before the pool is handed out, and so before a descriptor names the layout"},
    {"begin_run", "the number of the run is part of records that vouch for themselves, which this log has none of",
     with_status},
    {"fence_detach_change_pool",
     "the thread's next commit has a fence; another thread would have to take the log over and go round it before",
     records},
    {"fence_log_old_value", "the fence of the first entry also makes the record active; the paper has both"},
    {"flush_join", kind_beside_status},
    {"fence_join", kind_beside_status},
    {"fence_finish",
     "needed where another thread has overtaken the flush of the data, and recovery crashes between their two records",
     redo},
    {"<unsigned short>", only_in_new_roots},
    {"<unsigned int>", only_in_new_roots},
};

class LeaveOut : public testing::Test {
 public:
  explicit LeaveOut(LeftOut fault) : fault_(std::move(fault)) {}

  void TestBody() override {
    for (const Exempt& each : exempt)
      if (has(each.logs) && each.covers(fault_)) GTEST_SKIP() << each.reason;
    Plan plan;
    plan.is_left_out = [&](const Event& event) { return event.site == fault_.site.address; };
    const std::string how = caught_among(plan, [&](std::string_view name) {
      return std::ranges::find(fault_.workloads, name) != fault_.workloads.end();
    });
    EXPECT_NE(how, "") << "nobody notices when this is left out: " << fault_.places;
    std::printf("%s\n  %s\n  caught by %s\n", fault_.name.c_str(), fault_.places.c_str(), how.c_str());
  }

 private:
  LeftOut fault_;
};

// -- steps in another order -------------------------------------------------------------------------------------------

constexpr std::string_view those_that_help = "those that help";  // as the name of an algorithm: any of them

struct WrongStep {
  const char* name;
  Fault fault;
  Logs logs = any;
  const char* likely = "";          ///< the workload that shows it, where that is not one of the first
  std::string_view algorithm = {};  ///< the only one that takes this step; empty: all do
  log::Copy copies = 2;             ///< where there are replicas
};

constexpr WrongStep wrong_steps[] = {
    {"published_retirement", Fault::published_retirement, redo, "transfers"},
    {"batch_not_retired", Fault::batch_not_retired, redo, "transfers"},
    {"retired_replayed", Fault::retired_replayed, redo, "transfers"},
    {"closed_with_statuses", Fault::closed_with_statuses, redo, "held_up"},
    {"write_back_first", Fault::write_back_first, new_values},
    {"release_locks_first", Fault::release_locks_first, new_values},
    {"lift_bound_early", Fault::lift_bound_early, redo, "transfers"},
    {"status_before_count", Fault::status_before_count, redo, "roots"},
    {"store_before_entry", Fault::store_before_entry, over_pools, "serial"},  // in all, serial ones have undo logs
    {"tag_first", Fault::tag_first, over_pools, "serial"},
    {"same_generation", Fault::same_generation, over_pools, "serial"},
    {"inactive_before_data", Fault::inactive_before_data, over_pools, "serial"},
    {"unlock_before_inactive", Fault::unlock_before_inactive, undo, "relay"},
    {"captured_with_record", Fault::captured_with_record, records},
    {"complete_before_data", Fault::complete_before_data, records, "wanderers"},
    {"batch_before_fence", Fault::batch_before_fence, records},
    {"watermark_early", Fault::watermark_early, records},
    {"reuse_unretired_records", Fault::reuse_unretired_records, records},
    {"reuse_recorded_blocks", Fault::reuse_recorded_blocks, records, "reused_by_others"},
    {"reused_not_logged", Fault::reused_not_logged, records, "reused_alone"},
    {"believe_torn_records", Fault::believe_torn_records, records, "scattered"},
    {"believe_lone_parts", Fault::believe_lone_parts, records, "scattered"},
    {"records_not_settled", Fault::records_not_settled, records, "swap"},
    {"decision_before_logs", Fault::decision_before_logs, over_pools, "crossing"},
    {"finished_before_logs", Fault::finished_before_logs, over_pools, "crossing"},
    {"decision_freed_early", Fault::decision_freed_early, over_pools, "crossing"},
    {"records_skipped", Fault::records_skipped, records, "crossing"},
    {"decision_not_settled", Fault::decision_not_settled, over_pools, "crossing_reversed"},
    {"prepared_in_one_pool", Fault::prepared_in_one_pool, over_pools, "crossing"},
    {"logs_ended_first", Fault::logs_ended_first, undo, "crossing"},
    {"ended_rolled_back", Fault::ended_rolled_back, undo, "crossing"},
    {"preparations_go_early", Fault::preparations_go_early, over_pools, "crossing_reversed"},
    {"left_over_dropped", Fault::left_over_dropped, over_pools, "crossing_apart"},
    {"serial_not_alone", Fault::serial_not_alone, any, "serial_beside_others"},
    {"sole_commit_not_awaited", Fault::sole_commit_not_awaited, new_values, "sole_beside_others"},
    {"added_before_lock", Fault::added_before_lock, new_values, "tally", "orec_lazy"},
    {"serial_before_retired", Fault::serial_before_retired, records, "serial"},
    {"captured_one_line", Fault::captured_one_line},
    {"free_at_once", Fault::free_at_once},
    {"replay_youngest_first", Fault::replay_youngest_first, new_values, "relay"},
    {"parts_replayed_whole", Fault::parts_replayed_whole, new_values, "parts"},
    {"mark_before_replay", Fault::mark_before_replay},
    {"keep_unreached", Fault::keep_unreached, any, "reuse"},
    {"leak_neighbours", Fault::leak_neighbours},
    {"no_shading", Fault::no_shading, over_pools, "marking"},
    {"keep_large_descriptor", Fault::keep_large_descriptor, any, "reuse"},
    {"keep_hole_descriptor", Fault::keep_hole_descriptor, any, "space"},
    {"cut_before_header", Fault::cut_before_header, any, "space"},
    {"cut_with_descriptors", Fault::cut_with_descriptors, any, "space"},
    {"layout_named_early", Fault::layout_named_early, any, "layouts"},
    {"code_used_early", Fault::code_used_early, any, "codes"},
    {"code_named_late", Fault::code_named_late, any, "codes"},
    {"header_once", Fault::header_once},
    {"rewrite_before_header", Fault::rewrite_before_header, any, "relocation"},
    {"moving_header_not_settled", Fault::moving_header_not_settled, any, "relocation"},
    {"moved_words_not_settled", Fault::moved_words_not_settled, any, "relocation"},
    {"good_header_first", Fault::good_header_first, any, "counter"},
};

/// Of several copies, in the short tests.
constexpr WrongStep wrong_steps_of_replicas[] = {
    {"replica_named_early", Fault::replica_named_early, replicas, "nested"},
    {"postponed_flushes_lost", Fault::postponed_flushes_lost, replicas},
    {"replica_counts_early", Fault::replica_counts_early, replicas},
    {"undone_lines_not_flushed", Fault::undone_lines_not_flushed, replicas, "change_of_mind"},
    {"replica_not_named", Fault::replica_not_named, replicas, "counter"},
    {"lag_not_copied", Fault::lag_not_copied, replicas, "counter"},
    {"blocks_not_copied", Fault::blocks_not_copied, replicas, "shared_list"},
    {"chunk_not_noted", Fault::chunk_not_noted, replicas, "swap"},
    {"chunk_not_put_back", Fault::chunk_not_put_back, replicas, "change_of_mind"},
    {"readers_overwritten", Fault::readers_overwritten, replicas, "observed"},
    {"others_told_early", Fault::others_told_early, replicas, "unequal", "redo_opt"},
    {"update_made_twice", Fault::update_made_twice, replicas, "helpers", "redo"},
    {"blocks_not_agreed", Fault::blocks_not_agreed, replicas, "helpers", "cx"},
    {"turn_published_early", Fault::turn_published_early, replicas, "observed", those_that_help},
    {"flushes_dropped_at_bound", Fault::flushes_dropped_at_bound, replicas, "change_of_mind"},
    {"closed_in_replicas", Fault::closed_in_replicas, replicas, "counter"},
    {"word_not_settled", Fault::word_not_settled, replicas, "apart",
     "redo_opt"},  // elsewhere the pool itself never counts
    {"replicas_not_copied_back", Fault::replicas_not_copied_back, replicas, "counter"},
    {"copy_not_refreshed", Fault::copy_not_refreshed, replicas, "left_behind", "", 4},
    {"copy_not_flushed_whole", Fault::copy_not_flushed_whole, replicas, "counter", "", 4},
    {"wrong_copy_copied_back", Fault::wrong_copy_copied_back, replicas, "counter", "", 4},
    {"replicas_end_early", Fault::replicas_end_early, replicas, "counter"},
};

bool is_taken_by(std::string_view algorithm) {
  if (algorithm == those_that_help) return instance.facts.helps;
  return algorithm.empty() || algorithm == instance.facts.algorithm;
}

class WrongSteps : public testing::TestWithParam<WrongStep> {};

TEST_P(WrongSteps, IsCaught) {
  if (!has(GetParam().logs)) GTEST_SKIP() << "a step of another log";
  if (!is_taken_by(GetParam().algorithm)) GTEST_SKIP() << "a step of another algorithm";
  const bool is_one_of_two = GetParam().copies == 2;
  log::ReplicaSet::default_copies = is_one_of_two && instance.facts.helps ? 3 : GetParam().copies;
  seed(GetParam().fault);
  const std::string how = caught_by({}, GetParam().likely);
  seed(Fault::none);
  EXPECT_NE(how, "") << "nobody notices";
  std::printf("%s\n  caught by %s\n", GetParam().name, how.c_str());
}

INSTANTIATE_TEST_SUITE_P(Seeded, WrongSteps, testing::ValuesIn(wrong_steps),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(SeededInReplicas, WrongSteps, testing::ValuesIn(wrong_steps_of_replicas),
                         [](const auto& info) { return info.param.name; });

}  // namespace

void register_tests() {
  // To find all places takes longer than to try the steps.
  if (std::string_view(GTEST_FLAG_GET(filter)).starts_with("Seeded")) return;
  for (const LeftOut& fault : all_left_out())
    testing::RegisterTest("LeaveOut", fault.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [fault]() -> testing::Test* { return new LeaveOut(fault); });
}

}  // namespace perdure::simulate
