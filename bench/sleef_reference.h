/* The rate of SLEEF by itself: cosine and sine of n angles into two arrays, nothing else. */
#ifndef BENCH_SLEEF_REFERENCE_H
#define BENCH_SLEEF_REFERENCE_H

#include <stddef.h>

typedef struct sleef_reference {
    void (*sincos)(size_t n, const double *angle, double *cosine, double *sine);
    void (*sincos_single)(size_t n, const float *angle, float *cosine, float *sine);
} sleef_reference;

/* One per instruction set, from the same source file. */
extern const sleef_reference sleef_sse2, sleef_avx2, sleef_avx512, sleef_advsimd;

#endif
