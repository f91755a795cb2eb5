#define _DEFAULT_SOURCE /* lgamma_r */
#include "sampling/shape.h"

#include <math.h>

#include "base/special.h"

static size_t count_extras(const orffi_spectrum *law, bool importance) {
    if (!law->base->spherical) return importance ? 1 : 0;
    if (!law->base->mixing) return 0;
    return law->space_count < law->dim ? 2 : 1;
}

orff_status orffi_shape_init(orffi_shape *shape, const orffi_spectrum *law, const orffi_recipe *recipe) {
    int sign;
    *shape = (orffi_shape){
        .law = law,
        .importance = recipe->importance,
        .count = recipe->count,
        .extras = count_extras(law, recipe->importance),
        .moment = recipe->importance ? orffi_spectrum_whitened_moment(law) : 1.0,
        .log_gamma = lgamma_r(0.5 * (double)law->space_count + 1.0, &sign),
    };
    if (isfinite(shape->moment)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_DOES_NOT_EXIST,
                      "importance sampling needs a finite E|w|^2; base %s (shape %g) has none",
                      orff_base_name(law->base->id), law->shape);
}

/* y with P(a+1, y) = P(a, x), in log y. log P(a+1, .) is concave there and y = x lies left of the root, so
 * Newton's steps increase to the root without overshoot. log_gamma = log Gamma(a+1). */
static double match_lower(double a, double x, double log_gamma) {
    const double p = orffi_gamma_p(a, x);
    if (p < 1e-280) return exp((a * log(x) + log1p(a)) / (a + 1.0)); /* the leading terms of both sides */
    double y = x;
    for (int i = 0; i < 100; i++) {
        const double cdf = orffi_gamma_p(a + 1.0, y);
        const double slope = exp((a + 1.0) * log(y) - y - log_gamma) / cdf;
        const double step = log(p / cdf) / slope;
        y *= exp(step);
        if (fabs(step) < 1e-14) break;
    }
    return y;
}

/* y with Q(a+1, y) = Q(a, x). log Q(a+1, .) is concave, so after one step to the right of the root Newton's
 * steps decrease to it. */
static double match_upper(double a, double x, double log_gamma) {
    const double q = orffi_gamma_q(a, x);
    if (q < 1e-280) return x;
    double y = x;
    for (int i = 0; i < 100; i++) {
        const double tail = orffi_gamma_q(a + 1.0, y);
        const double slope = exp(a * log(y) - y - log_gamma) / tail;
        const double step = log(tail / q) / slope;
        y += step;
        if (fabs(step) < 1e-14 * y) break;
    }
    return y;
}

/* The norm with the same probability under chi(m+2) as `norm` has under chi(m), computed from the nearer
 * tail. */
static double size_biased_norm(const orffi_shape *shape, double norm) {
    const double a = 0.5 * (double)shape->law->space_count, x = 0.5 * norm * norm;
    const double y =
        orffi_gamma_p(a, x) < 0.5 ? match_lower(a, x, shape->log_gamma) : match_upper(a, x, shape->log_gamma);
    return sqrt(2.0 * y);
}

/* sqrt(tau) of one factor */
static double root_tau(const orffi_spectrum *law, bool biased, const double *u) {
    return law->base->mixing ? sqrt(law->base->mixing(law->shape, biased, *u)) : 1.0;
}

/* q = 1/D; by importance E|z|^2 / (D |z|^2). */
static double weight(const orffi_shape *shape, double z2) {
    return (shape->importance ? shape->moment / z2 : 1.0) / (double)shape->count;
}

double orffi_shape_stretch(const orffi_shape *shape, double norm, const double *extra, double *q) {
    const double root = root_tau(shape->law, shape->importance, extra);
    *q = weight(shape, 1.0);
    if (!shape->importance) return root;
    norm = fmax(norm, 1e-150); /* keeps a point at the origin finite */
    const double biased = size_biased_norm(shape, norm);
    *q = weight(shape, biased * biased * root * root);
    return root * biased / norm;
}

static double norm_over(size_t count, const size_t *inputs, const double *g) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += g[inputs[i]] * g[inputs[i]];
    return sqrt(sum);
}

static void scale_over(const orffi_spectrum *law, size_t count, const size_t *inputs, double stretch,
                       const double *g, double *omega) {
    for (size_t i = 0; i < count; i++) omega[inputs[i]] = stretch * g[inputs[i]] / law->scale[inputs[i]];
}

double orffi_shape_normal(const orffi_shape *shape, const double *g, const double *extra, double *omega) {
    const orffi_spectrum *law = shape->law;
    double q;
    const double norm = norm_over(law->space_count, law->space, g);
    scale_over(law, law->space_count, law->space, orffi_shape_stretch(shape, norm, extra, &q), g, omega);
    if (law->space_count < law->dim)
        scale_over(law, law->dim - law->space_count, law->covariates, root_tau(law, false, extra + 1), g,
                   omega);
    return q;
}

/* Independent coordinates. |z|^2 mu is a mixture over the inputs of the space, in which one coordinate is
 * size-biased. */
static double product(const orffi_shape *shape, const double *u, double *omega) {
    const orffi_spectrum *law = shape->law;
    const size_t m = law->space_count;
    const size_t chosen = shape->importance ? (size_t)(u[law->dim] * (double)m) : m;
    double z2 = 0.0;
    for (size_t i = 0; i < m; i++) {
        const double z = i == chosen ? law->base->biased_quantile(u[i]) : law->base->quantile(u[i]);
        z2 += z * z;
        omega[law->space[i]] = z / law->scale[law->space[i]];
    }
    for (size_t i = m; i < law->dim; i++) {
        const size_t input = law->covariates[i - m];
        omega[input] = law->base->quantile(u[i]) / law->scale[input];
    }
    return weight(shape, z2);
}

double orffi_shape_uniforms(const orffi_shape *shape, const double *u, double *omega) {
    const orffi_spectrum *law = shape->law;
    const size_t m = law->space_count;
    if (!law->base->spherical) return product(shape, u, omega);
    for (size_t i = 0; i < m; i++) omega[law->space[i]] = orffi_normal_quantile(u[i]);
    for (size_t i = m; i < law->dim; i++) omega[law->covariates[i - m]] = orffi_normal_quantile(u[i]);
    return orffi_shape_normal(shape, omega, u + law->dim, omega);
}
