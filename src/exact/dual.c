/* Building and solving the dual. */
#include "exact/dual.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "solve/data.h"

/* ---- sizes */

/* K~ = k~ (x) A, from the features of one part. */
static bool is_kronecker(const orffi_exact_plan *plan) {
    return plan->law != NULL;
}

/* Outputs decouple for a single decomposable part. A sum of such parts keeps the dense form, which its
 * posterior has. */
static orff_status make_plan(orffi_exact_plan *plan, const orff_features *f, size_t n) {
    if (f->kernel->n_parts == 1) return orffi_exact_plan_make(plan, f->kernel, n);
    *plan = (orffi_exact_plan){.n = n, .d = f->d, .p = f->p};
    return ORFF_OK;
}

static bool decouples(const orff_features *f) {
    return orffi_kernel_is_separable(f->kernel);
}

size_t orffi_primal_order(const orff_features *f) {
    size_t order = 0;
    if (decouples(f)) return 2 * f->bank->groups[f->part_group[0]].drawn.count;
    for (size_t j = 0; j < f->D; j++) {
        const size_t columns = orffi_features_block_columns(f, j);
        order += 2 * (columns < f->p ? columns : f->p);
    }
    return order;
}

size_t orffi_dual_order(const orff_features *f, size_t n) {
    return decouples(f) ? n : n * f->p;
}

/* ---- building */

static orff_status fill_phi(orffi_dual *dual) {
    const orffi_bank *bank = dual->features->bank;
    const size_t n = dual->rows.n, L = 2 * bank->D, block = orffi_bank_block_rows(bank);
    double *scratch;
    size_t size;
    ORFFI_TRY(orffi_multiply(n, L, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(dual->phi, size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(scratch, orffi_bank_scratch(bank)));
    for (size_t i = 0; i < n; i += block)
        orffi_phi(bank, n - i < block ? n - i : block, dual->rows.X + i * bank->d, dual->phi + i * L,
                  scratch);
    orffi_release(scratch);
    return ORFF_OK;
}

/* phi phi^T from the features of the part. */
static void scalar_gram(const orffi_dual *dual, double *G) {
    const orff_features *f = dual->features;
    const orffi_bank_group *group = &f->bank->groups[f->part_group[0]];
    const size_t n = dual->rows.n, L = 2 * f->D;
    for (size_t half = 0; half < 2; half++) {
        const double *from = dual->phi + half * f->D + group->first;
        orffi_gemm(false, true, n, n, group->drawn.count, 1.0, from, L, from, L, half ? 1.0 : 0.0, G, n);
    }
}

static orff_status fill_gram(orffi_dual *dual) {
    const size_t order = orffi_dual_order(dual->features, dual->rows.n);
    orffi_data data = {0};
    size_t size;
    ORFFI_TRY(orffi_multiply(order, order, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(dual->gram, size));
    if (is_kronecker(&dual->plan)) {
        scalar_gram(dual, dual->gram);
        return ORFF_OK;
    }
    orff_status status =
        orffi_data_fill(&data, dual->features, dual->rows.n, dual->rows.X, NULL, false, NULL);
    if (!status) status = orffi_data_gram(&data, dual->gram);
    orffi_data_clear(&data);
    return status;
}

static orff_status fill_folds(orffi_dual *dual, const orff_moments_settings *how) {
    const size_t d = dual->features->d, p = dual->features->p;
    dual->folds = how->folds > 1 ? how->folds : 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(dual->fold, dual->rows.n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(dual->weights, dual->folds));
    for (size_t i = 0; i < dual->rows.n; i++) {
        const size_t k = orffi_moments_fold(how, i, d, dual->rows.X + i * d, p, dual->rows.Y + i * p);
        dual->fold[i] = k;
        dual->weights[k] += dual->rows.weights ? dual->rows.weights[i] : 1.0;
    }
    return ORFF_OK;
}

static orff_status fill(orffi_dual *dual, const orff_moments_settings *folds) {
    ORFFI_TRY(make_plan(&dual->plan, dual->features, dual->rows.n));
    ORFFI_TRY(fill_folds(dual, folds));
    ORFFI_TRY(fill_phi(dual));
    ORFFI_TRY(orffi_progress("dual", 0.0, 2.0));
    ORFFI_TRY(fill_gram(dual));
    dual->rows.gram = dual->gram;
    ORFFI_TRY(orffi_exact_system_build(&dual->system, dual->features->kernel, &dual->plan, &dual->rows));
    ORFFI_TRY(orffi_progress("dual", 1.0, 2.0));
    return orffi_exact_system_eigen(&dual->system);
}

orff_status orffi_dual_fill(orffi_dual *dual, const orff_features *features, const orffi_exact_rows *rows,
                            const orff_moments_settings *folds) {
    *dual = (orffi_dual){.features = features, .rows = *rows};
    ORFFI_TRY(orffi_check_finite("X", rows->n, features->d, rows->X));
    return fill(dual, folds);
}

void orffi_dual_clear(orffi_dual *dual) {
    orffi_exact_system_clear(&dual->system);
    orffi_exact_plan_clear(&dual->plan);
    orffi_release(dual->phi);
    orffi_release(dual->gram);
    orffi_release(dual->fold);
    orffi_release(dual->weights);
    memset(dual, 0, sizeof *dual);
}

bool orffi_dual_too_few(const orffi_dual *dual) {
    size_t filled = 0;
    for (size_t k = 0; k < dual->folds; k++) filled += dual->weights[k] > 0.0;
    return dual->folds > 1 && filled < 2;
}

/* ---- solving */

static orff_status check_lambda(const orffi_dual *dual, double lambda) {
    if (lambda > 0.0 && isfinite(dual->system.N * lambda)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "lambda is %g; it must be positive and finite", lambda);
}

orff_status orffi_dual_path(const orffi_dual *dual, size_t count, const double *lambdas,
                            orff_path_point *points) {
    const double least = orffi_exact_system_shift(&dual->system, 0.0) / dual->system.N;
    size_t lost = 0;
    for (size_t l = 0; l < count; l++) ORFFI_TRY(check_lambda(dual, lambdas[l]));
    for (size_t l = 0; l < count; l++) {
        orffi_exact_system_point(&dual->system, lambdas[l], &points[l]);
        points[l].cv_mse = NAN;
        lost += lambdas[l] < least;
    }
    if (lost)
        orffi_log(ORFF_LOG_WARNING, "%zu of %zu lambdas are lost in rounding: they count as %g", lost, count,
                  least);
    return ORFF_OK;
}

/* alpha (N x p) = sqrt(c) t W^T */
static void fill_alpha(const orffi_exact_system *s, const double *t, double *alpha) {
    const size_t p = s->p;
    if (s->plan->W)
        orffi_gemm(false, true, s->rows, p, p, 1.0, t, p, s->plan->W, p, 0.0, alpha, p);
    else
        memcpy(alpha, t, s->rows * p * sizeof *t);
    for (size_t i = 0; s->root && i < s->rows * p; i++) alpha[i] *= s->root[i / p];
}

/* theta = Phi^T alpha, and |sqrt(c) (y - f) - N lambda t| / |sqrt(c) y| with f = Phi theta. V and F: L x p, N x p. */
static void fill_theta(const orffi_dual *dual, double lambda, const double *alpha, double *theta, double *V,
                       double *F, double *residual) {
    const orffi_exact_system *s = &dual->system;
    const size_t n = s->rows, p = s->p, L = 2 * dual->features->D;
    double error = 0.0, size = 0.0;
    orffi_gemm(true, false, L, p, n, 1.0, dual->phi, L, alpha, p, 0.0, V, p);
    orffi_features_unfold(dual->features, V, theta);
    orffi_features_fold(dual->features, theta, V);
    orffi_gemm(false, false, n, p, L, 1.0, dual->phi, L, V, p, 0.0, F, p);
    for (size_t i = 0; i < n * p; i++) {
        const double c = s->root ? s->root[i / p] * s->root[i / p] : 1.0,
                     y = dual->rows.Y[i] - s->mean[i % p];
        const double left = c > 0.0 ? y - F[i] - s->N * lambda * alpha[i] / c : 0.0;
        error += c * left * left;
        size += c * y * y;
    }
    *residual = size > 0.0 ? sqrt(error / size) : 0.0;
}

orff_status orffi_dual_solve(const orffi_dual *dual, double lambda, double *theta, orff_solve_info *info,
                             orff_path_point *point, double *train_mse) {
    const orffi_exact_system *s = &dual->system;
    const double shift = orffi_exact_system_shift(s, lambda);
    const size_t size = s->rows * s->p;
    double *t = NULL, *alpha = NULL, *V = NULL;
    ORFFI_TRY(check_lambda(dual, lambda));
    orff_status status = ORFFI_NEW_ARRAY(t, size);
    if (!status) status = ORFFI_NEW_ARRAY(alpha, size);
    if (!status) status = ORFFI_NEW_ARRAY(V, 2 * dual->features->D * s->p);
    if (!status) {
        orffi_exact_system_solve(s, shift, t, alpha);
        orffi_exact_system_fill_point(s, lambda, shift, t, point);
        status = orffi_exact_system_errors(s, t, shift, train_mse);
    }
    if (!status) {
        *info = (orff_solve_info){.method = "dual-eigen", .converged = true};
        orffi_exact_system_describe(s, lambda, info);
        fill_alpha(s, t, alpha);
        fill_theta(dual, lambda, alpha, theta, V, t, &info->residual);
    }
    orffi_release(t);
    orffi_release(alpha);
    orffi_release(V);
    return status;
}
