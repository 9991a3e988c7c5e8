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

# Code of the runtime: position independent so that it can be linked into anything, thread-local data at a fixed
# offset (one instruction an access), and in both forms for the linker.
function(perdure_runtime_options target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -ftls-model=initial-exec ${perdure_fat_lto})
  target_link_libraries(${target} PRIVATE perdure_internal)
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

# libperdure_<name>.a and its target Perdure::<name>.
function(perdure_add_library name algorithm mode)
  perdure_type_name(algorithm_type ${algorithm})
  perdure_type_name(mode_type ${mode})
  set(instance perdure_instance_${name})
  add_library(${instance} OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/instance.cc)
  perdure_runtime_options(${instance})
  target_compile_definitions(${instance} PRIVATE
    PERDURE_ALGORITHM=${algorithm_type} PERDURE_ALGORITHM_HEADER="algorithms/${algorithm}.h"
    PERDURE_MODE=${mode_type} PERDURE_LIBRARY_NAME="${name}")

  add_library(perdure_${name} STATIC
    $<TARGET_OBJECTS:${instance}> $<TARGET_OBJECTS:perdure_runtime> $<TARGET_OBJECTS:perdure_provided>)
  add_library(Perdure::${name} ALIAS perdure_${name})
  set_target_properties(perdure_${name} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  target_include_directories(perdure_${name} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(perdure_${name} INTERFACE cxx_std_20)
  set(in_build $<BUILD_INTERFACE:${perdure_plugin_file}>)
  set(installed $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/libPerdure.so>)
  target_compile_options(perdure_${name} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fplugin=${in_build}${installed}>)
  target_link_libraries(perdure_${name} INTERFACE Threads::Threads ${perdure_system_libraries})
endfunction()

# perdure_add_program(<name> SOURCES <file>… [LIBRARIES <library>…] [LINK <target>…])
# A program (benchmark, example): compiled once by the plugin, linked with every library of the table (or those named)
# as <name>_<library>, optimised at link time. The target <name> builds them all.
function(perdure_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;LINK")
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES ${perdure_libraries})
  endif()
  set(objects ${name}_objects)
  add_library(${objects} OBJECT ${arg_SOURCES})
  target_include_directories(${objects} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_compile_options(${objects} PRIVATE ${perdure_fat_lto})
  target_link_libraries(${objects} PRIVATE perdure_flags Threads::Threads ${arg_LINK})
  perdure_use_plugin(${objects})

  add_custom_target(${name})
  foreach(library IN LISTS arg_LIBRARIES)
    add_executable(${name}_${library} $<TARGET_OBJECTS:${objects}>)
    target_link_options(${name}_${library} PRIVATE ${perdure_lto_link})
    target_link_libraries(${name}_${library} PRIVATE perdure_flags ${arg_LINK} Perdure::${library})
    add_dependencies(${name} ${name}_${library})
  endforeach()
endfunction()

# perdure_add_test(<name> SOURCES <file>… [LIBRARIES <library>…] [PLUGIN] [ARGS <argument>…] [LABELS <label>…]
#                  [LINK <target>…] [TIMEOUT <seconds>])
# A GoogleTest program and its ctest entry. With LIBRARIES: one of each, <name>_<library>, from sources compiled once;
# without: <name>, linked with the default library. PLUGIN compiles the sources with the plugin, for tests that contain
# transactions. The label `long` keeps a test out of `make test`; every label has a target tests_<label> that builds
# what it needs.
function(perdure_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PLUGIN" "TIMEOUT" "SOURCES;LIBRARIES;ARGS;LABELS;LINK")
  set(objects ${name}_objects)
  add_library(${objects} OBJECT ${arg_SOURCES})
  target_link_libraries(${objects} PRIVATE perdure_internal GTest::gtest ${arg_LINK})
  if(arg_PLUGIN)
    perdure_use_plugin(${objects})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()

  set(suffixed ON)
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES ${perdure_default_library})
    set(suffixed OFF)
  endif()
  foreach(library IN LISTS arg_LIBRARIES)
    set(test ${name})
    if(suffixed)
      set(test ${name}_${library})
    endif()
    add_executable(${test} $<TARGET_OBJECTS:${objects}>)
    target_link_libraries(${test} PRIVATE perdure_flags GTest::gtest_main ${arg_LINK} Perdure::${library})
    add_test(NAME ${test} COMMAND ${test} ${arg_ARGS})
    set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
    perdure_build_for_labels(${test} "${arg_LABELS}")
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
