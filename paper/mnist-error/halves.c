/* Ridge on MNIST with folds. With A = I, and Phi (n x 2D) the features of the images,
 *
 *     (Phi Phi^T + n lambda I) alpha = Y,      W = Phi^T alpha (2D x 9),      f(x) = W^T phi(x)
 *
 * is the same f as the normal equations of order 2D give. Here Phi Phi^T is formed once: the folds are its diagonal blocks,
 * and each lambda costs their Cholesky factorisations only. The exact kernel has K in the place of Phi Phi^T. */
#define _DEFAULT_SOURCE /* what the cblas.h of BLIS needs of pthread.h */
#include "halves.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 500 }; /* of test images at once */

static const double *images_of(const mnist_halves *h, size_t half) {
    return h->mnist->train.X + half * (h->n / 2) * PAPER_PIXELS;
}

static const double *codes_of(const mnist_halves *h, size_t half) {
    return h->mnist->Y + half * (h->n / 2) * PAPER_CODES;
}

static size_t length_of(const mnist_halves *h) {
    return orff_features_describe(h->features).length;
}

/* ---- the two forms */

static void sum_half(mnist_halves *h, size_t half) {
    const orff_moments_settings settings = {0};
    paper_must(orff_moments_create(&h->moments[half], h->features, &settings), "moments");
    paper_must(
        orff_moments_accumulate(h->moments[half], h->n / 2, images_of(h, half), codes_of(h, half), NULL),
        "moments");
    paper_must(orff_ridge_create(&h->ridge[half], h->features, h->moments[half], false), "ridge");
}

/* The upper triangle too, as the kernel's has: blocks beside the diagonal are read whole. */
static void gram_of_features(mnist_halves *h) {
    const size_t n = h->n, length = length_of(h);
    h->phi = paper_alloc(n * length, sizeof *h->phi);
    paper_must(orff_features_phi(h->features, n, h->mnist->train.X, h->phi), "phi");
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)length, 1.0, h->phi, (int)length, 0.0,
                h->gram, (int)n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) h->gram[j * n + i] = h->gram[i * n + j];
}

/* |x|^2 of n images; free() it. */
static double *squares_of(size_t n, const double *X) {
    double *squares = paper_alloc(n, sizeof *squares);
    for (size_t i = 0; i < n; i++)
        squares[i] = cblas_ddot(PAPER_PIXELS, X + i * PAPER_PIXELS, 1, X + i * PAPER_PIXELS, 1);
    return squares;
}

/* K (m x n), exp(-|x - z|^2 / (2 sigma^2)) of m images x and the training images z: A = I, so that all nine codes have the same.
 * By |x|^2 - 2 <x,z> + |z|^2, whose rounding is far below sigma^2. */
static void kernel_of(const mnist_halves *h, size_t m, const double *X, double *K) {
    const size_t n = h->n;
    const double *Z = h->mnist->train.X, scale = -0.5 / (PAPER_MNIST_SIGMA * PAPER_MNIST_SIGMA);
    double *xx = squares_of(m, X), *zz = squares_of(n, Z);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, PAPER_PIXELS, -2.0, X, PAPER_PIXELS,
                Z, PAPER_PIXELS, 0.0, K, (int)n);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) K[i * n + j] = exp(scale * fmax(K[i * n + j] + xx[i] + zz[j], 0.0));
    free(xx);
    free(zz);
}

mnist_halves mnist_halves_create(const paper_mnist *mnist, size_t n, size_t D, uint64_t seed) {
    mnist_halves h = {.mnist = mnist, .n = n};
    if (D) h.features = paper_features(mnist->kernel, ORFF_SCHEME_IID, ORFF_SWITCH_NO, D, seed);
    if (D && 2 * D <= n / 2) {
        sum_half(&h, 0);
        sum_half(&h, 1);
        return h;
    }
    h.gram = paper_alloc(n * n, sizeof *h.gram);
    if (D)
        gram_of_features(&h);
    else
        kernel_of(&h, n, mnist->train.X, h.gram);
    return h;
}

void mnist_halves_free(mnist_halves *h) {
    for (size_t half = 0; half < 2; half++) {
        orff_ridge_free(h->ridge[half]);
        orff_moments_free(h->moments[half]);
    }
    orff_features_free(h->features);
    free(h->phi);
    free(h->gram);
}

/* ---- by moments */

/* F (m x 9) of m images from the moments of a ridge problem. */
static void predict_by_moments(const mnist_halves *h, orff_ridge *ridge, double lambda, size_t m,
                               const double *X, double *F) {
    double *theta = paper_alloc(orff_features_describe(h->features).parameters, sizeof *theta);
    paper_must(orff_ridge_solve(ridge, lambda, theta, NULL, NULL), "ridge");
    paper_must(orff_features_apply(h->features, m, X, theta, F), "prediction");
    free(theta);
}

/* ---- by the Gram matrix */

/* alpha (m x 9) of m images from `first` on. The Gram matrix of all is factored in its place: it is not there twice. */
static double *solve(const mnist_halves *h, size_t first, size_t m, double lambda) {
    const size_t n = h->n;
    double *copy = m < n ? paper_alloc(m * m, sizeof *copy) : NULL, *L = copy ? copy : h->gram,
           *alpha = paper_alloc(m * PAPER_CODES, sizeof *alpha);
    for (size_t i = 0; i < m; i++) {
        if (copy) memcpy(L + i * m, h->gram + (first + i) * n + first, m * sizeof *L);
        L[i * m + i] += (double)m * lambda;
    }
    memcpy(alpha, h->mnist->Y + first * PAPER_CODES, m * PAPER_CODES * sizeof *alpha);
    /* Lower and row-major is upper and column-major. */
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)m, L, (lapack_int)m))
        paper_fatal("lambda = %g is too small for a Gram matrix of %zu images", lambda, m);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)m, PAPER_CODES, 1.0, L,
                (int)m, alpha, PAPER_CODES);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)m, PAPER_CODES, 1.0, L,
                (int)m, alpha, PAPER_CODES);
    free(copy);
    return alpha;
}

/* C (m x 9) = A (m x k) B (k x 9), or A^T (k x m) B. */
static void multiply(bool turned, size_t m, size_t k, const double *A, size_t step, const double *B,
                     double *C) {
    cblas_dgemm(CblasRowMajor, turned ? CblasTrans : CblasNoTrans, CblasNoTrans, (int)m, PAPER_CODES, (int)k,
                1.0, A, (int)step, B, PAPER_CODES, 0.0, C, PAPER_CODES);
}

/* F = phi(X) Phi^T alpha, or K(X, images) alpha: blocks of as many columns as phi or the images have. */
static void predict_by_gram(const mnist_halves *h, const double *alpha, size_t m, const double *X,
                            double *F) {
    const size_t columns = h->features ? length_of(h) : h->n;
    double *block = paper_alloc(ROWS * columns, sizeof *block),
           *W = paper_alloc(columns * PAPER_CODES, sizeof *W);
    if (h->features) multiply(true, columns, h->n, h->phi, columns, alpha, W);
    for (size_t i = 0; i < m; i += ROWS) {
        const size_t rows = m - i < ROWS ? m - i : ROWS;
        const double *x = X + i * PAPER_PIXELS;
        if (h->features)
            paper_must(orff_features_phi(h->features, rows, x, block), "phi");
        else
            kernel_of(h, rows, x, block);
        multiply(false, rows, columns, block, columns, h->features ? W : alpha, F + i * PAPER_CODES);
    }
    free(block);
    free(W);
}

/* ---- what is asked */

double mnist_halves_validate(const mnist_halves *h, double lambda) {
    const size_t half = h->n / 2;
    double *F = paper_alloc(half * PAPER_CODES, sizeof *F), mse = 0.0;
    for (size_t from = 0; from < 2; from++) {
        const size_t to = 1 - from;
        if (h->gram) {
            double *alpha = solve(h, from * half, half, lambda);
            multiply(false, half, half, h->gram + to * half * h->n + from * half, h->n, alpha, F);
            free(alpha);
        } else {
            predict_by_moments(h, h->ridge[from], lambda, half, images_of(h, to), F);
        }
        mse += paper_mse(half * PAPER_CODES, F, codes_of(h, to)) / 2.0;
    }
    free(F);
    return mse;
}

/* The sum of both halves takes the place of the first one's moments. */
static void predict_by_sum(mnist_halves *h, double lambda, double *F) {
    orff_ridge *whole;
    orff_ridge_free(h->ridge[0]);
    h->ridge[0] = NULL;
    paper_must(orff_moments_add(h->moments[0], h->moments[1]), "moments");
    paper_must(orff_ridge_create(&whole, h->features, h->moments[0], false), "ridge");
    predict_by_moments(h, whole, lambda, h->mnist->test.n, h->mnist->test.X, F);
    orff_ridge_free(whole);
}

double mnist_halves_test(mnist_halves *h, double lambda) {
    const paper_images *test = &h->mnist->test;
    double *F = paper_alloc(test->n * PAPER_CODES, sizeof *F);
    if (h->gram) {
        double *alpha = solve(h, 0, h->n, lambda);
        predict_by_gram(h, alpha, test->n, test->X, F);
        free(alpha);
    } else {
        predict_by_sum(h, lambda, F);
    }
    const double wrong = paper_mnist_wrong(test, F);
    free(F);
    return wrong;
}
