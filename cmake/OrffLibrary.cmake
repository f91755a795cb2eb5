# The library: every C file of src/, compiled once, linked as liborff.so and liborff.a.

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.c)

# --- The vector versions of sincos: one file per instruction set; the running processor decides among those compiled
# here.
set(sincos_x86_64 sse2 avx2 avx512)
set(sincos_aarch64 advsimd)
set(sincos_flags_avx2 -mavx2 -mfma)
set(sincos_flags_avx512 -mavx512f -mavx512dq -mfma)

string(TOLOWER ${CMAKE_SYSTEM_PROCESSOR} processor)
if(processor MATCHES "^(x86_64|amd64)$")
    set(machine x86_64)
elseif(processor MATCHES "^(aarch64|arm64)$")
    set(machine aarch64)
else()
    set(machine other)
endif()

foreach(set IN LISTS sincos_x86_64 sincos_aarch64)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/src/features/sincos_${set}.c)
    if(NOT ORFF_WITH_SLEEF OR NOT set IN_LIST sincos_${machine})
        list(REMOVE_ITEM sources ${file})
    elseif(EXISTS ${file} AND sincos_flags_${set})
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${sincos_flags_${set}}")
    endif()
endforeach()

# --- Likewise the loops of the nonuniform transforms, which also have a version in plain C. Their rounding depends on
# the instruction set.
foreach(set avx2 avx512)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/src/lattice/nufft_${set}.c)
    if(NOT machine STREQUAL "x86_64")
        list(REMOVE_ITEM sources ${file})
    else()
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${sincos_flags_${set}};-ffp-contract=fast")
    endif()
endforeach()

# --- Likewise small loops of other kinds.
set(file ${CMAKE_CURRENT_SOURCE_DIR}/src/base/vector_avx2.c)
if(NOT machine STREQUAL "x86_64")
    list(REMOVE_ITEM sources ${file})
else()
    set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${sincos_flags_avx2};-ffp-contract=fast")
endif()

# --- Only one file depends on PROJ; all others are the same with and without it.
if(ORFF_WITH_PROJ)
    set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/base/crs.c PROPERTIES COMPILE_DEFINITIONS ORFF_HAVE_PROJ=1)
endif()

# --- Objects
add_library(orff_objects OBJECT ${sources})
target_include_directories(orff_objects PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/src)
target_include_directories(orff_objects SYSTEM PRIVATE ${ORFF_INCLUDES})
target_compile_definitions(orff_objects PRIVATE ${ORFF_DEFINITIONS})
target_compile_options(orff_objects PRIVATE ${OpenMP_C_FLAGS})
set_target_properties(orff_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)

# --- Libraries. Before 1.0 a minor release may change the binary interface.
add_library(orff SHARED $<TARGET_OBJECTS:orff_objects>)
add_library(orff_static STATIC $<TARGET_OBJECTS:orff_objects>)
set_target_properties(orff_static PROPERTIES OUTPUT_NAME orff)
set_target_properties(orff PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
orff_search_path(orff)
if(NOT ORFF_SANITIZE)
    target_link_options(orff PRIVATE -Wl,--no-undefined)
endif()

foreach(library orff orff_static)
    target_link_libraries(${library} PRIVATE ${ORFF_LINK_LIBRARIES})
    target_include_directories(${library} PUBLIC
        $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    add_library(orff::${library} ALIAS ${library})
endforeach()
