/* Fitting in closed form: moments -> theta, and what the system has to say. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "engine/features.h"
#include "engine/reach.h"

/* Sums of squared errors of each output on the rows of a set (mirrored in place): yy - 2 V.R + V^T S V, y
 * centred. */
static orff_status squared_errors(const orff_features *features, orffi_moment_set *set, const double *theta,
                                  const double *mean, double *errors) {
    const size_t L = 2 * features->D, p = features->p;
    orffi_centre centre = {0};
    double *SV = NULL, *V = NULL;
    orff_status status = orffi_centre_fill(&centre, set, L, p, false, mean);
    if (!status) status = ORFFI_NEW_ARRAY(SV, L * p);
    if (!status) status = ORFFI_NEW_ARRAY(V, L * p);
    if (!status) {
        orffi_mirror(L, set->S);
        orffi_features_fold(features, theta, V);
        orffi_gemm(false, false, L, p, L, 1.0, set->S, L, V, p, 0.0, SV, p);
    }
    for (size_t k = 0; !status && k < p; k++) {
        double error =
            set->T[k * (p + 1) + k] - 2.0 * mean[k] * set->T[p * (p + 1) + k] + centre.N * mean[k] * mean[k];
        for (size_t a = 0; a < L; a++) error += V[a * p + k] * (SV[a * p + k] - 2.0 * centre.R[a * p + k]);
        errors[k] = fmax(error, 0.0);
    }
    orffi_centre_clear(&centre);
    orffi_release(SV);
    orffi_release(V);
    return status;
}

static orff_status training_errors(const orff_moments *moments, const orffi_features_fit *fit,
                                   const double *mean, double N, double *mse) {
    const size_t L = 2 * moments->bank->D;
    orffi_moment_set sum = {0};
    orff_status status = orffi_moment_set_init(&sum, L, moments->p);
    if (!status) {
        orffi_moments_sum(moments, moments->n_sets, &sum);
        status = squared_errors(fit->features, &sum, fit->theta, mean, mse);
    }
    for (size_t k = 0; !status && k < moments->p; k++) mse[k] /= N;
    orffi_moment_set_clear(&sum);
    return status;
}

/* Degrees of freedom: n r - shift trace of the inverses, which F of the posterior gives when there is no
 * eigen form. */
static double degrees(const orffi_system *s, const orffi_posterior *posterior, double shift) {
    double dof = 0.0, square = 0.0;
    if (s->U) {
        for (size_t a = 0; a < s->n; a++)
            for (size_t b = 0; b < s->r; b++) dof += s->e[a] * s->m[b] / (s->e[a] * s->m[b] + shift);
        return dof;
    }
    if (!posterior) return NAN;
    for (size_t i = 0; i < s->n * s->n; i++) square += posterior->F[i] * posterior->F[i];
    return (double)s->r * fmax((double)s->n - shift * square, 0.0); /* rounding where shift is large */
}

/* Everything that the system has to say at its lambda. */
static orff_status fill_report(orffi_features_rows *r, orffi_features_fit *fit, double lambda,
                               orffi_report *report) {
    const orffi_system *s = &r->ridge->system;
    const double shift = s->N * lambda;
    if (orffi_keeps_posterior(r->task.settings, (double)s->n))
        ORFFI_TRY(orffi_posterior_build(&fit->posterior, &r->ridge->system, shift));
    ORFFI_TRY(training_errors(r->moments, fit, report->mean, s->N, report->train_mse));
    report->N = s->N;
    report->rows = orff_moments_describe(r->moments).rows;
    report->single = r->moments->settings.single;
    report->dof = degrees(s, fit->posterior, shift);
    report->log_evidence = NAN;
    if (s->U) {
        orff_path_point point;
        ORFFI_TRY(orff_ridge_path(r->ridge, 1, &lambda, false, &point));
        report->log_evidence = point.log_evidence;
    }
    return ORFF_OK;
}

orff_status orffi_features_solve(orffi_features_fit **out, orffi_features_rows *r, double lambda,
                                 orffi_report *report) {
    orffi_features_fit *fit = NULL;
    orff_status status = orffi_features_fit_create(&fit, orffi_features_take(r));
    if (!status) status = orff_ridge_solve(r->ridge, lambda, fit->theta, report->mean, &report->solve);
    if (!status) status = fill_report(r, fit, lambda, report);
    if (!status)
        status = orffi_reach_moments(fit->features->kernel, r->moments, report->mean, &report->unreached);
    report->lambda = lambda;
    orff_ridge_free(r->ridge);
    r->ridge = NULL;
    if (status) {
        orffi_features_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}
