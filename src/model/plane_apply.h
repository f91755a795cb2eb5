/* Evaluates a model on a plane: points come in degrees, vectors leave as eastward and northward
 * components. */
#ifndef ORFFI_MODEL_PLANE_APPLY_H
#define ORFFI_MODEL_PLANE_APPLY_H

#include "model/model.h"

/* What to turn from the plane's axes to east and north; numbers per point. */
typedef enum orffi_turning {
    ORFFI_TURN_NOTHING,            /* a scalar: divergence, curl, potentials */
    ORFFI_TURN_VECTOR,             /* 2 */
    ORFFI_TURN_COVARIANCE,         /* 2 x 2 */
    ORFFI_TURN_JACOBIAN,           /* 2 x d; per km for the two inputs of the plane */
    ORFFI_TURN_JACOBIAN_COVARIANCE /* 2 d x 2 d */
} orffi_turning;

/* out = the result of `compute` at the places of n points X on the plane, for the model as if it had no
 * plane; then turned. */
typedef orff_status (*orffi_compute_fn)(const orff_model *model, size_t n, const double *X, double *out);
orff_status orffi_plane_apply(const orff_model *model, orffi_compute_fn compute, orffi_turning turning,
                              size_t n, const double *X, double *out);

/* The same for a `compute` with an argument; without a plane it is called directly. */
typedef orff_status (*orffi_compute_of_fn)(const orff_model *model, const void *what, size_t n,
                                           const double *X, double *out);
orff_status orffi_plane_apply_to(const orff_model *model, orffi_compute_of_fn compute, const void *what,
                                 orffi_turning turning, size_t n, const double *X, double *out);

/* What a field is and how it turns; fails for fields that the model does not have. */
orff_status orffi_field_describe(const orff_model *model, orff_field field, orffi_derived *what,
                                 orffi_turning *turning);

/* The same for orff_model_predict_single. */
orff_status orffi_plane_predict_single(const orff_model *model, size_t n, const float *X, float *F);

#endif
