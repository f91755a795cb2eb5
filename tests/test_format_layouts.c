/* Tables in common layouts: separators that are not given, decimal commas, names in comments, units,
 * dates. */
#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats.h"
#include "formats/header.h"
#include "formats/times.h"
#include "orff.h"

static const fmt_table_selection everything = {0};

/* x, y, u, v of two rows, whatever the file looks like; the names and units of all columns ("" for none). */
static void assert_table(const char *file, const char *text, const char *names, const char *units) {
    static const double want[] = {1, 2, 3.5, -4, 5, 6, -7.25, 8};
    char found[200] = "", found_units[200] = "";
    support_case("%s: %.40s", file, text);
    formats_data data = formats_read(formats_text(file, text), &everything);
    assert_int_equal(data.n, 2);
    assert_int_equal(data.d, 4);
    assert_all_close(8, data.X, want, 0.0);
    for (size_t i = 0; i < data.d; i++) {
        const char *unit = fmt_table_units(data.table, i);
        snprintf(found + strlen(found), 40, "%s%s", i ? " " : "", fmt_table_name(data.table, i));
        snprintf(found_units + strlen(found_units), 40, "%s%s", i ? " " : "", unit ? unit : "-");
    }
    assert_string_equal(found, names);
    if (units) assert_string_equal(found_units, units);
    double again[4];
    size_t rows;
    assert_int_equal(fmt_table_rewind(data.table), 0);
    assert_int_equal(fmt_table_read(data.table, 1, again, NULL, NULL, &rows), 0);
    assert_all_close(4, again, want, 0.0);
    formats_free(&data);
    support_case(NULL);
}

static void test_separators(void **state) {
    (void)state;
    const char *const names = "x y u v", *const none = "c1 c2 c3 c4";
    assert_table("a.dat", "x y u v\n1 2 3.5 -4\n5 6 -7.25 8\n", names, NULL);
    assert_table("a.txt", "  1.0   2.0\t3.5  -4\n  5.0   6.0   -7.25 8  \n", none, NULL);
    assert_table("a.csv", "  x   y   u   v \r\n  1   2   3.5   -4\r\n\r\n 5 6 -7.25 8\r\n", names, NULL);
    assert_table("a.csv", "x;y;u;v\n1,0;2,0;3,5;-4\n5;6;-7,25;8\n", names, NULL);
    assert_table("a.csv", "1,0;2,0;3,5;-4,0\n5,0;6,0;-7,25;8,0\n", none, NULL);
    assert_table("a.csv", "x\ty\tu\tv\n1\t2\t3,5\t-4\n5\t6\t-7,25\t8\n", names, NULL);
    assert_table("a.dat", "x y u v\n1 2 3,5 -4\n5 6 -7,25 8\n", names, NULL);
    assert_table("a.csv", "\"x\",\"y\",\"u\",\"v\"\n\"1\",\"2\",\"3,5\",\"-4\"\n5,6,\"-7,25\",8\n", names,
                 NULL);
    assert_table("a.dat", "\"x\" \"y\" \"u\" \"v\"\n1 2 3.5 -4\n5 6 -7.25 8\n", names, NULL);
    assert_table("a.csv", "x,y,u,v\n1, 2, 3.5, -4\n5, 6, -7.25, 8\n", names, NULL);
    assert_table("a.csv", "x ,y ,u ,v \n1 ,2 ,3.5 ,-4 \n5 ,6 ,-7.25 ,8 \n", names, NULL);
}

/* A point behind many rows with commas is not taken for a thousand, nor for anything else. */
static void test_mixed_decimals(void **state) {
    (void)state;
    char text[2000] = "a;b\n";
    for (int i = 0; i < 100; i++) strcat(text, "1,5;2\n");
    strcat(text, "1.500;2\n");
    formats_refused(formats_text("a.csv", text), &everything, ORFF_ERROR_FORMAT, "line 102, column 1 (a)",
                    "commas", NULL);
    formats_refused(formats_text("a.csv", "a,b\n\"1,234\",\"5,678\"\n"), &everything, ORFF_ERROR_FORMAT,
                    "line 2", "not a number", NULL);
    formats_refused(formats_text("a.csv", "a;b\n1,5;2\n1,2,3;4\n"), &everything, ORFF_ERROR_FORMAT, "line 3",
                    "not a number", NULL);
}

static void test_trailing_separators(void **state) {
    (void)state;
    assert_table("a.csv", "x,y,u,v,\n1,2,3.5,-4,\n5,6,-7.25,8,\n", "x y u v", NULL);
    assert_table("a.csv", "x,y,u,v\n1,2,3.5,-4,\n5,6,-7.25,8,\n", "x y u v", NULL);
    assert_table("a.csv", "x,y,u,v,\n1,2,3.5,-4\n5,6,-7.25,8\n", "x y u v", NULL);
    assert_table("a.csv", "1,2,3.5,-4,\n5,6,-7.25,8,\n", "c1 c2 c3 c4", NULL);
    formats_data data = formats_read(formats_text("a.csv", "a,b,\n1,2,\n3,4,5\n"),
                                     &(fmt_table_selection){.inputs = "3", .skip_missing = true});
    assert_int_equal(data.n, 1); /* a column that has no name, but numbers */
    formats_free(&data);
}

/* The words of a comment are names where there are as many as columns, and nothing else is. */
static void test_names_in_comments(void **state) {
    (void)state;
    assert_table("a.txt", "# x y u v\n1 2 3.5 -4\n5 6 -7.25 8\n", "x y u v", NULL);
    assert_table("a.txt", "# x\ty\tu\tv\n1\t2\t3.5\t-4\n5\t6\t-7.25\t8\n", "x y u v", NULL);
    assert_table("a.txt", "# made by OpenPIV\n#x,y,u,v\n1,2,3.5,-4\n5,6,-7.25,8\n", "x y u v", NULL);
    assert_table("a.txt", "# x y u v\n1,2,3.5,-4\n5,6,-7.25,8\n", "x y u v", NULL);
    assert_table("a.txt", "# x [m] y [m] u [m/s] v [m/s]\n1 2 3.5 -4\n5 6 -7.25 8\n", "x y u v",
                 "m m m/s m/s");
    assert_table("a.txt", "% x y u v\n% two\n1 2 3.5 -4\n% and\n5 6 -7.25 8\n", "c1 c2 c3 c4", NULL);
    assert_table("a.txt", "> segment 1\n1 2 3.5 -4\n> segment 2\n5 6 -7.25 8\n", "c1 c2 c3 c4", NULL);
    assert_table("a.txt", "# 1 2 3 4\n1 2 3.5 -4\n5 6 -7.25 8\n", "c1 c2 c3 c4", NULL);
    assert_table("a.txt", "# a comment of four\nx y u v\n1 2 3.5 -4\n5 6 -7.25 8\n", "x y u v", NULL);
}

static void test_units(void **state) {
    (void)state;
    assert_table("a.csv", "x [m],y[m],u (m/s),\"v (m s-1)\"\n1,2,3.5,-4\n5,6,-7.25,8\n", "x y u v",
                 "m m m/s m s-1");
    assert_table("a.dat", "x [m] y (m) u [m s-1] v\n1 2 3.5 -4\n5 6 -7.25 8\n", "x y u v", "m m m s-1 -");
    assert_table("a.csv", "x,y,u,v\ndegrees_east,degrees_north,m s-1,1\n1,2,3.5,-4\n5,6,-7.25,8\n", "x y u v",
                 "degrees_east degrees_north m s-1 1");
    assert_table("a.csv", "x,y,u,v\n[m],,m/s,m/s\n1,2,3.5,-4\n5,6,-7.25,8\n", "x y u v", "[m] - m/s m/s");
    assert_table("a.csv", "x (km),x (m),u (east),f(v)\n1,2,3.5,-4\n5,6,-7.25,8\n",
                 "x (km) x (m) u (east) f(v)", NULL);
    /* The whole text is a name too. */
    formats_data data = formats_read(formats_text("a.csv", "x (m),u [m/s]\n1,2\n"),
                                     &(fmt_table_selection){.inputs = "\"x (m)\"", .outputs = "u [m/s]"});
    assert_string_equal(fmt_table_name(data.table, fmt_table_input(data.table, 0)), "x");
    formats_free(&data);
    /* Classes are no units. */
    data = formats_read(formats_text("a.csv", "a,kind\n1,red\n2,blue\n"),
                        &(fmt_table_selection){.outputs = "kind", .labels = true});
    assert_int_equal(data.n, 2);
    formats_free(&data);
}

/* Words of a text are no cells. */
static void test_words(void **state) {
    (void)state;
    formats_data data = formats_read(formats_text("a.csv", "kind\nclass 1\nclass 2\nclass 1\n"),
                                     &(fmt_table_selection){.outputs = "kind", .labels = true});
    assert_int_equal(data.n, 3);
    assert_int_equal(fmt_table_label_count(data.table), 2);
    formats_free(&data);
    data = formats_read(formats_text("a.csv", "when\n2024-05-01 06:30\n2024-05-01 07:30\n"), &everything);
    assert_all_close(2, data.X, ((double[]){0, 1}), 0.0);
    formats_free(&data);
}

/* Dates and codes are what they are in a pair of files too. */
static void test_pair(void **state) {
    (void)state;
    static const char *const missing[] = {"-999"};
    fmt_table_options options = fmt_table_options_default();
    options.n_missing = 1;
    options.missing = missing;
    fmt_table *x, *y, *pair;
    assert_int_equal(
        fmt_table_open(&x, formats_text("x.csv", "t\n2024-05-01\n2024-05-02\n2024-05-03\n"), &options), 0);
    assert_int_equal(fmt_table_open(&y, formats_text("y.csv", "u\n1\n-999\n3\n"), &options), 0);
    assert_int_equal(fmt_table_pair(&pair, x, y), 0);
    assert_int_equal(fmt_table_select(pair, &(fmt_table_selection){.skip_missing = true}), 0);
    double X[3], Y[3];
    size_t rows;
    assert_int_equal(fmt_table_read(pair, 3, X, Y, NULL, &rows), 0);
    assert_int_equal(rows, 2);
    assert_all_close(2, X, ((double[]){0, 48}), 0.0);
    assert_all_close(2, Y, ((double[]){1, 3}), 0.0);
    fmt_table_close(pair);
}

static void test_tecplot(void **state) {
    (void)state;
    assert_table(
        "a.dat",
        "TITLE = \"a, b\"\nVARIABLES = \"x\", \"y\"\n\"u\"\n\"v\"\nZONE T=\"1 2\" I=1, J=2, F=POINT\n"
        "1 2 3.5 -4\nZONE T=\"next\"\n5 6 -7.25 8\n",
        "x y u v", NULL);
    assert_table(
        "a.vec",
        "TITLE=\"C:\\\\run 1\" VARIABLES=\"x mm\", \"y mm\", \"u m/s\", \"v m/s\", ZONE I=1, J=2, F=POINT\r\n"
        "1, 2, 3.5, -4\r\n5, 6, -7.25, 8\r\n",
        "x y u v", "mm mm m/s m/s");
    assert_table("a.plt.txt", "variables = x y u v\nzone i=2\n 1 2 3.5 -4\n 5 6 -7.25 8\n", "x y u v", NULL);
    formats_refused(formats_text("a.dat", "VARIABLES = x y\nZONE F=BLOCK\n1 2 3\n4 5 6\n"), &everything,
                    ORFF_ERROR_UNSUPPORTED, "a.dat", "F=POINT", NULL);
}

static void test_latin_1(void **state) {
    (void)state;
    const char *path = formats_text("a.csv", "h\xf6he,gr\xc3\xb6\xc3\x9f"
                                             "e\n1,2\n");
    formats_data data = formats_read(path, &(fmt_table_selection){.inputs = "h\xc3\xb6he"});
    assert_string_equal(fmt_table_name(data.table, 0), "h\xc3\xb6he");
    assert_string_equal(fmt_table_name(data.table, 1), "gr\xc3\xb6\xc3\x9f"
                                                       "e");
    formats_free(&data);
    data = formats_read(path,
                        &(fmt_table_selection){.inputs = "h\xf6he"}); /* as a terminal of that kind has it */
    assert_int_equal(data.d, 1);
    formats_free(&data);
}

/* ---------------------------------------------------------------- missing values */

static void test_missing_words(void **state) {
    (void)state;
    const char *const cells[] = {"--", "NULL", "*", "-", "none", "#N/A", "NaN"};
    char text[100];
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        snprintf(text, sizeof text, "a b\n1 2\n3 %s\n5 6\n", cells[i]);
        const char *path = formats_text("a.dat", text);
        formats_refused(path, &everything, ORFF_ERROR_NOT_FINITE, "line 3, column 2 (b)", "--skip-missing",
                        NULL);
        formats_data data = formats_read(path, &(fmt_table_selection){.skip_missing = true});
        assert_int_equal(data.n, 2);
        formats_free(&data);
    }
}

static void test_missing_given(void **state) {
    (void)state;
    static const char *const missing[] = {"-999", "bad"};
    fmt_table_options options = fmt_table_options_default();
    options.n_missing = 2;
    options.missing = missing;
    fmt_table *table;
    const char *path = formats_text("a.csv", "a,b\n1,2\n-999.0,3\n4,bad\n5,-9.99e2\n6,-998\n");
    assert_int_equal(fmt_table_open(&table, path, &options), 0);
    assert_int_equal(fmt_table_select(table, &(fmt_table_selection){.skip_missing = true}), 0);
    double X[20];
    size_t rows;
    assert_int_equal(fmt_table_read(table, 10, X, NULL, NULL, &rows), 0);
    assert_int_equal(rows, 2);
    assert_int_equal(fmt_table_dropped(table), 3);
    assert_all_close(4, X, ((double[]){1, 2, 6, -998}), 0.0);
    fmt_table_close(table);
}

/* ---------------------------------------------------------------- dates */

static double seconds_of(const char *text) {
    double seconds = (double)NAN;
    return fmt_time_parse(text, text + strlen(text), &seconds) ? seconds : (double)NAN;
}

static void test_times(void **state) {
    (void)state;
    assert_true(seconds_of("1970-01-01") == 0.0);
    assert_true(seconds_of("2000-03-01") == 951868800.0);
    assert_true(seconds_of("2024-02-29T12:30:15.5Z") == 1709209815.5);
    assert_true(seconds_of("2024-02-29 12:30") == 1709209800.0);
    assert_true(seconds_of("2024-02-29T14:30+02:00") == 1709209800.0);
    assert_true(seconds_of("20240229T1230") == 1709209800.0);
    assert_true(seconds_of("1969-12-31T23:00:00Z") == -3600.0);
    const char *const wrong[] = {
        "2023-02-29",  "2024-13-01", "2024-1-1", "20240229",    "12:30", "2024-02-29T25:00",
        "2024-02-29x", "2024",       "1.5",      "-2024-02-29", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_true(isnan(seconds_of(wrong[i])));
    fmt_time time;
    assert_true(fmt_time_units("days since 1990-1-1 0:0:0", NULL, &time) && time.unit == 86400.0);
    assert_true(time.base == 631152000.0);
    assert_true(fmt_time_units("hours since 1900-01-01 00:00:00.0", "gregorian", &time) &&
                time.unit == 3600.0);
    assert_false(fmt_time_units("days since 1990-01-01", "360_day", &time));
    assert_false(fmt_time_units("months since 1990-01-01", NULL, &time));
    assert_false(fmt_time_units("m s-1", NULL, &time));
}

static void test_columns_of_dates(void **state) {
    (void)state;
    const char *path =
        formats_text("a.csv", "t,u\n2024-05-01T06:00:00Z,1\n2024-05-01T07:30:00Z,2\n2024-05-02 06:00,3\n");
    formats_data data = formats_read(path, &(fmt_table_selection){.inputs = "t", .outputs = "u"});
    assert_all_close(3, data.X, ((double[]){0, 1.5, 24}), 0.0);
    assert_string_equal(fmt_table_units(data.table, 0), "hours since 2024-05-01T06:00:00Z");
    assert_true(fmt_table_is_time(data.table, 0) && !fmt_table_is_time(data.table, 1));
    formats_free(&data);
    /* Counted as another file did. */
    fmt_table *table;
    double X[3];
    size_t rows;
    assert_int_equal(fmt_table_open(&table, path, NULL), 0);
    assert_int_equal(fmt_table_select(table, &(fmt_table_selection){.inputs = "t"}), 0);
    assert_int_equal(fmt_table_count_time(table, 0, "days since 2024-04-30T06:00:00Z"), 0);
    assert_int_equal(fmt_table_read(table, 3, X, NULL, NULL, &rows), 0);
    assert_all_close(3, X, ((double[]){1, 1.0625, 2}), 0.0);
    assert_int_equal(fmt_table_count_time(table, 0, "m s-1"), ORFF_ERROR_MISMATCH);
    fmt_table_close(table);
    formats_refused(formats_text("a.csv", "t,u\n2024-05-01,1\n2024,2\n"), &everything, ORFF_ERROR_FORMAT,
                    "line 3", "is not a date", NULL);
}

/* Times of day behind dates are part of them, listed or not; alone they are hours. */
static void test_dates_and_clocks(void **state) {
    (void)state;
    static const double hours[] = {6.5, 24.0};
    const char *path = formats_text("a.csv", "date,time,u\n2024-05-01,06:30,1\n2024-05-02,00:00:00,2\n");
    const char *const lists[] = {"date,time", "date", "1-2"};
    for (size_t i = 0; i < 3; i++) {
        formats_data data = formats_read(path, &(fmt_table_selection){.inputs = lists[i], .outputs = "u"});
        assert_int_equal(data.d, 1);
        assert_all_close(2, data.X, hours, 0.0);
        assert_string_equal(fmt_table_clock(data.table, 0), "time");
        formats_free(&data);
    }
    formats_data data = formats_read(path, &(fmt_table_selection){.inputs = "time", .outputs = "u"});
    assert_all_close(2, data.X, ((double[]){6.5, 0.0}), 0.0);
    assert_string_equal(fmt_table_units(data.table, 1), "hours");
    formats_free(&data);
    path = formats_text("a.txt", "2024-05-01 \"6:30\" 1\n2024-05-02 00:00 2\n"); /* no header, and blanks */
    data = formats_read(path, &(fmt_table_selection){.inputs = "1", .outputs = "3"});
    assert_all_close(2, data.X, hours, 0.0);
    formats_free(&data);
    path = formats_text("a.csv", "t,clock,u\n2024-05-01T01:00,06:30,1\n2024-05-02T02:00,00:00,2\n");
    data = formats_read(path, &(fmt_table_selection){.inputs = "t,clock", .outputs = "u"});
    assert_int_equal(data.d, 2); /* the dates have their own */
    formats_free(&data);
    formats_refused(formats_text("a.csv", "date,time,u\n2024-05-01,06:30,1\n2024-05-02,25:00,2\n"),
                    &(fmt_table_selection){.inputs = "date", .outputs = "u"}, ORFF_ERROR_FORMAT,
                    "line 3, column 2", "not a time of day", NULL);
    data = formats_read(formats_text("a.csv", "date,time,u\n2024-05-01,06:30,1\n2024-05-02,,2\n"),
                        &(fmt_table_selection){.inputs = "date", .outputs = "u", .skip_missing = true});
    assert_int_equal(data.n, 1);
    formats_free(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_separators),
        cmocka_unit_test(test_mixed_decimals),
        cmocka_unit_test(test_trailing_separators),
        cmocka_unit_test(test_names_in_comments),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_tecplot),
        cmocka_unit_test(test_latin_1),
        cmocka_unit_test(test_missing_words),
        cmocka_unit_test(test_missing_given),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_columns_of_dates),
        cmocka_unit_test(test_dates_and_clocks),
    };
    return cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
}
