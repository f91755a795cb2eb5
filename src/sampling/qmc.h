/* Scrambled low-discrepancy points in the open unit cube. Point j depends on (rng, j) alone, not on the
 * number of points. */
#ifndef ORFFI_SAMPLING_QMC_H
#define ORFFI_SAMPLING_QMC_H

#include "base/random.h"
#include "sampling/sampling.h"

/* Sobol points, scrambled by a random lower triangular bit matrix and a digital shift per dimension. */
typedef struct orffi_sobol {
    size_t dims;
    uint32_t *direction; /* dims x 32, scrambled */
    uint32_t *shift;     /* dims */
    orffi_rng fine;      /* digits below 2^-32 */
} orffi_sobol;

orff_status orffi_sobol_init(orffi_sobol *sobol, size_t dims, orffi_rng scramble, orffi_rng fine);
void orffi_sobol_clear(orffi_sobol *sobol);
void orffi_sobol_scrambled(const orffi_sobol *sobol, uint32_t index, double *u);

/* Halton points, with a random permutation for every digit of every dimension. */
typedef struct orffi_halton {
    size_t dims;
    uint32_t base[ORFFI_HALTON_MAX_DIM]; /* the first dims primes */
    uint16_t **permutation;              /* per dimension: digits x base, in one allocation */
    orffi_rng fine;                      /* digits below the permuted ones */
} orffi_halton;

orff_status orffi_halton_init(orffi_halton *halton, size_t dims, orffi_rng scramble, orffi_rng fine);
void orffi_halton_clear(orffi_halton *halton);
void orffi_halton_scrambled(const orffi_halton *halton, uint64_t index, double *u);

#endif
