/* NPY and IDX: every number type, byte order and compression gives the same table; wrong headers are
 * refused. */
#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"

enum { ROWS = 5, COLUMNS = 3, BYTES = 4096 };

static const fmt_table_selection everything = {0};

/* Small whole numbers, which every kind can hold. */
static double number(size_t row, size_t column) {
    return (double)(10 * row + column);
}

typedef struct npy {
    char bytes[BYTES];
    size_t size;
} npy;

static void begin_npy(npy *f, int version, const char *dictionary) {
    const size_t prefix = version == 1 ? 10 : 12, length = strlen(dictionary) + 1;
    memset(f, 0, sizeof *f);
    memcpy(f->bytes, "\x93NUMPY", 6);
    f->bytes[6] = (char)version;
    f->bytes[8] = (char)(length & 0xff);
    f->bytes[9] = (char)(length >> 8);
    memcpy(f->bytes + prefix, dictionary, length - 1);
    f->bytes[prefix + length - 1] = '\n';
    f->size = prefix + length;
}

/* The bytes of a whole number as kind and size have it, in the order asked for. */
static void put(npy *f, char kind, size_t bytes, bool big, double value) {
    unsigned char raw[8];
    uint64_t word = (uint64_t)value;
    const float single = (float)value;
    if (kind == 'f' && bytes == 8) memcpy(&word, &value, 8);
    if (kind == 'f' && bytes == 4) {
        uint32_t half;
        memcpy(&half, &single, 4);
        word = half;
    }
    for (size_t i = 0; i < bytes; i++) raw[big ? bytes - 1 - i : i] = (unsigned char)(word >> 8 * i & 0xff);
    memcpy(f->bytes + f->size, raw, bytes);
    f->size += bytes;
}

static void make_npy(npy *f, int version, char kind, size_t bytes, bool big, bool fortran) {
    char dictionary[128];
    snprintf(dictionary, sizeof dictionary, "{'descr': '%c%c%zu', 'fortran_order': %s, 'shape': (%d, %d), }",
             bytes == 1 ? '|'
             : big      ? '>'
                        : '<',
             kind, bytes, fortran ? "True" : "False", ROWS, COLUMNS);
    begin_npy(f, version, dictionary);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        put(f, kind, bytes, big, fortran ? number(i % ROWS, i / ROWS) : number(i / COLUMNS, i % COLUMNS));
}

/* All columns, then some in another order; twice over. */
static void assert_table(const char *path) {
    formats_data data = formats_read(path, &everything);
    assert_int_equal(data.n, ROWS);
    assert_int_equal(fmt_table_rows(data.table), ROWS);
    assert_int_equal(data.d, COLUMNS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        assert_close(data.X[i], number(i / COLUMNS, i % COLUMNS), 0.0);
    formats_free(&data);

    data = formats_read(path, &(fmt_table_selection){.inputs = "c3", .outputs = "1"});
    assert_int_equal(fmt_table_rewind(data.table), 0);
    double X[ROWS], Y[ROWS];
    size_t rows;
    assert_int_equal(fmt_table_read(data.table, ROWS, X, Y, NULL, &rows), 0);
    assert_int_equal(rows, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        assert_close(X[i], number(i, 2), 0.0);
        assert_close(Y[i], number(i, 0), 0.0);
    }
    formats_free(&data);
}

static void test_kinds(void **state) {
    (void)state;
    static const struct {
        char kind;
        size_t bytes;
    } kinds[] = {{'u', 1}, {'i', 1}, {'u', 2}, {'i', 2}, {'u', 4},
                 {'i', 4}, {'u', 8}, {'i', 8}, {'f', 4}, {'f', 8}};
    npy f;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int form = 0; form < 12; form++) {
            const bool big = form & 1, fortran = form & 2;
            const int version = 1 + form / 4;
            support_case("%c%zu, big %d, fortran %d, version %d", kinds[k].kind, kinds[k].bytes, big, fortran,
                         version);
            make_npy(&f, version, kinds[k].kind, kinds[k].bytes, big, fortran);
            assert_table(formats_file("a.npy", f.bytes, f.size));
            assert_table(formats_packed("a.npy.gz", f.bytes, f.size));
        }
    }
    support_case(NULL);
}

static void test_negative_and_truth(void **state) {
    (void)state;
    npy f;
    begin_npy(&f, 1, "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }");
    memcpy(f.bytes + f.size, "\xff\x80", 2);
    formats_data data = formats_read(formats_file("a.npy", f.bytes, f.size + 2), &everything);
    assert_all_close(2, data.X, ((double[]){-1, -128}), 0.0);
    assert_int_equal(data.d, 1);
    formats_free(&data);
    begin_npy(&f, 1, "{\"shape\": (2 , 1), 'fortran_order':False,'descr': '|b1'}");
    memcpy(f.bytes + f.size, "\x00\x01", 2);
    data = formats_read(formats_file("a.npy", f.bytes, f.size + 2), &everything);
    assert_all_close(2, data.X, ((double[]){0, 1}), 0.0);
    formats_free(&data);
}

/* Three dimensions: one index of the first is one row, the others run in C order whatever the order of the
 * file. */
static void test_three_dimensions(void **state) {
    (void)state;
    npy f;
    for (int fortran = 0; fortran < 2; fortran++) {
        begin_npy(&f, 1,
                  fortran ? "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4), }"
                          : "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }");
        for (size_t i = 0; i < 24; i++) {
            const size_t a = fortran ? i % 2 : i / 12, b = fortran ? i / 2 % 3 : i / 4 % 3,
                         c = fortran ? i / 6 : i % 4;
            f.bytes[f.size + i] = (char)(100 * a + 10 * b + c);
        }
        formats_data data = formats_read(formats_file("a.npy", f.bytes, f.size + 24), &everything);
        assert_int_equal(data.d, 12);
        for (size_t i = 0; i < 24; i++)
            assert_close(data.X[i], (double)(100 * (i / 12) + 10 * (i / 4 % 3) + i % 4), 0.0);
        formats_free(&data);
    }
}

static void test_lying_headers(void **state) {
    (void)state;
    static const char *const headers[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", /* too few numbers */
        "{'descr': '<f8', 'fortran_order': True, 'shape': (1152921504606846976, 1), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 99999999999999999999999), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 4611686018427387904), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 1), }",
        "{'descr': '<f8', 'shape': (1, 1), }",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x",
        "",
    };
    npy f;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        support_case("%s", headers[i]);
        begin_npy(&f, 1, headers[i]);
        formats_refused(formats_file("a.npy", f.bytes, f.size + 8), &everything, ORFF_ERROR_FORMAT, "a.npy",
                        NULL);
        formats_refused(formats_packed("a.npy.gz", f.bytes, f.size + 8), &everything, ORFF_ERROR_FORMAT,
                        "a.npy.gz", NULL);
    }
    support_case(NULL);
    make_npy(&f, 4, 'f', 8, false, false);
    formats_refused(formats_file("a.npy", f.bytes, f.size), &everything, ORFF_ERROR_FORMAT, "version 4.0",
                    NULL);
    formats_refused(formats_file("a.npy", f.bytes, 7), &everything, ORFF_ERROR_FORMAT, "cut short", NULL);
    formats_refused(formats_text("a.npy", "a,b\n1,2\n"), &everything, ORFF_ERROR_FORMAT, "not an NPY", NULL);
}

static void test_not_finite(void **state) {
    (void)state;
    npy f;
    const double numbers[] = {1, (double)NAN, (double)INFINITY};
    begin_npy(&f, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }");
    memcpy(f.bytes + f.size, numbers, sizeof numbers);
    const char *path = formats_file("a.npy", f.bytes, f.size + sizeof numbers);
    formats_refused(path, &everything, ORFF_ERROR_NOT_FINITE, "row 2, column 1", "missing", NULL);
    formats_refused(path, &(fmt_table_selection){.skip_missing = true}, ORFF_ERROR_NOT_FINITE,
                    "row 3, column 1", "infinite", NULL);
}

/* ---------------------------------------------------------------- the end */

enum way { PLAIN, PACKED, PIPED, WAYS };

static const char *make(enum way way, const char *name, const char *bytes, size_t size) {
    char other[64];
    snprintf(other, sizeof other, way == PACKED ? "%s.gz" : "pipe-%s", name);
    return way == PLAIN    ? formats_file(name, bytes, size)
           : way == PACKED ? formats_packed(other, bytes, size)
                           : formats_piped(other, bytes, size);
}

/* A file that ends with its numbers is read, and one with a byte more is refused. `bytes` has room for that. */
static void assert_ends(const char *name, char *bytes, size_t size) {
    bytes[size] = 0;
    for (enum way way = PLAIN; way < WAYS; way++) {
        support_case("%s, way %d", name, (int)way);
        formats_data data = formats_read(make(way, name, bytes, size), &everything);
        formats_free(&data);
        if (way == PIPED) formats_piped_end();
        formats_refused(make(way, name, bytes, size + 1), &everything, ORFF_ERROR_FORMAT, name,
                        "there is more after the", NULL);
        if (way == PIPED) formats_piped_end();
    }
    support_case(NULL);
}

static void test_npy_ends(void **state) {
    (void)state;
    npy f;
    for (int fortran = 0; fortran < 2; fortran++) {
        make_npy(&f, 1, 'f', 8, false, fortran);
        assert_ends("a.npy", f.bytes, f.size);
    }
    begin_npy(&f, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }");
    assert_ends("a.npy", f.bytes, f.size);
}

/* ---------------------------------------------------------------- IDX */

static const char images[] = "\0\0\x08\x03"
                             "\0\0\0\x02"
                             "\0\0\0\x02"
                             "\0\0\0\x02"
                             "\x01\x02\x03\x04\xfc\xfd\xfe\xff";
static const char labels[] = "\0\0\x08\x01"
                             "\0\0\0\x02"
                             "\x07\x03";

static void test_idx(void **state) {
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        const char *path = packed ? formats_packed("a-ubyte.gz", images, sizeof images - 1)
                                  : formats_file("a-ubyte", images, sizeof images - 1);
        formats_data data = formats_read(path, &everything);
        assert_string_equal(fmt_table_format(data.table), "idx");
        assert_int_equal(data.n, 2);
        assert_all_close(8, data.X, ((double[]){1, 2, 3, 4, 252, 253, 254, 255}), 0.0);
        formats_free(&data);
    }
    const char shorts[] = "\0\0\x0b\x01\0\0\0\x02\xff\xfe\x01\x02";
    formats_data data = formats_read(formats_file("unnamed", shorts, sizeof shorts - 1), &everything);
    assert_all_close(2, data.X, ((double[]){-2, 258}), 0.0);
    formats_free(&data);
}

static void test_idx_refusals(void **state) {
    (void)state;
    formats_refused(formats_file("a-ubyte", images, sizeof images - 2), &everything, ORFF_ERROR_FORMAT,
                    "cut short", "7 bytes of numbers, expected 8", NULL);
    formats_refused(formats_packed("a-ubyte.gz", images, sizeof images - 2), &everything, ORFF_ERROR_FORMAT,
                    "cut short", NULL);
    formats_refused(formats_file("a-ubyte", images, 6), &everything, ORFF_ERROR_FORMAT, "header", NULL);
    formats_refused(formats_file("a-ubyte", "\0\1\x08\x01", 4), &everything, ORFF_ERROR_FORMAT, "not an IDX",
                    NULL);
    formats_refused(formats_file("a-ubyte", "\0\0\x0a\x01", 4), &everything, ORFF_ERROR_FORMAT, "0x0a", NULL);
    formats_refused(formats_file("a-ubyte", "\0\0\x08\x00", 4), &everything, ORFF_ERROR_FORMAT, "dimensions",
                    NULL);
    formats_refused(
        formats_file("a-ubyte", "\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16),
        &everything, ORFF_ERROR_FORMAT, "too large", NULL);
}

static void test_idx_ends(void **state) {
    (void)state;
    char bytes[sizeof images];
    memcpy(bytes, images, sizeof images);
    assert_ends("a-ubyte", bytes, sizeof images - 1);
}

static int open_pair(fmt_table **pair, const char *first, const char *second) {
    fmt_table *x, *y;
    assert_int_equal(fmt_table_open(&x, first, NULL), 0);
    assert_int_equal(fmt_table_open(&y, second, NULL), 0);
    return fmt_table_pair(pair, x, y);
}

static void test_pair(void **state) {
    (void)state;
    const char *x = formats_file("x-ubyte", images, sizeof images - 1);
    const char *y = formats_packed("y-ubyte.gz", labels, sizeof labels - 1);
    fmt_table *pair;
    assert_int_equal(open_pair(&pair, x, y), 0);
    assert_int_equal(fmt_table_columns(pair), 5);
    assert_string_equal(fmt_table_name(pair, 3), "x4");
    assert_string_equal(fmt_table_name(pair, 4), "y1");
    const fmt_table_selection selection = {.labels = true};
    assert_int_equal(fmt_table_select(pair, &selection), 0);
    double X[12], Y[3];
    size_t rows;
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(fmt_table_read(pair, 3, X, Y, NULL, &rows), 0);
        assert_int_equal(rows, 2);
        assert_close(X[7], 255.0, 0.0);
        assert_all_close(2, Y, ((double[]){0, 1}), 0.0);
        assert_int_equal(fmt_table_rewind(pair), 0);
    }
    assert_string_equal(fmt_table_label(pair, 0), "7");
    fmt_table_close(pair);
}

static void test_uneven_pair(void **state) {
    (void)state;
    const char *x = formats_file("x-ubyte", images, sizeof images - 1);
    fmt_table *pair;
    double X[16], Y[4];
    size_t rows;
    assert_int_equal(open_pair(&pair, x, formats_file("y-ubyte", "\0\0\x08\x01\0\0\0\x01\x07", 9)),
                     ORFF_ERROR_MISMATCH);
    formats_says(fmt_table_error(pair), "has 2 rows");
    fmt_table_close(pair);
    assert_int_equal(open_pair(&pair, x, formats_text("y.csv", "1\n2\n3\n")), 0);
    assert_int_equal(fmt_table_select(pair, &everything), 0);
    assert_int_equal(fmt_table_read(pair, 4, X, Y, NULL, &rows), ORFF_ERROR_MISMATCH);
    formats_says(fmt_table_error(pair), "2 rows in");
    fmt_table_close(pair);
    assert_int_equal(open_pair(&pair, x, formats_text("y.csv", "1\nx\n")), 0);
    assert_int_equal(fmt_table_select(pair, &everything), 0);
    assert_int_equal(fmt_table_read(pair, 4, X, Y, NULL, &rows), ORFF_ERROR_FORMAT);
    formats_says(fmt_table_error(pair), "y.csv: line 2");
    fmt_table_close(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_negative_and_truth),
        cmocka_unit_test(test_three_dimensions),
        cmocka_unit_test(test_lying_headers),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_npy_ends),
        cmocka_unit_test(test_idx),
        cmocka_unit_test(test_idx_ends),
        cmocka_unit_test(test_idx_refusals),
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_uneven_pair),
    };
    return cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
}
