/* What a model of a series knows besides f: its lags, the end of the series, and the covariance of the
 * one-step errors. */
#ifndef ORFFI_MODEL_AUTOREGRESSION_H
#define ORFFI_MODEL_AUTOREGRESSION_H

#include "base/fields.h"

typedef struct orffi_series {
    size_t p, n_lags, *lags;
    size_t depth;  /* the longest lag */
    bool changes;  /* see orff_series */
    double *last;  /* depth x p */
    double *noise; /* p x p */
} orffi_series;

void orffi_series_free(orffi_series *series);

/* x (p n_lags) from the values before `now`, which points to the row after the last row of the past. */
void orffi_series_input(const orffi_series *series, const double *now, double *x);

/* Member "series" of the member "model", and the tensors series.last and series.noise. Reading sets NULL
 * if the file has no series. */
orff_status orffi_series_write(const orffi_series *series, orffi_archive_writer *writer, json_t *model);
orff_status orffi_series_read(orffi_series **series, const orffi_fields *model, size_t d, size_t p);

#endif
