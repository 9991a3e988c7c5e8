#!/bin/sh
# Measures: sets up, builds what is needed, and runs a campaign; tables, CSV, plots and a page of all that was measured
# (report.html) go to results/.
set -eu
cd "$(dirname "$(readlink -f "$0")")"
build=build/llvm19

campaign() {
  /usr/bin/python3 scripts/campaign.py "$@"
}

# The page of all results has what was measured last, too; the status stays that of the measurement.
page() {
  status=$?
  /usr/bin/python3 scripts/report.py --results results || true
  exit "$status"
}

case ${1:-quick} in
  help | -h | --help)
    echo "usage: ./run.sh [campaign] [options]"
    echo "  quick (default)  the PACT'19 workloads, the main libraries, 1 and 2 threads; TATP on the disk here"
    echo "  all              all below but the letters: every figure and table; more than a day, --resume goes on;"
    echo "                   --short: with fewer points and trials, in three hours; --plan: only how long each takes"
    echo "  workloads        every workload on every library; about a day"
    echo "  b ... i          one of the PACT'19 paper's panels on every library; a: TPC-C as the standard has it"
    echo "  fig1 fig2 fig3   the figures of that paper: TPC-C; volatile and naive; gp, ip, gpw and fast; hours"
    echo "  table1           what self-relative pointers cost (PACT'19, Table I); minutes"
    echo "  table2 … table5  what each optimisation alone is worth (PACT'19, Tables II to V); minutes to an hour"
    echo "  peers            libpmemobj, a mutex, GCC's transactions, RocksDB and LevelDB beside the main libraries"
    echo "  disk             pools on the disk here, beside other stores and the least that a disk allows; an hour"
    echo "  stores           LevelDB's interface over pools beside LevelDB and RocksDB; an hour and a half"
    echo "  opening          how long those stores take to open, and their size, at 10^7 keys; a quarter of an hour"
    echo "  modes            the modes of every algorithm, with ratios; scaling: one thread and two"
    echo "  fast             the mode fast of every algorithm beside the yardsticks"
    echo "  latency          of TATP at fixed loads, in every mode of orec_lazy"
    echo "  icfp21           sets of the ICFP'21 paper, with ratios; icfp21-fig6, icfp21-fig8: its figures; an hour"
    echo "  eurosys4 … 9     figures of the EuroSys'20 paper: swaps, queue, sets, stores, their size; minutes to hours"
    echo "  atc20            go-pmem's small programs (ATC'20, Figures 5 to 8, 10) beside libpmemobj; half an hour"
    echo "  fairness         a long transaction among short ones, for every algorithm; about 5 minutes"
    echo "  allocation       binary trees and a churn beside libpmemobj and jemalloc; minutes"
    echo "  scale            simulated: the algorithms on 1 to 64 cores, from what they cost here; many minutes"
    echo "  scale_eurosys20  the same for the constructions, with swaps, the queue and sets"
    echo "  restart          time to the first transaction in pools of 64 MiB to 4 GiB, after a close and after a kill"
    echo "  fragmentation    a pool's size for each byte allocated, after 10^8 allocations and frees; half an hour"
    echo "  memoisation      results kept in a pool, beside those computed again (ICFP'21, Table 1); minutes"
    echo "  wakeups          how soon a thread goes on that waits by TM_RETRY, beside a condition variable; a minute"
    echo "  stopped          what three threads make while a fourth is stopped in an update; minutes"
    echo "  memcached        the memcached server beside memcached itself; about 3 minutes"
    echo "  compile-time     what the plugin adds to compiling; about 5 minutes"
    echo "  help             this text"
    echo "Results: results/, with a page of them all: results/report.html. All campaigns and the options:"
    if test -x /usr/bin/python3; then campaign --help; else echo "  (run make setup first)"; fi
    exit 0
    ;;
esac

name=${1:-quick}
test $# -eq 0 || shift
if test "$name" = compile-time; then
  make --no-print-directory setup build BUILD="$build" TARGETS=perdure_plugin
  trap page EXIT
  /usr/bin/python3 scripts/compile_time.py --build "$build" --results results "$@"
  exit
fi
if test "$name" = all; then
  make --no-print-directory setup
  exec /usr/bin/python3 scripts/everything.py "$@"
fi
case $name in
  fairness | memcached | restart | allocation | fragmentation | memoisation | wakeups | stopped | scale | opening | \
    scale_eurosys20 | atc20)
    make --no-print-directory setup
    make --no-print-directory build BUILD="$build" TARGETS="$(/usr/bin/python3 "scripts/$name.py" --programs "$@")"
    trap page EXIT
    /usr/bin/python3 "scripts/$name.py" --build "$build" --results results "$@"
    exit
    ;;
  table[1-5])
    make --no-print-directory setup build BUILD="$build" TARGETS=perdure_plugin
    trap page EXIT
    /usr/bin/python3 scripts/tables.py "$name" --build "$build" --results results "$@"
    exit
    ;;
esac
build_programs() {
  programs=$(campaign "$@" --programs)
  test -z "$programs" || make --no-print-directory build BUILD="$build" TARGETS="$programs"
}

if test "$name $*" = "quick " || test "$name ${1:-}" = "quick --trials"; then
  echo "run.sh: installs what is missing, builds the benchmarks and measures them: about 15 minutes on 2 cores with"
  echo "        nothing built, with a first table after 5. Then: ./run.sh help"
  make --no-print-directory setup
  build_programs first
  campaign first --build "$build" --results results
  echo "run.sh: that was the first table; now the others, each point several times"
fi
make --no-print-directory setup
build_programs "$name" "$@"
status=0 # where single runs failed, what the others measured is told all the same
campaign "$name" --build "$build" --results results "$@" || status=$?
case $name in
  icfp21*) test ! -f "results/$name.csv" || /usr/bin/python3 scripts/look_ups.py "results/$name.csv" ;;
esac
case $name in
  modes | scaling | fast | peers | disk | stores | icfp21 | eurosys*)
    trap page EXIT
    if test -f "results/$name.csv"; then
      /usr/bin/python3 scripts/ratios.py "results/$name.csv" | tee "results/$name-ratios.txt"
    fi
    ;;
esac
exit "$status"
