/* Projected coordinate systems: positions and rotations against closed forms and differences, across the date
 * line and at poles; models on them; names that are refused. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

#include "base/plane.h"

#define DEGREE 0.017453292519943295
#define A_KM   6378.137 /* WGS 84 */
#define E2     0.0066943799901413165

static const size_t inputs[2] = {0, 1};

static orff_plane plane_of(const char *crs) {
    orff_plane plane;
    const orff_status status = orff_plane_of_crs(&plane, crs, 2, inputs);
    if (status == ORFF_ERROR_UNSUPPORTED) skip(); /* built without PROJ */
    assert_ok(status);
    return plane;
}

/* Turned by the angle that a small step north makes with y, measured by projecting it. */
static void assert_turn(const orff_plane *plane, double lon, double lat) {
    const double step = 1e-4, f = lat * DEGREE, w = 1.0 - E2 * sin(f) * sin(f);
    const double M = A_KM * (1.0 - E2) / pow(w, 1.5), N = A_KM / sqrt(w);
    double X[6] = {lon, lat, lon, lat + step, lon + step, lat}, turns[6];
    assert_ok(orffi_plane_places(plane, 2, 0, 3, X, turns));
    const double north = step * DEGREE * M, east = step * DEGREE * N * cos(f);
    const double xn = (X[2] - X[0]) / north, yn = (X[3] - X[1]) / north, xe = (X[4] - X[0]) / east,
                 ye = (X[5] - X[1]) / east;
    const double length = hypot(xe + yn, ye - xn);
    assert_true(fabs(turns[0] - (xe + yn) / length) < 1e-5 && fabs(turns[1] - (ye - xn) / length) < 1e-5);
    assert_true(fabs(hypot(turns[0], turns[1]) - 1.0) < 1e-12);
}

static void test_turns(void **state) {
    (void)state;
    static const char *const names[] = {"EPSG:32633",
                                        "EPSG:3035",
                                        "EPSG:3413",
                                        "EPSG:3857",
                                        "+proj=eqc +lat_ts=50",
                                        "+proj=lcc +lat_0=47 +lon_0=13 +lat_1=46 +lat_2=49"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const orff_plane plane = plane_of(names[k]);
        for (double lon = 9.0; lon <= 21.0; lon += 4.0)
            for (double lat = 45.0; lat <= 70.0; lat += 5.0) assert_turn(&plane, lon, lat);
    }
}

/* UTM: on the central meridian 0.9996 of true length, no turn; beside it the meridian leans by about
 * (lon - lon0) sin(lat). */
static void test_utm(void **state) {
    (void)state;
    const orff_plane plane = plane_of("EPSG:32633");
    double X[4] = {15.0, 0.0, 16.0, 60.0}, turns[4];
    assert_ok(orffi_plane_places(&plane, 2, 0, 2, X, turns));
    assert_true(fabs(X[0] - 500.0) < 1e-6 && fabs(X[1]) < 1e-6 && fabs(turns[1]) < 1e-9);
    assert_true(fabs(atan2(turns[3], turns[2]) / DEGREE - sin(60.0 * DEGREE)) < 1e-3);
    double vector[2] = {0.0, 1.0}, x[2] = {16.0, 60.0};
    assert_ok(orff_plane_project(&plane, 2, 1, x, vector));
    assert_true(fabs(vector[0] + sin(sin(60.0 * DEGREE) * DEGREE)) < 1e-4); /* meridians close up */
}

/* Polar stereographic, and a Mercator around the date line: neighbours stay neighbours, whichever way longitudes count. */
static void test_pole_and_date_line(void **state) {
    (void)state;
    const orff_plane pole = plane_of("EPSG:3413"), pacific = plane_of("EPSG:3832");
    double X[8] = {-45.0, 89.9, 135.0, 89.9, 0.0, 90.0, 45.0, 80.0}, turns[8];
    assert_ok(orffi_plane_places(&pole, 2, 0, 4, X, turns));
    assert_true(hypot(X[0] - X[2], X[1] - X[3]) < 25.0 && hypot(X[4], X[5]) < 1e-6);
    assert_true(fabs(turns[6] - cos(90.0 * DEGREE)) < 1e-6 && fabs(turns[7] - sin(90.0 * DEGREE)) < 1e-6);
    double L[6] = {179.9, 10.0, -179.9, 10.0, 180.1, 10.0};
    assert_ok(orffi_plane_places(&pacific, 2, 0, 3, L, NULL));
    assert_true(fabs(L[2] - L[0] - 0.2 * DEGREE * A_KM) < 1e-6 && fabs(L[4] - L[2]) < 1e-6);
}

/* ---- models */

enum { N = 80 };

static void make_rows(double *X, double *Y) {
    for (size_t i = 0; i < N; i++) {
        const double t = 0.37 * (double)i;
        X[2 * i] = 13.0 + 3.0 * sin(t);
        X[2 * i + 1] = 60.0 + 2.0 * cos(1.3 * t);
        Y[2 * i] = sin(X[2 * i + 1]);
        Y[2 * i + 1] = cos(0.5 * X[2 * i]);
    }
}

/* The same as a model of rows that were projected beforehand, turned back; also from a file. */
static void test_model(void **state) {
    (void)state;
    const orff_plane plane = plane_of("EPSG:32633");
    double X[2 * N], Y[2 * N], x[2 * N], y[2 * N], F[2 * N], f[2 * N], turns[2 * N];
    orff_settings settings = orff_settings_default(), flat = settings;
    orff_part part = orff_part_default();
    orff_model *model = NULL, *other = NULL, *again = NULL;
    char path[] = "/tmp/orff-crs-XXXXXX";
    make_rows(X, Y);
    memcpy(x, X, sizeof x);
    memcpy(y, Y, sizeof y);
    assert_ok(orff_plane_project(&plane, 2, N, x, y));
    part.rule = ORFF_RULE_DIV_FREE;
    part.sigma = 100.0;
    flat.n_parts = 1;
    flat.parts = &part;
    flat.lambda = 1e-6;
    settings = flat;
    settings.geo = ORFF_GEO_LONLAT;
    settings.crs = "EPSG:32633";
    assert_ok(orff_model_fit(&model, &settings, 2, 2, N, X, Y, NULL));
    assert_ok(orff_model_fit(&other, &flat, 2, 2, N, x, y, NULL));
    close(mkstemp(path));
    assert_ok(orff_model_save(model, path, false));
    assert_ok(orff_model_load(&again, path));
    assert_string_equal(orff_model_describe(again).plane.crs, "EPSG:32633");
    assert_ok(orff_model_predict(again, N, X, F));
    assert_ok(orff_model_predict(other, N, x, f));
    memcpy(x, X, sizeof x);
    assert_ok(orffi_plane_places(&plane, 2, 0, N, x, turns));
    for (size_t i = 0; i < N; i++) {
        orffi_plane_vector_to(turns + 2 * i, F + 2 * i);
        assert_true(hypot(F[2 * i] - f[2 * i], F[2 * i + 1] - f[2 * i + 1]) < 1e-9);
    }
    remove(path);
    orff_model_free(model);
    orff_model_free(other);
    orff_model_free(again);
}

/* ---- names */

/* Names that would make PROJ read files, or that are none, do not reach it. */
static void test_refused(void **state) {
    (void)state;
    static const char *const names[] = {"",
                                        "utm33",
                                        "EPSG:",
                                        "EPSG:32633 +x",
                                        "/etc/passwd",
                                        "@/etc/passwd",
                                        "+init=epsg:32633",
                                        "+proj=utm +zone=33 +nadgrids=/etc/passwd",
                                        "+proj=utm +datum=/etc/passwd",
                                        "+proj=pipeline +step +proj=utm +zone=33",
                                        "urn:ogc:def:crs:EPSG::32633",
                                        "EPSG:99999999",
                                        "EPSG:4326",
                                        "+proj=nonsense",
                                        "+proj=longlat"};
    orff_plane plane = {.lon = 7.0};
    char longest[2 * ORFF_CRS_ROOM];
    plane_of("EPSG:32633");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(orff_plane_of_crs(&plane, names[i], 2, inputs), ORFF_ERROR_INVALID_ARGUMENT);
    memset(longest, '1', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memcpy(longest, "EPSG:", 5);
    assert_int_equal(orff_plane_of_crs(&plane, longest, 2, inputs), ORFF_ERROR_INVALID_ARGUMENT);
    assert_true(plane.lon == 7.0);
    double X[2] = {15.0, 90.5};
    assert_ok(orff_plane_of_crs(&plane, "EPSG:32633", 2, inputs));
    assert_int_equal(orff_plane_project(&plane, 2, 1, X, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_ok(orff_plane_of_crs(&plane, "+proj=gnom +lat_0=90", 2, inputs));
    X[1] = -45.0;
    assert_int_equal(orff_plane_project(&plane, 2, 1, X, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(orff_error_message(), "cannot be projected to crs"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_utm),
        cmocka_unit_test(test_pole_and_date_line),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
