#include "workloads.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "alloc/heap.h"
#include "factories.h"
#include "persist/instance.h"
#include "simulate/options.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

constexpr std::string_view left_behind = "left_behind";

constexpr NamedWorkload all_small[] = {
    {"counter", make_counter},
    {"swap", make_swap},
    {"parts", make_parts},
    {"apart", make_apart, Threads::one, Size::medium},
    {"list", make_list},
    {"scattered", make_scattered, Threads::one, Size::medium},
    {"late_link", make_late_link},
    {"roots", make_roots, Threads::one, Size::medium},
    {"root_changes", make_root_changes, Threads::one, Size::medium},
    {"aborts", make_aborts, Threads::one, Size::medium},
    {"exceptions", make_exceptions, Threads::one, Size::medium},
    {"change_of_mind", make_change_of_mind, Threads::one, Size::medium},
    {"replace", make_replace, Threads::one, Size::medium},
    {"nested", make_nested, Threads::one, Size::medium},
    {"several_pools", make_several_pools, Threads::one, Size::medium},
    {"held_up", make_held_up, Threads::one, Size::medium},
    {"relay", make_relay, Threads::several, Size::medium},
    {"observed", make_observed, Threads::several, Size::medium},
    {"tally", make_tally, Threads::several, Size::medium},
    {"unequal", make_unequal, Threads::several, Size::medium},
    {"helpers", make_helpers, Threads::several, Size::medium},
    {"transfers", make_transfers, Threads::several, Size::medium},
    {"transfers_reopened", make_transfers_reopened, Threads::several, Size::medium},
    {"handover", make_handover, Threads::several, Size::medium},
    {"shared_list", make_shared_list, Threads::several, Size::medium},
    {"memo", make_memo, Threads::one, Size::medium},
    {"evicting_memo", make_evicting_memo, Threads::one, Size::medium},
    {"shared_memo", make_shared_memo, Threads::several, Size::medium},
    {"serial_once", make_serial_once},
    {"becomes_serial", make_becomes_serial},
    {"serial", make_serial, Threads::one, Size::medium},
    {"serial_beside_others", make_serial_beside_others, Threads::several, Size::medium},
    {"sole_beside_others", make_sole_beside_others, Threads::several, Size::medium},
    {"reused_alone", make_reused_alone, Threads::one, Size::medium},
    {"reused_by_others", make_reused_by_others, Threads::one, Size::medium},
    {"reuse", make_reuse, Threads::one, Size::medium},
    {"growth", make_growth, Threads::one, Size::medium},
    {"space", make_space, Threads::one, Size::medium},
    {"codes", make_codes, Threads::one, Size::medium},
    {"persisting", make_persisting, Threads::one, Size::medium},
    {"layouts", make_layouts, Threads::one, Size::medium},
    {"marking", make_marking, Threads::one, Size::medium},
    {"relocation", make_relocation, Threads::one, Size::medium},
    {"compaction", make_compaction, Threads::one, Size::medium},
    {"wanderers", make_wanderers, Threads::several, Size::lengthy},
    {"debris", make_debris, Threads::several, Size::lengthy},
    {"large", make_large, Threads::one, Size::large},
    {left_behind, make_left_behind, Threads::several, Size::medium},
    // Transactions over several pools.
    {"crossing", make_crossing, Threads::one, Size::medium},
    {"crossing_reversed", make_crossing_reversed, Threads::one, Size::medium},
    {"crossing_apart", make_crossing_apart, Threads::one, Size::medium},
    {"crossing_apart_reversed", make_crossing_apart_reversed, Threads::one, Size::medium},
    {"crossing_departed", make_crossing_departed, Threads::one, Size::medium},
    {"crossing_full", make_crossing_full, Threads::one, Size::medium},
    {"crossing_held", make_crossing_held, Threads::one, Size::medium},
    {"crossings", make_crossings, Threads::several, Size::lengthy},
    {"crossing_three", make_crossing_three, Threads::one, Size::large},
};
constexpr NamedWorkload all_sampled[] = {
    {"map", make_map, Threads::one, Size::large},
    {"hash", make_hash, Threads::one, Size::large},
    {"tree", make_tree, Threads::one, Size::large},
    {"tpcc", make_tpcc, Threads::one, Size::large},
};

constexpr std::uint64_t closer = ~std::uint64_t{0};

}  // namespace

std::vector<Strategy> schedules_for(const NamedWorkload& workload, std::size_t count) {
  if (workload.threads == Threads::one) return {Strategy{}};
  return mixed_schedules(count);
}

std::span<const NamedWorkload> small_workloads() {
  static const std::vector<NamedWorkload> possible = [] {
    std::vector<NamedWorkload> result;
    std::ranges::copy_if(all_small, std::back_inserter(result), [](const NamedWorkload& each) {
      return instance.facts.replicas ? !each.name.starts_with("crossing") : each.name != left_behind;
    });
    return result;
  }();
  return possible;
}
std::span<const NamedWorkload> sampled_workloads() { return all_sampled; }

void close(Pool& pool) {
  begin(closer, 1);
  pool.close();
  acknowledge(closer, 1);
}

void check_closed(const Pools& pools, const Notes& notes) {
  if (notes.acknowledged(closer) == 0 || notes.reopened()) return;
  for (const Pool& pool : pools)
    require(pool.report().state == OpenReport::State::clean, "a pool that was closed is not clean");
}

std::size_t blocks_in_use(const void* inside) {
  alloc::Heap& heap = *alloc::heap_of(inside);
  alloc::Superblocks& superblocks = heap.superblocks();
  std::size_t blocks = 0;
  for (std::uint64_t number = pool::first_superblock; number < superblocks.count(); ++number) {
    const alloc::Use use = superblocks.use(number);
    if (use == alloc::Use::large) ++blocks;
    if (is_small(use))
      blocks += alloc::blocks_in_superblock(alloc::class_of(use)) - heap.small_blocks().bitmap(number).free;
  }
  return blocks;
}

}  // namespace perdure::simulate
