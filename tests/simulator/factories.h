#ifndef PERDURE_TESTS_SIMULATOR_FACTORIES_H
#define PERDURE_TESTS_SIMULATOR_FACTORIES_H

#include <memory>

#include "simulate/workload.h"

/// The workloads, by the file that they are in.
namespace perdure::simulate {

// words.cc
std::unique_ptr<Workload> make_counter();
std::unique_ptr<Workload> make_swap();
std::unique_ptr<Workload> make_parts();
std::unique_ptr<Workload> make_change_of_mind();
std::unique_ptr<Workload> make_scattered();

// copies.cc
std::unique_ptr<Workload> make_apart();
std::unique_ptr<Workload> make_left_behind();
std::unique_ptr<Workload> make_observed();

// held_up.cc
std::unique_ptr<Workload> make_held_up();
// transfers.cc
std::unique_ptr<Workload> make_transfers();
std::unique_ptr<Workload> make_transfers_reopened();

// helpers.cc
std::unique_ptr<Workload> make_helpers();

// blocks.cc
std::unique_ptr<Workload> make_list();
std::unique_ptr<Workload> make_aborts();
std::unique_ptr<Workload> make_exceptions();
std::unique_ptr<Workload> make_late_link();
std::unique_ptr<Workload> make_replace();
std::unique_ptr<Workload> make_growth();
std::unique_ptr<Workload> make_reuse();

// structures.cc
std::unique_ptr<Workload> make_nested();
std::unique_ptr<Workload> make_roots();
std::unique_ptr<Workload> make_several_pools();
std::unique_ptr<Workload> make_large();

// marking.cc
std::unique_ptr<Workload> make_marking();

// relocation.cc
std::unique_ptr<Workload> make_relocation();

// compaction.cc
std::unique_ptr<Workload> make_compaction();

// root_changes.cc
std::unique_ptr<Workload> make_root_changes();

// threads.cc
std::unique_ptr<Workload> make_relay();
std::unique_ptr<Workload> make_unequal();
std::unique_ptr<Workload> make_shared_list();

// tally.cc
std::unique_ptr<Workload> make_tally();

// containers.cc
std::unique_ptr<Workload> make_map();
std::unique_ptr<Workload> make_hash();

// debris.cc
std::unique_ptr<Workload> make_debris();

// space.cc
std::unique_ptr<Workload> make_space();

// codes.cc
std::unique_ptr<Workload> make_codes();
// persisting.cc
std::unique_ptr<Workload> make_persisting();
// layouts.cc
std::unique_ptr<Workload> make_layouts();

// wanderers.cc
std::unique_ptr<Workload> make_wanderers();

// crossings.cc
std::unique_ptr<Workload> make_crossing();
std::unique_ptr<Workload> make_crossing_reversed();
std::unique_ptr<Workload> make_crossing_apart();
std::unique_ptr<Workload> make_crossing_apart_reversed();
std::unique_ptr<Workload> make_crossing_three();
std::unique_ptr<Workload> make_crossings();

// aftermath.cc
std::unique_ptr<Workload> make_crossing_departed();
std::unique_ptr<Workload> make_crossing_full();
std::unique_ptr<Workload> make_crossing_held();

// benchmarks.cc
std::unique_ptr<Workload> make_tree();
std::unique_ptr<Workload> make_tpcc();

// serial.cc
std::unique_ptr<Workload> make_serial();
std::unique_ptr<Workload> make_serial_once();
std::unique_ptr<Workload> make_becomes_serial();
std::unique_ptr<Workload> make_serial_beside_others();

// sole.cc
std::unique_ptr<Workload> make_sole_beside_others();
std::unique_ptr<Workload> make_reused_alone();
std::unique_ptr<Workload> make_reused_by_others();

// handover.cc
std::unique_ptr<Workload> make_handover();

// memo.cc
std::unique_ptr<Workload> make_memo();
std::unique_ptr<Workload> make_evicting_memo();
std::unique_ptr<Workload> make_shared_memo();

}  // namespace perdure::simulate

#endif
