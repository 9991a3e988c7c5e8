#include "recover/coordinator.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "disk/recover_image.h"
#include "log/commit_record.h"
#include "log/decisions.h"
#include "persist/durable.h"
#include "persist/step.h"
#include "pool/file_view.h"
#include "pool/header.h"
#include "pool/refuse.h"
#include "recover/replay_records.h"

namespace perdure::recover {
namespace {

using log::Participant;
using log::TransactionId;
using std::filesystem::path;

/// Those that are open for writing.
struct EnteredPools {
  std::mutex mutex;  // also for the decisions that are left over in them
  std::vector<alloc::Heap*> heaps;

  alloc::Heap* find(const pool::Uuid& uuid) {
    const auto found =
        std::ranges::find(heaps, uuid, [](const alloc::Heap* heap) { return heap->mapping().header().uuid; });
    return found == heaps.end() ? nullptr : *found;
  }
};

EnteredPools& entered_pools() {
  static auto* const pools = new EnteredPools;  // a pool in a static variable may be closed late
  return *pools;
}

Participant participant(const alloc::Heap& heap) { return {heap.mapping().header().uuid, current_run(heap)}; }

/// The number of the last run in a file; none if it is damaged.
std::optional<std::uint64_t> run_in(const pool::FileView& file) {
  const log::CheckedNumber& run = log::watermark_in(file.base()).run;
  return run.is_sound() ? std::optional(run.value()) : std::nullopt;
}

/// Makes durable what a killed process may have stored and not flushed.
void settle(const log::Decision& decision) {
  persistence::perform<persistence::Step::decision_settled>([&] {
    persistence::settle(&decision, decision.bytes());
    persistence::complete_changes();
  });
}

/// In a page that nobody changes.
bool is_decided_in(const log::DecisionPage& page, const TransactionId& transaction, const Participant& asking) {
  for (const log::Decision& decision : page.decisions) {
    if (!decision.is_of(transaction) || !decision.has(asking)) continue;
    settle(decision);
    return true;
  }
  return false;
}

/// The beginning of a pool, with what its log holds, if it has one.
std::optional<pool::FileView> view(const path& path, const pool::Uuid& uuid) {
  auto file = pool::FileView::open(path);
  if (!file || file->header().uuid != uuid) return std::nullopt;
  if ((file->header().incompatible_features & pool::logged) != 0)
    disk::replay_in_memory(path, file->own_base(), pool::FileView::bytes);
  return file;
}

/// A pool's file with this identity in the folder.
std::optional<pool::FileView> find_in(const path& folder, const pool::Uuid& uuid) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error))
    if (auto file = view(entry->path(), uuid)) return file;
  return std::nullopt;
}

/// Where the coordinator was: see log::Preparation::path.
struct LastSeen {
  explicit LastSeen(const log::Preparation& preparation) {
    const std::string_view text(preparation.path.data(), preparation.path_bytes);
    const std::size_t end = text.find('\0');
    if (end == text.npos) return;
    absolute = text.substr(0, end);
    relative = text.substr(end + 1, text.find('\0', end + 1) - end - 1);
  }
  path absolute;
  path relative;
};

std::optional<pool::FileView> find_coordinator(const alloc::Heap& heap, const log::Preparation& preparation,
                                               const LastSeen& last_seen) {
  const path folder = heap.mapping().absolute_path().parent_path();
  if (!last_seen.absolute.empty())
    for (const path& candidate : {folder / last_seen.relative, last_seen.absolute})
      if (auto file = view(candidate, preparation.coordinator)) return file;
  if (auto file = find_in(folder, preparation.coordinator)) return file;
  if (last_seen.absolute.empty()) return std::nullopt;
  return find_in(last_seen.absolute.parent_path(), preparation.coordinator);
}

[[noreturn]] void refuse_without(const alloc::Heap& heap, const log::Preparation& preparation,
                                 const LastSeen& last_seen, const std::string& why) {
  const std::string name = last_seen.absolute.empty() ? "" : "'" + last_seen.absolute.filename().string() + "' ";
  const std::string where =
      last_seen.absolute.empty() ? "" : ", which was last at '" + last_seen.absolute.string() + "'";
  pool::refuse(PoolError::Kind::pool_missing, heap.mapping().path(),
               "a crash has cut short a transaction over several pools, and whether it counts says the pool " + name +
                   "with UUID " + pool::spell_uuid(preparation.coordinator) + where + ": " + why +
                   ". Put that pool's file there, or into the folder of this one, or open it first. Nothing was "
                   "changed.");
}

/// Whether all participants have begun another run since the decision. \param folder  to look for their files in; may
/// be null.
bool is_carried_out(const log::Decision& decision, const path* folder) {
  const auto end = decision.participants.begin() + static_cast<std::ptrdiff_t>(decision.participant_count);
  const bool by_all = std::all_of(decision.participants.begin(), end, [&](const Participant& waiting) {
    if (const alloc::Heap* const heap = entered_pools().find(waiting.uuid)) return current_run(*heap) > waiting.run;
    if (folder == nullptr) return false;
    // Its run is stored after what it had prepared is dealt with, durably; so it may be believed before it is durable.
    const auto file = find_in(*folder, waiting.uuid);
    return file && run_in(*file).value_or(0) > waiting.run;
  });
  return persistence::value<persistence::Step::decision_carried_out>(by_all);
}

/// Frees the decisions in a pool that nobody will ask for.
void drop_carried_out(const alloc::Heap& heap, const path* folder) {
  log::Decisions& decisions = log::decisions[heap.mapping().slot()];
  if (!decisions.has_left_over()) return;
  decisions.for_each_left_over([&](std::size_t place, const log::Decision& decision) {
    if (is_carried_out(decision, folder)) decisions.drop(place);
  });
}

}  // namespace

bool is_decided(alloc::Heap& heap, const log::Preparation& preparation) {
  const Participant asking = participant(heap);
  if (preparation.coordinator == asking.uuid)
    return is_decided_in(log::decision_page(heap.mapping().base()), preparation.transaction, asking);

  EnteredPools& entered = entered_pools();
  const std::scoped_lock lock(entered.mutex);
  if (const alloc::Heap* const coordinator = entered.find(preparation.coordinator)) {
    bool found = false;
    // What is left over is durable since the coordinator was recovered; what else is there is being written.
    log::decisions[coordinator->mapping().slot()].for_each_left_over([&](std::size_t, const log::Decision& decision) {
      found |= decision.is_of(preparation.transaction) && decision.has(asking);
    });
    // It has been opened since, so it has begun another run.
    if (!found && current_run(*coordinator) <= preparation.transaction.run)
      refuse_without(heap, preparation, LastSeen(preparation), "what is open in this process is an older copy of it");
    return found;
  }
  const LastSeen last_seen(preparation);
  const auto file = find_coordinator(heap, preparation, last_seen);
  if (!file) refuse_without(heap, preparation, last_seen, "it is not to be found");
  const auto run = run_in(*file);
  if (!run) refuse_without(heap, preparation, last_seen, "what is there now is damaged");
  if (*run < preparation.transaction.run)
    refuse_without(heap, preparation, last_seen, "what is there now is an older copy of it");
  return is_decided_in(log::decision_page(file->base()), preparation.transaction, asking);
}

void enter_pool(alloc::Heap& heap, bool may_hold_decisions) {
  EnteredPools& entered = entered_pools();
  const std::scoped_lock lock(entered.mutex);
  const pool::Mapping& mapping = heap.mapping();
  log::decisions[mapping.slot()].open(log::decision_page(mapping.base()), current_run(heap), may_hold_decisions);
  entered.heaps.push_back(&heap);
  try {
    const path folder = mapping.absolute_path().parent_path();
    for (const alloc::Heap* const other : entered.heaps) drop_carried_out(*other, other == &heap ? &folder : nullptr);
  } catch (const std::exception&) {  // no memory: what could be freed stays until a pool is opened next
  }
}

void leave_pool(alloc::Heap& heap) {
  EnteredPools& entered = entered_pools();
  const std::scoped_lock lock(entered.mutex);
  std::erase(entered.heaps, &heap);
  log::decisions[heap.mapping().slot()].close();
}

}  // namespace perdure::recover
