/* Vector autoregression: rows of lags, forecasts with known spread, files, links. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

static void test_rows(void **state) {
    const double values[12] = {1, 10, 2, 20, 3, NAN, 4, 40, 5, 50, 6, 60};
    const size_t lags[2] = {1, 2};
    const double X[8] = {4, 40, 3, 0, 5, 50, 4, 40};
    orff_series s = {.n = 6, .p = 2, .values = values, .n_lags = 2, .lags = lags};
    double x[24], y[12];
    size_t rows, time[6];
    (void)state;
    assert_ok(orff_series_rows(&s, &rows, x, y, time));
    assert_int_equal(rows, 1); /* the value that is missing is needed by all others */
    assert_int_equal(time[0], 5);
    assert_all_close(4, x, X + 4, 0.0);
    assert_all_close(2, y, values + 10, 0.0);
    s.changes = true;
    assert_ok(orff_series_rows(&s, &rows, x, y, NULL));
    assert_true(rows == 1 && y[0] == 1.0 && y[1] == 10.0);
    s.n_lags = 1;
    assert_ok(orff_series_rows(&s, &rows, NULL, NULL, NULL));
    assert_int_equal(rows, 3);
}

static void test_refused(void **state) {
    const double values[4] = {1, 2, 3, INFINITY};
    const size_t lags[2] = {2, 2}, zero = 0, long_lag = 4, one = 1;
    orff_series s = {.n = 3, .p = 1, .values = values, .n_lags = 2, .lags = lags};
    size_t rows;
    (void)state;
    assert_status(orff_series_rows(&s, &rows, NULL, NULL, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    s.n_lags = 1;
    s.lags = &zero;
    assert_status(orff_series_rows(&s, &rows, NULL, NULL, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    s.lags = &long_lag;
    assert_status(orff_series_rows(&s, &rows, NULL, NULL, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("too short");
    s.lags = &one;
    s.n = 4;
    assert_status(orff_series_rows(&s, &rows, NULL, NULL, NULL), ORFF_ERROR_NOT_FINITE);
}

/* x_t = a x_{t-1} + s e_t, of which everything is known. */
static double *linear_series(size_t n, double a, double s) {
    double *e = models_normal(n, 3);
    for (size_t t = 0; t < n; t++) e[t] = s * e[t] + (t ? a * e[t - 1] : 0.0);
    return e;
}

static orff_model *fit(const orff_series *s) {
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    assert_ok(orff_model_fit_series(&model, &settings, s));
    return model;
}

static void test_spread(void **state) {
    enum { N = 800, STEPS = 6 };
    double *x = linear_series(N, 0.7, 0.5), mean[STEPS], S[STEPS], variance = 0.0;
    const size_t lag = 1;
    const orff_series s = {.n = N, .p = 1, .values = x, .n_lags = 1, .lags = &lag};
    const double now = 1.5;
    orff_model *model = fit(&s);
    (void)state;
    assert_ok(orff_model_forecast(model, 1, &now, STEPS, 600, 1, mean, S, NULL));
    for (size_t h = 0; h < STEPS; h++) {
        variance = 0.49 * variance + 0.25;
        support_case("step %zu: %g +- %g", h + 1, mean[h], S[h]);
        assert_true(fabs(mean[h] - 1.5 * pow(0.7, (double)h + 1.0)) < 0.25);
        assert_true(S[h] > 0.8 * sqrt(variance) && S[h] < 1.25 * sqrt(variance));
    }
    support_case(NULL);
    orff_model_free(model);
    free(x);
}

/* A file forecasts the same; the same seed does too, another does not. */
/* Steps that are outliers in all series at once do not correlate the noise of what is learned without them. */
static void test_outliers(void **state) {
    enum { N = 300, P = 2 };
    const size_t lag = 1;
    double *values = models_normal(N * P, 4);
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    (void)state;
    for (size_t k = 0; k < P; k++) {
        values[100 * P + k] += 100.0;
        values[200 * P + k] -= 100.0;
    }
    const orff_series s = {.n = N, .p = P, .values = values, .n_lags = 1, .lags = &lag};
    settings.drop_outliers = true;
    assert_ok(orff_model_fit_series(&model, &settings, &s));
    const double *noise = orff_model_series(model).noise;
    assert_true(orff_model_describe(model).rows == N - 3);
    assert_true(noise[0] < 1.5 && fabs(noise[1]) < 0.3 * sqrt(noise[0] * noise[3]));
    assert_true(noise[2] == noise[1]);
    orff_model_free(model);
    free(values);
}

static void test_files(void **state) {
    enum { N = 300, STEPS = 4, MANY = 20 };
    double *x = linear_series(N, 0.6, 0.3), paths[MANY * STEPS], again[MANY * STEPS], mean[STEPS],
           other[STEPS];
    const size_t lags[2] = {1, 3};
    const orff_series s = {.n = N, .p = 1, .values = x, .n_lags = 2, .lags = lags, .changes = true};
    orff_model *model = fit(&s), *loaded = NULL;
    (void)state;
    assert_ok(orff_model_save(model, "series.orff", false));
    assert_ok(orff_model_load(&loaded, "series.orff"));
    const orff_series_info info = orff_model_series(loaded);
    assert_true(info.n_lags == 2 && info.lags[1] == 3 && info.depth == 3 && info.changes);
    assert_all_close(3, info.last, x + N - 3, 0.0);
    assert_ok(orff_model_forecast(model, 0, NULL, STEPS, MANY, 7, mean, NULL, paths));
    assert_ok(orff_model_forecast(loaded, N, x, STEPS, MANY, 7, other, NULL, again));
    assert_all_close(MANY * STEPS, again, paths, 1e-9);
    assert_ok(orff_model_forecast(model, 0, NULL, STEPS, MANY, 8, other, NULL, again));
    assert_true(fabs(again[0] - paths[0]) > 1e-6);
    /* fed with its own values: without chance */
    assert_ok(orff_model_forecast(model, 0, NULL, STEPS, 0, 0, mean, NULL, NULL));
    assert_ok(orff_model_forecast(model, 0, NULL, STEPS, 0, 1, other, NULL, NULL));
    assert_all_close(STEPS, other, mean, 0.0);
    assert_status(orff_model_forecast(model, 2, x, STEPS, 0, 0, mean, NULL, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_model_forecast(model, 0, NULL, STEPS, 1, 0, NULL, mean, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    remove("series.orff");
    orff_model_free(model);
    orff_model_free(loaded);
    free(x);
}

static void test_other_models(void **state) {
    double *X = models_normal(40, 1), mean[2];
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    (void)state;
    assert_ok(orff_model_fit(&model, &settings, 1, 1, 40, X, X, NULL));
    assert_int_equal(orff_model_series(model).n_lags, 0);
    assert_status(orff_model_forecast(model, 0, NULL, 2, 0, 0, mean, NULL, NULL), ORFF_ERROR_UNSUPPORTED);
    orff_model_free(model);
    free(X);
}

/* a moves b, bent; c is by itself. */
static double *chain(size_t n) {
    double *e = models_normal(3 * n, 5), *x = support_zeros(3 * n);
    for (size_t t = 1; t < n; t++) {
        const double *before = x + 3 * (t - 1);
        x[3 * t] = 1.5 * sin(1.8 * before[0]) + 0.2 * e[3 * t];
        x[3 * t + 1] = 0.3 * before[1] + 1.2 * cos(1.5 * before[0]) + 0.2 * e[3 * t + 1];
        x[3 * t + 2] = 0.6 * before[2] + 0.3 * e[3 * t + 2];
    }
    free(e);
    return x;
}

static void test_links(void **state) {
    enum { N = 500 };
    double *x = chain(N), strength[9], probability[9];
    const size_t lag = 1;
    const orff_series s = {.n = N, .p = 3, .values = x, .n_lags = 1, .lags = &lag};
    orff_model *model = fit(&s);
    (void)state;
    assert_ok(orff_series_links(model, &s, 199, 0, strength, probability));
    assert_true(probability[0] < 0.02 && probability[3] < 0.02 && probability[8] < 0.02);
    assert_true(strength[3] > 5.0 * strength[1]);
    assert_true(probability[1] > 0.05 && probability[2] > 0.05 && probability[7] > 0.05);
    orff_model_free(model);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_refused),      cmocka_unit_test(test_spread),
        cmocka_unit_test(test_files),    cmocka_unit_test(test_other_models), cmocka_unit_test(test_links),
        cmocka_unit_test(test_outliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
