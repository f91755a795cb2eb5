/* Vectorised cosine and sine, the level chosen once for the CPU that runs.
 *
 * Each level is one file, compiled for its instructions and reached only where the CPU has them.
 */
#ifndef ORFF_FEATURES_SINCOS_H
#define ORFF_FEATURES_SINCOS_H

#include <stddef.h>

typedef struct orff_sincos_level {
    const char *name; /* for orff_build_info */
    /* cosine[j] holds the angle t_j on entry; on return cosine[j] = amplitude[j] cos t_j and
     * sine[j] = amplitude[j] sin t_j. The same angle gives the same bits wherever it stands. */
    void (*rotate)(size_t n, double *cosine, double *sine, const double *amplitude);
    void (*rotate_single)(size_t n, float *cosine, float *sine, const float *amplitude);
} orff_sincos_level;

const orff_sincos_level *orff_sincos(void);

extern const orff_sincos_level orff_sincos_plain;
#ifdef ORFF_HAVE_SLEEF
#if defined(__x86_64__)
extern const orff_sincos_level orff_sincos_sse2, orff_sincos_avx2, orff_sincos_avx512;
#elif defined(__aarch64__)
extern const orff_sincos_level orff_sincos_advsimd;
#endif
#endif

#endif
