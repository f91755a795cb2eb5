/* Loops over small arrays with the processor's vector instructions: one file for each instruction set, chosen
 * at run time. Results of different sets differ by rounding. */
#ifndef ORFFI_BASE_VECTOR_H
#define ORFFI_BASE_VECTOR_H

#include "base/status.h"

typedef struct orffi_vector_level {
    const char *name;
    /* x_i = exp(x_i) for x_i <= 0, to two units in the last place; below -708 the value at -708, 3e-308. */
    void (*exp_many)(size_t n, double *x);
    /* x_i = sqrt(factor x_i) */
    void (*root_many)(size_t n, double factor, double *x);
    /* With v_j = (at - x_j) rate: sums_j += v_j^2, and sum_j w_j v_j^2. */
    void (*add_squares)(size_t n, double at, double rate, const double *x, double *sums);
    double (*weigh_squares)(size_t n, double at, double rate, const double *x, const double *w);
    /* Like orffi_small_cholesky and its companions. */
    bool (*cholesky)(size_t n, double *A, size_t stride);
    void (*solve_lower)(size_t n, const double *L, size_t stride, double *b);
    void (*solve_upper)(size_t n, const double *L, size_t stride, double *b);
} orffi_vector_level;

extern const orffi_vector_level orffi_vector_plain;
#if defined(__x86_64__)
extern const orffi_vector_level orffi_vector_avx2;
#endif

/* The best set that this processor supports. */
const orffi_vector_level *orffi_vector_level_here(void);

#endif
