#include "lattice/lattice.h"

#include <math.h>

#define TWO_PI 6.28318530717958647693

size_t orffi_lattice_modes(const orffi_lattice *l) {
    size_t count = l->m[l->d - 1] + 1;
    for (size_t i = 0; i + 1 < l->d; i++) count *= 2 * l->m[i] + 1;
    return count;
}

size_t orffi_lattice_unknowns(const orffi_lattice *l) {
    size_t count = 1;
    for (size_t i = 0; i < l->d; i++) count *= 2 * l->m[i] + 1;
    return count;
}

size_t orffi_lattice_points(const orffi_lattice *l) {
    size_t count = 1;
    for (size_t i = 0; i < l->d; i++) count *= l->grid[i];
    return count;
}

size_t orffi_lattice_spectrum(const orffi_lattice *l) {
    size_t count = l->grid[l->d - 1] / 2 + 1;
    for (size_t i = 0; i + 1 < l->d; i++) count *= l->grid[i];
    return count;
}

void orffi_lattice_place(const orffi_lattice *l, size_t h, long k[ORFF_LATTICE_INPUTS]) {
    const size_t last = l->d - 1;
    k[last] = (long)(h % (l->m[last] + 1));
    h /= l->m[last] + 1;
    for (size_t i = last; i-- > 0;) {
        k[i] = (long)(h % (2 * l->m[i] + 1)) - (long)l->m[i];
        h /= 2 * l->m[i] + 1;
    }
}

size_t orffi_lattice_find(const orffi_lattice *l, const long k[ORFF_LATTICE_INPUTS]) {
    const size_t last = l->d - 1;
    size_t h = 0;
    for (size_t i = 0; i < last; i++) h = h * (2 * l->m[i] + 1) + (size_t)(k[i] + (long)l->m[i]);
    return h * (l->m[last] + 1) + (size_t)k[last];
}

bool orffi_lattice_is_first(const orffi_lattice *l, const long k[ORFF_LATTICE_INPUTS]) {
    for (size_t i = l->d; i-- > 0;)
        if (k[i]) return k[i] > 0;
    return true;
}

double orffi_lattice_count(const orffi_lattice *l, size_t h) {
    return h % (l->m[l->d - 1] + 1) ? 2.0 : 1.0;
}

void orffi_lattice_frequency(const orffi_lattice *l, const long k[ORFF_LATTICE_INPUTS], double *w) {
    for (size_t i = 0; i < l->d; i++) w[i] = TWO_PI * (double)k[i] / l->period[i];
}

void orffi_lattice_angles(const orffi_lattice *l, size_t n, const double *x, double *z) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < l->d; k++) {
            const double turns = (x[i * l->d + k] - l->center[k]) / l->period[k];
            z[i * l->d + k] = TWO_PI * (isinf(l->inside[k]) ? turns - rint(turns) : turns);
        }
}

bool orffi_lattice_has(const orffi_lattice *l, const double *x) {
    for (size_t i = 0; i < l->d; i++)
        if (!(fabs(x[i] - l->center[i]) <= l->inside[i])) return false;
    return true;
}

double orffi_lattice_dot(const orffi_lattice *l, size_t columns, const orffi_mode *a, const orffi_mode *b) {
    const size_t side = l->m[l->d - 1] + 1, rows = columns * orffi_lattice_modes(l) / side;
    double plane = 0.0, rest = 0.0;
    for (size_t i = 0; i < rows; i++) {
        const double *x = (const double *)(a + i * side), *y = (const double *)(b + i * side);
        plane += x[0] * y[0] + x[1] * y[1];
        for (size_t j = 2; j < 2 * side; j++) rest += x[j] * y[j];
    }
    return plane + 2.0 * rest;
}
