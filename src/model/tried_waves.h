/* The waves tried when a part with a wavelength joins a kernel, and the peaks of their gains. */
#ifndef ORFFI_MODEL_TRIED_WAVES_H
#define ORFFI_MODEL_TRIED_WAVES_H

#include "base/status.h"

typedef struct orffi_tried_waves {
    size_t d, count;
    double most;              /* most waves over the extent of an input */
    double *wave;             /* count x d: how many waves fit into the extent of each input */
    double *gain, *amplitude; /* count */
    bool *seen;               /* count: peaks already returned, and waves that are no peaks */
} orffi_tried_waves;

/* The waves that n rows can distinguish: along each input, and across inputs. Clear t in any case. */
orff_status orffi_tried_waves_init(orffi_tried_waves *t, size_t d, size_t n);
void orffi_tried_waves_clear(orffi_tried_waves *t);

/* The highest peak of the gains not returned since `orffi_tried_waves_start`; count if there is none. */
void orffi_tried_waves_start(orffi_tried_waves *t);
size_t orffi_tried_waves_next(orffi_tried_waves *t);

#endif
