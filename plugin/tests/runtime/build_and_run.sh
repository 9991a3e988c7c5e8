# build_and_run.sh <clang++> <plugin> <repository> <source> <prefix of outputs> <flags>…
# Builds a program with the plugin, and the runtime below it without.
set -e
clang=$1 plugin=$2 repository=$3 source=$4 prefix=$5
shift 5
mkdir -p "$prefix.objects"
cd "$prefix.objects"
rm -f ./*.o
$clang -O1 "$@" -c "$repository/plugin/tests/runtime/deferred_runtime.cc" "$repository/libs/abi/standard_exceptions.cc"
provided="$repository/libs/abi/provided/libstdcxx_*.cc"
case "$*" in *libc++*) provided= ;; esac
$clang -fplugin="$plugin" "$@" -I"$repository/plugin/tests/runtime" -c "$source" $provided
$clang "$@" ./*.o -o program
./program
