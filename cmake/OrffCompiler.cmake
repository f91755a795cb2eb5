# The C dialect, the warnings and the build type, for every target of the project.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    if(ORFF_SANITIZE)
        set(CMAKE_BUILD_TYPE Debug CACHE STRING "Kind of build" FORCE)
    else()
        set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
    endif()
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wformat=2)
if(ORFF_WERROR)
    add_compile_options(-Werror)
endif()

# Results must not depend on whether the compiler fuses multiplications with additions. Nothing reads errno after calls
# of libm; without errno a square root is one instruction.
add_compile_options(-ffp-contract=off -fno-math-errno)
add_compile_options($<$<CONFIG:RelWithDebInfo>:-O3>)

if(NOT ORFF_SANITIZE MATCHES "^(OFF|ON|memory)$")
    message(FATAL_ERROR "ORFF_SANITIZE is \"${ORFF_SANITIZE}\": expected OFF, ON or memory")
endif()
if(ORFF_SANITIZE)
    # Omits the checks of undefined behaviour that apply to every memory access: the address sanitizer sees the effect
    # of a bad access, and omitting them saves three tenths of the compilation and a tenth of the run time.
    set(sanitizers -fsanitize=address,undefined -fno-sanitize=null,object-size,pointer-overflow -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    if(ORFF_SANITIZE STREQUAL "memory")
        set(sanitizers -fsanitize=memory -fno-sanitize-recover=all -fno-omit-frame-pointer)
    endif()
    add_compile_options(${sanitizers} -O1 -g1 -UNDEBUG) # reports need only names and line numbers
    add_link_options(${sanitizers})
endif()
if(ORFF_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# --- Hardening. Programs are position-independent; memory that the loader has bound becomes read-only; stacks are not
# executable; overwritten return addresses and buffers end the program.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-fstack-protector-strong)
add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
check_c_compiler_flag(-fcf-protection=full ORFF_HAS_CF_PROTECTION) # for x86
if(ORFF_HAS_CF_PROTECTION)
    add_compile_options(-fcf-protection=full)
endif()

# The checked calls of libc need optimisation, and hide errors from sanitizers.
if(NOT ORFF_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
    check_c_source_compiles("#include <string.h>\nint main(void) { return (int)strlen(\"\"); }" ORFF_HAS_FORTIFY_3)
    unset(CMAKE_REQUIRED_FLAGS)
    set(level $<IF:$<BOOL:${ORFF_HAS_FORTIFY_3}>,3,2>)
    add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=${level}>)
endif()

# --- Search paths for libraries: the same in the build tree as when installed. Otherwise CMake would pad the build
# tree's path with a colon, to make room for the other, and an empty element means the current directory.
function(orff_search_path target)
    set_target_properties(${target} PROPERTIES
        INSTALL_RPATH_USE_LINK_PATH ON # the flavour of BLAS that it was built with, if the system has several
        BUILD_WITH_INSTALL_RPATH ON)
endfunction()
