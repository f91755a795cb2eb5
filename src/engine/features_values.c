/* Everything computed from a fit at a point is phi(x) times a matrix C of 2D x k: values (C = V), and
 * derived fields. */
#include "base/linalg.h"
#include "base/memory.h"
#include "engine/features.h"

#define REAL    double
#define PHI     orffi_phi
#define GEMM    orffi_gemm
#define NAME(x) x##_double
#include "engine/features_values.inc"

#define REAL    float
#define PHI     orffi_phi_single
#define GEMM    orffi_gemm_single
#define NAME(x) x##_single
#include "engine/features_values.inc"

orff_status orffi_features_apply_matrix(const orffi_features_fit *fit, size_t k, const double *C, size_t n,
                                        const double *x, double *out) {
    return apply_double(fit->features->bank, k, C, n, x, out);
}

orff_status orffi_features_values_single(const void *self, size_t n, const float *x, float *F) {
    const orffi_features_fit *fit = self;
    const size_t p = fit->features->p, size = 2 * fit->features->D * p;
    float *V;
    ORFFI_TRY(ORFFI_NEW_ARRAY(V, size));
    for (size_t i = 0; i < size; i++) V[i] = (float)fit->V[i];
    const orff_status status = apply_single(fit->features->bank, p, V, n, x, F);
    orffi_release(V);
    return status;
}
