/* Ridge on MNIST with folds. With A = I, and Phi (n x 2D) the features of the images,
 *
 *     (Phi Phi^T + n lambda I) alpha = Y,      W = Phi^T alpha (2D x 9),      f(x) = W^T phi(x)
 *
 * is the same f as the normal equations of order 2D give; the smaller form is taken. Phi Phi^T is formed once: the folds are its
 * diagonal blocks, and each lambda costs their Cholesky factorisations only. The exact kernel has K in its place. Of Phi
 * only products are taken, in single precision: their errors are far below the penalties n lambda. */
#define _DEFAULT_SOURCE /* what the cblas.h of BLIS needs of pthread.h */
#include "halves.h"

#include <cblas.h>
#include <stdlib.h>

enum { ROWS = 500, COLUMNS = 2048 }; /* of test images, and of features, at once */

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
    const size_t length = length_of(h);
    orff_moments *moments;
    h->S[half] = paper_alloc(length * length, sizeof(double));
    h->R[half] = paper_alloc(length * PAPER_CODES, sizeof(double));
    paper_must(orff_moments_create(&moments, h->features, &settings), "moments");
    paper_must(orff_moments_accumulate(moments, h->n / 2, images_of(h, half), codes_of(h, half), NULL),
               "moments");
    paper_must(orff_moments_totals(moments, h->S[half], h->R[half], NULL, NULL, NULL), "moments");
    orff_moments_free(moments);
}

/* phi of m images (m x 2D) in single precision. */
static void phi_of(const mnist_halves *h, size_t m, const double *X, float *phi) {
    const size_t length = length_of(h);
    float *single = paper_alloc(ROWS * PAPER_PIXELS, sizeof *single);
    for (size_t i = 0; i < m; i += ROWS) {
        const size_t rows = m - i < ROWS ? m - i : ROWS;
        for (size_t e = 0; e < rows * PAPER_PIXELS; e++) single[e] = (float)X[i * PAPER_PIXELS + e];
        paper_must(orff_features_phi_single(h->features, rows, single, phi + i * length), "phi");
    }
    free(single);
}

/* Products of single precision, summed over pieces of the features in double. The upper triangle too, as the kernel's has:
 * blocks beside the diagonal are read whole. */
static void gram_of_features(mnist_halves *h) {
    const size_t n = h->n, length = length_of(h);
    float *piece = paper_alloc(n * n, sizeof *piece);
    h->phi = paper_alloc(n * length, sizeof *h->phi);
    phi_of(h, n, h->mnist->train.X, h->phi);
    for (size_t c = 0; c < length; c += COLUMNS) {
        cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n,
                    (int)(length - c < COLUMNS ? length - c : COLUMNS), 1.0f, h->phi + c, (int)length, 0.0f,
                    piece, (int)n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) h->gram[i * n + j] += (double)piece[i * n + j];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) h->gram[j * n + i] = h->gram[i * n + j];
    free(piece);
}

/* K (m x n) of m images and the training images: A = I, so that all nine codes have the same. */
static void kernel_of(const mnist_halves *h, size_t m, const double *X, double *K) {
    paper_gaussian_matrix(PAPER_PIXELS, PAPER_MNIST_SIGMA, m, X, h->n, h->mnist->train.X, K);
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
        free(h->S[half]);
        free(h->R[half]);
    }
    orff_features_free(h->features);
    free(h->phi);
    free(h->gram);
}

/* ---- solutions and predictions */

/* The coefficients, W (2D x 9) of moments or alpha (m x 9) of m images; free() them. */
static double *solve(const paper_direct *d, double penalty) {
    double *X = paper_alloc(d->n * PAPER_CODES, sizeof *X);
    if (!paper_direct_solve(d, penalty, X)) paper_fatal("a penalty of %g is below rounding", penalty);
    return X;
}

static double *solve_gram(const mnist_halves *h, size_t first, size_t m, double lambda) {
    return solve(&(paper_direct){m, PAPER_CODES, h->n, h->gram + first * h->n + first,
                                 h->mnist->Y + first * PAPER_CODES},
                 (double)m * lambda);
}

/* C (m x 9) = A (m x k) B (k x 9). */
static void multiply(size_t m, size_t k, const double *A, size_t step, const double *B, double *C) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, PAPER_CODES, (int)k, 1.0, A, (int)step, B,
                PAPER_CODES, 0.0, C, PAPER_CODES);
}

/* W (2D x 9) = Phi^T alpha; free() it. */
static float *coefficients_of(const mnist_halves *h, const double *alpha) {
    const size_t length = length_of(h), n = h->n;
    float *W = paper_alloc(length * PAPER_CODES, sizeof *W), *a = paper_alloc(n * PAPER_CODES, sizeof *a);
    for (size_t i = 0; i < n * PAPER_CODES; i++) a[i] = (float)alpha[i];
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)length, PAPER_CODES, (int)n, 1.0f, h->phi,
                (int)length, a, PAPER_CODES, 0.0f, W, PAPER_CODES);
    free(a);
    return W;
}

/* F (m x 9) = phi(X) W. */
static void predict_by_features(const mnist_halves *h, const float *W, size_t m, const double *X, double *F) {
    const size_t length = length_of(h);
    float *phi = paper_alloc(ROWS * length, sizeof *phi), *f = paper_alloc(ROWS * PAPER_CODES, sizeof *f);
    for (size_t i = 0; i < m; i += ROWS) {
        const size_t rows = m - i < ROWS ? m - i : ROWS;
        phi_of(h, rows, X + i * PAPER_PIXELS, phi);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, PAPER_CODES, (int)length, 1.0f, phi,
                    (int)length, W, PAPER_CODES, 0.0f, f, PAPER_CODES);
        for (size_t e = 0; e < rows * PAPER_CODES; e++) F[i * PAPER_CODES + e] = (double)f[e];
    }
    free(phi);
    free(f);
}

static void predict_by_kernel(const mnist_halves *h, const double *alpha, size_t m, const double *X,
                              double *F) {
    double *block = paper_alloc(ROWS * h->n, sizeof *block);
    for (size_t i = 0; i < m; i += ROWS) {
        const size_t rows = m - i < ROWS ? m - i : ROWS;
        kernel_of(h, rows, X + i * PAPER_PIXELS, block);
        multiply(rows, h->n, block, h->n, alpha, F + i * PAPER_CODES);
    }
    free(block);
}

/* ---- what is asked */

/* sum |Y - Phi W|^2 of a half = <Y,Y> - 2 <W,R> + <W,S W>, from its moments. */
static double squares_by_moments(const mnist_halves *h, size_t half, const double *W) {
    const size_t length = length_of(h), entries = length * PAPER_CODES, codes = h->n / 2 * PAPER_CODES;
    double *SW = paper_alloc(entries, sizeof *SW);
    multiply(length, length, h->S[half], length, W, SW);
    const double sum = cblas_ddot((int)codes, codes_of(h, half), 1, codes_of(h, half), 1) -
                       2.0 * cblas_ddot((int)entries, W, 1, h->R[half], 1) +
                       cblas_ddot((int)entries, W, 1, SW, 1);
    free(SW);
    return sum;
}

static double squares_by_gram(const mnist_halves *h, size_t half, const double *alpha) {
    const size_t m = h->n / 2;
    double *F = paper_alloc(m * PAPER_CODES, sizeof *F);
    multiply(m, m, h->gram + half * m * h->n + (1 - half) * m, h->n, alpha, F);
    const double sum = (double)(m * PAPER_CODES) * paper_mse(m * PAPER_CODES, F, codes_of(h, half));
    free(F);
    return sum;
}

double mnist_halves_validate(const mnist_halves *h, double lambda) {
    const size_t m = h->n / 2;
    double sum = 0.0;
    for (size_t from = 0; from < 2; from++) {
        const size_t to = 1 - from, length = h->gram ? 0 : length_of(h);
        double *X = h->gram ? solve_gram(h, from * m, m, lambda)
                            : solve(&(paper_direct){length, PAPER_CODES, length, h->S[from], h->R[from]},
                                    (double)m * lambda);
        sum += h->gram ? squares_by_gram(h, to, X) : squares_by_moments(h, to, X);
        free(X);
    }
    return sum / (double)(h->n * PAPER_CODES);
}

/* W from the moments of both halves; the sum takes the place of the first one's. free() it. */
static float *coefficients_of_sum(mnist_halves *h, double lambda) {
    const size_t length = length_of(h), entries = length * PAPER_CODES;
    cblas_daxpy((int)(length * length), 1.0, h->S[1], 1, h->S[0], 1);
    cblas_daxpy((int)entries, 1.0, h->R[1], 1, h->R[0], 1);
    double *W = solve(&(paper_direct){length, PAPER_CODES, length, h->S[0], h->R[0]}, (double)h->n * lambda);
    float *single = paper_alloc(entries, sizeof *single);
    for (size_t i = 0; i < entries; i++) single[i] = (float)W[i];
    free(W);
    return single;
}

double mnist_halves_test(mnist_halves *h, double lambda) {
    const paper_images *test = &h->mnist->test;
    double *F = paper_alloc(test->n * PAPER_CODES, sizeof *F),
           *alpha = h->gram ? solve_gram(h, 0, h->n, lambda) : NULL;
    if (h->features) {
        float *W = alpha ? coefficients_of(h, alpha) : coefficients_of_sum(h, lambda);
        predict_by_features(h, W, test->n, test->X, F);
        free(W);
    } else {
        predict_by_kernel(h, alpha, test->n, test->X, F);
    }
    const double wrong = paper_mnist_wrong(test, F);
    free(alpha);
    free(F);
    return wrong;
}
