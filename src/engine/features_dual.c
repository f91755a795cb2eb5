/* Fewer rows than coefficients: solves the dual of ridge regression. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "engine/features.h"
#include "engine/reach.h"

/* A path takes an eigendecomposition of either system. For a single lambda the primal needs only a
 * Cholesky factor, a tenth of the work at the same order, so the dual pays below half the order. Single
 * precision, the weights of a mixture and checkpoints need sums. */
bool orffi_features_are_few(const orffi_features_rows *r, size_t n) {
    const orff_settings *s = r->task.settings;
    const size_t primal = orffi_primal_order(r->drawn);
    const bool one = s->lambda > 0.0 && !r->task.scores;
    if (n == 0 || r->task.single || (s->mixture && !s->auto_kernel)) return false;
    return orffi_dual_order(r->drawn, n) < (one ? primal / 2 : primal);
}

/* ---- the posterior */

/* The number of columns of F: eigenvectors not lost to rounding. They are the last ones. */
static size_t count_columns(const orffi_exact_system *s) {
    const double least = (double)s->n * 2.220446049250313e-16 * s->e[s->n - 1];
    size_t count = 0;
    while (count < s->n && s->e[s->n - 1 - count] > least) count++;
    return count;
}

/* The number of nonzero modes of A. With values = 1 all outputs have the same. */
static size_t count_modes(const orffi_exact_plan *plan) {
    size_t zero = 0;
    if (!plan->law) return 1;
    while (plan->values > 1 && zero < plan->values && orffi_exact_plan_is_zero(plan, zero)) zero++;
    return plan->p - zero;
}

static double mode(const orffi_posterior *posterior, const orffi_exact_plan *plan, size_t b) {
    if (!plan->law) return 1.0;
    return plan->values == 1 ? plan->m[0] : plan->m[plan->p - posterior->r + b];
}

/* Sets n, r and the turning of the outputs, or the columns of the blocks. */
static orff_status fill_shape(orffi_posterior *posterior, const orffi_dual *dual) {
    const orff_features *f = dual->features;
    const orffi_bank_group *group = &f->bank->groups[f->part_group[0]];
    const size_t p = f->p, r = posterior->r = count_modes(&dual->plan);
    posterior->stein = dual->plan.law != NULL;
    posterior->first = posterior->stein ? group->first : 0;
    posterior->used = posterior->stein ? group->drawn.count : 0;
    if (!posterior->stein) ORFFI_TRY(orffi_columns_fill(&posterior->columns, f));
    posterior->n = 2 * (posterior->stein ? posterior->used : posterior->columns.count);
    posterior->k = count_columns(&dual->system);
    if (!posterior->stein) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->W, p * r));
    for (size_t i = 0; i < p; i++)
        for (size_t b = 0; b < r; b++)
            posterior->W[i * r + b] = dual->plan.W ? dual->plan.W[i * p + (p - r) + b] : (double)(i == b);
    return ORFF_OK;
}

/* F = Phi^T sqrt(c) P diag(e)^-1/2, orthonormal, where P are the eigenvectors of the dual. */
static orff_status fill_factor(orffi_posterior *posterior, const orffi_dual *dual) {
    const orffi_exact_system *s = &dual->system;
    const size_t n = posterior->n, k = posterior->k, each = s->n / s->rows, D = dual->features->D;
    double *slices = NULL;
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->owned, n * k));
    ORFFI_TRY(ORFFI_NEW_ARRAY(slices, s->n * n));
    for (size_t i = 0; i < s->rows; i++)
        orffi_posterior_slices(posterior, D, s->p, dual->phi + i * 2 * D, slices + i * each * n);
    for (size_t i = 0; s->root && i < s->n * n; i++) slices[i] *= s->root[i / n / each];
    orffi_gemm(true, false, n, k, s->n, 1.0, slices, n, s->F + (s->n - k), s->n, 0.0, posterior->owned, k);
    for (size_t i = 0; i < n * k; i++) posterior->owned[i] /= sqrt(s->e[s->n - k + i % k]);
    orffi_release(slices);
    return ORFF_OK;
}

/* g_ab = m_b / (e_a m_b + shift), rest_b = m_b / shift */
static orff_status fill_variances(orffi_posterior *posterior, const orffi_dual *dual, double shift) {
    const orffi_exact_system *s = &dual->system;
    const size_t k = posterior->k, r = posterior->r;
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->g, k * r));
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->rest, r));
    for (size_t b = 0; b < r; b++) {
        const double m = mode(posterior, &dual->plan, b);
        for (size_t a = 0; a < k; a++) posterior->g[a * r + b] = m / (s->e[s->n - k + a] * m + shift);
        posterior->rest[b] = m / shift;
    }
    return ORFF_OK;
}

/* The posterior of a dual at lambda. */
static orff_status posterior_of(orffi_posterior **out, const orffi_dual *dual, double lambda) {
    orffi_posterior *posterior;
    ORFFI_TRY(ORFFI_NEW(posterior));
    orff_status status = fill_shape(posterior, dual);
    if (!status) status = fill_factor(posterior, dual);
    if (!status) status = fill_variances(posterior, dual, orffi_exact_system_shift(&dual->system, lambda));
    posterior->F = posterior->owned;
    if (status) {
        orffi_posterior_free(posterior);
    } else {
        *out = posterior;
    }
    return status;
}

/* ---- the fit */

/* Decides as the primal does, by the number of coefficients. */
static orff_status fill_posterior(const orffi_features_rows *r, orffi_features_fit *fit, double lambda) {
    if (!orffi_keeps_posterior(r->task.settings, (double)orffi_primal_order(fit->features))) return ORFF_OK;
    return posterior_of(&fit->posterior, &r->dual, lambda);
}

static orff_status solve(const orffi_features_rows *r, orffi_features_fit *fit, double lambda,
                         orffi_report *report) {
    const orffi_table *t = r->table;
    orff_path_point point;
    ORFFI_TRY(orffi_dual_solve(&r->dual, lambda, fit->theta, &report->solve, &point, report->train_mse));
    memcpy(report->mean, r->dual.system.mean, t->p * sizeof *report->mean);
    report->N = r->dual.system.N;
    report->rows = t->n;
    report->lambda = lambda;
    report->dof = point.dof;
    report->log_evidence = point.log_evidence;
    ORFFI_TRY(
        orffi_reach_rows(fit->features->kernel, t->n, t->Y, t->weights, report->mean, &report->unreached));
    return fill_posterior(r, fit, lambda);
}

orff_status orffi_features_solve_dual(orffi_features_fit **out, orffi_features_rows *r, double lambda,
                                      orffi_report *report) {
    orffi_features_fit *fit = NULL;
    orff_status status = orffi_features_fit_create(&fit, orffi_features_adopt(r));
    if (!status) status = solve(r, fit, lambda, report);
    orffi_dual_clear(&r->dual);
    if (status) {
        orffi_features_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}
