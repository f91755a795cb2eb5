/* A model on a plane at work: points come in degrees, vectors leave as eastward and northward. */
#ifndef ORFFI_MODEL_PLANE_APPLY_H
#define ORFFI_MODEL_PLANE_APPLY_H

#include "model/model.h"

/* What turns back from the plane's axes to east and north, in the numbers of a point. */
typedef enum orffi_turning {
    ORFFI_TURN_NOTHING,    /* a scalar: divergence, curl, potentials */
    ORFFI_TURN_VECTOR,     /* 2 */
    ORFFI_TURN_COVARIANCE, /* 2 x 2 */
    ORFFI_TURN_JACOBIAN    /* 2 x d, by km where the input is one of the plane's */
} orffi_turning;

/* out = what `compute` gives at the places on the plane of n points X, for the model as if it had no plane; turned. */
typedef orff_status (*orffi_compute_fn)(const orff_model *model, size_t n, const double *X, double *out);
orff_status orffi_plane_apply(const orff_model *model, orffi_compute_fn compute, orffi_turning turning,
                              size_t n, const double *X, double *out);

/* The same for orff_model_predict_single. */
orff_status orffi_plane_predict_single(const orff_model *model, size_t n, const float *X, float *F);

#endif
