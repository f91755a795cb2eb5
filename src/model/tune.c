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
        if (candidates[i].loss != ORFF_SQUARED || candidates[i].folds < 2 || candidates[i].classes != candidates[0].classes)
            return orff_fail(ORFF_UNSUPPORTED,
                             "candidate %zu: tuning is for the squared loss, at least 2 folds, and the same classes in all",
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

/* A given lambda is a path of one value. */
static orff_status score(trial *one, const orff_moments *moments) {
    orff_ridge *ridge = NULL;
    orff_path_point point;
    if (one->plan.settings.lambda == 0.0) return orff_plan_cross_validate(&one->plan, one->features, moments, &one->best);
    orff_status status = orff_ridge_create(&ridge, one->features, moments, one->plan.settings.center);
    if (!status) status = orff_ridge_path(ridge, 1, &one->plan.settings.lambda, true, &point);
    if (!status) one->best = (orff_best_lambda){point.lambda, point.cv_mse};
    orff_ridge_free(ridge);
    return status;
}

/* The error in the user's units: candidates may differ in how they scale outputs. */
static void rescale(trial *one) {
    double square = 0.0;
    for (size_t k = 0; k < one->plan.p; k++) square += one->plan.units.spread[k] * one->plan.units.spread[k];
    one->best.cv_mse *= square / (double)one->plan.p;
    one->scored = true;
}

/* All candidates that share the frequencies of trial i. */
static orff_status score_together(tuning *t, size_t i) {
    const orff_settings *s = &t->trials[i].plan.settings;
    const orff_moments_settings how = {.folds = s->folds, .seed = s->sampling.seed, .single = s->single};
    orff_moments *moments = NULL;
    t->rows.units = &t->trials[i].plan.units;
    const orff_reader reader = orff_rows_reader(&t->rows);
    orff_status status = orff_moments_create(&moments, t->trials[i].features, &how);
    if (!status) status = orff_moments_read(moments, &reader);
    for (size_t k = i; !status && k < t->count; k++) {
        trial *one = &t->trials[k];
        if (one->scored || (k != i && !share_moments(&t->trials[i], one))) continue;
        status = score(one, moments);
        if (!status) rescale(one);
    }
    orff_moments_free(moments);
    return status;
}

static orff_status score_all(tuning *t, double *scores, size_t *best) {
    *best = 0;
    for (size_t i = 0; i < t->count; i++) {
        ORFF_TRY(orff_progress("tuning", (double)i, (double)t->count));
        if (!t->trials[i].scored) ORFF_TRY(score_together(t, i));
    }
    for (size_t i = 0; i < t->count; i++) {
        if (scores) scores[i] = t->trials[i].best.cv_mse;
        if (t->trials[i].best.cv_mse < t->trials[*best].best.cv_mse) *best = i;
    }
    return ORFF_OK;
}

/* The winner on all rows, its lambda as found. */
static orff_status fit_winner(orff_model **model, const tuning *t, size_t winner, const orff_settings *candidates, size_t p,
                              const double *Y) {
    orff_settings settings = candidates[winner];
    const orff_best_lambda *best = &t->trials[winner].best;
    settings.lambda = best->lambda;
    ORFF_TRY(orff_model_fit(model, &settings, t->rows.d, p, t->rows.n, t->rows.X, Y, t->rows.weights));
    (*model)->cv_mse = best->cv_mse;
    return ORFF_OK;
}

static orff_status run(tuning *t, orff_model **model, const orff_settings *candidates, size_t p, const double *Y,
                       double *scores, size_t *best) {
    size_t winner;
    ORFF_TRY(prepare(t, candidates));
    ORFF_TRY(score_all(t, scores, &winner));
    ORFF_TRY(fit_winner(model, t, winner, candidates, p, Y));
    if (best) *best = winner;
    return ORFF_OK;
}

orff_status orff_model_tune(orff_model **model, size_t count, const orff_settings *candidates, size_t d, size_t p, size_t n,
                            const double *X, const double *Y, const double *weights, double *scores, size_t *best) {
    tuning t = {.count = count};
    if (!model || !candidates || count == 0 || !X || !Y)
        return orff_fail(ORFF_INVALID_ARGUMENT, "orff_model_tune needs candidates and rows");
    ORFF_TRY(orff_check_shape(&candidates[0], d, p));
    orff_status status = ORFF_NEW_ARRAY(t.trials, count);
    if (!status) status = orff_make_codes(candidates[0].classes, &t.codes);
    if (!status)
        status = orff_rows_from_arrays(&t.rows, d, p, candidates[0].classes, t.codes, n, X, Y, weights,
                                       candidates[0].subsample);
    if (!status) status = run(&t, model, candidates, p, Y, scores, best);
    tuning_clear(&t);
    return status;
}
