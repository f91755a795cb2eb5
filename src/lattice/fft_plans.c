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
static orffi_fft_plan *plans[MOST_PLANS];
static size_t n_plans, clock_now;

/* A child of fork gets the lock free, and the plans whole: nobody plans while the process is forked. */
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
    for (size_t i = 0; i < n_plans; i++)
        if (same_shape(&plans[i]->shape, shape)) return plans[i];
    return NULL;
}

static void end_plan(orffi_fft_plan *plan) {
    if (plan->shape.single)
        fftwf_destroy_plan(plan->plan);
    else
        fftw_destroy_plan(plan->plan);
    orffi_release(plan);
}

/* The place of the plan that nobody uses and that was used longest ago; MOST_PLANS where all are in use. */
static size_t oldest(void) {
    size_t at = MOST_PLANS;
    for (size_t i = 0; i < n_plans; i++)
        if (!plans[i]->users && (at == MOST_PLANS || plans[i]->last_used < plans[at]->last_used)) at = i;
    return at;
}

static void keep(orffi_fft_plan *plan) {
    size_t at = n_plans;
    if (n_plans < MOST_PLANS)
        n_plans++;
    else if ((at = oldest()) < MOST_PLANS)
        end_plan(plans[at]);
    else
        return;
    plans[at] = plan;
    plan->kept = true;
}

static orff_status add(orffi_fft_plan **out, const orffi_fft_shape *shape, orffi_fft_make *make, void *field,
                       void *modes) {
    orffi_fft_plan *plan;
    ORFFI_TRY(ORFFI_NEW(plan));
    plan->shape = *shape;
    plan->plan = make(shape, field, modes);
    if (!plan->plan) {
        orffi_release(plan);
        return orffi_fail(ORFF_ERROR_NO_MEMORY, "FFTW has no plan for this grid: no memory for it");
    }
    keep(plan);
    *out = plan;
    return ORFF_OK;
}

orff_status orffi_fft_plan_take(const orffi_fft_plan **out, const orffi_fft_shape *shape,
                                orffi_fft_make *make, void *field, void *modes) {
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
    if (!plan->kept) end_plan(plan);
    unlock();
}
#else
typedef int orffi_fft_plans_are_left_out; /* a file of C may not be empty */
#endif
