# The libraries: one line each, an algorithm (algorithms/<algorithm>.h) and a mode (algorithms/mode.h).
# A new line here is a new library in every test, every benchmark and every plot. A yardstick has no mode in its name.
set(perdure_table
  "lock      stm"
  "orec_lazy stm"
  "orec_lazy naive"
  "orec_lazy gp"
  "orec_lazy ip"
  "norec     stm"
  "norec     naive"
  "norec     gp"
  "norec     ip"
  "seq       yardstick"
  "floor     yardstick")

set(perdure_default_library orec_lazy_ip)
