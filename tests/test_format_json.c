/* JSON from other programs: walking through it, and fields of grib2json as a table. */
#define _GNU_SOURCE

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "formats/json.h"
#include "orff.h"

static const fmt_table_selection everything = {0};

/* ---------------------------------------------------------------- the walk */

static bool skips(const char *text) {
    fmt_json j = {.start = text, .at = text, .end = text + strlen(text)};
    return fmt_json_skip(&j) && !fmt_json_peek(&j) && j.depth == 0;
}

static void test_skip(void **state) {
    (void)state;
    static const char *const good[] = {"1",    " -2.5e3 ",          "null",
                                       "true", "\"a\\\"b\\u00e9\"", "[]",
                                       "{}",   "[[],{}]",           "{\"a\":[1,{\"b\":null}],\"c\":\"]\"}"};
    static const char *const bad[] = {"",        "[",        "{",     "[1", "[1,]", "[1 2]",
                                      "{\"a\"}", "{\"a\":}", "{a:1}", "\"", "\"\\", "\"\\u12",
                                      "[1}",     "nul",      "tru",   "--1"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(skips(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(skips(bad[i]));
}

/* Any depth is refused or skipped without the stack growing. */
static void test_depth(void **state) {
    (void)state;
    const size_t deep = 1000000;
    char *text = malloc(deep + 1);
    memset(text, '[', deep);
    text[deep] = '\0';
    assert_false(skips(text));
    memset(text + FMT_JSON_DEPTH, ']', FMT_JSON_DEPTH);
    text[2 * FMT_JSON_DEPTH] = '\0';
    assert_true(skips(text));
    free(text);
}

/* ---------------------------------------------------------------- grib2json */

#define HEADER "\"nx\":3,\"ny\":2,\"lo1\":350.0,\"la1\":10.0,\"dx\":10,\"dy\":5,\"parameterUnit\":\"m.s-1\","
#define U                  \
    "{\"header\":{" HEADER \
    "\"parameterNumberName\":\"U-component_of_wind\",\"x\":[{}]},\"data\":[1,2,3,4,5,6]}"
#define V                                                                                                    \
    "{\"data\":[-1,-2,-3,-4,null,-6],\"header\":{" HEADER "\"parameterNumberName\":\"V-component_of_wind\"}" \
    "}"

static void test_grib(void **state) {
    (void)state;
    const fmt_table_selection wind = {.inputs = "lon,lat",
                                      .outputs = "U-component_of_wind,V-component_of_wind"};
    const char *const names[] = {"w.json", "w"};
    for (size_t i = 0; i < 2; i++) {
        formats_data data = formats_read(formats_text(names[i], " [\n" U "," V "]\n"), &wind);
        assert_int_equal(data.n, 5);
        assert_int_equal(fmt_table_dropped(data.table), 1);
        assert_all_close(4, data.X, ((double[]){350, 10, 360, 10}), 0.0);
        assert_all_close(2, data.X + 6, ((double[]){350, 5}), 0.0);
        assert_all_close(2, data.Y + 8, ((double[]){6, -6}), 0.0);
        assert_string_equal(fmt_table_units(data.table, 2), "m s-1");
        assert_string_equal(fmt_table_standard_name(data.table, 3), "northward_wind");
        assert_string_equal(fmt_table_format(data.table), "grib2json");
        formats_free(&data);
    }
}

/* Records without names are known by their codes, those of none by their place. */
static void test_grib_codes(void **state) {
    (void)state;
#define CODED(codes) "{\"header\":{\"nx\":1,\"ny\":1,\"lo1\":0,\"la1\":10,\"dx\":1,\"dy\":5" codes "},\"data\":[1]}"
    const char *text = "[" CODED(",\"parameterCategory\":2,\"parameterNumber\":2") ","
                       CODED(",\"parameterCategory\":2,\"parameterNumber\":3") ","
                       CODED(",\"parameterCategory\":0,\"parameterNumber\":0") ","
                       CODED(",\"discipline\":10,\"parameterCategory\":1,\"parameterNumber\":2") ","
                       CODED(",\"parameterCategory\":2") "]";
    static const char *const units[] = {"m s-1", "m s-1", "K", "m s-1", ""},
                            *const names[] = {"eastward_wind", "northward_wind", "air_temperature",
                                              "eastward_sea_water_velocity", NULL};
    formats_data data =
        formats_read(formats_text("t.json", text),
                     &(fmt_table_selection){.inputs = "lat", .outputs = "u,v,temperature,u_2,field"});
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(fmt_table_units(data.table, i + 2), units[i]);
        if (names[i]) assert_string_equal(fmt_table_standard_name(data.table, i + 2), names[i]);
    }
    formats_free(&data);
#undef CODED
}

/* Latitudes may run north; the same name twice is told apart. */
static void test_grib_north(void **state) {
    (void)state;
    const char *text =
        "[{\"header\":{\"nx\":1,\"ny\":2,\"lo1\":0,\"la1\":10,\"la2\":15,\"dx\":1,\"dy\":5,"
        "\"parameterNumberName\":\"T\"},\"data\":[1,2]},{\"header\":{\"nx\":1,\"ny\":2,\"lo1\":0,\"la1\":10,"
        "\"dx\":1,\"dy\":5,\"parameterNumberName\":\"T\"},\"data\":[3,4]}]";
    formats_data data = formats_read(formats_text("t.json", text),
                                     &(fmt_table_selection){.inputs = "lat", .outputs = "T,T_2"});
    assert_all_close(2, data.X, ((double[]){10, 15}), 0.0);
    assert_all_close(4, data.Y, ((double[]){1, 3, 2, 4}), 0.0);
    formats_free(&data);
}

static void refused(const char *text, const char *word) {
    support_case("%.60s", text);
    formats_refused(formats_text("bad.json", text), &everything, ORFF_ERROR_FORMAT, "bad.json", word, NULL);
    support_case(NULL);
}

static void test_refused(void **state) {
    (void)state;
    refused("{}", "expected a list");
    refused("[]", "no records");
    refused("[1]", "expected an object");
    refused("[{\"data\":[1]}]", "no header");
    refused("[{\"header\":{\"nx\":1,\"ny\":1},\"data\":[1", "expected a comma");
    refused("[" U "] 1", "something follows its end");
    refused("[{\"header\":{" HEADER "\"a\":1},\"data\":[1,2]}]", "2 numbers for a grid of 3 x 2");
    refused("[{\"header\":{\"nx\":1e9,\"ny\":1e9,\"lo1\":0,\"la1\":0,\"dx\":1,\"dy\":1},\"data\":[1]}]",
            "does not say the grid");
    refused("[{\"header\":{\"nx\":1,\"ny\":1,\"lo1\":\"NaN\",\"la1\":0,\"dx\":1,\"dy\":1},\"data\":[1]}]",
            "does not say the grid");
    refused("[{\"header\":{\"nx\":1,\"ny\":1,\"lo1\":0,\"la1\":0,\"dx\":1,\"dy\":1},\"data\":[[1]]}]",
            "expected a number");
    formats_refused(
        formats_text("two.json",
                     "[" U
                     ",{\"header\":{\"nx\":1,\"ny\":1,\"lo1\":0,\"la1\":0,\"dx\":1,\"dy\":1},\"data\":[1]}]"),
        &everything, ORFF_ERROR_UNSUPPORTED, "another grid", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skip),       cmocka_unit_test(test_depth),   cmocka_unit_test(test_grib),
        cmocka_unit_test(test_grib_north), cmocka_unit_test(test_grib_codes), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
}
