/* Functionals of a field, written as sums over points. */
#include <math.h>
#include <string.h>

#include "base/status.h"

#define MOST_NODES 64

/* ---- differences */

/* Writes point number `at`: x moved by `by` along an input, and the weight e for one output. */
static void put(size_t d, size_t p, const double *x, size_t input, double by, size_t output, double e,
                double *points, size_t at) {
    double *point = points + at * (d + p);
    memcpy(point, x, d * sizeof *x);
    memset(point + d, 0, p * sizeof *x);
    point[input] += by;
    point[d + output] = e;
}

/* Writes sign times d f_output / d x_input as two points, starting at `at`. */
static void put_slope(size_t d, size_t p, const double *x, size_t output, size_t input, double step,
                      double sign, double *points, size_t at) {
    put(d, p, x, input, 0.5 * step, output, sign / step, points, at);
    put(d, p, x, input, -0.5 * step, output, -sign / step, points, at + 1);
}

static bool is_step(double step) {
    return step > 0.0 && isfinite(step) && isfinite(1.0 / step);
}

size_t orff_functional_gradient(size_t d, size_t p, const double *x, size_t output, size_t input, double step,
                                double *points) {
    if (!x || output >= p || input >= d || !is_step(step)) return 0;
    if (points) put_slope(d, p, x, output, input, step, 1.0, points, 0);
    return 2;
}

size_t orff_functional_divergence(size_t d, size_t p, const double *x, double step, double *points) {
    if (!x || !p || p > d || !is_step(step)) return 0;
    for (size_t k = 0; points && k < p; k++) put_slope(d, p, x, k, k, step, 1.0, points, 2 * k);
    return 2 * p;
}

size_t orff_functional_vorticity(size_t d, size_t p, const double *x, double step, double *points) {
    if (!x || p != 2 || d < 2 || !is_step(step)) return 0;
    if (points) put_slope(d, p, x, 1, 0, step, 1.0, points, 0);
    if (points) put_slope(d, p, x, 0, 1, step, -1.0, points, 2);
    return 4;
}

/* ---- integrals */

/* The Legendre polynomial of degree n at t, and its derivative. */
static double legendre(size_t n, double t, double *slope) {
    double before = 1.0, here = t;
    for (size_t k = 2; k <= n; k++) {
        const double next = ((double)(2 * k - 1) * t * here - (double)(k - 1) * before) / (double)k;
        before = here;
        here = next;
    }
    *slope = (double)n * (t * here - before) / (t * t - 1.0);
    return here;
}

/* Gauss-Legendre node i of n on [-1, 1], by Newton's method from Tricomi's estimate, and its weight. */
static double node_of(size_t n, size_t i, double *weight) {
    double t = cos(3.14159265358979323846 * ((double)i + 0.75) / ((double)n + 0.5)), slope = 1.0;
    for (int k = 0; k < 10; k++) {
        const double value = legendre(n, t, &slope);
        t -= value / slope;
    }
    legendre(n, t, &slope);
    *weight = 2.0 / ((1.0 - t * t) * slope * slope);
    return t;
}

/* Node i on the segment from a to b, and its share of the segment. */
static double node_on_segment(size_t d, const double *a, const double *b, size_t nodes, size_t i, double *x) {
    double weight, t = node_of(nodes, i, &weight);
    for (size_t k = 0; k < d; k++) x[k] = 0.5 * (a[k] + b[k]) + 0.5 * t * (b[k] - a[k]);
    return 0.5 * weight;
}

size_t orff_functional_circulation(size_t d, size_t p, const double *a, const double *b, size_t nodes,
                                   double *points) {
    if (!a || !b || !p || p > d || !nodes || nodes > MOST_NODES) return 0;
    for (size_t i = 0; points && i < nodes; i++) {
        double *point = points + i * (d + p);
        const double share = node_on_segment(d, a, b, nodes, i, point);
        for (size_t k = 0; k < p; k++) point[d + k] = share * (b[k] - a[k]);
    }
    return nodes;
}

size_t orff_functional_flux(size_t d, size_t p, const double *a, const double *b, size_t nodes,
                            double *points) {
    if (!a || !b || p != 2 || d < 2 || !nodes || nodes > MOST_NODES) return 0;
    for (size_t i = 0; points && i < nodes; i++) {
        double *point = points + i * (d + p);
        const double share = node_on_segment(d, a, b, nodes, i, point);
        point[d] = share * (b[1] - a[1]);
        point[d + 1] = -share * (b[0] - a[0]);
    }
    return nodes;
}
