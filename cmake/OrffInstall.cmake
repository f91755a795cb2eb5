# Installs the header, both libraries, orff.pc and the CMake package. All paths are relative, so the prefix can be
# chosen when installing.

include(CMakePackageConfigHelpers)

install(FILES include/orff.h TYPE INCLUDE)
install(TARGETS orff orff_static EXPORT orff-targets)

# --- pkg-config. Linker names are derived from the libraries' paths: /a/b/libx.so is -L/a/b -lx.
set(ORFF_PC_PRIVATE)
foreach(item IN LISTS ORFF_LINK_LIBRARIES)
    if(IS_ABSOLUTE "${item}")
        get_filename_component(directory ${item} DIRECTORY)
        get_filename_component(name ${item} NAME_WE)
        string(REGEX REPLACE "^lib" "-l" name ${name})
        if(NOT directory IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
            list(APPEND ORFF_PC_PRIVATE -L${directory})
        endif()
        list(APPEND ORFF_PC_PRIVATE ${name})
    elseif(item MATCHES "^-")
        list(APPEND ORFF_PC_PRIVATE ${item})
    else()
        list(APPEND ORFF_PC_PRIVATE -l${item})
    endif()
endforeach()
list(JOIN ORFF_PC_PRIVATE " " ORFF_PC_PRIVATE)

set(pc_directory ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH ORFF_PC_PREFIX /prefix/${pc_directory} /prefix)
string(REGEX REPLACE "/$" "" ORFF_PC_PREFIX ${ORFF_PC_PREFIX})
configure_file(cmake/orff.pc.in orff.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/orff.pc DESTINATION ${pc_directory})

# --- find_package(orff): orff::orff and orff::orff_static
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/orff)
install(EXPORT orff-targets NAMESPACE orff:: FILE orff-targets.cmake DESTINATION ${package_directory})
configure_package_config_file(cmake/orff-config.cmake.in orff-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(orff-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/orff-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/orff-config-version.cmake
        DESTINATION ${package_directory})
