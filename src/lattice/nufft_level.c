#include "lattice/nufft_level.h"

size_t orffi_nufft_levels(const orffi_nufft_level *levels[4]) {
    size_t count = 0;
    levels[count++] = &orffi_nufft_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) levels[count++] = &orffi_nufft_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        levels[count++] = &orffi_nufft_avx512;
#endif
    return count;
}

const orffi_nufft_level *orffi_nufft_level_here(void) {
    const orffi_nufft_level *levels[4] = {0};
    return levels[orffi_nufft_levels(levels) - 1];
}
