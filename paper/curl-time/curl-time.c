/* Figure: time of curl-free ridge against the number of points N, D = 1000 features and the exact kernel;
 * beside them, not in the paper, a lattice of frequencies.
 *
 * The paper does not say how the points were made, nor what is in the time. Here: the 2-D curl-free field of five
 * Gaussians with noise; a fit is drawing the frequencies, one pass over the points and the closed form (the paper's
 * fits iterate); the exact kernel factors its whole 2N x 2N matrix. N lambda is the same for all N. */
#include <stdlib.h>

#include "paper.h"

#define WIDTH   0.5
#define NOISE   0.12 /* 10 % of the root mean square of a component */
#define SIGMA   0.5
#define PENALTY 0.2 /* N lambda */
#define TEST    2000
#define SEED    11
static const size_t sizes[] = {100,   200,   500,    1000,   2000,   5000,   10000,
                               20000, 50000, 100000, 200000, 500000, 1000000};
static const size_t quick_sizes[] = {100, 1000, 10000};

typedef struct data {
    double *X, *Y;           /* as many as the largest size */
    double *test_X, *test_Y; /* without noise */
} data;

/* ---- data */

static void make(size_t n, paper_random *random, double noise, double *X, double *Y) {
    double turned[2];
    paper_fill_uniform(random, -1.0, 1.0, 2 * n, X);
    for (size_t i = 0; i < n; i++) {
        paper_five_gaussians(WIDTH, X + 2 * i, Y + 2 * i, turned);
        Y[2 * i] += noise * paper_normal(random);
        Y[2 * i + 1] += noise * paper_normal(random);
    }
}

static data data_create(size_t most) {
    paper_random train = paper_random_start(SEED, 0), test = paper_random_start(SEED, 1);
    const data all = {.X = paper_alloc(2 * most, sizeof(double)),
                      .Y = paper_alloc(2 * most, sizeof(double)),
                      .test_X = paper_alloc(2 * TEST, sizeof(double)),
                      .test_Y = paper_alloc(2 * TEST, sizeof(double))};
    make(most, &train, NOISE, all.X, all.Y);
    make(TEST, &test, 0.0, all.test_X, all.test_Y);
    return all;
}

static void data_free(data *all) {
    free(all->X);
    free(all->Y);
    free(all->test_X);
    free(all->test_Y);
}

/* ---- what is timed */

static double lambda(size_t n) {
    return PENALTY / (double)n;
}

static double test_mse(const paper_fit *fit, const void *self) {
    const data *all = self;
    double *F = paper_alloc(2 * TEST, sizeof *F);
    paper_fit_predict(fit, TEST, all->test_X, F);
    const double mse = paper_mse(2 * TEST, F, all->test_Y);
    free(F);
    return mse;
}

static paper_timing plan(const paper_run *run) {
    const bool quick = paper_quick(run);
    return (paper_timing){.D = quick ? 200 : 1000,
                          .seed = SEED,
                          .n_sizes =
                              quick ? sizeof quick_sizes / sizeof *quick_sizes : sizeof sizes / sizeof *sizes,
                          .sizes = quick ? quick_sizes : sizes,
                          .exact_most = quick ? 1000 : SIZE_MAX,
                          .lambda = lambda,
                          .score = test_mse,
                          .score_column = "mse",
                          .score_words = "test mse"};
}

/* ---- words */

static void lattice_words(paper_run *run, const paper_table *times, size_t most, size_t last) {
    paper_agreement(
        run,
        "**Beyond the paper:** for two inputs a lattice of frequencies is the exact kernel to a "
        "tolerance. N = %zu takes it %.3g s of the processor, %.0f times less than features, and "
        "its test error at N = %zu is %.4g times that of the exact kernel.\n\n",
        most, paper_value(times, "cpu_seconds", "lattice/%zu", most),
        paper_value(times, "cpu_seconds", "orff/%zu", most) /
            paper_value(times, "cpu_seconds", "lattice/%zu", most),
        last, paper_value(times, "mse", "lattice/%zu", last) / paper_value(times, "mse", "exact/%zu", last));
}

static void agree(paper_run *run, const paper_timing *t, const paper_table *times, size_t last) {
    const size_t most = t->sizes[t->n_sizes - 1], low = 10000, exact_low = 1000;
    paper_agreement(
        run, "The paper (section 4.2) shows that the time of curl-free features (D = 1000) grows slowly with "
             "N, and says that exact ridge could not be trained within 1000 s for N > 10^4.\n\n");
    paper_timing_table(run, t, times, last);
    if (paper_quick(run)) {
        paper_agreement(run, PAPER_TOO_SMALL);
        return;
    }
    paper_agreement(
        run,
        "\n"
        "**Agrees:** the processor time of features grows as N^%.2f between N = %zu and %zu, that of "
        "the exact kernel as N^%.2f from N = %zu to %zu. The test errors are near each "
        "other.\n\n",
        paper_timing_exponent(t, times, "orff", low, most), low, most,
        paper_timing_exponent(t, times, "exact", exact_low, last), exact_low, last);
    paper_agreement(
        run,
        "**Differs:** exact ridge is not as slow as the paper says: N = %zu takes %.3g s of the processor "
        "here (Cholesky, one copy of the matrix, 32 N^2 bytes). It goes no further for lack of memory: "
        "N = 20000 takes 12.8 GB, 50000 would take 80. Features have a floor, the (2D)^3 of their closed "
        "form, so that for few points the exact kernel is the faster one. The paper's fits were iterative; "
        "ours pass once over the points.\n\n",
        last, paper_value(times, "cpu_seconds", "exact/%zu", last));
    lattice_words(run, times, most, last);
    paper_timing_caveat(run);
}

int paper_curl_time(paper_run *run) {
    paper_timing t = plan(run);
    orff_kernel *kernel = paper_gaussian(ORFF_RULE_CURL_FREE, 2, SIGMA);
    data all = data_create(t.sizes[t.n_sizes - 1]);
    const orff_part part = paper_gaussian_part(ORFF_RULE_CURL_FREE, SIGMA);
    t.kernel = kernel;
    t.lattice = &part;
    t.X = all.X;
    t.Y = all.Y;
    t.self = &all;
    paper_setting(run, "field", "five Gaussians of width %g on [-1,1]^2, noise %g", WIDTH, NOISE);
    paper_setting(run, "sigma", "%g", SIGMA);
    paper_setting(run, "N lambda", "%g", PENALTY);
    paper_table *times;
    const size_t last = paper_timing_run(run, &t, &times);
    agree(run, &t, times, last);
    paper_plot(run, "curl-time", PAPER_NARROW, 98);
    data_free(&all);
    orff_kernel_free(kernel);
    return PAPER_DONE;
}
