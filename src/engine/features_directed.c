/* Directed rows (engine/table.h). With z = Phi(x) e, the features of a row along its direction,
 *
 *     (A + N lambda) theta = sum c z (y - <e, mean>),      A = sum c z z^T
 *
 * is one system for all outputs, whatever the kernel. The evidence chooses lambda. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "engine/features.h"

#define TWO_PI  6.28318530717958647693
#define NUMBERS ((size_t)1 << 21) /* of features computed at a time */

/* ---- the system */

/* Adds to z sqrt(c) times the features of a point along e, computed from its phi: columns of the blocks
 * along e. */
static void add_point(const orffi_system *s, const double *phi, const double *e, double root, double *z) {
    const size_t half = s->columns.count, D = s->L / 2;
    for (size_t k = 0; k < half; k++) {
        const double along = root * orffi_dot(s->p, s->columns.B + k * s->p, e);
        const double across = s->columns.C ? root * orffi_dot(s->p, s->columns.C + k * s->p, e) : 0.0;
        const double cosine = phi[s->columns.j[k]], sine = phi[D + s->columns.j[k]];
        z[k] += cosine * along + sine * across;
        z[half + k] += sine * along - cosine * across;
    }
}

/* sqrt(c) z of row i, summed over its points if it has several. */
static void fill_row(const orffi_features_rows *r, size_t i, double root, double *phi, double *scratch,
                     double *z) {
    const orffi_system *s = &r->joint;
    const orffi_table *t = r->table;
    const orffi_directed rows = orffi_table_directed(t);
    memset(z, 0, s->n * sizeof *z);
    for (size_t k = orffi_directed_begin(&rows, i); k < orffi_directed_begin(&rows, i + 1); k++) {
        if (t->points) orffi_phi(r->bound->bank, 1, t->X + k * t->d, phi, scratch);
        add_point(s, phi, t->along + k * s->p, root, z);
    }
}

/* Adds rows [first, first + n). Z: n x the order; phi and scratch as the bank requires. */
static void add_rows(orffi_features_rows *r, size_t first, size_t n, double *phi, double *scratch,
                     double *Z) {
    orffi_system *s = &r->joint;
    const orffi_table *t = r->table;
    const orffi_directed rows = orffi_table_directed(t);
    if (!t->points) orffi_phi(r->bound->bank, n, t->X + first * t->d, phi, scratch);
    for (size_t i = 0; i < n; i++) {
        const double c = t->weights[first + i], root = sqrt(c);
        const double y = t->Y[first + i] - orffi_directed_constant(&rows, s->p, first + i, s->mean);
        fill_row(r, first + i, root, t->points ? phi : phi + i * s->L, scratch, Z + i * s->n);
        for (size_t k = 0; k < s->n; k++) s->rhs[k] += root * y * Z[i * s->n + k];
        s->yy += c * y * y;
        if (first + i < t->n - t->functionals) r->observed += c;
        if (!(c > 0.0)) continue;
        r->logs += log(c);
        r->counted++;
    }
    orffi_syrk(s->n, n, Z, s->n, 1.0, s->A, s->n);
}

static orff_status sum_rows(orffi_features_rows *r) {
    orffi_system *s = &r->joint;
    const size_t n = r->table->n, block = NUMBERS / (s->n + s->L) + 1;
    const size_t most = orffi_bank_block_rows(r->bound->bank), step = block < most ? block : most;
    double *phi = NULL, *scratch = NULL, *Z = NULL;
    orff_status status = orffi_alloc(&phi, step, s->L * sizeof *phi);
    if (!status) status = ORFFI_NEW_ARRAY(scratch, orffi_bank_scratch(r->bound->bank));
    if (!status) status = orffi_alloc(&Z, step, s->n * sizeof *Z);
    for (size_t i = 0; !status && i < n; i += step)
        add_rows(r, i, n - i < step ? n - i : step, phi, scratch, Z);
    if (!status) orffi_mirror(s->n, s->A);
    orffi_release(phi);
    orffi_release(scratch);
    orffi_release(Z);
    return status;
}

orff_status orffi_features_join(orffi_features_rows *r) {
    const orff_features *f = r->bound;
    orffi_system *s = &r->joint;
    *s = (orffi_system){.L = 2 * f->D,
                        .p = f->p,
                        .r = 1,
                        .N = r->table ? r->table->N : orff_moments_describe(r->moments).weight};
    r->logs = r->observed = 0.0;
    r->counted = 0;
    ORFFI_TRY(orffi_columns_fill(&s->columns, f));
    s->n = 2 * s->columns.count;
    s->rounding = (double)s->n * 2.220446049250313e-16;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->mean, s->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->m, 1));
    s->m[0] = 1.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->rhs, s->n));
    ORFFI_TRY(orffi_alloc(&s->A, s->n, s->n * sizeof *s->A));
    if (!r->table) return orffi_features_join_moments(r);
    if (r->task.settings->center) ORFFI_TRY(orffi_table_mean(r->table, s->mean));
    ORFFI_TRY(sum_rows(r));
    r->observed = orffi_table_observed(r->observed, r->table->walls);
    if (r->counted) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "all weights are zero: there are no rows to learn from");
}

/* ---- along the path */

/* The evidence at N lambda. profile: the same at the noise variance that maximises it. */
static void judge(const orffi_features_rows *r, double shift, orff_path_point *point, double *profile) {
    const orffi_system *s = &r->joint;
    const double P = (double)r->counted;
    double left = s->yy, log_det = 0.0;
    point->dof = 0.0;
    for (size_t a = 0; a < s->n; a++) {
        left -= s->c[a] * s->c[a] / (s->e[a] + shift);
        log_det += log1p(s->e[a] / shift);
        point->dof += s->e[a] / (s->e[a] + shift);
    }
    left = fmax(left, 1e-300);
    point->log_evidence = 0.5 * (r->logs - left / shift - log_det - P * log(TWO_PI * shift));
    *profile = 0.5 * (r->logs - P * (log(TWO_PI * left / P) + 1.0) - log_det);
}

orff_status orffi_features_judge_directed(orffi_features_rows *r, size_t count, const double *lambdas,
                                          orffi_criterion *c) {
    ORFFI_TRY(orffi_system_eigen(&r->joint));
    for (size_t l = 0; l < count; l++) {
        orff_path_point point = {
            .lambda = lambdas[l], .train_mse = NAN, .gcv = NAN, .cv_mse = NAN, .noise = NAN};
        double profile;
        judge(r, orffi_system_shift(&r->joint, lambdas[l]), &point, &profile);
        c->errors[l] = -profile;
        if (c->points) c->points[l] = point;
    }
    for (size_t i = 0; i < count * r->joint.p; i++) c->outputs[i] = NAN;
    c->told = true;
    return ORFF_OK;
}

/* ---- the fit */

/* sum c (y - <e, mean> - z theta)^2 = yy - 2 t.rhs + t A t, with (A + shift) t = rhs. */
static double squared_errors(const orffi_system *s, double shift, const double *t) {
    return fmax(s->yy - orffi_dot(s->n, t, s->rhs) - shift * orffi_dot(s->n, t, t), 0.0);
}

static orff_status solve(orffi_features_rows *r, orffi_features_fit *fit, double lambda, double *t,
                         orffi_report *report) {
    orffi_system *s = &r->joint;
    orff_path_point point = {0};
    double profile;
    ORFFI_TRY(orffi_system_eigen(s));
    const double shift = orffi_system_shift(s, lambda);
    orffi_system_eigen_solve(s, shift, t, t + s->n);
    orffi_system_expand(s, t, fit->theta);
    judge(r, shift, &point, &profile);
    memcpy(report->mean, s->mean, s->p * sizeof *s->mean);
    for (size_t k = 0; k < s->p; k++) report->train_mse[k] = squared_errors(s, shift, t) / r->observed;
    report->N = r->observed / (double)s->p;
    report->rows = r->counted;
    report->lambda = lambda;
    report->dof = point.dof;
    report->log_evidence = point.log_evidence;
    report->unreached = 0.0;
    report->solve = (orff_solve_info){.method = "eigen", .converged = true};
    return orffi_keeps_posterior(r->task.settings, (double)s->n)
               ? orffi_posterior_build(&fit->posterior, s, shift)
               : ORFF_OK;
}

orff_status orffi_features_solve_directed(orffi_features_fit **out, orffi_features_rows *r, double lambda,
                                          orffi_report *report) {
    orffi_features_fit *fit = NULL;
    double *t = NULL;
    orff_status status = orffi_features_fit_create(&fit, orffi_features_adopt(r));
    if (!status) status = ORFFI_NEW_ARRAY(t, 2 * r->joint.n);
    if (!status) status = solve(r, fit, lambda, t, report);
    orffi_system_clear(&r->joint);
    orffi_release(t);
    if (status) {
        orffi_features_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}
