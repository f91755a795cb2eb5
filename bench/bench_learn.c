/* Learning, timed: one measurement a run, so that the peak memory of the process is that of the measurement.
 *
 *   bench_learn machine
 *   bench_learn syrk   double|single                  GFLOP/s of S += phi^T phi on a 4096 x 2000 block
 *   bench_learn attained double|single                GFLOP/s of the same by processor time, and of fits between: the share
 *   bench_learn files  DIR N D double|single SIGMA LAMBDA SCHEME    rows of DIR/{X,Y}.bin (d = p = 20), test rows after them
 *   bench_learn curl   N D SIGMA LAMBDA               curl-free field in 5 dimensions
 *   bench_learn dec    N D SIGMA LAMBDA               R^20 -> R^4
 *   bench_learn stream N D double|single              rows made as they are read
 *   bench_learn exact  N SIGMA LAMBDA                 exact divergence-free ridge in 2 dimensions, and features beside it
 *
 * prints one line of numbers; bench/run_learn.sh says what they are.
 */
#define _DEFAULT_SOURCE /* clock_gettime, getrusage */
#include <cblas.h>
#include <math.h>
#include <orff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "harness.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of all threads: what others do on the machine does not count. */
static double processor_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

static void check(orff_status status) {
    if (!status) return;
    fprintf(stderr, "bench_learn: %s: %s\n", orff_status_text(status), orff_error_message());
    exit(1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "bench_learn: not enough memory\n");
        exit(1);
    }
    return memory;
}

/* A small generator, so that data does not depend on the C library. */
static uint64_t state = 88172645463325252u;
static double uniform(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

static double normal(void) {
    return sqrt(-2.0 * log(1.0 - uniform())) * cos(6.283185307179586 * uniform());
}

/* ---- the machine's own rate */

static int syrk(const char *precision) {
    enum { ROWS = 4096, L = 2000, ROUNDS = 9 };
    const bool single = strcmp(precision, "single") == 0;
    double *A = allocate((size_t)ROWS * L, sizeof *A), *C = allocate((size_t)L * L, sizeof *C),
           seconds[ROUNDS];
    float *a = (float *)A, *c = (float *)C;
    for (size_t i = 0; i < (size_t)ROWS * L; i++) {
        if (single)
            a[i] = (float)uniform();
        else
            A[i] = uniform();
    }
    for (int round = -1; round < ROUNDS; round++) {
        const double start = now();
        if (single)
            cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, L, ROWS, 1, a, L, 0, c, L);
        else
            cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, L, ROWS, 1, A, L, 0, C, L);
        if (round >= 0) seconds[round] = now() - start;
    }
    const bench_summary s = bench_summarise(ROUNDS, seconds);
    printf("%.2f %.2f\n", 1e-9 * ROWS * (double)L * L / s.median, 1e-9 * ROWS * (double)L * L / s.minimum);
    free(A);
    free(C);
    return 0;
}

/* ---- fits */

static orff_settings settings_of(const orff_part *part, size_t D, double lambda, bool single) {
    orff_settings s = orff_settings_default();
    s.n_parts = 1;
    s.parts = part;
    s.sampling.features = D;
    s.lambda = lambda;
    s.single = single;
    s.scale_inputs = ORFF_SWITCH_NO;
    s.posterior = ORFF_SWITCH_NO;
    return s;
}

/* Mean square error and variance over n x p numbers. */
static void errors(size_t n, size_t p, const double *F, const double *Y, double *mse, double *variance) {
    double error = 0.0, sum = 0.0, square = 0.0;
    for (size_t i = 0; i < n * p; i++) {
        error += (F[i] - Y[i]) * (F[i] - Y[i]);
        sum += Y[i];
        square += Y[i] * Y[i];
    }
    const double count = (double)(n * p);
    *mse = error / count;
    *variance = square / count - sum / count * (sum / count);
}

static double *read_doubles(const char *directory, const char *name, size_t count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    double *numbers = allocate(count, sizeof *numbers);
    if (!file || fread(numbers, sizeof *numbers, count, file) != count) {
        fprintf(stderr, "bench_learn: %s does not hold %zu numbers\n", path, count);
        exit(1);
    }
    fclose(file);
    return numbers;
}

/* seconds to fit, seconds to predict 100 000 rows, rmse on the last 10 000 rows, peak memory above the
 * data, MB */
static int files(char **v) {
    const size_t n = strtoul(v[1], NULL, 10), d = 20, p = 20, test = 10000, many = 100000;
    const bool single = strcmp(v[3], "single") == 0;
    double *X = read_doubles(v[0], "X.bin", (n + test) * d), *Y = read_doubles(v[0], "Y.bin", (n + test) * p);
    orff_part part = orff_part_default();
    part.sigma = strtod(v[4], NULL);
    orff_settings s = settings_of(&part, strtoul(v[2], NULL, 10), strtod(v[5], NULL), single);
    check(orff_scheme_parse(v[6], &s.sampling.scheme));
    orff_model *model;
    const double before = peak_megabytes(), start = now();
    check(orff_model_fit(&model, &s, d, p, n, X, Y, NULL));
    const double fit = now() - start, memory = peak_megabytes() - before;
    double *P = allocate(many * d, sizeof *P), *F = allocate(many * p, sizeof *F), mse, variance;
    float *Q = allocate(many * d, sizeof *Q), *G = allocate(many * p, sizeof *G);
    for (size_t i = 0; i < many * d; i++) Q[i] = (float)(P[i] = X[i % ((n + test) * d)]);
    memset(F, 1, many * p * sizeof *F); /* touched beforehand, as numpy's would be */
    memset(G, 1, many * p * sizeof *G);
    const double again = now();
    check(single ? orff_model_predict_single(model, many, Q, G) : orff_model_predict(model, many, P, F));
    const double predict = now() - again;
    check(orff_model_predict(model, test, X + n * d, F));
    errors(test, p, F, Y + n * p, &mse, &variance);
    printf("%.3f %.3f %.5f %.0f\n", fit, predict, sqrt(mse), memory);
    return 0;
}

/* GFLOP a processor second of syrk alone, and of S in whole fits, in turn; the median of the ratios */
static int attained(const char *precision) {
    enum { ROUNDS = 5, D = 1000, DIM = 20, N = 100000, L = 2 * D, ROWS = 4096, BLOCKS = 5 };
    const bool single = strcmp(precision, "single") == 0;
    double *X = allocate((size_t)N * DIM, sizeof *X), *Y = allocate((size_t)N * DIM, sizeof *Y);
    double *A = allocate((size_t)ROWS * L, sizeof *A), *C = allocate((size_t)L * L, sizeof *C);
    double alone[ROUNDS], whole[ROUNDS], share[ROUNDS];
    orff_part part = orff_part_default();
    part.sigma = 3.63;
    const orff_settings s = settings_of(&part, D, 1e-6, single);
    for (size_t i = 0; i < (size_t)N * DIM; i++) Y[i] = sin(X[i] = 2.0 * uniform() - 1.0) + 0.1 * normal();
    for (size_t i = 0; i < (size_t)ROWS * L; i++) {
        if (single)
            ((float *)A)[i] = (float)uniform();
        else
            A[i] = uniform();
    }
    for (int round = 0; round < ROUNDS; round++) {
        orff_model *model;
        const double start = processor_now();
        for (int block = 0; block < BLOCKS; block++) {
            if (single)
                cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, L, ROWS, 1, (float *)A, L, 1, (float *)C,
                            L);
            else
                cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, L, ROWS, 1, A, L, 1, C, L);
        }
        const double middle = processor_now();
        check(orff_model_fit(&model, &s, DIM, DIM, N, X, Y, NULL));
        alone[round] = 1e-9 * BLOCKS * ROWS * L * L / (middle - start);
        whole[round] = 1e-9 * N * L * L / (processor_now() - middle);
        share[round] = whole[round] / alone[round];
        orff_model_free(model);
    }
    printf("%.1f %.1f %.3f\n", bench_summarise(ROUNDS, alone).median, bench_summarise(ROUNDS, whole).median,
           bench_summarise(ROUNDS, share).median);
    return 0;
}

/* Gradient of a scalar field of 200 random cosines, sigma 0.4, on [-1,1]^5. */
static void curl_free_rows(size_t n, double *X, double *Y) {
    enum { WAVES = 200, DIM = 5 };
    double w[WAVES][DIM], phase[WAVES];
    for (int j = 0; j < WAVES; j++) {
        phase[j] = 6.283185307179586 * uniform();
        for (int k = 0; k < DIM; k++) w[j][k] = normal() / 0.4;
    }
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < DIM; k++) {
            X[i * DIM + (size_t)k] = 2.0 * uniform() - 1.0;
            Y[i * DIM + (size_t)k] = 0.0;
        }
        for (int j = 0; j < WAVES; j++) {
            double angle = phase[j];
            for (int k = 0; k < DIM; k++) angle += w[j][k] * X[i * DIM + (size_t)k];
            for (int k = 0; k < DIM; k++) Y[i * DIM + (size_t)k] -= sin(angle) * w[j][k] / sqrt(WAVES / 2.0);
        }
    }
}

/* y = W f(x), f = (x1^2, x4^2, x1 x2, x3 x5, x2, x4, 1), x uniform in [0,1]^20. */
static void multitask_rows(size_t n, double *X, double *Y) {
    enum { DIM = 20, OUT = 4, TERMS = 7 };
    static const double variance[TERMS] = {0.5, 0.25, 0.1, 0.05, 0.15, 0.1, 0.15};
    double W[OUT][TERMS];
    for (int k = 0; k < OUT; k++)
        for (int t = 0; t < TERMS; t++) W[k][t] = sqrt(variance[t]) * normal();
    for (size_t i = 0; i < n; i++) {
        double *x = X + i * DIM;
        for (int k = 0; k < DIM; k++) x[k] = uniform();
        const double f[TERMS] = {x[0] * x[0], x[3] * x[3], x[0] * x[1], x[2] * x[4], x[1], x[3], 1.0};
        for (int k = 0; k < OUT; k++) {
            Y[i * OUT + (size_t)k] = 0.0;
            for (int t = 0; t < TERMS; t++) Y[i * OUT + (size_t)k] += W[k][t] * f[t];
        }
    }
}

/* seconds to fit, R2 on 2000 other rows, peak memory, MB */
static int made(char **v, orff_rule rule, size_t d, size_t p, void (*rows)(size_t, double *, double *)) {
    const size_t n = strtoul(v[0], NULL, 10), test = 2000;
    double *X = allocate((n + test) * d, sizeof *X), *Y = allocate((n + test) * p, sizeof *Y);
    double *F = allocate(test * p, sizeof *F), mse, variance;
    orff_part part = orff_part_default();
    part.rule = rule;
    part.sigma = strtod(v[2], NULL);
    rows(n + test, X, Y);
    const orff_settings s = settings_of(&part, strtoul(v[1], NULL, 10), strtod(v[3], NULL), false);
    orff_model *model;
    const double before = peak_megabytes(), start = now();
    check(orff_model_fit(&model, &s, d, p, n, X, Y, NULL));
    const double fit = now() - start;
    check(orff_model_predict(model, test, X + n * d, F));
    errors(test, p, F, Y + n * p, &mse, &variance);
    printf("%.3f %.5f %.0f\n", fit, 1.0 - mse / variance, peak_megabytes() - before);
    return 0;
}

/* ---- streams */

typedef struct source {
    size_t left;
} source;

static int read_source(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    source *s = self;
    (void)weights;
    *rows = s->left < room ? s->left : room;
    s->left -= *rows;
    for (size_t i = 0; i < *rows; i++) {
        double *x = X + 2 * i;
        x[0] = 4.0 * uniform() - 2.0;
        x[1] = 4.0 * uniform() - 2.0;
        const double psi = exp(-x[0] * x[0] - x[1] * x[1]);
        Y[2 * i] = 2.0 * x[1] * psi + 0.1 * (uniform() - 0.5);
        Y[2 * i + 1] = -2.0 * x[0] * psi + 0.1 * (uniform() - 0.5);
    }
    return 0;
}

/* seconds, peak memory in all, MB */
static int stream(char **v) {
    source self = {.left = strtoul(v[0], NULL, 10)};
    const orff_reader reader = {.read = read_source, .self = &self};
    orff_part part = orff_part_default();
    part.rule = ORFF_RULE_DIV_FREE;
    part.sigma = 0.7;
    const orff_settings s = settings_of(&part, strtoul(v[1], NULL, 10), 1e-6, strcmp(v[2], "single") == 0);
    orff_model *model;
    const double start = now();
    check(orff_model_fit_stream(&model, &s, 2, 2, &reader));
    printf("%.3f %.0f\n", now() - start, peak_megabytes());
    return 0;
}

/* ---- exact */

/* seconds exact, seconds with D = 500 features, relative difference of the predictions */
static int exact(char **v) {
    const size_t n = strtoul(v[0], NULL, 10), test = 500;
    double *X = allocate(2 * (n + test), sizeof *X), *Y = allocate(2 * (n + test), sizeof *Y);
    double *F = allocate(2 * test, sizeof *F), *G = allocate(2 * test, sizeof *G), mse, size;
    source self = {.left = n + test};
    size_t rows;
    read_source(&self, n + test, X, Y, NULL, &rows);
    orff_part part = orff_part_default();
    part.rule = ORFF_RULE_DIV_FREE;
    part.sigma = strtod(v[1], NULL);
    const double lambda = strtod(v[2], NULL);
    orff_kernel *kernel;
    orff_exact *model;
    check(orff_kernel_create(&kernel, 2, 2, 1, &part));
    double start = now();
    check(orff_exact_fit(&model, kernel, n, X, Y, lambda, true, (size_t)20 << 30));
    const double slow = now() - start;
    check(orff_exact_predict(model, test, X + 2 * n, F));
    const orff_settings s = settings_of(&part, 500, lambda, false);
    orff_model *fast;
    start = now();
    check(orff_model_fit(&fast, &s, 2, 2, n, X, Y, NULL));
    const double quick = now() - start;
    check(orff_model_predict(fast, test, X + 2 * n, G));
    errors(test, 2, G, F, &mse, &size);
    printf("%.3f %.3f %.2e\n", slow, quick, sqrt(mse / size));
    return 0;
}

int main(int count, char **v) {
    const char *what = count > 1 ? v[1] : "";
    if (strcmp(what, "machine") == 0)
        return printf("%s, %d cores; %s\n", bench_cpu(), bench_cores(), orff_build_info()) < 0;
    if (strcmp(what, "syrk") == 0 && count == 3) return syrk(v[2]);
    if (strcmp(what, "attained") == 0 && count == 3) return attained(v[2]);
    if (strcmp(what, "files") == 0 && count == 9) return files(v + 2);
    if (strcmp(what, "curl") == 0 && count == 6)
        return made(v + 2, ORFF_RULE_CURL_FREE, 5, 5, curl_free_rows);
    if (strcmp(what, "dec") == 0 && count == 6)
        return made(v + 2, ORFF_RULE_DECOMPOSABLE, 20, 4, multitask_rows);
    if (strcmp(what, "stream") == 0 && count == 5) return stream(v + 2);
    if (strcmp(what, "exact") == 0 && count == 5) return exact(v + 2);
    fprintf(stderr, "usage: see the head of bench/bench_learn.c\n");
    return 2;
}
