/* What the fuzz targets of tables share: any bytes are a file of one format, which is read whole or
 * refused with a message that names it. Without libFuzzer (ORFF_FUZZ) a main over seeds and mutations of
 * them.
 *
 * With libFuzzer: make fuzz, or scripts/fuzz.sh csv. */
#ifndef ORFF_TESTS_FUZZ_TABLE_H
#define ORFF_TESTS_FUZZ_TABLE_H

#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "formats/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_ROWS = 3, FUZZ_WIDEST = 4096, FUZZ_MOST_ROWS = 20000 };

static char fuzz_path[64];

/* The bytes as a file. */
static void fuzz_write(const void *data, size_t size) {
    static int descriptor = -1;
    if (descriptor < 0) {
        descriptor = memfd_create("table", MFD_CLOEXEC);
        if (descriptor < 0) abort();
        snprintf(fuzz_path, sizeof fuzz_path, "/proc/self/fd/%d", descriptor);
    }
    if (ftruncate(descriptor, 0) || pwrite(descriptor, data, size, 0) != (ssize_t)size) abort();
}

/* Rows to the end or to an error, all of them finite; a file of a few bytes may claim more rows than are
 * worth reading. */
static int fuzz_read(fmt_table *table, uint64_t *rows) {
    static double X[FUZZ_ROWS * FUZZ_WIDEST], Y[FUZZ_ROWS * FUZZ_WIDEST], weights[FUZZ_ROWS];
    const size_t d = fmt_table_inputs(table), p = fmt_table_outputs(table);
    size_t got;
    *rows = 0;
    if (d > FUZZ_WIDEST || p > FUZZ_WIDEST) return ORFF_OK;
    do {
        const int status = fmt_table_read(table, FUZZ_ROWS, X, Y, weights, &got);
        if (status) return status;
        for (size_t i = 0; i < got * d; i++)
            if (!isfinite(X[i])) abort();
        for (size_t i = 0; i < got * p; i++)
            if (!isfinite(Y[i])) abort();
        *rows += got;
    } while (got && *rows + fmt_table_dropped(table) < FUZZ_MOST_ROWS);
    return ORFF_OK;
}

/* Reads a table that was opened with this status, and closes it. The status in the end; read twice it must be
 * the same. */
static int fuzz_opened(fmt_table *table, int status, const fmt_table_selection *selection) {
    uint64_t rows = 0, again = 0;
    if (!status) status = fmt_table_select(table, selection);
    if (!status) status = fuzz_read(table, &rows);
    if (status && !strstr(fmt_table_error(table), fuzz_path)) abort();
    if (!status && (fmt_table_rewind(table) || fuzz_read(table, &again) || rows != again)) abort();
    fmt_table_close(table);
    return status;
}

/* The file of fuzz_write, as this selection says. */
static inline int fuzz_table(fmt_format format, const fmt_table_selection *selection) {
    const fmt_table_options options = {.format = format};
    fmt_table *table;
    const int status = fmt_table_open(&table, fuzz_path, &options);
    return fuzz_opened(table, status, selection);
}

#ifndef ORFF_FUZZ
#include "fuzz_seeds.h"

/* Replaces, inserts or takes out a few bytes; those of `likely` come often. The new size, at most 3 more. */
static size_t fuzz_mutate(uint8_t *file, size_t size, uint64_t trial, const char *likely, size_t n_likely) {
    const orffi_rng rng = {.seed = 12, .stream = 1};
    const size_t edits = 1 + (size_t)orffi_rng_below(rng, trial, 0, 3);
    for (uint32_t e = 0; e < edits && size > 1; e++) {
        const size_t at = (size_t)orffi_rng_below(rng, trial, 4 * e + 1, size);
        const uint64_t bits = orffi_rng_bits(rng, trial, 4 * e + 2),
                       kind = orffi_rng_below(rng, trial, 4 * e + 3, 4);
        const uint8_t byte = (uint8_t)(bits & 1 ? bits >> 8 & 0xff : (uint8_t)likely[(bits >> 8) % n_likely]);
        if (kind == 0) memmove(file + at + 1, file + at, size++ - at);
        if (kind == 1) memmove(file + at, file + at + 1, --size - at);
        if (kind != 1) file[at] = byte;
    }
    return size;
}

/* Every seed, and `trials` mutations of each. */
static void fuzz_seed(const void *seed, size_t size, uint64_t trials, const char *likely, size_t n_likely) {
    uint8_t *file = malloc(size + 4);
    if (!file) abort();
    memcpy(file, seed, size);
    LLVMFuzzerTestOneInput(file, size);
    if (fuzz_keep(seed, size)) trials = 0;
    for (uint64_t trial = 0; trial < trials; trial++) {
        memcpy(file, seed, size);
        LLVMFuzzerTestOneInput(file, fuzz_mutate(file, size, trial, likely, n_likely));
    }
    free(file);
}
#endif

#endif
