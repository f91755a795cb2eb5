/* Laplace base: k0 = exp(-|v|_1); z has independent Cauchy coordinates, no moments. */
#include <math.h>

#include "spectrum/bases.h"

/* Not differentiable at 0. No curl-free or divergence-free kernel uses this base, so f' and f'' are not
 * needed there; away from 0 they are correct. */
static void factor(double v, double *f, double *f1, double *f2) {
    *f = exp(-fabs(v));
    *f1 = v > 0 ? -*f : *f;
    *f2 = *f;
}

static double smoothness(double shape) {
    (void)shape;
    return 1.0;
}

/* tan(pi (u - 1/2)), computed from the nearer end so that small u keep their digits. */
static double quantile(double u) {
    return u < 0.5 ? -1.0 / tan(ORFFI_PI * u) : 1.0 / tan(ORFFI_PI * (1.0 - u));
}

static double coordinate_moment(int k) {
    (void)k;
    return INFINITY;
}

static double coordinate_log_density(double z) {
    return -log(ORFFI_PI) - log1p(z * z);
}

const orffi_base_ops orffi_base_laplace = {
    .id = ORFF_BASE_LAPLACE,
    .squares = true,
    .factor = factor,
    .smoothness = smoothness,
    .quantile = quantile,
    .coordinate_moment = coordinate_moment,
    .coordinate_log_density = coordinate_log_density,
};
