/* Where to trust a model: far from its rows, or where these carry no information, a prediction is only the
 * prior. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/periods.h"
#include "base/threads.h"
#include "model/plane_apply.h"

enum { BLOCK = 4096 };

/* ---- distance from the rows */

/* Periods of the inputs that distances use, in the user's units; 0 for inputs without one. */
static void find_periods(const orff_model *model, double *periods) {
    const orff_kernel *kernel = orffi_model_kernel(model);
    for (size_t i = 0; i < model->cover.k; i++) {
        const size_t input = model->cover.inputs[i];
        periods[i] = 0.0;
        for (size_t m = 0; m < kernel->n_parts; m++)
            if (orffi_is_periodic(kernel->parts[m].law.period, input))
                periods[i] = kernel->parts[m].law.period[input] * model->unit[input];
    }
}

static orff_status distances_flat(const orff_model *model, size_t n, const double *X, double *distance) {
    const orffi_cover *cover = &model->cover;
    double periods[ORFFI_COVER_INPUTS];
    const int threads = orffi_thread_count();
    find_periods(model, periods);
#pragma omp parallel for num_threads(threads) if (threads > 1 && n > 64)
    for (size_t a = 0; a < n; a++) {
        double x[ORFFI_COVER_INPUTS];
        for (size_t i = 0; i < cover->k; i++) x[i] = X[a * model->d + cover->inputs[i]];
        distance[a] = orffi_cover_distance(cover, periods, x);
    }
    return ORFF_OK;
}

orff_status orff_model_distance(const orff_model *model, size_t n, const double *X, double *distance) {
    if (!model || !X || !distance)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_distance: NULL argument");
    if (!model->cover.n)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "the model does not contain the positions of its rows: it is from moments or an older file, or "
            "has more than %d inputs; mask by the standard deviation",
            ORFFI_COVER_INPUTS);
    ORFFI_TRY(orffi_check_finite("X", n, model->d, X));
    return orffi_plane_apply(model, distances_flat, ORFFI_TURN_NOTHING, n, X, distance);
}

/* ---- posterior relative to prior */

/* Prior variances of the outputs: the diagonal of noise K(0) noise / (N lambda). */
static orff_status prior_variances(const orff_model *model, double *variance) {
    const size_t p = model->p;
    double *at = NULL, *K = NULL;
    orff_status status = ORFFI_NEW_ARRAY(at, model->d);
    if (!status) status = ORFFI_NEW_ARRAY(K, p * p);
    if (!status) status = orff_kernel_eval(orffi_model_kernel(model), at, at, K);
    for (size_t k = 0; !status && k < p; k++)
        variance[k] = model->noise[k] * model->noise[k] * K[k * p + k] / (model->weight * model->lambda);
    orffi_release(at);
    orffi_release(K);
    return status;
}

orff_status orff_model_prior_std(const orff_model *model, double *S) {
    if (!model || !S) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_prior_std: NULL argument");
    ORFFI_TRY(orffi_model_check_posterior(model));
    ORFFI_TRY(prior_variances(model, S));
    for (size_t k = 0; k < model->p; k++) S[k] = sqrt(S[k]);
    return ORFF_OK;
}

/* Root mean square over the outputs of posterior over prior deviation; outputs of prior variance zero do
 * not count. */
static double relative(size_t p, const double *covariance, const double *prior) {
    double sum = 0.0;
    size_t counted = 0;
    for (size_t k = 0; k < p; k++) {
        if (!(prior[k] > 0.0)) continue;
        sum += fmax(covariance[k * p + k], 0.0) / prior[k];
        counted++;
    }
    return counted ? sqrt(sum / (double)counted) : 0.0;
}

/* C: room for the covariances of BLOCK points. */
static orff_status fill_relative(const orff_model *model, const double *prior, size_t n, const double *X,
                                 double *C, double *out) {
    const size_t p = model->p;
    for (size_t first = 0; first < n; first += BLOCK) {
        const size_t rows = n - first < BLOCK ? n - first : BLOCK;
        ORFFI_TRY(orff_model_covariance(model, rows, X + first * model->d, C));
        for (size_t i = 0; i < rows; i++) out[first + i] = relative(p, C + i * p * p, prior);
    }
    return ORFF_OK;
}

static orff_status relative_flat(const orff_model *model, size_t n, const double *X, double *out) {
    double *C = NULL, *prior = NULL;
    orff_status status = ORFFI_NEW_ARRAY(C, (n < BLOCK ? n : BLOCK) * model->p * model->p);
    if (!status) status = ORFFI_NEW_ARRAY(prior, model->p);
    if (!status) status = prior_variances(model, prior);
    if (!status) status = fill_relative(model, prior, n, X, C, out);
    orffi_release(C);
    orffi_release(prior);
    return status;
}

orff_status orff_model_relative_std(const orff_model *model, size_t n, const double *X, double *out) {
    if (!model || !X || !out)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_relative_std: NULL argument");
    ORFFI_TRY(orffi_model_check_posterior(model));
    return orffi_plane_apply(model, relative_flat, ORFFI_TURN_NOTHING, n, X, out);
}

/* ---- masks */

orff_mask orff_mask_default(void) {
    return (orff_mask){.distance = INFINITY, .std = INFINITY};
}

/* Sets masked[i] where the value is above the limit. */
static orff_status mask_by(const orff_model *model,
                           orff_status (*measure)(const orff_model *, size_t, const double *, double *),
                           double limit, size_t n, const double *X, double *values, bool *masked) {
    if (isinf(limit)) return ORFF_OK;
    ORFFI_TRY(measure(model, n, X, values));
    for (size_t i = 0; i < n; i++) masked[i] = masked[i] || values[i] > limit;
    return ORFF_OK;
}

orff_status orff_model_mask(const orff_model *model, const orff_mask *mask, size_t n, const double *X,
                            bool *masked) {
    double *values = NULL;
    bool *found = NULL;
    if (!model || !mask || !X || !masked)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_mask: NULL argument");
    if (!(mask->distance > 0.0) || !(mask->std > 0.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "the limits of a mask are %g and %g; they must be positive", mask->distance,
                          mask->std);
    orff_status status = ORFFI_NEW_ARRAY(values, n);
    if (!status) status = ORFFI_NEW_ARRAY(found, n);
    if (!status) status = mask_by(model, orff_model_distance, mask->distance, n, X, values, found);
    if (!status) status = mask_by(model, orff_model_relative_std, mask->std, n, X, values, found);
    if (!status) memcpy(masked, found, n * sizeof *masked);
    orffi_release(values);
    orffi_release(found);
    return status;
}
