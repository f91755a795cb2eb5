/* Tuning: candidates are scored by cross-validation, those on the same frequencies from the same moments. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/choose.h"
#include "model/fit.h"
#include "model/model.h"

/* One candidate on its way. */
typedef struct trial {
    orff_plan plan;
    orff_features *features;
    orff_best_lambda best;
    bool scored;
} trial;

typedef struct tuning {
    size_t count;
    trial *trials;
    orff_rows rows;
    double *codes;
} tuning;

static void tuning_clear(tuning *t) {
    for (size_t i = 0; t->trials && i < t->count; i++) {
        orff_features_free(t->trials[i].features);
        orff_plan_clear(&t->trials[i].plan);
    }
    orff_release(t->trials);
    orff_rows_clear(&t->rows);
    orff_release(t->codes);
}

static orff_status prepare(tuning *t, const orff_settings *candidates) {
    for (size_t i = 0; i < t->count; i++) {
        trial *one = &t->trials[i];
        ORFF_TRY(orff_progress("tuning: plans", (double)i, (double)t->count));
        if (candidates[i].loss != ORFF_SQUARED || candidates[i].folds < 2 ||
            candidates[i].classes != candidates[0].classes)
            return orff_fail(ORFF_UNSUPPORTED,
                             "candidate %zu: tuning is for the squared loss, at least 2 folds, and the same "
                             "classes in all",
                             i + 1);
        ORFF_TRY(orff_plan_make(&one->plan, &candidates[i], &t->rows));
        ORFF_TRY(orff_plan_features(&one->plan, candidates[i].sampling.features, &one->features));
    }
    return ORFF_OK;
}

/* Whether two candidates see the same rows through the same frequencies. */
static bool share_moments(const trial *a, const trial *b) {
    const orff_settings *x = &a->plan.settings, *y = &b->plan.settings;
    const size_t d = a->plan.d, p = a->plan.p;
    return x->folds == y->folds && x->single == y->single && x->sampling.seed == y->sampling.seed &&
           memcmp(a->plan.units.unit, b->plan.units.unit, d * sizeof(double)) == 0 &&
           memcmp(a->plan.units.spread, b->plan.units.spread, p * sizeof(double)) == 0 &&
           orff_bank_compare(a->features->bank, b->features->bank) == ORFF_OK;
}

/* Features of the kernel whose weights the moments tell. The plan stays as it was: fitting learns them
 * again. */
static orff_status learn_features(const trial *one, const orff_moments *moments, orff_features **features) {
    orff_plan learned = one->plan;
    orff_kernel *kernel = NULL;
    const size_t n = one->plan.settings.n_parts;
    learned.parts = NULL;
    learned.sigmas = learned.shares = NULL;
    orff_status status = orff_duplicate(&learned.parts, one->plan.parts, n, sizeof *learned.parts);
    if (!status)
        status = orff_duplicate(&learned.sigmas, one->plan.sigmas, n * learned.d, sizeof *learned.sigmas);
    if (!status) status = orff_plan_learn_weights(&learned, one->features, moments);
    if (!status) status = orff_plan_kernel(&learned, &kernel);
    if (!status) status = orff_features_rebind(features, one->features, kernel);
    orff_kernel_free(kernel);
    orff_release(learned.parts);
    orff_release(learned.sigmas);
    orff_release(learned.shares);
    return status;
}

/* The best of the path, or the error at the lambda that is given. */
static orff_status best_of(const orff_plan *plan, const orff_features *features, const orff_moments *moments,
                           orff_best_lambda *best) {
    orff_ridge *ridge = NULL;
    orff_path_point point;
    if (plan->settings.lambda == 0.0) return orff_plan_cross_validate(plan, features, moments, best);
    orff_status status = orff_ridge_create(&ridge, features, moments, plan->settings.center);
    if (!status) status = orff_ridge_path(ridge, 1, &plan->settings.lambda, true, &point);
    if (!status) *best = (orff_best_lambda){point.lambda, point.cv_mse};
    orff_ridge_free(ridge);
    return status;
}

/* The error is in the user's units: candidates may differ in how they scale outputs. */
static orff_status score(trial *one, const orff_moments *moments) {
    const orff_settings *s = &one->plan.settings;
    orff_features *learned = NULL;
    orff_status status = s->mixture && !s->auto_kernel ? learn_features(one, moments, &learned) : ORFF_OK;
    const orff_features *features = learned ? learned : one->features;
    if (!status) status = best_of(&one->plan, features, moments, &one->best);
    if (!status) status = orff_cross_error(&one->plan, features, moments, one->best, &one->best.cv_mse);
    orff_features_free(learned);
    one->scored = !status;
    return status;
}

/* All candidates that share the frequencies of trial i. */
static orff_status score_together(tuning *t, size_t i) {
    const orff_settings *s = &t->trials[i].plan.settings;
    const orff_moments_settings how = {.folds = s->folds, .seed = s->sampling.seed, .single = s->single};
    orff_moments *moments = NULL;
    t->rows.units = &t->trials[i].plan.units;
    const orff_reader reader = orff_rows_reader(&t->rows);
    orff_status status = orff_moments_create(&moments, t->trials[i].features, &how);
    if (!status) status = orff_rows_outcome(&t->rows, orff_moments_read(moments, &reader));
    for (size_t k = i; !status && k < t->count; k++) {
        trial *one = &t->trials[k];
        if (one->scored || (k != i && !share_moments(&t->trials[i], one))) continue;
        status = score(one, moments);
    }
    orff_moments_free(moments);
    return status;
}

static orff_status score_all(tuning *t, size_t *best) {
    *best = 0;
    for (size_t i = 0; i < t->count; i++) {
        ORFF_TRY(orff_progress("tuning", (double)i, (double)t->count));
        if (!t->trials[i].scored) ORFF_TRY(score_together(t, i));
    }
    for (size_t i = 0; i < t->count; i++)
        if (t->trials[i].best.cv_mse < t->trials[*best].best.cv_mse) *best = i;
    return ORFF_OK;
}

/* The winner on all rows, its lambda as found. */
static orff_status fit_winner(orff_model **model, tuning *t, size_t winner) {
    trial *one = &t->trials[winner];
    one->plan.settings.lambda = one->best.lambda;
    ORFF_TRY(orff_fit_plan(model, &one->plan, &t->rows));
    (*model)->cv_mse = one->best.cv_mse;
    return ORFF_OK;
}

static orff_status run(tuning *t, orff_model **model, const orff_settings *candidates, double *scores,
                       size_t *best) {
    size_t winner;
    ORFF_TRY(prepare(t, candidates));
    ORFF_TRY(score_all(t, &winner));
    ORFF_TRY(fit_winner(model, t, winner));
    for (size_t i = 0; scores && i < t->count; i++) scores[i] = t->trials[i].best.cv_mse;
    if (best) *best = winner;
    return ORFF_OK;
}

orff_status orff_model_tune(orff_model **model, size_t count, const orff_settings *candidates, size_t d,
                            size_t p, size_t n, const double *X, const double *Y, const double *weights,
                            double *scores, size_t *best) {
    tuning t = {.count = count};
    if (!model || !candidates || count == 0 || !X || !Y)
        return orff_fail(ORFF_INVALID_ARGUMENT, "orff_model_tune needs candidates and rows");
    for (size_t i = 0; i < count; i++) ORFF_TRY(orff_check_fit(&candidates[i], d, p));
    orff_status status = ORFF_NEW_ARRAY(t.trials, count);
    if (!status) status = orff_make_codes(candidates[0].classes, &t.codes);
    if (!status)
        status = orff_rows_from_arrays(&t.rows, d, p, candidates[0].classes, t.codes, n, X, Y, weights,
                                       candidates[0].subsample);
    if (!status) status = run(&t, model, candidates, scores, best);
    tuning_clear(&t);
    return status;
}
