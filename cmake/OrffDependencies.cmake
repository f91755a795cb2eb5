# What the library links. Sets
#   ORFF_LINK_LIBRARIES  for the library itself, and for programs that link it statically
#   ORFF_INCLUDES        directories of cblas.h, lapacke.h, jansson.h, sleef.h, fftw3.h, proj.h
#   ORFF_DEFINITIONS     macros that describe them
#   ORFF_WITH_SLEEF      whether SLEEF is used
#   ORFF_WITH_FFTW       whether FFTW is used
#   ORFF_WITH_PROJ       whether PROJ is used

set(ORFF_LINK_LIBRARIES)
set(ORFF_INCLUDES)
set(ORFF_DEFINITIONS)

# Finds one library with its header; the variables are <prefix>_LIBRARY and <prefix>_INCLUDE. The other arguments are
# directory suffixes, tried in this order before the plain directories.
function(orff_find prefix library header)
    find_library(${prefix}_LIBRARY NAMES ${library} PATH_SUFFIXES ${ARGN})
    find_path(${prefix}_INCLUDE NAMES ${header} PATH_SUFFIXES ${ARGN})
    mark_as_advanced(${prefix}_LIBRARY ${prefix}_INCLUDE)
endfunction()

function(orff_require prefix what)
    if(NOT ${prefix}_LIBRARY OR NOT ${prefix}_INCLUDE)
        message(FATAL_ERROR "${what} was not found. On Debian and Ubuntu, scripts/setup.sh installs what is missing.")
    endif()
endfunction()

# --- BLAS. Debian installs each flavour of OpenBLAS and BLIS in its own directory. The OpenMP flavour is tried first,
# because it shares its threads with our loops.
if(ORFF_BLAS STREQUAL "openblas")
    orff_find(ORFF_OPENBLAS openblas cblas.h openblas-openmp openblas openblas-pthread)
    orff_require(ORFF_OPENBLAS "OpenBLAS (libopenblas-openmp-dev)")
    set(blas_libraries ${ORFF_OPENBLAS_LIBRARY})
    set(blas_include ${ORFF_OPENBLAS_INCLUDE})
elseif(ORFF_BLAS STREQUAL "blis")
    orff_find(ORFF_BLIS blis cblas.h blis-openmp blis blis-pthread)
    orff_require(ORFF_BLIS "BLIS (libblis-openmp-dev)")
    set(blas_libraries ${ORFF_BLIS_LIBRARY})
    set(blas_include ${ORFF_BLIS_INCLUDE})
elseif(ORFF_BLAS STREQUAL "generic")
    find_package(BLAS REQUIRED)
    find_path(ORFF_CBLAS_INCLUDE NAMES cblas.h)
    mark_as_advanced(ORFF_CBLAS_INCLUDE)
    if(NOT ORFF_CBLAS_INCLUDE)
        message(FATAL_ERROR "cblas.h was not found")
    endif()
    set(blas_libraries ${BLAS_LIBRARIES})
    set(blas_include ${ORFF_CBLAS_INCLUDE})
else()
    message(FATAL_ERROR "ORFF_BLAS is \"${ORFF_BLAS}\": expected openblas, blis or generic")
endif()

# --- LAPACKE: a separate library, or part of the BLAS library.
orff_find(ORFF_LAPACKE lapacke lapacke.h openblas)
if(NOT ORFF_LAPACKE_LIBRARY)
    include(CheckFunctionExists)
    set(CMAKE_REQUIRED_LIBRARIES ${blas_libraries})
    check_function_exists(LAPACKE_dpotrf ORFF_BLAS_HAS_LAPACKE)
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(ORFF_BLAS_HAS_LAPACKE)
        set(ORFF_LAPACKE_LIBRARY ${blas_libraries})
    endif()
endif()
orff_require(ORFF_LAPACKE "LAPACKE (liblapacke-dev)")

# --- Jansson: the headers of model and moments files.
orff_find(ORFF_JANSSON jansson jansson.h)
orff_require(ORFF_JANSSON "Jansson (libjansson-dev)")

# --- SLEEF
if(NOT ORFF_SLEEF MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "ORFF_SLEEF is \"${ORFF_SLEEF}\": expected AUTO, ON or OFF")
endif()
set(ORFF_WITH_SLEEF OFF)
if(ORFF_SLEEF)
    find_package(PkgConfig)
    if(PkgConfig_FOUND)
        pkg_check_modules(ORFF_SLEEF_PC QUIET sleef)
    endif()
    find_library(ORFF_SLEEF_LIBRARY NAMES sleef HINTS ${ORFF_SLEEF_PC_LIBRARY_DIRS})
    find_path(ORFF_SLEEF_INCLUDE NAMES sleef.h HINTS ${ORFF_SLEEF_PC_INCLUDE_DIRS})
    mark_as_advanced(ORFF_SLEEF_LIBRARY ORFF_SLEEF_INCLUDE)
    if(ORFF_SLEEF STREQUAL "ON")
        orff_require(ORFF_SLEEF "SLEEF (libsleef-dev)")
    endif()
    if(ORFF_SLEEF_LIBRARY AND ORFF_SLEEF_INCLUDE)
        set(ORFF_WITH_SLEEF ON)
    endif()
endif()

# --- FFTW: Fourier transforms in both precisions, without FFTW's own threads: see src/lattice/fft.h.
if(NOT ORFF_FFT MATCHES "^(fftw|none)$")
    message(FATAL_ERROR "ORFF_FFT is \"${ORFF_FFT}\": expected fftw or none")
endif()
set(ORFF_WITH_FFTW OFF)
set(fftw_libraries)
if(ORFF_FFT STREQUAL "fftw")
    foreach(name fftw3 fftw3f)
        orff_find(ORFF_${name} ${name} fftw3.h)
        orff_require(ORFF_${name} "FFTW (${name} of libfftw3-dev; -DORFF_FFT=none builds without it)")
        list(APPEND fftw_libraries ${ORFF_${name}_LIBRARY})
    endforeach()
    set(ORFF_WITH_FFTW ON)
endif()

# --- PROJ: projected coordinate systems.
if(NOT ORFF_PROJ MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "ORFF_PROJ is \"${ORFF_PROJ}\": expected AUTO, ON or OFF")
endif()
set(ORFF_WITH_PROJ OFF)
if(ORFF_PROJ AND NOT ORFF_SANITIZE STREQUAL "memory") # whose code it does not instrument
    orff_find(ORFF_LIBPROJ proj proj.h)
    if(ORFF_PROJ STREQUAL "ON")
        orff_require(ORFF_LIBPROJ "PROJ (libproj-dev; -DORFF_PROJ=OFF builds without it)")
    endif()
    if(ORFF_LIBPROJ_LIBRARY AND ORFF_LIBPROJ_INCLUDE)
        set(ORFF_WITH_PROJ ON)
    endif()
endif()

# --- OpenMP. Linked through the compiler's own option, which also works for users of the static library. The memory
# sanitizer does not instrument its runtime.
if(ORFF_SANITIZE STREQUAL "memory")
    set(OpenMP_C_FLAGS -fopenmp-simd)
else()
    find_package(OpenMP REQUIRED COMPONENTS C)
    list(APPEND ORFF_LINK_LIBRARIES -fopenmp)
endif()

list(APPEND ORFF_INCLUDES ${blas_include} ${ORFF_LAPACKE_INCLUDE} ${ORFF_JANSSON_INCLUDE})
list(APPEND ORFF_LINK_LIBRARIES ${ORFF_LAPACKE_LIBRARY} ${blas_libraries} ${ORFF_JANSSON_LIBRARY})
if(ORFF_WITH_SLEEF)
    list(APPEND ORFF_INCLUDES ${ORFF_SLEEF_INCLUDE})
    list(APPEND ORFF_LINK_LIBRARIES ${ORFF_SLEEF_LIBRARY})
    list(APPEND ORFF_DEFINITIONS ORFF_HAVE_SLEEF=1)
endif()
if(ORFF_WITH_FFTW)
    list(APPEND ORFF_INCLUDES ${ORFF_fftw3_INCLUDE})
    list(APPEND ORFF_LINK_LIBRARIES ${fftw_libraries})
    list(APPEND ORFF_DEFINITIONS ORFF_HAVE_FFTW=1)
endif()
if(ORFF_WITH_PROJ)
    list(APPEND ORFF_INCLUDES ${ORFF_LIBPROJ_INCLUDE})
    list(APPEND ORFF_LINK_LIBRARIES ${ORFF_LIBPROJ_LIBRARY})
endif()
list(APPEND ORFF_LINK_LIBRARIES ${CMAKE_DL_LIBS} m)
list(REMOVE_DUPLICATES ORFF_INCLUDES)
list(REMOVE_DUPLICATES ORFF_LINK_LIBRARIES)

message(STATUS "BLAS: ${ORFF_BLAS} (${blas_libraries})")
message(STATUS "LAPACKE: ${ORFF_LAPACKE_LIBRARY}")
message(STATUS "SLEEF: ${ORFF_WITH_SLEEF}")
if(ORFF_WITH_PROJ)
    message(STATUS "PROJ: ${ORFF_LIBPROJ_LIBRARY}")
else()
    message(STATUS "PROJ: not used (libproj-dev on Debian); there are no projected coordinate systems (--crs)")
endif()
message(STATUS "Fourier transforms: ${ORFF_FFT} ${fftw_libraries}")
