/* Shared by the schemes: their interface, random streams, and the loop over frequencies. */
#ifndef ORFFI_SAMPLING_SCHEME_H
#define ORFFI_SAMPLING_SCHEME_H

#include "base/random.h"
#include "sampling/shape.h"

/* A scheme sets count, omega or structured, and weight of *out; the caller clears *out on failure. */
typedef orff_status orffi_scheme_draw(orffi_frequencies *out, const orffi_spectrum *law,
                                      const orffi_recipe *recipe);

/* One scheme: one line in the list of orff.h, and a file with its orffi_scheme. */
typedef struct orffi_scheme {
    orffi_scheme_draw *draw; /* NULL: auto, which is resolved before drawing */
    bool spherical_only;     /* needs a base whose law depends on |w| alone */
    bool quadrature; /* weights of a rule, not draws: they need no seed, and there may be fewer than
                        requested */
    bool around_0;   /* cannot draw laws with a centre other than 0, those of waves */
    size_t least_space; /* fewest inputs of a field's space for importance sampling: on fewer, rows of a block
                           can vanish, and their weights would be unbounded */
} orffi_scheme;

#define ORFFI_SCHEME_DECLARE(name, file, text) extern const orffi_scheme orffi_scheme_##file;
ORFF_SCHEME_LIST(ORFFI_SCHEME_DECLARE)
#undef ORFFI_SCHEME_DECLARE

/* The uses of random numbers in a scheme: one stream each, in every group. */
typedef enum orffi_purpose {
    ORFFI_DRAW_POINT = 1, /* uniforms or normals of the point itself */
    ORFFI_DRAW_EXTRA,     /* the extra uniforms of shape.h for a normal vector */
    ORFFI_DRAW_RADIUS,    /* chi radii */
    ORFFI_DRAW_SIGN,      /* Hadamard signs */
    ORFFI_DRAW_SCRAMBLE,  /* scrambling matrices and permutations */
    ORFFI_DRAW_FINE,      /* digits of a low-discrepancy point below the scrambled ones */
} orffi_purpose;

orffi_rng orffi_recipe_rng(const orffi_recipe *recipe, orffi_purpose purpose);

/* Allocates recipe->count frequencies, stored. */
orff_status orffi_frequencies_allocate(orffi_frequencies *out, const orffi_spectrum *law,
                                       const orffi_recipe *recipe);

/* Writes the uniforms of point j (dim + extras numbers). */
typedef void orffi_point_fn(const void *self, size_t j, double *u);

/* Allocates, then shapes all points in parallel. */
orff_status orffi_frequencies_fill(orffi_frequencies *out, const orffi_shape *shape,
                                   const orffi_recipe *recipe, orffi_point_fn *point, const void *self);

/* The extra uniforms of frequency j. */
void orffi_shape_extra(const orffi_shape *shape, orffi_rng rng, size_t j, double *extra);
#define ORFFI_SHAPE_MAX_EXTRAS 2

#endif
