/* How D frequencies are chosen for a law, with their weights q.
 *
 * Every scheme but grid works in two steps. The scheme produces standard points: for each frequency a vector
 * of uniforms, or a vector that is standard normal in law (orthogonal, hadamard). shape.c turns one standard
 * point into a frequency of the wanted law, by importance or not. A new scheme is one file and one line in
 * the list of orff.h. auto is qmc for up to 12 inputs, and above that orthogonal for spherical bases, else
 * iid. */
#ifndef ORFFI_SAMPLING_SAMPLING_H
#define ORFFI_SAMPLING_SAMPLING_H

#include "spectrum/spectrum.h"

typedef struct orffi_structured
    orffi_structured; /* hadamard blocks that are applied, not stored (hadamard.h) */

/* The result of a scheme. Either omega or structured is not NULL. */
typedef struct orffi_frequencies {
    size_t count, dim;
    double *omega;                /* count x dim, or NULL */
    double *weight;               /* count: q_j > 0 */
    orffi_structured *structured; /* or NULL */
    orff_scheme scheme;           /* the one used; auto is resolved */
    bool importance;
    double error;        /* grid: estimated largest error relative to |K(0)|; else 0 */
    bool extent_guessed; /* grid: no extent was given */
} orffi_frequencies;

/* The request to a scheme. */
typedef struct orffi_recipe {
    orff_scheme scheme;
    size_t count; /* D of this group; grid: the limit, 0: whatever the tolerance needs */
    uint64_t seed;
    uint32_t stream;      /* index of the group: groups are independent */
    bool importance;      /* draw from |z|^2 mu, with |z| over the field's space, whitened */
    bool gradient;        /* the blocks grow like |w|^2: grid must count their errors */
    const double *extent; /* largest |delta_i|, dim values, or NULL */
    double tolerance;
} orffi_recipe;

/* Fills *out (cleared on failure). Refuses schemes that the law does not allow, with the reason. */
orff_status orffi_frequencies_draw(orffi_frequencies *out, const orffi_spectrum *law,
                                   const orffi_recipe *recipe);
void orffi_frequencies_clear(orffi_frequencies *f);

/* Whether a scheme is a quadrature: its tolerance determines the number of frequencies, and they do not
 * depend on a seed. */
bool orffi_is_quadrature(orff_scheme scheme);

/* Whether drawing by importance works with this many inputs in the field's space. */
bool orffi_importance_serves(orff_scheme scheme, size_t space);

/* Row j (dim entries) of the frequencies, stored or structured. Can fail only for structured ones, if memory
 * runs out. */
orff_status orffi_frequencies_row(const orffi_frequencies *f, size_t j, double *omega);

/* Unscrambled Sobol (Joe-Kuo, Gray-code order) and Halton points, for dimensions below the limits. */
#define ORFFI_SOBOL_MAX_DIM  1024
#define ORFFI_HALTON_MAX_DIM 256
void orffi_sobol_point(uint32_t index, size_t dims, double *point);
void orffi_halton_point(uint64_t index, size_t dims, double *point);

#endif
