/* A fit of features as waves: a_j = sqrt(q_j) V_j, b_j = sqrt(q_j) V_(D+j). */
#include "engine/features.h"

orff_status orffi_features_sum(const void *self, orffi_term *t) {
    const orffi_features_fit *fit = self;
    const size_t D = fit->features->D, p = fit->features->p;
    ORFFI_TRY(orffi_term_waves(t, D, fit->features->d, p, false));
    ORFFI_TRY(orff_features_frequencies(fit->features, t->omega, NULL));
    for (size_t i = 0; i < D * p; i++) {
        const double amplitude = fit->features->bank->amplitude[i / p];
        t->a[i] = amplitude * fit->V[i];
        t->b[i] = amplitude * fit->V[D * p + i];
    }
    return ORFF_OK;
}
