/* Tuning for measurements that are not complete rows of equal quality. Every candidate is fitted again
 * without each fold, and judged by its predictions there, plus the offsets of the groups. So tuning works
 * for every engine and everything a fit may have: trends, offsets, walls, functionals. Each fit makes its
 * automatic choices itself, and never sees the numbers it is judged on. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/outliers.h"
#include "model/tune_folds.h"

typedef struct tuning {
    const orff_observations *o;
    size_t count;
    const orff_settings *candidates;
    uint32_t *folds; /* n */
    double *scores;  /* count */
    double *lambdas; /* count: geometric means over the folds */
} tuning;

static orff_status check(const orff_settings *candidate, const orff_settings *first, size_t i) {
    if (candidate->folds >= 2 && candidate->geo == first->geo) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                      "candidate %zu: tuning takes at least 2 folds, and all candidates on the same plane",
                      i + 1);
}

/* A fit without log messages, as there are many. */
static orff_status fit_quietly(orff_model **model, const orff_settings *settings,
                               const orff_observations *o) {
    const orff_hooks before = orffi_hooks_swap((orff_hooks){0});
    const orff_hooks quiet = {.progress = before.progress, .self = before.self};
    orffi_hooks_swap(quiet);
    const orff_status status = orff_model_fit_observations(model, settings, o);
    orffi_hooks_swap(before);
    return status;
}

/* ---- errors */

typedef struct errors {
    double *squares, *weights; /* p; with directions only the first is used */
    double logs;               /* sum of the logarithms of lambda */
} errors;

static void add_row(const tuning *t, size_t i, const double *f, errors *e) {
    const orff_observations *o = t->o;
    const size_t width = o->directions ? 1 : o->p;
    const double weight = o->weights ? o->weights[i] : 1.0;
    for (size_t k = 0; k < width; k++) {
        double value = o->directions ? 0.0 : f[k];
        for (size_t a = 0; o->directions && a < o->p; a++) value += o->directions[i * o->p + a] * f[a];
        const double off = o->Y[i * width + k] - value;
        if (isnan(off)) continue;
        e->squares[k] += weight * off * off;
        e->weights[k] += weight;
    }
}

static orff_status add_fold(const tuning *t, const orff_settings *candidate, const orff_model *model,
                            uint32_t fold, errors *e) {
    const size_t d = t->o->d, p = t->o->p;
    double *x = NULL, *f = NULL;
    size_t *rows = NULL, n = 0;
    orff_status status = ORFFI_NEW_ARRAY(rows, t->o->n);
    for (size_t i = 0; !status && i < t->o->n; i++)
        if (t->folds[i] == fold) rows[n++] = i;
    if (!status) status = orffi_alloc(&x, n, d * sizeof *x);
    if (!status) status = orffi_alloc(&f, n, p * sizeof *f);
    for (size_t i = 0; !status && i < n; i++) memcpy(x + i * d, t->o->X + rows[i] * d, d * sizeof *x);
    if (!status) status = orff_model_predict(model, n, x, f);
    if (!status && candidate->offset_groups)
        status = orffi_tune_add_offsets(t->o, candidate->offset_groups, model->trend, n, rows, f);
    for (size_t i = 0; !status && i < n; i++) add_row(t, rows[i], f + i * p, e);
    e->logs += log(model->lambda);
    orffi_release(rows);
    orffi_release(x);
    orffi_release(f);
    return status;
}

/* The mean square errors, averaged over the outputs. */
static double mean_error(const errors *e, size_t p) {
    double sum = 0.0, outputs = 0.0;
    for (size_t k = 0; k < p; k++) {
        if (!(e->weights[k] > 0.0)) continue;
        sum += e->squares[k] / e->weights[k];
        outputs += 1.0;
    }
    return sum / outputs;
}

static orff_status judge_fold(const tuning *t, size_t i, uint32_t fold, errors *e) {
    orffi_tune_rest rest;
    orff_model *model = NULL;
    orff_status status = orffi_tune_rest_make(&rest, t->o, &t->candidates[i], t->folds, fold);
    rest.settings.posterior = ORFF_SWITCH_NO;
    if (!status) status = fit_quietly(&model, &rest.settings, &rest.observations);
    if (!status) status = add_fold(t, &t->candidates[i], model, fold, e);
    orff_model_free(model);
    orffi_tune_rest_clear(&rest);
    return status;
}

static bool has_rows(const tuning *t, uint32_t fold) {
    for (size_t i = 0; i < t->o->n; i++)
        if (t->folds[i] == fold) return true;
    return false;
}

static orff_status judge(tuning *t, size_t i) {
    const size_t folds = t->candidates[0].folds;
    double used = 0.0;
    errors e = {0};
    orff_status status = ORFFI_NEW_ARRAY(e.squares, t->o->p);
    if (!status) status = ORFFI_NEW_ARRAY(e.weights, t->o->p);
    for (uint32_t f = 0; !status && f < folds; f++) {
        orffi_stage before;
        if (!has_rows(t, f)) continue;
        status =
            orffi_stage_enter("tuning", (double)(i * folds + f), (double)(t->count * folds), NULL, &before);
        if (!status) status = judge_fold(t, i, f, &e);
        orffi_stage_leave(&before);
        used += 1.0;
    }
    if (!status) t->scores[i] = mean_error(&e, t->o->p);
    if (!status) t->lambdas[i] = exp(e.logs / used);
    orffi_release(e.squares);
    orffi_release(e.weights);
    return status;
}

/* ---- all */

static size_t find_best(const tuning *t) {
    size_t best = t->count;
    for (size_t i = 0; i < t->count; i++)
        if (isfinite(t->scores[i]) && (best == t->count || t->scores[i] < t->scores[best])) best = i;
    return best;
}

/* model: fitted to the first candidate; replaced by a fit of the best one. */
static orff_status fit_best(orff_model **model, const tuning *t, size_t best) {
    if (best == t->count)
        return orffi_fail(ORFF_ERROR_NUMERICAL, "no candidate has a finite cross-validated error");
    if (!best) return ORFF_OK;
    orff_model_free(*model);
    *model = NULL;
    return orff_model_fit_observations(model, &t->candidates[best], t->o);
}

/* Fills one point of a path, and NaN up to the length that tune_paths defines. */
static void fill_paths(const tuning *t, orff_path_point **paths) {
    for (size_t i = 0; paths && i < t->count; i++) {
        const size_t count = t->candidates[i].lambda > 0.0 ? 1 : t->candidates[i].lambda_count;
        const double unknown = (double)NAN;
        const orff_path_point none = {unknown, unknown, unknown, unknown, unknown, unknown, unknown};
        for (size_t l = 0; paths[i] && l < count; l++) paths[i][l] = none;
        if (paths[i]) paths[i][0].lambda = t->lambdas[i];
        if (paths[i]) paths[i][0].cv_mse = t->scores[i];
    }
}

static orff_status run(tuning *t, orff_model **model, size_t *best) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->lambdas, t->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->scores, t->count));
    for (size_t i = 0; i < t->count; i++) ORFFI_TRY(check(&t->candidates[i], &t->candidates[0], i));
    ORFFI_TRY(orff_model_fit_observations(model, &t->candidates[0], t->o));
    ORFFI_TRY(orffi_tune_folds(&t->folds, *model, &t->candidates[0], t->o));
    for (size_t i = 0; i < t->count; i++) ORFFI_TRY(judge(t, i));
    *best = find_best(t);
    return fit_best(model, t, *best);
}

static bool is_plain(const orff_observations *o) {
    if (o->directions || o->errors || o->instruments || o->n_walls || o->functionals) return false;
    for (size_t i = 0; i < o->n * o->p; i++)
        if (isnan(o->Y[i])) return false;
    return true;
}

static orff_status tune_without_outliers(orff_model **model, size_t count, const orff_settings *candidates,
                                         const orff_observations *o, double *scores, size_t *best,
                                         orff_path_point **paths) {
    orffi_without_outliers left;
    orff_status status = orffi_outliers_drop(&left, count, candidates, o);
    if (!status)
        status = orff_model_tune_observations(model, count, left.settings, &left.rows, scores, best, paths);
    orffi_without_outliers_clear(&left);
    return status;
}

orff_status orff_model_tune_observations(orff_model **model, size_t count, const orff_settings *candidates,
                                         const orff_observations *o, double *scores, size_t *best,
                                         orff_path_point **paths) {
    tuning t = {.o = o, .count = count, .candidates = candidates};
    orff_model *found = NULL;
    size_t winner = 0;
    if (!model || !candidates || !count || !o || !o->X || !o->Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "orff_model_tune_observations needs candidates and rows");
    ORFFI_TRY(orffi_outliers_compare(count, candidates));
    if (candidates[0].drop_outliers)
        return tune_without_outliers(model, count, candidates, o, scores, best, paths);
    if (is_plain(o) && !candidates[0].offset_groups)
        return orff_model_tune_paths(model, count, candidates, o->d, o->p, o->n, o->X, o->Y, o->weights,
                                     scores, best, paths);
    orff_status status = run(&t, &found, &winner);
    if (!status) fill_paths(&t, paths);
    if (!status && scores) memcpy(scores, t.scores, count * sizeof *scores);
    if (!status && best) *best = winner;
    if (status)
        orff_model_free(found);
    else
        *model = found;
    orffi_release(t.folds);
    orffi_release(t.scores);
    orffi_release(t.lambdas);
    return status;
}
