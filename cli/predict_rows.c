/* Rows of predictions, computed in blocks of points. */
#include "predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mask.h"
#include "report.h"

#define BLOCK 4096
#define CELLS ((size_t)1 << 21) /* numbers in a block of samples */

size_t cli_prediction_block(const cli_prediction *j) {
    const size_t fit = j->sampling ? CELLS / (j->count * j->width) + 1 : BLOCK;
    return fit < BLOCK ? fit : BLOCK;
}

int cli_prediction_next(cli_prediction *j, double *X, size_t *n) {
    const size_t block = cli_prediction_block(j);
    if (!j->lattice.rows) return cli_data_read(&j->data, block, X, NULL, n);
    if (cli_interrupted()) return cli_failed("interrupted");
    *n = j->last - j->next < block ? (size_t)(j->last - j->next) : block;
    cli_lattice_fill(&j->lattice, j->next, *n, X);
    j->next += *n;
    return CLI_DONE;
}

/* Puts an n x count block at column `at` of the rows. */
static void put(const cli_prediction *j, size_t n, size_t at, size_t count, const double *values,
                double *rows) {
    for (size_t i = 0; i < n; i++) memcpy(rows + i * j->width + at, values + i * count, count * sizeof *rows);
}

static int classify(const cli_prediction *j, size_t n, const double *X, double *values) {
    size_t *labels = cli_more(NULL, n, sizeof *labels);
    const int status = cli_outcome(orff_model_classify(j->applied.model, n, X, labels), NULL);
    for (size_t i = 0; !status && i < n; i++) values[i] = (double)labels[i];
    free(labels);
    return status;
}

/* Puts a field of all samples at column `at` of the rows; values: count x n x width. */
static int put_samples(const cli_prediction *j, orff_field field, size_t width, size_t n, const double *X,
                       size_t at, double *values, double *rows) {
    const int status = cli_outcome(orff_samples_field(j->samples, field, n, X, values), NULL);
    for (size_t s = 0; !status && s < j->count; s++)
        for (size_t i = 0; i < n; i++)
            memcpy(rows + (i * j->count + s) * j->width + at, values + (s * n + i) * width,
                   width * sizeof *rows);
    return status;
}

/* Puts the number of the sample and the inputs of each row; returns the next column. */
static size_t put_places(const cli_prediction *j, size_t n, const double *X, double *rows) {
    const size_t d = j->with_inputs ? j->applied.info.inputs : 0;
    const size_t number = j->numbered_last ? d : 0, first = j->numbered && !j->numbered_last;
    for (size_t i = 0; i < n * j->count; i++) {
        double *row = rows + i * j->width;
        if (d) memcpy(row + first, X + i / j->count * d, d * sizeof *row);
        if (j->numbered) row[number] = (double)(i % j->count + 1);
    }
    return d + j->numbered;
}

static int compute_samples(const cli_prediction *j, size_t n, const double *X, double *values, double *rows) {
    const cli_applied *ap = &j->applied;
    size_t at = put_places(j, n, X, rows);
    int status = put_samples(j, ORFF_FIELD_VALUES, ap->p, n, X, at, values, rows);
    at += ap->p;
    for (size_t i = 0; !status && i < j->n_derived; i++) {
        const size_t width = j->derived[i]->width(ap->info.inputs, ap->p);
        status = put_samples(j, j->derived[i]->field, width, n, X, at, values, rows);
        at += width;
    }
    return status;
}

/* Errors of a derived field: in closed form, or from samples. */
static int derived_std(const cli_prediction *j, const cli_derived *derived, size_t n, const double *X,
                       double *values) {
    const orff_model *model = j->applied.model;
    return cli_outcome(orff_model_has_field_std(model, derived->field)
                           ? orff_model_field_std(model, derived->field, n, X, values)
                           : orff_samples_std(j->samples, derived->field, n, X, values),
                       derived->name);
}

static int compute(const cli_prediction *j, size_t n, const double *X, double *values, double *rows) {
    const cli_applied *ap = &j->applied;
    const size_t d = ap->info.inputs;
    size_t at = 0;
    if (j->with_inputs) put(j, n, 0, d, X, rows);
    if (j->with_inputs) at = d;
    int status = ap->info.classes ? classify(j, n, X, values) : cli_applied_predict(ap, n, X, values);
    if (!status) put(j, n, at, ap->info.outputs, values, rows);
    at += ap->info.outputs;
    for (int noisy = 0; !status && noisy < 2; noisy++) {
        if (!(noisy ? j->with_noise : j->with_std)) continue;
        status = cli_applied_std(ap, noisy, n, X, values);
        if (!status) put(j, n, at, ap->p, values, rows);
        at += ap->p;
    }
    for (size_t i = 0; !status && i < j->n_derived; i++) {
        const size_t width = j->derived[i]->width(d, ap->p);
        status = cli_applied_derive(ap, j->derived[i], n, X, values);
        if (!status) put(j, n, at, width, values, rows);
        at += width;
        if (!status && cli_prediction_has_errors(j)) {
            status = derived_std(j, j->derived[i], n, X, values);
            if (!status) put(j, n, at, width, values, rows);
            at += width;
        }
    }
    return status;
}

/* Points where the model is not to be trusted keep their places and lose all other numbers. */
static int mask_block(cli_prediction *j, size_t n, const double *X, size_t each, double *rows) {
    bool *masked = cli_more(NULL, n, sizeof *masked);
    const int status = cli_mask_points(&j->applied, &j->mask, n, X, masked);
    for (size_t i = 0; !status && i < n; i++) {
        if (!masked[i]) continue;
        j->masked++;
        for (size_t k = 0; k < each * j->width; k++)
            if (k % j->width >= j->places) rows[i * each * j->width + k] = NAN;
    }
    free(masked);
    return status;
}

/* Rows of points on land have no values. */
static int mask_land(cli_prediction *j, size_t n, size_t each, const double *X, double *rows) {
    const size_t first = (j->with_inputs ? j->applied.info.inputs : 0) + j->numbered;
    bool *land = cli_more(NULL, n, sizeof *land);
    const int status = cli_coast_land(&j->coast, j->applied.info.inputs, n, X, land);
    for (size_t i = 0; !status && i < n * each; i++)
        for (size_t k = first; land[i / each] && k < j->width; k++) rows[i * j->width + k] = (double)NAN;
    for (size_t i = 0; !status && i < n; i++) j->on_land += land[i];
    free(land);
    return status;
}

int cli_prediction_fill(cli_prediction *j, size_t n, const double *X, double *values, double *rows) {
    const size_t each = j->sampling ? j->count : 1;
    int status = (j->sampling ? compute_samples : compute)(j, n, X, values, rows);
    if (!status && j->coast.given) status = mask_land(j, n, each, X, rows);
    if (!status && j->masking) status = mask_block(j, n, X, each, rows);
    return status;
}
