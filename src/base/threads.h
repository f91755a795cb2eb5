/* One thread count for our OpenMP loops and for BLAS. */
#ifndef ORFFI_BASE_THREADS_H
#define ORFFI_BASE_THREADS_H

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/status.h"

/* For num_threads(...) clauses: orff_get_threads() as an int. */
int orffi_thread_count(void);

/* Whether the calling thread works alone, in our loops, for work that is not worth waking others. Returns
 * what it was, to be set again. */
bool orffi_work_alone(bool alone);

/* How many threads an OpenMP BLAS takes when the calling thread calls it: limit > 0 sets it. Returns what
 * it was, to be set again; 0 changes nothing. */
static inline int orffi_team_limit(int limit) {
#ifdef _OPENMP
    const int before = omp_get_max_threads();
    if (limit > 0) omp_set_num_threads(limit);
    return before;
#else
    (void)limit;
    return 0;
#endif
}

/* The calling thread's number in its OpenMP team, 0 outside of one: whose scratch is mine. */
static inline int orffi_thread_index(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

#endif
