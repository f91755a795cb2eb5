/* Hyperbolic secant base: k0 = prod 1/cosh(v_i); z has independent coordinates of density sech(pi z/2)/2. On
 * inputs log(x + c), with length scale 2, it is the skewed chi-square kernel, prod 2 sqrt((x_i + c)(z_i + c))
 * / (x_i + z_i + 2 c). */
#include <math.h>

#include "spectrum/bases.h"

static void factor(double v, double *f, double *f1, double *f2) {
    *f = 1.0 / cosh(v);
    *f1 = -*f * tanh(v);
    *f2 = *f * (1.0 - 2.0 * *f * *f);
}

static double third(double v) {
    const double f = 1.0 / cosh(v);
    return f * tanh(v) * (6.0 * f * f - 1.0);
}

/* Inverse of the distribution 2/pi atan(exp(pi z/2)), computed from the nearer end so that small u keep their
 * digits. */
static double quantile(double u) {
    return u < 0.5 ? 2.0 / ORFFI_PI * log(tan(0.5 * ORFFI_PI * u))
                   : -2.0 / ORFFI_PI * log(tan(0.5 * ORFFI_PI * (1.0 - u)));
}

static double biased_density(double t) {
    return t * t / cosh(0.5 * ORFFI_PI * t);
}

/* The share of z^2 sech(pi z/2)/2 with |z| <= t, by Simpson's rule. The density is smooth, and this many
 * steps give 1e-10. */
static double biased_share(double t) {
    enum { STEPS = 256 };
    const double h = t / STEPS;
    double sum = biased_density(t);
    for (int i = 1; i < STEPS; i++) sum += (i % 2 ? 4.0 : 2.0) * biased_density(h * i);
    return sum * h / 3.0;
}

/* The |z| below which the share is `share`, by bisection; less than 1e-24 of it lies beyond 40. */
static double biased_radius(double share) {
    double low = 0.0, high = 40.0;
    for (int i = 0; i < 48; i++) {
        const double middle = 0.5 * (low + high);
        *(biased_share(middle) < share ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static double biased_quantile(double u) {
    return u < 0.5 ? -biased_radius(1.0 - 2.0 * u) : biased_radius(2.0 * u - 1.0);
}

/* E z^(2k): the Euler numbers, as the kernel's derivatives at 0 are. */
static double coordinate_moment(int k) {
    static const double euler[] = {1.0, 1.0, 5.0, 61.0};
    return euler[k];
}

static double coordinate_log_density(double z) {
    const double y = 0.5 * ORFFI_PI * fabs(z);
    return -y - log1p(exp(-2.0 * y));
}

const orffi_base_ops orffi_base_sech = {
    .id = ORFF_BASE_SECH,
    .factor = factor,
    .third = third,
    .quantile = quantile,
    .biased_quantile = biased_quantile,
    .coordinate_moment = coordinate_moment,
    .coordinate_log_density = coordinate_log_density,
};
