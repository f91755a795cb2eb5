/* Wavelengths by the evidence: those under which the rows are most probable, together with length scales,
 * weights and noise.
 *
 * The evidence has a local maximum at every wavelength that the rows happen to fit. So parts join one
 * after another. Each starts as one more sine, tried at all wavelengths that the rows can tell apart
 * (tried_waves.h); then all parts together climb from the best few of them. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "exact/waves.h"
#include "model/choose.h"
#include "model/few.h"
#include "model/tried_waves.h"

#define TOPS             3  /* from so many peaks ... */
#define FEW_EVALUATIONS  20 /* ... a few steps of climbing each */
#define MOST_EVALUATIONS 150
#define ABSENT           (-80.0) /* log v of a part that has not joined yet */

typedef struct work {
    orffi_plan *plan;
    orffi_few few;
    orff_part *parts;
    orffi_waves e;
    orffi_tried_waves tried;
    size_t n;                                   /* number of unknowns */
    double variance;                            /* of the outputs */
    double *x, *from, *best, *lowest, *highest; /* n each */
    bool *joined;                               /* one per part */
} work;

static bool is_open(const orff_part *part) {
    return part->learn_wavelengths && !part->wavelengths;
}

/* Delayed parts learn their wavelengths together with their delays. */
bool orffi_plan_waves(const orffi_plan *plan) {
    for (size_t m = 0; !orffi_plan_delays(plan) && m < plan->parts.count; m++)
        if (is_open(&plan->parts.list[m].part)) return true;
    return false;
}

static orff_status check(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++) {
        const orff_part *part = &plan->parts.list[m].part;
        if (!orff_rule_describe(part->rule).separable || part->A || part->B || part->learn)
            return orffi_fail(
                ORFF_ERROR_UNSUPPORTED,
                "wavelengths are learned where every part of the kernel is %s, or every part %s, without an "
                "output matrix; give them",
                orff_rule_name(ORFF_RULE_DECOMPOSABLE), orff_rule_name(ORFF_RULE_DELAYED));
    }
    if (plan->directed || plan->settings.classes)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "wavelengths are learned from rows with all outputs; give them");
    return orffi_few_check_inputs(plan);
}

/* ---- going up */

static orff_status find_evidence(void *self, const double *x, double *value, double *gradient) {
    work *w = self;
    ORFFI_TRY(orffi_progress("wavelengths", 0.0, 0.0));
    return orffi_waves_evaluate(&w->e, x, value, gradient);
}

static void fix(work *w, size_t i) {
    w->lowest[i] = w->highest[i] = w->x[i];
}

static void let(work *w, size_t i, double low, double high) {
    w->lowest[i] = low;
    w->highest[i] = high;
}

/* Sets the ranges of the unknowns of a part. */
static void bound(work *w, size_t m) {
    const orffi_planned_part *one = &w->plan->parts.list[m];
    for (size_t k = 0; k < w->e.d; k++) {
        const size_t l = orffi_waves_at_l(&w->e, m) + k, u = orffi_waves_at_u(&w->e, m) + k;
        let(w, l, log(w->few.low[k]), log(10.0 * w->e.extent[k]));
        let(w, u, -w->tried.most, w->tried.most);
        if (!w->joined[m] || !orffi_part_is_auto(&one->part)) fix(w, l);
        if (!w->joined[m] || !is_open(&one->part)) fix(w, u);
    }
    let(w, orffi_waves_at_v(&w->e, m), log(1e-6 * w->variance), log(1e2 * w->variance));
    if (!w->joined[m]) fix(w, orffi_waves_at_v(&w->e, m));
}

/* Maximises the evidence from w->x. */
static orff_status climb(work *w, size_t most, double *value) {
    for (size_t m = 0; m < w->e.n_parts; m++) bound(w, m);
    let(w, w->n - 1, log(1e-8 * w->variance), log(1e2 * w->variance));
    orffi_minimum found = orffi_few_climb(w->n, w->lowest, w->highest, most);
    const orff_status status = orffi_maximise(&found, find_evidence, w, w->x);
    *value = found.value;
    return status;
}

/* ---- starts */

/* Starts with the parts whose wavelengths are given, and the noise; the others join later. */
static orff_status start(work *w) {
    bool any = false;
    double value;
    for (size_t m = 0; m < w->e.n_parts; m++) {
        const orffi_planned_part *one = &w->plan->parts.list[m];
        w->joined[m] = !is_open(&one->part);
        any |= w->joined[m];
        for (size_t k = 0; k < w->e.d; k++) {
            const double wave = one->wavelengths ? one->wavelengths[k] : 0.0,
                         open = w->joined[m] ? w->few.median[k] : w->e.extent[k];
            w->x[orffi_waves_at_l(&w->e, m) + k] =
                log(orffi_part_is_auto(&one->part) ? open : one->sigmas[k]);
            w->x[orffi_waves_at_u(&w->e, m) + k] = wave != 0.0 ? w->e.extent[k] / wave : 0.0;
        }
        w->x[orffi_waves_at_v(&w->e, m)] = w->joined[m] ? log(0.5 * w->variance) : ABSENT;
    }
    w->x[w->n - 1] = log(any ? 0.5 * w->variance : w->variance);
    return any ? climb(w, MOST_EVALUATIONS, &value) : ORFF_OK;
}

/* Part m joins as the sine of a peak. */
static void join(work *w, size_t m, size_t peak) {
    w->joined[m] = true;
    memcpy(w->x + orffi_waves_at_u(&w->e, m), w->tried.wave + peak * w->e.d, w->e.d * sizeof *w->x);
    w->x[orffi_waves_at_v(&w->e, m)] = log(fmax(w->tried.amplitude[peak], 1e-6 * w->variance));
}

static orff_status add_part(work *w, size_t m) {
    double best = -INFINITY, value;
    memcpy(w->from, w->x, w->n * sizeof *w->x);
    ORFFI_TRY(
        orffi_waves_scan(&w->e, w->x, w->tried.count, w->tried.wave, w->tried.gain, w->tried.amplitude));
    orffi_tried_waves_start(&w->tried);
    for (size_t i = 0; i < TOPS; i++) {
        const size_t peak = orffi_tried_waves_next(&w->tried);
        if (peak == w->tried.count) break;
        memcpy(w->x, w->from, w->n * sizeof *w->x);
        join(w, m, peak);
        ORFFI_TRY(climb(w, FEW_EVALUATIONS, &value));
        if (value <= best) continue;
        best = value;
        memcpy(w->best, w->x, w->n * sizeof *w->x);
    }
    if (best > -INFINITY) memcpy(w->x, w->best, w->n * sizeof *w->x);
    return ORFF_OK;
}

static orff_status search(work *w) {
    double value;
    ORFFI_TRY(start(w));
    for (size_t m = 0; m < w->e.n_parts; m++)
        if (!w->joined[m]) ORFFI_TRY(add_part(w, m));
    return climb(w, MOST_EVALUATIONS, &value);
}

/* ---- all of it */

orff_status orffi_plan_set_waves(orffi_plan *plan, size_t m, const double *u) {
    orffi_planned_part *one = &plan->parts.list[m];
    char text[ORFFI_FEW_TEXT];
    ORFFI_TRY(ORFFI_NEW_ARRAY(one->wavelengths, plan->d));
    for (size_t k = 0; k < plan->d; k++) {
        one->wavelengths[k] = u[k] != 0.0 ? plan->extent[k] / u[k] : 0.0;
        if (plan->d == 1) one->wavelengths[k] = fabs(one->wavelengths[k]);
    }
    one->part.wavelengths = one->wavelengths;
    one->part.learn_wavelengths = false;
    orffi_log(ORFF_LOG_INFO, "by the evidence: part %zu has waves of %s", m + 1,
              orffi_few_text(plan, one->wavelengths, text));
    return ORFF_OK;
}

/* Writes the result into the plan; weights are scaled to sum 1. */
static orff_status apply_best(work *w) {
    orffi_plan *plan = w->plan;
    double total = 0.0;
    for (size_t m = 0; m < w->e.n_parts; m++) total += exp(w->x[orffi_waves_at_v(&w->e, m)]);
    for (size_t m = 0; m < w->e.n_parts; m++) {
        orffi_planned_part *one = &plan->parts.list[m];
        one->part.weight = exp(w->x[orffi_waves_at_v(&w->e, m)]) / total;
        one->part.base = w->parts[m].base;
        for (size_t k = 0; k < plan->d; k++) one->sigmas[k] = exp(w->x[orffi_waves_at_l(&w->e, m) + k]);
        one->part.sigma = one->sigmas[0];
        if (is_open(&one->part)) ORFFI_TRY(orffi_plan_set_waves(plan, m, w->x + orffi_waves_at_u(&w->e, m)));
    }
    plan->shift = exp(w->x[w->n - 1]) / total;
    plan->settings.mixture = false;
    return ORFF_OK;
}

static orff_status measure_variance(work *w) {
    double sum = 0.0, count = 0.0;
    for (size_t g = 0; g < w->few.sample.count; g++) {
        const orffi_evidence_rows *rows = &w->few.rows[g];
        const size_t p = w->plan->p;
        for (size_t i = 0; i < rows->n * p; i++) {
            if (rows->weights && !(rows->weights[i / p] > 0.0)) continue;
            sum += rows->Y[i] * rows->Y[i];
            count += 1.0;
        }
    }
    w->variance = count > 0.0 ? sum / count : 0.0;
    if (w->variance > 0.0) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the outputs do not vary: no wavelength can be learned");
}

static orff_status allocate(work *w) {
    orffi_plan *plan = w->plan;
    const size_t parts = plan->parts.count;
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->parts, parts));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->joined, parts));
    for (size_t m = 0; m < parts; m++) {
        w->parts[m] = plan->parts.list[m].part;
        if (w->parts[m].base == ORFF_BASE_AUTO) w->parts[m].base = ORFF_BASE_GAUSSIAN;
    }
    ORFFI_TRY(orffi_waves_init(&w->e, plan->d, plan->p, parts, w->parts, w->few.sample.count, w->few.rows,
                               plan->extent));
    w->n = orffi_waves_unknowns(&w->e);
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->x, 5 * w->n));
    w->from = w->x + w->n;
    w->best = w->from + w->n;
    w->lowest = w->best + w->n;
    w->highest = w->lowest + w->n;
    return orffi_tried_waves_init(&w->tried, plan->d, w->few.table.n);
}

static orff_status choose(work *w, const orffi_rows *rows) {
    ORFFI_TRY(orffi_few_make(w->plan, rows, 1, &w->few));
    ORFFI_TRY(measure_variance(w));
    ORFFI_TRY(allocate(w));
    ORFFI_TRY(search(w));
    return apply_best(w);
}

orff_status orffi_choose_waves(orffi_plan *plan, const orffi_rows *rows) {
    work w = {.plan = plan};
    ORFFI_TRY(check(plan));
    const orff_status status = choose(&w, rows);
    orffi_waves_clear(&w.e);
    orffi_few_clear(&w.few);
    orffi_release(w.parts);
    orffi_release(w.joined);
    orffi_release(w.x);
    orffi_tried_waves_clear(&w.tried);
    return status;
}
