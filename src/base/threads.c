#define _GNU_SOURCE /* dladdr */
#include "base/threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#else
#include <unistd.h>
#endif

#include "base/blas_room.h"

enum { MOST_THREADS = 1024 };

/* Each exists only in the BLAS of its name. */
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern void bli_thread_set_num_threads(intptr_t count) __attribute__((weak));
extern void MKL_Set_Num_Threads(int count) __attribute__((weak));

static atomic_int chosen; /* 0: all processors */
static atomic_int found;  /* number of processors; 0: not determined yet */

/* The number that OpenMP would use by itself: the machine's processors, or fewer if OMP_NUM_THREADS says so.
 * Determined once, before orff_set_threads changes it. */
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

/* ---- fork
 *
 * A child has only the thread that forked. In GNU's OpenMP that thread would wait for ever for its team, which
 * exists only in the parent. So the team is dismissed before the fork, and parent and child start new ones when
 * they need them. If dismissing is impossible, as inside a parallel region, the child works alone. BLAS
 * libraries with threads of their own handle forks themselves. */

static _Thread_local bool dismissed; /* the team of the forking thread was dismissed */
static atomic_bool alone;            /* this process is a child without threads */

/* Our compiler's loops and BLAS may use different OpenMP runtimes, and GNU's may be either. All runtimes
 * export the same names, so GNU's functions are looked up in its own library. */
static struct {
    int (*pause)(int kind); /* dismisses the team; NULL in versions before 9 */
    void (*set_threads)(int count);
} gnu;

/* The file of the OpenMP runtime of our loops, if that is GNU's: a Python wheel has it under a name of its
 * own, and others may be loaded too. Otherwise the usual name. */
static const char *gnu_runtime_name(Dl_info *at) {
#ifdef _OPENMP
    int (*const function)(void) = omp_get_max_threads;
    void *address;
    memcpy(&address, &function, sizeof address);
    if (dladdr(address, at) && at->dli_fname && strstr(at->dli_fname, "libgomp")) return at->dli_fname;
#endif
    (void)at;
    return "libgomp.so.1";
}

static void find_gnu_runtime(void) {
    Dl_info at;
    void *runtime = dlopen(gnu_runtime_name(&at), RTLD_LAZY | RTLD_NOLOAD);
    if (!runtime) return;
    void *pause = dlsym(runtime, "omp_pause_resource_all"), *set = dlsym(runtime, "omp_set_num_threads");
    memcpy(&gnu.pause, &pause, sizeof pause);
    memcpy(&gnu.set_threads, &set, sizeof set);
}

/* Whether our loops use LLVM's runtime with its handling of forks turned off by the environment, as
 * scikit-learn does. */
static bool llvm_hangs(void) {
#if defined(_OPENMP) && defined(__clang__)
    const char *text = getenv("KMP_INIT_AT_FORK");
    return text && *text && strchr("FfNn0", *text);
#else
    return false;
#endif
}

static bool dismiss_team(void) {
    enum { SOFT = 1 }; /* omp_pause_soft */
    const bool gone = !gnu.set_threads || (gnu.pause && gnu.pause(SOFT) == 0);
    return gone && !llvm_hangs();
}

static void before_fork(void) {
    dismissed = dismiss_team();
}

static void after_fork_in_child(void) {
    if (dismissed) return;
    atomic_store(&alone, true);
    orffi_team_limit(1);
    if (gnu.set_threads) gnu.set_threads(1);
}

/* Runs when the library is loaded, because others may have started the team. */
__attribute__((constructor)) static void watch_forks(void) {
    find_gnu_runtime();
    pthread_atfork(before_fork, NULL, after_fork_in_child);
}

/* ---- number of threads */

static _Thread_local bool by_itself;

bool orffi_work_alone(bool wanted) {
    const bool before = by_itself;
    by_itself = wanted;
    return before;
}

int orffi_thread_count(void) {
    if (atomic_load(&alone) || by_itself) return 1;
    const int count = atomic_load(&chosen);
    return count ? count : machine_threads();
}

size_t orff_get_threads(void) {
    return (size_t)orffi_thread_count();
}

orff_status orff_set_threads(size_t count) {
    if (count > MOST_THREADS)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "%zu threads were requested, but at most %d are "
                          "possible",
                          count, MOST_THREADS);
    const int wanted = atomic_load(&alone) ? 1 : count ? (int)count : machine_threads();
    machine_threads();
    ORFFI_TRY(orffi_blas_room(wanted));
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
