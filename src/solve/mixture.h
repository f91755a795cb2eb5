/* The evidence of a sum of parts as a function of the weights v of the parts and the noise variance s2.
 *
 * Every coefficient i has a vector b_i in R^p and a scale d_i(v) = sum_m v_m a_mi, so the normal matrix is
 * G_ik = sqrt(d_i d_k) G1_ik, where G1_ik = S_ab b_i.b_k is assembled once. If all parts on a group have
 * rules whose A(w) is diagonal along and across w, the b_i are an orthonormal frame of w: p coefficients per
 * feature for any number of parts. Otherwise each part has its own columns.
 *
 * With theta = (G + s2)^-1 b, A = (G + s2)^-1 and rho_mi = v_m a_mi / d_i,
 *
 *     d log p / d log v_m = 1/2 sum_i rho_mi (theta_i^2 - 1 + s2 A_ii)
 */
#ifndef ORFFI_SOLVE_MIXTURE_H
#define ORFFI_SOLVE_MIXTURE_H

#include "solve/system.h"

typedef struct orffi_mixture {
    const orff_features *features;
    size_t parts, half, M; /* M = 2 half coefficients */
    orffi_columns columns; /* b_i */
    double *a;             /* half x parts: a_mi */
    double *trace;         /* parts: trace of K~_m(0) at weight 1 */
    double N, yy, P;       /* total weight, sum c |y - mean|^2, observations N p */
    double *mean;          /* p: subtracted from y */
    double *G1, *b1;       /* M x M, M */
    double *C, *theta;     /* M x M, M: at the point last evaluated, as are d and root */
    double *d, *root;      /* half, M: d_i and its square root */
} orffi_mixture;

/* For all sets of the moments except left_out (n_sets: all sets). mean: see orffi_centre_fill. */
orff_status orffi_mixture_init(orffi_mixture *mix, const orff_features *f, const orff_moments *moments,
                               size_t left_out, bool center, const double *mean);

/* For one set alone, with y centred by the given mean. */
orff_status orffi_mixture_init_fold(orffi_mixture *mix, const orff_features *f, const orff_moments *moments,
                                    size_t fold, const double *mean);
void orffi_mixture_clear(orffi_mixture *mix);

/* log p(y) at x = (log v_1 .. log v_parts, log s2) and, unless NULL, its gradient (parts + 1).
 * ORFF_ERROR_NOT_POSITIVE if the matrix is singular to rounding. */
orff_status orffi_mixture_evidence(orffi_mixture *mix, const double *x, double *value, double *gradient);

/* Computes only theta at x, in mix->theta; mix->C then holds the Cholesky factor. */
orff_status orffi_mixture_solve(orffi_mixture *mix, const double *x);

#endif
