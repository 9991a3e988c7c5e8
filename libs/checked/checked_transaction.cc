#include "checked/checked_transaction.h"

#include <algorithm>

#include "abi/entry_points.h"
#include "checked/check_report.h"
#include "checked/freed_blocks.h"
#include "entry/allocation.h"
#include "entry/symbol_name.h"
#include "pool/window.h"
#include "sched/of_thread.h"
#include "tx/abort.h"

namespace perdure::checked {

namespace {

const char* remedy_for(const void* pointer) {
  if (pool::in_window(pointer)) return "Open that pool first, and start from its roots.";
  if (entry::name_of_symbol(pointer))
    return "Copy what it leads to into the pool, or store a number or a name that tells what is meant. Linked with "
           "-no-pie, a program has its variables at the same addresses in each run.";
  return "Allocate what it leads to in a transaction, copy it into the pool, or store a number or a name that tells "
         "what is meant.";
}

}  // namespace

CheckedTransaction& checked_transaction() { return sched::of_thread<CheckedTransaction>(); }

void CheckedTransaction::begin() {
  is_running_ = true;
  volatile_.clear();
  pointers_.clear();
  links_.clear();
  freed_.clear();
}

const char* CheckedTransaction::place_of_free(const void* block) const {
  const auto found = std::find_if(freed_.begin(), freed_.end(), [&](const auto& free) { return free.first == block; });
  return found == freed_.end() ? nullptr : found->second;
}

/// As the transaction sees it.
bool CheckedTransaction::is_there(const Stored& stored) {
  const void* now = nullptr;
  perdure_read_bytes(&now, stored.address, sizeof now);
  return now == stored.value;
}

CheckedTransaction::Block* CheckedTransaction::find(Blocks& blocks, const void* address) {
  const auto* const byte = static_cast<const std::byte*>(address);
  auto next = blocks.upper_bound(byte);
  if (next == blocks.begin()) return nullptr;
  auto& [begin, block] = *--next;
  return static_cast<std::size_t>(byte - begin) < block.bytes ? &block : nullptr;
}

/// \returns whether this reaches a block that was not reached before.
bool CheckedTransaction::reach(const void* from, const void* to) {
  Block* const target = find(new_blocks_, to);
  if (target == nullptr || target->is_reached || !pool::in_window(from)) return false;
  const Block* const source = find(new_blocks_, from);
  return target->is_reached = source == nullptr || source->is_reached;
}

void CheckedTransaction::find_reached() {
  std::erase_if(pointers_, [](const Stored& stored) { return !is_there(stored); });
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const Stored& stored : pointers_) has_changed |= reach(stored.address, stored.value);
    for (const auto& [from, to] : links_) has_changed |= reach(from, to);
  }
}

bool CheckedTransaction::does_harm(const Stored& stored) {
  if (find(freed_blocks_, stored.address) != nullptr || !is_there(stored)) return false;
  const Block* const block = find(new_blocks_, stored.address);
  return block == nullptr || block->is_reached;
}

void CheckedTransaction::judge() {
  ended_at_ = freed_blocks().now();
  const auto note = [](void* block, std::size_t bytes, void* blocks) {
    if (pool::in_window(block)) static_cast<Blocks*>(blocks)->insert({static_cast<std::byte*>(block), {bytes}});
  };
  new_blocks_.clear();
  freed_blocks_.clear();
  entry::for_each_allocated(note, &new_blocks_);
  entry::for_each_freed(note, &freed_blocks_);
  // Before the commit: whoever finds the block then may free it at once. If this aborts, a double free may be missed.
  for (const auto& [block, bytes] : new_blocks_) freed_blocks().note_allocated(block, ended_at_);
  if (volatile_.empty()) return;
  find_reached();
  for (const Stored& stored : volatile_)
    if (does_harm(stored) && is_certain(stored.address))
      report_volatile_pointer(stored.address, stored.value, stored.place);
}

bool CheckedTransaction::is_certain(const void* memory) {
  if (entry::is_in_serial_transaction()) return true;
  if (std::find(suspects_.begin(), suspects_.end(), memory) != suspects_.end()) return true;
  suspects_.push_back(memory);
  tx::abort(tx::CommitResult::validation);
}

void CheckedTransaction::end(bool has_committed) {
  is_running_ = false;
  suspects_.clear();
  if (!has_committed) return;
  for (const auto& [block, place] : freed_) freed_blocks().note_freed(block, ended_at_, place);
}

void report_volatile_pointer(const void* address, const void* value, const char* place) {
  const bool is_in_closed_pool = pool::in_window(value);
  report({is_in_closed_pool ? "a pool holds a pointer to memory of no open pool"
                            : "a pool holds a pointer to volatile memory, which is gone in the next run",
          place,
          "  it leads to " + (is_in_closed_pool ? describe_in_pool(value) : describe_volatile(value)) +
              "\n  it lies at " + describe_in_pool(address) + "\n",
          remedy_for(value)});
}

}  // namespace perdure::checked
