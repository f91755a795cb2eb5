/* Tuning: scores candidates by cross-validation. Candidates that can share prepared rows take one pass. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/blocks.h"
#include "model/choose.h"
#include "model/fit.h"
#include "model/model.h"
#include "model/outliers.h"
#include "model/plane_rows.h"
#include "model/question.h"
#include "model/trend_fit.h"

/* A candidate being scored. */
typedef struct trial {
    orffi_plan plan;
    orff_kernel *kernel;
    void *rows; /* prepared by the plan's engine */
    double score;
    bool scored;
} trial;

typedef struct tuning {
    size_t count;
    trial *trials;
    orffi_rows rows;
    orffi_codes codes;
    size_t winner;           /* best of those scored so far; count: none */
    orffi_path best;         /* the winner's path */
    orffi_trend_fit trend;   /* the trend of all candidates */
    orff_path_point **paths; /* allocated by the caller, or NULL */
} tuning;

static void release_rows(trial *one) {
    if (one->plan.engine) one->plan.engine->release(one->rows);
    one->rows = NULL;
}

static void tuning_clear(tuning *t) {
    for (size_t i = 0; t->trials && i < t->count; i++) {
        release_rows(&t->trials[i]);
        orff_kernel_free(t->trials[i].kernel);
        orffi_plan_clear(&t->trials[i].plan);
    }
    orffi_release(t->trials);
    orffi_rows_clear(&t->rows);
    orffi_codes_clear(&t->codes);
    orffi_path_clear(&t->best);
    orffi_trend_clear(&t->trend);
}

/* All candidates are judged on the rows without the trend, so they must have the same. */
static bool have_same_trend(const orff_settings *a, const orff_settings *b, size_t d) {
    if (a->trend != b->trend || !a->trend_inputs != !b->trend_inputs) return false;
    return !a->trend_inputs || !memcmp(a->trend_inputs, b->trend_inputs, d * sizeof *a->trend_inputs);
}

static orff_status subtract_trend(tuning *t, const orff_settings *candidates) {
    orff_settings first = candidates[0];
    for (size_t i = 1; i < t->count; i++)
        if (!have_same_trend(&candidates[0], &candidates[i], t->rows.d))
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "trend: candidate %zu has another trend than the first; all candidates need "
                              "the same one",
                              i + 1);
    return orffi_trend_begin(&t->trend, &first, &t->rows);
}

static orff_status check_candidate(const orff_settings *candidate, const orff_settings *first, size_t i) {
    if (candidate->loss == ORFF_LOSS_SQUARED && candidate->folds >= 2 &&
        orffi_have_same_codes(candidate, first))
        return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                      "candidate %zu: tuning is for the squared loss, at least 2 folds, and the same "
                      "classes in all",
                      i + 1);
}

/* first: the trial whose folds all trials use. */
static orff_status prepare_trial(trial *one, const trial *first, const orff_settings *candidate,
                                 const orffi_rows *rows) {
    orff_settings plain = *candidate;
    plain.center = plain.center && plain.trend == ORFF_TREND_NONE;
    ORFFI_TRY(orffi_plan_make(&one->plan, &plain, rows));
    if (first != one) ORFFI_TRY(orffi_blocks_copy(&one->plan, &first->plan));
    orffi_task task = orffi_plan_task(&one->plan);
    task.folds = candidate->folds;
    task.scores = true;
    ORFFI_TRY(orffi_plan_kernel(&one->plan, &one->kernel));
    return one->plan.engine->prepare(&one->rows, &task, one->kernel);
}

static orff_status prepare(tuning *t, const orff_settings *candidates) {
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < t->count; i++) {
        orffi_stage before;
        status = orffi_stage_enter("tuning: plans", (double)i, (double)t->count, NULL, &before);
        if (!status) status = check_candidate(&candidates[i], &candidates[0], i);
        if (!status) status = prepare_trial(&t->trials[i], &t->trials[0], &candidates[i], &t->rows);
        orffi_stage_leave(&before);
    }
    return status;
}

/* Whether the rows prepared for a serve b too: same units, and the engine agrees. */
static bool share_rows(const trial *a, const trial *b) {
    const size_t d = a->plan.d, p = a->plan.p;
    return a->plan.engine == b->plan.engine &&
           memcmp(a->plan.units.unit, b->plan.units.unit, d * sizeof(double)) == 0 &&
           memcmp(a->plan.units.shift, b->plan.units.shift, d * sizeof(double)) == 0 &&
           memcmp(a->plan.units.spread, b->plan.units.spread, p * sizeof(double)) == 0 &&
           a->plan.engine->shares(a->rows, b->rows);
}

/* The kernel with weights learned from the rows. The plan stays as it is, as the fit learns them again. */
static orff_status learn_kernel(const trial *one, orff_kernel **kernel) {
    orffi_plan learned = one->plan;
    orff_status status = orffi_parts_copy(&learned.parts, &one->plan.parts);
    if (!status) status = orffi_plan_learn_weights(&learned, one->plan.engine, one->rows, one->kernel);
    if (!status) status = orffi_plan_kernel(&learned, kernel);
    orffi_parts_clear(&learned.parts);
    return status;
}

/* Scores trial i by the best point of its path, and keeps the path if it is the best so far; `path` then
 * holds the previous best. */
static void keep_best_path(tuning *t, size_t i, orffi_path *path) {
    const orff_path_point *best = &path->points[path->best];
    t->trials[i].score = best->cv_mse;
    if (t->paths && t->paths[i]) memcpy(t->paths[i], path->points, path->count * sizeof *path->points);
    const double least = t->winner < t->count ? t->trials[t->winner].score : INFINITY;
    if (best->cv_mse < least || (best->cv_mse == least && i < t->winner)) {
        const orffi_path before = t->best;
        t->winner = i;
        t->best = *path;
        *path = before;
    }
}

/* Errors are in the user's units, as candidates may scale outputs differently. */
static orff_status score(tuning *t, size_t i) {
    trial *one = &t->trials[i];
    const orff_settings *s = &one->plan.settings;
    orff_kernel *learned = NULL;
    orffi_path path = {0};
    orff_status status = s->mixture && !s->auto_kernel ? learn_kernel(one, &learned) : ORFF_OK;
    if (!status)
        status = orffi_path_fill(&path, ORFFI_PATH_TABLE, &one->plan, one->plan.engine, one->rows,
                                 learned ? learned : one->kernel);
    if (!status) keep_best_path(t, i, &path);
    orffi_path_clear(&path);
    orff_kernel_free(learned);
    one->scored = !status;
    return status;
}

/* Scores all candidates that can share the rows of trial i. */
static orff_status score_together(tuning *t, size_t i) {
    trial *first = &t->trials[i];
    const orffi_engine *engine = first->plan.engine;
    t->rows.units = &first->plan.units;
    orffi_source source;
    orff_status status = orffi_rows_source(&t->rows, &source);
    if (!status) status = orffi_rows_outcome(&t->rows, engine->read(first->rows, &source));
    if (!status) status = score(t, i);
    for (size_t k = i + 1; !status && k < t->count; k++) {
        trial *one = &t->trials[k];
        if (one->scored || !share_rows(first, one)) continue;
        engine->borrow(one->rows, first->rows);
        status = score(t, k);
        release_rows(one);
    }
    release_rows(first);
    return status;
}

static orff_status score_all(tuning *t) {
    t->winner = t->count;
    for (size_t i = 0; i < t->count; i++) {
        orffi_stage before;
        orff_status status = orffi_stage_enter("tuning", (double)i, (double)t->count, NULL, &before);
        if (!status && !t->trials[i].scored) status = score_together(t, i);
        orffi_stage_leave(&before);
        ORFFI_TRY(status);
    }
    if (t->winner < t->count) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_NUMERICAL, "no candidate has a finite cross-validated error");
}

/* Fits the winner to all rows, with the lambda found. */
static orff_status fit_winner(orff_model **model, tuning *t) {
    trial *one = &t->trials[t->winner];
    one->plan.path_taken = !(one->plan.settings.lambda > 0.0);
    one->plan.settings.lambda = t->best.lambdas[t->best.best];
    if (t->trend.trend) one->plan.trend = &t->trend;
    ORFFI_TRY(orffi_fit_checked(model, &one->plan, &t->rows, &t->best));
    orffi_trend_give(&t->trend, *model);
    return ORFF_OK;
}

static orff_status run(tuning *t, orff_model **model, const orff_settings *candidates, double *scores,
                       size_t *best) {
    ORFFI_TRY(subtract_trend(t, candidates));
    ORFFI_TRY(prepare(t, candidates));
    ORFFI_TRY(score_all(t));
    ORFFI_TRY(fit_winner(model, t));
    for (size_t i = 0; scores && i < t->count; i++) scores[i] = t->trials[i].score;
    if (best) *best = t->winner;
    return ORFF_OK;
}

orff_status orff_model_tune(orff_model **model, size_t count, const orff_settings *candidates, size_t d,
                            size_t p, size_t n, const double *X, const double *Y, const double *weights,
                            double *scores, size_t *best) {
    return orff_model_tune_paths(model, count, candidates, d, p, n, X, Y, weights, scores, best, NULL);
}

static orff_status tune_without_outliers(orff_model **model, size_t count, const orff_settings *candidates,
                                         const orff_observations *rows, double *scores, size_t *best,
                                         orff_path_point **paths) {
    orffi_without_outliers left;
    orff_status status = orffi_outliers_drop(&left, count, candidates, rows);
    const orff_observations *o = &left.rows;
    if (!status)
        status = orff_model_tune_paths(model, count, left.settings, o->d, o->p, o->n, o->X, o->Y, o->weights,
                                       scores, best, paths);
    orffi_without_outliers_clear(&left);
    return status;
}

orff_status orff_model_tune_paths(orff_model **model, size_t count, const orff_settings *candidates, size_t d,
                                  size_t p, size_t n, const double *X, const double *Y, const double *weights,
                                  double *scores, size_t *best, orff_path_point **paths) {
    tuning t = {.count = count, .paths = paths};
    orffi_cover cover = {0};
    if (!model || !candidates || count == 0 || !X || !Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_tune needs candidates and rows");
    ORFFI_TRY(orffi_outliers_compare(count, candidates));
    if (candidates[0].drop_outliers)
        return tune_without_outliers(
            model, count, candidates,
            &(orff_observations){.d = d, .p = p, .n = n, .X = X, .Y = Y, .weights = weights}, scores, best,
            paths);
    if (candidates[0].geo)
        return orffi_plane_tune(model, count, candidates, d, p, n, X, Y, weights, scores, best, paths);
    for (size_t i = 0; i < count; i++) {
        ORFFI_TRY(orffi_check_fit(&candidates[i], d, p));
        ORFFI_TRY(orffi_question_refuse(&candidates[i], "tuning"));
    }
    orff_status status = ORFFI_NEW_ARRAY(t.trials, count);
    if (!status) status = orffi_codes_make(&t.codes, &candidates[0]);
    if (!status)
        status = orffi_rows_from_arrays(&t.rows, d, p, &t.codes, n, X, Y, weights, candidates[0].subsample);
    if (!status) status = orffi_cover_begin(&cover, &candidates[0], d, p);
    if (!status) orffi_cover_add(&cover, n, d, X, weights);
    if (!status) status = run(&t, model, candidates, scores, best);
    orffi_model_cover(status ? NULL : *model, &cover);
    tuning_clear(&t);
    return status;
}
