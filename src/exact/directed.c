#include "exact/directed.h"

#include "base/memory.h"
#include "base/threads.h"

/* ---- one point and all rows */

/* K(z, x_j) e_j for rows 0 .. n-1: out is p x stride, from column 0 on. work: d + p^2. */
static orff_status along_rows(const orff_kernel *kernel, const double *z, size_t n, const double *X,
                              const double *along, size_t stride, double *work, double *out) {
    const size_t d = kernel->d, p = kernel->p;
    double *K = work + d;
    for (size_t j = 0; j < n; j++) {
        ORFFI_TRY(orffi_kernel_between(kernel, false, z, X + j * d, K, p, work, K + p * p));
        for (size_t a = 0; a < p; a++) {
            double sum = 0.0;
            for (size_t b = 0; b < p; b++) sum += K[a * p + b] * along[j * p + b];
            out[a * stride + j] = sum;
        }
    }
    return ORFF_OK;
}

static size_t room_of(const orff_kernel *kernel, size_t n) {
    return kernel->d + 2 * kernel->p * kernel->p + kernel->p * n;
}

/* ---- rows and rows */

/* Row i up to the diagonal. */
static orff_status fill_row(const orff_kernel *kernel, size_t i, size_t n, const double *X,
                            const double *along, double *work, double *G) {
    const size_t p = kernel->p, d = kernel->d;
    double *slice = work + d + 2 * p * p;
    ORFFI_TRY(along_rows(kernel, X + i * d, i + 1, X, along, n, work, slice));
    for (size_t j = 0; j <= i; j++) {
        double sum = 0.0;
        for (size_t a = 0; a < p; a++) sum += along[i * p + a] * slice[a * n + j];
        G[i * n + j] = sum;
    }
    return ORFF_OK;
}

orff_status orffi_directed_gram(const orff_kernel *kernel, size_t n, const double *X, const double *along,
                                double *G) {
    const int threads = orffi_thread_count();
    const size_t room = room_of(kernel, n);
    orff_status outcome = ORFF_OK;
    double *work;
    ORFFI_TRY(orffi_alloc(&work, room, (size_t)threads * sizeof *work));
#pragma omp parallel for num_threads(threads) if (threads > 1 && n > 64) schedule(dynamic, 8)
    for (size_t i = 0; i < n; i++) {
        const orff_status one =
            fill_row(kernel, i, n, X, along, work + room * (size_t)orffi_thread_index(), G);
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

orff_status orffi_directed_cross(const orff_kernel *kernel, size_t m, const double *Z, size_t n,
                                 const double *X, const double *along, double *G) {
    const int threads = orffi_thread_count();
    const size_t room = room_of(kernel, 0), p = kernel->p, d = kernel->d;
    orff_status outcome = ORFF_OK;
    double *work;
    ORFFI_TRY(orffi_alloc(&work, room, (size_t)threads * sizeof *work));
#pragma omp parallel for num_threads(threads) if (threads > 1 && m > 1) schedule(dynamic, 8)
    for (size_t i = 0; i < m; i++) {
        const orff_status one = along_rows(kernel, Z + i * d, n, X, along, n,
                                           work + room * (size_t)orffi_thread_index(), G + i * p * n);
        if (one) {
#pragma omp atomic write
            outcome = one;
        }
    }
    orffi_release(work);
    return outcome;
}
