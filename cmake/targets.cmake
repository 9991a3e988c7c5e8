# How the parts are made: libraries, programs (one executable a library), tests.
find_package(Threads REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()

# Debian's own: its modules are what scripts/setup.sh installs.
set(perdure_python /usr/bin/python3)

# What a program links besides the library itself, as -l names; the packages and the compiler wrapper say the same.
set(perdure_system_libraries pmem)

set(perdure_plugin_file ${CMAKE_BINARY_DIR}/lib/libPerdure.so)
if(PERDURE_PLUGIN)
  set(perdure_plugin_file ${PERDURE_PLUGIN})
endif()
# In the linker it drops what only clones that are made there would need.
if(perdure_lto_link)
  list(APPEND perdure_lto_link -Wl,--load-pass-plugin=${perdure_plugin_file})
endif()

# Libraries that run blocks of one thread in another want to be told which (docs/abi.md).
set(perdure_runs_for_others log=replicas)
set(perdure_portable -fplugin-arg-perdure-portable)

# For what reads a command line by CLI11: most of its code is the library's, which would take long to optimise, with the
# program at link time once more.
set(perdure_quickly_compiled -O1 -fno-lto)

# Compiles a target's sources with the plugin, again whenever the plugin changes.
function(perdure_use_plugin target)
  target_compile_options(${target} PRIVATE -fplugin=${perdure_plugin_file})
  perdure_depend_on_plugin(${target})
endfunction()

function(perdure_depend_on_plugin target)
  if(NOT PERDURE_PLUGIN)
    add_dependencies(${target} perdure_plugin)
  endif()
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${perdure_plugin_file})
endfunction()

# How targets of a standard library are told apart: nothing for libstdc++, which is the compiler's default.
function(perdure_suffix variable standard_library)
  set(suffix "")
  if(NOT standard_library STREQUAL "libstdcxx")
    set(suffix _${standard_library})
  endif()
  set(${variable} "${suffix}" PARENT_SCOPE)
endfunction()

# What selects it when compiling and linking.
set(perdure_flags_of_libstdcxx "")
set(perdure_flags_of_libcxx -stdlib=libc++)

# What a program is compiled with that is to run under the crash simulator: it announces its accesses to memory by the
# calls that ThreadSanitizer's instrumentation makes, none of more than 16 bytes, so that the simulator sees what is
# stored without the library; and the simulator names places by their lines. (-fsanitize by way of -Xclang: so the
# linker brings no ThreadSanitizer along.)
set(perdure_simulated_flags -gline-tables-only -fno-vectorize -fno-slp-vectorize "-Xclang -fsanitize=thread"
  "-Xclang -mllvm -Xclang -tsan-instrument-func-entry-exit=0"
  "-Xclang -mllvm -Xclang -tsan-instrument-read-before-write=1")
list(TRANSFORM perdure_simulated_flags PREPEND "SHELL:" OUTPUT_VARIABLE perdure_simulated_options)

# Code of the runtime: position independent so that it can be linked into anything, thread-local data at a fixed
# offset (one instruction an access), and in both forms for the linker.
# SIMULATED: for the crash simulator, which is told of each access by the calls that ThreadSanitizer's instrumentation
# makes. Accesses of more than 16 bytes would escape it, so none are made.
function(perdure_runtime_options target standard_library)
  cmake_parse_arguments(PARSE_ARGV 2 arg "SIMULATED" "" "")
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -ftls-model=initial-exec ${perdure_flags_of_${standard_library}})
  target_link_libraries(${target} PRIVATE perdure_internal)
  # The crash simulator tells the runtime's code from the program's by where its sources lie: in all objects the same,
  # though ccache may have compiled them in different clones.
  target_compile_options(${target} PRIVATE -fdebug-prefix-map=${CMAKE_SOURCE_DIR}=.)
  if(arg_SIMULATED)
    target_compile_definitions(${target} PRIVATE PERDURE_SIMULATED)
    target_compile_options(${target} PRIVATE -O1 -fno-vectorize -fno-slp-vectorize -fsanitize=thread
      "SHELL:-mllvm -tsan-instrument-func-entry-exit=0" "SHELL:-mllvm -tsan-instrument-read-before-write=1")
  else()
    target_compile_options(${target} PRIVATE ${perdure_fat_lto})
  endif()
endfunction()

# orec_lazy -> OrecLazy
function(perdure_type_name variable name)
  string(REPLACE "_" ";" words ${name})
  set(result "")
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 initial)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${initial} initial)
    string(APPEND result ${initial}${rest})
  endforeach()
  set(${variable} ${result} PARENT_SCOPE)
endfunction()

# perdure_add_library(<name> <row> <standard library> [SWITCHES <switch>=<value>…] [ON_DEMAND] [SIMULATED])
# libperdure_<name>.a and its target Perdure::<name>, for programs that use that standard library. <row> is the library
# of the table that it is one of; SWITCHES say how it differs from that. ON_DEMAND: built only where something wants it.
# SIMULATED: for the crash simulator.
function(perdure_add_library name row standard_library)
  cmake_parse_arguments(PARSE_ARGV 3 arg "ON_DEMAND;SIMULATED" "" "SWITCHES")
  perdure_suffix(suffix ${standard_library})
  set(common perdure_runtime${suffix})
  set(runtime $<TARGET_OBJECTS:${common}>)
  set(simulated "")
  if(arg_SIMULATED)
    set(common perdure_runtime_sim)
    set(runtime $<TARGET_OBJECTS:${common}> $<TARGET_OBJECTS:perdure_simulator>)
    set(simulated SIMULATED)
  endif()
  perdure_fact(algorithm ${row} algorithm)
  perdure_fact(mode ${row} mode)
  perdure_type_name(algorithm_type ${algorithm})
  perdure_facts_as_code(facts ${row})
  if(arg_SWITCHES)
    string(APPEND facts ", facts.variant = true")
  endif()
  list(TRANSFORM arg_SWITCHES PREPEND "switches." OUTPUT_VARIABLE switches)
  list(JOIN switches ", " switches)
  set(instance perdure_instance_${name}${suffix})
  add_library(${instance} OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/instance.cc)
  perdure_runtime_options(${instance} ${standard_library} ${simulated})
  perdure_share_precompiled(${instance} ${common})
  target_compile_definitions(${instance} PRIVATE
    PERDURE_ALGORITHM=${algorithm_type} PERDURE_ALGORITHM_HEADER="algorithms/${algorithm}.h"
    PERDURE_MODE=${mode} "PERDURE_SWITCHES=${switches}" "PERDURE_FACTS=${facts}" PERDURE_LIBRARY_NAME="${name}")

  set(library perdure_${name}${suffix})
  add_library(${library} STATIC
    $<TARGET_OBJECTS:${instance}> ${runtime} $<TARGET_OBJECTS:perdure_provided${suffix}>)
  add_library(Perdure::${name}${suffix} ALIAS ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name}${suffix} LINKER_LANGUAGE CXX)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${library} INTERFACE cxx_std_17)
  set(in_build $<BUILD_INTERFACE:${perdure_plugin_file}>)
  set(installed $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/libPerdure.so>)
  set(flags ${perdure_flags_of_${standard_library}})
  target_compile_options(${library} INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-fplugin=${in_build}${installed}>
    $<$<COMPILE_LANGUAGE:CXX>:${flags}>)
  if(arg_SIMULATED)
    target_compile_options(${library} INTERFACE ${perdure_simulated_options})
  endif()
  perdure_select(portable "${row}" ${perdure_runs_for_others})
  if(portable)
    target_compile_options(${library} INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:${perdure_portable}>)
  endif()
  target_link_options(${library} INTERFACE ${flags})
  target_link_libraries(${library} INTERFACE Threads::Threads ${perdure_system_libraries})
  if(arg_ON_DEMAND)
    set_target_properties(${instance} ${library} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# perdure_add_program(<name> SOURCES <file>… [LIBRARIES <library>…] [BUILT <library>…] [LINK <target>…])
# A program (benchmark, example): compiled once by the plugin, linked with every library of the table (or those named)
# as <name>_<library>, optimised at link time if the build has PERDURE_PROGRAMS. The target <name> builds them all; a
# plain build makes them all too, or those after BUILT only, since each link takes seconds.
function(perdure_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;BUILT;LINK")
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES ${perdure_libraries})
  endif()
  perdure_add_program_objects(${name}_objects SOURCES ${arg_SOURCES} LINK ${arg_LINK})
  perdure_select(portable "${arg_LIBRARIES}" ${perdure_runs_for_others})
  if(portable)
    perdure_add_program_objects(${name}_portable_objects SOURCES ${arg_SOURCES} LINK ${arg_LINK})
    target_compile_options(${name}_portable_objects PRIVATE ${perdure_portable})
    set_target_properties(${name}_portable_objects PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()

  set(link ${perdure_test_link})
  if(PERDURE_PROGRAMS)
    set(link ${perdure_lto_link})
  endif()
  add_custom_target(${name})
  foreach(library IN LISTS arg_LIBRARIES)
    perdure_objects_for(objects ${name} ${library})
    add_executable(${name}_${library} $<TARGET_OBJECTS:${objects}>)
    target_link_options(${name}_${library} PRIVATE ${link})
    target_link_libraries(${name}_${library} PRIVATE perdure_flags ${arg_LINK} Perdure::${library})
    add_dependencies(${name} ${name}_${library})
    if(arg_BUILT AND NOT library IN_LIST arg_BUILT)
      set_target_properties(${name}_${library} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
endfunction()

# perdure_add_program_objects(<target> SOURCES <file>… [LINK <target>…])
function(perdure_add_program_objects objects)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_library(${objects} OBJECT ${arg_SOURCES})
  target_include_directories(${objects} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_compile_options(${objects} PRIVATE ${perdure_fat_lto})
  target_link_libraries(${objects} PRIVATE perdure_flags Threads::Threads ${arg_LINK})
  perdure_use_plugin(${objects})
  perdure_share_headers(${objects} programs PLUGIN LINK perdure_flags OPTIONS ${perdure_fat_lto})
endfunction()

# perdure_objects_for(<variable> <name> <library>): the objects of a program that are linked with the library.
function(perdure_objects_for variable name library)
  set(objects ${name}_objects)
  perdure_select(portable "${library}" ${perdure_runs_for_others})
  if(portable)
    set(objects ${name}_portable_objects)
  endif()
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()

# perdure_tested_program(<variable> <name> <library> [ON_DEMAND])
# The target that tests run of a program: with the default library the program itself (without PERDURE_PROGRAMS only
# those that scripts look for by name); otherwise tested_<name>_<library>, which is not optimised at link time, for that
# takes most of the time of a build. Empty if the library is left out of this build. ON_DEMAND: built for
# the long tests only, unless another test wants it.
set(perdure_looked_for tatp transfers)
function(perdure_tested_program variable name library)
  cmake_parse_arguments(PARSE_ARGV 3 arg "ON_DEMAND" "" "")
  set(target ${name}_${library})
  if(NOT TARGET ${target})
    set(${variable} "" PARENT_SCOPE)
    return()
  endif()
  set(is_itself OFF)
  if(library STREQUAL perdure_default_library AND (PERDURE_PROGRAMS OR name IN_LIST perdure_looked_for))
    set(is_itself ON)
  endif()
  if(NOT is_itself)
    set(target tested_${target})
  endif()
  if(NOT TARGET ${target})
    perdure_objects_for(objects ${name} ${library})
    get_target_property(linked ${objects} LINK_LIBRARIES)
    add_executable(${target} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${objects}>)
    target_link_libraries(${target} PRIVATE ${linked} Perdure::${library})
    target_link_options(${target} PRIVATE ${perdure_test_link})
    perdure_build_for_labels(${target} long)
  endif()
  if(NOT arg_ON_DEMAND)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
  set(${variable} ${target} PARENT_SCOPE)
endfunction()

# perdure_add_test(<name> SOURCES <file>… [LIBRARIES <library>…] [LONG <library>…] [PLUGIN] [ARGS <argument>…]
#                  [LABELS <label>…] [LINK <target>…] [TIMEOUT <seconds>] [STANDARD_LIBRARY libcxx])
# A GoogleTest program and its ctest entry. With LIBRARIES: one of each, <name>_<library>, from sources compiled once
# (but not of libraries that are left out of this build); without: <name>, linked with the default library. PLUGIN
# compiles the sources with the plugin, for tests that contain transactions. The label `long` keeps a test out of `make
# test`, and its program out of a plain build; so does LONG for the libraries after it. Every label has a target
# tests_<label> that builds what it needs, but for what is long, which tests_long builds. With STANDARD_LIBRARY libcxx
# the names end in _libcxx; where there is no libc++ there is no test.
function(perdure_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PLUGIN" "TIMEOUT;STANDARD_LIBRARY" "SOURCES;LIBRARIES;LONG;ARGS;LABELS;LINK")
  if(NOT arg_STANDARD_LIBRARY)
    set(arg_STANDARD_LIBRARY libstdcxx)
  endif()
  if(NOT arg_STANDARD_LIBRARY IN_LIST perdure_standard_libraries)
    return()
  endif()
  perdure_suffix(suffix ${arg_STANDARD_LIBRARY})
  perdure_googletest(googletest ${arg_STANDARD_LIBRARY})
  set(flags ${perdure_flags_of_${arg_STANDARD_LIBRARY}})
  set(objects ${name}${suffix}_objects)
  add_library(${objects} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_compile_options(${objects} PRIVATE ${flags})
  target_link_libraries(${objects} PRIVATE perdure_internal ${googletest} ${arg_LINK})
  set(by_plugin "")
  if(arg_PLUGIN)
    set(by_plugin PLUGIN)
    perdure_use_plugin(${objects})
  endif()
  perdure_share_headers(${objects} tests${suffix} ${by_plugin} LINK perdure_internal ${googletest} OPTIONS ${flags}
    HEADERS gtest/gtest.h)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()

  set(is_one_of_many ON)
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES ${perdure_default_library})
    set(is_one_of_many OFF)
  endif()
  foreach(library IN LISTS arg_LIBRARIES)
    if(library IN_LIST perdure_left_out_libraries OR NOT TARGET Perdure::${library}${suffix})
      continue()
    endif()
    set(test ${name}${suffix})
    if(is_one_of_many)
      set(test ${name}_${library}${suffix})
    endif()
    set(labels ${arg_LABELS})
    if(library IN_LIST arg_LONG)
      list(APPEND labels long)
    endif()
    add_executable(${test} $<TARGET_OBJECTS:${objects}>)
    target_link_options(${test} PRIVATE ${perdure_test_link})
    target_link_libraries(${test} PRIVATE perdure_flags ${googletest} ${arg_LINK} Perdure::${library}${suffix})
    add_test(NAME ${test} COMMAND ${test} ${arg_ARGS})
    # Those that may take long begin first, so that no processor is left without work at the end.
    set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT} COST ${arg_TIMEOUT})
    if(NOT "long" IN_LIST labels)
      perdure_build_for_labels(${test} "${labels}")
    else()
      perdure_build_for_labels(${test} long)
      set_target_properties(${test} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
endfunction()

# The target that tests link: Debian's GoogleTest, or, for libc++, one made of the sources that Debian packages with it.
function(perdure_googletest variable standard_library)
  if(standard_library STREQUAL "libstdcxx")
    set(${variable} GTest::gtest_main PARENT_SCOPE)
    return()
  endif()
  set(target perdure_googletest_${standard_library})
  set(${variable} ${target} PARENT_SCOPE)
  if(TARGET ${target})
    return()
  endif()
  set(sources /usr/src/googletest/googletest)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources}/src/gtest-all.cc ${sources}/src/gtest_main.cc)
  target_include_directories(${target} SYSTEM PUBLIC ${sources}/include PRIVATE ${sources})
  target_compile_options(${target} PRIVATE ${perdure_flags_of_${standard_library}} ${perdure_sanitize_flags})
  target_link_libraries(${target} PUBLIC Threads::Threads)
endfunction()

# Leaves tests to `make test-all`, for time; there need not be such tests.
function(perdure_leave_to_test_all)
  foreach(test IN LISTS ARGN)
    if(TEST ${test})
      set_property(TEST ${test} APPEND PROPERTY LABELS thorough)
    endif()
  endforeach()
endfunction()

# Makes the targets tests_<label> build `target`.
function(perdure_build_for_labels target labels)
  foreach(label IN LISTS labels)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${target})
  endforeach()
endfunction()
