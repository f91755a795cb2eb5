/* What the schemes share: how a scheme is called, its random streams, and the loop over frequencies. */
#ifndef ORFF_SAMPLING_SCHEME_H
#define ORFF_SAMPLING_SCHEME_H

#include "base/random.h"
#include "sampling/shape.h"

/* A scheme fills count, omega or structured, and weight of *out; the caller clears *out when it fails. */
typedef orff_status orff_scheme_draw(orff_frequencies *out, const orff_spectrum *law,
                                     const orff_recipe *recipe);

orff_scheme_draw orff_draw_iid;
orff_scheme_draw orff_draw_orthogonal;
orff_scheme_draw orff_draw_sobol;
orff_scheme_draw orff_draw_halton;
orff_scheme_draw orff_draw_hadamard;
orff_scheme_draw orff_draw_grid;

/* The uses a scheme has for random numbers: one stream each, in every group. */
typedef enum orff_purpose {
    ORFF_DRAW_POINT = 1, /* uniforms or normals of the point itself */
    ORFF_DRAW_EXTRA,     /* the extra uniforms of shape.h beside a normal vector */
    ORFF_DRAW_RADIUS,    /* chi radii */
    ORFF_DRAW_SIGN,      /* Hadamard signs */
    ORFF_DRAW_SCRAMBLE,  /* scrambling matrices and permutations */
    ORFF_DRAW_FINE,      /* digits below those of a low-discrepancy point */
} orff_purpose;

orff_rng orff_recipe_rng(const orff_recipe *recipe, orff_purpose purpose);

/* Room for recipe->count frequencies, stored. */
orff_status orff_frequencies_allocate(orff_frequencies *out, const orff_spectrum *law,
                                      const orff_recipe *recipe);

/* The uniforms of point j (dim + extras numbers). */
typedef void orff_point_fn(const void *self, size_t j, double *u);

/* Allocate, and shape the points of all j in parallel. */
orff_status orff_frequencies_fill(orff_frequencies *out, const orff_shape *shape, const orff_recipe *recipe,
                                  orff_point_fn *point, const void *self);

/* The extra uniforms of frequency j. */
void orff_shape_extra(const orff_shape *shape, orff_rng rng, size_t j, double *extra);
#define ORFF_SHAPE_MAX_EXTRAS 2

#endif
