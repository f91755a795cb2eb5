/* Written tables are read back unchanged; a file appears complete or not at all; a full disk or a closed pipe
 * causes nothing but an error. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "formats.h"
#include "formats/classic.h"

#ifdef ORFF_HAVE_NETCDF
#include <netcdf.h>
#endif

enum { ROWS = 500, COLUMNS = 4 };

static const fmt_output_column columns[COLUMNS] = {
    {.name = "lon_deg", .input = true},
    {.name = "lat_deg", .input = true},
    {.name = "u_ms"},
    {.name = "u_std", .error_of = "u_ms"},
};
static const fmt_output_options plain = {.n_columns = COLUMNS, .columns = columns};

/* Random bit patterns that are finite: every exponent. */
static void fill(double *cells) {
    const orffi_rng rng = {.seed = 5};
    for (uint64_t i = 0, k = 0; i < ROWS * COLUMNS; k++) {
        const uint64_t bits = orffi_rng_bits(rng, k, 0);
        memcpy(&cells[i], &bits, sizeof bits);
        if (isfinite(cells[i])) i++;
    }
}

static int write_all(fmt_output **output, const char *path, const fmt_output_options *options, size_t rows,
                     const double *cells) {
    int status = fmt_output_open(output, path, options);
    if (!status) status = fmt_output_write(*output, rows / 3, cells);
    if (!status) status = fmt_output_write(*output, rows - rows / 3, cells + rows / 3 * options->n_columns);
    return status ? status : fmt_output_finish(*output);
}

static void write_file(const char *path, const fmt_output_options *options, size_t rows,
                       const double *cells) {
    fmt_output *output;
    if (write_all(&output, path, options, rows, cells)) fail_msg("%s", fmt_output_error(output));
    fmt_output_close(output);
}

static void assert_same(const char *path, const double *cells) {
    const fmt_table_selection everything = {0};
    formats_data data = formats_read(path, &everything);
    assert_int_equal(data.n, ROWS);
    assert_int_equal(data.d, COLUMNS);
    assert_memory_equal(data.X, cells, ROWS * COLUMNS * sizeof *cells);
    formats_free(&data);
}

static void test_round_trips(void **state) {
    (void)state;
    static const char *const names[] = {"a.csv", "a.csv.gz", "a.tsv", "a.npy"};
    static double cells[ROWS * COLUMNS];
    fill(cells);
    fmt_output_options options = plain;
    for (size_t i = 0; i < 4; i++) {
        for (int shortest = 0; shortest < 2; shortest++) {
            support_case("%s, shortest %d", names[i], shortest);
            options.shortest = shortest;
            write_file(formats_path(names[i]), &options, ROWS, cells);
            assert_same(formats_path(names[i]), cells);
        }
    }
    support_case(NULL);
}

static char *slurp(const char *path, char text[1024]) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, 1023, file)] = '\0';
    fclose(file);
    return text;
}

static void test_text(void **state) {
    (void)state;
    const char *const kinds[] = {"setosa", "a \"b\", c"};
    const fmt_output_column named[] = {{.name = "x, m"}, {.name = "kind", .n_labels = 2, .labels = kinds}};
    const fmt_output_options options = {.n_columns = 2, .columns = named, .shortest = true};
    const double cells[] = {0.1, 0, (double)NAN, 1};
    char text[1024];
    write_file(formats_path("a.csv"), &options, 2, cells);
    assert_string_equal(slurp(formats_path("a.csv"), text),
                        "\"x, m\",kind\n0.1,setosa\nnan,\"a \"\"b\"\", c\"\n");
    fmt_output *output;
    assert_int_equal(write_all(&output, formats_path("a.csv"), &options, 1, (const double[]){1, 2}),
                     ORFF_ERROR_INVALID_ARGUMENT);
    formats_says(fmt_output_error(output), "column kind: 2 is not the number of a class");
    fmt_output_close(output);
}

/* Given up, refused, or in a directory that is not there: the old file stays, and nothing else does. */
static void test_all_or_nothing(void **state) {
    (void)state;
    const double cells[COLUMNS] = {1, 2, 3, 4};
    char text[1024];
    const char *path = formats_text("a.csv", "old");
    fmt_output *output;
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(fmt_output_open(&output, path, &plain), 0);
    assert_int_equal(fmt_output_write(output, 1, cells), 0);
    assert_string_equal(slurp(path, text), "old");
    fmt_output_close(output);
    assert_string_equal(slurp(path, text), "old");
    write_file(path, &plain, 1, cells);
    assert_string_equal(slurp(path, text), "lon_deg,lat_deg,u_ms,u_std\n1,2,3,4\n");
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);

    assert_int_equal(fmt_output_open(&output, "/nowhere/a.csv", &plain), ORFF_ERROR_IO);
    formats_says(fmt_output_error(output), "/nowhere/a.csv: cannot be written: No such file");
    fmt_output_close(output);
    assert_int_equal(fmt_output_open(&output, formats_path("a.xyz"), &plain), ORFF_ERROR_INVALID_ARGUMENT);
    formats_says(fmt_output_error(output), ".csv, .tsv, .npy or .nc");
    fmt_output_close(output);
    assert_int_equal(fmt_output_open(&output, "/tmp",
                                     &(fmt_output_options){
                                         .format = FMT_FORMAT_CSV, .n_columns = COLUMNS, .columns = columns}),
                     ORFF_ERROR_IO);
    fmt_output_close(output);
}

static void test_no_permission(void **state) {
    (void)state;
    const char *path = formats_text("a.csv", "old");
    assert_int_equal(chmod(path, 0400), 0);
    fmt_output *output;
    assert_int_equal(fmt_output_open(&output, path, &plain), ORFF_ERROR_IO);
    formats_says(fmt_output_error(output), "is read-only");
    fmt_output_close(output);
}

static void test_full_disk(void **state) {
    (void)state;
    static double cells[ROWS * COLUMNS];
    fill(cells);
    fmt_output *output;
    const fmt_output_options csv = {.format = FMT_FORMAT_CSV, .n_columns = COLUMNS, .columns = columns};
    assert_int_equal(write_all(&output, "/dev/full", &csv, ROWS, cells), ORFF_ERROR_IO);
    formats_says(fmt_output_error(output), "/dev/full: exists and is not a regular file");
    fmt_output_close(output);

    static const char *const names[] = {
        "f.csv",
        "f.csv.gz",
        "f.npy",
#ifdef ORFF_HAVE_NETCDF
        "f.nc",
#endif
    };
    struct rlimit before, little = {.rlim_cur = 512, .rlim_max = RLIM_INFINITY};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little.rlim_max = before.rlim_max;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        const int status = write_all(&output, formats_path(names[i]), &plain, ROWS, cells);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, ORFF_ERROR_IO);
        formats_says(fmt_output_error(output), "File too large");
        fmt_output_close(output);
        assert_int_equal(access(formats_path(names[i]), F_OK), -1);
    }
    signal(SIGXFSZ, handler);
}

/* Standard output is a pipe whose reader has gone. */
static void test_broken_pipe(void **state) {
    (void)state;
    static double cells[ROWS * COLUMNS];
    fill(cells);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    assert_int_equal(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    fmt_output *output;
    const int status = write_all(&output, "-", &plain, ROWS, cells);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(ends[1]);
    assert_int_equal(status, ORFF_ERROR_IO);
    formats_says(fmt_output_error(output), "standard output: cannot be written: Broken pipe");
    fmt_output_close(output);
}

static void test_standard_output(void **state) {
    (void)state;
    const double cells[COLUMNS] = {1, 2, 3, 4};
    int ends[2];
    char text[128] = "";
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    assert_int_equal(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    write_file("-", &plain, 1, cells);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(ends[1]);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    assert_string_equal(text, "lon_deg,lat_deg,u_ms,u_std\n1,2,3,4\n");
}

#ifdef ORFF_HAVE_NETCDF
#define OK(call) assert_int_equal(call, NC_NOERR)

static void assert_attribute(int file, int variable, const char *name, const char *want) {
    char text[256] = "";
    size_t length;
    OK(nc_inq_attlen(file, variable, name, &length));
    assert_true(length < sizeof text);
    OK(nc_get_att_text(file, variable, name, text));
    assert_string_equal(text, want);
}

/* 4 x 3 points of a grid in a strange order, one of them not there, one without a value. */
static void test_grid(void **state) {
    (void)state;
    double cells[12 * COLUMNS];
    size_t n = 0;
    for (int i = 0; i < 12; i++) {
        const int k = i * 5 % 12, x = k % 4, y = k / 4;
        if (k == 7) continue;
        const double row[COLUMNS] = {10 + x, -y, k == 2 ? (double)NAN : 10 * y + x, 0.5};
        memcpy(cells + n++ * COLUMNS, row, sizeof row);
    }
    fmt_output_options options = plain;
    options.title = "a test";
    options.history = "by hand";
    write_file(formats_path("a.nc"), &options, n, cells);

    int file, u, lon, rank, dimensions[2];
    char name[NC_MAX_NAME + 1];
    double values[12], axis[4];
    OK(nc_open(formats_path("a.nc"), NC_NOWRITE, &file));
    assert_attribute(file, NC_GLOBAL, "Conventions", "CF-1.8");
    assert_attribute(file, NC_GLOBAL, "title", "a test");
    assert_attribute(file, NC_GLOBAL, "history", "by hand");
    OK(nc_inq_varid(file, "u_ms", &u));
    OK(nc_inq_varid(file, "lon_deg", &lon));
    assert_attribute(file, u, "units", "m s-1");
    assert_attribute(file, u, "ancillary_variables", "u_std");
    assert_attribute(file, lon, "units", "degrees_east");
    assert_attribute(file, lon, "standard_name", "longitude");
    assert_attribute(file, lon, "axis", "X");
    OK(nc_inq_var(file, u, NULL, NULL, &rank, dimensions, NULL));
    assert_int_equal(rank, 2);
    OK(nc_inq_dimname(file, dimensions[0], name));
    assert_string_equal(name, "lat_deg");
    OK(nc_get_var_double(file, lon, axis));
    assert_all_close(4, axis, ((double[]){10, 11, 12, 13}), 0.0);
    OK(nc_get_var_double(file, u, values));
    for (int k = 0; k < 12; k++) {
        const int x = k % 4, y = 2 - k / 4; /* latitudes ascend: -2, -1, 0 */
        const bool hole = 4 * y + x == 7 || 4 * y + x == 2;
        assert_close(values[k], hole ? NC_FILL_DOUBLE : 10 * y + x, 0.0);
    }
    OK(nc_close(file));

    formats_data data = formats_read(
        formats_path("a.nc"), &(fmt_table_selection){.inputs = "lon_deg,lat_deg", .outputs = "u_ms,u_std"});
    assert_int_equal(data.n, 10);
    assert_int_equal(fmt_table_dropped(data.table), 2);
    formats_free(&data);
}

/* Scattered points and doubled ones are no grid. */
static void test_points(void **state) {
    (void)state;
    static double cells[ROWS * COLUMNS];
    fill(cells);
    write_file(formats_path("a.nc"), &plain, ROWS, cells);
    formats_data data = formats_read(
        formats_path("a.nc"), &(fmt_table_selection){.inputs = "lon_deg,lat_deg", .outputs = "u_ms,u_std"});
    assert_int_equal(data.n, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        assert_memory_equal(data.X + 2 * i, cells + COLUMNS * i, 2 * sizeof *cells);
        assert_memory_equal(data.Y + 2 * i, cells + COLUMNS * i + 2, 2 * sizeof *cells);
    }
    formats_free(&data);
    const double twice[] = {1, 2, 3, 4, 1, 2, 5, 6};
    write_file(formats_path("a.nc"), &plain, 2, twice);
    data = formats_read(formats_path("a.nc"),
                        &(fmt_table_selection){.inputs = "lon_deg,lat_deg", .outputs = "u_ms"});
    assert_int_equal(data.n, 2);
    formats_free(&data);
}

/* Without rows there are the variables all the same. */
static void test_empty_netcdf(void **state) {
    (void)state;
    int file, count;
    size_t length = 9;
    write_file(formats_path("a.nc"), &plain, 0, NULL);
    OK(nc_open(formats_path("a.nc"), NC_NOWRITE, &file));
    OK(nc_inq_nvars(file, &count));
    assert_int_equal(count, COLUMNS);
    OK(nc_inq_dimlen(file, 0, &length));
    assert_int_equal(length, 0);
    OK(nc_close(file));
}

/* Both versions of the classic format, read by netcdf-c. */
static void test_classic(void **state) {
    (void)state;
    const double numbers[] = {1.5, -2}, values[] = {3, -0.25, 1e300};
    for (int wide = 0; wide < 2; wide++) {
        fmt_classic c;
        unsigned char bytes[sizeof values];
        double found[3];
        int file, u, rank, dimension;
        fmt_classic_begin(&c, wide);
        fmt_classic_list list = fmt_classic_open(&c, FMT_CLASSIC_DIMENSIONS);
        fmt_classic_dimension(&c, &list, "other", 5);
        fmt_classic_dimension(&c, &list, "x", 3);
        fmt_classic_close(&c, &list);
        list = fmt_classic_open(&c, FMT_CLASSIC_ATTRIBUTES);
        fmt_classic_close(&c, &list);
        list = fmt_classic_open(&c, FMT_CLASSIC_VARIABLES);
        fmt_classic_variable(&c, &list, "u", 1, (uint64_t[]){1});
        fmt_classic_list own = fmt_classic_open(&c, FMT_CLASSIC_ATTRIBUTES);
        fmt_classic_text(&c, &own, "units", "m s-1");
        fmt_classic_numbers(&c, &own, "range", 2, numbers);
        fmt_classic_close(&c, &own);
        const size_t at = fmt_classic_values(&c, sizeof values);
        fmt_classic_close(&c, &list);
        fmt_classic_place(&c, at, c.size);
        fmt_classic_doubles(3, values, bytes);
        assert_false(c.failed);
        FILE *stream = fopen(formats_path("c.nc"), "wb");
        assert_int_equal(fwrite(c.bytes, 1, c.size, stream), c.size);
        assert_int_equal(fwrite(bytes, 1, sizeof bytes, stream), sizeof bytes);
        assert_int_equal(fclose(stream), 0);
        fmt_classic_clear(&c);

        OK(nc_open(formats_path("c.nc"), NC_NOWRITE, &file));
        OK(nc_inq_varid(file, "u", &u));
        assert_attribute(file, u, "units", "m s-1");
        OK(nc_get_att_double(file, u, "range", found));
        assert_memory_equal(found, numbers, sizeof numbers);
        OK(nc_inq_var(file, u, NULL, NULL, &rank, &dimension, NULL));
        assert_true(rank == 1 && dimension == 1);
        OK(nc_get_var_double(file, u, found));
        assert_memory_equal(found, values, sizeof values);
        OK(nc_close(file));
    }
}

static void test_netcdf_refusals(void **state) {
    (void)state;
    fmt_output *output;
    const double cells[] = {(double)NAN, 1, 2, 3};
    assert_int_equal(write_all(&output, formats_path("b.nc"), &plain, 1, cells), ORFF_ERROR_NOT_FINITE);
    formats_says(fmt_output_error(output), "row 1");
    fmt_output_close(output);
    const fmt_output_column same[] = {{.name = "x", .input = true}, {.name = "u m"}, {.name = "u_m"}};
    const fmt_output_options options = {.n_columns = 3, .columns = same};
    assert_int_equal(write_all(&output, formats_path("b.nc"), &options, 1, (const double[]){1, 2, 3}),
                     ORFF_ERROR_INVALID_ARGUMENT);
    formats_says(fmt_output_error(output), "variable u_m");
    fmt_output_close(output);
    assert_int_equal(access(formats_path("b.nc"), F_OK), -1);
}
#endif

/* What a table takes at the least, exactly, up to where 64 bits end. */
static void test_least(void **state) {
    (void)state;
    static const struct {
        const char *path;
        size_t columns;
        uint64_t rows, file, memory;
    } cases[] = {
        {"a.npy", 3, 1000000000000, 24000000000000, 0},
        {"a.csv", 3, 1000000000000, 6000000000000, 0},
        {"-", 3, 10, 60, 0},
        {"a.csv.gz", 2, 1032, 4, 0},
        {"a.nc", 3, 1000000000000, 8000000000000, 24000000000000},
        {"a.npy", 1, (uint64_t)1 << 61, UINT64_MAX, 0},
        {"a.csv", 4, UINT64_MAX / 4 + 1, UINT64_MAX, 0},
        {"a.csv.gz", 1, UINT64_MAX, UINT64_MAX, 0},
        {"a.nc", 1, UINT64_MAX / 8, UINT64_MAX / 8 * 8, UINT64_MAX / 8 * 8},
        {"a.nc", 8, UINT64_MAX / 8, UINT64_MAX / 8 * 8, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t file, memory;
        support_case("case %zu", i);
        fmt_output_least(cases[i].path, cases[i].columns, cases[i].rows, &file, &memory);
        assert_int_equal(file, cases[i].file);
        assert_int_equal(memory, cases[i].memory);
    }
    support_case(NULL);
}

#ifdef ORFF_HAVE_NETCDF
static void assert_text(int file, int variable, const char *name, const char *want) {
    char text[200] = "";
    size_t length = 0;
    if (nc_inq_attlen(file, variable, name, &length) || length >= sizeof text ||
        nc_get_att_text(file, variable, name, text))
        fail_msg("no attribute %s", name);
    assert_string_equal(text, want);
}

static int find(int file, const char *name) {
    int variable;
    if (nc_inq_varid(file, name, &variable)) fail_msg("no variable %s", name);
    return variable;
}

/* What the conventions ask for: standard names, also of errors; a time; what longitudes are on. */
static void test_conventions(void **state) {
    (void)state;
    static const fmt_output_column wind[] = {
        {.name = "lon", .input = true},
        {.name = "lat", .input = true},
        {.name = "when", .input = true, .units = "hours since 2024-05-01T00:00:00Z"},
        {.name = "u", .units = "m s-1", .standard_name = "eastward_wind"},
        {.name = "u_std", .units = "m s-1", .error_of = "u"},
        {.name = "u_noisy", .units = "m s-1", .error_of = "u", .with_noise = true}};
    static const double cells[] = {1, 50, 0, 5, 1, 2, 2, 50, 0, 6, 1, 2};
    static const fmt_output_earth round = {6371008.8, 0.0}, flat = {6378137.0, 298.257223563};
    fmt_output_options options = {
        .n_columns = 6, .columns = wind, .history = "made", .comment = "flat", .earth = &flat};
    const char *path = formats_path("cf.nc");
    int file, variable;
    double value, zero = 1.0;
    write_file(path, &options, 2, cells);
    assert_int_equal(nc_open(path, NC_NOWRITE, &file), 0);
    assert_text(file, NC_GLOBAL, "history", "made");
    assert_text(file, NC_GLOBAL, "comment", "flat");
    assert_text(file, find(file, "u"), "standard_name", "eastward_wind");
    assert_text(file, find(file, "u"), "ancillary_variables", "u_std u_noisy");
    assert_text(file, find(file, "u"), "grid_mapping", "latitude_longitude");
    assert_text(file, find(file, "u_std"), "standard_name", "eastward_wind standard_error");
    assert_int_not_equal(nc_inq_attid(file, find(file, "u_noisy"), "standard_name", &variable), 0);
    assert_text(file, find(file, "when"), "standard_name", "time");
    assert_text(file, find(file, "when"), "axis", "T");
    assert_text(file, find(file, "when"), "calendar", "standard");
    variable = find(file, "latitude_longitude");
    assert_text(file, variable, "grid_mapping_name", "latitude_longitude");
    assert_int_equal(nc_get_att_double(file, variable, "inverse_flattening", &value), 0);
    assert_true(value == flat.inverse_flattening);
    assert_int_equal(nc_get_var_double(file, variable, &zero), 0);
    assert_true(zero == 0.0);
    nc_close(file);
    options.earth = &round;
    write_file(path, &options, 0, cells); /* nothing is mapped */
    write_file(path, &options, 2, cells);
    assert_int_equal(nc_open(path, NC_NOWRITE, &file), 0);
    assert_int_equal(nc_get_att_double(file, find(file, "latitude_longitude"), "earth_radius", &value), 0);
    assert_true(value == 6371008.8);
    nc_close(file);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_all_or_nothing),
        cmocka_unit_test(test_no_permission),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_broken_pipe),
        cmocka_unit_test(test_standard_output),
#ifdef ORFF_HAVE_NETCDF
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_empty_netcdf),
        cmocka_unit_test(test_classic),
        cmocka_unit_test(test_netcdf_refusals),
#endif
        cmocka_unit_test(test_least),
#ifdef ORFF_HAVE_NETCDF
        cmocka_unit_test(test_conventions),
#endif
    };
    return cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
}
