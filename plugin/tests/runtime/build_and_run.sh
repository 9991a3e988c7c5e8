# build_and_run.sh build|run <clang++> <plugin> <repository> <folder for all outputs> <source> <prefix> <flags>…
# Builds a program with the plugin, links it with the runtime below it, which is built without, and runs it. The program
# is <prefix>.program.
set -e
action=$1 clang=$2 plugin=$3 repository=$4 outputs=$5 source=$6 prefix=$7
shift 7

# The runtime is the same for all programs with the same standard library, form of object files and flavour of clones:
# built once.
of_runtime=
for flag; do
  case $flag in
    -stdlib=* | -flto*) of_runtime="$of_runtime $flag" ;;
    -fplugin-arg-perdure-write-only) of_runtime="$of_runtime -DWRITES_IN_PLACE" ;;
  esac
done
runtime=$outputs/runtime$(echo "$of_runtime" | tr ' ' '_')
sources="$repository/plugin/tests/runtime/deferred_runtime.cc
  $repository/libs/abi/clone_table.cc $repository/libs/abi/pointer_calls.cc $repository/libs/abi/symbol_name.cc
  $repository/libs/abi/library_rows.cc
  $repository/libs/abi/strings.cc $repository/libs/abi/wide_strings.cc"
mkdir -p "$runtime"
(
  flock 9
  cd "$runtime"
  # Built is what is newer than all that it may depend on.
  if ! test -e built || test -n "$(find "$repository/plugin/tests/runtime" "$repository/libs/abi" -newer built)"; then
    $clang -O1 $of_runtime -c $sources
    $clang -O1 $of_runtime -fno-lto -DPERDURE_REFERENCE=[[gnu::weak]] -c "$repository/libs/abi/whole_program.cc"
    touch built
  fi
) 9>"$runtime/lock"

mkdir -p "$prefix.objects"
cd "$prefix.objects"
rm -f ./*.o
case "$*" in *libc++*) standard_library=libcxx ;; *) standard_library=libstdcxx ;; esac
provided=$repository/libs/abi/provided
$clang -fplugin="$plugin" "$@" -I"$repository/plugin/tests/runtime" -c "$source"
$clang -fplugin="$plugin" "$@" -fexceptions -c "$provided"/any_*.cc "$provided/$standard_library"_*.cc
$clang "$@" ./*.o "$runtime"/*.o -o "$prefix.program"
test "$action" = build || "$prefix.program"
