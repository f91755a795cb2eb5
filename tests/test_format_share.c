/* Shares of tables: however a file is divided, every row is in exactly one share, in order; what cannot be
 * divided goes entirely to the first. */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"

enum { ROWS = 57, MOST = 64 };

static const fmt_table_selection everything = {0};

/* The first column of share k of n, row by row behind `rows`; the status of reading. */
static int read_share(const char *path, uint64_t k, uint64_t n, double *rows, size_t *count,
                      char message[640]) {
    const fmt_share share = {100 * k / n, 100 * (k + 1) / n, 100};
    double row[8];
    size_t got = 1;
    fmt_table *table;
    int status = fmt_table_open(&table, path, NULL);
    if (!status) status = fmt_table_select(table, &everything);
    if (!status) status = fmt_table_share(table, &share);
    while (!status && got) {
        status = fmt_table_read(table, 1, row, NULL, NULL, &got);
        if (!status && got) rows[(*count)++] = row[0];
        assert_true(*count <= MOST);
    }
    snprintf(message, 640, "%s", fmt_table_error(table));
    fmt_table_close(table);
    return status;
}

static void check_shares(const char *path) {
    char message[640];
    for (uint64_t n = 1; n <= 60; n += n < 8 ? 1 : 13) {
        double rows[MOST];
        size_t count = 0;
        for (uint64_t k = 0; k < n; k++)
            if (read_share(path, k, n, rows, &count, message)) fail_msg("%s", message);
        assert_int_equal(count, ROWS);
        for (size_t i = 0; i < ROWS; i++) assert_true(rows[i] == (double)i);
    }
}

/* Rows of different lengths, so that cuts fall at every place of a line. */
static char *make_text(const char *header, const char *newline, bool last) {
    char *text = calloc(1, 1 << 16);
    size_t used = (size_t)sprintf(text, "%s", header);
    for (int i = 0; i < ROWS; i++)
        used += (size_t)sprintf(text + used, "%d,%.*s%s", i, 1 + i % 19, "1234567890123456789",
                                i < ROWS - 1 || last ? newline : "");
    return text;
}

static void csv_is_divided_by_bytes(void **state) {
    static const char mark[] = "\xef\xbb\xbf"
                               "a,b\r\n";
    const char *const headers[] = {"a,b\n", "", "# a comment\na,b\n\n", mark};
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int last = 0; last < 2; last++) {
            char *text = make_text(headers[i], i == 3 ? "\r\n" : "\n", last);
            check_shares(formats_text("shared.csv", text));
            free(text);
        }
}

static void packed_files_stay_whole(void **state) {
    (void)state;
    char *text = make_text("a,b\n", "\n", true), message[640];
    const char *path = formats_packed("shared.csv.gz", text, strlen(text));
    double rows[MOST];
    size_t count = 0;
    assert_int_equal(read_share(path, 0, 3, rows, &count, message), 0);
    assert_int_equal(count, ROWS);
    assert_int_equal(read_share(path, 1, 3, rows, &count, message), 0);
    assert_int_equal(count, ROWS);
    check_shares(path);
    free(text);
}

static void arrays_are_divided_by_rows(void **state) {
    char bytes[128 + ROWS * 16];
    (void)state;
    for (int fortran = 0; fortran < 2; fortran++) {
        memset(bytes, ' ', 128);
        memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
        const int used =
            snprintf(bytes + 10, 118, "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, 2), }",
                     fortran ? "True" : "False", ROWS);
        bytes[10 + used] = ' ';
        bytes[127] = '\n';
        for (size_t i = 0; i < ROWS; i++)
            for (size_t k = 0; k < 2; k++) {
                const double value = k ? -1.0 : (double)i;
                memcpy(bytes + 128 + 8 * (fortran ? k * ROWS + i : 2 * i + k), &value, 8);
            }
        check_shares(formats_file("shared.npy", bytes, sizeof bytes));
        check_shares(formats_packed("packed.npy.gz", bytes, sizeof bytes));
    }
}

/* One share after the other from the same table, as a reader of portions has it. */
static void shares_follow_each_other(void **state) {
    (void)state;
    char *text = make_text("a,b\n", "\n", true);
    double row[8], next = 0.0;
    fmt_table *table;
    assert_int_equal(fmt_table_open(&table, formats_text("shared.csv", text), NULL), 0);
    assert_int_equal(fmt_table_select(table, &everything), 0);
    for (uint64_t k = 0; k < 9; k++) {
        size_t got = 1;
        assert_int_equal(fmt_table_share(table, &(fmt_share){k, k + 1, 9}), 0);
        while (got) {
            assert_int_equal(fmt_table_read(table, 1, row, NULL, NULL, &got), 0);
            if (got) assert_true(row[0] == next++);
        }
    }
    assert_true(next == ROWS);
    fmt_table_close(table);
    free(text);
}

/* Whoever has the row refuses it: nobody can know whether the next share begins inside of it. */
static void newlines_in_quotes_are_refused(void **state) {
    static const char text[] = "a,b\n0,1\n1,2\n2,3\n3,\"4\n5,6\"\n4,5\n5,6\n";
    char message[640];
    (void)state;
    for (uint64_t n = 2; n < 9; n++) {
        double rows[MOST];
        size_t count = 0;
        int failures = 0;
        for (uint64_t k = 0; k < n && !failures; k++) {
            failures += read_share(formats_text("quoted.csv", text), k, n, rows, &count, message) != 0;
            if (failures) formats_says(message, "newline");
        }
        assert_int_equal(failures, 1);
        assert_int_equal(count, 3);
    }
}

static void errors_say_where(void **state) {
    char *text = make_text("a,b\n", "\n", true), message[640];
    double rows[MOST];
    size_t count = 0;
    (void)state;
    strcat(text, "x,1\n");
    assert_int_equal(read_share(formats_text("wrong.csv", text), 2, 3, rows, &count, message),
                     ORFF_ERROR_FORMAT);
    formats_says(message, "after byte");
    formats_says(message, "column 1");
    free(text);
}

static void slabs_are_texts(void **state) {
    (void)state;
#ifndef ORFF_HAVE_NETCDF
    skip();
#else
    fmt_output *output;
    const char *path = formats_path("slab.nc");
    const fmt_output_column columns[] = {
        {.name = "x", .input = true}, {.name = "y", .input = true}, {.name = "u"}};
    const fmt_output_options options = {.n_columns = 3, .columns = columns};
    assert_int_equal(fmt_output_open(&output, path, &options), 0);
    for (int i = 0; i < 12; i++) {
        const double row[] = {i % 3, i / 3, i};
        assert_int_equal(fmt_output_write(output, 1, row), 0);
    }
    assert_int_equal(fmt_output_finish(output), 0);
    fmt_output_close(output);
    for (uint64_t n = 1; n < 7; n++) {
        double next = 0.0;
        for (uint64_t k = 0; k < n; k++) {
            fmt_table *table;
            bool empty;
            fmt_table_selection selection = {.inputs = "x,y", .outputs = "u"};
            assert_int_equal(fmt_table_open(&table, path, NULL), 0);
            assert_int_equal(fmt_table_select(table, &selection), 0);
            char *slab = fmt_table_slab(table, NULL, &(fmt_share){k, k + 1, n}, &empty);
            fmt_table_close(table);
            assert_true(!slab == empty);
            if (empty) continue;
            selection.fixed = slab;
            formats_data data = formats_read(path, &selection);
            for (size_t i = 0; i < data.n; i++) assert_true(data.Y[i] == next++);
            formats_free(&data);
            free(slab);
        }
        assert_true(next == 12.0);
    }
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_is_divided_by_bytes),
        cmocka_unit_test(packed_files_stay_whole),
        cmocka_unit_test(arrays_are_divided_by_rows),
        cmocka_unit_test(shares_follow_each_other),
        cmocka_unit_test(newlines_in_quotes_are_refused),
        cmocka_unit_test(errors_say_where),
        cmocka_unit_test(slabs_are_texts),
    };
    return cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
}
