/* The units of the kernel, and the range of rows in them. */
#include "model/plan_steps.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/periods.h"
#include "model/survey.h"

void orffi_share_unit(const size_t *inputs, size_t count, double *unit) {
    double square = 0.0;
    for (size_t k = 0; k < count; k++) square += unit[inputs ? inputs[k] : k] * unit[inputs ? inputs[k] : k];
    for (size_t k = 0; k < count; k++) unit[inputs ? inputs[k] : k] = sqrt(square / (double)count);
}

static void share_spread(size_t p, double *spread) {
    double square = 0.0;
    for (size_t k = 0; k < p; k++) square += spread[k] * spread[k];
    for (size_t k = 0; k < p; k++) spread[k] = sqrt(square / (double)p);
}

bool orffi_plan_has_field(const orffi_plan *plan) {
    return plan->space && plan->p >= 2 && !plan->settings.classes;
}

/* Over all rows if they are in memory, otherwise over the first ones. */
static void measure_range(orffi_plan *plan, const orffi_rows *rows) {
    const size_t n = rows->stream ? rows->head.n : rows->n;
    const double *X = rows->stream ? rows->head.X : rows->X;
    for (size_t k = 0; k < plan->d; k++) {
        double low = X[k], high = X[k];
        for (size_t i = 1; i < n; i++) {
            low = fmin(low, X[i * plan->d + k]);
            high = fmax(high, X[i * plan->d + k]);
        }
        plan->extent[k] = high / plan->units.unit[k] - low / plan->units.unit[k];
        plan->middle[k] = (low / 2.0 + high / 2.0 - plan->units.shift[k]) / plan->units.unit[k];
        if (orffi_is_periodic(plan->periods, k)) plan->extent[k] = plan->periods[k];
    }
}

static orff_status set_periods(orffi_plan *plan) {
    const double *given = plan->settings.periods;
    if (!given) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->periods, plan->d));
    for (size_t i = 0; i < plan->d; i++) plan->periods[i] = given[i] / plan->units.unit[i];
    return ORFF_OK;
}

/* The standard deviation of each output; for directed rows estimated from their components. */
static orff_status measure_spread(const orffi_table *head, double *spread) {
    const size_t p = head->p;
    double *work, *mean, *weight;
    if (!head->along) orffi_column_statistics(head->n, p, head->Y, NULL, spread, NULL);
    if (!head->along) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, 2 * p));
    mean = work;
    weight = work + p;
    const orff_status status = orffi_table_mean(head, mean);
    memset(spread, 0, p * sizeof *spread);
    for (size_t i = 0; i < head->n; i++) {
        const double *e = head->along + i * p;
        double left = head->Y[i];
        for (size_t k = 0; k < p; k++) left -= mean[k] * e[k];
        for (size_t k = 0; k < p; k++) {
            spread[k] += e[k] * e[k] * left * left;
            weight[k] += e[k] * e[k];
        }
    }
    for (size_t k = 0; k < p; k++) spread[k] = spread[k] > 0.0 ? sqrt(spread[k] / weight[k]) : 1.0;
    orffi_release(work);
    return status;
}

/* Given delays and wavelengths are in the user's units. */
static void scale_lengths(orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++) {
        double *delays = plan->parts.list[m].delays;
        for (size_t i = 0; delays && i < plan->p * plan->d; i++) delays[i] /= plan->units.unit[i % plan->d];
        double *waves = plan->parts.list[m].wavelengths;
        for (size_t i = 0; waves && i < plan->d; i++) waves[i] /= plan->units.unit[i];
    }
}

orff_status orffi_plan_choose_units(orffi_plan *plan, const orffi_rows *rows) {
    const orff_settings *s = &plan->settings;
    const orffi_table *head = &rows->head;
    const bool fields = plan->physical || plan->rigid || (s->auto_kernel && orffi_plan_has_field(plan));
    const bool automatic = s->auto_kernel || orffi_plan_any_auto(plan);
    const bool scale = s->scale_inputs == ORFF_SWITCH_YES ||
                       (s->scale_inputs == ORFF_SWITCH_AUTO && !fields && automatic && !s->sampling.omega);
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->units.shift, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->units.unit, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->units.spread, plan->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->extent, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->middle, plan->d));
    orffi_column_statistics(head->n, plan->d, head->X, plan->units.shift, plan->units.unit, NULL);
    ORFFI_TRY(measure_spread(head, plan->units.spread));
    if (plan->rigid)
        orffi_share_unit(NULL, plan->d, plan->units.unit);
    else if (fields && plan->space)
        orffi_share_unit(plan->space, plan->p, plan->units.unit);
    if (fields) share_spread(plan->p, plan->units.spread);
    for (size_t i = 0; !scale && i < plan->d; i++) plan->units.unit[i] = 1.0;
    const bool each = s->scale_outputs == ORFF_SWITCH_YES ||
                      (s->scale_outputs == ORFF_SWITCH_AUTO && orffi_plan_has_own_outputs(plan) && !fields &&
                       (automatic || s->lambda == 0.0) && (!plan->directed || rows->apart));
    for (size_t k = 0; !(each && !rows->classes) && k < plan->p; k++) plan->units.spread[k] = 1.0;
    ORFFI_TRY(set_periods(plan));
    scale_lengths(plan);
    measure_range(plan, rows);
    return ORFF_OK;
}
