/* The data of one run of the low-rank table. */
#include <math.h>
#include <stdlib.h>

#include "world.h"

static sample sample_alloc(size_t n) {
    return (sample){n, paper_alloc(n * SIZE, sizeof(double)), paper_alloc(n * TWICE, sizeof(double))};
}

static void sample_free(sample *s) {
    free(s->X);
    free(s->Y);
}

static double median_distance(const sample *s) {
    enum { SOME = 300 };
    const size_t n = s->n < SOME ? s->n : SOME;
    double *distances = paper_alloc(n * n, sizeof *distances);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double square = 0.0;
            for (size_t k = 0; k < SIZE; k++) square += pow(s->X[i * SIZE + k] - s->X[j * SIZE + k], 2);
            distances[count++] = sqrt(square);
        }
    const double median = paper_quantile(count, distances, 0.5);
    free(distances);
    return median;
}

/* s G with |s^2 G G^T| = root of the mean variance of an entry. */
static void draw_noise_factor(paper_random *random, double variance, double *G) {
    double *GG = paper_alloc(SIZE * SIZE, sizeof *GG);
    for (size_t i = 0; i < SIZE * SIZE; i++) G[i] = paper_normal(random);
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < SIZE; j++)
            for (size_t k = 0; k < SIZE; k++) GG[i * SIZE + j] += G[i * SIZE + k] * G[j * SIZE + k];
    const double scale = sqrt(sqrt(variance) / paper_spectral_norm(SIZE, GG));
    for (size_t i = 0; i < SIZE * SIZE; i++) G[i] *= scale;
    free(GG);
}

/* The noisy outputs from the clean ones; returns the sum of squares of the noise. */
static double add_noise(paper_random *random, const double *G, sample *s) {
    double square = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        double z[SIZE], *y = s->Y + i * TWICE;
        for (size_t k = 0; k < SIZE; k++) z[k] = paper_normal(random);
        for (size_t k = 0; k < SIZE; k++) {
            double e = 0.0;
            for (size_t l = 0; l < SIZE; l++) e += G[k * SIZE + l] * z[l];
            y[SIZE + k] = y[k] + e;
            square += e * e;
        }
    }
    return square;
}

/* y = b times the scalar model with these features and coefficients. */
static void clean_outputs(const world *w, const orff_features *scalar, const double *theta, sample *s) {
    double *f = paper_alloc(s->n, sizeof *f);
    paper_must(orff_features_apply(scalar, s->n, s->X, theta, f), "outputs");
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < SIZE; k++) s->Y[i * TWICE + k] = w->b[k] * f[i];
    free(f);
}

static void draw_b(paper_random *random, double *b) {
    double square = 0.0;
    for (size_t k = 0; k < SIZE; k++) {
        b[k] = paper_normal(random);
        square += b[k] * b[k];
    }
    for (size_t k = 0; k < SIZE; k++) b[k] /= sqrt(square);
}

static void make_kernels(world *w) {
    orff_part part = orff_part_default();
    part.sigma = w->sigma;
    orff_kernel_free(w->separate);
    orff_kernel_free(w->scalar);
    paper_must(orff_kernel_create(&w->separate, SIZE, TWICE, 1, &part), "kernel");
    paper_must(orff_kernel_create(&w->scalar, SIZE, 1, 1, &part), "kernel");
}

/* The clean outputs of the three samples. */
static void generate(world *w, paper_random *random, sample *const samples[3], uint64_t number) {
    orff_features *features =
        paper_features(w->scalar, ORFF_SCHEME_IID, ORFF_SWITCH_NO, w->generator, SEED + 1000 + number);
    double *theta = paper_alloc(2 * w->generator, sizeof *theta);
    paper_fill_uniform(random, -1.0, 1.0, 2 * w->generator, theta);
    for (size_t i = 0; i < 3; i++) clean_outputs(w, features, theta, samples[i]);
    orff_features_free(features);
    free(theta);
}

/* Mean over outputs of the variance of a clean entry; sets the root mean square too. */
static double entry_variance(world *w) {
    const sample *t = &w->test;
    double square = 0.0, mean[SIZE] = {0};
    for (size_t i = 0; i < t->n * SIZE; i++) {
        const double y = t->Y[i / SIZE * TWICE + i % SIZE];
        mean[i % SIZE] += y / (double)t->n;
        square += y * y / (double)(t->n * SIZE);
    }
    w->signal_rms = sqrt(square);
    for (size_t k = 0; k < SIZE; k++) square -= mean[k] * mean[k] / SIZE;
    return square;
}

void world_draw(world *w, uint64_t number, size_t rows) {
    const size_t room = w->train.n;
    paper_random random = paper_random_start(SEED, number);
    sample *const samples[3] = {&w->train, &w->validate, &w->test};
    double G[SIZE * SIZE];
    for (size_t i = 0; i < 3; i++)
        paper_fill_uniform(&random, -1.0, 1.0, samples[i]->n * SIZE, samples[i]->X);
    w->train.n = rows;
    w->sigma = median_distance(&w->train);
    draw_b(&random, w->b);
    make_kernels(w);
    generate(w, &random, samples, number);
    draw_noise_factor(&random, entry_variance(w), G);
    for (size_t i = 1; i < 3; i++) add_noise(&random, G, samples[i]);
    w->noise_rms = sqrt(add_noise(&random, G, &w->train) / (double)(w->train.n * SIZE));
    w->train.n = room;
}

world world_alloc(size_t generator, size_t train, size_t validate, size_t test) {
    return (world){.generator = generator,
                   .train = sample_alloc(train),
                   .validate = sample_alloc(validate),
                   .test = sample_alloc(test)};
}

void world_free(world *w) {
    sample_free(&w->train);
    sample_free(&w->validate);
    sample_free(&w->test);
    orff_kernel_free(w->scalar);
    orff_kernel_free(w->separate);
}
