/* Loops over small arrays in the instructions of the processor: one file for each set of them, chosen at run time. They round
 * as their instructions do. */
#ifndef ORFFI_BASE_VECTOR_H
#define ORFFI_BASE_VECTOR_H

#include "base/status.h"

typedef struct orffi_vector_level {
    const char *name;
    /* x_i = exp(x_i) for x_i <= 0, to two units in the last place; below -708 that of -708, 3e-308. */
    void (*exp_many)(size_t n, double *x);
    /* x_i = sqrt(factor x_i) */
    void (*root_many)(size_t n, double factor, double *x);
    /* With v_j = (at - x_j) rate: sums_j += v_j^2, and sum_j w_j v_j^2. */
    void (*add_squares)(size_t n, double at, double rate, const double *x, double *sums);
    double (*weigh_squares)(size_t n, double at, double rate, const double *x, const double *w);
    /* As orffi_small_cholesky and its kind. */
    bool (*cholesky)(size_t n, double *A, size_t stride);
    void (*solve_lower)(size_t n, const double *L, size_t stride, double *b);
    void (*solve_upper)(size_t n, const double *L, size_t stride, double *b);
} orffi_vector_level;

extern const orffi_vector_level orffi_vector_plain;
#if defined(__x86_64__)
extern const orffi_vector_level orffi_vector_avx2;
#endif

/* The best one here. */
const orffi_vector_level *orffi_vector_level_here(void);

#endif
