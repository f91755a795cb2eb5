/* Reading CSV on one core: how fast, and whether every number is exact. Prints a page of Markdown.
 *
 *     bench_csv [MEGABYTES [MILLIONS]]      megabytes a file (64), numbers read back (4 million) */
#define _GNU_SOURCE

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "formats/table.h"
#include "harness.h"
#include "orff.h"

enum { COLUMNS = 6, ROUNDS = 9, BLOCK = 1024 };

static void die(const char *what) {
    fprintf(stderr, "bench_csv: %s\n", what);
    exit(1);
}

/* xorshift64*: enough for test data. */
static uint64_t next_bits(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717u;
}

/* About normal, about 1. */
static double next_number(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (double)(next_bits() >> 11) * 0x1p-53;
    return sum;
}

/* ---------------------------------------------------------------- files */

typedef struct text {
    const char *name, *format;
    char path[64];
    char *bytes;
    size_t size;
    double sum;     /* of all numbers */
    double sums[2]; /* as read, by both */
} text;

static void make_text(text *t, size_t size) {
    t->bytes = malloc(size + 1024);
    if (!t->bytes) die("not enough memory");
    t->size = (size_t)sprintf(t->bytes, "a,b,c,d,e,f\n");
    while (t->size < size) {
        for (int k = 0; k < COLUMNS; k++) {
            char *at = t->bytes + t->size;
            const int length = sprintf(at, t->format, next_number());
            t->sum += strtod(at, NULL);
            at[length] = k == COLUMNS - 1 ? '\n' : ',';
            t->size += (size_t)length + 1;
        }
    }
    t->bytes[t->size] = '\0';
}

static void write_text(text *t, bool packed) {
    snprintf(t->path, sizeof t->path, "/tmp/bench_csv_%ld_%s.csv%s", (long)getpid(), packed ? "p" : "t",
             packed ? ".gz" : "");
    gzFile file = gzopen(t->path, packed ? "wb" : "wbT");
    if (!file || gzwrite(file, t->bytes, (unsigned)t->size) != (int)t->size || gzclose(file))
        die("cannot write to /tmp");
}

/* ---------------------------------------------------------------- what is timed */

static int read_rows(fmt_table *table, double *sum) {
    static double X[BLOCK * COLUMNS];
    size_t rows;
    *sum = 0;
    do {
        const int status = fmt_table_read(table, BLOCK, X, NULL, NULL, &rows);
        if (status) return status;
        for (size_t i = 0; i < rows * COLUMNS; i++) *sum += X[i];
    } while (rows);
    return 0;
}

static void run_orff(void *self) {
    text *t = self;
    fmt_table *table;
    const fmt_table_selection everything = {0};
    if (fmt_table_open(&table, t->path, NULL) || fmt_table_select(table, &everything) ||
        read_rows(table, &t->sums[0]))
        die(fmt_table_error(table));
    fmt_table_close(table);
}

/* The C library's strtod over the text in memory: no file, no checks. */
static void run_strtod(void *self) {
    text *t = self;
    char *at = strchr(t->bytes, '\n') + 1;
    t->sums[1] = 0;
    while (*at) t->sums[1] += strtod(at, &at), at++;
}

/* zlib alone: the bytes of the file, unpacked and thrown away. A plain file passes through it. */
static void run_zlib(void *self) {
    static char room[1 << 17];
    text *t = self;
    gzFile file = gzopen(t->path, "rb");
    int got = 1;
    if (!file) die("cannot read from /tmp");
    gzbuffer(file, sizeof room);
    while (got > 0) got = gzread(file, room, sizeof room);
    gzclose(file);
    if (got) die("zlib cannot read its own file");
}

static void measure(text *t, bool packed) {
    double ours[ROUNDS], theirs[ROUNDS], alone[ROUNDS], ratios[ROUNDS];
    const bench_case cases[] = {
        {"orff", run_orff, t, ours}, {"strtod", run_strtod, t, theirs}, {"zlib", run_zlib, t, alone}};
    const double megabytes = (double)t->size * 1e-6;
    write_text(t, packed);
    bench_run_thread(3, cases, ROUNDS);
    unlink(t->path);
    if (t->sums[0] != t->sum || t->sums[1] != t->sum) die("the numbers read are not those written");
    for (int i = 0; i < ROUNDS; i++) ratios[i] = theirs[i] / ours[i];
    const bench_summary o = bench_summarise(ROUNDS, ours), s = bench_summarise(ROUNDS, theirs);
    printf("| %s%s | %.0f | %.0f | %.0f | %.0f | %.1f | ", t->name, packed ? ", gzip" : "", megabytes,
           megabytes / o.minimum, megabytes / o.median, megabytes / s.median,
           bench_summarise(ROUNDS, ratios).median);
    if (packed) {
        for (int i = 0; i < ROUNDS; i++) ratios[i] = alone[i] / ours[i];
        printf("%.0f, %.0f %% of the time |\n", megabytes / bench_summarise(ROUNDS, alone).median,
               100.0 * bench_summarise(ROUNDS, ratios).median);
    } else {
        printf("- |\n");
    }
    fflush(stdout);
}

/* ---------------------------------------------------------------- exactness */

static bool comes_back(double value, const char *format) {
    char printed[64];
    double back;
    if (format) {
        snprintf(printed, sizeof printed, format, value);
    } else {
        orff_number_print(printed, value, true);
    }
    return orff_number_scan(printed, &back) && !memcmp(&back, &value, sizeof value);
}

/* Random bit patterns of finite doubles, in three ways of printing. */
static void check_exactness(size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count;) {
        const uint64_t bits = next_bits();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        if (!comes_back(value, "%.17g") || !comes_back(value, "%.17e") || !comes_back(value, NULL)) wrong++;
        i++;
    }
    for (size_t i = 0; i < count; i++) {
        const double value = ldexp(next_number(), (int)(next_bits() % 80) - 60);
        if (!comes_back(value, "%.17g")) wrong++;
    }
    printf("\nExactness: %zu random bit patterns printed as `%%.17g`, `%%.17e` and shortest, and %zu values "
           "between 1e-18 and "
           "1e6\nprinted as `%%.17g`, read back: %zu not identical.\n",
           count, count, wrong);
    if (wrong) exit(1);
}

int main(int argc, char **argv) {
    const size_t megabytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
    const double millions = argc > 2 ? strtod(argv[2], NULL) : 4;
    text texts[] = {{.name = "6 decimals", .format = "%.6f"},
                    {.name = "17 digits", .format = "%.17g"},
                    {.name = "scientific, 17 digits", .format = "%.16e"}};
    printf("# Reading CSV, one core\n\nMade by `bench/run.sh`. Machine: %s, %d cores. Files of six columns, "
           "in the page "
           "cache; %d rounds, processor time.\n*strtod*: the C library's, cell by cell over the same text in "
           "memory. *zlib "
           "alone*: unpacking the "
           "same file and no more.\nMB are of the unpacked text.\n\n",
           bench_cpu(), bench_cores(), ROUNDS);
    printf("| numbers | MB | best, MB/s | median, MB/s | strtod, MB/s | over strtod "
           "| zlib alone, MB/s |\n|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        make_text(&texts[i], megabytes * 1000000);
        measure(&texts[i], false);
        if (i == 1) measure(&texts[i], true);
        free(texts[i].bytes);
    }
    check_exactness((size_t)(millions * 1e6));
    return 0;
}
