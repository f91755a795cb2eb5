/* The incomplete gamma functions and their inverse. */
#define _DEFAULT_SOURCE /* for lgamma_r, because lgamma writes a global */
#include <float.h>
#include <math.h>

#include "base/special.h"

static const double tau = 6.283185307179586;

/* P, Q and the weight x^a exp(-x) / Gamma(a), which is dP / d log x. */
typedef struct incomplete {
    double p, q, weight;
} incomplete;

double orffi_log_gamma(double a) {
    int sign;
    return lgamma_r(a, &sign);
}

/* t - 1 - log t. Near 1 with d = t - 1, r = d/(2+d): log t = 2 atanh(r) and d - 2r = r d. */
static double minus_log(double t, double d) {
    if (fabs(d) > 0.4) return d - log(t);
    const double r = d / (2 + d), r2 = r * r;
    double sum = 0;
    for (int k = 25; k >= 3; k -= 2) sum = sum * r2 + 1.0 / k;
    return r * (d - 2 * r2 * sum);
}

double orffi_stirling_rest(double a) {
    static const double terms[] = {1.0 / 12,    -1.0 / 360, 1.0 / 1260,
                                   -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};
    double sum = 0;
    for (int k = 5; k >= 0; k--) sum = sum / (a * a) + terms[k];
    return sum / a;
}

/* x^a exp(-x) / Gamma(a). Large a: expanded about the maximum x = a, where the three factors would cancel. */
static double gamma_weight(double a, double x) {
    if (a < 10) return pow(x, a) * exp(-x) * a / tgamma(a + 1);
    return sqrt(a / tau) * exp(-a * minus_log(x / a, (x - a) / a) - orffi_stirling_rest(a));
}

/* P = weight/a (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...): for x below about a. */
static double lower_series(double a, double x) {
    double term = 1, sum = 1;
    for (double n = 1; term > 0.1 * DBL_EPSILON * sum; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum / a;
}

/* Q = weight / (x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))): Lentz's evaluation, for x above about a. */
static double upper_fraction(double a, double x) {
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, value = d, ratio = 0;
    for (double n = 1; fabs(ratio - 1) > DBL_EPSILON && n < 1e7; n++) {
        const double numerator = n * (a - n);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        ratio = c * d;
        value *= ratio;
    }
    return value;
}

/* log Gamma(1 + a): corrects the rounding of 1 + a by the slope at 1, minus Euler's constant. */
static double log_gamma_1p(double a) {
    const double sum = 1 + a, lost = a - (sum - 1);
    return orffi_log_gamma(sum) - 0.5772156649015329 * lost;
}

/* Q for a < 1 and small x, where 1 - P cancels:
 *   P = x^a/Gamma(a+1) (1 + a S),   S = sum_n>=1 (-x)^n / (n! (a+n)). */
static double upper_small(double a, double x) {
    double term = 1, sum = 0;
    for (int n = 1; n < 40; n++) {
        term *= -x / n;
        sum += term / (a + n);
    }
    const double log_head = a * log(x) - log_gamma_1p(a);
    return -expm1(log_head) - exp(log_head) * a * sum;
}

static incomplete incomplete_gamma(double a, double x) {
    const double weight = gamma_weight(a, x);
    if (a < 1 && x < 1.5) {
        const double q = upper_small(a, x);
        return (incomplete){q < 0.5 ? 1 - q : weight * lower_series(a, x), q, weight};
    }
    if (x < a + 1) {
        const double p = weight * lower_series(a, x);
        return (incomplete){p, 1 - p, weight};
    }
    const double q = weight * upper_fraction(a, x);
    return (incomplete){1 - q, q, weight};
}

double orffi_gamma_p(double a, double x) {
    if (!(a > 0) || !(x >= 0)) return NAN;
    if (x == 0 || isinf(x)) return x > 0;
    return incomplete_gamma(a, x).p;
}

double orffi_gamma_q(double a, double x) {
    if (!(a > 0) || !(x >= 0)) return NAN;
    if (x == 0 || isinf(x)) return !(x > 0);
    return incomplete_gamma(a, x).q;
}

/* From the first terms of the series, P = x^a/Gamma(a+1) (1 - a x/(a+1) + ...): the lower tail. */
static double start_lower(double a, double u) {
    const double x = exp((log(u) + orffi_log_gamma(a + 1)) / a);
    return x * exp(fmin(x / (a + 1), 1));
}

/* From Q = x^(a-1) exp(-x)/Gamma(a): the upper tail when a < 1. */
static double start_upper(double a, double q) {
    const double x = -log(q) - orffi_log_gamma(a);
    return x > 2 ? x - (1 - a) * log(x) : 0.5;
}

/* Wilson and Hilferty: (x/a)^(1/3) is nearly normal. */
static double start(double a, double u) {
    const double lower = start_lower(a, u);
    if (lower < 0.2 * (a + 1)) return lower;
    if (a < 1) return start_upper(a, 1 - u);
    const double root = 1 - 1 / (9 * a) + orffi_normal_quantile(u) / (3 * sqrt(a));
    return root > 0.3 ? a * root * root * root : lower;
}

/* Halley's step in y = log x for log P(x) = log u, or log Q(x) = log(1-u) in the upper half. Both are concave
 * in y, so Newton's iteration converges from anywhere; the step is limited to twice Newton's. */
static double quantile_step(double a, double x, double u) {
    const incomplete g = incomplete_gamma(a, x);
    const double have = u < 0.5 ? g.p : g.q, want = u < 0.5 ? u : 1 - u;
    const double slope = (u < 0.5 ? g.weight : -g.weight) / have;
    const double newton = log1p((have - want) / want) / slope;
    return -newton / fmax(0.5, 1 - 0.5 * newton * (a - x - slope));
}

double orffi_gamma_quantile(double a, double u) {
    if (!(a > 0) || !(u >= 0) || !(u <= 1)) return NAN;
    if (u == 0) return 0;
    if (u == 1) return INFINITY;
    double x = start(a, u), step = 1;
    for (int i = 0; i < 60 && fabs(step) > 1e-7 && x > 0; i++) {
        step = quantile_step(a, x, u);
        x *= exp(step);
    }
    return x;
}

double orffi_chi_cdf(double dof, double x) {
    return x > 0 ? orffi_gamma_p(0.5 * dof, 0.5 * x * x) : 0;
}

double orffi_chi_quantile(double dof, double u) {
    return sqrt(2 * orffi_gamma_quantile(0.5 * dof, u));
}
