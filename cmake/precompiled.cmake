# The standard library's headers, precompiled: to read them is more than half of the work with most sources. Whoever has
# the same flags shares them. A source still includes what it uses, since others compile it, too.
set(perdure_common_headers algorithm array atomic bit chrono concepts condition_variable cstddef cstdint cstdio cstdlib
  cstring exception filesystem functional limits map memory mutex new optional set span sstream stdexcept string
  string_view system_error thread type_traits unordered_map utility vector)

# perdure_precompile(<target> [<header>…]): makes them, with further headers, for this target.
function(perdure_precompile target)
  set(headers "")
  foreach(header IN LISTS perdure_common_headers ARGN)
    list(APPEND headers "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
  endforeach()
  target_precompile_headers(${target} PRIVATE ${headers})
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # the same bytes again, for ccache
endfunction()

# perdure_share_precompiled(<target> <maker>): takes those that were made for another one with the same flags.
function(perdure_share_precompiled target maker)
  target_precompile_headers(${target} REUSE_FROM ${maker})
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]c$")
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# perdure_share_headers(<target> <name> [PLUGIN] [LINK <target>…] [OPTIONS <flag>…] [HEADERS <header>…])
# Gives the target headers that all targets share that say the same name. The first of them has them made, with these
# flags, and with or without the plugin, whose macros are in them.
function(perdure_share_headers target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "PLUGIN" "" "LINK;OPTIONS;HEADERS")
  set(maker perdure_headers_of_${name})
  if(arg_PLUGIN)
    string(APPEND maker _by_plugin)
  endif()
  if(NOT TARGET ${maker})
    set(source ${CMAKE_BINARY_DIR}/headers/${maker}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing: it is compiled for its headers' sake.\n")
    add_library(${maker} OBJECT EXCLUDE_FROM_ALL ${source})
    target_compile_options(${maker} PRIVATE ${arg_OPTIONS})
    target_link_libraries(${maker} PRIVATE ${arg_LINK})
    perdure_precompile(${maker} ${arg_HEADERS})
    if(arg_PLUGIN)
      perdure_use_plugin(${maker})
    endif()
  endif()
  perdure_share_precompiled(${target} ${maker})
endfunction()
