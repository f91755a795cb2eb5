/* Features and a lattice against the exact kernel, timed over growing N: times.csv, its exponents and its table of words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "paper.h"

#define MAX_SIZES 16

/* An exact fit that would take more is left out. */
#define MOST_SECONDS 1000.0 /* of the processor; the paper's own limit */

/* ---- rows */

/* Memory that a program may take now without others being pushed out; no limit where the system does not say. */
static double bytes_available(void) {
    char line[256];
    double kilobytes = INFINITY;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1) break;
    if (file) fclose(file);
    return 1024.0 * kilobytes;
}

/* Solves again and again for about a second, at most 5 times, and once at least: the least time, and the least time
 * of the processor, that of all threads added. */
static double least_time(paper_fit *fit, int *repeats, double *cpu) {
    double least = INFINITY, all = 0.0;
    *cpu = INFINITY;
    for (*repeats = 0; *repeats < 5 && (*repeats == 0 || all < 1.0); ++*repeats) {
        const double start = paper_seconds(), cpu_start = paper_cpu_seconds();
        paper_fit_solve(fit);
        const double taken = paper_seconds() - start;
        *cpu = fmin(*cpu, paper_cpu_seconds() - cpu_start);
        least = fmin(least, taken);
        all += taken;
    }
    return least;
}

typedef enum way { EXACT, LATTICE, FEATURES } way;
static const char *const methods[] = {"exact", "lattice", "orff"};

static void row(paper_table *table, const paper_timing *t, way m, size_t n) {
    if (paper_has(table, "%s/%zu", methods[m], n)) return;
    paper_fit fit = {.kernel = t->kernel,
                     .lattice = m == LATTICE ? t->lattice : NULL,
                     .D = m == FEATURES ? t->D : 0,
                     .seed = t->seed,
                     .n = n,
                     .X = t->X,
                     .Y = t->Y,
                     .lambda = t->lambda(n)};
    double cpu;
    int repeats;
    const double load = paper_load(), seconds = least_time(&fit, &repeats, &cpu);
    paper_row(table, "%s,%zu,%.4g,%.4g,%d,%.1f,%s,%.4g", methods[m], n, seconds, cpu, repeats, load,
              paper_machine(), t->score(&fit, t->self));
    paper_fit_free(&fit);
}

/* Whether the exact kernel is within its limits for n points, judged by the cube of the fit before. */
static bool affordable(const paper_table *table, const paper_timing *t, size_t n, size_t before) {
    const double bytes = (double)orff_exact_bytes(t->kernel, n);
    if (paper_has(table, "exact/%zu", n)) return true;
    if (n > t->exact_most || bytes > PAPER_MOST_BYTES || bytes > bytes_available()) return false;
    if (!before) return true;
    const double ratio = (double)n / (double)before;
    return paper_value(table, "cpu_seconds", "exact/%zu", before) * ratio * ratio * ratio <= MOST_SECONDS;
}

static void write_settings(paper_run *run, const paper_timing *t) {
    paper_setting(run, "D", "%zu, iid", t->D);
    paper_setting(run, "exact", "not beyond %g s of the processor, %g GB or the memory that is free",
                  MOST_SECONDS, PAPER_MOST_BYTES / 1e9);
    if (t->lattice) paper_setting(run, "lattice", "tolerance of the kernel 1e-6, no error bars");
    paper_setting(run, "time", "least of up to 5 fits, as many as begin within a second");
}

/* The longest fits, those of the exact kernel, come last. */
size_t paper_timing_run(paper_run *run, const paper_timing *t, paper_table **times) {
    char header[128];
    write_settings(run, t);
    snprintf(header, sizeof header, "method,N,seconds,cpu_seconds,repeats,load,machine,%s", t->score_column);
    paper_table *table = *times = paper_table_open(run, "times.csv", 2, header);
    const double total = 3.0 * (double)t->n_sizes;
    for (way m = FEATURES; m != EXACT; m--)
        for (size_t i = 0; i < t->n_sizes && (m == FEATURES || t->lattice); i++) {
            paper_progress(run, (double)((m == FEATURES ? 0 : t->n_sizes) + i), total, "%s, N = %zu",
                           methods[m], t->sizes[i]);
            row(table, t, m, t->sizes[i]);
        }
    size_t last = 0;
    for (size_t i = 0; i < t->n_sizes && affordable(table, t, t->sizes[i], last); last = t->sizes[i++]) {
        paper_progress(run, (double)(2 * t->n_sizes + i), total, "exact, N = %zu", t->sizes[i]);
        row(table, t, EXACT, t->sizes[i]);
    }
    return last;
}

/* ---- words */

double paper_timing_exponent(const paper_timing *t, const paper_table *times, const char *method, size_t low,
                             size_t high) {
    double x[MAX_SIZES], y[MAX_SIZES];
    size_t count = 0;
    for (size_t i = 0; i < t->n_sizes && count < MAX_SIZES; i++)
        if (t->sizes[i] >= low && t->sizes[i] <= high) {
            x[count] = (double)t->sizes[i];
            y[count++] = paper_value(times, "cpu_seconds", "%s/%zu", method, t->sizes[i]);
        }
    return paper_slope(count, x, y);
}

/* The columns that a run has: features, a lattice or none, exact up to N = last; all of one number. */
static void cells(paper_run *run, const paper_timing *t, const paper_table *times, size_t n, size_t last,
                  bool score) {
    const way order[] = {FEATURES, LATTICE, EXACT};
    for (size_t i = 0; i < 3; i++) {
        const char *m = methods[order[i]];
        if (order[i] == LATTICE && !t->lattice) continue;
        if (order[i] == EXACT && n > last)
            paper_agreement(run, " - |");
        else if (score)
            paper_agreement(run, " %.3g |", paper_value(times, t->score_column, "%s/%zu", m, n));
        else
            paper_agreement(run, " %.3g (%.3g) |", paper_value(times, "cpu_seconds", "%s/%zu", m, n),
                            paper_value(times, "seconds", "%s/%zu", m, n));
    }
}

void paper_timing_table(paper_run *run, const paper_timing *t, const paper_table *times, size_t last) {
    const char *lattice = t->lattice ? " lattice |" : "", *column = t->lattice ? "--:|" : "";
    paper_agreement(run,
                    "We get, D = %zu, for a whole fit (processor seconds, all threads together, and seconds "
                    "on the wall in brackets):\n\n"
                    "| N | features |%s exact | %s, features |%s exact |\n"
                    "|--:|--:|%s--:|--:|%s--:|\n",
                    t->D, lattice, t->score_words, lattice, column, column);
    for (size_t i = 0; i < t->n_sizes; i++) {
        paper_agreement(run, "| %zu |", t->sizes[i]);
        cells(run, t, times, t->sizes[i], last, false);
        cells(run, t, times, t->sizes[i], last, true);
        paper_agreement(run, "\n");
    }
}

void paper_timing_caveat(paper_run *run) {
    paper_agreement(run,
                    "The columns machine and load of times.csv say where each fit ran and how many programs "
                    "wanted to run there when it began. Times are the least of some repeats for short fits, "
                    "of one fit for long ones. Where the load is above the number of cores those on the wall "
                    "are upper bounds; processor time is less disturbed.\n");
}
