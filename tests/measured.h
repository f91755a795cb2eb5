/* Measurements of every kind of one field: whole, with outputs that are missing, and along directions.
 *
 * Who includes it says how many: enum { N, NEW, D, P }, rows, new points, inputs, and two outputs. */
#ifndef ORFF_TESTS_MEASURED_H
#define ORFF_TESTS_MEASURED_H

#include <math.h>
#include <string.h>

typedef struct measured {
    double X[N * D], whole[N * P], Y[N * P], along[N * P], y[N], weights[N], Z[NEW * D];
} measured;

/* Row i, of which X and whole are there. */
static inline void measured_observe(measured *m, size_t i) {
    const double angle = 1.7 * (double)(i * i % 97);
    m->along[i * P] = cos(angle) * (1.0 + 0.5 * (double)(i % 3));
    m->along[i * P + 1] = sin(angle) * (1.0 + 0.5 * (double)(i % 3));
    m->y[i] = m->along[i * P] * m->whole[i * P] + m->along[i * P + 1] * m->whole[i * P + 1];
    m->weights[i] = 0.5 + (double)(i % 4);
    for (size_t k = 0; k < P; k++) m->Y[i * P + k] = (i + k) % 3 == 0 ? (double)NAN : m->whole[i * P + k];
}

#endif
