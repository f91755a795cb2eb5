/* Standard deviations: roots of the diagonals of covariances, which are computed in blocks. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/plane_apply.h"

enum { BLOCK = 4096 };

/* The covariance of a new measurement. Outputs have noises of their own, so on a plane these are turned
 * too. */
static orff_status noisy_covariance(const orff_model *model, size_t n, const double *X, double *covariance) {
    const size_t p = model->p;
    if (model->on_plane)
        return orffi_plane_apply(model, noisy_covariance, ORFFI_TURN_COVARIANCE, n, X, covariance);
    ORFFI_TRY(orff_model_covariance(model, n, X, covariance));
    for (size_t i = 0; i < n * p; i++) {
        const size_t k = i % p;
        covariance[i * p + k] += orffi_model_noise(model)[k] * orffi_model_noise(model)[k];
    }
    return ORFF_OK;
}

/* C: room for the covariances of BLOCK points. */
static orff_status fill(const orff_model *model, bool with_noise, size_t n, const double *X, double *C,
                        double *S) {
    const size_t p = model->p;
    for (size_t first = 0; first < n; first += BLOCK) {
        const size_t rows = n - first < BLOCK ? n - first : BLOCK;
        orffi_stage before;
        orff_status status = orffi_stage_enter_part(ORFFI_COVARIANCE_TASK, (double)first, (double)rows,
                                                    (double)n, ORFFI_COVARIANCE_TASK, &before);
        if (!status)
            status =
                (with_noise ? noisy_covariance : orff_model_covariance)(model, rows, X + first * model->d, C);
        orffi_stage_leave(&before);
        ORFFI_TRY(status);
        for (size_t i = 0; i < rows * p; i++) S[first * p + i] = sqrt(fmax(C[i * p + i % p], 0.0));
    }
    return ORFF_OK;
}

orff_status orff_model_std(const orff_model *model, size_t n, const double *X, bool with_noise, double *S) {
    double *C = NULL, *values = NULL;
    size_t room, size;
    if (!model || !X || !S) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_std: NULL argument");
    ORFFI_TRY(orffi_multiply(n < BLOCK ? n : BLOCK, model->p * model->p, &room));
    ORFFI_TRY(orffi_multiply(n, model->p, &size));
    orff_status status = ORFFI_NEW_ARRAY(C, room);
    if (!status) status = ORFFI_NEW_ARRAY(values, size);
    if (!status) status = fill(model, with_noise, n, X, C, values);
    if (!status) memcpy(S, values, size * sizeof *S);
    orffi_release(C);
    orffi_release(values);
    return status;
}
