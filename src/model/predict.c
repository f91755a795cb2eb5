/* Predictions and classes. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/model.h"
#include "model/plane_apply.h"

static orff_status overflow(const char *task, size_t row) {
    return orffi_fail(
        ORFF_ERROR_NOT_FINITE,
        "%s: the result for row %zu is not finite: the point is too far away, or the numbers of "
        "the model are too large or damaged",
        task, row + 1);
}

/* Finite points and a learned model give finite numbers; a model from a modified file may not. */
static orff_status check_result(const char *task, size_t first, size_t rows, size_t k, const double *out) {
    size_t row = 0;
    if (!orffi_check_finite(task, rows, k, out)) return ORFF_OK;
    while (!orffi_check_finite(task, 1, k, out + row * k)) row++;
    return overflow(task, first + row);
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* x: ORFFI_MODEL_BLOCK x d, or n x d where that is less. */
static orff_status evaluate_blocks(const orff_model *model, const char *task, orffi_at_points *function,
                                   const void *what, size_t k, size_t n, const double *X, double *x,
                                   double *out) {
    for (size_t first = 0; first < n; first += ORFFI_MODEL_BLOCK) {
        const size_t rows = smaller(ORFFI_MODEL_BLOCK, n - first);
        orffi_stage before;
        orffi_model_transform(model, rows, X + first * model->d, x);
        ORFFI_TRY(check_result(task, first, rows, model->d, x));
        orff_status status =
            orffi_stage_enter_part(task, (double)first, (double)rows, (double)n, task, &before);
        if (!status) status = function(model, what, rows, x, out + first * k);
        orffi_stage_leave(&before);
        ORFFI_TRY(status);
        ORFFI_TRY(check_result(task, first, rows, k, out + first * k));
    }
    return orffi_progress(task, (double)n, (double)n);
}

/* Results go to a separate array first, so that a cancelled call leaves the caller's unchanged. */
orff_status orffi_model_evaluate(const orff_model *model, const char *task, orffi_at_points *function,
                                 const void *what, size_t k, size_t n, const double *X, double *out) {
    size_t outputs;
    double *x = NULL, *values = NULL;
    ORFFI_TRY(orffi_check_finite("X", n, model->d, X));
    ORFFI_TRY(orffi_multiply(n, k, &outputs));
    orff_status status = ORFFI_NEW_ARRAY(x, smaller(n, ORFFI_MODEL_BLOCK) * model->d);
    if (!status) status = ORFFI_NEW_ARRAY(values, outputs);
    if (!status) status = evaluate_blocks(model, task, function, what, k, n, X, x, values);
    if (!status) memcpy(out, values, outputs * sizeof *out);
    orffi_release(x);
    orffi_release(values);
    return status;
}

/* ---- predictions */

/* mean + spread * g(x') + trend(x') */
static orff_status at_points(const orff_model *model, const void *unused, size_t n, const double *x,
                             double *F) {
    const size_t p = model->p;
    (void)unused;
    ORFFI_TRY(model->engine->values(model->fit, n, x, F));
    for (size_t i = 0; i < n * p; i++) F[i] = model->mean[i % p] + model->spread[i % p] * F[i];
    return model->trend ? orffi_trend_add(model->trend, n, x, F) : ORFF_OK;
}

orff_status orff_model_predict(const orff_model *model, size_t n, const double *X, double *F) {
    if (!model || !X || !F)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_predict: NULL argument");
    if (model->on_plane) return orffi_plane_apply(model, orff_model_predict, ORFFI_TURN_VECTOR, n, X, F);
    return orffi_model_evaluate(model, "predict", at_points, NULL, model->p, n, X, F);
}

/* ---- in single precision */

/* Computes x' in double, so that inputs far from 0 lose nothing when shifted. */
static void transform_single(const orff_model *model, size_t n, const float *X, float *x) {
    const size_t d = model->d;
    for (size_t i = 0; i < n * d; i++)
        x[i] = (float)(((double)X[i] - model->shift[i % d]) / model->unit[i % d]);
}

static orff_status units_single(const orff_model *model, size_t first, size_t n, float *F) {
    const size_t p = model->p;
    for (size_t i = 0; i < n * p; i++) {
        F[i] = (float)(model->mean[i % p] + model->spread[i % p] * (double)F[i]);
        if (!isfinite(F[i])) return overflow("predict", first + i / p);
    }
    return ORFF_OK;
}

static orff_status block_single(const orff_model *model, size_t first, size_t n, const float *X, float *x,
                                float *F) {
    transform_single(model, n, X, x);
    ORFFI_TRY(model->engine->values_single(model->fit, n, x, F));
    return units_single(model, first, n, F);
}

/* For an engine that has no single precision. */
static orff_status block_double(const orff_model *model, size_t first, size_t n, const float *X, double *x,
                                float *F) {
    const size_t p = model->p;
    double *inner = x + n * model->d, *values = inner + n * model->d;
    for (size_t i = 0; i < n * model->d; i++) x[i] = (double)X[i];
    orffi_model_transform(model, n, x, inner);
    ORFFI_TRY(at_points(model, NULL, n, inner, values));
    for (size_t i = 0; i < n * p; i++) {
        F[i] = (float)values[i];
        if (!isfinite(F[i])) return overflow("predict", first + i / p);
    }
    return ORFF_OK;
}

/* work: room for a block in double: inputs twice, outputs once. */
static orff_status blocks_single(const orff_model *model, size_t n, const float *X, double *work, float *F) {
    const bool single = model->engine->values_single && !model->trend;
    for (size_t first = 0; first < n; first += ORFFI_MODEL_BLOCK) {
        const size_t rows = smaller(ORFFI_MODEL_BLOCK, n - first);
        const float *at = X + first * model->d;
        float *out = F + first * model->p;
        ORFFI_TRY(orffi_progress("predict", (double)first, (double)n));
        void *scratch = work; /* used for floats by engines with single precision */
        ORFFI_TRY(single ? block_single(model, first, rows, at, scratch, out)
                         : block_double(model, first, rows, at, work, out));
    }
    return orffi_progress("predict", (double)n, (double)n);
}

orff_status orff_model_predict_single(const orff_model *model, size_t n, const float *X, float *F) {
    size_t outputs;
    double *work = NULL;
    float *values = NULL;
    if (!model || !X || !F)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_predict_single: NULL argument");
    if (model->on_plane) return orffi_plane_predict_single(model, n, X, F);
    ORFFI_TRY(orffi_check_finite_single("X", n, model->d, X));
    ORFFI_TRY(orffi_multiply(n, model->p, &outputs));
    orff_status status = ORFFI_NEW_ARRAY(work, smaller(n, ORFFI_MODEL_BLOCK) * (2 * model->d + model->p));
    if (!status) status = ORFFI_NEW_ARRAY(values, outputs);
    if (!status) status = blocks_single(model, n, X, work, values);
    if (!status) memcpy(F, values, outputs * sizeof *F);
    orffi_release(work);
    orffi_release(values);
    return status;
}

/* ---- classes */

/* argmax over k of <c_k, f> - |c_k|^2/2, the nearest code; the first of several equally near. Codes of a
 * simplex all have the same length. */
static size_t nearest(const orff_model *model, const double *f) {
    size_t best = 0;
    double most = 0.0;
    for (size_t k = 0; k < model->classes; k++) {
        double dot = 0.0;
        for (size_t i = 0; i < model->p; i++) {
            const double c = model->codes[k * model->p + i];
            dot += c * f[i] - (model->own_codes ? 0.5 * c * c : 0.0);
        }
        if (k > 0 && !(dot > most)) continue;
        best = k;
        most = dot;
    }
    return best;
}

orff_status orff_model_classify(const orff_model *model, size_t n, const double *X, size_t *labels) {
    double *F;
    size_t size;
    if (!model || !X || !labels)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_classify: NULL argument");
    if (!model->classes)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the model was fitted to %zu outputs, not to classes",
                          model->p);
    ORFFI_TRY(orffi_multiply(n, model->p, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(F, size));
    const orff_status status = orff_model_predict(model, n, X, F);
    for (size_t i = 0; !status && i < n; i++) labels[i] = nearest(model, F + i * model->p);
    orffi_release(F);
    return status;
}
