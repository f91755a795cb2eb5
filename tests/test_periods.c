/* Periodic inputs: the lattice against a dense Gaussian process whose kernel is summed over images, and
 * continuity where one period ends and the next starts. */
#define _GNU_SOURCE /* mkstemp */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/linalg.h"
#include "exact/evidence.h"
#include "exact/near.h"
#include "lattice/fft.h"
#include "reload.h"

#define DAY    24.0
#define TWO_PI 6.28318530717958647693

typedef struct rows {
    size_t n, d, p;
    double *X, *Y;
} rows;

/* Input 0 is an hour, on several days; the others lie in [0, 1]. */
static rows draw(size_t n, size_t d, size_t p) {
    rows r = {n, d, p, support_normal(n * d, 3, 1), support_normal(n * p, 4, 2)};
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < d; k++) r.X[i * d + k] = 0.5 + 0.25 * tanh(r.X[i * d + k]) * 2.0;
        r.X[i * d] = 60.0 * r.X[i * d] - 20.0;
        for (size_t a = 0; a < p; a++)
            r.Y[i * p + a] = 0.1 * r.Y[i * p + a] + sin(TWO_PI * r.X[i * d] / DAY + (double)a) +
                             (d > 1 ? cos(5.0 * r.X[i * d + 1]) : 0.0);
    }
    return r;
}

static void release(rows *r) {
    free(r->X);
    free(r->Y);
}

static orff_settings circle(const orff_part *part, const double *periods, double lambda) {
    orff_settings settings = orff_settings_default();
    settings.n_parts = 1;
    settings.parts = part;
    settings.periods = periods;
    settings.lambda = lambda;
    settings.sampling.tolerance = 1e-6;
    settings.center = false;
    return settings;
}

/* K (p x p) at x - z, summed over twelve images to each side of input 0. */
static void periodised(const orff_kernel *kernel, size_t d, size_t p, const double *x, const double *z,
                       double *K) {
    double one[9], moved[3];
    for (size_t i = 0; i < p * p; i++) K[i] = 0.0;
    for (int j = -12; j <= 12; j++) {
        for (size_t k = 0; k < d; k++) moved[k] = x[k] - z[k];
        moved[0] = remainder(moved[0], DAY) + DAY * j;
        const double zero[3] = {0};
        assert_ok(orff_kernel_eval(kernel, moved, zero, one));
        for (size_t i = 0; i < p * p; i++) K[i] += one[i];
    }
}

/* f at x of ridge with K + n lambda. */
static void dense(const orff_part *part, const rows *r, double lambda, size_t count, const double *x,
                  double *F) {
    const size_t n = r->n, d = r->d, p = r->p, side = n * p;
    orff_kernel *kernel = NULL;
    double *A = support_zeros(side * side), *alpha = support_zeros(side), K[9];
    assert_ok(orff_kernel_create(&kernel, d, p, 1, part));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            periodised(kernel, d, p, r->X + i * d, r->X + j * d, K);
            for (size_t a = 0; a < p * p; a++) {
                const size_t row = i * p + a / p, col = j * p + a % p;
                A[row * side + col] = K[a];
                A[col * side + row] = K[a];
            }
        }
    for (size_t i = 0; i < side; i++) {
        A[i * side + i] += (double)n * lambda;
        alpha[i] = r->Y[i];
    }
    assert_ok(orffi_cholesky(side, A));
    assert_ok(orffi_cholesky_solve(side, A, 1, alpha));
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < p; a++) {
            F[i * p + a] = 0.0;
            for (size_t j = 0; j < n; j++) {
                periodised(kernel, d, p, x + i * d, r->X + j * d, K);
                for (size_t b = 0; b < p; b++) F[i * p + a] += K[a * p + b] * alpha[j * p + b];
            }
        }
    orff_kernel_free(kernel);
    free(A);
    free(alpha);
}

static orff_part part_of(orff_rule rule, orff_base base, double shape, const double *sigmas) {
    orff_part part = support_part(rule, base, shape, sigmas[0]);
    part.sigmas = sigmas;
    return part;
}

static void agrees_with_dense(const orff_part *part, orff_engine engine, size_t n, size_t d, size_t p,
                              const char *method) {
    enum { COUNT = 40 };
    const double periods[3] = {DAY, 0.0, 0.0}, lambda = 1e-4;
    rows r = draw(n, d, p);
    orff_model *model = NULL;
    orff_settings settings = circle(part, periods, lambda);
    settings.engine = engine;
    if (engine == ORFF_ENGINE_FEATURES) {
        settings.sampling.tolerance = 1e-9;
        settings.sampling.features = 400;
    }
    double *x = support_zeros(COUNT * d), *want = support_zeros(COUNT * p), *got = support_zeros(COUNT * p);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < d; k++) x[i * d + k] = 0.3 + 0.4 * fmod(0.618 * (double)i, 1.0);
        x[i * d] = 90.0 * (double)i / COUNT - 40.0; /* several periods */
    }
    assert_ok(orff_model_fit(&model, &settings, d, p, n, r.X, r.Y, NULL));
    assert_int_equal(orff_model_describe(model).engine, engine ? engine : ORFF_ENGINE_LATTICE);
    if (method) assert_string_equal(orff_model_describe(model).solve.method, method);
    model = support_reload(model);
    assert_ok(orff_model_predict(model, COUNT, x, got));
    dense(part, &r, lambda, COUNT, x, want);
    assert_all_close(COUNT * p, got, want, 3e-5);
    orff_model_free(model);
    release(&r);
    free(x);
    free(want);
    free(got);
}

/* The exact kernel and features of harmonics, with every base and beside an input on the line. */
static void others_are_the_periodised_process(void **state) {
    (void)state;
    const double hours[] = {3.0}, both[] = {4.0, 0.3}, field[] = {6.0, 6.0};
    static const struct {
        orff_base base;
        double shape;
        bool smooth; /* harmonics reach it with few frequencies */
    } bases[] = {{ORFF_BASE_GAUSSIAN, 1, true},
                 {ORFF_BASE_MATERN, 3.5, false},
                 {ORFF_BASE_RATIONAL_QUADRATIC, 3, true},
                 {ORFF_BASE_LAPLACE, 1, false},
                 {ORFF_BASE_SECH, 1, true}};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        const orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, bases[i].base, bases[i].shape, hours);
        support_case("base %s", orff_base_name(bases[i].base));
        agrees_with_dense(&part, ORFF_ENGINE_EXACT, 60, 1, 2, NULL);
        if (bases[i].smooth) agrees_with_dense(&part, ORFF_ENGINE_FEATURES, 60, 1, 2, NULL);
    }
    const orff_part two = part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 1, both),
                    flow = part_of(ORFF_RULE_DIV_FREE, ORFF_BASE_GAUSSIAN, 1, field);
    for (int engine = 0; engine < 2; engine++) {
        support_case("engine %d", engine);
        agrees_with_dense(&two, engine ? ORFF_ENGINE_FEATURES : ORFF_ENGINE_EXACT, 80, 2, 1, NULL);
        agrees_with_dense(&flow, engine ? ORFF_ENGINE_FEATURES : ORFF_ENGINE_EXACT, 60, 2, 2, NULL);
    }
    support_case(NULL);
}

/* Whole numbers modulo 7, days of a week: the kernel is a circulant matrix. Its eigenvalues, the discrete Fourier transform of a
 * row, are the sums of the spectrum over the harmonics that are one on whole numbers; none is negative. */
static void whole_numbers_are_a_finite_group(void **state) {
    (void)state;
    enum { WEEK = 7 };
    const double week = WEEK;
    for (int base = 0; base < 3; base++) {
        const orff_part part = part_of(
            ORFF_RULE_DECOMPOSABLE,
            (orff_base[]){ORFF_BASE_GAUSSIAN, ORFF_BASE_LAPLACE, ORFF_BASE_SECH}[base], 1, (double[]){1.4});
        orff_kernel *kernel = NULL;
        const orffi_kernel_how how = {.periods = &week};
        double K[WEEK], again;
        assert_ok(orffi_kernel_create_as(&kernel, 1, 1, 1, &part, &how));
        for (size_t i = 0; i < WEEK; i++) {
            const double x = (double)i, y = x + 5.0 * week, zero = 0.0, back = -x;
            assert_ok(orff_kernel_eval(kernel, &x, &zero, &K[i]));
            assert_ok(orff_kernel_eval(kernel, &y, &zero, &again));
            assert_close(again, K[i], 1e-12);
            assert_ok(orff_kernel_eval(kernel, &back, &zero, &again));
            assert_close(again, K[i], 1e-12);
        }
        for (size_t k = 0; k < WEEK; k++) {
            double transform = 0.0, sum = 0.0;
            for (size_t i = 0; i < WEEK; i++) transform += K[i] * cos(TWO_PI * (double)(i * k) / week);
            assert_true(transform > 0.0);
            for (int j = -2000; j <= 2000; j++) { /* those that are alike on whole numbers */
                const double z = 1.4 * (TWO_PI * (double)k / week + TWO_PI * j);
                sum += 1.4 * (base == 0   ? sqrt(TWO_PI) * exp(-0.5 * z * z)
                              : base == 1 ? 2.0 / (1.0 + z * z)
                                          : 0.5 * TWO_PI / cosh(0.25 * TWO_PI * z));
            }
            assert_close(transform / sum, 1.0, base == 1 ? 1e-3 : 1e-9);
        }
        orff_kernel_free(kernel);
    }
}

static void lattice_is_the_periodised_process(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    const double hours[] = {3.0}, long_hours[] = {15.0}, both[] = {4.0, 0.3}, field[] = {6.0, 6.0},
                 short_ones[] = {2.0, 0.05};
    const orff_part parts[] = {part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 1, hours),
                               part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 1, long_hours),
                               part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 1, both),
                               part_of(ORFF_RULE_DIV_FREE, ORFF_BASE_GAUSSIAN, 1, field),
                               part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN, 3.5, short_ones)};
    agrees_with_dense(&parts[0], ORFF_ENGINE_AUTO, 150, 1, 2, "lattice-cholesky");
    agrees_with_dense(&parts[1], ORFF_ENGINE_AUTO, 150, 1, 1, "lattice-cholesky");
    agrees_with_dense(&parts[2], ORFF_ENGINE_AUTO, 150, 2, 1, "lattice-cholesky");
    agrees_with_dense(&parts[3], ORFF_ENGINE_AUTO, 100, 2, 2, "lattice-cholesky");
    agrees_with_dense(&parts[4], ORFF_ENGINE_AUTO, 200, 2, 1, "lattice-neighbours-pcg");
}

/* What is asked at x, at x + T and far away is the same, and so are derivatives and error bars. */
static void check_seam(const orff_model *model, size_t d, size_t p) {
    const double hours[] = {0.0, DAY, -7.0 * DAY}, eps = 1e-7;
    double x[9], F[9], J[27], deviation[9], beside[9];
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < d; k++) x[i * d + k] = k ? 0.4 : hours[i];
    assert_ok(orff_model_predict(model, 3, x, F));
    assert_ok(orff_model_jacobian(model, 3, x, J));
    assert_ok(orff_model_std(model, 3, x, false, deviation));
    for (size_t i = 1; i < 3; i++) {
        assert_all_close(p, F + i * p, F, 1e-8);
        assert_all_close(p * d, J + i * p * d, J, 1e-8);
        assert_all_close(p, deviation + i * p, deviation, 1e-8);
    }
    x[0] = eps;
    x[d] = DAY - eps;
    assert_ok(orff_model_predict(model, 3, x, beside));
    for (size_t a = 0; a < p; a++) assert_close((beside[a] - beside[p + a]) / (2.0 * eps), J[a * d], 1e-3);
}

static void joins_up(void **state) {
    (void)state;
    if (!orffi_fft_available()) skip();
    const double periods[] = {DAY, 0.0};
    char path[] = "/tmp/orff-periods-XXXXXX";
    close(mkstemp(path));
    for (size_t d = support_step(2); d <= 2; d++) {
        rows r = draw(150, d, d);
        orff_settings settings = orff_settings_default(); /* all automatic */
        orff_model *model = NULL, *loaded = NULL;
        settings.periods = periods;
        assert_ok(orff_model_fit(&model, &settings, d, d, r.n, r.X, r.Y, NULL));
        assert_non_null(strstr(orff_model_describe(model).kernel, "input 1 of period 24"));
        assert_true(orff_model_describe(model).train_mse < 0.02);
        check_seam(model, d, d);
        assert_ok(orff_model_save(model, path, false));
        assert_ok(orff_model_load(&loaded, path));
        assert_string_equal(orff_model_describe(loaded).kernel, orff_model_describe(model).kernel);
        check_seam(loaded, d, d);
        orff_model_free(model);
        orff_model_free(loaded);
        release(&r);
    }
    unlink(path);
}

static void refuses(void **state) {
    (void)state;
    const double wrong[] = {-1.0}, day[] = {DAY};
    const double sigmas[] = {3.0};
    const orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 1, sigmas);
    rows r = draw(50, 1, 1);
    orff_model *model = NULL;
    orff_settings settings = circle(&part, day, 1e-3);
    settings.engine = ORFF_ENGINE_FEATURES;
    settings.sampling.scheme = ORFF_SCHEME_QMC;
    assert_status(orff_model_fit(&model, &settings, 1, 1, r.n, r.X, r.Y, NULL), ORFF_ERROR_UNSUPPORTED);
    assert_says("grid");
    settings.sampling.scheme = ORFF_SCHEME_AUTO;
    if (orffi_fft_available()) {
        settings.engine = ORFF_ENGINE_AUTO;
        settings.periods = wrong;
        assert_status(orff_model_fit(&model, &settings, 1, 1, r.n, r.X, r.Y, NULL),
                      ORFF_ERROR_INVALID_ARGUMENT);
        assert_says("period");
    }
    release(&r);
}

/* ---- texts */

static void texts(void **state) {
    (void)state;
    const char *names[] = {"hour", "x"};
    const orff_data_shape shape = {.d = 2, .p = 1, .inputs = names};
    orff_options *options = NULL;
    orff_settings settings;
    assert_ok(orff_options_create(&options));
    assert_ok(orff_options_set(options, "period", "hour=24,2=0.5"));
    assert_ok(orff_options_resolve(options, &shape, &settings));
    assert_true(settings.periods[0] == 24.0 && settings.periods[1] == 0.5);
    const char *wrong[] = {"hours=24", "hour", "hour=0", "hour=-3", "hour=24x", "hour=1,hour=2", "3=1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_ok(orff_options_set(options, "period", wrong[i]));
        assert_status(orff_options_resolve(options, &shape, &settings), ORFF_ERROR_INVALID_ARGUMENT);
        assert_says("period");
        assert_string_equal(orff_options_culprit(options), "period");
    }
    orff_options_free(options);
}

/* ---- what is underneath */

static double around(const double *x, const double *z, const double *scale) {
    const double a = remainder(x[0] - z[0], DAY) / scale[0], b = (x[1] - z[1]) / scale[1];
    return a * a + b * b;
}

static void nearest_goes_around(void **state) {
    (void)state;
    enum { N = 700, K = 12 };
    const double periods[] = {DAY, 0.0}, scale[] = {2.0, 0.1};
    rows r = draw(N, 2, 1);
    orffi_near near = {0};
    size_t found[K];
    double squares[K];
    assert_ok(orffi_near_init(&near, N, 2, r.X, scale, periods));
    for (size_t i = 0; i < N; i++) orffi_near_add(&near, i);
    for (size_t q = 0; q < 50; q++) {
        const double x[] = {1.7 * (double)q - 30.0, 0.02 * (double)q};
        assert_int_equal(orffi_near_find(&near, x, K, found, squares), K);
        size_t nearer = 0;
        for (size_t i = 0; i < N; i++) nearer += around(x, r.X + 2 * i, scale) < squares[K - 1] - 1e-12;
        assert_int_equal(nearer, K - 1);
        for (size_t k = 0; k < K; k++) assert_close(squares[k], around(x, r.X + 2 * found[k], scale), 1e-12);
    }
    orffi_near_clear(&near);
    release(&r);
}

static orff_status value_of(void *evidence, const double *x, double *value, double *gradient) {
    return orffi_evidence_evaluate(evidence, x, value, gradient);
}

static void evidence_gradient(const orff_part *parts, size_t p, const size_t *dials) {
    const double periods[] = {DAY, 1.5};
    rows r = draw(30, 2, p);
    const orffi_evidence_form form = {.d = 2,
                                      .p = p,
                                      .n_parts = 2,
                                      .parts = parts,
                                      .scales = 2,
                                      .dials = dials,
                                      .weights = true,
                                      .periods = periods};
    const orffi_evidence_rows group = {.n = r.n, .X = r.X, .Y = r.Y};
    orffi_evidence *evidence = NULL;
    double x[4] = {0.1, -0.2, 0.3, log(0.1)};
    assert_ok(orffi_evidence_create(&evidence, &form, 1, &group));
    assert_int_equal(orffi_evidence_unknowns(evidence), 4);
    support_assert_gradient(value_of, evidence, 4, x, 1e-5);
    orffi_evidence_free(evidence);
    release(&r);
}

/* Long length scales, whose images change the kernel's size. */
static void evidence_knows_images(void **state) {
    (void)state;
    static const size_t space[] = {0, 1}, dials[] = {0, 1, 0, 1}, shared[] = {0, 0, 1, 1};
    const double one[] = {11.0, 0.6}, two[] = {5.0, 1.0}, field[] = {9.0, 9.0};
    for (int normalise = 0; normalise < 2; normalise++) {
        orff_part parts[2] = {part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_GAUSSIAN, 1, one),
                              part_of(ORFF_RULE_DECOMPOSABLE, ORFF_BASE_MATERN, 2.5, two)};
        parts[0].normalise = parts[1].normalise = normalise;
        evidence_gradient(parts, 1, dials);
        parts[0] = part_of(ORFF_RULE_CURL_FREE, ORFF_BASE_GAUSSIAN, 1, field);
        parts[0].space = space;
        parts[0].normalise = normalise;
        evidence_gradient(parts, 2, shared);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattice_is_the_periodised_process),
        cmocka_unit_test(others_are_the_periodised_process),
        cmocka_unit_test(whole_numbers_are_a_finite_group),
        cmocka_unit_test(joins_up),
        cmocka_unit_test(refuses),
        cmocka_unit_test(texts),
        cmocka_unit_test(nearest_goes_around),
        cmocka_unit_test(evidence_knows_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
