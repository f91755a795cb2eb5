/* One number of threads for our OpenMP loops and for BLAS. */
#ifndef ORFFI_BASE_THREADS_H
#define ORFFI_BASE_THREADS_H

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/status.h"

/* For num_threads(...) clauses: orff_get_threads() as an int. */
int orffi_thread_count(void);

/* Makes the calling thread run our loops alone, for work too small to wake other threads. Returns the
 * previous value, to be restored. */
bool orffi_work_alone(bool alone);

/* The number of threads that an OpenMP BLAS uses when the calling thread calls it; limit > 0 sets it, 0
 * changes nothing. Returns the previous value, to be restored. */
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

/* The calling thread's index in its OpenMP team, 0 outside a team: selects its scratch. */
static inline int orffi_thread_index(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

#endif
