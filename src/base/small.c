#include "base/small.h"

#include <math.h>

/* Several sums at once: the processor need not wait for one addition after the other. */
static double dot(size_t n, const double *a, const double *b) {
    double s[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++) s[k] += a[i + k] * b[i + k];
    for (; i < n; i++) s[0] += a[i] * b[i];
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

/* Row after row: both factors of every sum lie close in memory. */
bool orffi_small_cholesky(size_t n, double *A, size_t stride) {
    for (size_t j = 0; j < n; j++) {
        double *row = A + j * stride;
        for (size_t i = 0; i < j; i++) {
            const double *other = A + i * stride;
            row[i] = (row[i] - dot(i, row, other)) / other[i];
        }
        const double pivot = row[j] - dot(j, row, row);
        if (!(pivot > 0.0)) return false;
        row[j] = sqrt(pivot);
    }
    return true;
}

void orffi_small_solve_lower(size_t n, const double *L, size_t stride, double *b) {
    for (size_t i = 0; i < n; i++) b[i] = (b[i] - dot(i, L + i * stride, b)) / L[i * stride + i];
}

void orffi_small_solve_upper(size_t n, const double *L, size_t stride, double *b) {
    for (size_t i = n; i-- > 0;) {
        b[i] /= L[i * stride + i];
        for (size_t k = 0; k < i; k++) b[k] -= L[i * stride + k] * b[i];
    }
}
