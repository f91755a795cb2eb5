#include "exact/amplitudes.h"

#include <math.h>

#define TWO_PI 6.28318530717958647692
#define PI     3.14159265358979323846

/* Lower bound nu = 1: the variances of groups then differ by powers of ten. Upper bound nu = 1000: they agree
 * to 5 %, and 25 groups of some hundred rows cannot distinguish that from equal variances. */
#define LEAST_LOG_NU 0.0
#define MOST_LOG_NU  6.9

/* v lies within these factors of the pooled variance, unless most of the groups hardly vary at all. */
#define LEAST_LOG_V (-14.0)
#define MOST_LOG_V  2.0

#define HALVINGS 40 /* of an interval of length 16: to 1e-11 */
#define SECTIONS 24 /* of an interval of length 7 by the golden ratio: to 1e-4; the maximum is flat */
#define GOLDEN   0.61803398874989484820

static double gaussian(const orffi_amplitude *a, double v) {
    return -0.5 * (a->P * log(TWO_PI * v) + a->Q / v);
}

static double student(const orffi_amplitude *a, double v, double nu) {
    return lgamma(0.5 * (nu + a->P)) - lgamma(0.5 * nu) - 0.5 * a->P * log(PI * nu * v) -
           0.5 * (nu + a->P) * log1p(a->Q / (nu * v));
}

/* Twice the derivative of log p with respect to log v. It decreases with v. */
static double slope(size_t groups, const orffi_amplitude *list, double v, double nu) {
    double sum = 0.0;
    for (size_t g = 0; g < groups; g++) {
        const orffi_amplitude *a = &list[g];
        sum += (a->level ? a->Q / v : (nu + a->P) * a->Q / (nu * v + a->Q)) - a->P;
    }
    return sum;
}

/* Returns log p at this nu with the best v, which goes to *v. */
static double judge(size_t groups, const orffi_amplitude *list, double pooled, double nu, double *v) {
    double low = LEAST_LOG_V, high = MOST_LOG_V, sum = 0.0;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        *(slope(groups, list, pooled * exp(middle), nu) > 0.0 ? &low : &high) = middle;
    }
    *v = pooled * exp(low);
    for (size_t g = 0; g < groups; g++)
        sum += list[g].level ? gaussian(&list[g], *v) : student(&list[g], *v, nu);
    return sum;
}

/* The best nu, by golden-section search. */
static double find_nu(size_t groups, const orffi_amplitude *list, double pooled) {
    double low = LEAST_LOG_NU, high = MOST_LOG_NU, v;
    double left = high - GOLDEN * (high - low), right = low + GOLDEN * (high - low);
    double at_left = judge(groups, list, pooled, exp(left), &v),
           at_right = judge(groups, list, pooled, exp(right), &v);
    for (int i = 0; i < SECTIONS; i++) {
        if (at_left > at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - GOLDEN * (high - low);
            at_left = judge(groups, list, pooled, exp(left), &v);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + GOLDEN * (high - low);
            at_right = judge(groups, list, pooled, exp(right), &v);
        }
    }
    return exp(0.5 * (low + high));
}

double orffi_amplitudes_judge(size_t groups, orffi_amplitude *list, double price) {
    double P = 0.0, Q = 0.0, v, one = 0.0;
    for (size_t g = 0; g < groups; g++) {
        P += list[g].P;
        Q += list[g].Q;
    }
    const double pooled = Q / P;
    for (size_t g = 0; g < groups; g++) {
        list[g].v = pooled;
        one += gaussian(&list[g], pooled);
    }
    if (groups < 2 || !(pooled > 0.0) || isinf(price)) return one;
    const double nu = find_nu(groups, list, pooled), own = judge(groups, list, pooled, nu, &v) - price;
    if (!(own > one)) return one;
    for (size_t g = 0; g < groups; g++)
        list[g].v = list[g].level ? v : (nu * v + list[g].Q) / (nu + list[g].P);
    return own;
}
