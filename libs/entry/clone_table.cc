#include "entry/clone_table.h"

#include <algorithm>

#include "entry/library_rows.h"
#include "sched/hold_during_fork.h"

namespace perdure::entry {

const CloneTable::Slot& CloneTable::Slots::slot_of(void* function) const {
  for (std::size_t position = position_of(function);; position = (position + 1) & (slots_.size() - 1)) {
    // Acquire: pairs with the release in `put`, so that the slot's other fields belong to this function.
    void* const found = slots_[position].function.load(std::memory_order_acquire);
    if (found == function || found == nullptr) return slots_[position];
  }
}

PerdureClone CloneTable::Slots::find(void* function) const {
  const Slot& slot = slot_of(function);
  // A slot that was free may be getting another function meanwhile, whose clone must not be taken for this one's.
  // Acquire: as in `slot_of`.
  if (slot.function.load(std::memory_order_acquire) != function) return {function, nullptr, nullptr};
  // Relaxed: a row changes only when a library is loaded or unloaded, which the caller of its functions waits for.
  return {function, slot.clone.load(std::memory_order_relaxed), slot.refusal.load(std::memory_order_relaxed)};
}

void CloneTable::Slots::put(const PerdureClone& row) {
  Slot& slot = const_cast<Slot&>(slot_of(row.function));
  slot.clone.store(row.clone, std::memory_order_relaxed);
  slot.refusal.store(row.refusal, std::memory_order_relaxed);
  if (slot.function.load(std::memory_order_relaxed) != nullptr) return;
  slot.function.store(row.function, std::memory_order_release);
  ++used_;
}

void CloneTable::add(std::span<const PerdureClone> rows) {
  const std::lock_guard lock(mutex_);
  for (const PerdureClone& row : rows) {
    if (row.function == nullptr) continue;  // a weak function that nobody defines
    rows_.emplace(row.function, row);
    publish(row.function);
  }
}

void CloneTable::remove(std::span<const PerdureClone> rows) {
  const std::lock_guard lock(mutex_);
  for (const PerdureClone& row : rows) {
    const auto [first, last] = rows_.equal_range(row.function);
    const auto same = std::find_if(first, last, [&](const auto& entry) { return entry.second.clone == row.clone; });
    if (same == last) continue;
    rows_.erase(same);
    publish(row.function);
  }
}

/// Shows lookups what is registered for the function. Files may disagree, because not all see the bodies of what it
/// calls: a clone beats a refusal.
void CloneTable::publish(void* function) {
  PerdureClone best{function, nullptr, nullptr};
  const auto [first, last] = rows_.equal_range(function);
  for (auto position = first; position != last && best.clone == nullptr; ++position) best = position->second;
  Slots* slots = slots_.load(std::memory_order_relaxed);
  if (slots == nullptr || slots->used() * 2 >= slots->capacity()) {
    grow();
    slots = slots_.load(std::memory_order_relaxed);
  }
  slots->put(best);
}

void CloneTable::grow() {
  constexpr unsigned first_bits = 8;
  const unsigned bits = first_bits + static_cast<unsigned>(generations_.size());
  auto larger = std::make_unique<Slots>(bits);
  for (const auto& [function, row] : rows_)
    if (row.clone != nullptr || larger->find(function).clone == nullptr) larger->put(row);
  // Release: pairs with the acquire in `find`.
  slots_.store(larger.get(), std::memory_order_release);
  generations_.push_back(std::move(larger));
}

namespace {

std::mutex& table_mutex() { return clone_table().mutex(); }

}  // namespace

CloneTable& clone_table() {
  static CloneTable& table = []() -> CloneTable& {
    sched::hold_during_fork<table_mutex>();
    auto& made = *new CloneTable;
    made.add(rows_of_library());
    made.add(rows_of_exceptions());
    made.add(rows_of_error_categories());
    return made;
  }();
  return table;
}

CloneTable& serial_clone_table() {
  static auto& table = *new CloneTable;
  return table;
}

}  // namespace perdure::entry
