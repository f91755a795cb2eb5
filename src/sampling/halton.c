/* Halton points: coordinate i of point j has the digits of j in the base of the i-th prime, mirrored at the
 * radix point. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "sampling/qmc.h"

/* The next prime after p >= 2. */
static uint32_t next_prime(uint32_t p) {
    for (uint32_t candidate = p + 1;; candidate++) {
        uint32_t divisor = 2;
        while (divisor * divisor <= candidate && candidate % divisor) divisor++;
        if (divisor * divisor > candidate) return candidate;
    }
}

static void first_primes(size_t count, uint32_t *primes) {
    for (size_t i = 0; i < count; i++) primes[i] = i ? next_prime(primes[i - 1]) : 2;
}

/* How many digits in base b a double can hold: the largest k with b^k <= 2^52. */
static size_t digit_count(uint32_t base) {
    size_t count = 0;
    for (uint64_t power = base; power <= (uint64_t)1 << 52; power *= base) count++;
    return count;
}

void orffi_halton_point(uint64_t index, size_t dims, double *point) {
    uint32_t primes[ORFFI_HALTON_MAX_DIM];
    first_primes(dims, primes);
    for (size_t i = 0; i < dims; i++) {
        const uint32_t base = primes[i];
        uint64_t mirrored = 0;
        double scale = 1.0;
        for (uint64_t rest = index; rest; rest /= base, scale *= base)
            mirrored = mirrored * base + rest % base;
        point[i] = (double)mirrored / scale;
    }
}

/* A random permutation of 0 .. base-1 (Fisher-Yates). */
static void permute(orffi_rng rng, size_t dimension, size_t digit, uint32_t base, uint16_t *p) {
    for (uint32_t k = 0; k < base; k++) {
        const uint32_t slot = (uint32_t)digit * base + k;
        const uint64_t other = orffi_rng_below(rng, dimension, slot, k + 1);
        p[k] = p[other];
        p[other] = (uint16_t)k;
    }
}

static orff_status permute_digits(uint16_t **out, orffi_rng rng, size_t dimension, uint32_t base) {
    const size_t digits = digit_count(base);
    ORFFI_TRY(ORFFI_NEW_ARRAY(*out, digits * base));
    for (size_t k = 0; k < digits; k++) permute(rng, dimension, k, base, *out + k * base);
    return ORFF_OK;
}

orff_status orffi_halton_init(orffi_halton *halton, size_t dims, orffi_rng scramble, orffi_rng fine) {
    *halton = (orffi_halton){.dims = dims, .fine = fine};
    first_primes(dims, halton->base);
    orff_status status = ORFFI_NEW_ARRAY(halton->permutation, dims);
    for (size_t i = 0; !status && i < dims; i++)
        status = permute_digits(&halton->permutation[i], scramble, i, halton->base[i]);
    if (status) orffi_halton_clear(halton);
    return status;
}

void orffi_halton_clear(orffi_halton *halton) {
    for (size_t i = 0; halton->permutation && i < halton->dims; i++) orffi_release(halton->permutation[i]);
    orffi_release(halton->permutation);
    memset(halton, 0, sizeof *halton);
}

/* Permutes all digits, including the leading zeros of the index; the digits below are uniform. */
void orffi_halton_scrambled(const orffi_halton *halton, uint64_t index, double *u) {
    for (size_t i = 0; i < halton->dims; i++) {
        const uint32_t base = halton->base[i];
        const size_t digits = digit_count(base);
        uint64_t mirrored = 0, rest = index;
        double scale = 1.0;
        for (size_t k = 0; k < digits; k++, rest /= base, scale *= base)
            mirrored = mirrored * base + halton->permutation[i][k * base + rest % base];
        u[i] = ((double)mirrored + orffi_rng_uniform(halton->fine, index, (uint32_t)i)) / scale;
        u[i] = fmin(fmax(u[i], 0x1p-60), 1.0 - 0x1p-53);
    }
}
