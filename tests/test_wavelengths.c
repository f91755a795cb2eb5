/* Parts with wavelengths: k0(delta) cos<mu, delta>, mu = 2 pi / L. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact/waves.h"
#include "fields.h"
#include "reload.h"
#include "spectrum/spectrum.h"

#define TWO_PI 6.28318530717958647693

static const double waves[2] = {0.8, -2.5}, sigmas[2] = {0.9, 1.4}, A[4] = {1.0, 0.4, 0.4, 0.7};

static orff_part wavy(orff_rule rule) {
    orff_part part = fields_part(rule, 1.0);
    part.sigmas = sigmas;
    part.wavelengths = waves;
    part.A = A;
    return part;
}

static double envelope(const double *delta) {
    const double u = delta[0] / sigmas[0], v = delta[1] / sigmas[1];
    return exp(-0.5 * (u * u + v * v));
}

static double scalar(const double *delta) {
    return envelope(delta) * cos(TWO_PI * (delta[0] / waves[0] + delta[1] / waves[1]));
}

static void test_exact(void **state) {
    (void)state;
    const orff_part part = wavy(ORFF_RULE_DECOMPOSABLE);
    orff_kernel *kernel = NULL;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    double *x = support_normal(40, 3, 1), K[4];
    for (size_t i = 0; i < 10; i++) {
        const double *a = x + 4 * i, *b = a + 2, delta[2] = {a[0] - b[0], a[1] - b[1]};
        assert_ok(orff_kernel_eval(kernel, a, b, K));
        for (size_t k = 0; k < 4; k++) assert_close(K[k], A[k] * scalar(delta), 1e-14);
    }
    free(x);
    orff_kernel_free(kernel);
}

/* What features say minus the exact kernel, at the worst of some differences. */
static double worst(const orff_part *part, orff_scheme scheme, size_t D) {
    orff_kernel *kernel = NULL;
    orff_features *f = NULL;
    orff_sampling sampling = orff_sampling_default();
    double *x = support_normal(200, 5, 1), most = 0.0;
    sampling.scheme = scheme;
    sampling.features = D;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, part));
    assert_ok(orff_features_create(&f, kernel, &sampling));
    for (size_t i = 0; i < 50; i++) {
        double K[4], got[4], back[4];
        assert_ok(orff_kernel_eval(kernel, x + 4 * i, x + 4 * i + 2, K));
        assert_ok(orff_features_kernel(f, x + 4 * i, x + 4 * i + 2, got));
        assert_ok(orff_features_kernel(f, x + 4 * i + 2, x + 4 * i, back));
        for (size_t k = 0; k < 4; k++) {
            most = fmax(most, fabs(K[k] - got[k]));
            assert_close(back[k % 2 * 2 + k / 2], got[k], 1e-12);
        }
    }
    free(x);
    orff_features_free(f);
    orff_kernel_free(kernel);
    return most;
}

/* Draws converge like D^-1/2, low-discrepancy points faster; 5 deviations are allowed. */
static void test_features(void **state) {
    (void)state;
    static const orff_base bases[] = {ORFF_BASE_GAUSSIAN, ORFF_BASE_MATERN, ORFF_BASE_LAPLACE};
    for (size_t b = 0; b < 3; b += support_step(3)) {
        orff_part part = wavy(ORFF_RULE_DECOMPOSABLE);
        part.base = bases[b];
        part.shape = 2.5;
        assert_true(worst(&part, ORFF_SCHEME_IID, 40000) < 5.0 / sqrt(2.0 * 40000.0));
        assert_true(worst(&part, ORFF_SCHEME_QMC, 40000) < 5e-3);
    }
    static const double delays[4] = {0.0, 0.0, 0.3, -0.2};
    orff_part late = wavy(ORFF_RULE_DELAYED);
    late.delays = delays;
    assert_true(worst(&late, ORFF_SCHEME_QMC, 40000) < 5e-3);
}

/* C + jitter has a Cholesky factor. */
static void test_positive(void **state) {
    (void)state;
    enum { N = 40, P = 2 * N };
    const orff_part part = wavy(ORFF_RULE_DECOMPOSABLE);
    orff_kernel *kernel = NULL;
    double *x = support_normal(2 * N, 7, 1), *G = support_zeros(P * P);
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_kernel_gram(kernel, N, x, N, x, G));
    for (size_t i = 0; i < P; i++)
        for (size_t j = 0; j < i; j++) assert_close(G[i * P + j], G[j * P + i], 1e-14);
    for (size_t k = 0; k < P; k++) {
        G[k * P + k] += 1e-9;
        for (size_t j = 0; j < k; j++) G[k * P + k] -= G[k * P + j] * G[k * P + j];
        assert_true(G[k * P + k] > 0.0);
        G[k * P + k] = sqrt(G[k * P + k]);
        for (size_t i = k + 1; i < P; i++) {
            for (size_t j = 0; j < k; j++) G[i * P + k] -= G[i * P + j] * G[k * P + j];
            G[i * P + k] /= G[k * P + k];
        }
    }
    free(x);
    free(G);
    orff_kernel_free(kernel);
}

/* Derivatives by delta, by the length scales and by mu, against differences. */
static void test_derivatives(void **state) {
    (void)state;
    const double delta[2] = {0.31, -0.47}, h = 1e-5;
    double got[2], k0, up, down;
    orffi_spectrum law;
    assert_ok(orffi_spectrum_init(&law, ORFF_BASE_MATERN, 3.5, 2, 0.0, sigmas, 2, NULL));
    assert_ok(orffi_spectrum_set_wavelengths(&law, waves));
    orffi_spectrum_gradient(&law, delta, got);
    for (size_t i = 0; i < 2; i++) {
        double at[2] = {delta[0], delta[1]};
        at[i] = delta[i] + h;
        up = orffi_spectrum_k0(&law, at);
        at[i] = delta[i] - h;
        down = orffi_spectrum_k0(&law, at);
        assert_close(got[i], (up - down) / (2.0 * h), 1e-7);
    }
    orffi_spectrum_k0_centre(&law, delta, got);
    for (size_t i = 0; i < 2; i++) {
        law.centre[i] += h;
        up = orffi_spectrum_k0(&law, delta);
        law.centre[i] -= 2.0 * h;
        down = orffi_spectrum_k0(&law, delta);
        law.centre[i] += h;
        assert_close(got[i], (up - down) / (2.0 * h), 1e-7);
    }
    orffi_spectrum_k0_scales(&law, delta, &k0, got);
    assert_close(k0, orffi_spectrum_k0(&law, delta), 1e-14);
    for (size_t i = 0; i < 2; i++) {
        const double l = law.scale[i];
        law.scale[i] = l * exp(h);
        up = orffi_spectrum_k0(&law, delta);
        law.scale[i] = l * exp(-h);
        down = orffi_spectrum_k0(&law, delta);
        law.scale[i] = l;
        assert_close(got[i], (up - down) / (2.0 * h), 1e-7);
    }
    orffi_spectrum_clear(&law);
}

/* E|w|^2k against the mean over many frequencies. */
static void test_moments(void **state) {
    (void)state;
    enum { D = 60000 };
    const orff_part part = wavy(ORFF_RULE_DECOMPOSABLE);
    orff_kernel *kernel = NULL;
    orff_features *f = NULL;
    orff_sampling sampling = orff_sampling_default();
    double moments[3], sum[3] = {0}, *omega = support_zeros(2 * D), *weight = support_zeros(D);
    sampling.features = D;
    assert_ok(orff_part_moments(&part, 2, 2, moments));
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create(&f, kernel, &sampling));
    assert_ok(orff_features_frequencies(f, omega, weight));
    for (size_t j = 0; j < D; j++) {
        const double square = omega[2 * j] * omega[2 * j] + omega[2 * j + 1] * omega[2 * j + 1];
        for (int k = 1; k <= 3; k++) sum[k - 1] += pow(square, k) / D;
    }
    for (int k = 0; k < 3; k++) assert_close(sum[k] / moments[k], 1.0, 2e-3);
    free(omega);
    free(weight);
    orff_features_free(f);
    orff_kernel_free(kernel);
}

/* Two models of one function, by the exact kernel and by features; files keep what they are. */
static void test_models(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 150, 2, 2, 0.05, 4);
    const orff_part part = wavy(ORFF_RULE_DECOMPOSABLE);
    orff_part found;
    for (int exact = 0; exact < 2; exact++) {
        orff_settings settings = fields_given(&part, 200, 1e-3);
        settings.engine = exact ? ORFF_ENGINE_EXACT : ORFF_ENGINE_FEATURES;
        settings.scale_inputs = ORFF_SWITCH_YES;
        orff_model *model = fields_fit(&settings, &rows), *again;
        assert_non_null(strstr(orff_model_describe(model).kernel, "wavelength 0.8 -2.5"));
        assert_ok(orff_model_part(model, 0, &found));
        assert_all_close(2, found.wavelengths, waves, 1e-12);
        again = support_reload(fields_fit(&settings, &rows));
        fields_assert_same(model, again, &rows, 2, 0.0);
        assert_non_null(strstr(orff_model_describe(again).kernel, "wavelength 0.8 -2.5"));
        orff_model_free(model);
        orff_model_free(again);
    }
    fields_free(&rows);
}

/* ---- learned */

/* The gradient of the evidence against differences, with a row that does not count. */
static void test_gradient(void **state) {
    (void)state;
    enum { N = 25, D = 2, P = 2, M = 2, UNKNOWNS = M * (2 * D + 1) + 1 };
    double *X = support_normal(N * D, 11, 1), *Y = support_normal(N * P, 12, 1), weights[N], got[UNKNOWNS];
    double x[UNKNOWNS] = {-0.2, 0.3, 1.4, -0.6, 0.1, 0.5, 0.2, 0.7, 2.2, -0.4, -1.5}, none[UNKNOWNS];
    const double extent[D] = {4.0, 3.0};
    orff_part parts[M] = {orff_part_default(), orff_part_default()};
    orffi_waves e;
    for (size_t i = 0; i < N; i++) weights[i] = i == 3 ? 0.0 : 1.0 + 0.1 * (double)(i % 4);
    const orffi_evidence_rows rows[2] = {
        {.n = 15, .X = X, .Y = Y, .weights = weights},
        {.n = 10, .X = X + 15 * D, .Y = Y + 15 * P, .weights = weights + 15}};
    parts[1].base = ORFF_BASE_MATERN;
    parts[1].shape = 2.5;
    assert_ok(orffi_waves_init(&e, D, P, M, parts, 2, rows, extent));
    assert_int_equal(orffi_waves_unknowns(&e), UNKNOWNS);
    double value, up, down;
    assert_ok(orffi_waves_evaluate(&e, x, &value, got));
    for (size_t i = 0; i < UNKNOWNS; i++) {
        const double h = 1e-5, at = x[i];
        x[i] = at + h;
        assert_ok(orffi_waves_evaluate(&e, x, &up, none));
        x[i] = at - h;
        assert_ok(orffi_waves_evaluate(&e, x, &down, NULL));
        x[i] = at;
        assert_close(got[i], (up - down) / (2.0 * h), 1e-6 * (1.0 + fabs(got[i])));
    }
    orffi_waves_clear(&e);
    free(X);
    free(Y);
}

/* With no part joined C = s I: what one more sine gains is what least squares of its cosine and sine take off the squares. */
static void test_scan(void **state) {
    (void)state;
    enum { N = 30, COUNT = 8 };
    double tried[COUNT];
    for (size_t j = 0; j < COUNT; j++) tried[j] = 0.5 * (double)(j + 1);
    double *X = support_normal(N, 21, 1), *Y = support_normal(N, 22, 1), gain[COUNT], amplitude[COUNT];
    const double extent = 4.0, noise = 0.4, x[4] = {0.0, 0.0, -80.0, log(noise)};
    const orff_part part = orff_part_default();
    const orffi_evidence_rows rows = {.n = N, .X = X, .Y = Y};
    orffi_waves e;
    assert_ok(orffi_waves_init(&e, 1, 1, 1, &part, 1, &rows, &extent));
    assert_ok(orffi_waves_scan(&e, x, COUNT, tried, gain, amplitude));
    for (size_t j = 0; j < COUNT; j++) {
        double cc = 0.0, cs = 0.0, ss = 0.0, cy = 0.0, sy = 0.0, taken = 0.0;
        const double mu = TWO_PI * 0.5 * (double)(j + 1) / extent;
        for (size_t i = 0; i < N; i++) {
            const double c = cos(mu * X[i]), sine = sin(mu * X[i]);
            cc += c * c;
            cs += c * sine;
            ss += sine * sine;
            cy += c * Y[i];
            sy += sine * Y[i];
        }
        const double det = cc * ss - cs * cs, a = (ss * cy - cs * sy) / det, b = (cc * sy - cs * cy) / det;
        for (size_t i = 0; i < N; i++) {
            const double left = Y[i] - a * cos(mu * X[i]) - b * sin(mu * X[i]);
            taken += Y[i] * Y[i] - left * left;
        }
        assert_close(gain[j], 0.5 * taken / noise, 1e-9);
        assert_close(amplitude[j], 0.5 * (a * a + b * b), 1e-9);
    }
    orffi_waves_clear(&e);
    free(X);
    free(Y);
}

/* Two periods, irregular times. */
static double two_periods(double t) {
    return sin(TWO_PI * t / 7.3 + 0.4) + 0.7 * sin(TWO_PI * t / 2.9 + 1.0);
}

enum { ROWS = 300, AHEAD = 100 };

/* The root mean square error over the next 20 after the rows' 100. */
static double error_ahead(const orff_model *model) {
    double sum = 0.0;
    for (size_t i = 0; i < AHEAD; i++) {
        const double t = 100.0 + 20.0 * (double)i / AHEAD;
        double y;
        assert_ok(orff_model_predict(model, 1, &t, &y));
        sum += (y - two_periods(t)) * (y - two_periods(t));
    }
    return sqrt(sum / AHEAD);
}

static orff_model *fit_series(size_t n_parts, const orff_part *parts, const fields_rows *rows) {
    orff_settings settings = orff_settings_default();
    settings.n_parts = n_parts;
    settings.parts = parts;
    settings.engine = ORFF_ENGINE_EXACT;
    return fields_fit(&settings, rows);
}

static void test_learned(void **state) {
    (void)state;
    double *t = support_zeros(ROWS), *noise = support_normal(ROWS, 32, 1), *y = support_zeros(ROWS);
    orff_part parts[2] = {orff_part_default(), orff_part_default()}, found[2], matern = orff_part_default();
    for (size_t i = 0; i < ROWS; i++) {
        t[i] = 100.0 * orffi_rng_uniform((orffi_rng){31, 1}, i, 0);
        y[i] = two_periods(t[i]) + 0.3 * noise[i];
    }
    const fields_rows rows = {.n = ROWS, .d = 1, .p = 1, .X = t, .Y = y};
    for (size_t m = 0; m < 2; m++) {
        parts[m].sigma = ORFF_SIGMA_AUTO;
        parts[m].base = ORFF_BASE_AUTO;
        parts[m].learn_wavelengths = true;
    }
    matern.base = ORFF_BASE_MATERN;
    matern.shape = 2.5;
    matern.sigma = ORFF_SIGMA_AUTO;
    orff_model *mixture = fit_series(2, parts, &rows), *plain = fit_series(1, &matern, &rows);
    for (size_t m = 0; m < 2; m++) assert_ok(orff_model_part(mixture, m, &found[m]));
    const size_t longer = found[0].wavelengths[0] < found[1].wavelengths[0];
    assert_close(found[longer].wavelengths[0], 7.3, 0.02 * 7.3);
    assert_close(found[!longer].wavelengths[0], 2.9, 0.02 * 2.9);
    assert_true(error_ahead(mixture) < 0.15);
    assert_true(error_ahead(plain) > 0.5);
    orff_model_free(mixture);
    orff_model_free(plain);
    free(t);
    free(y);
    free(noise);
}

/* Waves that run obliquely to both inputs. */
static void test_oblique(void **state) {
    (void)state;
    enum { N = 250 };
    double *X = support_zeros(2 * N), *y = support_normal(N, 34, 1);
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < 2; k++)
            X[2 * i + k] = 10.0 * orffi_rng_uniform((orffi_rng){33, 1}, i, (uint32_t)k);
        y[i] = sin(TWO_PI * (X[2 * i] / 2.7 - X[2 * i + 1] / 4.1) + 0.3) + 0.3 * y[i];
    }
    const fields_rows rows = {.n = N, .d = 2, .p = 1, .X = X, .Y = y};
    orff_part part = orff_part_default(), found;
    part.sigma = ORFF_SIGMA_AUTO;
    part.base = ORFF_BASE_AUTO;
    part.learn_wavelengths = true;
    orff_model *model = fit_series(1, &part, &rows);
    assert_ok(orff_model_part(model, 0, &found));
    assert_close(fabs(found.wavelengths[0]), 2.7, 0.02 * 2.7);
    assert_close(fabs(found.wavelengths[1]), 4.1, 0.02 * 4.1);
    assert_true(found.wavelengths[0] * found.wavelengths[1] < 0.0);
    orff_model_free(model);
    free(X);
    free(y);
}

static void test_refused(void **state) {
    (void)state;
    orff_kernel *kernel = NULL;
    orff_features *f = NULL;
    orff_part part = wavy(ORFF_RULE_DECOMPOSABLE);
    orff_sampling sampling = orff_sampling_default();
    static const double infinite[2] = {INFINITY, 0.0};
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    sampling.scheme = ORFF_SCHEME_HADAMARD;
    assert_status(orff_features_create(&f, kernel, &sampling), ORFF_ERROR_UNSUPPORTED);
    orff_kernel_free(kernel);
    part.wavelengths = infinite;
    assert_status(orff_kernel_create(&kernel, 2, 2, 1, &part), ORFF_ERROR_INVALID_ARGUMENT);
    part = wavy(ORFF_RULE_DIV_FREE);
    part.A = NULL;
    assert_status(orff_kernel_create(&kernel, 2, 2, 1, &part), ORFF_ERROR_UNSUPPORTED);
    assert_says("has no wavelength");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),       cmocka_unit_test(test_features), cmocka_unit_test(test_positive),
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_moments),  cmocka_unit_test(test_models),
        cmocka_unit_test(test_gradient),    cmocka_unit_test(test_scan),     cmocka_unit_test(test_learned),
        cmocka_unit_test(test_oblique),     cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
