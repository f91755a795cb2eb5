/* What the schemes share: how a scheme is called, its random streams, and the loop over frequencies. */
#ifndef ORFFI_SAMPLING_SCHEME_H
#define ORFFI_SAMPLING_SCHEME_H

#include "base/random.h"
#include "sampling/shape.h"

/* A scheme fills count, omega or structured, and weight of *out; the caller clears *out when it fails. */
typedef orff_status orffi_scheme_draw(orffi_frequencies *out, const orffi_spectrum *law,
                                      const orffi_recipe *recipe);

/* One scheme: one line in the list of orff.h, and a file with its orffi_scheme. */
typedef struct orffi_scheme {
    orffi_scheme_draw *draw; /* NULL: auto, which is never drawn */
    bool spherical_only;     /* needs a base whose law depends on |w| alone */
    bool quadrature; /* weights of a rule, not draws: they need no seed, and may be fewer than asked for */
    bool around_0;   /* it does not draw the laws of waves, which have another centre */
    size_t least_space; /* inputs of a field's space that importance serves: rows of a block can vanish on a smaller one, and
                           their weights would be unbounded */
} orffi_scheme;

#define ORFFI_SCHEME_DECLARE(name, file, text) extern const orffi_scheme orffi_scheme_##file;
ORFF_SCHEME_LIST(ORFFI_SCHEME_DECLARE)
#undef ORFFI_SCHEME_DECLARE

/* The uses a scheme has for random numbers: one stream each, in every group. */
typedef enum orffi_purpose {
    ORFFI_DRAW_POINT = 1, /* uniforms or normals of the point itself */
    ORFFI_DRAW_EXTRA,     /* the extra uniforms of shape.h beside a normal vector */
    ORFFI_DRAW_RADIUS,    /* chi radii */
    ORFFI_DRAW_SIGN,      /* Hadamard signs */
    ORFFI_DRAW_SCRAMBLE,  /* scrambling matrices and permutations */
    ORFFI_DRAW_FINE,      /* digits below those of a low-discrepancy point */
} orffi_purpose;

orffi_rng orffi_recipe_rng(const orffi_recipe *recipe, orffi_purpose purpose);

/* Room for recipe->count frequencies, stored. */
orff_status orffi_frequencies_allocate(orffi_frequencies *out, const orffi_spectrum *law,
                                       const orffi_recipe *recipe);

/* The uniforms of point j (dim + extras numbers). */
typedef void orffi_point_fn(const void *self, size_t j, double *u);

/* Allocate, and shape the points of all j in parallel. */
orff_status orffi_frequencies_fill(orffi_frequencies *out, const orffi_shape *shape,
                                   const orffi_recipe *recipe, orffi_point_fn *point, const void *self);

/* The extra uniforms of frequency j. */
void orffi_shape_extra(const orffi_shape *shape, orffi_rng rng, size_t j, double *extra);
#define ORFFI_SHAPE_MAX_EXTRAS 2

#endif
