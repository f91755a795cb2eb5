/* How D frequencies are chosen for a law, and their weights q.
 *
 * Every scheme but grid works in two steps. The scheme gives standard points: for each frequency a vector of
 * uniforms, or a vector that is standard normal in law (orthogonal, hadamard). shape.c turns one standard
 * point into a frequency of the wanted law, by importance or not. A new scheme is one file and one line in
 * the table. auto is qmc for up to 12 inputs, beyond that orthogonal where the base is spherical, else iid.
 */
#ifndef ORFFI_SAMPLING_SAMPLING_H
#define ORFFI_SAMPLING_SAMPLING_H

#include "spectrum/spectrum.h"

typedef struct orffi_structured
    orffi_structured; /* hadamard blocks that are applied, not stored (hadamard.h) */

/* What a scheme returns. Either omega or structured is there. */
typedef struct orffi_frequencies {
    size_t count, dim;
    double *omega;                /* count x dim, or NULL */
    double *weight;               /* count: q_j > 0 */
    orffi_structured *structured; /* or NULL */
    orff_scheme scheme;           /* what auto chose */
    bool importance;
    double error;        /* grid: estimated largest error relative to |K(0)|; else 0 */
    bool extent_guessed; /* grid: no extent was given */
} orffi_frequencies;

/* What is asked of a scheme. */
typedef struct orffi_recipe {
    orff_scheme scheme;
    size_t count; /* D of this group; grid: at most, 0: as the tolerance says */
    uint64_t seed;
    uint32_t stream;      /* group number: groups are independent */
    bool importance;      /* draw from |z|^2 mu, |z| over the field's space, whitened */
    bool gradient;        /* the blocks grow like |w|^2: what grid's error must count */
    const double *extent; /* widest |delta_i|, dim values, or NULL */
    double tolerance;
} orffi_recipe;

/* Fill *out (cleared on failure). Refuses schemes that the law does not allow, with the reason. */
orff_status orffi_frequencies_draw(orffi_frequencies *out, const orffi_spectrum *law,
                                   const orffi_recipe *recipe);
void orffi_frequencies_clear(orffi_frequencies *f);

/* Whether a scheme gives a quadrature: as many frequencies as its tolerance takes, which no seed finds again. */
bool orffi_is_quadrature(orff_scheme scheme);

/* Whether drawing by importance serves so many inputs of a field's space. */
bool orffi_importance_serves(orff_scheme scheme, size_t space);

/* Row j (dim entries) of the frequencies, stored or structured. Fails only for want of memory, and only when
 * structured. */
orff_status orffi_frequencies_row(const orffi_frequencies *f, size_t j, double *omega);

/* Unscrambled Sobol (Joe-Kuo, Gray-code order) and Halton points, for dimensions below the limits. */
#define ORFFI_SOBOL_MAX_DIM  1024
#define ORFFI_HALTON_MAX_DIM 256
void orffi_sobol_point(uint32_t index, size_t dims, double *point);
void orffi_halton_point(uint64_t index, size_t dims, double *point);

#endif
