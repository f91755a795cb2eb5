/* A trend during a fit: subtracted from the rows by least squares before any choice, and estimated once
 * kernel and lambda are known. */
#ifndef ORFFI_MODEL_TREND_FIT_H
#define ORFFI_MODEL_TREND_FIT_H

#include "model/rows.h"
#include "model/trend.h"

struct orffi_plan;

typedef struct orffi_trend_fit {
    orffi_trend *trend;
    orffi_rows *rows;          /* outputs without the trend, stored in: */
    double *left;              /* n x p, or n for directed rows, in the user's units */
    double freedom;            /* degrees of freedom of the estimate, over all outputs */
    const orff_kernel *kernel; /* for which engines prepare rows */
    double **lacks; /* for each fit of the trend what its engine reports as left of the rows, or NULL */
} orffi_trend_fit;

/* ORFF_ERROR_UNSUPPORTED if the settings have a trend, which `what` does not support. */
orff_status orffi_trend_refuse(const orff_settings *settings, const char *what);

/* Does nothing without a trend. Changes the settings to those of rows without the trend: not centred. The
 * rows must be in memory, and refer to `fit` until it is cleared. */
orff_status orffi_trend_begin(orffi_trend_fit *fit, orff_settings *settings, orffi_rows *rows);

/* Estimates the trend with this kernel and lambda, found by the plan, and subtracts it from the rows. */
orff_status orffi_trend_estimate(orffi_trend_fit *fit, const struct orffi_plan *plan,
                                 const orff_kernel *kernel, double lambda);

/* Moves the trend to a model learned from the rows without it. */
void orffi_trend_give(orffi_trend_fit *fit, orff_model *model);
void orffi_trend_clear(orffi_trend_fit *fit);

#endif
