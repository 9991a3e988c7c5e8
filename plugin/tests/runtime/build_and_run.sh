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
of_runtime= of_provided= of_c_library= standard_library=libstdcxx
for flag; do
  case $flag in
    -stdlib=libc++) of_runtime="$of_runtime $flag" of_c_library=$flag standard_library=libcxx ;;
    -flto*) of_runtime="$of_runtime $flag" ;;
    -fplugin-arg-perdure-write-only) of_runtime="$of_runtime -DWRITES_IN_PLACE" of_provided="$of_provided $flag" ;;
    -fplugin-arg-perdure-self-relative) of_provided="$of_provided $flag" ;;
  esac
done
libs=$repository/libs
here=$repository/plugin/tests/runtime
c_library=$outputs/c_library$of_c_library
runtime=$outputs/runtime$(echo "$of_runtime$of_provided" | tr ' ' '_')

# compile <sources, one a line> <flags>…: on two processors.
compile() {
  sources=$1
  shift
  echo "$sources" | xargs -d '\n' -P 2 -n 1 "$compiler" -std=c++20 "-I$repository/include" "-I$libs" "$@" -c
}

# once <folder> <function>: the function builds in the folder, unless what is there is newer than all it may depend on.
once() {
  mkdir -p "$1"
  (
    flock 9
    cd "$1"
    if ! test -e built || test -n "$(find "$plugin" "$here" "$libs/abi" "$libs/entry" "$libs/c" "$libs/provided" \
        "$libs/sched" -newer built)"; then
      rm -f ./*.o  # of sources that are no longer there
      "$2"
      touch built
    fi
  ) 9>"$1/lock"
}

# The same for all with a standard library: native code, whatever the rest is.
build_c_library() {
  compile "$(printf '%s\n' "$libs"/c/library/*.cc)" -O1 $of_c_library
}

build_runtime() {
  compile "$(printf '%s\n' "$here/deferred_runtime.cc" "$libs"/entry/clone_table.cc "$libs"/entry/pointer_calls.cc \
    "$libs"/entry/symbol_name.cc "$libs"/entry/library_rows.cc "$libs"/entry/plain_exceptions.cc \
    "$libs"/sched/thread_end.cc)" -O1 $of_runtime
  compile "$libs/entry/whole_program.cc" -O1 $of_runtime '-DPERDURE_REFERENCE=[[gnu::weak]]'
  compile "$(printf '%s\n' "$libs"/provided/any_*.cc "$libs/provided/$standard_library"_*.cc)" -O2 $of_runtime \
    $of_provided "-fplugin=$plugin"
}

once "$c_library" build_c_library
once "$runtime" build_runtime

mkdir -p "$prefix.objects"
cd "$prefix.objects"
rm -f ./*.o
clang -fplugin="$plugin" "$@" -I"$repository/plugin/tests/runtime" -c "$source"
clang "$@" ./*.o "$runtime"/*.o "$c_library"/*.o -o "$prefix.program"
test "$action" = build || "$prefix.program"
