#include "base/threads.h"

#include <stdatomic.h>
#ifdef _OPENMP
#include <omp.h>
#else
#include <unistd.h>
#endif

enum { MOST_THREADS = 1024 };

/* Present in the BLAS of their name only. */
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern void bli_thread_set_num_threads(intptr_t count) __attribute__((weak));
extern void MKL_Set_Num_Threads(int count) __attribute__((weak));

static atomic_int chosen; /* 0: all there are */
static atomic_int found;  /* how many that is; 0: not looked at yet */

/* What OpenMP would take by itself: the machine's processors, or fewer where OMP_NUM_THREADS says so.
 * Looked at once, before orff_set_threads changes it. */
static int machine_threads(void) {
    if (atomic_load(&found)) return atomic_load(&found);
#ifdef _OPENMP
    const long count = omp_get_max_threads();
#else
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    atomic_store(&found, count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (int)count);
    return atomic_load(&found);
}

int orffi_thread_count(void) {
    const int count = atomic_load(&chosen);
    return count ? count : machine_threads();
}

size_t orff_get_threads(void) {
    return (size_t)orffi_thread_count();
}

orff_status orff_set_threads(size_t count) {
    if (count > MOST_THREADS)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%zu threads asked for: at most %d", count,
                          MOST_THREADS);
    machine_threads();
    atomic_store(&chosen, (int)count);
    const int threads = orffi_thread_count();
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
    if (openblas_set_num_threads) openblas_set_num_threads(threads);
    if (bli_thread_set_num_threads) bli_thread_set_num_threads(threads);
    if (MKL_Set_Num_Threads) MKL_Set_Num_Threads(threads);
    return ORFF_OK;
}
