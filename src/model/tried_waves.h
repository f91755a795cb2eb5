/* The waves that are tried when a part with a wavelength joins a kernel, and the peaks of what they gain. */
#ifndef ORFFI_MODEL_TRIED_WAVES_H
#define ORFFI_MODEL_TRIED_WAVES_H

#include "base/status.h"

typedef struct orffi_tried_waves {
    size_t d, count;
    double most;              /* waves over the extent of an input */
    double *wave;             /* count x d: how many of them fit the extent of each input */
    double *gain, *amplitude; /* count */
    bool *seen;               /* count: peaks that were returned, and what is no peak */
} orffi_tried_waves;

/* Waves that n rows can tell apart: along each input, and across them. To be cleared in any case. */
orff_status orffi_tried_waves_init(orffi_tried_waves *t, size_t d, size_t n);
void orffi_tried_waves_clear(orffi_tried_waves *t);

/* The highest peak of the gains that was not returned since `orffi_tried_waves_start`; count where there is none. */
void orffi_tried_waves_start(orffi_tried_waves *t);
size_t orffi_tried_waves_next(orffi_tried_waves *t);

#endif
