/* The posterior covariance of f(x). */
#include "base/hooks.h"
#include "model/model.h"
#include "model/plane_apply.h"

static orff_status at_points(const orff_model *model, const void *unused, size_t n, const double *x,
                             double *out) {
    const size_t p = model->p;
    (void)unused;
    ORFFI_TRY(model->engine->covariance(model->fit, n, x, out));
    if (model->trend) ORFFI_TRY(orffi_trend_add_covariance(model->trend, n, x, out));
    for (size_t i = 0; i < n * p * p; i++) out[i] *= model->noise[i / p % p] * model->noise[i % p];
    return ORFF_OK;
}

orff_status orffi_model_check_posterior(const orff_model *model) {
    if (orff_model_describe(model).has_posterior) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "the model was saved without a posterior, so it has no error bars; fit it again with the setting "
        "posterior=yes");
}

orff_status orff_model_covariance(const orff_model *model, size_t n, const double *X, double *covariance) {
    if (!model || !X || !covariance)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_covariance: NULL argument");
    if (model->on_plane)
        return orffi_plane_apply(model, orff_model_covariance, ORFFI_TURN_COVARIANCE, n, X, covariance);
    ORFFI_TRY(orffi_model_check_posterior(model));
    return orffi_model_evaluate(model, ORFFI_COVARIANCE_TASK, at_points, NULL, model->p * model->p, n, X, covariance);
}
