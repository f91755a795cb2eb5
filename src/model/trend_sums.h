/* Shared by the files that estimate a trend: sums over rows, the trend's terms, and its columns as data. */
#ifndef ORFFI_MODEL_TREND_SUMS_H
#define ORFFI_MODEL_TREND_SUMS_H

#include "exact/evidence.h"
#include "model/plan.h"
#include "model/trend_fit.h"

/* ---- sums over rows
 *
 * For each row there are the columns H and the remaining y; their products are summed up. For complete
 * rows all outputs share the same columns, the terms, and y has p numbers (sides = p). Otherwise a column
 * is a term in one output. */

typedef struct orffi_trend_sums {
    size_t columns, sides; /* sides: numbers of y with the same columns */
    double *A, *B;         /* columns x columns, columns x sides */
} orffi_trend_sums;

orff_status orffi_trend_sums_init(orffi_trend_sums *sums, size_t columns, size_t sides);
void orffi_trend_sums_clear(orffi_trend_sums *sums);

/* Replaces A by its factor and B by the solution. Fails if columns cannot be distinguished. told = false:
 * differences were computed from values, with errors as large as those of the columns, which have similar
 * units. told = true: an engine has reported the differences, so that small ones are as accurate as others
 * and only the columns' correlations matter. */
orff_status orffi_trend_sums_solve(orffi_trend_sums *sums, bool told);

/* ---- rows */

static inline uint32_t orffi_set_of(const uint32_t *sets, size_t i) {
    return sets ? sets[i] : ORFFI_NO_SET;
}

/* The terms of a row; set: the number of the group whose offset it has, or ORFFI_NO_SET. */
void orffi_trend_fill_terms(const orffi_trend *trend, const double *x, uint32_t set, double *h);

/* h: room for the terms, followed by the columns of a directed row. Returns the columns of the row. */
const double *orffi_trend_columns_of(const orffi_trend *trend, const double *x, const double *along,
                                     uint32_t set, double *h);

/* Subtracts H b from what is left of the rows; b: terms x p */
orff_status orffi_trend_subtract(orffi_trend_fit *fit, const double *b);

/* ---- columns as data */

/* Copies the rows as the engine has them. */
orff_status orffi_trend_copy_rows(orffi_rows *rows, orffi_table *table);

/* The engine learns the outputs of the table. report: its arrays must be allocated; their contents are not
 * used. */
orff_status orffi_trend_learn_column(const orffi_plan *plan, const orffi_trend_fit *fit,
                                     const orff_kernel *kernel, double lambda, const orffi_table *table,
                                     orffi_report *report, void **learned);

/* Fits all columns, and keeps their differences at the rows if the engine reports them, until the second
 * call frees these. */
orff_status orffi_trend_learn_columns(orffi_trend_fit *fit, const orffi_plan *plan, const orff_kernel *kernel,
                                      double lambda, const orffi_table *table);
void orffi_trend_forget_lacks(orffi_trend_fit *fit);

/* ---- the variance of offsets */

/* Finds the ratio of the offsets' variance to that of the noise that maximises the evidence, and adds
 * 1/ratio to the diagonal of sums. */
orff_status orffi_trend_find_ratio(orffi_trend_fit *fit, const orffi_plan *plan, const orff_kernel *kernel,
                                   double lambda, const orffi_table *table, orffi_trend_sums *sums);

#endif
