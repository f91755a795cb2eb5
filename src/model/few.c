#include "model/few.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"

static orff_status fill_rows(orffi_few *few) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(few->rows, few->sample.count));
    for (size_t g = 0; g < few->sample.count; g++) {
        const orffi_table *t = &few->sample.tables[g];
        few->rows[g] = (orffi_evidence_rows){.n = t->n, .X = t->X, .Y = t->Y, .weights = t->weights};
    }
    return ORFF_OK;
}

orffi_minimum orffi_few_climb(size_t n, const double *low, const double *high, size_t most) {
    return (orffi_minimum){.n = n, .low = low, .high = high, .step = 1.0, .tolerance = 0.01, .most = most};
}

orff_status orffi_few_check_inputs(const orffi_plan *plan) {
    for (size_t k = 0; k < plan->d; k++)
        if (!(plan->extent[k] > 0.0))
            return orffi_fail(
                ORFF_ERROR_INVALID_ARGUMENT,
                "input %zu has the same value in all rows: neither delays nor wavelengths can be "
                "learned along it; leave it out",
                k + 1);
    return ORFF_OK;
}

orff_status orffi_few_make(orffi_plan *plan, const orffi_rows *rows, size_t order, orffi_few *few) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(few->median, 2 * plan->d));
    few->low = few->median + plan->d;
    ORFFI_TRY(orffi_trial_sample(plan, rows, rows->head.n, &few->table));
    ORFFI_TRY(orffi_sample_center(plan, &few->table));
    ORFFI_TRY(orffi_trial_medians(plan, &few->table, few->median));
    const double spacing = orffi_trial_spacing(plan, &few->table);
    for (size_t k = 0; k < plan->d; k++) few->low[k] = 0.5 * fmin(spacing, few->median[k]);
    ORFFI_TRY(orffi_sample_few(&few->table, few->median, order, &few->sample));
    return fill_rows(few);
}

void orffi_few_clear(orffi_few *few) {
    orffi_sample_clear(&few->sample);
    orffi_table_clear(&few->table);
    orffi_release(few->rows);
    orffi_release(few->median);
    *few = (orffi_few){0};
}

const char *orffi_few_text(const orffi_plan *plan, const double *list, char text[ORFFI_FEW_TEXT]) {
    size_t at = 0;
    text[0] = '\0';
    for (size_t k = 0; k < plan->d && at < ORFFI_FEW_TEXT; k++)
        at += (size_t)snprintf(text + at, ORFFI_FEW_TEXT - at, "%s%.6g", k ? ", " : "",
                               list[k] * plan->units.unit[k]);
    return text;
}
