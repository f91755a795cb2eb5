/* How well D frequencies approximate a kernel, against measurements with another implementation: the spectral
 * error relative to |K(0)|, averaged over pairs of points of [-1,1]^4 and over draws, Gaussian base, sigma =
 * 1. Those measurements have their own spread, so a value agrees within 15 % or four standard errors. */
#include <math.h>
#include <stdlib.h>

#include "base/linalg.h"
#include "base/random.h"
#include "sampling/sampling.h"
#include "support.h"

enum { DIM = 4, REPEATS = 24 };

typedef enum rule { DEC, CURL, DIV, RULES } rule;
static const char *const rule_names[RULES] = {"decomposable", "curl-free", "div-free"};

typedef struct outcome {
    double mean, error; /* over the repeats: mean and its standard error */
} outcome;

static double uniform(uint64_t pair, uint32_t slot) {
    return 2.0 * orffi_rng_uniform((orffi_rng){2024, 77}, pair, slot) - 1.0;
}

static void make_delta(uint64_t pair, double *delta) {
    for (uint32_t i = 0; i < DIM; i++) delta[i] = uniform(pair, i) - uniform(pair, DIM + i);
}

/* sum_j q_j cos<w_j,delta> and the same with w_j w_j^T. */
static double approximate(const orffi_frequencies *f, const double *delta, bool matrix, double *K) {
    double k = 0.0;
    for (size_t i = 0; i < DIM * DIM; i++) K[i] = 0.0;
    for (size_t j = 0; j < f->count; j++) {
        const double *w = f->omega + j * DIM;
        const double angle = w[0] * delta[0] + w[1] * delta[1] + w[2] * delta[2] + w[3] * delta[3];
        const double term = f->weight[j] * cos(angle);
        k += term;
        for (size_t a = 0; matrix && a < DIM; a++)
            for (size_t b = 0; b < DIM; b++) K[a * DIM + b] += term * w[a] * w[b];
    }
    return k;
}

/* Relative spectral errors at one delta. The divergence-free kernel is tr(K) I - K of the curl-free one, so
 * both norms come from the eigenvalues of one difference; |K(0)| = 1, 1 and d - 1. */
static void errors_at(const orffi_spectrum *law, const orffi_frequencies *f, const double *delta, bool matrix,
                      double e[RULES]) {
    double K[DIM * DIM], exact[DIM * DIM], values[DIM], trace = 0.0;
    e[DEC] = fabs(approximate(f, delta, matrix, K) - orffi_spectrum_k0(law, delta));
    e[CURL] = e[DIV] = 0.0;
    if (!matrix) return;
    orffi_spectrum_curl(law, delta, exact);
    for (size_t i = 0; i < DIM * DIM; i++) K[i] -= exact[i];
    assert_ok(orffi_eigen(DIM, K, values));
    for (size_t i = 0; i < DIM; i++) trace += values[i];
    for (size_t i = 0; i < DIM; i++) {
        e[CURL] = fmax(e[CURL], fabs(values[i]));
        e[DIV] = fmax(e[DIV], fabs(trace - values[i]) / (DIM - 1));
    }
}

static void mean_errors(const orffi_spectrum *law, const orffi_frequencies *f, size_t pairs, bool matrix,
                        double mean[RULES]) {
    double dec = 0.0, curl = 0.0, div = 0.0;
#pragma omp parallel for reduction(+ : dec, curl, div)
    for (size_t p = 0; p < pairs; p++) {
        double delta[DIM], e[RULES];
        make_delta(p, delta);
        errors_at(law, f, delta, matrix, e);
        dec += e[DEC], curl += e[CURL], div += e[DIV];
    }
    mean[DEC] = dec / (double)pairs, mean[CURL] = curl / (double)pairs, mean[DIV] = div / (double)pairs;
}

static void measure(orff_scheme scheme, bool importance, size_t D, size_t pairs, bool matrix,
                    outcome out[RULES]) {
    orffi_spectrum law;
    double sum[RULES] = {0}, square[RULES] = {0};
    assert_ok(orffi_spectrum_init(&law, ORFF_BASE_GAUSSIAN, 0, DIM, 1.0, NULL, DIM, NULL));
    for (uint64_t seed = 0; seed < REPEATS; seed++) {
        const orffi_recipe recipe = {.scheme = scheme, .count = D, .seed = seed, .importance = importance};
        orffi_frequencies f;
        double mean[RULES];
        assert_ok(orffi_frequencies_draw(&f, &law, &recipe));
        mean_errors(&law, &f, pairs, matrix, mean);
        for (int r = 0; r < RULES; r++) sum[r] += mean[r], square[r] += mean[r] * mean[r];
        orffi_frequencies_clear(&f);
    }
    orffi_spectrum_clear(&law);
    for (int r = 0; r < RULES; r++) {
        out[r].mean = sum[r] / REPEATS;
        out[r].error = sqrt(fmax(0.0, square[r] / REPEATS - out[r].mean * out[r].mean) / (REPEATS - 1));
    }
}

/* `repeats` is how many draws the wanted number was averaged over: its spread adds to ours. */
static void check(const char *what, rule r, size_t D, outcome got, double want, double repeats) {
    const double spread = got.error * sqrt(1.0 + REPEATS / repeats);
    print_message("%-20s %-12s D %4zu: %.4f +- %.4f, want %.4f\n", what, rule_names[r], D, got.mean,
                  got.error, want);
    if (fabs(got.mean - want) > fmax(0.15 * want, 4.0 * spread))
        fail_msg("%s, %s, D %zu: mean error %g (standard error %g), want %g", what, rule_names[r], D,
                 got.mean, got.error, want);
}

static const size_t sizes[3] = {64, 256, 1024};

static void test_decomposable(void **state) {
    (void)state;
    /* Halton at D = 64: measured with SciPy 1.10's scrambled Halton points in the same setting. The published
     * table has .0222 there, which those points do not attain either. */
    static const struct {
        orff_scheme scheme;
        double want[3];
    } rows[] = {
        {ORFF_SCHEME_IID, {.0593, .0293, .0149}},
        {ORFF_SCHEME_ORTHOGONAL, {.0396, .0202, .0112}},
        {ORFF_SCHEME_QMC, {.0235, .0083, .0021}},
        {ORFF_SCHEME_HALTON, {.0278, .0086, .0027}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 3; k++) {
            outcome got[RULES];
            measure(rows[i].scheme, false, sizes[k], 1000, false, got);
            check(orff_scheme_name(rows[i].scheme), DEC, sizes[k], got[DEC], rows[i].want[k], 24);
        }
}

static void test_fields(void **state) {
    (void)state;
    static const struct {
        orff_scheme scheme;
        double curl[3], div[3];
    } rows[] = {
        {ORFF_SCHEME_IID, {.3268, .1604, .0807}, {.1602, .0793, .0403}},
        {ORFF_SCHEME_ORTHOGONAL, {.2676, .1485, .0746}, {.1293, .0724, .0364}},
        {ORFF_SCHEME_QMC, {.2189, .0884, .0280}, {.1040, .0418, .0133}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 3; k++) {
            outcome got[RULES];
            measure(rows[i].scheme, false, sizes[k], 400, true, got);
            check(orff_scheme_name(rows[i].scheme), CURL, sizes[k], got[CURL], rows[i].curl[k], 24);
            check(orff_scheme_name(rows[i].scheme), DIV, sizes[k], got[DIV], rows[i].div[k], 24);
        }
}

static void test_importance(void **state) {
    (void)state;
    static const struct {
        orff_scheme scheme;
        const char *name;
        double curl[3], div[3];
    } rows[] = {
        {ORFF_SCHEME_IID, "iid importance", {.268, .132, .0639}, {.129, .066, .0320}},
        {ORFF_SCHEME_QMC, "qmc importance", {.144, .061, .0164}, {.067, .028, .0073}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 3; k++) {
            outcome got[RULES];
            measure(rows[i].scheme, true, sizes[k], 400, true, got);
            check(rows[i].name, CURL, sizes[k], got[CURL], rows[i].curl[k], 8);
            check(rows[i].name, DIV, sizes[k], got[DIV], rows[i].div[k], 8);
        }
}

/* The slope of log error over log D, by least squares over five sizes. */
static void test_rate(void **state) {
    (void)state;
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    int n = 0;
    for (size_t D = 64; D <= 1024; D *= 2, n++) {
        outcome got[RULES];
        measure(ORFF_SCHEME_IID, false, D, 400, false, got);
        const double x = log((double)D), y = log(got[DEC].mean);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    print_message("iid slope %.3f\n", slope);
    assert_true(fabs(slope + 0.5) < 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decomposable),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_importance),
        cmocka_unit_test(test_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
