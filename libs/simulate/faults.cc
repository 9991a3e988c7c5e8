#include "simulate/faults.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "persist/simulated.h"
#include "persist/step.h"
#include "simulate/scheduler.h"

namespace perdure::simulate {
namespace {

using persistence::Step;

/// What is done otherwise at a step.
struct Change {
  Fault fault;
  Step step;
  std::string_view order;                             ///< of its actions, numbered in their right order
  std::uint64_t (*altered)(std::uint64_t) = nullptr;  ///< says so instead of what was worked out
  std::size_t pause_at = 0;                           ///< before this turn others run for a while, once
};
constexpr std::string_view left_out;  // it is not done

constexpr auto yes = [](std::uint64_t) -> std::uint64_t { return 1; };
constexpr auto no = [](std::uint64_t) -> std::uint64_t { return 0; };
constexpr auto everything = [](std::uint64_t) { return ~std::uint64_t{0}; };
constexpr auto all_but_one = [](std::uint64_t count) { return count - (count != 0 ? 1 : 0); };
constexpr auto reversed = [](std::uint64_t age) { return ~age; };
/// Only where the block in front is free, too.
constexpr auto without_neighbours = [](std::uint64_t free) { return free & free << 1; };

constexpr Change changes[] = {
    {Fault::published_retirement, Step::oldest_retired, "", yes},
    {Fault::write_back_first, Step::commit, "10234"},
    {Fault::release_locks_first, Step::commit, "12034"},
    {Fault::complete_before_data, Step::commit, "03412", nullptr, 3},
    {Fault::lift_bound_early, Step::retired_before_bound, "10"},
    {Fault::status_before_count, Step::fields_before_status, "10"},
    {Fault::store_before_entry, Step::entry_before_store, "10"},
    {Fault::tag_first, Step::fields_before_tag, "10"},
    {Fault::same_generation, Step::next_generation, left_out},
    {Fault::inactive_before_data, Step::data_before_end, "10"},
    {Fault::unlock_before_inactive, Step::undo_before_unlock, "10"},
    {Fault::captured_one_line, Step::captured_bytes, "", yes},
    {Fault::captured_with_record, Step::captured_before_record, left_out},
    {Fault::free_at_once, Step::frees_wait, "", no},
    {Fault::batch_not_retired, Step::batch_retired, left_out},
    {Fault::retired_replayed, Step::retired_passed_over, "", no},
    {Fault::closed_with_statuses, Step::statuses_settled, left_out},
    {Fault::watermark_early, Step::watermark_limited, left_out},
    {Fault::batch_before_fence, Step::batch_awaits_fence, "", no},
    {Fault::reuse_unretired_records, Step::segment_past, "", yes},
    {Fault::reuse_recorded_blocks, Step::reuse_limited, left_out},
    {Fault::reused_not_logged, Step::reused_logged, left_out},
    {Fault::serial_not_alone, Step::alone, left_out},
    {Fault::serial_before_retired, Step::older_retired, left_out},
    {Fault::added_before_lock, Step::locked_before_added, "10"},
    {Fault::sole_commit_not_awaited, Step::sole_commit_awaited, left_out},
    {Fault::hardware_lock_ignored, Step::hardware_finds_lock, "", no},
    {Fault::hardware_newer_ignored, Step::hardware_finds_newer, "", no},
    {Fault::hardware_abort_ignored, Step::hardware_has_committed, "", yes},
    {Fault::hardware_ticks_believed, Step::hardware_before_ticks, "", yes},
    {Fault::decision_before_logs, Step::prepared_durable, left_out},
    {Fault::finished_before_logs, Step::two_phases, "02341"},
    {Fault::decision_freed_early, Step::two_phases, "03124"},
    {Fault::records_skipped, Step::further_records, left_out},
    {Fault::prepared_in_one_pool, Step::further_pools_prepared, left_out},
    {Fault::logs_ended_first, Step::two_phases, "10234"},
    {Fault::keep_hole_descriptor, Step::hole_descriptor_cleared, left_out},
    {Fault::keep_large_descriptor, Step::large_descriptor_cleared, left_out},
    {Fault::cut_with_descriptors, Step::tail_descriptors_cleared, left_out},
    {Fault::layout_named_early, Step::layout_durable, left_out},
    {Fault::code_used_early, Step::code_name_durable, left_out},
    {Fault::code_named_late, Step::code_count_durable, left_out},
    {Fault::replica_named_early, Step::replica_before_descriptor, "10"},
    {Fault::postponed_flushes_lost, Step::postponed_flushes, left_out},
    {Fault::replica_counts_early, Step::written_before_turn, "10"},
    {Fault::undone_lines_not_flushed, Step::undone_lines_flushed, left_out},
    {Fault::replica_not_named, Step::replica_described, left_out},
    {Fault::lag_not_copied, Step::lag_copied, left_out},
    {Fault::blocks_not_copied, Step::blocks_copied, left_out},
    {Fault::chunk_not_noted, Step::chunks_noted, "", all_but_one},
    {Fault::chunk_not_put_back, Step::chunks_put_back, "", all_but_one},
    {Fault::readers_overwritten, Step::readers_gone, "", yes},
    {Fault::turn_published_early, Step::word_before_publication, "10"},
    {Fault::blocks_not_agreed, Step::block_agreed, "", no},
    {Fault::update_made_twice, Step::made_by_other, left_out},
    {Fault::others_told_early, Step::others_told_after_commit, "", no},
    {Fault::flushes_dropped_at_bound, Step::flushes_at_bound, left_out},
    {Fault::closed_in_replicas, Step::turned_before_close, left_out},
    {Fault::word_not_settled, Step::word_settled, left_out},
    {Fault::replicas_not_copied_back, Step::copied_back, left_out},
    {Fault::copy_not_refreshed, Step::all_copied, left_out},
    {Fault::copy_not_flushed_whole, Step::all_flushed, left_out},
    {Fault::wrong_copy_copied_back, Step::copy_that_counts, "", all_but_one},
    {Fault::replicas_end_early, Step::copied_back_before_turn, "10"},
    {Fault::no_shading, Step::shade, left_out},
    {Fault::keep_unreached, Step::large_block_reached, "", yes},
    {Fault::leak_neighbours, Step::small_blocks_unreached, "", without_neighbours},
    {Fault::mark_before_replay, Step::replay_before_mark, "10"},
    {Fault::mark_before_replay, Step::mark_at_once, "", yes},
    {Fault::replay_youngest_first, Step::replay_order, "", reversed},
    {Fault::parts_replayed_whole, Step::written_bytes, "", everything},
    {Fault::believe_torn_records, Step::record_whole, "", yes},
    {Fault::believe_lone_parts, Step::record_complete, "", yes},
    {Fault::records_not_settled, Step::records_settled, left_out},
    {Fault::decision_not_settled, Step::decision_settled, left_out},
    {Fault::ended_rolled_back, Step::undo_counts, "", yes},
    {Fault::preparations_go_early, Step::carried_out_before_clear, "10"},
    {Fault::left_over_dropped, Step::decision_carried_out, "", yes},
    {Fault::cut_before_header, Step::header_before_cut, "10"},
    {Fault::header_once, Step::second_header, left_out},
    {Fault::good_header_first, Step::good_header, "", yes},
    {Fault::rewrite_before_header, Step::header_before_rewrite, "10"},
    {Fault::moving_header_not_settled, Step::moving_header_settled, left_out},
    {Fault::moved_words_not_settled, Step::moved_words_settled, "", no},
};

constinit Fault seeded = Fault::none;
constinit bool has_paused = false;

const Change* change_at(unsigned step) noexcept {
  if (seeded == Fault::none) return nullptr;
  const auto* const change = std::ranges::find_if(
      changes, [&](const Change& each) { return each.fault == seeded && static_cast<unsigned>(each.step) == step; });
  return change == std::end(changes) ? nullptr : change;
}

/// Time enough for another thread to fill a batch or two. One thread at a time: those that wait retire nothing.
void let_others_run() noexcept {
  constexpr int long_enough = 1000;
  has_paused = true;
  for (int i = 0; i < long_enough; ++i) scheduler.yield();
}

}  // namespace

void seed(Fault fault) noexcept { seeded = fault; }
void begin_run_with_fault() noexcept { has_paused = false; }

bool is_left_out(unsigned step) noexcept { return change_at(step) != nullptr; }

std::size_t at_turn(unsigned step, std::size_t turn, std::size_t) noexcept {
  const Change* const change = change_at(step);
  if (change == nullptr) return turn;
  if (change->pause_at != 0 && change->pause_at == turn && !has_paused) let_others_run();
  return static_cast<std::size_t>(change->order[turn] - '0');
}

std::uint64_t altered(unsigned step, std::uint64_t right) noexcept {
  const Change* const change = change_at(step);
  return change == nullptr ? right : change->altered(right);
}

}  // namespace perdure::simulate
