/* NetCDF: dimensions to rows, and attributes for missing and scaled numbers. */
#define _GNU_SOURCE

#include "formats.h"

#ifndef ORFF_HAVE_NETCDF
static void test_refused(void **state) {
    (void)state;
    const fmt_table_selection everything = {0};
    formats_refused(formats_file("a.nc", "CDF\1", 4), &everything, ORFF_ERROR_UNSUPPORTED, "libnetcdf-dev",
                    NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
}
#else

#include <math.h>
#include <netcdf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "formats/source.h"

#define OK(call) assert_int_equal(call, NC_NOERR)

enum { LON = 4, LAT = 3, TIME = 2 };

/* Classic or NetCDF-4: u(time, lat, lon) = 100 time + 10 lat + lon as scaled shorts, v(lon, lat, time)
 * transposed, both with holes; curvilinear lon2(lat, lon), lat2; text, which is no column. */
static const char *make_file(const char *name, int kind) {
    const char *path = formats_path(name);
    int file, dim[3], lon, lat, time, u, v, lon2, text;
    OK(nc_create(path, NC_CLOBBER | kind, &file));
    OK(nc_def_dim(file, "time", TIME, &dim[0]));
    OK(nc_def_dim(file, "lat", LAT, &dim[1]));
    OK(nc_def_dim(file, "lon", LON, &dim[2]));
    const int turned[] = {dim[2], dim[1], dim[0]};
    OK(nc_def_var(file, "text", NC_CHAR, 1, dim, &text));
    OK(nc_def_var(file, "lon", NC_FLOAT, 1, &dim[2], &lon));
    OK(nc_def_var(file, "lat", NC_DOUBLE, 1, &dim[1], &lat));
    OK(nc_def_var(file, "time", NC_INT, 1, &dim[0], &time));
    OK(nc_def_var(file, "u", NC_SHORT, 3, dim, &u));
    OK(nc_def_var(file, "v", NC_FLOAT, 3, turned, &v));
    OK(nc_def_var(file, "lon2", NC_DOUBLE, 2, &dim[1], &lon2));
    const short fill = -99;
    const double scale = 0.5, offset = 1000;
    const float gone[] = {-1e30f, -2e30f}, range[] = {-10, 200};
    OK(nc_put_att_text(file, lon, "units", 12, "degrees_east"));
    OK(nc_put_att_text(file, lon, "standard_name", 9, "longitude"));
    OK(nc_put_att_short(file, u, "_FillValue", NC_SHORT, 1, &fill));
    OK(nc_put_att_double(file, u, "scale_factor", NC_DOUBLE, 1, &scale));
    OK(nc_put_att_double(file, u, "add_offset", NC_DOUBLE, 1, &offset));
    OK(nc_put_att_float(file, v, "missing_value", NC_FLOAT, 2, gone));
    OK(nc_put_att_float(file, v, "valid_range", NC_FLOAT, 2, range));
    OK(nc_enddef(file));
    const float lons[LON] = {10, 11, 12, 13};
    const double lats[LAT] = {-1, 0, 1};
    const int times[TIME] = {6, 18};
    OK(nc_put_var_float(file, lon, lons));
    OK(nc_put_var_double(file, lat, lats));
    OK(nc_put_var_int(file, time, times));
    short us[TIME][LAT][LON];
    float vs[LON][LAT][TIME];
    double curved[LAT][LON];
    for (int t = 0; t < TIME; t++)
        for (int y = 0; y < LAT; y++)
            for (int x = 0; x < LON; x++) {
                us[t][y][x] = (short)(100 * t + 10 * y + x);
                vs[x][y][t] = (float)(100 * t + 10 * y + x);
                curved[y][x] = x + 0.1 * y;
            }
    us[0][0][1] = fill;
    vs[2][0][0] = gone[1];
    vs[3][0][0] = 201;           /* outside of the range */
    vs[0][1][0] = NC_FILL_FLOAT; /* never written */
    vs[1][1][0] = (float)NAN;
    OK(nc_put_var_short(file, u, &us[0][0][0]));
    OK(nc_put_var_float(file, v, &vs[0][0][0]));
    OK(nc_put_var_double(file, lon2, &curved[0][0]));
    OK(nc_close(file));
    return path;
}

static const int kinds[] = {0, NC_64BIT_OFFSET, NC_NETCDF4};

static void test_rows(void **state) {
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        support_case("kind %d", kinds[k]);
        const char *path = make_file("a.nc", kinds[k]);
        const fmt_table_selection selection = {.inputs = "lon,lat", .outputs = "u,v", .fixed = "time=0"};
        formats_data data = formats_read(path, &selection);
        assert_int_equal(fmt_table_rows(data.table), LAT * LON);
        assert_int_equal(fmt_table_dropped(data.table), 5);
        assert_int_equal(data.n, 7);
        const double x[] = {10, -1, 12, 0, 13, 0, 10, 1, 11, 1, 12, 1, 13, 1};
        const double y[] = {1000, 0, 1006, 12, 1006.5, 13, 1010, 20, 1010.5, 21, 1011, 22, 1011.5, 23};
        assert_all_close(14, data.X, x, 0.0);
        assert_all_close(14, data.Y, y, 0.0);
        assert_string_equal(fmt_table_format(data.table), "netcdf");
        assert_string_equal(fmt_table_units(data.table, fmt_table_input(data.table, 0)), "degrees_east");
        assert_string_equal(fmt_table_standard_name(data.table, fmt_table_input(data.table, 0)), "longitude");
        assert_null(fmt_table_units(data.table, fmt_table_output(data.table, 1)));
        formats_free(&data);

        data = formats_read(path, &(fmt_table_selection){.inputs = "time,lon,lat", .outputs = "v"});
        assert_int_equal(data.n, TIME * LAT * LON - 4);
        for (size_t i = 0; i < data.n; i++) {
            const double *r = data.X + 3 * i;
            assert_close(data.Y[i], 100 * (r[0] == 18) + 10 * (r[2] + 1) + r[1] - 10, 0.0);
        }
        formats_free(&data);
    }
    support_case(NULL);
}

static void test_curvilinear(void **state) {
    (void)state;
    const char *path = make_file("a.nc", 0);
    formats_data data =
        formats_read(path, &(fmt_table_selection){.inputs = "lon2", .outputs = "u", .fixed = "time=1"});
    assert_int_equal(data.n, LAT * LON);
    for (size_t i = 0; i < data.n; i++) {
        assert_close(data.X[i], (double)(i % LON) + 0.1 * (double)(i / LON), 0.0);
        assert_close(data.Y[i], 1000 + 0.5 * (double)(100 + 10 * (i / LON) + i % LON), 0.0);
    }
    double X[LAT * LON], Y[LAT * LON];
    size_t rows;
    assert_int_equal(fmt_table_rewind(data.table), 0);
    assert_int_equal(fmt_table_read(data.table, LAT * LON, X, Y, NULL, &rows), 0);
    assert_int_equal(rows, LAT * LON);
    assert_all_close(rows, Y, data.Y, 0.0);
    formats_free(&data);
}

static void test_coordinates_alone(void **state) {
    (void)state;
    formats_data data = formats_read(make_file("a.nc", 0), &(fmt_table_selection){.inputs = "lon,lat"});
    assert_int_equal(data.n, LAT * LON);
    formats_free(&data);
}

static void test_refusals(void **state) {
    (void)state;
    const char *path = make_file("a.nc", 0);
#define REFUSED(status, selection, ...) \
    formats_refused(path, &(fmt_table_selection)selection, status, "a.nc", __VA_ARGS__, NULL)
#define SELECT(...) \
    { .inputs = "lon,lat", .outputs = "u", __VA_ARGS__ }
    REFUSED(ORFF_ERROR_INVALID_ARGUMENT, SELECT(.fixed = NULL), "dimension time (length 2)", "time=0");
    REFUSED(ORFF_ERROR_INVALID_ARGUMENT, SELECT(.fixed = "tine=0"), "\"tine\"", "did you mean \"time\"?");
    REFUSED(ORFF_ERROR_INVALID_ARGUMENT, SELECT(.fixed = "time=2"), "index from 0 to 1");
    REFUSED(ORFF_ERROR_INVALID_ARGUMENT, SELECT(.fixed = "time=-1"), "index from 0 to 1");
    REFUSED(ORFF_ERROR_INVALID_ARGUMENT, SELECT(.fixed = "time"), "dimension=index");
    REFUSED(ORFF_ERROR_INVALID_ARGUMENT, SELECT(.weights = "w", .fixed = "time=0"), "weights", "\"w\"");
#undef SELECT
#undef REFUSED
    const fmt_table_selection everything = {0};
    formats_refused(formats_text("b.nc", "lon,lat\n1,2\n"), &everything, ORFF_ERROR_FORMAT, "not a NetCDF",
                    NULL);
    formats_refused(formats_file("b.nc", "CDF\1\0\0\0", 7), &everything, ORFF_ERROR_FORMAT, "b.nc", NULL);
    formats_refused(formats_path("none.nc"), &everything, ORFF_ERROR_IO, "No such file", NULL);
}

/* Infinite values are no missing ones: they are refused with variable and index. */
static void test_infinite(void **state) {
    (void)state;
    const char *path = formats_path("a.nc");
    const double values[] = {1, (double)INFINITY};
    int file, dimension, x;
    OK(nc_create(path, NC_CLOBBER, &file));
    OK(nc_def_dim(file, "x", 2, &dimension));
    OK(nc_def_var(file, "x", NC_DOUBLE, 1, &dimension, &x));
    OK(nc_enddef(file));
    OK(nc_put_var_double(file, x, values));
    OK(nc_close(file));
    formats_refused(path, &(fmt_table_selection){.inputs = "x"}, ORFF_ERROR_NOT_FINITE,
                    "variable x, index [1]", "infinite", NULL);
}

/* More rows than one block has, in an order that makes blocks end in the middle of an axis. */
static void test_many_blocks(void **state) {
    (void)state;
    enum { ROW = 701, COLUMN = 997 };
    const char *path = formats_path("a.nc");
    int file, dim[2], a, x, y;
    OK(nc_create(path, NC_CLOBBER, &file));
    OK(nc_def_dim(file, "y", ROW, &dim[0]));
    OK(nc_def_dim(file, "x", COLUMN, &dim[1]));
    OK(nc_def_var(file, "a", NC_INT, 2, dim, &a));
    OK(nc_def_var(file, "x", NC_INT, 1, &dim[1], &x));
    OK(nc_def_var(file, "y", NC_INT, 1, &dim[0], &y));
    OK(nc_enddef(file));
    int *values = calloc(ROW * COLUMN, sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < ROW * COLUMN; i++) values[i] = i;
    OK(nc_put_var_int(file, a, values));
    OK(nc_put_var_int(file, x, values));
    OK(nc_put_var_int(file, y, values));
    OK(nc_close(file));
    free(values);
    formats_data data = formats_read(path, &(fmt_table_selection){.inputs = "x,y", .outputs = "a"});
    assert_int_equal(data.n, ROW * COLUMN);
    for (size_t i = 0; i < data.n; i++)
        if (data.Y[i] != (double)i || data.X[2 * i] + COLUMN * data.X[2 * i + 1] != (double)i)
            fail_msg("row %zu", i);
    formats_free(&data);
}

/* ---------------------------------------------------------------- files of other kinds */

static void *read_whole(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    *size = (size_t)about.st_size;
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static const fmt_table_selection wind = {.inputs = "lon,lat", .outputs = "u,v", .fixed = "time=0"};

/* The file as `name`, packed. */
static const char *make_packed(const char *name, int kind) {
    size_t size;
    void *bytes = read_whole(make_file("a.nc", kind), &size);
    const char *path = formats_packed(name, bytes, size);
    free(bytes);
    return path;
}

static void test_packed(void **state) {
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        formats_data data = formats_read(make_packed("a.nc.gz", kinds[k]), &wind);
        assert_int_equal(data.n, 7);
        formats_free(&data);
    }
}

/* From a pipe nobody can seek: it is copied as a packed file is. */
static void test_pipe(void **state) {
    (void)state;
    size_t size;
    char *bytes = read_whole(make_file("a.nc", NC_NETCDF4), &size);
    formats_data data = formats_read(formats_piped("pipe.nc", bytes, size), &wind);
    formats_piped_end();
    assert_int_equal(data.n, 7);
    formats_free(&data);
    free(bytes);
}

/* Names that netcdf-c would take for something else than a file. */
static void test_odd_names(void **state) {
    (void)state;
    formats_data data = formats_read(make_file("a#mode=zarr.nc", 0), &wind);
    assert_int_equal(data.n, 7);
    formats_free(&data);
}

static void test_unpacking_fails(void **state) {
    (void)state;
    const char *path = make_packed("a.nc.gz", NC_NETCDF4);
    assert_int_equal(setenv("TMPDIR", formats_path("nowhere"), 1), 0);
    formats_refused(path, &wind, ORFF_ERROR_IO, "a.nc.gz: cannot be unpacked", "nowhere", "No such file",
                    "TMPDIR", NULL);
    unsetenv("TMPDIR");
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 100, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    formats_data data = {0};
    const int status = fmt_table_open(&data.table, path, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, ORFF_ERROR_IO);
    formats_says(fmt_table_error(data.table), "cannot be unpacked to a temporary file: File too large");
    fmt_table_close(data.table);
}

/* Packed files cut short or spoilt, and packed files of something else. */
static void test_packed_wrongly(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = read_whole(make_packed("a.nc.gz", 0), &size);
    formats_refused(formats_file("b.nc.gz", bytes, size / 2), &wind, ORFF_ERROR_FORMAT, "cut short", NULL);
    bytes[size - 6] ^= 1;
    formats_refused(formats_file("b.nc.gz", bytes, size), &wind, ORFF_ERROR_FORMAT, "damaged gzip", NULL);
    free(bytes);
    bytes = read_whole(make_packed("a.nc.gz", 0), &size);
    bytes = realloc(bytes, size + 1);
    assert_non_null(bytes);
    bytes[size] = 'x';
    formats_refused(formats_file("b.nc.gz", bytes, size + 1), &wind, ORFF_ERROR_FORMAT,
                    "b.nc.gz: ", "something that is not gzip follows", NULL);
    free(bytes);
    formats_refused(formats_packed("b.nc.gz", "CDF", 3), &wind, ORFF_ERROR_FORMAT, "b.nc.gz", NULL);
    formats_refused(formats_packed("b.nc.gz", "CDX", 3), &wind, ORFF_ERROR_FORMAT, "not a NetCDF", NULL);
    formats_refused("/", &wind, ORFF_ERROR_IO, "is a directory", NULL);
}

static void test_no_numbers(void **state) {
    (void)state;
    const char *path = formats_path("a.nc");
    int file, dimension, text;
    OK(nc_create(path, NC_CLOBBER, &file));
    OK(nc_def_dim(file, "x", 2, &dimension));
    OK(nc_def_var(file, "text", NC_CHAR, 1, &dimension, &text));
    OK(nc_close(file));
    formats_refused(path, &wind, ORFF_ERROR_FORMAT, "no variables that hold numbers", NULL);
}

/* Text attributes of a file come as they are, at most 4096 bytes of them, and end at a zero byte. */
static void test_attributes(void **state) {
    (void)state;
    const char *path = formats_path("a.nc");
    char text[5000];
    int file, dimension, x[3];
    memset(text, 'm', sizeof text);
    OK(nc_create(path, NC_CLOBBER, &file));
    OK(nc_def_dim(file, "x", 2, &dimension));
    OK(nc_def_var(file, "x", NC_DOUBLE, 1, &dimension, &x[0]));
    OK(nc_def_var(file, "y", NC_DOUBLE, 1, &dimension, &x[1]));
    OK(nc_def_var(file, "z", NC_DOUBLE, 1, &dimension, &x[2]));
    OK(nc_put_att_text(file, x[0], "units", 5000, text));
    OK(nc_put_att_text(file, x[1], "units", 4096, text));
    OK(nc_put_att_text(file, x[2], "units", 3, "m\0s"));
    OK(nc_close(file));
    fmt_table *table;
    assert_int_equal(fmt_table_open(&table, path, NULL), 0);
    assert_null(fmt_table_units(table, 0));
    assert_int_equal(strlen(fmt_table_units(table, 1)), 4096);
    assert_string_equal(fmt_table_units(table, 2), "m");
    fmt_table_close(table);
}

/* ---------------------------------------------------------------- damaged files */

/* Any byte spoilt: read, or refused with the file's name; netcdf-c may crash or loop, this process does not.
 * The limits are lowered for loops to be short. */
static void test_damaged(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 5};
    assert_int_equal(setenv("ORFF_NETCDF_LIMITS", "0.03", 1), 0);
    for (size_t k = 0; k < 3; k++) {
        size_t size;
        unsigned char *bytes = read_whole(make_file("a.nc", kinds[k]), &size);
        for (uint32_t trial = 0; trial < 100; trial++) {
            unsigned char *copy = malloc(size);
            assert_non_null(copy);
            memcpy(copy, bytes, size);
            for (uint32_t e = 0; e <= trial % 4; e++)
                copy[orffi_rng_below(rng, trial, 2 * e, size)] =
                    (unsigned char)orffi_rng_bits(rng, trial, 2 * e + 1);
            formats_data data = {0};
            const char *path = formats_file("b.nc", copy, size);
            int status = fmt_table_open(&data.table, path, NULL);
            if (!status) status = fmt_table_select(data.table, &wind);
            double X[2 * LAT * LON], Y[2 * LAT * LON];
            size_t rows;
            if (!status) status = fmt_table_read(data.table, LAT * LON, X, Y, NULL, &rows);
            if (status) formats_says(fmt_table_error(data.table), "b.nc: ");
            fmt_table_close(data.table);
            free(copy);
        }
        free(bytes);
    }
    unsetenv("ORFF_NETCDF_LIMITS");
}

/* Free space in the middle of a global heap: libhdf5 1.10 looks for its end for ever. What later ones make of
 * it does not matter, as long as it comes to an end. */
static void test_endless(void **state) {
    (void)state;
    size_t size, place = 0;
    unsigned char *bytes = read_whole(make_file("a.nc", NC_NETCDF4), &size);
    while (place + 128 < size && memcmp(bytes + place, "GCOL", 4)) place++;
    assert_true(place + 128 < size);
    bytes[place + 64] = 0; /* the number of the third object, behind a head of 16 bytes and two of 24 */
    assert_int_equal(setenv("ORFF_NETCDF_LIMITS", "0.03", 1), 0);
    fmt_table *table;
    if (fmt_table_open(&table, formats_file("b.nc", bytes, size), NULL))
        formats_says(fmt_table_error(table), "b.nc: ");
    fmt_table_close(table);
    unsetenv("ORFF_NETCDF_LIMITS");
    free(bytes);
}

static void test_limits(void **state) {
    (void)state;
    static const char *const wrong[] = {"0", "-1", "x", "1x", "nan", "1e7"};
    const char *path = make_file("a.nc", NC_NETCDF4);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(setenv("ORFF_NETCDF_LIMITS", wrong[i], 1), 0);
        formats_refused(path, &wind, ORFF_ERROR_INVALID_ARGUMENT, "ORFF_NETCDF_LIMITS", wrong[i], NULL);
    }
    assert_int_equal(setenv("ORFF_NETCDF_LIMITS", "10", 1), 0);
    formats_data data = formats_read(path, &wind);
    formats_free(&data);
    unsetenv("ORFF_NETCDF_LIMITS");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_curvilinear),
        cmocka_unit_test(test_coordinates_alone),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_odd_names),
        cmocka_unit_test(test_packed_wrongly),
        cmocka_unit_test(test_no_numbers),
    };
    const struct CMUnitTest in_child[] = {
        cmocka_unit_test(test_unpacking_fails), cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_damaged),         cmocka_unit_test(test_endless),
        cmocka_unit_test(test_limits),
    };
    int failed = cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
    formats_use_source(&fmt_source_netcdf_bare); /* without the child: the same */
    failed += cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
    formats_use_source(NULL);
    return failed + cmocka_run_group_tests(in_child, formats_set_up, formats_tear_down);
}
#endif
