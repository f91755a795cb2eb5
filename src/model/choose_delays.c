/* How late outputs are, by the evidence: length scales, what outputs share and what each has of its own, delays and noise are
 * those under which the rows are most probable.
 *
 * The evidence has a top for every delay at which the outputs happen to look alike. So each output is first tried at delays
 * over half the extent of the rows, a quarter of a length scale apart; all unknowns go up together from the best few of them, and
 * at last from the best. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "exact/delays.h"
#include "model/choose.h"
#include "model/few.h"
#include "solve/minimise.h"

#define MOST_OUTPUTS     20   /* a matrix of a few hundred rows knows no more */
#define MOST_TRIED       400  /* delays of an output along an input */
#define SHARED           0.9  /* of the variance, where delays are tried */
#define TOLERANCE        0.01 /* of the log evidence: the top is flat */
#define MOST_EVALUATIONS 150
#define FEW_EVALUATIONS  25   /* from each of the delays that look best ... */
#define TOPS             4    /* ... so many */
#define TRIED_APART      0.25 /* length scales: a top is about half of one wide */
#define LONGEST_STEP     1.0

typedef struct work {
    orffi_plan *plan;
    orffi_few few;
    orffi_delays e;
    size_t n;
    double *x, *best, *lowest, *highest; /* n each */
    double value;                        /* of best */
} work;

static bool is_open(const orff_part *part) {
    return part->rule == ORFF_RULE_DELAYED && !part->A && !part->B;
}

static bool has_open_delays(const work *w) {
    return !w->plan->parts.list[0].part.delays;
}

bool orffi_plan_delays(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++)
        if (is_open(&plan->parts.list[m].part)) return true;
    return false;
}

static orff_status check(const orffi_plan *plan) {
    if (plan->parts.count > 1)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "delays and their output matrix are learned for a kernel of one part, not of %zu; give both",
            plan->parts.count);
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

/* ---- going up */

static orff_status downhill(void *self, const double *x, double *value, double *gradient) {
    work *w = self;
    ORFFI_TRY(orffi_progress("delays", 0.0, 0.0));
    ORFFI_TRY(orffi_delays_evaluate(&w->e, x, value, gradient));
    *value = -*value;
    for (size_t i = 0; i < w->n; i++) gradient[i] = -gradient[i];
    return ORFF_OK;
}

/* The range of unknown i. */
static void bound(const work *w, size_t i, double *low, double *high) {
    const size_t d = w->plan->d, at_tau = orffi_delays_at_tau(&w->e);
    if (i < d) {
        *low = log(w->few.low[i]);
        *high = log(10.0 * w->plan->extent[i]);
    } else if (i < orffi_delays_at_c(&w->e)) {
        *low = -10.0;
        *high = 10.0;
    } else if (i < at_tau) {
        *low = log(1e-6);
        *high = log(1e2);
    } else if (i + 1 < w->n) {
        *high = w->plan->extent[(i - at_tau) % d];
        *low = -*high;
    } else {
        *low = ORFFI_LEAST_LOG_NOISE;
        *high = ORFFI_MOST_LOG_NOISE;
    }
}

/* Whether unknown i is to be found; coupled: what outputs share, and their delays, too. */
static bool is_free(const work *w, size_t i, bool coupled) {
    const size_t at_tau = orffi_delays_at_tau(&w->e);
    if (i < w->plan->d) return orffi_part_is_auto(&w->plan->parts.list[0].part);
    if (i < orffi_delays_at_c(&w->e)) return coupled;
    return i < at_tau || i + 1 == w->n || (coupled && has_open_delays(w));
}

/* Up from w->x. */
static orff_status climb(work *w, bool coupled, size_t most, double *value) {
    for (size_t i = 0; i < w->n; i++) {
        bound(w, i, &w->lowest[i], &w->highest[i]);
        if (!is_free(w, i, coupled)) w->lowest[i] = w->highest[i] = w->x[i];
    }
    orffi_minimum m = {.n = w->n,
                       .low = w->lowest,
                       .high = w->highest,
                       .step = LONGEST_STEP,
                       .tolerance = TOLERANCE,
                       .most = most};
    const orff_status status = orffi_minimise(&m, downhill, w, w->x);
    *value = -m.value;
    return status;
}

/* ---- starts */

static orff_status judge(work *w, double *value) {
    const orff_status status = orffi_delays_evaluate(&w->e, w->x, value, NULL);
    if (status == ORFF_ERROR_NOT_POSITIVE) *value = -INFINITY;
    return status == ORFF_ERROR_NOT_POSITIVE ? ORFF_OK : status;
}

/* Outputs by themselves: the best of some length scales, then up. */
static orff_status start(work *w, const double *median) {
    const size_t d = w->plan->d;
    const orffi_planned_part *one = &w->plan->parts.list[0];
    double best = -INFINITY, value, ratio = 1.0;
    memset(w->x, 0, w->n * sizeof *w->x);
    w->x[w->n - 1] = log(0.1);
    for (double r = 3.0; r > 0.01 && orffi_part_is_auto(&one->part); r /= 2.0) {
        for (size_t k = 0; k < d; k++) w->x[k] = log(fmax(r * median[k], w->few.low[k]));
        ORFFI_TRY(judge(w, &value));
        if (value > best) ratio = r;
        best = fmax(best, value);
    }
    for (size_t k = 0; k < d; k++)
        w->x[k] =
            log(orffi_part_is_auto(&one->part) ? fmax(ratio * median[k], w->few.low[k]) : one->sigmas[k]);
    return climb(w, false, MOST_EVALUATIONS, &value);
}

/* Most of the variance of output a is shared, with this sign. */
static void share(work *w, size_t a, double own, double sign) {
    w->x[orffi_delays_at_a(&w->e) + a] = sign * sqrt(SHARED * exp(own));
    w->x[orffi_delays_at_c(&w->e) + a] = own + log(1.0 - SHARED);
}

/* A delay that was tried, with the better sign. */
typedef struct tried {
    double delay, sign, value;
} tried;

static orff_status try_delay(work *w, size_t a, double own, double *tau, tried *t) {
    double value;
    *tau = t->delay;
    t->value = -INFINITY;
    for (int sign = -1; sign <= 1; sign += 2) {
        share(w, a, own, sign);
        ORFFI_TRY(judge(w, &value));
        if (value <= t->value) continue;
        t->value = value;
        t->sign = sign;
    }
    return ORFF_OK;
}

/* The highest of the tops that has not been taken yet, and takes it; count where there is none. */
static size_t next_top(size_t count, const tried *all, bool *taken) {
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        const bool top =
            (!i || all[i].value >= all[i - 1].value) && (i + 1 == count || all[i].value >= all[i + 1].value);
        if (top && !taken[i] && (best == count || all[i].value > all[best].value)) best = i;
    }
    if (best < count) taken[best] = true;
    return best;
}

/* Up a little from each of the highest tops: what is highest at delays that are not quite right need not be so at its top. */
static orff_status climb_tops(work *w, size_t a, double own, double *tau, size_t count, const tried *all,
                              bool *taken, double *kept) {
    double best = -INFINITY, value, *from = kept + w->n;
    memcpy(from, w->x, w->n * sizeof *w->x);
    memcpy(kept, w->x, w->n * sizeof *w->x);
    for (size_t k = 0; k < TOPS; k++) {
        const size_t top = next_top(count, all, taken);
        if (top == count) break;
        memcpy(w->x, from, w->n * sizeof *w->x);
        *tau = all[top].delay;
        share(w, a, own, all[top].sign);
        ORFFI_TRY(climb(w, true, FEW_EVALUATIONS, &value));
        if (value <= best) continue;
        best = value;
        memcpy(kept, w->x, w->n * sizeof *w->x);
    }
    memcpy(w->x, kept, w->n * sizeof *w->x);
    return ORFF_OK;
}

/* The best delay of output a along input k, the others as they are, and the better sign; that alone where it is not open. */
static orff_status scan(work *w, size_t a, size_t k, double own, bool open) {
    const double reach = 0.5 * w->plan->extent[k],
                 step = fmax(TRIED_APART * exp(w->x[k]), 2.0 * reach / MOST_TRIED);
    const size_t most = open ? (size_t)floor(reach / step) : 0, count = 2 * most + 1;
    double *tau = &w->x[orffi_delays_at_tau(&w->e) + (a - 1) * w->plan->d + k], *kept = NULL;
    const double given = *tau;
    tried *all;
    bool *taken = NULL;
    ORFFI_TRY(ORFFI_NEW_ARRAY(all, count));
    orff_status status = ORFFI_NEW_ARRAY(taken, count);
    if (!status) status = ORFFI_NEW_ARRAY(kept, 2 * w->n);
    for (size_t i = 0; !status && i < count; i++) {
        all[i].delay = open ? ((double)i - (double)most) * step : given;
        status = orffi_progress("delays", (double)i, (double)count);
        if (!status) status = try_delay(w, a, own, tau, &all[i]);
    }
    if (!status) status = climb_tops(w, a, own, tau, count, all, taken, kept);
    orffi_release(all);
    orffi_release(taken);
    orffi_release(kept);
    return status;
}

/* Behind the first output, as they are given. */
static void take_delays(work *w) {
    const size_t d = w->plan->d;
    const double *delays = w->plan->parts.list[0].part.delays;
    for (size_t i = d; i < w->plan->p * d; i++)
        w->x[orffi_delays_at_tau(&w->e) + i - d] = delays[i] - delays[i % d];
}

static orff_status place_outputs(work *w) {
    const double *own = w->x + orffi_delays_at_c(&w->e);
    const bool open = has_open_delays(w);
    if (!open) take_delays(w);
    share(w, 0, own[0], 1.0);
    for (size_t a = 1; a < w->plan->p; a++) {
        const double mine = own[a];
        for (size_t k = 0; k < (open ? w->plan->d : 1); k++) ORFFI_TRY(scan(w, a, k, mine, open));
    }
    return ORFF_OK;
}

/* ---- bases */

static const struct {
    orff_base base;
    double shape;
} bases[] = {{ORFF_BASE_MATERN, 2.5}, {ORFF_BASE_MATERN, 1.5}, {ORFF_BASE_GAUSSIAN, 1.0}};

static orff_status set_base(work *w, orff_base base, double shape) {
    orffi_delays_clear(&w->e);
    ORFFI_TRY(orffi_delays_init(&w->e, w->plan->d, w->plan->p, w->few.sample.count, w->few.rows, base, shape,
                                w->plan->periods));
    if (w->plan->parts.list[0].wavelengths)
        ORFFI_TRY(orffi_spectrum_set_wavelengths(&w->e.law, w->plan->parts.list[0].wavelengths));
    w->n = orffi_delays_unknowns(&w->e);
    if (!orffi_spectrum_is_smooth(&w->e.law, 1.0))
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "delays and their output matrix are learned with a base that has a derivative, not "
                          "with %s; give both",
                          orff_base_short_name(base, shape));
    if (w->x) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->x, 4 * w->n));
    w->best = w->x + w->n;
    w->lowest = w->best + w->n;
    w->highest = w->lowest + w->n;
    return ORFF_OK;
}

/* Up from where the best one is; from nowhere, its start is looked for. */
static orff_status try_base(work *w, orff_base base, double shape, const double *median) {
    orff_part *part = &w->plan->parts.list[0].part;
    double value;
    ORFFI_TRY(set_base(w, base, shape));
    if (w->value == -INFINITY) {
        ORFFI_TRY(start(w, median));
        ORFFI_TRY(place_outputs(w));
    } else {
        memcpy(w->x, w->best, w->n * sizeof *w->x);
    }
    ORFFI_TRY(climb(w, true, MOST_EVALUATIONS, &value));
    if (value <= w->value) return ORFF_OK;
    w->value = value;
    memcpy(w->best, w->x, w->n * sizeof *w->x);
    part->base = base;
    part->shape = shape;
    return ORFF_OK;
}

static orff_status search(work *w, const double *median) {
    const orff_part given = w->plan->parts.list[0].part;
    w->value = -INFINITY;
    if (given.base != ORFF_BASE_AUTO) return try_base(w, given.base, given.shape, median);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        ORFFI_TRY(try_base(w, bases[i].base, bases[i].shape, median));
    return ORFF_OK;
}

/* ---- all of it */

/* What was found becomes the plan's: A of trace p. */
static orff_status apply_best(work *w) {
    orffi_plan *plan = w->plan;
    const bool open = has_open_delays(w);
    const size_t p = plan->p, d = plan->d;
    const double *a = w->best + orffi_delays_at_a(&w->e), *c = w->best + orffi_delays_at_c(&w->e);
    orffi_planned_part *one = &plan->parts.list[0];
    double size = 0.0;
    for (size_t i = 0; i < p; i++) size += (a[i] * a[i] + exp(c[i])) / (double)p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(one->A, p * p));
    one->part.A = one->A;
    if (!one->delays) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(one->delays, p * d));
        memcpy(one->delays + d, w->best + orffi_delays_at_tau(&w->e), (p - 1) * d * sizeof *one->delays);
    }
    one->part.delays = one->delays;
    for (size_t i = 0; i < p * p; i++)
        one->A[i] = (a[i / p] * a[i % p] + (i / p == i % p ? exp(c[i % p]) : 0.0)) / size;
    for (size_t k = 0; k < d; k++) one->sigmas[k] = exp(w->best[k]);
    one->part.sigma = one->sigmas[0];
    plan->shift = exp(w->best[w->n - 1]) / size;
    for (size_t i = 1; open && i < p; i++)
        orffi_log(ORFF_LOG_INFO, "by the evidence: output %zu is late by %.4g", i + 1,
                  one->delays[i * d] * plan->units.unit[0]);
    return ORFF_OK;
}

orff_status orffi_choose_delays(orffi_plan *plan, const orffi_rows *rows) {
    work w = {.plan = plan};
    ORFFI_TRY(check(plan));
    orff_status status = orffi_few_make(plan, rows, plan->p, &w.few);
    if (!status) status = search(&w, w.few.median);
    if (!status) status = apply_best(&w);
    orffi_delays_clear(&w.e);
    orffi_few_clear(&w.few);
    orffi_release(w.x);
    return status;
}
