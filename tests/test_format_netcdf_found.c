/* NetCDF as found in practice: times, parts of dimensions, groups, packed numbers. */
#define _GNU_SOURCE

#include "formats.h"

#ifndef ORFF_HAVE_NETCDF
int main(void) {
    return 0;
}
#else

#include <netcdf.h>
#include <stdio.h>
#include <string.h>

#include "formats/source.h"

#define OK(call) assert_int_equal(call, NC_NOERR)

enum { X = 3, TIME = 6 };

static void text(int file, int variable, const char *name, const char *value) {
    OK(nc_put_att_text(file, variable, name, strlen(value), value));
}

/* u(time, x) = 10 time + x; time in days, the first one 2 days after the date that it counts from. */
static const char *make_file(const char *name, const char *calendar) {
    const char *path = formats_path(name);
    int file, dim[2], time, x, u;
    double us[TIME][X];
    const double times[TIME] = {2, 2.25, 2.5, 2.75, 3, 3.25}, xs[X] = {0, 1, 2};
    OK(nc_create(path, NC_CLOBBER, &file));
    OK(nc_def_dim(file, "time", TIME, &dim[0]));
    OK(nc_def_dim(file, "x", X, &dim[1]));
    OK(nc_def_var(file, "time", NC_DOUBLE, 1, &dim[0], &time));
    OK(nc_def_var(file, "x", NC_DOUBLE, 1, &dim[1], &x));
    OK(nc_def_var(file, "u", NC_DOUBLE, 2, dim, &u));
    text(file, time, "units", "days since 2024-02-28 00:00:00");
    if (calendar) text(file, time, "calendar", calendar);
    text(file, u, "units", "m s-1");
    OK(nc_enddef(file));
    for (int t = 0; t < TIME; t++)
        for (int i = 0; i < X; i++) us[t][i] = 10 * t + i;
    OK(nc_put_var_double(file, time, times));
    OK(nc_put_var_double(file, x, xs));
    OK(nc_put_var_double(file, u, &us[0][0]));
    OK(nc_close(file));
    return path;
}

/* Hours since the first one that is asked for; the units say which that is. */
static void test_times(void **state) {
    (void)state;
    const char *path = make_file("a.nc", NULL);
    formats_data data = formats_read(path, &(fmt_table_selection){.inputs = "time,x", .outputs = "u"});
    assert_int_equal(data.n, TIME * X);
    for (size_t i = 0; i < data.n; i++) assert_close(data.X[2 * i], 6.0 * (double)(i / X), 0.0);
    assert_string_equal(fmt_table_units(data.table, fmt_table_input(data.table, 0)),
                        "hours since 2024-03-01T00:00:00Z");
    assert_true(fmt_table_is_time(data.table, fmt_table_input(data.table, 0)));
    formats_free(&data);
    /* Counted as another file did. */
    fmt_table *table;
    double some[2 * X];
    size_t rows;
    assert_int_equal(fmt_table_open(&table, path, NULL), 0);
    assert_int_equal(fmt_table_select(table, &(fmt_table_selection){.inputs = "time,x"}), 0);
    assert_int_equal(fmt_table_count_time(table, 0, "hours since 2024-02-29T00:00:00Z"), 0);
    assert_int_equal(fmt_table_read(table, X, some, NULL, NULL, &rows), 0);
    assert_close(some[0], 24.0, 0.0);
    fmt_table_close(table);
    /* A calendar whose days are not ours keeps its count. */
    data = formats_read(make_file("a.nc", "360_day"),
                        &(fmt_table_selection){.inputs = "time,x", .outputs = "u"});
    assert_close(data.X[0], 2.0, 0.0);
    assert_string_equal(fmt_table_units(data.table, fmt_table_input(data.table, 0)),
                        "days since 2024-02-28 00:00:00");
    formats_free(&data);
}

static void assert_part(const char *path, const char *part, size_t first, size_t count) {
    support_case("%s", part);
    formats_data data =
        formats_read(path, &(fmt_table_selection){.inputs = "time,x", .outputs = "u", .fixed = part});
    assert_int_equal(data.n, count * X);
    assert_int_equal(fmt_table_rows(data.table), count * X);
    for (size_t i = 0; i < data.n; i++) {
        assert_close(data.Y[i], (double)(10 * (first + i / X) + i % X), 0.0);
        assert_close(data.X[2 * i], 6.0 * (double)(i / X), 0.0);
    }
    formats_free(&data);
    support_case(NULL);
}

static void test_parts(void **state) {
    (void)state;
    const char *path = make_file("a.nc", NULL);
    assert_part(path, "time=0:6", 0, 6);
    assert_part(path, "time=2:5", 2, 3);
    assert_part(path, "time=4:", 4, 2);
    assert_part(path, "time=:2", 0, 2);
    assert_part(path, "time=3:4", 3, 1);
    assert_part(path, "time=3", 3, 1);
    const char *const wrong[] = {
        "time=0:7",   "time=3:3", "time=4:2", "time=:",  "time=",
        "time=1:2:3", "time=0:x", "time=6",   "time=6:", "time=99999999999999999999:"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        formats_refused(path, &(fmt_table_selection){.inputs = "time,x", .outputs = "u", .fixed = wrong[i]},
                        ORFF_ERROR_INVALID_ARGUMENT, "index from 0 to 5, or a range such as 0:6", NULL);
    formats_refused(path, &(fmt_table_selection){.inputs = "time,x", .fixed = "quite_another=0"},
                    ORFF_ERROR_INVALID_ARGUMENT, "there are time, x", NULL);
}

static void test_shapes(void **state) {
    (void)state;
    fmt_table *table;
    assert_int_equal(fmt_table_open(&table, make_file("a.nc", NULL), NULL), 0);
    assert_string_equal(fmt_table_shape(table, 0), "time=6");
    assert_string_equal(fmt_table_shape(table, 2), "time=6, x=3");
    fmt_table_close(table);
}

/* Variables of groups, over dimensions of their own and of the root. */
static void test_groups(void **state) {
    (void)state;
    const char *path = formats_path("g.nc");
    int file, model, deep, dim[2], x, y, u;
    const double xs[X] = {5, 6, 7}, ys[2] = {1, 2}, us[2][X] = {{1, 2, 3}, {4, 5, 6}};
    OK(nc_create(path, NC_CLOBBER | NC_NETCDF4, &file));
    OK(nc_def_dim(file, "x", X, &dim[1]));
    OK(nc_def_var(file, "x", NC_DOUBLE, 1, &dim[1], &x));
    OK(nc_def_grp(file, "model", &model));
    OK(nc_def_grp(model, "deep", &deep));
    OK(nc_def_dim(deep, "y", 2, &dim[0]));
    OK(nc_def_var(deep, "y", NC_DOUBLE, 1, &dim[0], &y));
    OK(nc_def_var(deep, "u", NC_DOUBLE, 2, dim, &u));
    text(deep, u, "units", "m s-1");
    OK(nc_put_var_double(file, x, xs));
    OK(nc_put_var_double(deep, y, ys));
    OK(nc_put_var_double(deep, u, &us[0][0]));
    OK(nc_close(file));
    formats_data data =
        formats_read(path, &(fmt_table_selection){.inputs = "/x,/model/deep/y", .outputs = "/model/deep/u"});
    assert_int_equal(data.n, 2 * X);
    assert_all_close(6, data.Y, &us[0][0], 0.0);
    assert_all_close(4, data.X, ((double[]){5, 1, 6, 1}), 0.0);
    assert_string_equal(fmt_table_units(data.table, fmt_table_output(data.table, 0)), "m s-1");
    formats_free(&data);
    data =
        formats_read(path, &(fmt_table_selection){.inputs = "x", .outputs = "/model/deep/u", .fixed = "y=1"});
    assert_all_close(3, data.Y, us[1], 0.0);
    formats_free(&data);
}

/* Bytes that stand for unsigned ones, scaled; 255 is the fill value, 200 above the range. */
static void test_unsigned(void **state) {
    (void)state;
    const char *path = formats_path("p.nc");
    int file, dim, x, u;
    const double xs[4] = {0, 1, 2, 3}, scale = 0.5, offset = 10;
    const signed char us[4] = {(signed char)130, 4, (signed char)255, (signed char)200}, fill = -1,
                      most = (signed char)190;
    OK(nc_create(path, NC_CLOBBER, &file));
    OK(nc_def_dim(file, "x", 4, &dim));
    OK(nc_def_var(file, "x", NC_DOUBLE, 1, &dim, &x));
    OK(nc_def_var(file, "u", NC_BYTE, 1, &dim, &u));
    text(file, u, "_Unsigned", "true");
    OK(nc_put_att_schar(file, u, "_FillValue", NC_BYTE, 1, &fill));
    OK(nc_put_att_schar(file, u, "valid_max", NC_BYTE, 1, &most));
    OK(nc_put_att_double(file, u, "scale_factor", NC_DOUBLE, 1, &scale));
    OK(nc_put_att_double(file, u, "add_offset", NC_DOUBLE, 1, &offset));
    OK(nc_enddef(file));
    OK(nc_put_var_double(file, x, xs));
    OK(nc_put_var_schar(file, u, us));
    OK(nc_close(file));
    formats_data data = formats_read(path, &(fmt_table_selection){.inputs = "x", .outputs = "u"});
    assert_int_equal(data.n, 2);
    assert_all_close(2, data.Y, ((double[]){75, 12}), 0.0);
    formats_free(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),  cmocka_unit_test(test_parts),    cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_groups), cmocka_unit_test(test_unsigned),
    };
    int failed = cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
    formats_use_source(&fmt_source_netcdf_bare); /* without the child: the same */
    failed += cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
    formats_use_source(NULL);
    return failed;
}
#endif
