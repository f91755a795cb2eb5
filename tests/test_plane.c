/* The local plane: round trips, distances, directions, and how vectors turn. */
#include <math.h>

#include "support.h"

#include "base/plane.h"

#define DEGREE 0.017453292519943295

static void test_round_trip(void **state) {
    (void)state;
    const orff_plane centres[] = {
        {.lon = -70.0, .lat = 39.0}, {.lon = 179.5, .lat = -20.0}, {.lat = 85.0}, {.lon = 200.0}};
    for (size_t c = 0; c < 4; c++) {
        for (double bearing = 0.0; bearing < 6.3; bearing += 0.7) {
            for (double far = 0.0; far < 4000.0; far += 777.0) {
                const double plane[2] = {far * sin(bearing), far * cos(bearing)};
                double lon, lat, back[2];
                orffi_plane_inverse(&centres[c], plane, &lon, &lat);
                orffi_plane_forward(&centres[c], lon, lat, back, NULL);
                assert_true(fabs(back[0] - plane[0]) < 1e-6 && fabs(back[1] - plane[1]) < 1e-6);
            }
        }
    }
}

/* Haversine: another formula for the distance from the centre. */
static void test_distances(void **state) {
    (void)state;
    const orff_plane geo = {.lon = 10.0, .lat = 50.0};
    for (double lon = 0.0; lon <= 20.0; lon += 2.5) {
        for (double lat = 40.0; lat <= 60.0; lat += 2.5) {
            double plane[2];
            orffi_plane_forward(&geo, lon, lat, plane, NULL);
            const double a = sin((lat - 50.0) * DEGREE / 2.0), b = sin((lon - 10.0) * DEGREE / 2.0);
            const double h = a * a + cos(lat * DEGREE) * cos(50.0 * DEGREE) * b * b;
            assert_true(fabs(hypot(plane[0], plane[1]) - 2.0 * ORFFI_EARTH_KM * asin(sqrt(h))) < 1e-6);
        }
    }
    double north[2];
    orffi_plane_forward(&geo, 10.0, 51.0, north, NULL);
    assert_true(fabs(north[0]) < 1e-9 && fabs(north[1] - ORFFI_EARTH_KM * DEGREE) < 1e-9);
}

/* A step along a vector from a point lands, near the centre's parallel, where the turned vector says: to
 * the order of the projection's stretch. */
static void test_vectors(void **state) {
    (void)state;
    const orff_plane geo = {.lon = -70.0, .lat = 39.0};
    const double step = 1e-5;
    for (double lon = -75.0; lon <= -65.0; lon += 1.25) {
        for (double lat = 35.0; lat <= 43.0; lat += 1.0) {
            double here[2], there[2], turn[2], vector[2] = {0.6, 0.8};
            orffi_plane_forward(&geo, lon, lat, here, turn);
            orffi_plane_forward(&geo, lon + step * 0.6 / cos(lat * DEGREE), lat + step * 0.8, there, NULL);
            orffi_plane_vector_to(turn, vector);
            const double km = step * DEGREE * ORFFI_EARTH_KM,
                         stretch = orffi_plane_stretch(hypot(here[0], here[1]));
            assert_true(fabs((there[0] - here[0]) / km - vector[0]) < stretch + 1e-5);
            assert_true(fabs((there[1] - here[1]) / km - vector[1]) < stretch + 1e-5);
            assert_true(fabs(turn[0] * turn[0] + turn[1] * turn[1] - 1.0) < 1e-12);
            orffi_plane_vector_from(turn, vector);
            assert_true(fabs(vector[0] - 0.6) < 1e-12 && fabs(vector[1] - 0.8) < 1e-12);
        }
    }
    /* North of the centre east is the plane's x; east of it the meridian leans. */
    double turn[2];
    orffi_plane_forward(&geo, -70.0, 45.0, NULL, turn);
    assert_true(fabs(turn[1]) < 1e-12 && turn[0] > 0.999999);
    orffi_plane_forward(&geo, -60.0, 39.0, NULL, turn);
    assert_true(fabs(turn[1] - sin(10.0 * DEGREE * sin(39.0 * DEGREE))) < 2e-3);
}

static void test_centre(void **state) {
    (void)state;
    orffi_plane_sum sum = {0};
    orff_plane geo;
    orffi_plane_add(&sum, 170.0, 10.0);
    orffi_plane_add(&sum, -170.0, 10.0);
    assert_true(orffi_plane_centre(&sum, &geo));
    assert_true(fabs(fabs(geo.lon) - 180.0) < 1e-9 && geo.lat > 10.0 && geo.lat < 10.3);
    sum = (orffi_plane_sum){0};
    orffi_plane_add(&sum, 0.0, 0.0);
    orffi_plane_add(&sum, 180.0, 0.0);
    assert_false(orffi_plane_centre(&sum, &geo));
    assert_true(fabs(orffi_plane_stretch(3430.0) - 0.05) < 2e-3);
    assert_true(orffi_plane_stretch(0.0) == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
