# What `make install` puts under the prefix, and how programs outside this tree find it. All of it is relocatable. The
# same layout is made in the build tree, so that build/…/bin/perdure-c++ works without installing.
include(CMakePackageConfigHelpers)

math(EXPR perdure_next_llvm_version "${PERDURE_LLVM_VERSION} + 1")
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Perdure)
list(JOIN perdure_libraries " " perdure_library_list)
perdure_select(perdure_portable_libraries "${perdure_libraries}" ${perdure_runs_for_others})
list(JOIN perdure_portable_libraries " " perdure_portable_library_list)
set(perdure_link_flags -pthread)
foreach(library IN LISTS perdure_system_libraries)
  list(PREPEND perdure_link_flags -l${library})
endforeach()
list(JOIN perdure_link_flags " " perdure_link_flags)

install(DIRECTORY include/perdure DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(PROGRAMS ${perdure_plugin_file} DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(perdure_targets "")
foreach(standard_library IN LISTS perdure_standard_libraries)
  perdure_suffix(suffix ${standard_library})
  foreach(library IN LISTS perdure_libraries)
    if(NOT TARGET perdure_${library}${suffix})
      continue()
    endif()
    list(APPEND perdure_targets perdure_${library}${suffix})
    # Of each of them a pkg-config file.
    set(perdure_library ${library}${suffix})
    set(perdure_library_flags "")
    if(library IN_LIST perdure_portable_libraries)
      set(perdure_library_flags " ${perdure_portable}")
    endif()
    list(JOIN perdure_flags_of_${standard_library} " " perdure_standard_library_flags)
    configure_file(cmake/perdure.pc.in pkgconfig/perdure_${perdure_library}.pc @ONLY)
  endforeach()
endforeach()
install(TARGETS ${perdure_targets}
  perdure_lto perdure_write_only perdure_serial_calls perdure_persistable perdure_checked
  EXPORT PerdureTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Those for the crash simulator are built on demand (simulated_libraries): as many as there are. The package describes
# what it finds.
list(JOIN perdure_simulated_libraries " " perdure_simulated_library_list)
list(JOIN perdure_simulated_flags " " perdure_simulated_flag_list)
set(perdure_standard_library_flags ${perdure_simulated_flag_list})
set(perdure_library_flags "")
foreach(library IN LISTS perdure_simulated_libraries)
  install(FILES $<TARGET_FILE:perdure_${library}> DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  set(perdure_library ${library})
  configure_file(cmake/perdure.pc.in pkgconfig/perdure_${library}.pc @ONLY)
endforeach()
configure_file(cmake/perdure-crashtest bin/perdure-crashtest COPYONLY)
install(PROGRAMS cmake/perdure-crashtest DESTINATION ${CMAKE_INSTALL_BINDIR})

install(EXPORT PerdureTargets NAMESPACE Perdure:: DESTINATION ${package_directory})

configure_package_config_file(cmake/PerdureConfig.cmake.in PerdureConfig.cmake
  INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(PerdureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/PerdureConfig.cmake ${CMAKE_BINARY_DIR}/PerdureConfigVersion.cmake
  DESTINATION ${package_directory})

install(DIRECTORY ${CMAKE_BINARY_DIR}/pkgconfig DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The compiler wrappers: of clang++, and of clang for C.
function(perdure_add_wrapper perdure_wrapper perdure_compiler perdure_language_standard)
  configure_file(cmake/perdure-c++.in bin/${perdure_wrapper} @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/${perdure_wrapper} DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
perdure_add_wrapper(perdure-c++ clang++ c++20)
perdure_add_wrapper(perdure-cc clang "")
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include SYMBOLIC)
