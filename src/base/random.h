/* Counter-based random numbers (Philox4x32-10, Salmon et al. 2011): every draw is a function of
 * (seed, stream, index, slot) alone, so results do not depend on order, threads or ranks. */
#ifndef ORFF_BASE_RANDOM_H
#define ORFF_BASE_RANDOM_H

#include <stdint.h>

/* Names one independent sequence: `stream` separates uses (one per kernel group and purpose), `index` the
 * items (frequency j, row i), `slot` the numbers within an item. */
typedef struct orff_rng {
    uint64_t seed;
    uint32_t stream;
} orff_rng;

/* The raw generator: 128 bits of counter, 64 of key. */
void orff_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

uint64_t orff_rng_bits(orff_rng rng, uint64_t index, uint32_t slot);

/* All in the open interval or the whole line; never 0, 1, infinite. */
double orff_rng_uniform(orff_rng rng, uint64_t index, uint32_t slot);             /* U(0,1) */
double orff_rng_normal(orff_rng rng, uint64_t index, uint32_t slot);              /* N(0,1) */
double orff_rng_gamma(orff_rng rng, uint64_t index, uint32_t slot, double shape); /* rate 1 */
double orff_rng_chi(orff_rng rng, uint64_t index, uint32_t slot, double dof);
double orff_rng_student(orff_rng rng, uint64_t index, uint32_t slot, double dof); /* uses slot and slot+1 */
double orff_rng_cauchy(orff_rng rng, uint64_t index, uint32_t slot);
double orff_rng_laplace(orff_rng rng, uint64_t index, uint32_t slot); /* density exp(-|x|)/2 */

/* Uniform integer in [0, n), n >= 1, without modulo bias beyond 2^-64 n. */
uint64_t orff_rng_below(orff_rng rng, uint64_t index, uint32_t slot, uint64_t n);

#endif
