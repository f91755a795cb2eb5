/* The prior covariance of a part of f. */
#include <math.h>

#include "base/memory.h"
#include "model/model.h"

static orff_status check(const orff_model *model, size_t i, const double *A) {
    if (!model || !A)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_output_matrix: NULL argument");
    const size_t parts = orffi_model_kernel(model)->n_parts;
    if (i >= parts)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no part %zu (0-based): the kernel has %zu",
                          i, parts);
    if (model->classes)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a model of classes has no output matrix in their units");
    for (size_t k = 0; k < model->p; k++)
        if (!isfinite(model->noise[k]))
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "the noise of the model is not known, so its field has no variance");
    return ORFF_OK;
}

#define ROUNDING 1e-12 /* of a correlation: what remains of a zero after factoring A, B B^T = A */

static void clear_rounding(size_t p, double *A) {
    for (size_t a = 0; a < p * p; a++)
        if (fabs(A[a]) < ROUNDING * sqrt(A[a / p * (p + 1)] * A[a % p * (p + 1)])) A[a] = 0.0;
}

/* noise_k noise_l K(0)_kl / (N lambda) */
orff_status orff_model_output_matrix(const orff_model *model, size_t i, double *A) {
    ORFFI_TRY(check(model, i, A));
    const size_t p = model->p;
    const orffi_kernel_part *part = &orffi_model_kernel(model)->parts[i];
    double *at = NULL, *K = NULL;
    orff_status status = ORFFI_NEW_ARRAY(at, model->d);
    if (!status) status = ORFFI_NEW_ARRAY(K, p * p);
    if (!status) status = orffi_part_exact(part, 1, at, K);
    for (size_t a = 0; !status && a < p * p; a++)
        A[a] = model->noise[a / p] * model->noise[a % p] * part->root * part->root * K[a] /
               (model->weight * model->lambda);
    if (!status) clear_rounding(p, A);
    orffi_release(at);
    orffi_release(K);
    return status;
}
