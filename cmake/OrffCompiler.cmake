# The dialect, the warnings and the kind of build, for every target of the project.

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

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(ORFF_WERROR)
    add_compile_options(-Werror)
endif()

# Results must not depend on whether the compiler fuses a multiplication and an addition. Nothing reads errno after
# a call of libm, and without it square roots become one instruction.
add_compile_options(-ffp-contract=off -fno-math-errno)
add_compile_options($<$<CONFIG:RelWithDebInfo>:-O3>)

if(NOT ORFF_SANITIZE MATCHES "^(OFF|ON|memory)$")
    message(FATAL_ERROR "ORFF_SANITIZE is \"${ORFF_SANITIZE}\": expected OFF, ON or memory")
endif()
if(ORFF_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(ORFF_SANITIZE STREQUAL "memory")
        set(sanitizers -fsanitize=memory -fno-sanitize-recover=all -fno-omit-frame-pointer)
    endif()
    add_compile_options(${sanitizers} -O1 -g -UNDEBUG)
    add_link_options(${sanitizers})
endif()
if(ORFF_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
