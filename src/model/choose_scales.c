/* Length scales and Helmholtz weights: by the evidence (choose_evidence.c), or, without one, by
 * cross-validation from moments of a subsample. Each length scale takes one pass; everything else reuses
 * it. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/choose.h"

#define MIXES       7
#define MOST_BEYOND 6   /* steps past the ends of the lists of scales, ... */
#define SOME_BEYOND 2   /* ... and as many as progress counts on, so that it need not go back */
#define CHANCE      2.0 /* standard errors of a mean square over n rows, each about 1/sqrt(n) of it */

/* Few inputs: fields, which vary on much shorter scales than the distance between two random points. */
static const double scales_low[] = {0.05, 0.1, 0.2, 0.4, 0.8};
static const double scales_high[] = {0.5, 1.0, 2.0};
static const double mixes[MIXES] = {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0};

/* Covariates keep their own median: only the scales of the field's space are searched. */
static void set_scales(orffi_plan *plan, const bool *chosen, const double *median, double multiple) {
    for (size_t m = 0; m < plan->parts.count; m++)
        for (size_t i = 0; chosen[m] && i < plan->d; i++)
            plan->parts.list[m].sigmas[i] = median[i] * (orffi_plan_in_space(plan, i) ? multiple : 1.0);
}

static void set_mix(orffi_plan *plan, double c) {
    for (size_t m = 0; m < plan->parts.count; m++) plan->parts.list[m].part.mix = c;
}

/* One pass over the table serves all mixes. */
static orff_status search_mix(orffi_plan *plan, const orffi_table *table) {
    orffi_trial trial = {0};
    const size_t D = orffi_trial_frequencies(plan, table);
    double best = INFINITY, best_c = 0.5, error = INFINITY;
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < MIXES; i++) {
        orffi_stage before;
        set_mix(plan, mixes[i]);
        status = orffi_stage_enter("choosing the mix", (double)i, MIXES, ORFFI_FOLDS_TASK, &before);
        if (!status) status = orffi_trial_error(&trial, plan, table, D, &error);
        orffi_stage_leave(&before);
        if (!status && error < best) {
            best = error;
            best_c = mixes[i];
        }
    }
    set_mix(plan, best_c);
    orffi_trial_clear(&trial);
    return status;
}

typedef struct search {
    orffi_plan *plan;
    const orffi_table *table;
    const bool *chosen;
    const double *median;
    size_t D;
    double multiple, error; /* the best so far */
    orffi_trial trial;
} search;

/* Keeps the multiple if it is better than the best so far. */
static orff_status try_multiple(search *s, double multiple, bool *better) {
    double error;
    set_scales(s->plan, s->chosen, s->median, multiple);
    ORFFI_TRY(orffi_trial_error(&s->trial, s->plan, s->table, s->D, &error));
    *better = error < s->error;
    if (*better) {
        s->multiple = multiple;
        s->error = error;
    }
    return ORFF_OK;
}

/* Tries a multiple as step `done` of `total`, for the progress. */
static orff_status step_multiple(search *s, size_t done, size_t total, double multiple, bool *better) {
    orffi_stage before;
    orff_status status =
        orffi_stage_enter("choosing scales", (double)done, (double)total, ORFFI_FOLDS_TASK, &before);
    if (!status) status = try_multiple(s, multiple, better);
    orffi_stage_leave(&before);
    return status;
}

/* Past the end of a list of `count`, by halves or doubles, while that helps: the next may always be the last. */
static orff_status go_on(search *s, size_t count, double factor) {
    bool better = true;
    for (size_t i = 0; better && i < MOST_BEYOND; i++) {
        const size_t done = count + i, total = count + (i ? i + 1 : SOME_BEYOND);
        ORFFI_TRY(step_multiple(s, done, total, factor * s->multiple, &better));
    }
    return ORFF_OK;
}

/* Starts with the middle of the list. */
static orff_status search_list(search *s, size_t count, const double *list, double hopeless) {
    bool better;
    for (size_t i = 0; i < count; i++) {
        ORFFI_TRY(step_multiple(s, i, count + SOME_BEYOND, list[(i + count / 2) % count], &better));
        if (s->error > hopeless) break;
    }
    if (s->multiple == list[0]) ORFFI_TRY(go_on(s, count, 0.5));
    if (s->multiple == list[count - 1]) ORFFI_TRY(go_on(s, count, 2.0));
    return ORFF_OK;
}

static const double *list_scales(const orffi_plan *plan, size_t *count) {
    const bool few = (plan->space ? plan->p : plan->d) <= 3;
    *count = few ? sizeof scales_low / sizeof *scales_low : sizeof scales_high / sizeof *scales_high;
    return few ? scales_low : scales_high;
}

size_t orffi_scale_candidates(const orffi_plan *plan) {
    size_t count;
    list_scales(plan, &count);
    return count;
}

orff_status orffi_search_scales(orffi_plan *plan, const orffi_table *table, const bool *chosen,
                                const double *median, size_t D, double hopeless, double *multiple,
                                double *error) {
    size_t count;
    const double *list = list_scales(plan, &count);
    search s = {plan, table, chosen, median, D, list[count / 2], INFINITY, {0}};
    const orff_status status = search_list(&s, count, list, hopeless);
    orffi_trial_clear(&s.trial);
    if (status) return status;
    set_scales(plan, chosen, median, s.multiple);
    *multiple = s.multiple;
    *error = s.error;
    return ORFF_OK;
}

static orff_status search_scales(orffi_plan *plan, const orffi_table *table, const bool *chosen,
                                 const double *median, double *error) {
    double multiple;
    ORFFI_TRY(orffi_search_scales(plan, table, chosen, median, orffi_trial_frequencies(plan, table), INFINITY,
                                  &multiple, error));
    orffi_log(ORFF_LOG_INFO, "length scale %g: %g of the median distance between inputs, by cross-validation",
              median[plan->space ? plan->space[0] : 0] * multiple, multiple);
    return ORFF_OK;
}

/* Works in the plan's current units. */
static orff_status cross_validate(orffi_plan *plan, const orffi_rows *rows, const bool *chosen, bool any,
                                  double *error) {
    orffi_table table = {0};
    double *median = NULL;
    orff_status status = orffi_trial_sample(plan, rows, ORFFI_TRIAL_ROWS, &table);
    if (!status) status = ORFFI_NEW_ARRAY(median, plan->d);
    if (!status) status = orffi_trial_medians(plan, &table, median);
    if (!status && any) status = search_scales(plan, &table, chosen, median, error);
    if (!status && plan->settings.auto_mix) status = search_mix(plan, &table);
    orffi_table_clear(&table);
    orffi_release(median);
    return status;
}

/* ---- units of classes */

/* Scaling each input by its own spread is right if inputs measure different things, and wrong if they are
 * of one kind, as pixels are: inputs that hardly vary, mere noise, would count as much as all others.
 * Held-out rows decide which it is. */
static bool has_open_units(const orffi_plan *plan, const bool *chosen) {
    bool open = plan->settings.classes && plan->settings.scale_inputs == ORFF_SWITCH_AUTO && plan->d > 1 &&
                !plan->physical && !plan->rigid && !plan->periods && !plan->settings.sampling.omega;
    for (size_t m = 0; m < plan->parts.count; m++) {
        const orffi_planned_part *part = &plan->parts.list[m];
        open &= chosen[m] && !part->delays && !part->wavelengths;
    }
    return open;
}

/* Swaps what depends on the choice of units: d units, and the parts with their length scales. */
static void exchange_units(orffi_plan *plan, double *unit, orffi_parts *parts) {
    const orffi_parts own = plan->parts;
    for (size_t i = 0; i < plan->d; i++) {
        const double before = plan->units.unit[i];
        plan->extent[i] *= before / unit[i];
        plan->middle[i] *= before / unit[i];
        plan->units.unit[i] = unit[i];
        unit[i] = before;
    }
    plan->parts = *parts;
    *parts = own;
}

static orff_status compare_units(orffi_plan *plan, const orffi_rows *rows, const bool *chosen, double error) {
    orffi_parts parts = {0};
    double *unit, shared = INFINITY;
    ORFFI_TRY(ORFFI_NEW_ARRAY(unit, plan->d));
    memcpy(unit, plan->units.unit, plan->d * sizeof *unit);
    orffi_share_unit(NULL, plan->d, unit);
    orff_status status = orffi_parts_copy(&parts, &plan->parts);
    if (!status) {
        exchange_units(plan, unit, &parts);
        status = cross_validate(plan, rows, chosen, true, &shared);
        if (!status && shared < error * (1.0 - CHANCE / sqrt((double)rows->head.n)))
            orffi_log(ORFF_LOG_INFO, "all inputs are divided by one common spread: held-out rows are "
                                     "predicted better than with a spread for each input");
        else
            exchange_units(plan, unit, &parts);
    }
    orffi_parts_clear(&parts);
    orffi_release(unit);
    return status;
}

orff_status orffi_choose_scales(orffi_plan *plan, const orffi_rows *rows) {
    bool *chosen, any = false, found = false;
    double error = INFINITY;
    orff_status status = ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(chosen, plan->parts.count));
    for (size_t m = 0; m < plan->parts.count; m++)
        any |= chosen[m] = orffi_part_is_auto(&plan->parts.list[m].part);
    if (orffi_has_evidence(plan)) status = orffi_choose_evidence(plan, rows, chosen, &found);
    if (!status && !found) {
        status = cross_validate(plan, rows, chosen, any, &error);
        if (!status && has_open_units(plan, chosen)) status = compare_units(plan, rows, chosen, error);
    }
    orffi_release(chosen);
    return status;
}
