#!/bin/sh
# Measures: sets up, builds, and runs a campaign; tables, CSV and plots go to results/.
set -eu
cd "$(dirname "$(readlink -f "$0")")"
build=build/llvm19

campaign() {
  /usr/bin/python3 scripts/campaign.py "$@"
}

case ${1:-quick} in
  help | -h | --help)
    echo "usage: ./run.sh [campaign] [options]"
    echo "  quick (default)  TPC-C on every library at 1 and 2 threads; about 10 minutes"
    echo "  help             this text"
    echo "Results: results/. Other campaigns and the options:"
    if test -x /usr/bin/python3; then campaign --help; else echo "  (run make setup first)"; fi
    exit 0
    ;;
esac

name=${1:-quick}
test $# -eq 0 || shift
make --no-print-directory setup build BUILD="$build"
campaign "$name" --build "$build" --results results "$@"
