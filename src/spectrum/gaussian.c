/* Gaussian base: k0 = exp(-r^2/2), z ~ N(0, I). */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "spectrum/bases.h"

static double k0(double shape, double r) {
    (void)shape;
    return exp(-0.5 * r * r);
}

static bool many(double shape, size_t n, double *squares, double *g1) {
    (void)shape;
    for (size_t i = 0; i < n; i++) squares[i] *= -0.5;
    orffi_vector_level_here()->exp_many(n, squares);
    if (g1) memcpy(g1, squares, n * sizeof *g1);
    return true;
}

static void slopes(double shape, double r, double *g1, double *g2r2) {
    *g1 = k0(shape, r);
    *g2r2 = *g1 * r * r;
}

static void derivatives(double shape, double r, double t[3]) {
    const double k = k0(shape, r);
    t[0] = -k * r;
    t[1] = k * r * r;
    t[2] = -k * r * r * r;
}

static double mixing_moment(double shape, int k) {
    (void)shape, (void)k;
    return 1.0;
}

static double log_density(double shape, size_t dim, double r) {
    (void)shape;
    return -0.5 * r * r - 0.5 * (double)dim * log(2.0 * ORFFI_PI);
}

const orffi_base_ops orffi_base_gaussian = {
    .id = ORFF_BASE_GAUSSIAN,
    .spherical = true,
    .k0 = k0,
    .many = many,
    .slopes = slopes,
    .derivatives = derivatives,
    .mixing_moment = mixing_moment,
    .log_density = log_density,
};
