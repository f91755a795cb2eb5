/* Product Cauchy base: k0 = prod 1/(1+v_i^2); z has independent Laplace coordinates, density exp(-|z|)/2. */
#include <math.h>

#include "base/special.h"
#include "spectrum/bases.h"

static void factor(double v, double *f, double *f1, double *f2) {
    *f = 1.0 / (1.0 + v * v);
    *f1 = -2.0 * v * *f * *f;
    *f2 = (6.0 * v * v - 2.0) * *f * *f * *f;
}

static double third(double v) {
    const double f = 1.0 / (1.0 + v * v);
    return 24.0 * v * (1.0 - v * v) * f * f * f * f;
}

static double quantile(double u) {
    return u < 0.5 ? log(2.0 * u) : -log(2.0 * (1.0 - u));
}

/* z^2 exp(-|z|)/4: |z| ~ Gamma(3), with the sign from the half that u is in. */
static double biased_quantile(double u) {
    return u < 0.5 ? -orffi_gamma_quantile(3.0, 1.0 - 2.0 * u) : orffi_gamma_quantile(3.0, 2.0 * u - 1.0);
}

/* E z^(2k) = (2k)! */
static double coordinate_moment(int k) {
    return tgamma(2.0 * k + 1.0);
}

static double coordinate_log_density(double z) {
    return -fabs(z) - log(2.0);
}

const orffi_base_ops orffi_base_cauchy_product = {
    .id = ORFF_BASE_CAUCHY_PRODUCT,
    .factor = factor,
    .third = third,
    .quantile = quantile,
    .biased_quantile = biased_quantile,
    .coordinate_moment = coordinate_moment,
    .coordinate_log_density = coordinate_log_density,
};
