/* Counter-based random numbers (Philox4x32-10, Salmon et al. 2011): every draw is a function of
 * (seed, stream, index, slot) alone, so results do not depend on order, threads or ranks. */
#ifndef ORFFI_BASE_RANDOM_H
#define ORFFI_BASE_RANDOM_H

#include <stdint.h>

/* Identifies one independent sequence: `stream` separates uses (one per kernel group and purpose), `index`
 * the items (frequency j, row i), `slot` the numbers within an item. */
typedef struct orffi_rng {
    uint64_t seed;
    uint32_t stream;
} orffi_rng;

/* The raw generator: 128 bits of counter, 64 of key. */
void orffi_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

uint64_t orffi_rng_bits(orffi_rng rng, uint64_t index, uint32_t slot);

/* The uniform lies in the open interval; all others are finite. */
double orffi_rng_uniform(orffi_rng rng, uint64_t index, uint32_t slot);             /* U(0,1) */
double orffi_rng_normal(orffi_rng rng, uint64_t index, uint32_t slot);              /* N(0,1) */
double orffi_rng_gamma(orffi_rng rng, uint64_t index, uint32_t slot, double shape); /* rate 1 */
double orffi_rng_chi(orffi_rng rng, uint64_t index, uint32_t slot, double dof);

/* Uniform integer in [0, n), n >= 1, without modulo bias beyond 2^-64 n. */
uint64_t orffi_rng_below(orffi_rng rng, uint64_t index, uint32_t slot, uint64_t n);

#endif
