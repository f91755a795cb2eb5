/* What of the outputs a kernel cannot reach: where every part is decomposable, f(x) lies in the range of the sum of
 * their matrices A, and what y has in its null space is noise to the model. */
#ifndef ORFFI_MODEL_REACH_H
#define ORFFI_MODEL_REACH_H

#include "model/model.h"
#include "moments/moments.h"

/* The share of the outputs' variance (about `mean`, p values) in the null space, into model->unreached: from rows
 * (Y n x p, weights may be NULL), or from moments. */
orff_status orffi_reach_rows(orff_model *model, size_t n, const double *Y, const double *weights,
                             const double *mean);
orff_status orffi_reach_moments(orff_model *model, const orff_moments *moments, const double *mean);

/* Above so much of it a fit warns. */
#define ORFFI_NOTABLE_SHARE 0.01

#endif
