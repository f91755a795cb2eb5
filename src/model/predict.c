/* Predictions and classes. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "model/plane_apply.h"
#include "model/sweep.h"

/* In double until x' is there: inputs far from 0 lose nothing to the shift. */
static void transform_single(const orff_model *model, size_t n, const float *X, float *out) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < model->d; k++)
            out[i * model->d + k] = (float)(((double)X[i * model->d + k] - model->shift[k]) / model->unit[k]);
}

static orff_status overflow(const char *task, size_t row) {
    return orffi_fail(
        ORFF_ERROR_NOT_FINITE,
        "%s: the result for row %zu is not finite: the point is too far away, or the numbers of "
        "the model are too large or damaged",
        task, row + 1);
}

#define REAL      double
#define PHI       orffi_phi
#define GEMM      orffi_gemm
#define CHECK     orffi_check_finite
#define TRANSFORM orffi_model_transform
#define NAME(x)   x##_double
#include "model/sweep.inc"

#define REAL      float
#define PHI       orffi_phi_single
#define GEMM      orffi_gemm_single
#define CHECK     orffi_check_finite_single
#define TRANSFORM transform_single
#define NAME(x)   x##_single
#include "model/sweep.inc"

orff_status orffi_model_check_result(const char *task, size_t first, size_t rows, size_t k,
                                     const double *out) {
    return check_result_double(task, first, rows, k, out);
}

orff_status orffi_model_sweep(const orff_model *model, const char *task, size_t k, const double *C,
                              const double *scale, const double *offset, size_t n, const double *X,
                              double *out) {
    return sweep_double(model, task, k, C, scale, offset, n, X, out);
}

/* mean + spread * sum_i K(x', x'_i) alpha_i, in memory of its own first. */
static orff_status predict_exact(const orff_model *model, size_t n, const double *X, double *F) {
    const size_t p = model->p;
    size_t inputs, outputs;
    double *x = NULL, *values = NULL;
    ORFFI_TRY(orffi_check_finite("X", n, model->d, X));
    ORFFI_TRY(orffi_multiply(n, model->d, &inputs));
    ORFFI_TRY(orffi_multiply(n, p, &outputs));
    orff_status status = ORFFI_NEW_ARRAY(x, inputs);
    if (!status) status = ORFFI_NEW_ARRAY(values, outputs);
    if (!status) {
        orffi_model_transform(model, n, X, x);
        status = orffi_check_finite("X in the model's units", n, model->d, x);
    }
    if (!status) status = orffi_exact_evaluate(model->exact, n, x, values);
    for (size_t i = 0; !status && i < outputs; i++)
        values[i] = model->mean[i % p] + model->spread[i % p] * values[i];
    if (!status) status = check_result_double("predict", 0, n, p, values);
    if (!status) memcpy(F, values, outputs * sizeof *F);
    orffi_release(x);
    orffi_release(values);
    return status;
}

/* The kernel is computed in double all the same. */
static orff_status predict_exact_single(const orff_model *model, size_t n, const float *X, float *F) {
    size_t inputs, outputs;
    double *x = NULL, *values = NULL;
    ORFFI_TRY(orffi_multiply(n, model->d, &inputs));
    ORFFI_TRY(orffi_multiply(n, model->p, &outputs));
    orff_status status = ORFFI_NEW_ARRAY(x, inputs);
    if (!status) status = ORFFI_NEW_ARRAY(values, outputs);
    for (size_t i = 0; !status && i < inputs; i++) x[i] = (double)X[i];
    if (!status) status = predict_exact(model, n, x, values);
    for (size_t i = 0; !status && i < outputs; i++)
        if (!isfinite((float)values[i])) status = overflow("predict", i / model->p);
    for (size_t i = 0; !status && i < outputs; i++) F[i] = (float)values[i];
    orffi_release(x);
    orffi_release(values);
    return status;
}

orff_status orff_model_predict(const orff_model *model, size_t n, const double *X, double *F) {
    if (!model || !X || !F)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_predict: NULL argument");
    if (model->on_plane) return orffi_plane_apply(model, orff_model_predict, ORFFI_TURN_VECTOR, n, X, F);
    if (model->exact) return predict_exact(model, n, X, F);
    return orffi_model_sweep(model, "predict", model->p, model->V, model->spread, model->mean, n, X, F);
}

orff_status orff_model_predict_single(const orff_model *model, size_t n, const float *X, float *F) {
    float *V;
    if (!model || !X || !F)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_predict_single: NULL argument");
    if (model->on_plane) return orffi_plane_predict_single(model, n, X, F);
    if (model->exact) return predict_exact_single(model, n, X, F);
    const size_t size = 2 * model->features->D * model->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(V, size));
    for (size_t i = 0; i < size; i++) V[i] = (float)model->V[i];
    const orff_status status =
        sweep_single(model, "predict", model->p, V, model->spread, model->mean, n, X, F);
    orffi_release(V);
    return status;
}

/* argmax over k of <c_k, f>: codes are unit vectors, so the nearest one. The first of equals. */
static size_t nearest(const orff_model *model, const double *f) {
    size_t best = 0;
    double most = 0.0;
    for (size_t k = 0; k < model->classes; k++) {
        double dot = 0.0;
        for (size_t i = 0; i < model->p; i++) dot += model->codes[k * model->p + i] * f[i];
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
