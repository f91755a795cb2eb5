/* phi(X) against the parts it is made of: bench_phi THREADS double|single INPUTS [ROUNDS]
 *
 * Prints one line of numbers for bench/run.sh; "bench_phi machine" names the machine. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <orff.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "sleef_reference.h"

enum { POINTS = 4096, FREQUENCIES = 1000, SQUARE = 2048, MOST_ROUNDS = 1000 };
enum { PHI, GEMM, SLEEF, LIBM, SQUARE_GEMM, CASES };

typedef struct problem {
    size_t d;
    bool single;
    int threads;
    orff_features *features;
    const sleef_reference *sleef;
    void *X, *omega;   /* N x d, D x d */
    void *angles;      /* N x D */
    void *phi, *plain; /* N x 2D: the library's, and the references' */
    void *square[3];
} problem;

static void stop(const char *reason) {
    fprintf(stderr, "bench_phi: %s\n", reason);
    exit(1);
}

static void check(orff_status status) {
    if (status) stop(orff_error_message());
}

/* ---- what is timed */

static void run_phi(void *self) {
    const problem *at = self;
    check(at->single ? orff_features_phi_single(at->features, POINTS, at->X, at->phi)
                     : orff_features_phi(at->features, POINTS, at->X, at->phi));
}

static void product(const problem *at, int m, int n, int k, const void *A, const void *B, void *C) {
    if (at->single) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, A, k, B, k, 0, C, n);
    } else {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, A, k, B, k, 0, C, n);
    }
}

/* angles = X omega^T */
static void run_gemm(void *self) {
    const problem *at = self;
    product(at, POINTS, FREQUENCIES, (int)at->d, at->X, at->omega, at->angles);
}

static void run_square_gemm(void *self) {
    const problem *at = self;
    product(at, SQUARE, SQUARE, SQUARE, at->square[0], at->square[1], at->square[2]);
}

static void run_sleef(void *self) {
    const problem *at = self;
#pragma omp parallel for schedule(static) num_threads(at->threads) if (at->threads > 1)
    for (size_t i = 0; i < POINTS; i++) {
        const size_t from = i * FREQUENCIES, to = 2 * from;
        if (at->single) {
            float *cosine = (float *)at->plain + to;
            at->sleef->sincos_single(FREQUENCIES, (const float *)at->angles + from, cosine,
                                     cosine + FREQUENCIES);
        } else {
            double *cosine = (double *)at->plain + to;
            at->sleef->sincos(FREQUENCIES, (const double *)at->angles + from, cosine, cosine + FREQUENCIES);
        }
    }
}

static void libm_row(const double *angle, double *row) {
    for (size_t j = 0; j < FREQUENCIES; j++) {
        row[j] = cos(angle[j]);
        row[FREQUENCIES + j] = sin(angle[j]);
    }
}

static void libm_row_single(const float *angle, float *row) {
    for (size_t j = 0; j < FREQUENCIES; j++) {
        row[j] = cosf(angle[j]);
        row[FREQUENCIES + j] = sinf(angle[j]);
    }
}

static void run_libm(void *self) {
    const problem *at = self;
    run_gemm(self);
#pragma omp parallel for schedule(static) num_threads(at->threads) if (at->threads > 1)
    for (size_t i = 0; i < POINTS; i++) {
        const size_t from = i * FREQUENCIES, to = 2 * from;
        if (at->single) {
            libm_row_single((const float *)at->angles + from, (float *)at->plain + to);
        } else {
            libm_row((const double *)at->angles + from, (double *)at->plain + to);
        }
    }
}

/* ---- set-up */

static const sleef_reference *sleef_of_this_cpu(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return &sleef_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sleef_avx2;
    return &sleef_sse2;
#else
    return &sleef_advsimd;
#endif
}

/* count numbers of the precision, uniform on [-1,1]. */
static void *numbers(bool single, size_t count) {
    void *out = malloc(count * (single ? sizeof(float) : sizeof(double)));
    uint64_t state = 1;
    if (!out) stop("not enough memory");
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double value = ldexp((double)(state >> 11), -52) - 1.0;
        if (single) {
            ((float *)out)[i] = (float)value;
        } else {
            ((double *)out)[i] = value;
        }
    }
    return out;
}

static orff_features *draw_features(size_t d) {
    orff_kernel *kernel;
    orff_features *features;
    orff_part part = orff_part_default();
    orff_sampling sampling = orff_sampling_default();
    part.sigma = sqrt((double)d);
    sampling.scheme = ORFF_SCHEME_IID;
    sampling.features = FREQUENCIES;
    check(orff_kernel_create(&kernel, d, 1, 1, &part));
    check(orff_features_create(&features, kernel, &sampling));
    orff_kernel_free(kernel);
    return features;
}

static void *copy_frequencies(const orff_features *features, size_t d, bool single) {
    const size_t count = FREQUENCIES * d;
    double *omega = numbers(false, count);
    check(orff_features_frequencies(features, omega, NULL));
    if (!single) return omega;
    float *rounded = numbers(true, count);
    for (size_t i = 0; i < count; i++) rounded[i] = (float)omega[i];
    free(omega);
    return rounded;
}

static problem set_up(size_t d, bool single, size_t threads) {
    check(orff_set_threads(threads));
    problem at = {.d = d, .single = single, .threads = (int)orff_get_threads(), .sleef = sleef_of_this_cpu()};
    at.features = draw_features(d);
    at.omega = copy_frequencies(at.features, d, single);
    at.X = numbers(single, POINTS * d);
    at.angles = numbers(single, POINTS * FREQUENCIES);
    at.phi = numbers(single, POINTS * 2 * FREQUENCIES);
    at.plain = numbers(single, POINTS * 2 * FREQUENCIES);
    for (size_t i = 0; i < 3; i++) at.square[i] = numbers(single, (size_t)SQUARE * SQUARE);
    return at;
}

static void tear_down(problem *at) {
    orff_features_free(at->features);
    free(at->omega);
    free(at->X);
    free(at->angles);
    free(at->phi);
    free(at->plain);
    for (size_t i = 0; i < 3; i++) free(at->square[i]);
}

/* What is timed must be right: all three ways give the same phi. */
static void verify(problem *at) {
    void (*const references[])(void *) = {run_libm, run_sleef};
    const double tolerance = at->single ? 2e-5 : 2e-13, amplitude = sqrt(1.0 / FREQUENCIES);
    run_phi(at);
    for (size_t r = 0; r < 2; r++) {
        double worst = 0.0;
        references[r](at);
        for (size_t i = 0; i < (size_t)POINTS * 2 * FREQUENCIES; i++) {
            const double ours = at->single ? ((float *)at->phi)[i] : ((double *)at->phi)[i];
            const double theirs = at->single ? ((float *)at->plain)[i] : ((double *)at->plain)[i];
            worst = fmax(worst, fabs(ours / amplitude - theirs));
        }
        if (!(worst <= tolerance)) stop("phi differs from its reference");
    }
}

/* ---- telling */

/* Median over the rounds of a / (b + c), taken within each round; c may be NULL. */
static double ratio(size_t rounds, const double *a, const double *b, const double *c) {
    double each[MOST_ROUNDS];
    for (size_t i = 0; i < rounds; i++) each[i] = a[i] / (b[i] + (c ? c[i] : 0.0));
    return bench_summarise(rounds, each).median;
}

/* phi: minimum, median, spread; GEMM, SLEEF: median (all in ms); million pairs per second; phi / (GEMM +
 * SLEEF); libm / phi; rate of the product within phi relative to that of a large square product, and the
 * latter in GFLOP/s. */
static void print_line(const problem *at, size_t rounds, const bench_case *cases) {
    const double pairs = (double)POINTS * FREQUENCIES, flops = 2.0 * pairs * (double)at->d;
    const double square_flops = 2.0 * SQUARE * SQUARE * (double)SQUARE;
    const bench_summary phi = bench_summarise(rounds, cases[PHI].seconds);
    printf("%.3f %.3f %.3f", 1e3 * phi.minimum, 1e3 * phi.median, 1e3 * phi.spread);
    printf(" %.3f", 1e3 * bench_summarise(rounds, cases[GEMM].seconds).median);
    printf(" %.3f", 1e3 * bench_summarise(rounds, cases[SLEEF].seconds).median);
    printf(" %.1f", 1e-6 * pairs / phi.median);
    printf(" %.3f", ratio(rounds, cases[PHI].seconds, cases[GEMM].seconds, cases[SLEEF].seconds));
    printf(" %.2f", ratio(rounds, cases[LIBM].seconds, cases[PHI].seconds, NULL));
    printf(" %.3f",
           ratio(rounds, cases[SQUARE_GEMM].seconds, cases[PHI].seconds, NULL) * flops / square_flops);
    printf(" %.1f\n", 1e-9 * square_flops / bench_summarise(rounds, cases[SQUARE_GEMM].seconds).median);
}

static void measure(problem *at, size_t rounds) {
    static double seconds[CASES][MOST_ROUNDS];
    const bench_case cases[CASES] = {
        [PHI] = {"phi", run_phi, at, seconds[PHI]},
        [GEMM] = {"GEMM", run_gemm, at, seconds[GEMM]},
        [SLEEF] = {"SLEEF", run_sleef, at, seconds[SLEEF]},
        [LIBM] = {"libm", run_libm, at, seconds[LIBM]},
        [SQUARE_GEMM] = {"square GEMM", run_square_gemm, at, seconds[SQUARE_GEMM]},
    };
    bench_run(CASES, cases, rounds);
    print_line(at, rounds, cases);
}

static size_t parse_count(const char *text, size_t most) {
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end || text[0] == '-' || value > most)
        stop("a number in the arguments is out of its range");
    return value;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "machine") == 0) {
        printf("%s, %d cores; orff %s with %s\n", bench_cpu(), bench_cores(), orff_version(),
               orff_build_info());
        return 0;
    }
    if (argc < 4 || argc > 5 || (strcmp(argv[2], "double") != 0 && strcmp(argv[2], "single") != 0)) {
        fprintf(stderr, "usage: bench_phi THREADS double|single INPUTS [ROUNDS]\n       bench_phi machine\n");
        return 2;
    }
    const size_t threads = parse_count(argv[1], 1024), d = parse_count(argv[3], 100000);
    const size_t rounds = argc == 5 ? parse_count(argv[4], MOST_ROUNDS) : 15;
    problem at = set_up(d, strcmp(argv[2], "single") == 0, threads);
    verify(&at);
    measure(&at, rounds);
    tear_down(&at);
    return 0;
}
