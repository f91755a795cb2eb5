/* Timing things side by side. The machine's speed drifts, so what is to be compared runs in turn, round after
 * round, and ratios are taken within a round. */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stddef.h>

typedef struct bench_case {
    const char *name;
    void (*run)(void *self); /* all set-up has been done */
    void *self;
    double *seconds; /* one per round */
} bench_case;

typedef struct bench_summary {
    double minimum, median;
    double spread; /* median absolute deviation from the median */
} bench_summary;

/* Run every case once untimed, then `rounds` times in turn. `seconds` of each case has room for `rounds`. */
void bench_run(size_t n_cases, const bench_case *cases, size_t rounds);

/* The same by the processor time of the calling thread, for cases that have no other: waiting for a turn on a
 * busy machine does not count. */
void bench_run_thread(size_t n_cases, const bench_case *cases, size_t rounds);

bench_summary bench_summarise(size_t n, const double *values);

/* Model name of the CPU as the system tells it, and how many the process may use. */
const char *bench_cpu(void);
int bench_cores(void);

#endif
