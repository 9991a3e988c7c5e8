# build_and_run.sh build|run <clang++> <plugin> <repository> <folder for all outputs> <source> <prefix> <flags>…
# Builds a program with the plugin, links it with the runtime below it, which is built without, and runs it. The program
# is <prefix>.program.
set -e
action=$1 compiler=$2 plugin=$3 repository=$4 outputs=$5 source=$6 prefix=$7
shift 7

clang() {
  "$compiler" -std=c++20 "-I$repository/include" "-I$repository/libs" "$@"
}

# The runtime, and what is provided of the standard library, are the same for all programs with the same standard
# library, form of object files, flavour of clones and form of pointers: built once.
of_runtime= of_provided= standard_library=libstdcxx
for flag; do
  case $flag in
    -stdlib=libc++) of_runtime="$of_runtime $flag" standard_library=libcxx ;;
    -flto*) of_runtime="$of_runtime $flag" ;;
    -fplugin-arg-perdure-write-only) of_runtime="$of_runtime -DWRITES_IN_PLACE" of_provided="$of_provided $flag" ;;
    -fplugin-arg-perdure-self-relative) of_provided="$of_provided $flag" ;;
  esac
done
runtime=$outputs/runtime$(echo "$of_runtime$of_provided" | tr ' ' '_')
libs=$repository/libs
mkdir -p "$runtime"
(
  flock 9
  cd "$runtime"
  # Built is what is newer than all that it may depend on.
  if ! test -e built || test -n "$(find "$plugin" "$repository/plugin/tests/runtime" \
      "$libs/abi" "$libs/entry" "$libs/c" "$libs/provided" "$libs/sched" -newer built)"; then
    rm -f ./*.o  # of sources that are no longer there
    clang -O1 $of_runtime -c "$repository/plugin/tests/runtime/deferred_runtime.cc" \
      "$libs"/entry/clone_table.cc "$libs"/entry/pointer_calls.cc "$libs"/entry/symbol_name.cc \
      "$libs"/entry/library_rows.cc "$libs"/entry/plain_exceptions.cc "$libs"/sched/thread_end.cc \
      "$libs"/c/library/*.cc
    clang -O1 $of_runtime -DPERDURE_REFERENCE=[[gnu::weak]] -c "$libs/entry/whole_program.cc"
    clang -O2 $of_runtime $of_provided -fplugin="$plugin" -c "$libs"/provided/any_*.cc \
      "$libs/provided/$standard_library"_*.cc
    touch built
  fi
) 9>"$runtime/lock"

mkdir -p "$prefix.objects"
cd "$prefix.objects"
rm -f ./*.o
clang -fplugin="$plugin" "$@" -I"$repository/plugin/tests/runtime" -c "$source"
clang "$@" ./*.o "$runtime"/*.o -o "$prefix.program"
test "$action" = build || "$prefix.program"
