#include "base/random.h"

#include <float.h>
#include <math.h>

#include "base/special.h"

/* One round: two 32 x 32 -> 64 bit products, their high halves mixed with the other words and the key. */
static void philox_round(uint32_t c[4], uint32_t key0, uint32_t key1) {
    const uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
    c[0] = (uint32_t)(b >> 32) ^ c[1] ^ key0;
    c[1] = (uint32_t)b;
    c[2] = (uint32_t)(a >> 32) ^ c[3] ^ key1;
    c[3] = (uint32_t)a;
}

/* The keys advance by the fractions of the golden ratio and of sqrt(3). */
void orffi_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t key0 = key[0], key1 = key[1];
    for (int round = 0; round < 10; round++) {
        philox_round(c, key0, key1);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    for (int i = 0; i < 4; i++) out[i] = c[i];
}

uint64_t orffi_rng_bits(orffi_rng rng, uint64_t index, uint32_t slot) {
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), slot, rng.stream};
    const uint32_t key[2] = {(uint32_t)rng.seed, (uint32_t)(rng.seed >> 32)};
    uint32_t out[4];
    orffi_philox(counter, key, out);
    return out[0] | (uint64_t)out[1] << 32;
}

/* The top 52 bits and a half: the midpoints of 2^52 equal cells, symmetric about 1/2 and never 0 or 1. */
double orffi_rng_uniform(orffi_rng rng, uint64_t index, uint32_t slot) {
    return ((double)(orffi_rng_bits(rng, index, slot) >> 12) + 0.5) * 0x1p-52;
}

double orffi_rng_normal(orffi_rng rng, uint64_t index, uint32_t slot) {
    return orffi_normal_quantile(orffi_rng_uniform(rng, index, slot));
}

/* A small shape puts much of its mass below the smallest double: the result is then DBL_MIN. */
double orffi_rng_gamma(orffi_rng rng, uint64_t index, uint32_t slot, double shape) {
    return fmax(orffi_gamma_quantile(shape, orffi_rng_uniform(rng, index, slot)), DBL_MIN);
}

double orffi_rng_chi(orffi_rng rng, uint64_t index, uint32_t slot, double dof) {
    return sqrt(2 * orffi_rng_gamma(rng, index, slot, 0.5 * dof));
}

/* floor(bits n / 2^64), the 128-bit product by 32-bit halves. */
uint64_t orffi_rng_below(orffi_rng rng, uint64_t index, uint32_t slot, uint64_t n) {
    const uint64_t bits = orffi_rng_bits(rng, index, slot), low = 0xffffffffu;
    const uint64_t cross = (bits >> 32) * (n & low) + ((bits & low) * (n & low) >> 32);
    return (bits >> 32) * (n >> 32) + (cross >> 32) + (((cross & low) + (bits & low) * (n >> 32)) >> 32);
}
