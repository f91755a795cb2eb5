#ifdef ORFF_HAVE_FFTW
#define _POSIX_C_SOURCE 200809L
#include "lattice/fft_plans.h"

#include <complex.h>
#include <fftw3.h>
#include <pthread.h>

#include "base/memory.h"

enum { MOST_PLANS = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static orffi_fft_plan plans[MOST_PLANS]; /* free if its plan is NULL */
static size_t clock_now;

/* A child of fork gets a free lock and complete plans, because nobody plans while the process forks. */
static void lock(void) {
    pthread_mutex_lock(&mutex);
}
static void unlock(void) {
    pthread_mutex_unlock(&mutex);
}
static void begin(void) {
    pthread_atfork(lock, unlock, unlock);
}

static bool same_shape(const orffi_fft_shape *a, const orffi_fft_shape *b) {
    return a->single == b->single && a->backward == b->backward && a->complex_lines == b->complex_lines &&
           a->aligned == b->aligned && a->n == b->n && a->lines == b->lines && a->stride == b->stride;
}

static orffi_fft_plan *find(const orffi_fft_shape *shape) {
    for (size_t i = 0; i < MOST_PLANS; i++)
        if (plans[i].plan && same_shape(&plans[i].shape, shape)) return &plans[i];
    return NULL;
}

static void destroy(orffi_fft_plan *plan) {
    if (plan->plan && plan->shape.single) fftwf_destroy_plan(plan->plan);
    if (plan->plan && !plan->shape.single) fftw_destroy_plan(plan->plan);
    plan->plan = NULL;
}

/* A free entry, else the least recently used one among those not in use; NULL if all are in use. */
static orffi_fft_plan *free_place(void) {
    orffi_fft_plan *oldest = NULL;
    for (size_t i = 0; i < MOST_PLANS; i++) {
        if (!plans[i].plan) return &plans[i];
        if (!plans[i].users && (!oldest || plans[i].last_used < oldest->last_used)) oldest = &plans[i];
    }
    return oldest;
}

static orff_status add(orffi_fft_plan **out, const orffi_fft_shape *shape, orffi_fft_make *make, void *field,
                       void *modes) {
    orffi_fft_plan *plan = free_place();
    const bool kept = plan;
    if (!kept) ORFFI_TRY(ORFFI_NEW(plan));
    destroy(plan);
    *plan = (orffi_fft_plan){.shape = *shape, .plan = make(shape, field, modes), .kept = kept};
    *out = plan;
    if (plan->plan) return ORFF_OK;
    if (!kept) orffi_release(plan);
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "FFTW has no plan for this grid: no memory for it");
}

orff_status orffi_fft_plan_get(const orffi_fft_plan **out, const orffi_fft_shape *shape, orffi_fft_make *make,
                               void *field, void *modes) {
    pthread_once(&once, begin);
    lock();
    orffi_fft_plan *plan = find(shape);
    const orff_status status = plan ? ORFF_OK : add(&plan, shape, make, field, modes);
    if (!status) {
        plan->users++;
        plan->last_used = ++clock_now;
        *out = plan;
    }
    unlock();
    return status;
}

void orffi_fft_plan_give_back(const orffi_fft_plan *taken) {
    lock();
    orffi_fft_plan *plan = (orffi_fft_plan *)taken;
    plan->users--;
    if (!plan->kept) {
        destroy(plan);
        orffi_release(plan);
    }
    unlock();
}
#else
typedef int orffi_fft_plans_are_left_out; /* a C file must not be empty */
#endif
