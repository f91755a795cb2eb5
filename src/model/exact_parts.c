/* The parts of an exact model, in the outputs' units: f = mean + sum_i K(x, x_i) alpha_i. */
#include "base/memory.h"
#include "engine/exact.h"
#include "model/model.h"

static orff_status find_exact(const orff_model *model, const char *what, const orff_exact **exact) {
    *exact = model->fit;
    if (model->engine == &orffi_engine_exact) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "only exact models have %s; this one has features", what);
}

orff_status orff_model_alpha(const orff_model *model, double *alpha) {
    if (!model || !alpha) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_alpha: NULL argument");
    const orff_exact *exact;
    ORFFI_TRY(find_exact(model, "an alpha", &exact));
    ORFFI_TRY(orff_exact_alpha(exact, alpha));
    for (size_t i = 0; i < exact->plan.n * model->p; i++) alpha[i] *= model->spread[i % model->p];
    return ORFF_OK;
}

orff_status orff_model_norm2(const orff_model *model, double *norm2) {
    if (!model || !norm2) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_norm2: NULL argument");
    const orff_exact *exact;
    ORFFI_TRY(find_exact(model, "a norm that they tell", &exact));
    const size_t n = exact->plan.n, p = exact->plan.p;
    double *F, sum = 0.0; /* F = K alpha */
    ORFFI_TRY(ORFFI_NEW_ARRAY(F, n * p));
    const orff_status status = orffi_exact_evaluate(exact, n, exact->X, F);
    for (size_t i = 0; !status && i < n * p; i++) sum += exact->alpha[i] * F[i];
    orffi_release(F);
    if (!status) *norm2 = sum;
    return status;
}
