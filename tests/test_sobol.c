/* Low-discrepancy points: golden points unscrambled; stratification and uniformity when scrambled. */
#include <math.h>
#include <stdlib.h>

#include "sampling/qmc.h"
#include "support.h"

static void check_golden(const char *name, bool sobol) {
    json_t *root = support_load(name);
    for (size_t k = 0; k < json_array_size(root); k++) {
        const json_t *entry = json_array_get(root, k);
        const size_t index = support_size(entry, "index");
        size_t dims;
        double *want = support_array(support_member(entry, "point"), &dims), *got = calloc(dims, sizeof *got);
        if (sobol)
            orffi_sobol_point((uint32_t)index, dims, got);
        else
            orffi_halton_point(index, dims, got);
        support_case("%s, index %zu", name, index);
        assert_all_close(dims, got, want, sobol ? 0.0 : 1e-15);
        free(want);
        free(got);
    }
    json_decref(root);
}

static void test_golden(void **state) {
    (void)state;
    check_golden("golden/sobol_joe_kuo.json", true);
    check_golden("golden/halton.json", false);
}

/* Every one of `cells` equal intervals holds exactly one of the first `cells` points. */
static void check_strata(size_t cells, const double *u, size_t stride) {
    unsigned char *hit = calloc(cells, 1);
    for (size_t j = 0; j < cells; j++) {
        const double x = u[j * stride];
        assert_true(x > 0.0 && x < 1.0);
        const size_t cell = (size_t)(x * (double)cells);
        assert_int_equal(hit[cell], 0);
        hit[cell] = 1;
    }
    free(hit);
}

static void test_unscrambled_sobol_strata(void **state) {
    (void)state;
    enum { COUNT = 64, DIMS = ORFFI_SOBOL_MAX_DIM };
    double *u = calloc((size_t)COUNT * DIMS, sizeof *u);
    for (uint32_t j = 0; j < COUNT; j++) orffi_sobol_point(j, DIMS, u + j * DIMS);
    for (size_t i = 0; i < (size_t)COUNT * DIMS; i++) u[i] += 0.25 / COUNT; /* off the cell borders */
    for (size_t i = 0; i < DIMS; i++) check_strata(COUNT, u + i, DIMS);
    free(u);
}

static void test_scrambled_sobol(void **state) {
    (void)state;
    enum { COUNT = 256, DIMS = ORFFI_SOBOL_MAX_DIM };
    double *u = calloc((size_t)COUNT * DIMS, sizeof *u);
    orffi_sobol sobol;
    assert_ok(orffi_sobol_init(&sobol, DIMS, (orffi_rng){7, 1}, (orffi_rng){7, 2}));
    for (uint32_t j = 0; j < COUNT; j++) orffi_sobol_scrambled(&sobol, j, u + j * DIMS);
    for (size_t i = 0; i < DIMS; i++)
        for (size_t cells = 2; cells <= COUNT; cells *= 2) check_strata(cells, u + i, DIMS);
    orffi_sobol_clear(&sobol);
    free(u);
}

/* The first two dimensions are a (0,2)-sequence and stay one: 16 points in every 16 boxes 2^-a x 2^-(4-a). */
static void test_scrambled_sobol_boxes(void **state) {
    (void)state;
    orffi_sobol sobol;
    assert_ok(orffi_sobol_init(&sobol, 2, (orffi_rng){11, 1}, (orffi_rng){11, 2}));
    for (unsigned a = 0; a <= 4; a++) {
        unsigned hit = 0;
        for (uint32_t j = 0; j < 16; j++) {
            double u[2];
            orffi_sobol_scrambled(&sobol, j, u);
            const unsigned x = (unsigned)(u[0] * (1u << a)), y = (unsigned)(u[1] * (16u >> a));
            hit |= 1u << (x * (16u >> a) + y);
        }
        assert_int_equal(hit, 0xffff);
    }
    orffi_sobol_clear(&sobol);
}

static void test_scrambled_halton(void **state) {
    (void)state;
    static const size_t cells[5] = {128, 81, 125, 49, 121}; /* powers of the bases */
    double u[128 * 5];
    orffi_halton halton;
    assert_ok(orffi_halton_init(&halton, 5, (orffi_rng){7, 1}, (orffi_rng){7, 2}));
    for (uint64_t j = 0; j < 128; j++) orffi_halton_scrambled(&halton, j, u + j * 5);
    for (size_t i = 0; i < 5; i++) check_strata(cells[i], u + i, 5);
    orffi_halton_clear(&halton);
}

/* One point is uniform over the seeds: mean 1/2, variance 1/12. */
static void test_scrambles_are_uniform(void **state) {
    (void)state;
    enum { SEEDS = 4000 };
    double sum[2] = {0}, square[2] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double u[3];
        orffi_sobol sobol;
        orffi_halton halton;
        assert_ok(orffi_sobol_init(&sobol, 3, (orffi_rng){seed, 1}, (orffi_rng){seed, 2}));
        assert_ok(orffi_halton_init(&halton, 3, (orffi_rng){seed, 1}, (orffi_rng){seed, 2}));
        orffi_sobol_scrambled(&sobol, 5, u);
        sum[0] += u[2], square[0] += u[2] * u[2];
        orffi_halton_scrambled(&halton, 5, u);
        sum[1] += u[2], square[1] += u[2] * u[2];
        orffi_sobol_clear(&sobol);
        orffi_halton_clear(&halton);
    }
    for (int k = 0; k < 2; k++) {
        assert_close(sum[k] / SEEDS, 0.5, 4.0 / sqrt(12.0 * SEEDS));
        assert_close(square[k] / SEEDS, 1.0 / 3.0, 4.0 * sqrt(4.0 / 45.0 / SEEDS));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),           cmocka_unit_test(test_unscrambled_sobol_strata),
        cmocka_unit_test(test_scrambled_sobol),  cmocka_unit_test(test_scrambled_sobol_boxes),
        cmocka_unit_test(test_scrambled_halton), cmocka_unit_test(test_scrambles_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
