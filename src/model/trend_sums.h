/* What the files that estimate a trend share: sums over rows, whose terms are those of the trend, and its columns as data. */
#ifndef ORFFI_MODEL_TREND_SUMS_H
#define ORFFI_MODEL_TREND_SUMS_H

#include "exact/evidence.h"
#include "model/plan.h"
#include "model/trend_fit.h"

/* ---- sums over rows
 *
 * Of each row there is H (sides x columns) and what is left of y, and their products are summed up. Whole rows have the same
 * terms in every output: columns are terms, and what is left has p numbers. Else a column is a term in one output. */

typedef struct orffi_trend_sums {
    size_t columns, sides; /* sides: numbers of y that go with the same columns */
    double *A, *B;         /* columns x columns, columns x sides */
} orffi_trend_sums;

orff_status orffi_trend_sums_init(orffi_trend_sums *sums, size_t columns, size_t sides);
void orffi_trend_sums_clear(orffi_trend_sums *sums);

/* A becomes its factor, B the solution. Sums of differences are as exact as the columns are, whose units are alike; what an
 * engine has told is not of differences, and a column that lacks little is known as well as any: its correlations count. */
orff_status orffi_trend_sums_solve(orffi_trend_sums *sums, bool told);

/* ---- rows */

static inline uint32_t orffi_set_of(const uint32_t *sets, size_t i) {
    return sets ? sets[i] : ORFFI_NO_SET;
}

/* The terms of a row: its group, or ORFFI_NO_SET, has an offset. */
void orffi_trend_fill_terms(const orffi_trend *trend, const double *x, uint32_t set, double *h);

/* h: terms, and behind them the columns of a directed row. Returns those of the row. */
const double *orffi_trend_columns_of(const orffi_trend *trend, const double *x, const double *along,
                                     uint32_t set, double *h);

/* What is left of the rows -= H b, b: terms x p */
orff_status orffi_trend_subtract(orffi_trend_fit *fit, const double *b);

/* ---- columns as data */

/* Rows as the engine has them. */
orff_status orffi_trend_copy_rows(orffi_rows *rows, orffi_table *table);

/* The engine learns the outputs of the table. report: its arrays are there, and say nothing to anybody. */
orff_status orffi_trend_learn_column(const orffi_plan *plan, const orffi_trend_fit *fit,
                                     const orff_kernel *kernel, double lambda, const orffi_table *table,
                                     orffi_report *report, void **learned);

/* Fits of all columns, and what they lack at the rows where the engine tells it; until that is forgotten. */
orff_status orffi_trend_learn_columns(orffi_trend_fit *fit, const orffi_plan *plan, const orff_kernel *kernel,
                                      double lambda, const orffi_table *table);
void orffi_trend_forget_lacks(orffi_trend_fit *fit);

/* ---- the variance of offsets */

/* The ratio to the noise's that makes the evidence largest; sums gets its part of it on the diagonal. */
orff_status orffi_trend_find_ratio(orffi_trend_fit *fit, const orffi_plan *plan, const orff_kernel *kernel,
                                   double lambda, const orffi_table *table, orffi_trend_sums *sums);

#endif
