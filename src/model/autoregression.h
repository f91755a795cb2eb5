/* What a model of a series knows beside f: its lags, the end of the series, and how the errors of a step belong together. */
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

/* Empty but for the lags. */
orff_status orffi_series_create(orffi_series **series, size_t p, size_t n_lags, const size_t *lags,
                                bool changes);
void orffi_series_free(orffi_series *series);

/* Refuses lags and values that are none. */
orff_status orffi_series_check(const orff_series *series);

/* x (p n_lags) from the values before `now`, which is the row after the last one of the past. */
void orffi_series_input(const orffi_series *series, const double *now, double *x);

/* Member "series" of the member "model", and the tensors series.last and series.noise. Reading leaves NULL where there is none. */
orff_status orffi_series_write(const orffi_series *series, orffi_archive_writer *writer, json_t *model);
orff_status orffi_series_read(orffi_series **series, const orffi_fields *model, size_t d, size_t p);

#endif
