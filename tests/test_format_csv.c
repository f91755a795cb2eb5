/* CSV: reads what RFC 4180 allows and what occurs in practice, and refuses the rest with line and column. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "formats.h"
#include "orff.h"

static const fmt_table_selection everything = {0};

/* The text, read with all columns as inputs, is `rows` rows of these numbers. */
static void assert_reads(const char *text, size_t rows, size_t columns, const double *want) {
    support_case("%.40s", text);
    formats_data data = formats_read(formats_text("a.csv", text), &everything);
    assert_int_equal(data.n, rows);
    assert_int_equal(data.d, columns);
    assert_all_close(rows * columns, data.X, want, 0.0);
    formats_free(&data);
    support_case(NULL);
}

static void test_layouts(void **state) {
    (void)state;
    const double want[] = {1, 2, 3, -4.5, 5e3, 0.06};
    assert_reads("a,b,c\n1,2,3\n-4.5,5e3,.06\n", 2, 3, want);
    assert_reads("1,2,3\n-4.5,5e3,.06", 2, 3, want);
    assert_reads("a;b;c\r\n1;2;3\r\n-4.5;5e3;.06\r\n", 2, 3, want);
    assert_reads("\xef\xbb\xbf"
                 "a\tb\tc\n1\t2\t3\n-4.5\t+5E+3\t6e-2\n",
                 2, 3, want);
    assert_reads("# made by hand\n\na,b,c\n1,2,3\n# more\n\n-4.5,5000.,0.06\n\n", 2, 3, want);
    assert_reads("\"a\",\"b,\n\"\"b\"\"\",c\n\"1\", 2 ,3\n\" -4.5\",\"5e3\" ,.06\n", 2, 3, want);
    assert_reads("-0.00\n", 1, 1, (const double[]){-0.0});
    assert_reads("only,a,header\n", 0, 3, want);
}

static void test_names(void **state) {
    (void)state;
    fmt_table *table;
    const char *text = "\"a, \"\"quoted\"\"\nname\", b ,,1990\n1,2,3,4\n5,6,7,8\n";
    assert_int_equal(fmt_table_open(&table, formats_text("a.csv", text), NULL), 0);
    assert_true(fmt_table_named(table));
    assert_int_equal(fmt_table_columns(table), 4);
    assert_string_equal(fmt_table_name(table, 0), "a, \"quoted\"\nname");
    assert_string_equal(fmt_table_name(table, 1), "b");
    assert_string_equal(fmt_table_name(table, 2), "c3");
    assert_string_equal(fmt_table_format(table), "csv");
    const fmt_table_selection selection = {.inputs = "1990, b", .outputs = "1", .weights = "3"};
    assert_int_equal(fmt_table_select(table, &selection), 0);
    double X[4], Y[2], w[2];
    size_t rows;
    assert_int_equal(fmt_table_read(table, 2, X, Y, w, &rows), 0);
    assert_int_equal(rows, 2);
    assert_all_close(4, X, ((double[]){4, 2, 8, 6}), 0.0);
    assert_all_close(2, Y, ((double[]){1, 5}), 0.0);
    assert_all_close(2, w, ((double[]){3, 7}), 0.0);
    assert_true(fmt_table_weighted(table));
    assert_int_equal(fmt_table_output(table, 0), 0);
    fmt_table_close(table);
}

static void test_options(void **state) {
    (void)state;
    fmt_table *table;
    fmt_table_options options = fmt_table_options_default();
    options.header = ORFF_SWITCH_YES;
    options.separator = '|';
    assert_int_equal(fmt_table_open(&table, formats_text("a.csv", "1|2,5\n3|4\n"), &options), 0);
    assert_string_equal(fmt_table_name(table, 1), "2,5");
    fmt_table_close(table);
    options.header = ORFF_SWITCH_NO;
    assert_int_equal(fmt_table_open(&table, formats_text("a.csv", "x|y\n3|4\n"), &options), 0);
    assert_string_equal(fmt_table_name(table, 1), "c2");
    fmt_table_close(table);
}

static void test_selections(void **state) {
    (void)state;
    const char *path = formats_text("a.csv", "u_ms,v_ms,lon,lat,lon2,\"x,y\",u_ms\n1,2,3,4,5,6,7\n");
    formats_data data = formats_read(path, &(fmt_table_selection){.inputs = "3-5,\"x,y\"", .outputs = "2,1"});
    assert_all_close(4, data.X, ((double[]){3, 4, 5, 6}), 0.0);
    assert_all_close(2, data.Y, ((double[]){2, 1}), 0.0);
    formats_free(&data);
    data = formats_read(path, &(fmt_table_selection){.outputs = "lat", .weights = "lon"});
    assert_all_close(5, data.X, ((double[]){1, 2, 5, 6, 7}), 0.0);
    formats_free(&data);
#define REFUSED(list, ...)                                                                              \
    formats_refused(path, &(fmt_table_selection){.inputs = list}, ORFF_ERROR_INVALID_ARGUMENT, "a.csv", \
                    __VA_ARGS__, NULL)
    REFUSED("lonn", "inputs", "\"lonn\"", "did you mean \"lon\"?");
    REFUSED("V_MS", "\"v_ms\"");
    REFUSED("temperature", "there are u_ms, v_ms, lon");
    REFUSED("0", "numbered 1 to 7");
    REFUSED("5-8", "numbered 1 to 7");
    REFUSED("5-3", "numbered");
    REFUSED("u_ms", "columns 1 and 7", "number");
    REFUSED("lon,lon", "twice");
    REFUSED("lon,,lat", "empty");
    REFUSED("\"lon", "quote");
#undef REFUSED
    formats_refused(path, &(fmt_table_selection){.inputs = "lon", .outputs = "lon"},
                    ORFF_ERROR_INVALID_ARGUMENT, "two", NULL);
    formats_refused(path, &(fmt_table_selection){.fixed = "time=0"}, ORFF_ERROR_INVALID_ARGUMENT, "NetCDF",
                    NULL);
}

static void refused(const char *text, int status, const char *first, const char *second) {
    formats_refused(formats_text("a.csv", text), &everything, status, "a.csv", first, second, NULL);
}

static void test_refusals(void **state) {
    (void)state;
    refused("", ORFF_ERROR_FORMAT, "is empty", "");
    refused("a,b\n1,2\n3\n", ORFF_ERROR_FORMAT, "line 3", "1 cells, expected 2");
    refused("a,b\n1,2\n3,4,5,6\n", ORFF_ERROR_FORMAT, "line 3", "4 cells, expected 2");
    refused("a,b\n1,2\n\"x\ny\",2\n", ORFF_ERROR_FORMAT, "line 3, column 1 (a)", "\"x?y\" is not a number");
    refused("a,b\n\"1\n\",2\n3,x\n", ORFF_ERROR_FORMAT, "line 2, column 1", "not a number");
    refused("a,b\n1,2e\n", ORFF_ERROR_FORMAT, "line 2, column 2 (b)", "\"2e\"");
    refused("a;b\n1.5;2\n1;2,5\n", ORFF_ERROR_FORMAT, "line 3, column 2 (b)", "point");
    refused("a,b\n1,0x10\n", ORFF_ERROR_FORMAT, "0x10", "not a number");
    refused("a,b\n1,-inf\n", ORFF_ERROR_FORMAT, "line 2, column 2 (b)", "infinite");
    refused("a,b\n1,1e400\n", ORFF_ERROR_FORMAT, "1e400", "too large");
    refused("a,b\n1,\"2\n", ORFF_ERROR_FORMAT, "line 2", "never closed");
    refused("a,b\n1,\"2\"3\n", ORFF_ERROR_FORMAT, "line 2", "after its closing quote");
    refused("\xff\xfe"
            "a\0",
            ORFF_ERROR_FORMAT, "UTF-16", "");
    formats_refused("/nowhere/x.csv", &everything, ORFF_ERROR_IO, "/nowhere/x.csv", "No such file", NULL);
    formats_refused("/tmp", &everything, ORFF_ERROR_IO, "directory", NULL);
}

static void test_missing(void **state) {
    (void)state;
    const char *const cells[] = {"", " ", "NA", "nan", "NaN", "-nan", "null", "\"\"", "N/A"};
    char text[128];
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        snprintf(text, sizeof text, "a,b,c\n1,2,3\n4,%s,6\n7,8,\n", cells[i]);
        const char *path = formats_text("a.csv", text);
        formats_refused(path, &everything, ORFF_ERROR_NOT_FINITE, "line 3, column 2 (b)", "missing", NULL);
        formats_data data =
            formats_read(path, &(fmt_table_selection){.inputs = "a", .outputs = "b", .skip_missing = true});
        assert_int_equal(data.n, 2);
        assert_int_equal(fmt_table_dropped(data.table), 1);
        assert_all_close(2, data.X, ((double[]){1, 7}), 0.0);
        formats_free(&data);
    }
    formats_refused(formats_text("a.csv", "a,w\n1,-2\n"), &(fmt_table_selection){.weights = "w"},
                    ORFF_ERROR_FORMAT, "line 2", "negative", NULL);
}

static void test_labels(void **state) {
    (void)state;
    const char *path =
        formats_text("a.csv", "x,kind\n1,setosa\n2,\"versi, color\"\n3,setosa\n4,\n5,1.0\n6,1\n");
    const fmt_table_selection selection = {.outputs = "kind", .labels = true, .skip_missing = true};
    formats_data data = formats_read(path, &selection);
    assert_int_equal(data.n, 5);
    assert_int_equal(fmt_table_label_count(data.table), 3);
    assert_all_close(5, data.Y, ((double[]){0, 1, 0, 2, 2}), 0.0);
    assert_string_equal(fmt_table_label(data.table, 1), "versi, color");
    size_t order[3];
    assert_int_equal(fmt_table_sort_labels(data.table, order), 0);
    assert_string_equal(fmt_table_label(data.table, 0), "1");
    assert_int_equal(order[0], 1);
    assert_int_equal(order[2], 0);
    formats_free(&data);

    const char *const names[] = {"setosa", "virginica"};
    fmt_table_selection known = {.outputs = "kind", .labels = true, .n_labels = 2, .label_names = names};
    formats_refused(path, &known, ORFF_ERROR_FORMAT, "line 3, column 2 (kind)", "known classes", NULL);
    known.outputs = "x,kind";
    formats_refused(path, &known, ORFF_ERROR_INVALID_ARGUMENT, "one column", NULL);
}

static void test_labels_sort_by_number(void **state) {
    (void)state;
    const char *path = formats_text("a.csv", "k\n10\n9\n-1\n10\n");
    formats_data data = formats_read(path, &(fmt_table_selection){.outputs = "k", .labels = true});
    size_t order[3];
    assert_int_equal(fmt_table_sort_labels(data.table, order), 0);
    assert_string_equal(fmt_table_label(data.table, 2), "10");
    assert_string_equal(fmt_table_label(data.table, 0), "-1");
    assert_int_equal(order[0], 2);
    formats_free(&data);
}

/* Longer than the buffer, with a cell longer than it too; plain, packed, and twice over. */
static void test_long(void **state) {
    (void)state;
    enum { ROWS = 30000, LONG = 600000 };
    char *text = malloc(ROWS * 32 + LONG + 64);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "a,text,b\n");
    for (int i = 0; i < ROWS; i++) {
        size += (size_t)sprintf(text + size, "%d,", i);
        if (i == ROWS / 2) {
            text[size++] = '"';
            memset(text + size, '\n', LONG);
            size += LONG;
            text[size++] = '"';
        }
        size += (size_t)sprintf(text + size, ",%.3f\n", i / 8.0);
    }
    const fmt_table_selection selection = {.inputs = "a", .outputs = "b"};
    for (int packed = 0; packed < 2; packed++) {
        const char *path =
            packed ? formats_packed("a.csv.gz", text, size) : formats_file("a.csv", text, size);
        formats_data data = formats_read(path, &selection);
        assert_int_equal(data.n, ROWS);
        for (size_t i = 0; i < ROWS; i++) assert_true(data.X[i] == (double)i && data.Y[i] == (double)i / 8.0);
        double x, y;
        size_t rows;
        assert_true(fmt_table_progress(data.table) > 0.99);
        assert_true(fmt_table_can_rewind(data.table));
        assert_int_equal(fmt_table_rewind(data.table), 0);
        assert_int_equal(fmt_table_read(data.table, 1, &x, &y, NULL, &rows), 0);
        assert_true(rows == 1 && x == 0.0);
        formats_free(&data);
    }
    free(text);
}

/* Names, columns and cells far beyond what anybody has: read, or refused in few words that a terminal can bear. */
static void test_monsters(void **state) {
    (void)state;
    enum { COLUMNS = 1 << 20, NAME = 10 << 20 };
    char *text = malloc(3 * NAME);
    assert_non_null(text);
    memset(text, ',', COLUMNS); /* one column more */
    text[COLUMNS] = '\n';
    formats_refused(formats_file("a.csv", text, COLUMNS + 1), &everything, ORFF_ERROR_FORMAT,
                    "1048577 columns, more than 1048576", NULL);
    formats_refused(formats_file("a.csv", text + 1, COLUMNS), &(fmt_table_selection){.inputs = "nothing"},
                    ORFF_ERROR_INVALID_ARGUMENT, "no column \"nothing\"", NULL);
    memset(text, 'n', 2 * NAME);
    memcpy(text + NAME, ",b\n1,2\n", 7);
    formats_data data = formats_read(formats_file("a.csv", text, NAME + 7), &everything);
    assert_int_equal(strlen(fmt_table_name(data.table, 0)), NAME);
    formats_free(&data);
    text[NAME + 3] = 'x'; /* the value below the name */
    formats_refused(formats_file("a.csv", text, NAME + 7), &everything, ORFF_ERROR_FORMAT, "line 2", "(nnn",
                    NULL);
    memset(text, '9', NAME);
    text[NAME] = '\n';
    formats_refused(formats_file("a.csv", text, NAME + 1), &everything, ORFF_ERROR_FORMAT, "too large", NULL);
    free(text);
    formats_refused(formats_text("a.csv", "\033[31mred,b\n1,2\n"), &(fmt_table_selection){.inputs = "31mred"},
                    ORFF_ERROR_INVALID_ARGUMENT, "did you mean \"\\x1b[31mred\"?", NULL);
}

static void test_damaged_gzip(void **state) {
    (void)state;
    char text[4000], packed[4000];
    const orffi_rng rng = {.seed = 3};
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('0' + orffi_rng_below(rng, i, 0, 10));
    for (size_t i = 3; i < sizeof text; i += 4) text[i] = '\n';
    FILE *file = fopen(formats_packed("a.csv.gz", text, sizeof text), "rb");
    assert_non_null(file);
    const size_t size = fread(packed, 1, sizeof packed, file);
    fclose(file);
    formats_refused(formats_file("b.csv.gz", packed, size / 2), &everything, ORFF_ERROR_FORMAT, "gzip",
                    "cut short", NULL);
    packed[size / 2] ^= 1;
    formats_refused(formats_file("b.csv.gz", packed, size), &everything, ORFF_ERROR_FORMAT, "gzip", NULL);
}

#ifdef ORFF_HAVE_LZMA
#include <lzma.h>

/* xz: read, twice; two streams are one file; cut short, changed, or with something behind it is refused. */
static void test_xz(void **state) {
    (void)state;
    const char text[] = "a,b\n1,2\n3,4\n";
    uint8_t packed[1000];
    size_t size = 0;
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text,
                                             sizeof text - 1, packed, &size, 400),
                     LZMA_OK);
    formats_data data = formats_read(formats_file("a.csv.xz", packed, size), &everything);
    assert_int_equal(data.n, 2);
    double X[4];
    size_t rows;
    assert_int_equal(fmt_table_rewind(data.table), 0);
    assert_int_equal(fmt_table_read(data.table, 2, X, NULL, NULL, &rows), 0);
    assert_all_close(4, X, ((double[]){1, 2, 3, 4}), 0.0);
    formats_free(&data);
    formats_refused(formats_file("b.csv.xz", packed, size - 5), &everything, ORFF_ERROR_FORMAT, "b.csv.xz",
                    "xz", NULL);
    packed[size] = 'x';
    formats_refused(formats_file("b.csv.xz", packed, size + 1), &everything, ORFF_ERROR_FORMAT, "damaged xz",
                    NULL);
    memcpy(packed + size, packed, size);
    formats_refused(formats_file("b.csv.xz", packed, 2 * size), &everything, ORFF_ERROR_FORMAT, "line 4",
                    NULL); /* a,b */
    packed[size / 2] ^= 1;
    formats_refused(formats_file("b.csv.xz", packed, size), &everything, ORFF_ERROR_FORMAT, "xz", NULL);
}
#define XZ_TESTS cmocka_unit_test(test_xz),
#else
#define XZ_TESTS
#endif

/* Members one behind the other are one file, as gzip has it; anything else behind the last one is refused. */
static void test_behind_gzip(void **state) {
    (void)state;
    char packed[4000];
    FILE *file = fopen(formats_packed("a.csv.gz", "1,2\n3,4\n", 8), "rb");
    assert_non_null(file);
    const size_t size = fread(packed, 1, sizeof packed / 4, file);
    fclose(file);
    memcpy(packed + size, packed, size);
    formats_data data = formats_read(formats_file("b.csv.gz", packed, 2 * size), &everything);
    assert_int_equal(data.n, 4);
    formats_free(&data);
    const char *const garbage[] = {
        "x", "\n", "\x1f", "\x1f\x8b", "xxxxxxxxxxxxxxxxxxxx", "\x1fxxxxxxxxxxxxxxxxxxx"};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        support_case("case %zu", i);
        memcpy(packed + size, garbage[i], strlen(garbage[i]));
        const char *path = formats_file("b.csv.gz", packed, size + strlen(garbage[i]));
        formats_refused(path, &everything, ORFF_ERROR_FORMAT, "b.csv.gz: damaged gzip data", NULL);
        formats_refused(formats_piped("c.csv.gz", packed, size + strlen(garbage[i])), &everything,
                        ORFF_ERROR_FORMAT, "c.csv.gz: damaged gzip data", NULL);
        formats_piped_end();
    }
    packed[size] = 0; /* also the zeros of a tape */
    formats_refused(formats_file("b.csv.gz", packed, size + 1), &everything, ORFF_ERROR_FORMAT,
                    "something that is not gzip follows it", NULL);
    support_case(NULL);
}

/* "-" is standard input; a pipe cannot be read twice. */
static void test_standard_input(void **state) {
    (void)state;
    const char text[] = "a,b\n1,2\n3,4\n";
    int ends[2];
    const int kept = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    formats_data data = formats_read("-", &(fmt_table_selection){.outputs = "b"});
    assert_int_equal(data.n, 2);
    assert_false(fmt_table_can_rewind(data.table));
    assert_int_equal(fmt_table_rewind(data.table), ORFF_ERROR_IO);
    assert_true(isnan(fmt_table_progress(data.table)));
    formats_free(&data);
    close(ends[0]);
    if (kept >= 0) dup2(kept, STDIN_FILENO);
    if (kept >= 0) close(kept);
}

/* ---------------------------------------------------------------- numbers */

static double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void assert_scan(const char *text, double want) {
    double value = 7;
    const char *end = orff_number_scan(text, &value);
    if (!end || *end || memcmp(&value, &want, sizeof value))
        fail_msg("\"%s\" is read as %.17g, not %.17g", text, value, want);
}

/* What was printed with 17 digits, or with as few as do, comes back bit for bit. */
static void test_round_trip(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 8};
    char text[64];
    for (uint64_t i = 0; i < 20000; i++) {
        const double value = from_bits(orffi_rng_bits(rng, i, 0));
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, "%.17g", value);
        assert_scan(text, value);
        snprintf(text, sizeof text, "%.17e", value);
        assert_scan(text, value);
        orff_number_print(text, value, true);
        assert_scan(text, value);
    }
}

/* Decimals of every length and exponent against the C library's reading, which is rounded correctly. */
static void test_decimals(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 9};
    char text[96];
    for (uint64_t i = 0; i < 40000; i++) {
        const size_t digits = 1 + (size_t)orffi_rng_below(rng, i, 0, 24),
                     point = (size_t)orffi_rng_below(rng, i, 1, digits + 1);
        size_t size = 0;
        for (size_t k = 0; k < digits; k++) {
            if (k == point) text[size++] = '.';
            text[size++] = (char)('0' + orffi_rng_below(rng, i, (uint32_t)(2 + k), 10));
        }
        const int exponent = (int)orffi_rng_below(rng, i, 40, 90) - 45;
        snprintf(text + size, sizeof text - size, "e%d", exponent);
        assert_scan(text, strtod(text, NULL));
    }
}

/* Halfway cases and the edges of the range. */
static void test_hard_numbers(void **state) {
    (void)state;
    static const char *const texts[] = {
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000000000000000000000000001",
        "0.5e-323",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "18446744073709551615",
        "18446744073709551616",
        "9223372036854775807e19",
        "1e22",
        "1e23",
        "8.5e22",
        "0.000000000000000000000000000000000000001",
        "1e-400",
        "0e999999999999",
        "00000000000000000000000000001.5",
        "0.00000000000000000000000000000000000000123456789012345678",
        "6929495644600919.5",
        "3.518437208883201171875",
        "123456789012345678e-38",
        "9999999999999999999e-38",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_scan(texts[i], strtod(texts[i], NULL));
    assert_scan("-0", -0.0);
    double value;
    static const char *const none[] = {"", "-", ".", "e5", "x", "+-1", "inf", "nan", ",1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_null(orff_number_scan(none[i], &value));
    const char *partly = "1e+x";
    assert_ptr_equal(orff_number_scan(partly, &value), partly + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        XZ_TESTS cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_selections),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_labels_sort_by_number),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_monsters),
        cmocka_unit_test(test_damaged_gzip),
        cmocka_unit_test(test_behind_gzip),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_hard_numbers),
    };
    return cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
}
