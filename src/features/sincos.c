/* Chooses the level for this CPU. */
#include "features/sincos.h"

#include <stdio.h>

#include "base/crs.h"
#include "base/linalg.h"
#include "base/status.h"

const orffi_sincos_level *orffi_sincos(void) {
#if defined(ORFF_HAVE_SLEEF) && defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return &orffi_sincos_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &orffi_sincos_avx2;
    return &orffi_sincos_sse2;
#elif defined(ORFF_HAVE_SLEEF) && defined(__aarch64__)
    return &orffi_sincos_advsimd;
#else
    return &orffi_sincos_plain;
#endif
}

const char *orff_build_info(void) {
    static _Thread_local char text[160];
#ifdef _OPENMP
    const char *parallel = "OpenMP";
#else
    const char *parallel = "one thread";
#endif
    snprintf(text, sizeof text, "%s, %s, %s, %s", orffi_blas_name(), orffi_sincos()->name, parallel,
             orffi_crs_library());
    return text;
}
