/* Sobol points in Gray-code order: point j is the sum over the bits k of j ^ (j >> 1) of direction number
 * v_k, in arithmetic modulo 2 on 32 binary digits. */
#include <string.h>

#include "base/memory.h"
#include "sampling/qmc.h"
#include "sampling/sobol_table.h"

enum { BITS = 32 };

static size_t degree_of(uint16_t polynomial) {
    size_t degree = 0;
    while (polynomial >> (degree + 1)) degree++;
    return degree;
}

/* v_k for k < BITS of one dimension, first digit in the highest bit. For x^s + a_1 x^(s-1) + .. + 1:
 * v_k = a_1 v_(k-1) ^ .. ^ a_(s-1) v_(k-s+1) ^ v_(k-s) ^ (v_(k-s) >> s). Returns s. */
static size_t directions(uint16_t polynomial, const uint16_t *initial, uint32_t v[BITS]) {
    const size_t s = degree_of(polynomial);
    for (size_t k = 0; k < BITS; k++) {
        if (s == 0 || k < s) {
            v[k] = (uint32_t)(s ? initial[k] : 1) << (BITS - 1 - k);
            continue;
        }
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (size_t i = 1; i < s; i++)
            if (polynomial >> (s - i) & 1) v[k] ^= v[k - i];
    }
    return s;
}

static uint32_t digits(const uint32_t v[BITS], uint32_t index) {
    uint32_t x = 0;
    for (uint32_t gray = index ^ (index >> 1); gray; gray &= gray - 1) x ^= v[__builtin_ctz(gray)];
    return x;
}

void orffi_sobol_point(uint32_t index, size_t dims, double *point) {
    const uint16_t *initial = initial_numbers;
    uint32_t v[BITS];
    for (size_t i = 0; i < dims; i++) {
        initial += directions(polynomials[i], initial, v);
        point[i] = (double)digits(v, index) * 0x1p-32;
    }
}

/* v_k = L v_k, L lower triangular with unit diagonal: digit r becomes a sum of digits 0 .. r. */
static void scramble_matrix(orffi_rng rng, size_t dimension, uint32_t v[BITS]) {
    uint32_t rows[BITS];
    for (uint32_t r = 0; r < BITS; r++) {
        const uint32_t diagonal = (uint32_t)1 << (BITS - 1 - r), before = ~(diagonal | (diagonal - 1));
        rows[r] = diagonal | ((uint32_t)orffi_rng_bits(rng, dimension, r) & before);
    }
    for (size_t k = 0; k < BITS; k++) {
        uint32_t mixed = 0;
        for (size_t r = 0; r < BITS; r++) mixed = mixed << 1 | (uint32_t)__builtin_parity(rows[r] & v[k]);
        v[k] = mixed;
    }
}

orff_status orffi_sobol_init(orffi_sobol *sobol, size_t dims, orffi_rng scramble, orffi_rng fine) {
    *sobol = (orffi_sobol){.dims = dims, .fine = fine};
    orff_status status = ORFFI_NEW_ARRAY(sobol->direction, dims * BITS);
    if (!status) status = ORFFI_NEW_ARRAY(sobol->shift, dims);
    const uint16_t *initial = initial_numbers;
    for (size_t i = 0; !status && i < dims; i++) {
        uint32_t *v = sobol->direction + i * BITS;
        initial += directions(polynomials[i], initial, v);
        scramble_matrix(scramble, i, v);
        sobol->shift[i] = (uint32_t)orffi_rng_bits(scramble, i, BITS);
    }
    if (status) orffi_sobol_clear(sobol);
    return status;
}

void orffi_sobol_clear(orffi_sobol *sobol) {
    orffi_release(sobol->direction);
    orffi_release(sobol->shift);
    memset(sobol, 0, sizeof *sobol);
}

/* 32 digits of the sequence, 20 random ones and a final 1, which keeps the point away from 0 and 1: 53
 * bits. */
void orffi_sobol_scrambled(const orffi_sobol *sobol, uint32_t index, double *u) {
    for (size_t i = 0; i < sobol->dims; i++) {
        const uint32_t high = digits(sobol->direction + i * BITS, index) ^ sobol->shift[i];
        const uint64_t low = orffi_rng_bits(sobol->fine, index, (uint32_t)i) >> 44;
        u[i] = (double)((uint64_t)high << 21 | low << 1 | 1) * 0x1p-53;
    }
}
