/* Ridge on features through its dual, for fewer rows than coefficients. With Phi the features of the rows,
 *
 *     (Phi Phi^T + N lambda I) alpha = y,      theta = Phi^T alpha
 *
 * gives the same theta as (Phi^T Phi + N lambda I) theta = Phi^T y. It is the system of exact/system.h with
 * the Gram matrix of the features in place of the kernel's: N x N for one decomposable part, else N p x N
 * p. */
#ifndef ORFFI_EXACT_DUAL_H
#define ORFFI_EXACT_DUAL_H

#include "exact/system.h"
#include "moments/moments.h"

typedef struct orffi_dual {
    const orff_features *features;
    orffi_exact_rows rows; /* the caller's, with `gram` added */
    orffi_exact_plan plan;
    orffi_exact_system system; /* in eigen form */
    double *phi;               /* N x L */
    double *gram;              /* n x n, without the weights */
    size_t folds;
    size_t *fold;    /* N: the fold of each row, as in moments */
    double *weights; /* folds: the total weight of the rows of each */
} orffi_dual;

/* The sizes of the two systems, from the features and from n rows; the smaller one is solved. */
size_t orffi_primal_order(const orff_features *features);
size_t orffi_dual_order(const orff_features *features, size_t n);

/* Everything passed must outlive the dual. Folds are those that moments with these settings would have. Clear
 * accepts a zeroed or half-built dual. */
orff_status orffi_dual_fill(orffi_dual *dual, const orff_features *features, const orffi_exact_rows *rows,
                            const orff_moments_settings *folds);
void orffi_dual_clear(orffi_dual *dual);

/* As orffi_moments_too_few. */
bool orffi_dual_too_few(const orffi_dual *dual);

/* The whole path except cv_mse. */
orff_status orffi_dual_path(const orffi_dual *dual, size_t count, const double *lambdas,
                            orff_path_point *points);

/* As orffi_ridge_cross and orffi_ridge_outputs_are_dear. */
orff_status orffi_dual_cross(const orffi_dual *dual, size_t count, const double *lambdas, double *errors,
                             double *outputs);
bool orffi_dual_outputs_are_dear(const orffi_dual *dual, size_t count);

/* theta (M) at lambda, information about the solution, and the training error of each output (p). */
orff_status orffi_dual_solve(const orffi_dual *dual, double lambda, double *theta, orff_solve_info *info,
                             orff_path_point *point, double *train_mse);

#endif
