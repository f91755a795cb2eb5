/* Fields derived from an exact model. */
#include "engine/exact.h"

orff_status orffi_exact_derive(const void *fit, const orffi_derived *what, size_t n, const double *x,
                               double *out) {
    (void)fit, (void)n, (void)x, (void)out;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                      "the %s of an exact model is not there: fit with features for derived fields",
                      what->name);
}
