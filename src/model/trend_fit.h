/* A trend on its way: taken off the rows by least squares before anything is chosen, and estimated when kernel and lambda
 * are known. */
#ifndef ORFFI_MODEL_TREND_FIT_H
#define ORFFI_MODEL_TREND_FIT_H

#include "model/rows.h"
#include "model/trend.h"

struct orffi_plan;

typedef struct orffi_trend_fit {
    orffi_trend *trend;
    orffi_rows *rows;          /* whose outputs are those without the trend, which are here: */
    double *left;              /* n x p, or n of directed rows, in the user's units */
    double freedom;            /* degrees of freedom that the estimate takes, all outputs together */
    const orff_kernel *kernel; /* that engines prepare rows for */
    double **lacks; /* of each of the trend's fits what its engine says is left of the rows, or NULL */
} orffi_trend_fit;

/* ORFF_ERROR_UNSUPPORTED for settings with a trend where `what` has none. */
orff_status orffi_trend_refuse(const orff_settings *settings, const char *what);

/* Nothing is done where the settings have no trend. The settings become those of the rows without it: they are not centred.
 * Rows are in memory, and refer to what is here until it is cleared. */
orff_status orffi_trend_begin(orffi_trend_fit *fit, orff_settings *settings, orffi_rows *rows);

/* With this kernel and lambda, which the plan has found; what is left of the rows is then without it. */
orff_status orffi_trend_estimate(orffi_trend_fit *fit, const struct orffi_plan *plan,
                                 const orff_kernel *kernel, double lambda);

/* The model takes the trend. Before that it is one of the rows without it. */
void orffi_trend_give(orffi_trend_fit *fit, orff_model *model);
void orffi_trend_clear(orffi_trend_fit *fit);

#endif
