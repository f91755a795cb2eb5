/* Models from given coefficients. */
#include <math.h>
#include <string.h>

#include "engine/features.h"
#include "model/model.h"

static void fill(orff_model *model, const orff_found *found) {
    memcpy(model->mean, found->intercept, model->p * sizeof *model->mean);
    model->lambda = found->lambda;
    model->rows = found->rows;
    model->weight = found->weight;
    model->train_mse = found->train_mse;
    model->cv_mse = model->dof = model->log_evidence = NAN;
    for (size_t k = 0; k < model->p; k++) model->output_train_mse[k] = model->noise[k] = NAN;
    const orff_solve_info direct = {.method = "cholesky", .converged = true};
    model->solve = found->solve ? *found->solve : direct;
}

orff_status orff_model_of_features(orff_model **out, const orff_features *features, const orff_found *found) {
    orff_features *own = NULL;
    orffi_features_fit *fit = NULL;
    orff_model *model = NULL;
    if (!out || !features || !found || !found->theta || !found->intercept)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_of_features: NULL argument");
    ORFFI_TRY(orffi_check_finite("theta", features->M, 1, found->theta));
    ORFFI_TRY(orffi_check_finite("intercept", features->p, 1, found->intercept));
    ORFFI_TRY(orff_features_rebind(&own, features, features->kernel));
    ORFFI_TRY(orffi_features_fit_create(&fit, own));
    memcpy(fit->theta, found->theta, own->M * sizeof *fit->theta);
    orffi_features_fit_fold(fit);
    ORFFI_TRY(orffi_model_create(&model, &orffi_engine_features, fit, 0));
    fill(model, found);
    const orff_status status = orffi_model_finish(model);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}
