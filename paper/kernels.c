/* Gaussian kernels of one part, and their exact and approximate values at many deltas at once. */
#define _DEFAULT_SOURCE /* what the cblas.h of BLIS needs of pthread.h */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "paper.h"

orff_part paper_gaussian_part(orff_rule rule, double sigma) {
    orff_part part = orff_part_default();
    part.rule = rule;
    part.sigma = sigma;
    return part;
}

orff_kernel *paper_gaussian(orff_rule rule, size_t d, double sigma) {
    const orff_part part = paper_gaussian_part(rule, sigma);
    orff_kernel *kernel;
    paper_must(orff_kernel_create(&kernel, d, d, 1, &part), "kernel");
    return kernel;
}

orff_features *paper_features(const orff_kernel *kernel, orff_scheme scheme, orff_switch importance, size_t D,
                              uint64_t seed) {
    orff_sampling sampling = orff_sampling_default();
    sampling.scheme = scheme;
    sampling.importance = importance;
    sampling.features = D;
    sampling.seed = seed;
    orff_features *features;
    paper_must(orff_features_create(&features, kernel, &sampling), "frequencies");
    return features;
}

void paper_exact(const orff_kernel *kernel, size_t n, const double *deltas, double *K) {
    const size_t d = orff_kernel_inputs(kernel), p = orff_kernel_outputs(kernel);
    double *zero = paper_alloc(d, sizeof *zero);
    for (size_t i = 0; i < n; i++)
        paper_must(orff_kernel_eval(kernel, deltas + i * d, zero, K + i * p * p), "K(x,z)");
    free(zero);
}

/* |x|^2 of n points; free() it. */
static double *squares_of(size_t d, size_t n, const double *X) {
    double *squares = paper_alloc(n, sizeof *squares);
    for (size_t i = 0; i < n; i++) squares[i] = cblas_ddot((int)d, X + i * d, 1, X + i * d, 1);
    return squares;
}

/* By |x|^2 - 2 <x,z> + |z|^2, whose rounding is far below sigma^2 where no |x| is many sigmas. */
void paper_gaussian_matrix(size_t d, double sigma, size_t m, const double *X, size_t n, const double *Z,
                           double *K) {
    const double scale = -0.5 / (sigma * sigma);
    double *xx = squares_of(d, m, X), *zz = squares_of(d, n, Z);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)d, -2.0, X, (int)d, Z, (int)d,
                0.0, K, (int)n);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) K[i * n + j] = exp(scale * fmax(K[i * n + j] + xx[i] + zz[j], 0.0));
    free(xx);
    free(zz);
}

double *paper_blocks(const orff_features *features) {
    const orff_features_info info = orff_features_describe(features);
    const size_t D = info.frequencies, p = info.outputs;
    double *blocks = paper_alloc(D * p * p, sizeof *blocks), *B = paper_alloc(p * p, sizeof *B),
           *weights = paper_alloc(D, sizeof *weights);
    paper_must(orff_features_frequencies(features, NULL, weights), "weights");
    for (size_t j = 0; j < D; j++) {
        size_t columns;
        paper_must(orff_features_block(features, j, &columns, NULL), "columns of B");
        if (columns > p) paper_fatal("blocks wider than high are not expected here");
        paper_must(orff_features_block(features, j, &columns, B), "B");
        for (size_t a = 0; a < p; a++)
            for (size_t b = 0; b < p; b++) {
                double sum = 0.0;
                for (size_t c = 0; c < columns; c++) sum += B[a * columns + c] * B[b * columns + c];
                blocks[(j * p + a) * p + b] = sqrt(weights[j]) * sum;
            }
    }
    free(B);
    free(weights);
    return blocks;
}

/* K~(delta) = sum_j q_j cos<w_j,delta> B_j B_j^T; the first half of phi(delta) is sqrt(q_j) cos<w_j,delta>. */
void paper_approximate(const orff_features *features, size_t n, const double *deltas, double *K) {
    enum { ROWS = 256 };
    const orff_features_info info = orff_features_describe(features);
    const size_t D = info.frequencies, d = info.inputs, pp = info.outputs * info.outputs;
    double *blocks = paper_blocks(features), *phi = paper_alloc(ROWS * info.length, sizeof *phi);
    for (size_t first = 0; first < n; first += ROWS) {
        const size_t rows = n - first < ROWS ? n - first : ROWS;
        paper_must(orff_features_phi(features, rows, deltas + first * d, phi), "phi");
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)pp, (int)D, 1.0, phi,
                    (int)info.length, blocks, (int)pp, 0.0, K + first * pp, (int)pp);
    }
    free(blocks);
    free(phi);
}

/* The root of the sum of squares, which no spectral norm exceeds. */
static double frobenius(size_t entries, const double *M) {
    double sum = 0.0;
    for (size_t e = 0; e < entries; e++) sum += M[e] * M[e];
    return sqrt(sum);
}

double paper_largest_error(const orff_features *features, size_t n, const double *deltas, const double *exact,
                           double *mean) {
    const size_t p = orff_features_describe(features).outputs, pp = p * p;
    double *K = paper_alloc(n * pp, sizeof *K), largest = 0.0, sum = 0.0;
    paper_approximate(features, n, deltas, K);
    for (size_t i = 0; i < n; i++) {
        for (size_t e = 0; e < pp; e++) K[i * pp + e] -= exact[i * pp + e];
        if (!mean && frobenius(pp, K + i * pp) <= largest) continue;
        const double norm = paper_spectral_norm(p, K + i * pp);
        largest = fmax(largest, norm);
        sum += norm;
    }
    if (mean) *mean = sum / (double)n;
    free(K);
    return largest;
}

void paper_deltas(paper_random *random, size_t n, size_t d, double *deltas) {
    for (size_t i = 0; i < n * d; i++)
        deltas[i] = paper_uniform(random, -1.0, 1.0) - paper_uniform(random, -1.0, 1.0);
}
