/* The means of the outputs, by generalised least squares under the kernel that was chosen.
 *
 * Rows that lie together say the same: with a hundred of them in one valley, the mean of the rows is that of the valley, and
 * the model returns to it in gaps and beyond the rows. Generalised least squares counts such rows about once (as ordinary kriging
 * does). Where the rows span few length scales they tell little of the mean; the mean of the rows then counts as one
 * measurement of it, with an error as large as the spread of the outputs. A lambda that is given, or sought along a path, is
 * another noise than that of the choice, and the mean of the rows stays. */
#include "base/memory.h"
#include "model/choice.h"

/* Mean squares of the outputs of the table, whose mean is gone. Of outputs that are constant 1, as there is nothing to be found. */
static void fill_prior(const orffi_table *table, double *prior) {
    for (size_t i = 0; i < table->n * table->p; i++)
        prior[i % table->p] += table->Y[i] * table->Y[i] / (double)table->n;
    for (size_t k = 0; k < table->p; k++)
        if (!(prior[k] > 0.0)) prior[k] = 1.0;
}

orff_status orffi_choice_mean(orffi_choice *c, double **out) {
    const size_t p = c->plan->p;
    const orffi_sample spread = {.count = 1,
                                 .tables = c->many.tables}; /* over all: patches know their own means */
    const double total = c->plan->directed ? 0.0 : orffi_table_weight(&c->table);
    double *mean, *prior;
    bool found = false;
    orffi_release(*out);
    *out = NULL;
    if (!c->mean || c->plan->directed || c->plan->settings.lambda > 0.0 || !(total > 0.0)) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(mean, 2 * p));
    prior = mean + p;
    fill_prior(&c->table, prior);
    const orff_status status = orffi_candidate_mean(&c->best, &c->judge, &spread, total, prior, mean, &found);
    for (size_t k = 0; k < p; k++) mean[k] = (c->mean[k] + mean[k]) * c->plan->units.spread[k];
    if (!status && found)
        *out = mean;
    else
        orffi_release(mean);
    return status;
}
