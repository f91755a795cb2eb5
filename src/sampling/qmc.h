/* Scrambled low-discrepancy points in the open unit cube. Point j is a function of (rng, j): not of how many
 * points there are. */
#ifndef ORFF_SAMPLING_QMC_H
#define ORFF_SAMPLING_QMC_H

#include "base/random.h"
#include "sampling/sampling.h"

/* Sobol points, scrambled by a random lower triangular bit matrix and a digital shift per dimension. */
typedef struct orff_sobol {
    size_t dims;
    uint32_t *direction; /* dims x 32, scrambled */
    uint32_t *shift;     /* dims */
    orff_rng fine;       /* digits below 2^-32 */
} orff_sobol;

orff_status orff_sobol_init(orff_sobol *sobol, size_t dims, orff_rng scramble, orff_rng fine);
void orff_sobol_clear(orff_sobol *sobol);
void orff_sobol_scrambled(const orff_sobol *sobol, uint32_t index, double *u);

/* Halton points, every digit of every dimension by a random permutation of its own. */
typedef struct orff_halton {
    size_t dims;
    uint32_t base[ORFF_HALTON_MAX_DIM]; /* the first dims primes */
    uint16_t **permutation;             /* per dimension: digits x base, in one piece */
    orff_rng fine;                      /* digits below the permuted ones */
} orff_halton;

orff_status orff_halton_init(orff_halton *halton, size_t dims, orff_rng scramble, orff_rng fine);
void orff_halton_clear(orff_halton *halton);
void orff_halton_scrambled(const orff_halton *halton, uint64_t index, double *u);

#endif
