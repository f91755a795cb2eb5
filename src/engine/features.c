/* The engine of random features: its table of functions. */
#include "engine/features.h"

#include "base/memory.h"
#include "solve/solver.h"

/* ---- what it can do */

/* Every solver except sgd is for the squared loss only; mixtures are learned from moments. */
static orff_status check_solver(const orff_settings *s) {
    if ((unsigned)s->solver >= ORFF_SOLVER_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no solver number %d", (int)s->solver);
    if (s->loss != ORFF_LOSS_SQUARED && !orffi_solver_find(s->solver)->any_loss)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the %s solver is for the squared loss; for %s use %s",
                          orff_solver_name(s->solver), orff_loss_name(s->loss),
                          orff_solver_name(ORFF_SOLVER_SGD));
    if (s->mixture && !s->auto_kernel &&
        (s->loss != ORFF_LOSS_SQUARED || !orffi_solver_find(s->solver)->learns_weights))
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "learning the weights of a mixture needs the direct solver, or the exact engine, and "
            "the squared loss");
    return ORFF_OK;
}

/* S of every fold and of their sum, and as many matrices of the system. */
static orff_status suits(const orff_settings *s, size_t d, size_t p, size_t rows, size_t *bytes) {
    const double length = 2.0 * (double)orff_settings_features(s, d, p, rows);
    const double sets = (double)s->folds + 1.0, system = length * (double)p;
    const double need = 8.0 * (sets * length * (length + (double)p) + 3.0 * system * system);
    *bytes = need < (double)(SIZE_MAX / 2) ? (size_t)need : SIZE_MAX;
    return check_solver(s);
}

static bool compares(const orff_kernel *kernel, size_t rows) {
    (void)kernel, (void)rows;
    return true;
}

/* ---- rows */

static orff_status learn(void **fit, void *rows, const orff_kernel *kernel, double lambda,
                         orffi_report *report) {
    orffi_features_rows *r = rows;
    orffi_features_fit *made = NULL;
    ORFFI_TRY(orffi_features_bind(r, kernel));
    ORFFI_TRY((r->iterates   ? orffi_features_iterate
               : r->directed ? orffi_features_solve_directed
               : r->few      ? orffi_features_solve_dual
                             : orffi_features_solve)(&made, r, lambda, report));
    orffi_features_fit_fold(made);
    *fit = made;
    return ORFF_OK;
}

/* ---- a fit */

orff_status orffi_features_fit_create(orffi_features_fit **out, orff_features *features) {
    orffi_features_fit *fit;
    orff_status status = ORFFI_NEW(fit);
    if (status) {
        orff_features_free(features);
        return status;
    }
    fit->features = features;
    status = ORFFI_NEW_ARRAY(fit->theta, features->M);
    if (!status) status = ORFFI_NEW_ARRAY(fit->V, 2 * features->D * features->p);
    if (status) {
        orffi_features_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}

void orffi_features_fit_free(void *self) {
    orffi_features_fit *fit = self;
    if (!fit) return;
    orffi_release(fit->theta);
    orffi_release(fit->V);
    orffi_posterior_free(fit->posterior);
    if (!fit->borrows) orff_features_free(fit->features);
    orffi_release(fit);
}

void orffi_features_fit_fold(orffi_features_fit *fit) {
    orffi_features_fold(fit->features, fit->theta, fit->V);
}

static const orff_kernel *kernel_of(const void *fit) {
    return ((const orffi_features_fit *)fit)->features->kernel;
}

static orff_status check_finite(const void *self) {
    const orffi_features_fit *fit = self;
    return orffi_check_finite("theta", fit->features->M, 1, fit->theta);
}

static void describe(const void *self, orff_model_info *info) {
    const orffi_features_fit *fit = self;
    const orff_features *f = fit->features;
    info->frequencies = f->D;
    info->parameters = f->M;
    info->scheme = f->bank->groups[0].drawn.scheme;
    info->seed = f->bank->groups[0].recipe.seed;
    info->has_posterior = fit->posterior != NULL;
    info->warnings = f->warnings;
    info->warning = f->warning;
}

static orff_status values(const void *self, size_t n, const double *x, double *F) {
    const orffi_features_fit *fit = self;
    return orffi_features_apply_matrix(fit, fit->features->p, fit->V, n, x, F);
}

const orffi_engine orffi_engine_features = {
    .id = ORFF_ENGINE_FEATURES,
    .draws = true,
    .resumes = true,
    .suits = suits,
    .compares = compares,
    .prepare = orffi_features_prepare,
    .read = orffi_features_read_rows,
    .serves = orffi_features_serves,
    .shares = orffi_features_shares,
    .borrow = orffi_features_borrow,
    .weight = orffi_features_weight,
    .size = orffi_features_size,
    .criterion = orffi_features_criterion,
    .weights = orffi_features_weights,
    .learn = learn,
    .release = orffi_features_release,
    .kernel = kernel_of,
    .check_finite = check_finite,
    .describe = describe,
    .values = values,
    .values_single = orffi_features_values_single,
    .covariance = orffi_features_covariance,
    .derive = orffi_features_derive,
    .derived_covariance = orffi_features_derived_covariance,
    .has_derived_covariance = orffi_features_has_derived_covariance,
    .draw = orffi_features_draw_samples,
    .sum = orffi_features_sum,
    .pack = orffi_features_pack,
    .add = orffi_features_add,
    .load = orffi_features_load,
    .free = orffi_features_fit_free,
};
