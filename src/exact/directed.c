#include "exact/directed.h"

#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"

/* For a few numbers: a library call would take longer than the loop. */
static double dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- values that rows see */

double orffi_directed_value(const orffi_directed *rows, size_t p, size_t i, const double *F) {
    const size_t begin = orffi_directed_begin(rows, i), end = orffi_directed_begin(rows, i + 1);
    return dot((end - begin) * p, rows->along + begin * p, F + begin * p);
}

double orffi_directed_constant(const orffi_directed *rows, size_t p, size_t i, const double *constant) {
    double sum = 0.0;
    for (size_t s = orffi_directed_begin(rows, i); s < orffi_directed_begin(rows, i + 1); s++)
        sum += dot(p, rows->along + s * p, constant);
    return sum;
}

/* The sum of the directions over the points of row i. */
static void add_up(const orffi_directed *rows, size_t p, size_t i, double *e) {
    memset(e, 0, p * sizeof *e);
    for (size_t s = orffi_directed_begin(rows, i); s < orffi_directed_begin(rows, i + 1); s++)
        for (size_t k = 0; k < p; k++) e[k] += rows->along[s * p + k];
}

/* Solves A mean = b, with A = sum c e e^T and b = sum c e y. */
orff_status orffi_directed_mean(const orffi_directed *rows, size_t p, const double *weights, const double *y,
                                double *mean) {
    double *A;
    ORFFI_TRY(ORFFI_NEW_ARRAY(A, p * p + 2 * p));
    double *b = A + p * p, *e = b + p;
    for (size_t i = 0; i < rows->n; i++) {
        add_up(rows, p, i, e);
        for (size_t a = 0; a < p; a++) {
            for (size_t k = 0; k < p; k++) A[a * p + k] += weights[i] * e[a] * e[k];
            b[a] += weights[i] * e[a] * y[i];
        }
    }
    const orff_status status = orffi_solve_shortest(p, A, b, mean);
    orffi_release(A);
    return status;
}

/* ---- one point and all rows */

/* The sum of K(z, x_t) e_t over the points of rows 0 .. n-1: out is p x stride, filled from column 0. work: d
 * + 2 p^2. */
static orff_status along_rows(const orff_kernel *kernel, const double *z, const orffi_directed *rows,
                              size_t n, size_t stride, double *work, double *out) {
    const size_t d = kernel->d, p = kernel->p;
    double *K = work + d;
    for (size_t j = 0; j < n; j++) {
        for (size_t a = 0; a < p; a++) out[a * stride + j] = 0.0;
        for (size_t t = orffi_directed_begin(rows, j); t < orffi_directed_begin(rows, j + 1); t++) {
            ORFFI_TRY(orffi_kernel_between(kernel, false, z, rows->X + t * d, K, p, work, K + p * p));
            for (size_t a = 0; a < p; a++) out[a * stride + j] += dot(p, K + a * p, rows->along + t * p);
        }
    }
    return ORFF_OK;
}

static size_t room_of(const orff_kernel *kernel, size_t n) {
    return kernel->d + 2 * kernel->p * kernel->p + kernel->p * n;
}

/* ---- rows and rows */

/* Row i up to the diagonal. */
static orff_status fill_row(const orff_kernel *kernel, const orffi_directed *rows, size_t i, double *work,
                            double *G) {
    const size_t p = kernel->p, d = kernel->d, n = rows->n;
    double *slice = work + d + 2 * p * p;
    memset(G + i * n, 0, (i + 1) * sizeof *G);
    for (size_t s = orffi_directed_begin(rows, i); s < orffi_directed_begin(rows, i + 1); s++) {
        ORFFI_TRY(along_rows(kernel, rows->X + s * d, rows, i + 1, n, work, slice));
        for (size_t j = 0; j <= i; j++)
            for (size_t a = 0; a < p; a++) G[i * n + j] += rows->along[s * p + a] * slice[a * n + j];
    }
    return ORFF_OK;
}

orff_status orffi_directed_gram(const orff_kernel *kernel, const orffi_directed *rows, double *G) {
    const int threads = orffi_thread_count();
    const size_t n = rows->n, room = room_of(kernel, n);
    orff_status outcome = ORFF_OK;
    double *work;
    ORFFI_TRY(orffi_alloc(&work, room, (size_t)threads * sizeof *work));
#pragma omp parallel for num_threads(threads) if (threads > 1 && n > 64) schedule(dynamic, 8)
    for (size_t i = 0; i < n; i++) {
        const orff_status one = fill_row(kernel, rows, i, work + room * (size_t)orffi_thread_index(), G);
        if (one) {
#pragma omp atomic write
            outcome = one;
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) G[i * n + j] = G[j * n + i];
    orffi_release(work);
    return outcome;
}

/* ---- points and rows */

orff_status orffi_directed_cross(const orff_kernel *kernel, size_t m, const double *Z,
                                 const orffi_directed *rows, double *G) {
    const int threads = orffi_thread_count();
    const size_t room = room_of(kernel, 0), p = kernel->p, d = kernel->d, n = rows->n;
    orff_status outcome = ORFF_OK;
    double *work;
    ORFFI_TRY(orffi_alloc(&work, room, (size_t)threads * sizeof *work));
#pragma omp parallel for num_threads(threads) if (threads > 1 && m > 1) schedule(dynamic, 8)
    for (size_t i = 0; i < m; i++) {
        const orff_status one = along_rows(kernel, Z + i * d, rows, n, n,
                                           work + room * (size_t)orffi_thread_index(), G + i * p * n);
        if (one) {
#pragma omp atomic write
            outcome = one;
        }
    }
    orffi_release(work);
    return outcome;
}
