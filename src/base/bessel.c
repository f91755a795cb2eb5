/* K_nu by the trapezoid rule on exp(x) K_nu(x) = 1/2 int exp(nu t - x (cosh t - 1)) dt over the real line.
 * The integrand is analytic and decays doubly exponentially, so the rule converges faster than any power. */
#include <float.h>
#include <math.h>

#include "base/special.h"

static const double tau = 6.283185307179586;

/* The exponent at distance +-s from its maximum, minus the maximum:
 *   E(s) = -c (cosh s - 1) - nu (sinh s - s),   c = sqrt(x^2 + nu^2),
 * written like this near the maximum, and in exponentials far from it, where the hyperbolic terms would
 * cancel. gap = c - nu. */
static void exponents(double nu, double c, double gap, double s, double E[2]) {
    const double grown = expm1(s), e = 1 + grown;
    if (s <= 1) {
        const double even = c * grown * grown / (2 * e), odd = nu * (grown * (grown + 2) / (2 * e) - s);
        E[0] = -even - odd;
        E[1] = -even + odd;
    } else {
        E[0] = nu * s + c - 0.5 * ((c + nu) * e + gap / e);
        E[1] = -nu * s + c - 0.5 * ((c + nu) / e + gap * e);
    }
}

/* int exp(E(s)) ds over the line. The step resolves both the width c^(-1/2) of the maximum and the strip of
 * half width pi/2 in which the integrand is bounded. */
static double peak_integral(double nu, double c, double gap) {
    const double step = fmin(0.125, 0.5 / sqrt(c));
    double sum = 1, term = 1;
    for (int k = 1; term > 0.01 * DBL_EPSILON * sum; k++) {
        double E[2];
        exponents(nu, c, gap, k * step, E);
        term = (E[0] > -50 ? exp(E[0]) : 0) + exp(E[1]);
        sum += term;
    }
    return step * sum;
}

/* 2^(1-nu)/Gamma(nu) x^nu K_nu(x) for x so small that 1 + x^2 rounds to 1. */
static double matern_near_zero(double nu, double x) {
    if (nu > 0.99) return 1;
    return -expm1(orffi_log_gamma(1 - nu) - orffi_log_gamma(1 + nu) + 2 * nu * log(0.5 * x));
}

/* nu = n + 1/2: n!/(2n)! sum_i (2n-i)!/((n-i)! i!) (2x)^i, all terms positive. */
static double matern_half_integer(int n, double x) {
    double term = 1, sum = 1;
    for (int i = 0; i < n; i++) {
        term *= 2 * x * (n - i) / ((2.0 * n - i) * (i + 1));
        sum += term;
    }
    return sum;
}

/* ((nu+c)/2)^nu exp(-nu^2/(c+x)) / Gamma(nu), the height of the maximum. For large nu it uses Stirling's
 * series, in which the large terms cancel analytically. gap = c - nu. */
static double matern_height(double nu, double x, double c, double gap) {
    if (nu < 10) return pow(0.5 * (nu + c), nu) * exp(-nu * nu / (c + x)) / tgamma(nu);
    return sqrt(nu / tau) * exp(nu * (log1p(gap / (2 * nu)) + (gap + x) / (c + x)) - orffi_stirling_rest(nu));
}

double orffi_matern_scaled(double nu, double x) {
    if (!(nu > 0) || !(x >= 0)) return NAN;
    const double n = nu - 0.5;
    double value;
    if (n == floor(n) && n < 30) {
        value = matern_half_integer((int)n, x);
    } else if (x < 1e-8) {
        value = x > 0 ? exp(x) * matern_near_zero(nu, x) : 1;
    } else {
        const double c = hypot(x, nu), gap = x * (x / (c + nu));
        value = matern_height(nu, x, c, gap) * peak_integral(nu, c, gap);
    }
    return fmin(value, DBL_MAX);
}

/* Multiplies by the power in two halves, because the power may overflow when the product does not. */
double orffi_bessel_k_scaled(double nu, double x) {
    nu = fabs(nu);
    if (isnan(nu) || !(x >= 0)) return NAN;
    if (x == 0) return INFINITY;
    if (x < 1e-100 && nu > 0) return orffi_matern_scaled(nu, x) * 0.5 * tgamma(nu) * pow(0.5 * x, -nu);
    const double c = hypot(x, nu), gap = x * (x / (c + nu));
    const double half = pow((nu + c) / x, 0.5 * nu);
    return 0.5 * peak_integral(nu, c, gap) * half * exp(-nu * nu / (c + x)) * half;
}
