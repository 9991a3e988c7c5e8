# Libraries that differ from one of the table by switches, as "<library> <name> <switch>…": <library>_<name>. They are
# built where something links them.

function(perdure_add_variants list variant)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "WITH;SWITCHES")
  perdure_select(libraries "${perdure_table_of_libraries}" ${arg_WITH})
  list(JOIN arg_SWITCHES " " switches)
  foreach(library IN LISTS libraries)
    list(APPEND ${list} "${library} ${variant} ${switches}")
  endforeach()
  list(REMOVE_DUPLICATES ${list})
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# Published, and wrong: for tests.
set(perdure_mistakes "")
perdure_add_variants(perdure_mistakes reusing WITH mode=ip log=redo SWITCHES immediate_reuse=true)
perdure_add_variants(perdure_mistakes reusing WITH mode=ip doomed_readers=ON SWITCHES immediate_reuse=true)

# Locks are taken in hardware transactions, where the processor has them.
set(perdure_elisions "")
perdure_add_variants(perdure_elisions htm WITH algorithm=orec_lazy SWITCHES locks_in_hardware=true)
# Transactions run there, too.
perdure_add_variants(perdure_elisions hybrid WITH algorithm=orec_lazy
  SWITCHES locks_in_hardware=true runs_in_hardware=true)

# Single switches turned over, for the tables of the paper that measure each optimisation alone (scripts/tables.py).
set(perdure_variants "")
# Table II
perdure_add_variants(perdure_variants tracking WITH mode=naive SWITCHES last_allocation_tracking=true)
# Table III
foreach(bytes IN ITEMS 16 32 64)
  perdure_add_variants(perdure_variants chunks${bytes} WITH mode=naive SWITCHES granularity=${bytes})
endforeach()
# Table IV
perdure_add_variants(perdure_variants pipelining WITH mode=naive algorithm=tlrw SWITCHES fence_pipelining=true)
# Table V
perdure_add_variants(perdure_variants deferred WITH mode=naive log=redo SWITCHES deferred_flushing=true)

# Any algorithm can be built with any subset of the switches: some, for tests, in which all are on and off together.
set(perdure_subsets
  "lock_eager_naive tracking_chunks16 last_allocation_tracking=true granularity=16"
  "lock_lazy_naive tracking_chunks64_deferred last_allocation_tracking=true granularity=64 deferred_flushing=true"
  "orec_eager_naive tracking_chunks64 last_allocation_tracking=true granularity=64"
  "orec_lazy_naive tracking_chunks16_deferred last_allocation_tracking=true granularity=16 deferred_flushing=true"
  "orec_mixed_naive chunks32_coalesced granularity=32 coalesced_flushes=true"
  "norec_naive tracking_coalesced_deferred last_allocation_tracking=true coalesced_flushes=true deferred_flushing=true"
  "tlrw_naive pipelining_chunks16 fence_pipelining=true granularity=16"
  "tlrw_naive tracking_pipelining_chunks64 last_allocation_tracking=true fence_pipelining=true granularity=64"
  "ring_naive chunks64_coalesced_deferred granularity=64 coalesced_flushes=true deferred_flushing=true")
