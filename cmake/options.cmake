# What a build can be configured with, and the compiler flags that follow from it.

option(PERDURE_STATISTICS "Count commits, aborts, flushes and fences in every thread" ON)

set(PERDURE_SANITIZE "" CACHE STRING "Sanitizers: empty, address (with undefined), or thread")
set_property(CACHE PERDURE_SANITIZE PROPERTY STRINGS "" address thread)

set(PERDURE_GRANULARITY 32 CACHE STRING "Bytes in a chunk of the coarse logs, and alignment of blocks: 16, 32 or 64")
set_property(CACHE PERDURE_GRANULARITY PROPERTY STRINGS 16 32 64)

set(PERDURE_MODES stm,naive,gp,ip,gpw,fast,twin,helped,timed,ptm,puc CACHE STRING
  "Modes that libraries are built in (algorithms/mode.h)")
string(REPLACE "," ";" perdure_modes "${PERDURE_MODES}")
# A program has one C++ standard library, and exceptions and strings pass between it and ours: there is a copy of each
# of our libraries for each (docs/decisions.md). libc++ must be that of the compiler's own release.
set(perdure_standard_libraries libstdcxx)
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -stdlib=libc++)
check_cxx_source_compiles("
  #include <string>
  static_assert(_LIBCPP_VERSION / 10000 == __clang_major__);
  int main(int, char** argv) { return static_cast<int>(std::string(argv[0]).size()); }" perdure_finds_libcxx)
unset(CMAKE_REQUIRED_FLAGS)
option(PERDURE_LIBCXX "Also make the libraries for programs that are compiled with -stdlib=libc++"
  ${perdure_finds_libcxx})
set(PERDURE_LIBCXX_LIBRARIES "" CACHE STRING "Which of the libraries that is; empty: all of them; or none")
if(PERDURE_LIBCXX AND NOT PERDURE_LIBCXX_LIBRARIES STREQUAL "none")
  list(APPEND perdure_standard_libraries libcxx)
endif()
string(REPLACE "," ";" perdure_libraries_with_libcxx "${PERDURE_LIBCXX_LIBRARIES}")

option(PERDURE_PROGRAMS
  "A plain build links the benchmarks, optimised at link time; otherwise only what tests run, without that" ON)

set(PERDURE_PLUGIN "" CACHE FILEPATH "A plugin that another build made for the same LLVM; empty: build it")
set(PERDURE_TOOL "" CACHE FILEPATH "The program `perdure` of another build; empty: build it")

foreach(option IN ITEMS PERDURE_LLVM_VERSION PERDURE_SANITIZE PERDURE_GRANULARITY)
  get_property(allowed CACHE ${option} PROPERTY STRINGS)
  if(NOT "${${option}}" IN_LIST allowed)
    string(REPLACE ";" ", " allowed "${allowed}")
    message(FATAL_ERROR "${option} is '${${option}}'. Set it to one of: ${allowed}.")
  endif()
endforeach()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# Code in both forms: linkers see native code, and with -flto bitcode. Sanitized programs are not optimised at link
# time: they are slow anyway, and link much faster.
set(perdure_fat_lto -flto -ffat-lto-objects)
set(perdure_lto_link -flto -ffat-lto-objects -fuse-ld=lld -O3)
# The runtime tells a transaction's own frames by their addresses: they must be on the stack, not in the heap where
# AddressSanitizer puts them to find uses after return.
set(perdure_sanitize_address -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
  -fsanitize-address-use-after-return=never)
set(perdure_sanitize_thread -fsanitize=thread -fno-omit-frame-pointer)
set(perdure_test_link -fuse-ld=lld)  # there are hundreds of tests, and it links them in a third of the time
set(perdure_sanitize_flags "")
if(PERDURE_SANITIZE)
  set(perdure_sanitize_flags ${perdure_sanitize_${PERDURE_SANITIZE}})
  set(perdure_fat_lto "")
  set(perdure_lto_link "")
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1")  # lines are what a report names
endif()

# Everything but the plugin: the plugin is loaded by a compiler that is not sanitized.
add_library(perdure_flags INTERFACE)
target_compile_options(perdure_flags INTERFACE -Wall -Wextra -Wshadow ${perdure_sanitize_flags})
target_link_options(perdure_flags INTERFACE ${perdure_sanitize_flags})

# What the sources of libs/ and algorithms/ are compiled with, and tests that look inside.
add_library(perdure_internal INTERFACE)
target_include_directories(perdure_internal INTERFACE
  ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/libs)
target_compile_definitions(perdure_internal INTERFACE
  PERDURE_STATISTICS=$<BOOL:${PERDURE_STATISTICS}> PERDURE_CHUNK_BYTES=${PERDURE_GRANULARITY})
target_link_libraries(perdure_internal INTERFACE perdure_flags)
