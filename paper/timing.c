/* Features against the exact kernel, timed over growing N: times.csv, its exponents and its table of words. */
#define _GNU_SOURCE /* getloadavg */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "paper.h"

#define MAX_SIZES 16

/* An exact fit that would take more is left out. */
#define MOST_SECONDS 240.0 /* of the processor: 120 s of two cores */
#define MOST_BYTES   8e9

/* ---- rows */

/* How many programs want to run on this machine, mean of the last minute; NAN where that is not known. */
static double load_average(void) {
    double load;
    return getloadavg(&load, 1) == 1 ? load : NAN;
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

static void row(paper_table *table, const paper_timing *t, bool exact, size_t n) {
    const char *method = exact ? "exact" : "orff";
    if (paper_has(table, "%s/%zu", method, n)) return;
    paper_fit fit = {.kernel = t->kernel,
                     .D = exact ? 0 : t->D,
                     .seed = t->seed,
                     .n = n,
                     .X = t->X,
                     .Y = t->Y,
                     .lambda = t->lambda(n)};
    double cpu;
    int repeats;
    const double load = load_average(), seconds = least_time(&fit, &repeats, &cpu);
    paper_row(table, "%s,%zu,%.4g,%.4g,%d,%.1f,%.4g", method, n, seconds, cpu, repeats, load,
              t->score(&fit, t->self));
    paper_fit_free(&fit);
}

/* Whether the exact kernel is within its limits for n points, judged by the cube of the fit before. */
static bool affordable(const paper_table *table, const paper_timing *t, size_t n, size_t before) {
    if (n > t->exact_most || (double)orff_exact_bytes(t->kernel, n) > MOST_BYTES) return false;
    if (!before) return true;
    const double ratio = (double)n / (double)before;
    return paper_value(table, "cpu_seconds", "exact/%zu", before) * ratio * ratio * ratio <= MOST_SECONDS;
}

size_t paper_timing_run(paper_run *run, const paper_timing *t, paper_table **times) {
    char header[128];
    paper_setting(run, "D", "%zu, iid", t->D);
    paper_setting(run, "exact", "not beyond %g s of the processor or %g GB", MOST_SECONDS, MOST_BYTES / 1e9);
    paper_setting(run, "time", "least of up to 5 fits, as many as begin within a second");
    snprintf(header, sizeof header, "method,N,seconds,cpu_seconds,repeats,load,%s", t->score_column);
    paper_table *table = *times = paper_table_open(run, "times.csv", 2, header);
    size_t last = 0;
    const double total = 2.0 * (double)t->n_sizes;
    for (size_t i = 0; i < t->n_sizes && affordable(table, t, t->sizes[i], last); last = t->sizes[i++]) {
        paper_progress(run, (double)i, total, "exact, N = %zu", t->sizes[i]);
        row(table, t, true, t->sizes[i]);
    }
    for (size_t i = 0; i < t->n_sizes; i++) {
        paper_progress(run, (double)(t->n_sizes + i), total, "features, N = %zu", t->sizes[i]);
        row(table, t, false, t->sizes[i]);
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

static void seconds_cell(paper_run *run, const paper_table *times, const char *method, size_t n) {
    paper_agreement(run, " %.3g (%.3g) |", paper_value(times, "cpu_seconds", "%s/%zu", method, n),
                    paper_value(times, "seconds", "%s/%zu", method, n));
}

static void score_cell(paper_run *run, const paper_timing *t, const paper_table *times, const char *method,
                       size_t n) {
    paper_agreement(run, " %.3g |", paper_value(times, t->score_column, "%s/%zu", method, n));
}

void paper_timing_table(paper_run *run, const paper_timing *t, const paper_table *times, size_t last) {
    paper_agreement(run,
                    "We get, D = %zu, for a whole fit (processor seconds, all threads together, and seconds "
                    "on the wall in brackets):\n\n"
                    "| N | features | exact | %s, features | exact |\n"
                    "|--:|--:|--:|--:|--:|\n",
                    t->D, t->score_words);
    for (size_t i = 0; i < t->n_sizes; i++) {
        const size_t n = t->sizes[i];
        paper_agreement(run, "| %zu |", n);
        seconds_cell(run, times, "orff", n);
        if (n <= last)
            seconds_cell(run, times, "exact", n);
        else
            paper_agreement(run, " - |");
        score_cell(run, t, times, "orff", n);
        if (n <= last)
            score_cell(run, t, times, "exact", n);
        else
            paper_agreement(run, " - |");
        paper_agreement(run, "\n");
    }
}

void paper_timing_caveat(paper_run *run) {
    paper_agreement(run, "Other programs ran on the machine meanwhile (column load; it has two cores). Times "
                         "are the least of some repeats for short fits, of one fit for long ones; those on "
                         "the wall are upper bounds, processor time is less disturbed.\n");
}
