# The libraries: one line each, an algorithm (algorithms/<algorithm>.h) and the modes (algorithms/mode.h) it comes in.
# A new word here is a new library in every test, every benchmark and every plot. A yardstick has no mode in its name.
set(perdure_table
  "lock       stm"
  "lock_eager     naive gp ip gpw"
  "lock_lazy      naive gp ip gpw fast"
  "orec_eager stm naive gp ip gpw"
  "orec_lazy  stm naive gp ip gpw fast"
  "orec_mixed stm naive gp ip gpw fast"
  "norec      stm naive gp ip gpw fast"
  "tlrw       stm naive gp ip gpw"
  "ring       stm naive gp ip gpw fast"
  "seq        yardstick"
  "floor      yardstick")

# The modes whose libraries survive crashes.
set(perdure_durable_modes "naive|gp|ip|gpw|fast")

# The algorithms that the crash simulator has versions of (…_sim), and the libraries whose exploration is part of
# `make test`.
set(perdure_simulated_algorithms lock_eager lock_lazy orec_eager orec_lazy orec_mixed norec tlrw ring)
set(perdure_simulated_in_short_tests
  orec_lazy_naive_sim orec_lazy_gp_sim orec_lazy_ip_sim orec_lazy_fast_sim
  orec_eager_ip_sim norec_ip_sim tlrw_ip_sim ring_gpw_sim)

set(perdure_default_library orec_lazy_fast)

# Tested in `make test` where a program is linked with many: every algorithm in the ideal model and in `fast`, and every
# other mode with some that differ in where they log and what they wait for. All others in the long tests.
set(perdure_in_short_tests
  lock_stm orec_eager_stm norec_stm tlrw_stm
  orec_lazy_naive lock_eager_naive
  lock_lazy_gp orec_eager_gp ring_gp
  lock_eager_ip lock_lazy_ip orec_eager_ip orec_lazy_ip orec_mixed_ip norec_ip tlrw_ip ring_ip
  orec_lazy_gpw tlrw_gpw
  lock_lazy_fast orec_lazy_fast orec_mixed_fast norec_fast ring_fast)

# Killed and recovered in `make test`: every algorithm, and every mode of one; all others in the long tests.
set(perdure_killed_in_short_tests orec_lazy_naive orec_lazy_gp orec_lazy_ip orec_lazy_gpw orec_lazy_fast
  lock_eager_ip lock_lazy_ip orec_eager_naive orec_eager_ip orec_mixed_ip norec_ip norec_fast tlrw_gp tlrw_ip ring_ip)

# Single switches turned over, for the tables of the paper that measure each optimisation alone: an algorithm, a mode,
# the name of the variant, and the switch. Built on demand (scripts/tables.py).
set(perdure_variants "")
foreach(algorithm IN ITEMS lock_lazy orec_eager orec_lazy orec_mixed norec ring)
  list(APPEND perdure_variants "${algorithm} ip reusing immediate_reuse=true")  # published, and wrong: for tests
endforeach()
foreach(algorithm IN ITEMS lock_eager lock_lazy orec_eager orec_lazy orec_mixed norec tlrw ring)
  list(APPEND perdure_variants "${algorithm} naive tracking last_allocation_tracking=true")   # Table II
  foreach(bytes IN ITEMS 16 32 64)
    list(APPEND perdure_variants "${algorithm} naive chunks${bytes} granularity=${bytes}")    # Table III
  endforeach()
endforeach()
list(APPEND perdure_variants "tlrw naive pipelining fence_pipelining=true")                   # Table IV
foreach(algorithm IN ITEMS lock_lazy orec_lazy orec_mixed norec ring)
  list(APPEND perdure_variants "${algorithm} naive deferred deferred_flushing=true")          # Table V
endforeach()

# Any algorithm can be built with any subset of the switches: some, for tests, in which all are on and off together.
set(perdure_subsets
  "lock_eager naive tracking_chunks16 last_allocation_tracking=true granularity=16"
  "lock_lazy naive tracking_chunks64_deferred last_allocation_tracking=true granularity=64 deferred_flushing=true"
  "orec_eager naive tracking_chunks64 last_allocation_tracking=true granularity=64"
  "orec_lazy naive tracking_chunks16_deferred last_allocation_tracking=true granularity=16 deferred_flushing=true"
  "orec_mixed naive chunks32_coalesced granularity=32 coalesced_flushes=true"
  "norec naive tracking_coalesced_deferred last_allocation_tracking=true coalesced_flushes=true deferred_flushing=true"
  "tlrw naive pipelining_chunks16 fence_pipelining=true granularity=16"
  "tlrw naive tracking_pipelining_chunks64 last_allocation_tracking=true fence_pipelining=true granularity=64"
  "ring naive chunks64_coalesced_deferred granularity=64 coalesced_flushes=true deferred_flushing=true")
