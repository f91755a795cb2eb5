/* Vectorised cosine and sine, at a level chosen once for the running CPU.
 *
 * Each level is one file, compiled for its instructions and called only on CPUs that have them.
 */
#ifndef ORFFI_FEATURES_SINCOS_H
#define ORFFI_FEATURES_SINCOS_H

#include <stddef.h>

typedef struct orffi_sincos_level {
    const char *name; /* for orff_build_info */
    /* cosine[j] holds the angle t_j on entry; on return cosine[j] = amplitude[j] cos t_j and sine[j] =
     * amplitude[j] sin t_j. The same angle gives the same bits at any position. */
    void (*rotate)(size_t n, double *cosine, double *sine, const double *amplitude);
    void (*rotate_single)(size_t n, float *cosine, float *sine, const float *amplitude);
} orffi_sincos_level;

const orffi_sincos_level *orffi_sincos(void);

extern const orffi_sincos_level orffi_sincos_plain;
#ifdef ORFF_HAVE_SLEEF
#if defined(__x86_64__)
extern const orffi_sincos_level orffi_sincos_sse2, orffi_sincos_avx2, orffi_sincos_avx512;
#elif defined(__aarch64__)
extern const orffi_sincos_level orffi_sincos_advsimd;
#endif
#endif

#endif
