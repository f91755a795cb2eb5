/* Particles in fields with known paths. */
#include "fields.h"

#define PI 3.14159265358979323846

/* Rows without noise on a grid of [-2,2]^2 (and times 0 .. 3 where d = 3), and a smooth fit: the field itself to 1e-5. */
static orff_model *fit_truth(fields_truth truth, size_t d, const char *engine) {
    const size_t side = d == 3 ? 6 : 13, slices = d == 3 ? 9 : 1, n = side * side * slices;
    double *X = support_zeros(n * d), *Y = support_zeros(n * 2);
    char chosen[32];
    const char *const settings[] = {"kernel=decomposable",
                                    d == 3 ? "sigma=2,2,1.5" : "sigma=2",
                                    "lambda=1e-12",
                                    "base=gaussian",
                                    chosen,
                                    "posterior=no",
                                    NULL};
    orff_model *model = NULL;
    snprintf(chosen, sizeof chosen, "engine=%s", engine);
    for (size_t i = 0; i < n; i++) {
        double *x = X + i * d;
        x[0] = -2.0 + 4.0 * (double)(i % side) / (double)(side - 1);
        x[1] = -2.0 + 4.0 * (double)(i / side % side) / (double)(side - 1);
        if (d == 3) x[2] = 3.0 * (double)(i / (side * side)) / (double)(slices - 1);
        truth(x, Y + 2 * i);
    }
    assert_ok(orff_learn(&model, settings, d, 2, n, X, Y));
    free(X);
    free(Y);
    return model;
}

static void solid_rotation(const double *x, double *y) {
    y[0] = -x[1];
    y[1] = x[0];
}

static void saddle(const double *x, double *y) {
    y[0] = 0.7 * x[0];
    y[1] = -1.3 * x[1];
}

static void swinging(const double *x, double *y) {
    y[0] = cos(x[2]);
    y[1] = -0.5 * sin(x[2]);
}

static orff_drift plain(const orff_model *model) {
    orff_drift drift;
    assert_ok(orff_model_drift_default(model, false, &drift));
    return drift;
}

/* ---- known paths */

/* Orbits close, whatever the time between the places that are asked for. */
static void test_orbits_close(void **state) {
    orff_model *model = fit_truth(solid_rotation, 2, "exact");
    const orff_drift drift = plain(model);
    const double X[4] = {1.0, 0.0, 0.0, -0.3}, times[3] = {0.0, PI / 2.0, 2.0 * PI};
    double tracks[3 * 4], many[101 * 4], fine[101];
    (void)state;
    assert_ok(orff_model_drift(model, NULL, &drift, 2, X, 3, times, tracks));
    assert_all_close(4, tracks, X, 1e-15);
    const double quarter[4] = {0.0, 1.0, 0.3, 0.0};
    assert_all_close(4, tracks + 4, quarter, 1e-3);
    assert_all_close(4, tracks + 8, X, 1e-3);
    for (size_t i = 0; i <= 100; i++) fine[i] = 2.0 * PI * (double)i / 100.0;
    assert_ok(orff_model_drift(model, NULL, &drift, 2, X, 101, fine, many));
    assert_all_close(4, many + 100 * 4, tracks + 8, 1e-6);
    for (size_t i = 0; i <= 100; i++) {
        const double where[4] = {cos(fine[i]), sin(fine[i]), 0.3 * sin(fine[i]), -0.3 * cos(fine[i])};
        assert_all_close(4, many + 4 * i, where, 1e-3);
    }
    orff_model_free(model);
}

/* x(t) = x(0) exp(a t); backwards the same way, and back where it began. */
static void test_exponentials(void **state) {
    orff_model *model = fit_truth(saddle, 2, "exact");
    orff_drift drift = plain(model);
    const double X[2] = {0.5, 1.8}, times[2] = {0.5, 1.5}, back = -1.5;
    double tracks[4], again[2], other[4];
    (void)state;
    assert_ok(orff_model_drift(model, NULL, &drift, 1, X, 2, times, tracks));
    for (size_t t = 0; t < 2; t++) {
        assert_close(tracks[2 * t], 0.5 * exp(0.7 * times[t]), 1e-3);
        assert_close(tracks[2 * t + 1], 1.8 * exp(-1.3 * times[t]), 1e-3);
    }
    assert_ok(orff_model_drift(model, NULL, &drift, 1, tracks + 2, 1, &back, again));
    assert_all_close(2, again, X, 1e-4);
    drift.rate = 0.5; /* half as fast for twice as long */
    const double longer[2] = {1.0, 3.0};
    assert_ok(orff_model_drift(model, NULL, &drift, 1, X, 2, longer, other));
    assert_all_close(4, other, tracks, 1e-5);
    orff_model_free(model);
}

/* The stream function of a divergence-free field is kept along its paths: a check of the steps without a reference. */
static void test_stream_function_is_kept(void **state) {
    fields_rows rows = fields_draw(fields_rotation, 300, 2, 2, 0.02, 3);
    const orff_part part = fields_part(ORFF_RULE_DIV_FREE, 0.5);
    orff_settings settings = fields_given(&part, 200, 1e-6);
    const double X[4] = {0.3, 0.2, -0.4, 0.5};
    double times[40], tracks[160], psi[80], start[2], error[2];
    (void)state;
    settings.center = false;
    orff_model *model = fields_fit(&settings, &rows);
    orff_drift drift = plain(model);
    for (size_t i = 0; i < 40; i++) times[i] = 0.25 * (double)(i + 1);
    for (size_t fine = 0; fine < 2; fine++) {
        drift.tolerance = fine ? 1e-9 : 1e-4;
        assert_ok(orff_model_drift(model, NULL, &drift, 2, X, 40, times, tracks));
        assert_ok(orff_model_stream_function(model, 80, tracks, psi));
        assert_ok(orff_model_stream_function(model, 2, X, start));
        error[fine] = 0.0;
        for (size_t i = 0; i < 80; i++) error[fine] = fmax(error[fine], fabs(psi[i] - start[i % 2]));
    }
    assert_true(error[0] < 1e-2);
    assert_true(error[1] < 1e-6);
    orff_model_free(model);
    fields_free(&rows);
}

/* An input that is time goes on by itself, also where every particle starts at a time of its own. */
static void test_clock(void **state) {
    orff_model *model = fit_truth(swinging, 3, "exact");
    orff_drift drift = plain(model);
    const double X[6] = {0.0, 0.0, 0.5, 0.2, 0.1, 1.0}, times[2] = {0.7, 1.6};
    double tracks[12];
    (void)state;
    assert_true(drift.has_clock && drift.clock == 2); /* the only input beyond the space, without a name */
    assert_ok(orff_model_drift(model, NULL, &drift, 2, X, 2, times, tracks));
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < 2; i++) {
            const double *x = tracks + (2 * t + i) * 3, *from = X + 3 * i, end = from[2] + times[t];
            assert_close(x[0], from[0] + sin(end) - sin(from[2]), 2e-3);
            assert_close(x[1], from[1] + 0.5 * (cos(end) - cos(from[2])), 2e-3);
            assert_close(x[2], end, 1e-12);
        }
    drift.has_clock = false; /* held: f stays what it is at the start */
    assert_ok(orff_model_drift(model, NULL, &drift, 1, X, 2, times, tracks));
    assert_close(tracks[0], times[0] * cos(0.5), 2e-3);
    assert_close(tracks[2], 0.5, 1e-15);
    orff_model_free(model);
}

/* ---- over the sphere */

/* 10 m/s eastward everywhere. */
static orff_model *fit_east(double lon, double lat) {
    enum { N = 100 };
    double X[2 * N], Y[2 * N];
    const char *const settings[] = {
        "kernel=decomposable", "sigma=3000", "lambda=1e-10", "geo=lonlat", "engine=exact", "center=no", NULL};
    orff_model *model = NULL;
    for (size_t i = 0; i < N; i++) {
        const double east = lon + 1.0 * ((double)(i % 10) - 4.5);
        X[2 * i] = east > 180.0 ? east - 360.0 : east;
        X[2 * i + 1] = lat + 0.5 * ((double)(i / 10) - 4.5);
        Y[2 * i] = 10.0;
        Y[2 * i + 1] = 0.0;
    }
    assert_ok(orff_learn(&model, settings, 2, 2, N, X, Y));
    return model;
}

/* Along a parallel, in degrees of its own length, and over the date line without a jump. */
static void test_sphere(void **state) {
    const double places[2][2] = {{10.0, 50.0}, {179.0, -60.0}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        orff_model *model = fit_east(places[i][0], places[i][1]);
        orff_drift drift;
        const double times[2] = {2.0, 5.0};
        double tracks[4];
        assert_ok(orff_model_drift_default(model, true, &drift));
        assert_non_null(strstr(drift.assumed, "m/s"));
        assert_close(drift.rate, 3.6, 1e-12);
        assert_ok(orff_model_drift(model, NULL, &drift, 1, places[i], 2, times, tracks));
        for (size_t t = 0; t < 2; t++) {
            const double degrees =
                36.0 * times[t] / (6371.0088 * cos(places[i][1] * PI / 180.0)) * 180.0 / PI;
            assert_close(tracks[2 * t], places[i][0] + degrees, 2e-3);
            assert_close(tracks[2 * t + 1], places[i][1], 2e-3);
        }
        orff_model_free(model);
    }
}

/* ---- samples */

/* With a length scale beyond all distances a sample adds the same to f everywhere: paths spread as t times its error. */
static void test_spread_of_a_constant(void **state) {
    enum { K = 400 };
    const double X[8] = {0.0, 0.0, 0.1, 0.0, 0.0, 0.1, 0.1, 0.1},
                 Y[8] = {1.0, 0.2, 0.8, 0.4, 1.1, 0.1, 0.9, 0.3};
    static const char *const engines[] = {"engine=exact", "engine=features"};
    (void)state;
    for (size_t e = 0; e < 2; e++) {
        const char *const settings[] = {"kernel=decomposable", "sigma=1000",    "lambda=0.25",
                                        "center=no",           "posterior=yes", "scale-inputs=no",
                                        "scale-outputs=no",    engines[e],      NULL};
        orff_model *model = NULL;
        orff_samples *samples = NULL;
        const double times[2] = {1.0, 3.0}, at[2] = {0.05, 0.05};
        double *tracks = support_zeros(K * 2 * 2), mean[4], C[8], f[2], want[4];
        size_t left[2];
        assert_ok(orff_learn(&model, settings, 2, 2, 4, X, Y));
        const orff_drift drift = plain(model);
        assert_ok(orff_samples_draw(&samples, model, K, 5));
        assert_ok(orff_model_drift(model, samples, &drift, 1, at, 2, times, tracks));
        assert_ok(orff_drift_spread(model, &drift, K, 2, tracks, mean, C, left));
        assert_ok(orff_model_predict(model, 1, at, f));
        assert_ok(orff_model_covariance(model, 1, at, want));
        for (size_t t = 0; t < 2; t++) {
            assert_int_equal(left[t], K);
            for (size_t k = 0; k < 2; k++) {
                const double square = times[t] * times[t] * want[3 * k];
                assert_close(mean[2 * t + k], at[k] + times[t] * f[k], 5.0 * sqrt(square / K) + 1e-9);
                assert_close(C[4 * t + 3 * k] / square, 1.0, 5.0 * sqrt(2.0 / K));
            }
        }
        free(tracks);
        orff_samples_free(samples);
        orff_model_free(model);
    }
}

/* Each member goes with its own sample: a small step is the sample's value. */
static void test_members(void **state) {
    enum { K = 3 };
    fields_rows rows = fields_draw(fields_rotation, 60, 2, 2, 0.3, 3);
    const orff_part part = fields_part(ORFF_RULE_HELMHOLTZ, 0.5);
    const orff_settings settings = fields_given(&part, 100, 1e-3);
    orff_model *model = fields_fit(&settings, &rows);
    const orff_drift drift = plain(model);
    const double h = 1e-4;
    double tracks[K * 4], values[K * 4];
    orff_samples *samples = NULL;
    (void)state;
    assert_ok(orff_samples_draw(&samples, model, K, 5));
    assert_ok(orff_model_drift(model, samples, &drift, 2, rows.X, 1, &h, tracks));
    assert_ok(orff_samples_field(samples, ORFF_FIELD_VALUES, 2, rows.X, values));
    for (size_t i = 0; i < K * 4; i++) assert_close((tracks[i] - rows.X[i % 4]) / h, values[i], 2e-2);
    orff_samples_free(samples);
    orff_model_free(model);
    fields_free(&rows);
}

/* ---- ends */

/* A masked particle ends there and goes on without a mask. */
static void test_mask(void **state) {
    orff_model *model = fit_truth(saddle, 2, "exact");
    orff_drift drift = plain(model);
    const double X[4] = {1.0, 1.0, 0.01, 1.0}, times[3] = {0.5, 2.0, 2.5};
    double tracks[12];
    (void)state;
    drift.mask.distance = 0.5;
    assert_ok(orff_model_drift(model, NULL, &drift, 2, X, 3, times, tracks));
    assert_true(isfinite(tracks[0]) && isnan(tracks[4]) && isnan(tracks[5]) && isnan(tracks[8]));
    assert_true(isfinite(tracks[2]) && isfinite(tracks[6]) && isfinite(tracks[10]));
    drift.mask = orff_mask_default();
    assert_ok(orff_model_drift(model, NULL, &drift, 2, X, 3, times, tracks));
    assert_true(isfinite(tracks[4]));
    orff_model_free(model);
}

static bool refuse_progress(void *self, const char *task, double done, double total) {
    (void)self;
    (void)task;
    (void)done;
    (void)total;
    return false;
}

static void test_refused(void **state) {
    orff_model *model = fit_truth(saddle, 2, "exact");
    orff_drift drift = plain(model);
    const double X[2] = {1.0, 1.0}, mixed[2] = {1.0, -1.0}, good = 1.0, back[2] = {2.0, 1.0};
    const orff_hooks hooks = {.progress = refuse_progress};
    double tracks[4] = {7.0};
    (void)state;
    assert_status(orff_model_drift(model, NULL, &drift, 1, X, 2, mixed, tracks), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_model_drift(model, NULL, &drift, 1, X, 2, back, tracks), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("time 2 is 1");
    orff_set_hooks(&hooks);
    assert_status(orff_model_drift(model, NULL, &drift, 1, X, 1, &good, tracks), ORFF_ERROR_CANCELLED);
    orff_set_hooks(NULL);
    assert_close(tracks[0], 7.0, 0.0);
    assert_status(orff_model_drift_default(model, true, &drift), ORFF_ERROR_UNSUPPORTED);
    assert_says("units");
    drift.space[0] = 5;
    assert_status(orff_model_drift(model, NULL, &drift, 1, X, 1, &good, tracks), ORFF_ERROR_INVALID_ARGUMENT);
    orff_model_free(model);
}

/* ---- units */

static void test_units(void **state) {
    static const struct {
        const char *input, *output;
        double rate;
    } cases[] = {{"km", "m/s", 3.6},    {"m", "m s-1", 3600.0}, {"km", "cm s**-1", 0.036},
                 {"m", "km/h", 1000.0}, {"km", "knots", 1.852}, {"m", "m day-1", 1.0 / 24.0}};
    orff_model *model = fit_truth(swinging, 3, "exact");
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orff_notes *notes = NULL;
        orff_drift drift;
        const char *text;
        assert_ok(orff_notes_create(&notes, 3, 2));
        for (size_t k = 0; k < 2; k++) {
            assert_ok(orff_notes_set_units(notes, ORFF_SIDE_INPUT, k, cases[i].input));
            assert_ok(orff_notes_set_units(notes, ORFF_SIDE_OUTPUT, k, cases[i].output));
        }
        assert_ok(orff_notes_set_units(notes, ORFF_SIDE_INPUT, 2, "days since 2001-01-01"));
        assert_ok(orff_notes_text(notes, &text));
        assert_ok(orff_model_set_notes(model, text));
        assert_ok(orff_model_drift_default(model, true, &drift));
        assert_close(drift.rate, cases[i].rate, 1e-12);
        assert_true(drift.has_clock && drift.clock == 2 && !*drift.assumed);
        assert_close(drift.pace, 1.0 / 24.0, 1e-15);
        orff_notes_free(notes);
    }
    orff_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orbits_close),
        cmocka_unit_test(test_exponentials),
        cmocka_unit_test(test_stream_function_is_kept),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_sphere),
        cmocka_unit_test(test_spread_of_a_constant),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_mask),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
