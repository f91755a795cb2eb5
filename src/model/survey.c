#include "model/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/periods.h"
#include "base/random.h"

#define PAIRS       20000
#define PAIR_STREAM 0x3ed1u

static void one_column(size_t n, size_t cols, const double *A, size_t k, double *mean, double *deviation,
                       double *range) {
    double sum = 0.0, square = 0.0, low = A[k], high = A[k];
    for (size_t i = 0; i < n; i++) {
        const double a = A[i * cols + k];
        sum += a;
        low = fmin(low, a);
        high = fmax(high, a);
    }
    const double centre = sum / (double)n;
    for (size_t i = 0; i < n; i++) square += (A[i * cols + k] - centre) * (A[i * cols + k] - centre);
    const double spread = sqrt(square / (double)n);
    if (mean) mean[k] = centre;
    if (deviation) deviation[k] = spread > 0.0 ? spread : 1.0;
    if (range) range[k] = high - low;
}

void orffi_column_statistics(size_t n, size_t cols, const double *A, double *mean, double *deviation,
                             double *range) {
    for (size_t k = 0; k < cols; k++) one_column(n, cols, A, k, mean, deviation, range);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double distance(const double *a, const double *b, size_t count, const size_t *inputs,
                       const double *periods) {
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        const size_t i = inputs[k];
        const double delta = orffi_shortest(periods, i, a[i] - b[i]);
        sum += delta * delta;
    }
    return sqrt(sum);
}

orff_status orffi_median_distance(size_t n, size_t d, const double *X, size_t count, const size_t *inputs,
                                  const double *periods, uint64_t seed, double *median) {
    const orffi_rng rng = {seed, PAIR_STREAM};
    double *distances;
    size_t kept = 0;
    *median = 1.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(distances, PAIRS));
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        const size_t a = orffi_rng_below(rng, pair, 0, n), b = orffi_rng_below(rng, pair, 1, n);
        const double far = distance(X + a * d, X + b * d, count, inputs, periods);
        if (far > 0.0) distances[kept++] = far;
    }
    if (kept) {
        qsort(distances, kept, sizeof *distances, ascending);
        *median = distances[kept / 2];
    }
    orffi_release(distances);
    return ORFF_OK;
}
