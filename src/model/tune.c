/* Tuning: candidates are scored by cross-validation, those on the same frequencies from the same moments. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/choose.h"
#include "model/choose_exact.h"
#include "model/fit.h"
#include "model/fit_dual.h"
#include "model/model.h"
#include "model/plane_rows.h"
#include "model/question.h"
#include "solve/ridge.h"

/* One candidate on its way. */
typedef struct trial {
    orffi_plan plan;
    orff_features *features;
    orffi_best_lambda best;
    bool scored;
} trial;

typedef struct tuning {
    size_t count;
    trial *trials;
    orffi_rows rows;
    double *codes;
    size_t winner;           /* of those scored so far; count: none is */
    orffi_cross_path best;   /* the winner's */
    orff_path_point **paths; /* the caller's, or NULL */
} tuning;

static void tuning_clear(tuning *t) {
    for (size_t i = 0; t->trials && i < t->count; i++) {
        orff_features_free(t->trials[i].features);
        orffi_plan_clear(&t->trials[i].plan);
    }
    orffi_release(t->trials);
    orffi_rows_clear(&t->rows);
    orffi_release(t->codes);
    orffi_cross_path_clear(&t->best);
}

static orff_status prepare(tuning *t, const orff_settings *candidates) {
    for (size_t i = 0; i < t->count; i++) {
        trial *one = &t->trials[i];
        ORFFI_TRY(orffi_progress("tuning: plans", (double)i, (double)t->count));
        if (candidates[i].loss != ORFF_LOSS_SQUARED || candidates[i].folds < 2 ||
            candidates[i].classes != candidates[0].classes)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "candidate %zu: tuning is for the squared loss, at least 2 folds, and the same "
                              "classes in all",
                              i + 1);
        ORFFI_TRY(orffi_fit_exact_check(&candidates[i], &t->rows));
        ORFFI_TRY(orffi_plan_make(&one->plan, &candidates[i], &t->rows));
        if (candidates[i].solver == ORFF_SOLVER_EXACT) continue; /* no features */
        ORFFI_TRY(orffi_plan_features(&one->plan, one->plan.settings.sampling.features, &one->features));
    }
    return ORFF_OK;
}

/* Whether two candidates see the same rows through the same frequencies. */
static bool share_moments(const trial *a, const trial *b) {
    const orff_settings *x = &a->plan.settings, *y = &b->plan.settings;
    const size_t d = a->plan.d, p = a->plan.p;
    return a->features && b->features && x->folds == y->folds && x->single == y->single &&
           x->sampling.seed == y->sampling.seed &&
           memcmp(a->plan.units.unit, b->plan.units.unit, d * sizeof(double)) == 0 &&
           memcmp(a->plan.units.spread, b->plan.units.spread, p * sizeof(double)) == 0 &&
           orffi_bank_compare(a->features->bank, b->features->bank) == ORFF_OK;
}

/* Features of the kernel whose weights the moments tell. The plan stays as it was: fitting learns them
 * again. */
static orff_status learn_features(const trial *one, const orff_moments *moments, orff_features **features) {
    orffi_plan learned = one->plan;
    orff_kernel *kernel = NULL;
    const size_t n = one->plan.settings.n_parts;
    learned.parts = NULL;
    learned.sigmas = learned.shares = NULL;
    orff_status status = orffi_duplicate(&learned.parts, one->plan.parts, n, sizeof *learned.parts);
    if (!status)
        status = orffi_duplicate(&learned.sigmas, one->plan.sigmas, n * learned.d, sizeof *learned.sigmas);
    if (!status) status = orffi_plan_learn_weights(&learned, one->features, moments);
    if (!status) status = orffi_plan_kernel(&learned, &kernel);
    if (!status) status = orff_features_rebind(features, one->features, kernel);
    orff_kernel_free(kernel);
    orffi_release(learned.parts);
    orffi_release(learned.sigmas);
    orffi_release(learned.shares);
    return status;
}

/* The best of trial i's path, which is kept when it is the best so far: path then holds the one before. */
static void take_path(tuning *t, size_t i, orffi_cross_path *path) {
    const orff_path_point *best = &path->points[path->best];
    t->trials[i].best = (orffi_best_lambda){best->lambda, best->cv_mse};
    if (t->paths && t->paths[i]) memcpy(t->paths[i], path->points, path->count * sizeof *path->points);
    const double least = t->winner < t->count ? t->trials[t->winner].best.cv_mse : INFINITY;
    if (best->cv_mse < least || (best->cv_mse == least && i < t->winner)) {
        const orffi_cross_path before = t->best;
        t->winner = i;
        t->best = *path;
        *path = before;
    }
}

/* Without features: by leaving out one row at a time. */
static orff_status score_exact(tuning *t, size_t i) {
    orffi_cross_path path = {0};
    const orff_status status = orffi_exact_cross_path(&path, &t->trials[i].plan, &t->rows);
    if (!status) take_path(t, i, &path);
    t->trials[i].scored = !status;
    orffi_cross_path_clear(&path);
    return status;
}

/* From fewer rows than coefficients. */
static orff_status score_dual(tuning *t, size_t i) {
    trial *one = &t->trials[i];
    orffi_cross_path path = {0};
    const orff_status status = orffi_dual_cross_path(&path, &one->plan, one->features, &t->rows);
    if (!status) take_path(t, i, &path);
    one->scored = !status;
    orffi_cross_path_clear(&path);
    return status;
}

/* The path of trial i under its features. */
static orff_status walk(tuning *t, size_t i, const orff_features *features, const orff_moments *moments) {
    trial *one = &t->trials[i];
    orff_ridge *ridge = NULL;
    orffi_cross_path path = {0};
    orff_status status = orff_ridge_create(&ridge, features, moments, one->plan.settings.center);
    if (!status) {
        const orffi_path_source source = orffi_path_of_ridge(ridge, orffi_path_count(&one->plan));
        status = orffi_cross_path_fill(&path, &one->plan, features, &source);
    }
    orff_ridge_free(ridge);
    if (!status) take_path(t, i, &path);
    orffi_cross_path_clear(&path);
    return status;
}

/* Errors are in the user's units: candidates may differ in how they scale outputs. */
static orff_status score(tuning *t, size_t i, const orff_moments *moments) {
    trial *one = &t->trials[i];
    const orff_settings *s = &one->plan.settings;
    orff_features *learned = NULL;
    orff_status status = s->mixture && !s->auto_kernel ? learn_features(one, moments, &learned) : ORFF_OK;
    if (!status) status = walk(t, i, learned ? learned : one->features, moments);
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
    const orff_reader reader = orffi_rows_reader(&t->rows);
    orff_status status = orff_moments_create(&moments, t->trials[i].features, &how);
    if (!status) status = orffi_rows_outcome(&t->rows, orff_moments_read(moments, &reader));
    for (size_t k = i; !status && k < t->count; k++) {
        if (t->trials[k].scored || (k != i && !share_moments(&t->trials[i], &t->trials[k]))) continue;
        status = score(t, k, moments);
    }
    orff_moments_free(moments);
    return status;
}

static orff_status score_trial(tuning *t, size_t i) {
    const trial *one = &t->trials[i];
    if (!one->features) return score_exact(t, i);
    return orffi_dual_serves(&one->plan, one->features, &t->rows) ? score_dual(t, i) : score_together(t, i);
}

static orff_status score_all(tuning *t) {
    t->winner = t->count;
    for (size_t i = 0; i < t->count; i++) {
        ORFFI_TRY(orffi_progress("tuning", (double)i, (double)t->count));
        if (!t->trials[i].scored) ORFFI_TRY(score_trial(t, i));
    }
    if (t->winner < t->count) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_NUMERICAL, "no candidate has a finite cross-validated error");
}

/* The winner on all rows, its lambda as found. */
static orff_status fit_winner(orff_model **out, tuning *t) {
    trial *one = &t->trials[t->winner];
    orff_model *model = NULL;
    one->plan.settings.lambda = one->best.lambda;
    ORFFI_TRY(orffi_fit_plan(&model, &one->plan, &t->rows));
    const orff_status status = orffi_model_take_errors(model, &t->best);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

static orff_status run(tuning *t, orff_model **model, const orff_settings *candidates, double *scores,
                       size_t *best) {
    ORFFI_TRY(prepare(t, candidates));
    ORFFI_TRY(score_all(t));
    ORFFI_TRY(fit_winner(model, t));
    for (size_t i = 0; scores && i < t->count; i++) scores[i] = t->trials[i].best.cv_mse;
    if (best) *best = t->winner;
    return ORFF_OK;
}

orff_status orff_model_tune(orff_model **model, size_t count, const orff_settings *candidates, size_t d,
                            size_t p, size_t n, const double *X, const double *Y, const double *weights,
                            double *scores, size_t *best) {
    return orff_model_tune_paths(model, count, candidates, d, p, n, X, Y, weights, scores, best, NULL);
}

orff_status orff_model_tune_paths(orff_model **model, size_t count, const orff_settings *candidates, size_t d,
                                  size_t p, size_t n, const double *X, const double *Y, const double *weights,
                                  double *scores, size_t *best, orff_path_point **paths) {
    tuning t = {.count = count, .paths = paths};
    if (!model || !candidates || count == 0 || !X || !Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_tune needs candidates and rows");
    if (candidates[0].geo)
        return orffi_plane_tune(model, count, candidates, d, p, n, X, Y, weights, scores, best, paths);
    for (size_t i = 0; i < count; i++) {
        ORFFI_TRY(orffi_check_fit(&candidates[i], d, p));
        ORFFI_TRY(orffi_question_refuse(&candidates[i], "tuning"));
    }
    orff_status status = ORFFI_NEW_ARRAY(t.trials, count);
    if (!status) status = orffi_make_codes(candidates[0].classes, &t.codes);
    if (!status)
        status = orffi_rows_from_arrays(&t.rows, d, p, candidates[0].classes, t.codes, n, X, Y, weights,
                                        candidates[0].subsample);
    if (!status) status = run(&t, model, candidates, scores, best);
    tuning_clear(&t);
    return status;
}
