#define _POSIX_C_SOURCE 200809L

#include "harness.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double thread_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run_by(double (*clock_of)(void), size_t n_cases, const bench_case *cases, size_t rounds) {
    for (size_t c = 0; c < n_cases; c++) cases[c].run(cases[c].self);
    for (size_t round = 0; round < rounds; round++) {
        for (size_t c = 0; c < n_cases; c++) {
            const double start = clock_of();
            cases[c].run(cases[c].self);
            cases[c].seconds[round] = clock_of() - start;
        }
    }
}

void bench_run(size_t n_cases, const bench_case *cases, size_t rounds) {
    run_by(omp_get_wtime, n_cases, cases, rounds);
}

void bench_run_thread(size_t n_cases, const bench_case *cases, size_t rounds) {
    run_by(thread_time, n_cases, cases, rounds);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts its values. */
static double median(size_t n, double *values) {
    qsort(values, n, sizeof *values, compare);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

bench_summary bench_summarise(size_t n, const double *values) {
    bench_summary summary = {NAN, NAN, NAN};
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted || n == 0) {
        free(sorted);
        return summary;
    }
    memcpy(sorted, values, n * sizeof *sorted);
    summary.median = median(n, sorted);
    summary.minimum = sorted[0];
    for (size_t i = 0; i < n; i++) sorted[i] = fabs(sorted[i] - summary.median);
    summary.spread = median(n, sorted);
    free(sorted);
    return summary;
}

const char *bench_cpu(void) {
    static char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        line[strcspn(line, "\n")] = '\0';
        fclose(file);
        return colon + 2;
    }
    if (file) fclose(file);
    return "unknown CPU";
}

int bench_cores(void) {
    return omp_get_num_procs();
}
