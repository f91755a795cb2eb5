/* Ridge from moments: one lambda (direct.c), and whole paths in eigen form. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "solve/ridge.h"

orff_status orff_ridge_create(orff_ridge **out, const orff_features *features, const orff_moments *moments,
                              bool center) {
    orff_ridge *ridge;
    if (!out || !features || !moments)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_ridge_create: NULL argument");
    ORFFI_TRY(orffi_moments_refuse_parted(moments, "orff_ridge is"));
    ORFFI_TRY(ORFFI_NEW(ridge));
    ridge->features = features;
    ridge->moments = moments;
    ridge->center = center;
    orff_status status = orffi_system_build(&ridge->system, features, moments, moments->n_sets, center, NULL);
    if (!status && !(ridge->system.N > 0.0))
        status = orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there are no rows to learn from");
    if (status) {
        orff_ridge_free(ridge);
    } else {
        *out = ridge;
    }
    return status;
}

void orff_ridge_free(orff_ridge *ridge) {
    if (!ridge) return;
    orffi_system_clear(&ridge->system);
    orffi_release(ridge);
}

/* ---- one lambda */

static orff_status check_lambda(const orffi_system *s, double lambda) {
    if (lambda > 0.0 && isfinite(s->N * lambda)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "lambda is %g; it must be positive and finite", lambda);
}

orff_status orff_ridge_solve(orff_ridge *ridge, double lambda, double *theta, double *intercept,
                             orff_solve_info *info) {
    double *t;
    orff_solve_info own = {0};
    if (!ridge || !theta) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_ridge_solve: NULL argument");
    orffi_system *s = &ridge->system;
    ORFFI_TRY(check_lambda(s, lambda));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t, s->n * s->r));
    const orff_status status = orffi_system_solve(s, lambda, t, &own);
    if (!status) {
        orffi_system_expand(s, t, theta);
        if (intercept) memcpy(intercept, s->mean, s->p * sizeof *intercept);
        if (info) *info = own;
    }
    orffi_release(t);
    return status;
}

/* ---- a path */

/* With E = e_a m_b and shift = N lambda (or the larger shift that rounding needs): dof = sum E/(E+shift),
 * sums over |f|^2 from c^2, log p(y) = -1/2 [ (yy - sum c^2/(E+shift))/shift + sum log(E+shift) + (P - n r)
 * log shift + P log 2 pi ]. */
static void path_point(const orffi_system *s, double lambda, orff_path_point *point) {
    const double shift = orffi_system_shift(s, lambda), P = s->N * (double)s->p;
    double explained = 0.0, quadratic = 0.0, logs = 0.0, dof = 0.0;
    for (size_t a = 0; a < s->n; a++) {
        for (size_t b = 0; b < s->r; b++) {
            const double E = s->e[a] * s->m[b], c = s->c[a * s->r + b], sum = E + shift;
            dof += E / sum;
            logs += log(sum);
            quadratic += c * c / sum;
            explained += c * c * (E + 2.0 * shift) / (sum * sum);
        }
    }
    const double rss = fmax(s->yy - explained, 0.0), left = P - dof;
    *point = (orff_path_point){
        .lambda = lambda,
        .train_mse = rss / P,
        .gcv = left > 0.0 ? P * rss / (left * left) : INFINITY,
        .dof = dof,
        .noise = left > 0.0 ? rss / left : NAN,
        .cv_mse = NAN,
        .log_evidence = -0.5 * (fmax(s->yy - quadratic, 0.0) / shift + logs +
                                (P - (double)(s->n * s->r)) * log(shift) + P * log(6.28318530717958647692)),
    };
}

static void warn_of_rounding(const orffi_system *s, size_t count, const double *lambdas) {
    const double least = orffi_system_shift(s, 0.0) / s->N;
    size_t lost = 0;
    for (size_t l = 0; l < count; l++) lost += lambdas[l] < least;
    if (lost)
        orffi_log(ORFF_LOG_WARNING, "%zu of %zu lambdas are lost in rounding: they count as %g", lost, count,
                  least);
}

orff_status orff_ridge_path(orff_ridge *ridge, size_t count, const double *lambdas, bool cross,
                            orff_path_point *points) {
    double *errors = NULL;
    if (!ridge || !lambdas || !points)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_ridge_path: NULL argument");
    for (size_t l = 0; l < count; l++) ORFFI_TRY(check_lambda(&ridge->system, lambdas[l]));
    ORFFI_TRY(orffi_system_eigen(&ridge->system));
    warn_of_rounding(&ridge->system, count, lambdas);
    orff_status status = cross ? ORFFI_NEW_ARRAY(errors, count) : ORFF_OK;
    if (!status && cross) status = orffi_ridge_cross(ridge, count, lambdas, errors, NULL);
    for (size_t l = 0; !status && l < count; l++) {
        path_point(&ridge->system, lambdas[l], &points[l]);
        if (cross) points[l].cv_mse = errors[l];
    }
    orffi_release(errors);
    return status;
}
