/* Rational quadratic base, shape alpha: k0 = Q^-alpha, Q = 1 + r^2/(2 alpha). tau ~ Gamma(alpha, rate
 * alpha). */
#define _DEFAULT_SOURCE /* lgamma_r */
#include <math.h>

#include "base/special.h"
#include "spectrum/bases.h"

static double k0(double alpha, double r) {
    return exp(-alpha * log1p(r * r / (2.0 * alpha)));
}

static void slopes(double alpha, double r, double *g1, double *g2r2) {
    const double Q = 1.0 + r * r / (2.0 * alpha);
    *g1 = pow(Q, -alpha - 1.0);
    *g2r2 = (alpha + 1.0) / alpha * (*g1 / Q) * r * r;
}

static void derivatives(double alpha, double r, double t[3]) {
    const double Q = 1.0 + r * r / (2.0 * alpha), k1 = pow(Q, -alpha - 1.0);
    t[0] = -k1 * r;
    t[1] = (alpha + 1.0) / alpha * (k1 / Q) * r * r;
    t[2] = -(alpha + 1.0) * (alpha + 2.0) / (alpha * alpha) * (k1 / (Q * Q)) * r * r * r;
}

static double mixing(double alpha, bool biased, double u) {
    return orffi_gamma_quantile(biased ? alpha + 1.0 : alpha, u) / alpha;
}

/* E tau^k = alpha (alpha+1) .. (alpha+k-1) / alpha^k */
static double mixing_moment(double alpha, int k) {
    double moment = 1.0;
    for (int i = 0; i < k; i++) moment *= (alpha + i) / alpha;
    return moment;
}

/* p(z) = 2 (2 pi)^(-m/2) alpha^alpha/Gamma(alpha) (r^2/(2 alpha))^(e/2) K_e(r sqrt(2 alpha)), e = alpha -
 * m/2; finite at the origin only for e > 0. */
static double log_density(double alpha, size_t dim, double r) {
    const double e = alpha - 0.5 * (double)dim, x = r * sqrt(2.0 * alpha);
    int sign;
    const double front =
        -0.5 * (double)dim * log(2.0 * ORFFI_PI) + alpha * log(alpha) - lgamma_r(alpha, &sign);
    if (x < 1e-150) return e > 0.0 ? front + lgamma_r(e, &sign) - e * log(alpha) : INFINITY;
    return front + log(2.0) + 0.5 * e * log(r * r / (2.0 * alpha)) + log(orffi_bessel_k_scaled(e, x)) - x;
}

/* The base is a mixture of length scales whose logarithms have a spread of about 1 / (2 sqrt(alpha)): from
 * widely different scales to nearly one. */
static const double alphas[] = {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 0.0};

const orffi_base_ops orffi_base_rational_quadratic = {
    .id = ORFF_BASE_RATIONAL_QUADRATIC,
    .spherical = true,
    .has_shape = true,
    .shapes = alphas,
    .middle_shape = 2,
    .k0 = k0,
    .slopes = slopes,
    .derivatives = derivatives,
    .mixing = mixing,
    .mixing_moment = mixing_moment,
    .log_density = log_density,
};
