/* Turns one standard point into one frequency of the law, by importance or not.
 *
 * A point is either a vector of uniforms,
 *
 *     u = space coordinates, covariate coordinates, extra          (dim + extras numbers)
 *
 * or, for spherical bases, a vector g that is standard normal in law (one entry per input) with the extra
 * uniforms. The extra uniforms are for: tau of the space, tau of the covariates (bases that mix), the choice
 * of the size-biased coordinate (product bases, importance).
 *
 * Importance draws from |z|^2 mu / E|z|^2, |z| over the field's space of m inputs: the direction stays, the
 * norm moves from chi(m) to chi(m+2) at equal probability, and tau comes from its size-biased law. */
#ifndef ORFFI_SAMPLING_SHAPE_H
#define ORFFI_SAMPLING_SHAPE_H

#include "sampling/sampling.h"

typedef struct orffi_shape {
    const orffi_spectrum *law; /* borrowed */
    bool importance;
    size_t count; /* D */
    size_t extras;
    double moment;    /* E|z|^2 over the space, for importance */
    double log_gamma; /* log Gamma(m/2 + 1) */
} orffi_shape;

/* ORFF_ERROR_DOES_NOT_EXIST if importance is requested and E|z|^2 is infinite. */
orff_status orffi_shape_init(orffi_shape *shape, const orffi_spectrum *law, const orffi_recipe *recipe);

/* Both write omega (dim entries, in the order of the inputs; may be g itself) and return the weight q. */
double orffi_shape_uniforms(const orffi_shape *shape, const double *u, double *omega);
double orffi_shape_normal(const orffi_shape *shape, const double *g, const double *extra, double *omega);

/* For g without covariates: z = stretch g, where stretch depends on |g| and the extra uniforms; *q is the
 * weight. */
double orffi_shape_stretch(const orffi_shape *shape, double norm, const double *extra, double *q);

#endif
