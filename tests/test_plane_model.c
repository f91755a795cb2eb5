/* Models on a plane against models of rows that were projected beforehand: fits of arrays and streams,
 * tuning, moments, predictions, error bars, derived fields, files; and their notes. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

#include "base/plane.h"

enum { N = 60, D = 3 };
static const size_t inputs[2] = {1, 2}; /* input 0 is a covariate */

/* Rows of (hour, longitude, latitude) and winds, and the same rows on the plane. */
typedef struct rows {
    double X[N * D], Y[N * 2], x[N * D], y[N * 2];
    orff_plane plane;
} rows;

static rows make_rows(void) {
    rows r;
    for (size_t i = 0; i < N; i++) {
        const double t = 0.37 * (double)i;
        r.X[i * D] = sin(1.7 * t);
        r.X[i * D + 1] = 178.0 + 4.0 * sin(t) - (i % 2 ? 360.0 : 0.0);
        r.X[i * D + 2] = 60.0 + 3.0 * cos(1.3 * t);
        r.Y[2 * i] = sin(r.X[i * D + 2]) + 0.1 * r.X[i * D];
        r.Y[2 * i + 1] = cos(r.X[i * D + 1] * 0.3) + 0.05 * sin(9.0 * t);
    }
    memcpy(r.x, r.X, sizeof r.x);
    memcpy(r.y, r.Y, sizeof r.y);
    assert_ok(orff_plane_around(&r.plane, D, inputs, N, r.X));
    assert_ok(orff_plane_project(&r.plane, D, N, r.x, r.y));
    return r;
}

static orff_settings make_settings(orff_part *part) {
    orff_settings s = orff_settings_default();
    *part = orff_part_default();
    part->rule = ORFF_RULE_DIV_FREE;
    part->sigma = 150.0;
    part->space = inputs;
    s.n_parts = 1;
    s.parts = part;
    s.sampling.features = 40;
    s.lambda = 1e-6;
    return s;
}

static void assert_near(size_t n, const double *a, const double *b, double scale) {
    for (size_t i = 0; i < n; i++) assert_true(fabs(a[i] - b[i]) <= 1e-9 * scale);
}

/* The model of degrees and the one of km say the same, turned. */
static void assert_same(const rows *r, const orff_model *geo, const orff_model *flat) {
    double F[N * 2], f[N * 2], C[N * 4], c[N * 4], S[N * 2], J[N * 6], j[N * 6], a[N], b[N];
    float X[N * D], single[N * 2];
    const orff_model_info info = orff_model_describe(geo);
    assert_true(info.on_plane && info.plane.lon == r->plane.lon && info.plane.inputs[1] == 2);
    assert_false(orff_model_describe(flat).on_plane);
    assert_ok(orff_model_predict(geo, N, r->X, F));
    assert_ok(orff_model_predict(flat, N, r->x, f));
    assert_ok(orff_model_covariance(geo, N, r->X, C));
    assert_ok(orff_model_covariance(flat, N, r->x, c));
    assert_ok(orff_model_std(geo, N, r->X, false, S));
    assert_ok(orff_model_jacobian(geo, N, r->X, J));
    assert_ok(orff_model_jacobian(flat, N, r->x, j));
    for (size_t i = 0; i < N * D; i++) X[i] = (float)r->X[i];
    assert_ok(orff_model_predict_single(geo, N, X, single));
    for (size_t i = 0; i < N; i++) {
        double place[D], turn[2];
        memcpy(place, r->X + i * D, sizeof place);
        assert_ok(orffi_plane_places(&r->plane, D, 0, 1, place, turn));
        orffi_plane_vector_to(turn, F + 2 * i);
        assert_true(fabs(C[4 * i] + C[4 * i + 3] - c[4 * i] - c[4 * i + 3]) < 1e-9 * c[4 * i]);
        assert_true(fabs(S[2 * i] * S[2 * i] - C[4 * i]) < 1e-9 * C[4 * i]);
        /* the wind's change along a direction: J u, with u and the result turned; trace and the covariate's column */
        assert_true(fabs(J[6 * i + 1] + J[6 * i + 5] - j[6 * i + 1] - j[6 * i + 5]) < 1e-9);
        double by_hour[2] = {J[6 * i], J[6 * i + 3]};
        orffi_plane_vector_to(turn, by_hour);
        assert_true(fabs(by_hour[0] - j[6 * i]) < 1e-9 && fabs(by_hour[1] - j[6 * i + 3]) < 1e-9);
        double vector[2] = {(double)single[2 * i], (double)single[2 * i + 1]};
        orffi_plane_vector_to(turn, vector);
        assert_true(hypot(vector[0] - f[2 * i], vector[1] - f[2 * i + 1]) < 1e-2);
    }
    assert_near(N * 2, F, f, 1.0);
    assert_ok(orff_model_curl(geo, N, r->X, a));
    assert_ok(orff_model_curl(flat, N, r->x, b));
    assert_near(N, a, b, 1.0);
    assert_ok(orff_model_divergence(geo, N, r->X, a));
    for (size_t i = 0; i < N; i++) assert_true(fabs(a[i]) < 1e-9);
}

static void test_fits(void **state) {
    (void)state;
    const rows r = make_rows();
    orff_part part;
    orff_settings plain = make_settings(&part), settings = plain;
    orff_model *geo = NULL, *flat = NULL, *tuned = NULL;
    settings.geo = ORFF_GEO_LONLAT; /* the space of the part tells the inputs */
    assert_ok(orff_model_fit(&geo, &settings, D, 2, N, r.X, r.Y, NULL));
    assert_ok(orff_model_fit(&flat, &plain, D, 2, N, r.x, r.y, NULL));
    assert_same(&r, geo, flat);
    assert_ok(orff_model_tune(&tuned, 1, &settings, D, 2, N, r.X, r.Y, NULL, NULL, NULL));
    assert_same(&r, tuned, flat);
    orff_model_free(tuned);
    orff_model_free(geo);
    orff_model_free(flat);
}

/* ---- streams */

typedef struct source {
    const rows *r;
    size_t next;
} source;

static int read_some(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    source *s = self;
    (void)weights;
    *n = N - s->next < 7 ? N - s->next : 7;
    if (*n > room) *n = room;
    memcpy(X, s->r->X + s->next * D, *n * D * sizeof *X);
    memcpy(Y, s->r->Y + s->next * 2, *n * 2 * sizeof *Y);
    s->next += *n;
    return 0;
}

/* All rows are in the head: the same plane. Few are: that of the few, and a row beyond them that is no place is told. */
static void test_streams(void **state) {
    (void)state;
    rows r = make_rows();
    source s = {.r = &r};
    const orff_reader reader = {.read = read_some, .self = &s};
    orff_part part;
    orff_settings settings = make_settings(&part), plain = settings;
    orff_model *geo = NULL, *flat = NULL;
    orff_plane head;
    settings.geo = ORFF_GEO_LONLAT;
    assert_ok(orff_model_fit_stream(&geo, &settings, D, 2, &reader));
    assert_ok(orff_model_fit(&flat, &plain, D, 2, N, r.x, r.y, NULL));
    assert_same(&r, geo, flat);
    orff_model_free(geo);
    orff_model_free(flat);
    settings.subsample = 20;
    s.next = 0;
    assert_ok(orff_model_fit_stream(&geo, &settings, D, 2, &reader));
    assert_ok(orff_plane_around(&head, D, inputs, 20, r.X));
    assert_true(orff_model_describe(geo).plane.lat == head.lat && orff_model_describe(geo).rows == N);
    orff_model_free(geo);
    r.X[40 * D + 2] = 91.0;
    s.next = 0;
    geo = NULL;
    assert_int_equal(orff_model_fit_stream(&geo, &settings, D, 2, &reader), ORFF_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(orff_error_message(), "row 41 is at longitude"));
    assert_null(geo);
}

/* ---- moments and files */

static orff_moments *make_moments(const rows *r, const orff_part *part, const orff_plane *plane) {
    const orff_moments_settings how = {.folds = 2, .plane = plane};
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    sampling.features = 40;
    assert_ok(orff_kernel_create(&kernel, D, 2, 1, part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_ok(orff_moments_create(&moments, features, &how));
    assert_ok(orff_moments_accumulate(moments, N, plane ? r->X : r->x, plane ? r->Y : r->y, NULL));
    orff_features_free(features);
    orff_kernel_free(kernel);
    return moments;
}

static void test_moments_and_files(void **state) {
    (void)state;
    const rows r = make_rows();
    orff_part part;
    const orff_settings settings = make_settings(&part);
    orff_moments *geo = make_moments(&r, &part, &r.plane), *flat = make_moments(&r, &part, NULL),
                 *loaded = NULL;
    orff_model *a = NULL, *b = NULL, *again = NULL;
    char path[] = "/tmp/orff-plane-XXXXXX";
    close(mkstemp(path));
    assert_int_equal(orff_moments_add(geo, flat), ORFF_ERROR_MISMATCH);
    assert_ok(orff_moments_save(geo, path));
    assert_ok(orff_moments_load(&loaded, path));
    assert_true(orff_moments_describe(loaded).on_plane);
    assert_ok(orff_model_fit_moments(&a, &settings, loaded));
    assert_ok(orff_model_fit_moments(&b, &settings, flat));
    assert_same(&r, a, b);
    assert_ok(orff_model_save(a, path, false));
    assert_ok(orff_model_load(&again, path));
    assert_same(&r, again, b);
    remove(path);
    orff_model_free(again);
    orff_model_free(a);
    orff_model_free(b);
    orff_moments_free(geo);
    orff_moments_free(flat);
    orff_moments_free(loaded);
}

/* ---- what is refused */

static void test_errors(void **state) {
    (void)state;
    rows r = make_rows();
    orff_part part;
    orff_settings settings = make_settings(&part);
    orff_model *model = NULL;
    double F[2], around[4 * 2] = {0.0, 0.0, 90.0, 0.0, 180.0, 0.0, -90.0, 0.0};
    const size_t two[2] = {0, 1}, wrong[2] = {1, 7};
    orff_plane plane;
    orff_geo geo;
    settings.geo = ORFF_GEO_LONLAT;
    assert_int_equal(orff_plane_around(&plane, 2, two, 4, around), ORFF_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(orff_error_message(), "no centre"));
    assert_int_equal(orff_model_fit(&model, &settings, D, 1, N, r.X, r.Y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(orff_error_message(), "two outputs"));
    settings.geo_inputs = wrong;
    assert_int_equal(orff_model_fit(&model, &settings, D, 2, N, r.X, r.Y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    settings.geo_inputs = NULL;
    assert_ok(orff_model_fit(&model, &settings, D, 2, N, r.X, r.Y, NULL));
    r.X[1] = 541.0;
    assert_int_equal(orff_model_predict(model, 1, r.X, F), ORFF_ERROR_INVALID_ARGUMENT);
    r.X[1] = (double)NAN;
    assert_int_equal(orff_model_predict(model, 1, r.X, F), ORFF_ERROR_NOT_FINITE);
    orff_model_free(model);
    model = NULL;
    assert_int_equal(orff_model_fit(&model, &settings, D, 2, N, r.X, r.Y, NULL), ORFF_ERROR_NOT_FINITE);
    assert_ok(orff_geo_parse("lonlat", &geo));
    assert_true(geo == ORFF_GEO_LONLAT && !strcmp(orff_geo_name(ORFF_GEO_NONE), "none"));
    assert_int_equal(orff_geo_parse("lonlet", &geo), ORFF_ERROR_INVALID_ARGUMENT);
}

/* Noise is that of each output, and turns with them. */
static void test_std_with_noise(void **state) {
    (void)state;
    const rows r = make_rows();
    orff_part part;
    orff_settings settings = make_settings(&part);
    orff_model *model = NULL;
    double S[N * 2], T[N * 2];
    settings.geo = ORFF_GEO_LONLAT;
    assert_ok(orff_model_fit(&model, &settings, D, 2, N, r.X, r.Y, NULL));
    const double noise = orff_model_describe(model).noise[0] * orff_model_describe(model).noise[0];
    assert_ok(orff_model_std(model, N, r.X, false, S));
    assert_ok(orff_model_std(model, N, r.X, true, T));
    for (size_t i = 0; i < N * 2; i++)
        assert_true(fabs(T[i] * T[i] - S[i] * S[i] - noise) < 1e-9 * (noise + S[i] * S[i]));
    orff_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_moments_and_files),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_std_with_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
