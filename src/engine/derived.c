#include "engine/derived.h"

#include <float.h>
#include <string.h>

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Divides by |w|^2; w = 0 is a constant, which has no potential. */
static void divide(size_t p, const double *w, size_t n, double *out) {
    const double square = dot(p, w, w);
    for (size_t i = 0; i < n; i++) out[i] = square > DBL_MIN ? out[i] / square : 0.0;
}

static void jacobian(size_t d, size_t p, const double *w, const double *v, double *out) {
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < d; k++) out[i * d + k] = v[i] * w[k];
}

static void divergence(size_t d, size_t p, const double *w, const double *v, double *out) {
    (void)d;
    *out = dot(p, w, v);
}

/* w x v */
static void curl(size_t d, size_t p, const double *w, const double *v, double *out) {
    (void)d;
    if (p == 2) {
        *out = w[0] * v[1] - w[1] * v[0];
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        const size_t k = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = w[k] * v[l] - w[l] * v[k];
    }
}

/* grad sin<w,x> <w,v>/|w|^2 = cos<w,x> times the component of v along w. */
static void potential(size_t d, size_t p, const double *w, const double *v, double *out) {
    divergence(d, p, w, v, out);
    divide(p, w, 1, out);
}

/* (-d2, d1) sin<w,x> (w x v)/|w|^2 in the plane, or the curl of sin<w,x> (v x w)/|w|^2 in space, is
 * cos<w,x> times the component of v across w. */
static void stream(size_t d, size_t p, const double *w, const double *v, double *out) {
    curl(d, p, w, v, out);
    for (size_t i = 0; p == 3 && i < 3; i++) out[i] = -out[i];
    divide(p, w, p == 2 ? 1 : 3, out);
}

const orffi_wave_field *orffi_wave_field_find(orff_field field) {
    static const orffi_wave_field fields[] = {[ORFF_FIELD_JACOBIAN] = {1.0, jacobian},
                                              [ORFF_FIELD_DIVERGENCE] = {1.0, divergence},
                                              [ORFF_FIELD_CURL] = {1.0, curl},
                                              [ORFF_FIELD_POTENTIAL] = {-1.0, potential},
                                              [ORFF_FIELD_STREAM] = {-1.0, stream}};
    return &fields[field];
}

/* ---- from Jacobians */

static double slope(const orffi_derived *what, size_t d, const double *J, size_t i, size_t a) {
    return J[i * d + (what->space ? what->space[a] : a)];
}

void orffi_derived_combine(const orffi_derived *what, size_t d, size_t p, const double *J, double *out) {
    if (what->field == ORFF_FIELD_JACOBIAN) {
        memcpy(out, J, p * d * sizeof *out);
    } else if (what->field == ORFF_FIELD_DIVERGENCE) {
        *out = 0.0;
        for (size_t i = 0; i < p; i++) *out += slope(what, d, J, i, i);
    } else if (p == 2) {
        *out = slope(what, d, J, 1, 0) - slope(what, d, J, 0, 1);
    } else {
        for (size_t i = 0; i < 3; i++) {
            const size_t k = (i + 1) % 3, l = (i + 2) % 3;
            out[i] = slope(what, d, J, l, k) - slope(what, d, J, k, l);
        }
    }
}
