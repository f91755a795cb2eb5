/* The generator against published results, and the laws against their distribution functions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/special.h"
#include "support.h"

enum { DRAWS = 20000 };

static void philox_known_answers(void **state) {
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], want[4];
    } table[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint32_t got[4];
        orffi_philox(table[i].counter, table[i].key, got);
        assert_memory_equal(got, table[i].want, sizeof got);
    }
}

/* Seed, stream, index and slot each reach the generator in full: a bit anywhere changes the draw. */
static void every_bit_counts(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 42, .stream = 7};
    const uint64_t here = orffi_rng_bits(rng, 1000, 3);
    for (int bit = 0; bit < 64; bit++) {
        const uint64_t flip = (uint64_t)1 << bit;
        const orffi_rng reseeded = {.seed = 42 ^ flip, .stream = 7};
        assert_true(orffi_rng_bits(reseeded, 1000, 3) != here);
        assert_true(orffi_rng_bits(rng, 1000 ^ flip, 3) != here);
        if (bit >= 32) continue;
        const orffi_rng other = {.seed = 42, .stream = 7 ^ (uint32_t)flip};
        assert_true(orffi_rng_bits(other, 1000, 3) != here);
        assert_true(orffi_rng_bits(rng, 1000, 3 ^ (uint32_t)flip) != here);
    }
}

static void order_does_not_matter(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 5, .stream = 1};
    double forward[100];
    for (uint64_t i = 0; i < 100; i++) forward[i] = orffi_rng_normal(rng, i, 0);
    for (uint64_t i = 100; i-- > 0;) assert_true(orffi_rng_normal(rng, i, 0) == forward[i]);
}

/* Neighbouring seeds, streams, slots and indices are uncorrelated: r sqrt(n) is nearly N(0,1). */
static void neighbours_are_uncorrelated(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 9, .stream = 2}, stream = {.seed = 9, .stream = 3},
                    seed = {.seed = 10, .stream = 2};
    double sums[4] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        const double here = orffi_rng_normal(rng, i, 0);
        sums[0] += here * orffi_rng_normal(stream, i, 0);
        sums[1] += here * orffi_rng_normal(seed, i, 0);
        sums[2] += here * orffi_rng_normal(rng, i, 1);
        sums[3] += here * orffi_rng_normal(rng, i + 1, 0);
    }
    for (int k = 0; k < 4; k++) assert_true(fabs(sums[k]) < 3.5 * sqrt(DRAWS));
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef double draw_fn(orffi_rng rng, uint64_t index, uint32_t slot, double parameter);
typedef double cdf_fn(double x, double parameter);

/* Kolmogorov and Smirnov: sqrt(n) sup |F_n - F| exceeds 1.95 once in a thousand. */
static void check_law(const char *name, draw_fn *draw, cdf_fn *cdf, double parameter) {
    double *x = malloc(DRAWS * sizeof *x), worst = 0;
    assert_non_null(x);
    const orffi_rng rng = {.seed = 2024, .stream = 11};
    for (uint64_t i = 0; i < DRAWS; i++) x[i] = draw(rng, i, 4, parameter);
    qsort(x, DRAWS, sizeof *x, by_value);
    for (int i = 0; i < DRAWS; i++) {
        const double F = cdf(x[i], parameter);
        worst = fmax(worst, fmax(fabs(F - (double)i / DRAWS), fabs((i + 1.0) / DRAWS - F)));
    }
    if (!(isfinite(x[0]) && isfinite(x[DRAWS - 1])))
        fail_msg("%s(%g): a draw is not finite", name, parameter);
    free(x);
    if (!(worst * sqrt(DRAWS) < 1.95)) fail_msg("%s(%g): distance %g", name, parameter, worst * sqrt(DRAWS));
}

static double draw_uniform(orffi_rng rng, uint64_t index, uint32_t slot, double parameter) {
    (void)parameter;
    return orffi_rng_uniform(rng, index, slot);
}

static double draw_normal(orffi_rng rng, uint64_t index, uint32_t slot, double parameter) {
    (void)parameter;
    return orffi_rng_normal(rng, index, slot);
}

static double cdf_uniform(double x, double parameter) {
    (void)parameter;
    return x;
}

static double cdf_normal(double x, double parameter) {
    (void)parameter;
    return orffi_normal_cdf(x);
}

static double cdf_gamma(double x, double shape) {
    return orffi_gamma_p(shape, x);
}

static double cdf_chi(double x, double dof) {
    return dof == 2 ? -expm1(-0.5 * x * x) : orffi_chi_cdf(dof, x);
}

static void plain_laws(void **state) {
    (void)state;
    check_law("uniform", draw_uniform, cdf_uniform, 0);
    check_law("normal", draw_normal, cdf_normal, 0);
}

static void laws_with_a_parameter(void **state) {
    (void)state;
    static const double shapes[] = {0.2, 0.5, 1, 3.7, 40, 1000};
    for (size_t i = 0; i < 6; i++) check_law("gamma", orffi_rng_gamma, cdf_gamma, shapes[i]);
    for (size_t i = 0; i < 6; i++) check_law("chi", orffi_rng_chi, cdf_chi, 2 * shapes[i]);
}

/* A draw is the quantile of its uniform number: the distribution function gives that number back. */
static void draws_are_quantiles(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 31, .stream = 4};
    for (uint64_t i = 0; i < 2000; i++) {
        const double u = orffi_rng_uniform(rng, i, 0);
        assert_close(cdf_normal(orffi_rng_normal(rng, i, 0), 0), u, 1e-14);
        assert_close(cdf_gamma(orffi_rng_gamma(rng, i, 0, 1.7), 1.7), u, 1e-13);
        assert_close(cdf_chi(orffi_rng_chi(rng, i, 0, 2), 2), u, 1e-13);
    }
}

/* Mean and variance of laws that have them, within four standard errors. */
static void moments(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 77, .stream = 0};
    double normal = 0, square = 0, gamma = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        const double z = orffi_rng_normal(rng, i, 0);
        normal += z;
        square += z * z;
        gamma += orffi_rng_gamma(rng, i, 2, 2.5);
    }
    const double n = DRAWS;
    assert_true(fabs(normal / n) < 4 / sqrt(n));
    assert_true(fabs(square / n - 1) < 4 * sqrt(2 / n));
    assert_true(fabs(gamma / n - 2.5) < 4 * sqrt(2.5 / n));
}

/* A law whose draws mostly lie under the smallest double still gives positive finite numbers. */
static void tiny_shapes_stay_positive(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 1, .stream = 1};
    for (uint64_t i = 0; i < 2000; i++) {
        const double g = orffi_rng_gamma(rng, i, 0, 0.001);
        assert_true(g > 0 && isfinite(g) && orffi_rng_chi(rng, i, 0, 0.002) > 0);
    }
}

static void below_is_even(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 3, .stream = 8};
    double count[7] = {0}, chi2 = 0;
    for (uint64_t i = 0; i < DRAWS; i++) count[orffi_rng_below(rng, i, 0, 7)]++;
    for (int k = 0; k < 7; k++) chi2 += pow(count[k] - DRAWS / 7.0, 2) / (DRAWS / 7.0);
    assert_true(orffi_gamma_q(3, 0.5 * chi2) > 1e-3);
    for (uint64_t i = 0; i < 100; i++) {
        const uint64_t bits = orffi_rng_bits(rng, i, 5);
        assert_true(orffi_rng_below(rng, i, 5, 1) == 0);
        assert_true(orffi_rng_below(rng, i, 5, (uint64_t)1 << 63) == bits >> 1);
        assert_true(orffi_rng_below(rng, i, 5, (uint64_t)1 << 20) == bits >> 44);
        /* bits (2^64 - 1) / 2^64, rounded down */
        assert_true(orffi_rng_below(rng, i, 5, UINT64_MAX) == bits - (bits > 0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_known_answers),
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(neighbours_are_uncorrelated),
        cmocka_unit_test(plain_laws),
        cmocka_unit_test(laws_with_a_parameter),
        cmocka_unit_test(draws_are_quantiles),
        cmocka_unit_test(moments),
        cmocka_unit_test(tiny_shapes_stay_positive),
        cmocka_unit_test(below_is_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
