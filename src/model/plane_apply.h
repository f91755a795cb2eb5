/* A model on a plane at work: points come in degrees, vectors leave as eastward and northward. */
#ifndef ORFFI_MODEL_PLANE_APPLY_H
#define ORFFI_MODEL_PLANE_APPLY_H

#include "model/model.h"

/* What turns back from the plane's axes to east and north, in the numbers of a point. */
typedef enum orffi_turning {
    ORFFI_TURN_NOTHING,            /* a scalar: divergence, curl, potentials */
    ORFFI_TURN_VECTOR,             /* 2 */
    ORFFI_TURN_COVARIANCE,         /* 2 x 2 */
    ORFFI_TURN_JACOBIAN,           /* 2 x d, by km where the input is one of the plane's */
    ORFFI_TURN_JACOBIAN_COVARIANCE /* 2 d x 2 d */
} orffi_turning;

/* out = what `compute` gives at the places on the plane of n points X, for the model as if it had no plane; turned. */
typedef orff_status (*orffi_compute_fn)(const orff_model *model, size_t n, const double *X, double *out);
orff_status orffi_plane_apply(const orff_model *model, orffi_compute_fn compute, orffi_turning turning,
                              size_t n, const double *X, double *out);

/* The same where `compute` needs to know more; it is called as it is where the model has no plane. */
typedef orff_status (*orffi_compute_of_fn)(const orff_model *model, const void *what, size_t n,
                                           const double *X, double *out);
orff_status orffi_plane_apply_to(const orff_model *model, orffi_compute_of_fn compute, const void *what,
                                 orffi_turning turning, size_t n, const double *X, double *out);

/* What a field is and how it turns; refuses those that there are none of. */
orff_status orffi_field_describe(const orff_model *model, orff_field field, orffi_derived *what,
                                 orffi_turning *turning);

/* The same for orff_model_predict_single. */
orff_status orffi_plane_predict_single(const orff_model *model, size_t n, const float *X, float *F);

#endif
