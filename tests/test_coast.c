/* Coasts: files of lines, points along them with normals, and which points are land. */
#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "formats/coast.h"
#include "orff.h"

#define DEGREE 0.017453292519943295

static fmt_coast read_text(const char *name, const char *text) {
    fmt_coast coast;
    char message[512] = "";
    if (fmt_coast_read(&coast, formats_text(name, text), message, sizeof message)) fail_msg("%s", message);
    return coast;
}

/* ---------------------------------------------------------------- files */

static void assert_lines(const char *name, const char *text, size_t lines, const size_t *points) {
    support_case("%s: %.50s", name, text);
    fmt_coast coast = read_text(name, text);
    assert_int_equal(coast.lines, lines);
    for (size_t k = 0; k < lines; k++) assert_int_equal(coast.starts[k + 1] - coast.starts[k], points[k]);
    assert_true(coast.xy[0] == 1.0 && coast.xy[1] == 2.0);
    fmt_coast_clear(&coast);
    support_case(NULL);
}

static void test_texts(void **state) {
    (void)state;
    static const size_t two[] = {3, 2};
    assert_lines("a.txt", "1 2\n3 4\n5 6\n\n7 8\n9 10\n", 2, two);
    assert_lines("a.txt", "# GMT\n> one\n1\t2\n3\t4\n5\t6\n> two\n7\t8\n9\t10", 2, two);
    assert_lines("a.csv", "lon,lat\r\n1,2\r\n3,4\r\n5,6\r\nNaN,NaN\r\n7,8\r\n9,10\r\n", 2, two);
    assert_lines("a.csv",
                 "\xef\xbb\xbf"
                 "1,2,99,x\n3,4\n5,6\nnan,1\n7,8\n9,10\n\n\n11,12\n",
                 2, two); /* no line of one point */
}

#define FEATURE(geometry) "{\"type\":\"Feature\",\"properties\":{\"a\":[[9]]},\"geometry\":" geometry "}"

static void test_geojson(void **state) {
    (void)state;
    static const size_t sizes[] = {2, 4, 3, 4, 5};
    assert_lines("a.geojson", " {\"type\":\"LineString\",\"coordinates\":[[1,2],[3,4]]}", 1, sizes);
    assert_lines("a.json", "{\"coordinates\":[[[1,2,0],[3,4,0],[5,6,0],[1,2,0]]],\"type\":\"Polygon\"}", 1,
                 sizes + 1);
    assert_lines(
        "a",
        "{\"type\":\"FeatureCollection\",\"features\":[" FEATURE(
            "{\"type\":\"LineString\",\"coordinates\":[["
            "1,2],[3,4]]}") "," FEATURE("null") "," FEATURE("{\"type\":\"MultiPolygon\",\"coordinates\":[[[["
                                                            "0,0],[1,0],[1,1],[0,0]],[[5,"
                                                            "5],[6,5],[5,5]]]]}") "," FEATURE("{\"type\":"
                                                                                              "\"Point\","
                                                                                              "\"coordinates"
                                                                                              "\":[7,7]"
                                                                                              "}") "," FEATURE("{\"type\":\"MultiPoint\","
                                                                                                               "\"coordinates\":[[7,7],["
                                                                                                               "8,8]]}") "," FEATURE("{\""
                                                                                                                                     "typ"
                                                                                                                                     "e\""
                                                                                                                                     ":\""
                                                                                                                                     "Geo"
                                                                                                                                     "met"
                                                                                                                                     "ryC"
                                                                                                                                     "oll"
                                                                                                                                     "ect"
                                                                                                                                     "ion"
                                                                                                                                     "\","
                                                                                                                                     "\"g"
                                                                                                                                     "eom"
                                                                                                                                     "etr"
                                                                                                                                     "ies"
                                                                                                                                     "\":"
                                                                                                                                     "[{"
                                                                                                                                     "\"t"
                                                                                                                                     "ype"
                                                                                                                                     "\":"
                                                                                                                                     "\"M"
                                                                                                                                     "ult"
                                                                                                                                     "iLi"
                                                                                                                                     "neS"
                                                                                                                                     "tri"
                                                                                                                                     "ng"
                                                                                                                                     "\","
                                                                                                                                     "\"c"
                                                                                                                                     "oor"
                                                                                                                                     "din"
                                                                                                                                     "ate"
                                                                                                                                     "s\""
                                                                                                                                     ":[["
                                                                                                                                     "[0,"
                                                                                                                                     "0],"
                                                                                                                                     "[1,"
                                                                                                                                     "1],"
                                                                                                                                     "[2,"
                                                                                                                                     "2],"
                                                                                                                                     "[3,"
                                                                                                                                     "3]]"
                                                                                                                                     ","
                                                                                                                                     "[["
                                                                                                                                     "0,"
                                                                                                                                     "0],"
                                                                                                                                     "[1,"
                                                                                                                                     "1],"
                                                                                                                                     "[2,"
                                                                                                                                     "2],"
                                                                                                                                     "[3,"
                                                                                                                                     "3],"
                                                                                                                                     "[4,"
                                                                                                                                     "4]]"
                                                                                                                                     "]}]"
                                                                                                                                     "}") "]}",
        5, sizes);
}

static void refused(const char *text, int status, const char *word) {
    fmt_coast coast;
    char message[512] = "";
    support_case("%.50s", text);
    assert_int_equal(fmt_coast_read(&coast, formats_text("bad", text), message, sizeof message), status);
    if (!strstr(message, word)) fail_msg("no \"%s\" in \"%s\"", word, message);
    fmt_coast_clear(&coast);
    support_case(NULL);
}

static void test_refused(void **state) {
    (void)state;
    const size_t deep = 200000;
    char *nested = malloc(deep + 64);
    refused("", ORFF_ERROR_FORMAT, "no lines");
    refused("{}", ORFF_ERROR_FORMAT, "no lines");
    refused("a,b\n1,2\n3,x\n", ORFF_ERROR_FORMAT, "line 3");
    refused("{\"coordinates\":[[1],[2]]}", ORFF_ERROR_FORMAT, "two numbers");
    refused("{\"coordinates\":[[1,2],[3,4]", ORFF_ERROR_FORMAT, "expected a comma");
    refused("{\"coordinates\":[[[[[[1,2]]]]]]}", ORFF_ERROR_FORMAT, "MultiPolygon");
    for (int kind = 0; kind < 3; kind++) {
        size_t used = 0;
        static const char *const openings[] = {"[", "{\"geometry\":", "{\"a\":"};
        if (!kind) used = (size_t)sprintf(nested, "{\"coordinates\":");
        while (used < deep) used += (size_t)sprintf(nested + used, "%s", openings[kind]);
        refused(nested, ORFF_ERROR_FORMAT, kind ? "is nested too deeply" : "MultiPolygon");
    }
    free(nested);
    fmt_coast coast;
    char message[512];
    assert_int_equal(fmt_coast_read(&coast, "/nonexistent/coast", message, sizeof message), ORFF_ERROR_IO);
    fmt_coast_clear(&coast);
}

/* ---------------------------------------------------------------- points along it */

static void test_points(void **state) {
    (void)state;
    static const double square[] = {0, 0, 10, 0, 10, 10, 0, 10, 0, 0};
    static const size_t starts[] = {0, 5};
    const orff_coast coast = {.lines = 1, .starts = starts, .points = square};
    double rows[4 * 100];
    size_t n, again;
    assert_ok(orff_coast_points(&coast, NULL, 1.0, NULL, 0, NULL, &n));
    assert_int_equal(n, 40);
    assert_ok(orff_coast_points(&coast, NULL, 1.0, NULL, 100, rows, &again));
    assert_int_equal(again, n);
    for (size_t i = 0; i < n; i++) {
        const double *row = rows + 4 * i, x = row[0] - 5.0, y = row[1] - 5.0;
        assert_true(fabs(fmax(fabs(x), fabs(y)) - 5.0) < 1e-12);
        assert_true(fabs(hypot(row[2], row[3]) - 1.0) < 1e-12);
        assert_true(fabs(fabs(x * row[2] + y * row[3]) - 5.0) < 1e-12); /* across the side */
    }
    const double box[4] = {-1.0, 11.0, -1.0, 1.0};
    assert_ok(orff_coast_points(&coast, NULL, 1.0, box, 100, rows, &n));
    assert_int_equal(n, 12);
    assert_int_equal(orff_coast_points(&coast, NULL, 0.0, NULL, 0, NULL, &n), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(orff_coast_points(&coast, NULL, 1e-300, NULL, 0, NULL, &n), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(orff_coast_points(&coast, NULL, 1e-8, NULL, 0, NULL, &n), ORFF_ERROR_INVALID_ARGUMENT);
}

/* Across the date line, in km, far from the centre: a coast along a meridian has normals to the east or west, one along a
 * parallel to the north or south. */
static void test_points_in_degrees(void **state) {
    (void)state;
    static const double lines[] = {179, 50, 179, 60, 178, 40, -178, 40, (double)NAN, 40, 0, 0};
    static const size_t starts[] = {0, 2, 4, 6};
    const orff_coast coast = {.lines = 3, .starts = starts, .points = lines};
    const orff_plane plane = {.lon = -170.0, .lat = 55.0};
    const double box[4] = {170.0, 190.0, 30.0, 70.0};
    double rows[4 * 200];
    size_t n, meridian = 0;
    assert_ok(orff_coast_points(&coast, &plane, 10.0, box, 200, rows, &n));
    for (size_t i = 0; i < n; i++) {
        const double *row = rows + 4 * i;
        const bool up = row[0] == 179.0;
        meridian += up;
        assert_true(row[0] >= 178.0 && row[0] <= 182.0);
        assert_true(fabs(fabs(row[up ? 2 : 3]) - 1.0) < 2e-3);
        assert_true(fabs(row[up ? 3 : 2]) < 0.06); /* the parallel bends in the plane */
    }
    assert_true(meridian > 108 && meridian < 115);       /* 10 degrees are 1112 km, and stretched */
    assert_true(n - meridian > 31 && n - meridian < 37); /* 4 degrees at 40 north are 341 km */
}

/* ---------------------------------------------------------------- land */

static bool on_land(const orff_coast *coast, bool degrees, double x, double y) {
    bool land;
    assert_ok(orff_coast_land(coast, degrees, 1, (double[]){x, y}, &land, NULL));
    return land;
}

/* A square with a hole, and a line that encloses nothing. */
static void test_rings(void **state) {
    (void)state;
    static const double lines[] = {0, 0, 10, 0, 10, 10, 0,  10, 0,  0, 4,  4,  6,  4,
                                   6, 6, 4,  6, 4,  4,  20, 0,  30, 0, 30, 10, 20, 10};
    static const size_t starts[] = {0, 5, 10, 14};
    const orff_coast coast = {.lines = 3, .starts = starts, .points = lines};
    size_t rings;
    bool land;
    assert_true(on_land(&coast, false, 1, 1) && on_land(&coast, false, 9, 5) && on_land(&coast, false, 4, 8));
    assert_false(on_land(&coast, false, 5, 5) || on_land(&coast, false, 25, 5) ||
                 on_land(&coast, false, -1, 5));
    assert_false(on_land(&coast, false, (double)NAN, 5) || on_land(&coast, false, 5, (double)INFINITY));
    assert_ok(orff_coast_land(&coast, false, 1, (double[]){1, 1}, &land, &rings));
    assert_int_equal(rings, 2);
    const orff_coast empty = {0};
    assert_false(on_land(&empty, true, 0, 0));
    const orff_coast wrong = {.lines = 1, .starts = (size_t[]){3, 1}, .points = lines};
    assert_int_equal(orff_coast_land(&wrong, false, 1, (double[]){1, 1}, &land, NULL),
                     ORFF_ERROR_INVALID_ARGUMENT);
}

/* Rings across the date line, cut there or not, and around either pole. */
static void test_rings_in_degrees(void **state) {
    (void)state;
    static const double whole[] = {170, 0, -170, 0, -170, 10, 170, 10, 170, 0};
    static const double polar[] = {0, -70, 120, -72, -120, -70, 0, -70, 0, 80, 120, 82, -120, 80, 0, 80};
    static const double cut[] = {-180, -80, -90, -75, 0,    -70, 90,   -75,
                                 180,  -80, 180, -90, -180, -90, -180, -80};
    static const size_t one[] = {0, 5}, two[] = {0, 4, 8}, eight[] = {0, 8};
    const orff_coast island = {.lines = 1, .starts = one, .points = whole};
    const orff_coast caps = {.lines = 2, .starts = two, .points = polar};
    const orff_coast antarctica = {.lines = 1, .starts = eight, .points = cut};
    assert_true(on_land(&island, true, 175, 5) && on_land(&island, true, -175, 5) &&
                on_land(&island, true, 185, 5));
    assert_false(on_land(&island, true, 160, 5) || on_land(&island, true, 0, 5) ||
                 on_land(&island, true, 175, 11));
    assert_true(on_land(&caps, true, 33, -80) && on_land(&caps, true, 200, 88) &&
                on_land(&caps, true, 0, 90));
    assert_false(on_land(&caps, true, 33, 0) || on_land(&caps, true, 33, -60) ||
                 on_land(&caps, true, -90, 70));
    assert_true(on_land(&antarctica, true, 179, -85) && on_land(&antarctica, true, 10, -72));
    assert_false(on_land(&antarctica, true, 10, -60) || on_land(&antarctica, true, 179, -75));
}

static void test_natural_earth(void **state) {
    (void)state;
    static const double dry[][2] = {{-0.1, 51.6}, {2.3, 48.9}, {25, 0},     {-60, -10},
                                    {135, -25},   {0, -89},    {179, 67.5}, {-178.5, 67},
                                    {-40, 75},    {181.5, 67}, {139.5, 36}, {178, -17.8}};
    static const double wet[][2] = {{-30, 40}, {0, 89},    {34, 43},  {-150, 0}, {210, 0},
                                    {5, 38},   {175, -45}, {-74, 39}, {3, 56}};
    fmt_coast coast;
    char message[512] = "";
    size_t rings;
    bool land;
    assert_int_equal(fmt_coast_read(&coast, FMT_NATURAL_EARTH, message, sizeof message), 0);
    const orff_coast lines = fmt_coast_lines(&coast);
    assert_ok(orff_coast_land(&lines, true, 1, dry[0], &land, &rings));
    assert_int_equal(rings, coast.lines);
    for (size_t i = 0; i < sizeof dry / sizeof *dry; i++)
        if (!on_land(&lines, true, dry[i][0], dry[i][1])) fail_msg("%g, %g is no land", dry[i][0], dry[i][1]);
    for (size_t i = 0; i < sizeof wet / sizeof *wet; i++)
        if (on_land(&lines, true, wet[i][0], wet[i][1])) fail_msg("%g, %g is land", wet[i][0], wet[i][1]);
    fmt_coast_clear(&coast);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_geojson),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_points_in_degrees),
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_rings_in_degrees),
        cmocka_unit_test(test_natural_earth),
    };
    return cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
}
