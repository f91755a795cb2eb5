# Looks for MPI, and adds the directory mpi/ if it is found.
#   ORFF_WITH_MPI  whether orff-mpi is built

set(ORFF_WITH_MPI OFF)
if(ORFF_MPI AND TARGET orff_program AND NOT ORFF_SANITIZE STREQUAL "memory" AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/mpi/CMakeLists.txt)
    if(ORFF_MPI STREQUAL "AUTO")
        find_package(MPI QUIET COMPONENTS C)
    else()
        find_package(MPI REQUIRED COMPONENTS C)
    endif()
    set(ORFF_WITH_MPI ${MPI_C_FOUND})
endif()
if(ORFF_WITH_MPI)
    message(STATUS "MPI: ${MPI_C_COMPILER}")
    add_subdirectory(mpi)
elseif(ORFF_MPI)
    message(STATUS "MPI: not found (libopenmpi-dev on Debian); orff-mpi is not built")
endif()
