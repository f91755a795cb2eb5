/* Complex blocks with Hermitian A(w) = B(w) B(w)^*: how they act on the cosine and the sine of a frequency,
 * and the square root of a Hermitian matrix. Complex matrices are stored as rows of pairs (real,
 * imaginary). */
#include "kernel/hermitian.h"

#include <math.h>

#include "base/linalg.h"
#include "base/memory.h"

void orffi_pair_apply(const orffi_kernel_part *part, const double *B, const double *const t[2],
                      double *const y[2]) {
    const double root = part->root;
    for (size_t i = 0; i < part->p; i++)
        for (size_t k = 0; k < part->columns; k++) {
            const double *b = B + 2 * (i * part->columns + k);
            y[0][i] += root * (b[0] * t[0][k] - b[1] * t[1][k]);
            y[1][i] += root * (b[1] * t[0][k] + b[0] * t[1][k]);
        }
}

void orffi_pair_adjoint(const orffi_kernel_part *part, const double *B, const double *const y[2],
                        double *const t[2]) {
    const double root = part->root;
    for (size_t k = 0; k < part->columns; k++) t[0][k] = t[1][k] = 0.0;
    for (size_t i = 0; i < part->p; i++)
        for (size_t k = 0; k < part->columns; k++) {
            const double *b = B + 2 * (i * part->columns + k);
            t[0][k] += root * (b[0] * y[0][i] + b[1] * y[1][i]);
            t[1][k] += root * (b[0] * y[1][i] - b[1] * y[0][i]);
        }
}

void orffi_hermitian_product(size_t p, size_t columns, const double *B, double *A) {
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) {
            double re = 0.0, im = 0.0;
            for (size_t k = 0; k < columns; k++) {
                const double *b = B + 2 * (i * columns + k), *c = B + 2 * (j * columns + k);
                re += b[0] * c[0] + b[1] * c[1];
                im += b[1] * c[0] - b[0] * c[1];
            }
            A[2 * (i * p + j)] = re;
            A[2 * (i * p + j) + 1] = im;
        }
}

/* The real form [[Re A, -Im A], [Im A, Re A]]   (2p x 2p): symmetric if A is Hermitian, and positive if A
 * is. */
static void fill_real_form(size_t p, const double *A, double *M) {
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) {
            const double *a = A + 2 * (i * p + j);
            M[i * 2 * p + j] = M[(p + i) * 2 * p + p + j] = a[0];
            M[(p + i) * 2 * p + j] = a[1];
            M[i * 2 * p + p + j] = -a[1];
        }
}

/* The square root of the real form is the real form of the square root, whatever basis its double eigenvalues
 * have: the sum of F_k F_k^T / |F_k| over the columns of a factor with orthogonal columns. */
static void fill_root(size_t p, size_t rank, const double *F, double *A) {
    for (size_t i = 0; i < 2 * p * p; i++) A[i] = 0.0;
    for (size_t k = 0; k < rank; k++) {
        double norm2 = 0.0;
        for (size_t i = 0; i < 2 * p; i++) norm2 += F[i * rank + k] * F[i * rank + k];
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < p; j++) {
                const double by = F[j * rank + k] / sqrt(norm2);
                A[2 * (i * p + j)] += F[i * rank + k] * by;
                A[2 * (i * p + j) + 1] += F[(p + i) * rank + k] * by;
            }
    }
}

orff_status orffi_hermitian_root(size_t p, double *A, double *work) {
    double *M = work, *F = work + 4 * p * p;
    size_t rank = 0;
    fill_real_form(p, A, M);
    ORFFI_TRY(orffi_factor_positive(2 * p, M, F, &rank));
    fill_root(p, rank, F, A);
    return ORFF_OK;
}
