/* Fitting in closed form: from moments to theta and the report. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/features.h"
#include "engine/reach.h"

#define PROBE_STREAM 0xd0fu

/* Sums of squared errors of each output on the rows of a set (mirrored in place): yy - 2 V.R + V^T S V,
 * with y centred. */
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

/* ---- degrees of freedom: n r - shift trace of the inverses */

/* trace (L L^T)^-1 as the mean of z^T (L L^T)^-1 z over random signs z. Its standard error is below sqrt(2
 * n / PROBES) / shift, which hardly changes n - dof and the noise of many rows; the exact trace would cost
 * as much again as the factor. */
static orff_status probe_inverse(size_t n, const double *L, double *trace) {
    enum { PROBES = 32 };
    const orffi_rng rng = {1, PROBE_STREAM};
    double *z = NULL, *solved = NULL;
    orff_status status = ORFFI_NEW_ARRAY(z, n * PROBES);
    for (size_t i = 0; !status && i < n * PROBES; i++) z[i] = orffi_rng_bits(rng, i, 0) & 1 ? 1.0 : -1.0;
    if (!status) status = orffi_duplicate(&solved, z, n * PROBES, sizeof *z);
    if (!status) status = orffi_cholesky_solve(n, L, PROBES, solved);
    *trace = status ? NAN : orffi_dot(n * PROBES, z, solved) / PROBES;
    orffi_release(z);
    orffi_release(solved);
    return status;
}

static double eigen_degrees(const orffi_system *s, double shift) {
    double dof = 0.0;
    for (size_t a = 0; a < s->n; a++)
        for (size_t b = 0; b < s->r; b++) dof += s->e[a] * s->m[b] / (s->e[a] * s->m[b] + shift);
    return dof;
}

/* From the eigen form; or from F of the posterior, where |F|^2 is the trace; or from the factor. */
static orff_status degrees(const orffi_system *s, const orffi_posterior *posterior, double shift,
                           double *dof) {
    double trace = 0.0;
    *dof = s->U ? eigen_degrees(s, shift) : NAN;
    if (s->U || !(posterior || s->factor)) return ORFF_OK;
    if (!posterior) ORFFI_TRY(probe_inverse(s->n, s->factor, &trace));
    for (size_t i = 0; posterior && i < s->n; i++)
        trace += orffi_dot(s->n, posterior->F + i * s->n, posterior->F + i * s->n);
    *dof = (double)s->r * fmax((double)s->n - shift * trace, 0.0); /* fmax: rounding if shift is large */
    return ORFF_OK;
}

/* Fills the report for the lambda that the system was solved at. */
static orff_status fill_report(orffi_features_rows *r, orffi_features_fit *fit, double lambda,
                               orffi_report *report) {
    const orffi_system *s = &r->ridge->system;
    const double shift = s->factor ? s->shift : s->N * lambda + report->solve.jitter; /* including jitter */
    if (orffi_keeps_posterior(r->task.settings, (double)s->n))
        ORFFI_TRY(orffi_posterior_build(&fit->posterior, &r->ridge->system, shift));
    ORFFI_TRY(training_errors(r->moments, fit, report->mean, s->N, report->train_mse));
    report->N = s->N;
    report->rows = orff_moments_describe(r->moments).rows;
    report->single = r->moments->settings.single;
    ORFFI_TRY(degrees(s, fit->posterior, shift, &report->dof));
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
    orff_status status = orffi_features_fit_create(&fit, orffi_features_adopt(r));
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
