/* An exact fit as centres: what each part makes of alpha. */
#include <string.h>

#include "engine/exact.h"
#include "exact/exact.h"

/* c (n x p) = root^2 A alpha, or root^2 alpha. */
static void fill_part(const orffi_kernel_part *part, size_t n, const double *alpha, double *c) {
    const size_t p = part->p;
    for (size_t i = 0; i < n * p; i++) {
        const double *row = alpha + i / p * p;
        double sum = part->A ? 0.0 : row[i % p];
        for (size_t a = 0; part->A && a < p; a++) sum += part->A[i % p * p + a] * row[a];
        c[i] = part->root * part->root * sum;
    }
}

orff_status orffi_exact_sum(const void *self, orffi_term *t) {
    const orff_exact *exact = self;
    const orff_kernel *kernel = exact->kernel;
    const size_t n = exact->plan.n, d = kernel->d, p = kernel->p;
    ORFFI_TRY(orffi_term_centres(t, n, kernel->n_parts, d, p));
    memcpy(t->z, exact->X, n * d * sizeof *t->z);
    for (size_t m = 0; m < kernel->n_parts; m++) {
        const orffi_kernel_part *part = &kernel->parts[m];
        if ((!part->rule->frame && !part->rule->separable) || part->law.centre || part->law.period)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "a %s part with a callback, delays, wavelengths or periods is no sum of base "
                              "kernels around the rows",
                              orff_rule_name(part->rule->id));
        if (part->rule->frame) part->rule->frame(part, &t->along[m], &t->across[m]);
        fill_part(part, n, exact->alpha, t->c + m * n * p);
    }
    return ORFF_OK;
}
