# VERSION and the public header must give the same version; programs read the header's numbers.

set(header ${CMAKE_CURRENT_SOURCE_DIR}/include/orff.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
file(STRINGS ${header} version_lines REGEX "^#define ORFF_VERSION_(MAJOR|MINOR|PATCH) ")
list(TRANSFORM version_lines REPLACE ".* ([0-9]+)$" "\\1")
list(JOIN version_lines "." header_version)
if(NOT header_version STREQUAL PROJECT_VERSION)
    message(FATAL_ERROR "VERSION says ${PROJECT_VERSION}, include/orff.h says ${header_version}")
endif()
