/* The iterative methods for the normal equations
 *
 *     (A^* A + shift I) theta = A^* y
 *
 * Each improves a given theta: it finds x with (A^* A + shift I) x = r, where u = y - A theta and r = A^* u -
 * shift theta. */
#ifndef ORFFI_SOLVE_ITERATIVE_H
#define ORFFI_SOLVE_ITERATIVE_H

#include "solve/data.h"
#include "solve/subsample.h"

typedef struct orffi_normal_equations {
    const orffi_operator *A;
    double shift; /* > 0 */
    const orff_iteration *how;
    orffi_monitor *monitor;      /* counts the iterations; a method stops at its limit */
    orffi_subsample *subsample;  /* pcg */
    const double *theta, *u, *r; /* the state to improve: cols, rows, cols numbers */
    double target;               /* stop where |r - (A^* A + shift I) x| <= target */
    double condition;            /* the method's estimate of the condition of A^* A + shift I; 0: none */
} orffi_normal_equations;

/* x (cols numbers) is zero on entry and the correction on exit. */
typedef orff_status orffi_iterative_method(orffi_normal_equations *equations, double *x);

/* out = (A^* A + shift I) x */
static inline orff_status orffi_normal_apply(const orffi_normal_equations *e, const double *x, double *out) {
    ORFFI_TRY(orffi_operator_normal(e->A, x, out));
    orffi_vector_add(e->A->cols, e->shift, x, out);
    return ORFF_OK;
}

/* Everything sgd needs. theta is the start value and receives the result; root is sqrt(c_i) or NULL. */
typedef struct orffi_sgd_problem {
    const orff_features *f;
    size_t n;
    const double *X, *Y, *root, *intercept;
    double total; /* sum of the weights */
    const orff_iteration *how;
    orffi_monitor *monitor;
} orffi_sgd_problem;

/* orff_iterate_shared with a keeper, which receives results on the way and says where to start; NULL: start
 * from the beginning. */
orff_status orffi_iterate(const orff_features *features, size_t n, const double *X, const double *Y,
                          const double *weights, const double *intercept, const orff_iteration *how,
                          const orffi_keeper *keeper, const orff_sharing *sharing, double *theta,
                          orff_solve_info *info);

orff_status orffi_sgd(const orffi_sgd_problem *problem, double *theta, orff_solve_info *info);

#endif
