#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "base/blas_room.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/threads.h"

/* Exists in OpenBLAS only. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void *blas_memory_alloc(int kind) __attribute__((weak));
extern void blas_memory_free(void *area) __attribute__((weak));

/* A work area of OpenBLAS: 128 MB for the newer x86-64, less for others. */
#define AREA_BYTES ((size_t)128 << 20)
enum { MOST_AREAS = 64 };

static int areas_at_start;   /* OpenBLAS allocates one for every thread when it is loaded */
static atomic_int ready_for; /* number of threads */

__attribute__((constructor)) static void count_areas(void) {
    areas_at_start = openblas_get_num_threads ? openblas_get_num_threads() : 0;
}

static bool is_limited(void) {
    struct rlimit space, data;
    return (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY) ||
           (!getrlimit(RLIMIT_DATA, &data) && data.rlim_cur != RLIM_INFINITY);
}

static bool fits(size_t bytes) {
    void *map = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : NULL;
    if (map == MAP_FAILED) return false;
    if (map) munmap(map, bytes);
    return true;
}

/* The memory left, to a MB; only called if `bytes` do not fit. */
static size_t megabytes_left(size_t bytes) {
    size_t low = 0, high = bytes >> 20;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (fits(middle << 20))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t stack_bytes(void) {
    pthread_attr_t attributes;
    size_t size = 0, guard = 0;
    if (pthread_attr_init(&attributes)) return 0;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
    return size + guard;
}

/* Areas still to be allocated: every thread of our loops may call BLAS, in addition to the threads of BLAS
 * itself. */
static size_t areas_for(int threads) {
    return areas_at_start && 2 * threads > areas_at_start ? (size_t)(2 * threads - areas_at_start) : 0;
}

/* Freed areas stay with OpenBLAS for later use. */
static void claim_areas(size_t count) {
    void *areas[MOST_AREAS];
    if (!blas_memory_alloc || !blas_memory_free) return;
    if (count > MOST_AREAS) count = MOST_AREAS;
    for (size_t i = 0; i < count; i++) areas[i] = blas_memory_alloc(0);
    for (size_t i = 0; i < count; i++) blas_memory_free(areas[i]);
}

static void start_threads(int count) {
    atomic_int started = 0;
#pragma omp parallel num_threads(count) if (count > 1)
    atomic_fetch_add(&started, 1);
}

static orff_status make_room(int threads) {
    const size_t areas = areas_for(threads);
    const size_t needed = areas * AREA_BYTES + (size_t)(threads - 1) * stack_bytes();
    if (!fits(needed))
        return orffi_fail(ORFF_ERROR_NO_MEMORY,
                          "the limit on memory (ulimit -v) leaves %zu MB; the linear algebra needs %zu MB: "
                          "raise the limit%s",
                          megabytes_left(needed), needed >> 20,
                          threads > 1 ? " or use fewer threads (--threads 1)" : "");
    claim_areas(areas);
    start_threads(threads);
    return ORFF_OK;
}

orff_status orffi_blas_room(int threads) {
    if (atomic_load(&ready_for) >= threads) return ORFF_OK;
    if (is_limited()) ORFFI_TRY(make_room(threads));
    atomic_store(&ready_for, threads);
    return ORFF_OK;
}
