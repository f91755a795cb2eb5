/* Delays of outputs by the evidence: maximises the probability of the rows over length scales,
 * wavelengths, what outputs share and what each has of its own, delays and noise (search_delays.h). */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/choose.h"
#include "model/search_delays.h"

#define MOST_OUTPUTS 20 /* a matrix of a few hundred rows cannot determine more */

typedef struct work {
    orffi_plan *plan;
    orffi_few few;
    orffi_delays_search search;
    orff_part *parts, *best_parts; /* with the bases being tried, and the best ones */
    double *best, value;           /* search.n unknowns, and their log evidence */
} work;

static bool is_open(const orff_part *part) {
    return orff_rule_describe(part->rule).delays && !part->A && !part->B;
}

bool orffi_plan_delays(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++)
        if (is_open(&plan->parts.list[m].part)) return true;
    return false;
}

static orff_status check(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++)
        if (!is_open(&plan->parts.list[m].part))
            return orffi_fail(
                ORFF_ERROR_UNSUPPORTED,
                "delays and their output matrices are learned where every part of the kernel is %s "
                "without a matrix; give both",
                orff_rule_name(ORFF_RULE_DELAYED));
    if (plan->directed || plan->settings.classes)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "delays and their output matrix are learned from rows with all outputs; give both");
    if (plan->p > MOST_OUTPUTS)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "delays and their output matrix are learned for up to %d outputs, not %zu; give both",
            MOST_OUTPUTS, plan->p);
    return orffi_few_check_inputs(plan);
}

/* ---- bases */

static const struct {
    orff_base base;
    double shape;
} bases[] = {{ORFF_BASE_MATERN, 2.5}, {ORFF_BASE_MATERN, 1.5}, {ORFF_BASE_GAUSSIAN, 1.0}};

static orff_status check_smooth(const work *w) {
    for (size_t m = 0; m < w->plan->parts.count; m++)
        if (!orffi_spectrum_is_smooth(&w->search.e.laws[m], 1.0))
            return orffi_fail(
                ORFF_ERROR_UNSUPPORTED,
                "delays and their output matrix are learned with a base that has a derivative, not "
                "with %s; give both",
                orff_base_short_name(w->parts[m].base, w->parts[m].shape));
    return ORFF_OK;
}

/* Maximises the evidence over w->parts, starting at the best point so far; if there is none yet, searches
 * for a start. */
static orff_status try_parts(work *w) {
    const size_t count = w->plan->parts.count;
    double value;
    orffi_delays_search_clear(&w->search);
    ORFFI_TRY(orffi_delays_search_init(&w->search, w->plan, &w->few, w->parts));
    ORFFI_TRY(check_smooth(w));
    if (w->best) {
        memcpy(w->search.x, w->best, w->search.n * sizeof *w->best);
        for (size_t m = 0; m < count; m++) w->search.joined[m] = true;
    } else {
        ORFFI_TRY(ORFFI_NEW_ARRAY(w->best, w->search.n));
        ORFFI_TRY(orffi_delays_search_start(&w->search));
    }
    ORFFI_TRY(orffi_delays_search_climb(&w->search, &value));
    if (value <= w->value) return ORFF_OK;
    w->value = value;
    memcpy(w->best, w->search.x, w->search.n * sizeof *w->best);
    memcpy(w->best_parts, w->parts, count * sizeof *w->parts);
    return ORFF_OK;
}

/* A single part tries all bases. Several parts, each with a wave or a length scale of its own, are
 * Gaussian. */
static orff_status search(work *w) {
    const size_t count = w->plan->parts.count;
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->parts, 2 * count));
    w->best_parts = w->parts + count;
    w->value = -INFINITY;
    for (size_t m = 0; m < count; m++) {
        w->parts[m] = w->plan->parts.list[m].part;
        if (count > 1 && w->parts[m].base == ORFF_BASE_AUTO) w->parts[m].base = ORFF_BASE_GAUSSIAN;
    }
    if (w->parts[0].base != ORFF_BASE_AUTO) return try_parts(w);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        w->parts[0].base = bases[i].base;
        w->parts[0].shape = bases[i].shape;
        ORFFI_TRY(try_parts(w));
    }
    return ORFF_OK;
}

/* ---- all of it */

/* The variance of part m, averaged over the outputs. */
static double size_of(const work *w, size_t m) {
    const double *a = w->best + orffi_delays_at_a(&w->search.e, m),
                 *c = w->best + orffi_delays_at_c(&w->search.e, m);
    double size = 0.0;
    for (size_t i = 0; i < w->plan->p; i++) size += (a[i] * a[i] + exp(c[i])) / (double)w->plan->p;
    return size;
}

/* Gives the part its A, scaled to trace p. */
static orff_status apply_matrix(work *w, size_t m) {
    orffi_planned_part *one = &w->plan->parts.list[m];
    const size_t p = w->plan->p;
    const double *a = w->best + orffi_delays_at_a(&w->search.e, m),
                 *c = w->best + orffi_delays_at_c(&w->search.e, m), size = size_of(w, m);
    ORFFI_TRY(ORFFI_NEW_ARRAY(one->A, p * p));
    for (size_t i = 0; i < p * p; i++)
        one->A[i] = (a[i / p] * a[i % p] + (i / p == i % p ? exp(c[i % p]) : 0.0)) / size;
    one->part.A = one->A;
    one->part.learn = false;
    return ORFF_OK;
}

static orff_status apply_delays(work *w, size_t m) {
    orffi_planned_part *one = &w->plan->parts.list[m];
    const size_t p = w->plan->p, d = w->plan->d;
    if (!orffi_has_open_delays(one)) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(one->delays, p * d));
    memcpy(one->delays + d, w->best + orffi_delays_at_tau(&w->search.e, m),
           (p - 1) * d * sizeof *one->delays);
    one->part.delays = one->delays;
    for (size_t i = 1; i < p; i++) {
        char by[ORFFI_FEW_TEXT];
        orffi_log(ORFF_LOG_INFO, "by the evidence: output %zu is late by %s", i + 1,
                  orffi_few_text(w->plan, one->delays + i * d, by));
    }
    return ORFF_OK;
}

/* Writes the best point into the plan; weights are scaled to sum 1. */
static orff_status apply_best(work *w) {
    orffi_plan *plan = w->plan;
    double total = 0.0;
    for (size_t m = 0; m < plan->parts.count; m++) total += size_of(w, m);
    for (size_t m = 0; m < plan->parts.count; m++) {
        orffi_planned_part *one = &plan->parts.list[m];
        one->part.base = w->best_parts[m].base;
        one->part.shape = w->best_parts[m].shape;
        if (plan->parts.count > 1) one->part.weight = size_of(w, m) / total;
        for (size_t k = 0; k < plan->d; k++)
            one->sigmas[k] = exp(w->best[orffi_delays_at_l(&w->search.e, m) + k]);
        one->part.sigma = one->sigmas[0];
        ORFFI_TRY(apply_matrix(w, m));
        ORFFI_TRY(apply_delays(w, m));
        if (orffi_has_open_waves(one))
            ORFFI_TRY(orffi_plan_set_waves(plan, m, w->best + orffi_delays_at_u(&w->search.e, m)));
    }
    plan->shift = exp(w->best[w->search.n - 1]) / total;
    if (plan->parts.count > 1) plan->settings.mixture = false;
    return ORFF_OK;
}

orff_status orffi_choose_delays(orffi_plan *plan, const orffi_rows *rows) {
    work w = {.plan = plan};
    ORFFI_TRY(check(plan));
    orff_status status = orffi_few_make(plan, rows, plan->p, &w.few);
    if (!status) status = search(&w);
    if (!status) status = apply_best(&w);
    orffi_delays_search_clear(&w.search);
    orffi_few_clear(&w.few);
    orffi_release(w.parts);
    orffi_release(w.best);
    return status;
}
