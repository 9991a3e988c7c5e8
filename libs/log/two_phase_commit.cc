#include "log/two_phase_commit.h"

#include <atomic>
#include <cstring>
#include <filesystem>
#include <string>

#include "log/commit_record.h"
#include "persist/durable.h"

namespace perdure::log {
namespace {

std::uint64_t run_of(const alloc::Heap& heap) { return watermark_in(heap.mapping().base()).run.value(); }

/// See Preparation::path.
std::string spell_paths(const alloc::Heap& coordinator, const alloc::Heap& participant) {
  const std::filesystem::path& absolute = coordinator.mapping().absolute_path();
  const auto relative = absolute.lexically_relative(participant.mapping().absolute_path().parent_path());
  std::string text = absolute.string() + '\0' + relative.string() + '\0';
  return text.size() <= std::tuple_size_v<decltype(Preparation::path)> ? text : std::string();
}

}  // namespace

LogResult TwoPhaseCommit::join(alloc::Heap& heap) noexcept {
  if (heap.mapping().read_only()) return LogResult::read_only_pool;
  heap.superblocks().use_features(pool::transactions_over_pools);
  if (members_.empty())
    if (const LogResult result = become_coordinator(heap); result != LogResult::written) return result;
  auto* const segment = static_cast<Preparation*>(heap.allocate_log_segment());
  if (segment == nullptr) return why_no_segment(heap);
  members_.push_back({&heap, segment});
  if (segment->header.kind != LogKind::prepared) {
    // What the segment was it is not any more, before it holds anything else.
    segment->header.kind = LogKind::prepared;
    persistence::note_change(&segment->header, sizeof segment->header);
    persistence::complete_changes();
  }
  return LogResult::written;
}

LogResult TwoPhaseCommit::become_coordinator(alloc::Heap& heap) noexcept {
  Decisions& all = decisions[heap.mapping().slot()];
  const auto place = all.take();
  if (!place) return all.are_all_left_over() ? LogResult::decisions_full : LogResult::decisions_busy;
  place_ = *place;
  has_place_ = true;
  coordinator_ = &heap;
  transaction_ = all.next_transaction();
  return LogResult::written;
}

void TwoPhaseCommit::prepare(std::size_t member, const SegmentHeader& log) noexcept {
  const auto& [heap, preparation] = members_[member];
  const std::string paths = spell_paths(*coordinator_, *heap);
  is_prepared_ = true;
  preparation->transaction = transaction_;
  preparation->coordinator = coordinator_->mapping().header().uuid;
  preparation->run = run_of(*heap);
  preparation->log = reinterpret_cast<std::uint64_t>(&log);
  preparation->log_generation = log.generation;
  preparation->path_bytes = paths.size();
  std::memcpy(preparation->path.data(), paths.data(), paths.size());
  std::atomic_ref(preparation->header.status).store(preparation->right_status(), std::memory_order_release);
  persistence::note_change(preparation, preparation->bytes());
}

void TwoPhaseCommit::decide() noexcept {
  Decision& decision = decisions[coordinator_->mapping().slot()][place_];
  decision.transaction = transaction_;
  decision.participant_count = members_.size();
  decision.reserved = {};
  for (std::size_t i = 0; i < members_.size(); ++i)
    decision.participants[i] = {members_[i].heap->mapping().header().uuid, run_of(*members_[i].heap)};
  decision.seal();
  persistence::note_change(&decision, decision.bytes());
  persistence::complete_changes();  // the commit point: before any log of the transaction counts by itself, and before
                                    // it can be seen
}

void TwoPhaseCommit::finish() noexcept {
  persistence::complete_changes();  // before the logs are used otherwise, and before anything younger is about their
                                    // locations
  is_prepared_ = false;
}

void TwoPhaseCommit::abandon() noexcept {
  if (!is_prepared_) return;
  clear_preparations();
  persistence::complete_changes();  // before their logs are used otherwise
  is_prepared_ = false;
}

void TwoPhaseCommit::clear_preparations() noexcept {
  for (const Member& member : members_) {
    store_status(member.preparation->header, inactive);
    persistence::note_change(&member.preparation->header.status, sizeof member.preparation->header.status);
  }
}

void TwoPhaseCommit::free_decision() noexcept {
  Decision& decision = decisions[coordinator_->mapping().slot()][place_];
  std::atomic_ref(decision.checksum).store(0, std::memory_order_release);
  persistence::note_change(&decision.checksum, sizeof decision.checksum);
}

void TwoPhaseCommit::leave() noexcept {
  for (const Member& member : members_) member.heap->release_log_segment(member.preparation);
  members_.clear();
  if (has_place_) decisions[coordinator_->mapping().slot()].give_back(place_);
  has_place_ = false;
}

}  // namespace perdure::log
