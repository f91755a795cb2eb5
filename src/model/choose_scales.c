/* Length scales and Helmholtz weights, from moments of a subsample: one pass for each length scale,
 * everything else without another. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "model/choose.h"
#include "model/choose_exact.h"

#define MIXES       7
#define MOST_BEYOND 6 /* steps past the ends of the lists of scales */

/* Few inputs: fields, which vary on much shorter scales than the distance between two points picked at
 * random. */
static const double scales_low[] = {0.05, 0.1, 0.2, 0.4, 0.8};
static const double scales_high[] = {0.5, 1.0, 2.0};
static const double mixes[MIXES] = {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0};

static bool wants_scale(const orff_part *part) {
    return !orffi_rule_find(part->rule)->own_law && part->sigma == 0.0;
}

/* Covariates keep their own median: only the scales of the field's space are searched. */
static void set_scales(orffi_plan *plan, const bool *chosen, const double *median, double multiple) {
    for (size_t m = 0; m < plan->settings.n_parts; m++)
        for (size_t i = 0; chosen[m] && i < plan->d; i++)
            plan->sigmas[m * plan->d + i] = median[i] * (orffi_plan_in_space(plan, i) ? multiple : 1.0);
}

static void set_mix(orffi_plan *plan, double c) {
    for (size_t m = 0; m < plan->settings.n_parts; m++) plan->parts[m].mix = c;
}

/* The same for Helmholtz weight c, on moments that are there; without any, by the exact kernel. */
static orff_status try_mix(orffi_plan *plan, const orffi_table *table, const orff_features *features,
                           const orff_moments *moments, double c, double *error) {
    orff_kernel *kernel = NULL;
    orff_features *bound = NULL;
    orffi_best_lambda best = {0};
    set_mix(plan, c);
    if (!features) return orffi_choose_try_exact(plan, table, error);
    orff_status status = orffi_plan_kernel(plan, &kernel);
    if (!status) status = orff_features_rebind(&bound, features, kernel);
    if (!status) status = orffi_plan_cross_validate(plan, bound, moments, &best);
    *error = best.cv_mse;
    orff_features_free(bound);
    orff_kernel_free(kernel);
    return status;
}

/* One pass over the table serves all of them. */
static orff_status search_mix(orffi_plan *plan, const orffi_table *table) {
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    double best = INFINITY, best_c = 0.5, error = INFINITY;
    orff_status status = orffi_chooses_exactly(plan, table->n)
                             ? ORFF_OK
                             : orffi_trial_look(plan, table, orffi_trial_frequencies(plan, table),
                                                orffi_trial_folds(plan, table), &features, &moments);
    for (size_t i = 0; !status && i < MIXES; i++) {
        status = try_mix(plan, table, features, moments, mixes[i], &error);
        if (!status && error < best) {
            best = error;
            best_c = mixes[i];
        }
    }
    set_mix(plan, best_c);
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}

typedef struct search {
    orffi_plan *plan;
    const orffi_table *table;
    const bool *chosen;
    const double *median;
    size_t D;
    double multiple, error; /* the best so far */
} search;

/* Whether the multiple is better than the best so far, which it then is. */
static orff_status try_multiple(search *s, double multiple, bool *better) {
    double error;
    set_scales(s->plan, s->chosen, s->median, multiple);
    ORFFI_TRY(orffi_trial_error(s->plan, s->table, s->D, &error));
    *better = error < s->error;
    if (*better) {
        s->multiple = multiple;
        s->error = error;
    }
    return ORFF_OK;
}

/* Past the end of the list, by halves or doubles, while that helps. */
static orff_status go_on(search *s, double factor) {
    bool better = true;
    for (size_t i = 0; better && i < MOST_BEYOND; i++) {
        ORFFI_TRY(orffi_progress("choosing scales", (double)i, MOST_BEYOND));
        ORFFI_TRY(try_multiple(s, factor * s->multiple, &better));
    }
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
    search s = {plan, table, chosen, median, D, list[count / 2], INFINITY};
    bool better;
    for (size_t i = 0; i < count; i++) {
        ORFFI_TRY(orffi_progress("choosing scales", (double)i, (double)count));
        ORFFI_TRY(try_multiple(&s, list[(i + count / 2) % count], &better)); /* the middle one first */
        if (s.error > hopeless) break;
    }
    if (s.multiple == list[0]) ORFFI_TRY(go_on(&s, 0.5));
    if (s.multiple == list[count - 1]) ORFFI_TRY(go_on(&s, 2.0));
    set_scales(plan, chosen, median, s.multiple);
    *multiple = s.multiple;
    *error = s.error;
    return ORFF_OK;
}

static orff_status search_scales(orffi_plan *plan, const orffi_table *table, const bool *chosen,
                                 const double *median) {
    double multiple, error;
    ORFFI_TRY(orffi_search_scales(plan, table, chosen, median, orffi_trial_frequencies(plan, table), INFINITY,
                                  &multiple, &error));
    orffi_log(ORFF_LOG_INFO, "length scale %g: %g of the median distance between inputs, by cross-validation",
              median[plan->space ? plan->space[0] : 0] * multiple, multiple);
    return ORFF_OK;
}

orff_status orffi_choose_scales(orffi_plan *plan, const orffi_rows *rows) {
    orffi_table table = {0};
    double *median = NULL;
    bool *chosen = NULL;
    const size_t n = plan->settings.n_parts;
    orff_status status = orffi_trial_sample(plan, rows, ORFFI_TRIAL_ROWS, &table);
    if (!status) status = ORFFI_NEW_ARRAY(median, plan->d);
    if (!status) status = ORFFI_NEW_ARRAY(chosen, n);
    if (!status) status = orffi_trial_medians(plan, &table, median);
    bool any = false;
    for (size_t m = 0; !status && m < n; m++)
        any |= chosen[m] = wants_scale(&plan->parts[m]) && !plan->parts[m].sigmas;
    if (!status && any) status = search_scales(plan, &table, chosen, median);
    if (!status && plan->settings.auto_mix) status = search_mix(plan, &table);
    orffi_table_clear(&table);
    orffi_release(median);
    orffi_release(chosen);
    return status;
}
