/* The base spectra: k0 and moments against the golden numbers, densities against k0, equal laws. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spectrum/spectrum.h"
#include "support.h"

#define PI 3.14159265358979323846

/* ---- golden numbers */

/* A part of the base the golden files name, with its shape and length scale. */
static orff_part golden_part(const char *base, const json_t *params) {
    orff_part part = orff_part_default();
    if (!strcmp(base, "gaussian")) {
        part.sigma = support_number(params, "sigma");
    } else if (!strcmp(base, "laplace_l1")) {
        part.base = ORFF_BASE_LAPLACE;
        part.sigma = 1.0 / support_number(params, "gamma");
    } else if (!strcmp(base, "matern")) {
        part.base = ORFF_BASE_MATERN;
        part.shape = support_number(params, "nu");
        part.sigma = support_number(params, "ell");
    } else if (!strcmp(base, "rq")) {
        part.base = ORFF_BASE_RATIONAL_QUADRATIC;
        part.shape = support_number(params, "alpha");
        part.sigma = support_number(params, "ell");
    } else {
        assert_string_equal(base, "cauchy_product");
        part.base = ORFF_BASE_CAUCHY_PRODUCT;
        part.sigma = support_number(params, "s");
    }
    return part;
}

static void scalar_kernels_are_golden(void **state) {
    (void)state;
    json_t *all = support_load("golden/scalar_kernels.json");
    assert_int_equal(json_array_size(all), 96);
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *entry = json_array_get(all, i);
        const char *base = support_string(entry, "kernel");
        const orff_part part = golden_part(base, support_member(entry, "params"));
        size_t d;
        double *delta = support_array(support_member(entry, "delta"), &d), *zero = calloc(d, sizeof *zero),
               K = -1;
        orff_kernel *kernel;
        support_case("%s, entry %zu", base, i);
        assert_ok(orff_kernel_create(&kernel, d, 1, 1, &part));
        assert_ok(orff_kernel_eval(kernel, delta, zero, &K));
        assert_close(K, support_number(entry, "value"), 1e-12);
        assert_ok(orff_kernel_eval(kernel, zero, delta, &K));
        assert_close(K, support_number(entry, "value"), 1e-12);
        orff_kernel_free(kernel);
        free(delta);
        free(zero);
    }
    json_decref(all);
}

/* E A^2 = E|w|^4/d I for curl-free blocks, (d-1)/d E|w|^4 I for divergence-free ones, and E A likewise. */
static void check_block_moments(const json_t *entry, double d, const double m[3]) {
    const double curl2 = m[1] / d, div2 = (d - 1.0) / d * m[1];
    const double curl1 = m[0] / d, div1 = (d - 1.0) / d * m[0];
    assert_close(curl2, support_number(entry, "EA2_curl"), 1e-12);
    assert_close(div2, support_number(entry, "EA2_div"), 1e-12);
    assert_close(curl2 - curl1 * curl1, support_number(entry, "VarA_curl"), 1e-12);
    assert_close(div2 - div1 * div1, support_number(entry, "VarA_div"), 1e-12);
}

static void moments_are_golden(void **state) {
    (void)state;
    json_t *all = support_load("golden/moments.json");
    assert_int_equal(json_array_size(all), 45);
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *entry = json_array_get(all, i);
        const char *base = support_string(entry, "base");
        const size_t d = support_size(entry, "d");
        const double want[3] = {support_number(entry, "E_norm2"), support_number(entry, "E_norm4"),
                                support_number(entry, "E_norm6")};
        orff_part part = golden_part(base, entry);
        double got[3];
        support_case("%s, entry %zu", base, i);
        assert_ok(orff_part_moments(&part, d, 1, got));
        assert_all_close(3, got, want, 1e-12);
        part.rule = ORFF_RULE_CURL_FREE;
        assert_ok(orff_part_moments(&part, d, d, got));
        assert_all_close(3, got, want, 1e-12);
        if (json_object_get(entry, "VarA_curl")) check_block_moments(entry, (double)d, got);
    }
    json_decref(all);
}

static void moments_that_do_not_exist_are_infinite(void **state) {
    (void)state;
    const struct {
        orff_base base;
        double shape;
        int finite; /* how many of the three */
    } cases[] = {{ORFF_BASE_LAPLACE, 0, 0},
                 {ORFF_BASE_MATERN, 0.5, 0},
                 {ORFF_BASE_MATERN, 1.0, 0},
                 {ORFF_BASE_MATERN, 1.5, 1},
                 {ORFF_BASE_MATERN, 2.0, 1},
                 {ORFF_BASE_MATERN, 2.5, 2},
                 {ORFF_BASE_MATERN, 3.0, 2},
                 {ORFF_BASE_MATERN, 3.5, 3},
                 {ORFF_BASE_GAUSSIAN, 0, 3},
                 {ORFF_BASE_CAUCHY_PRODUCT, 0, 3},
                 {ORFF_BASE_RATIONAL_QUADRATIC, 0.3, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orff_part part = orff_part_default();
        double m[3];
        support_case("case %zu", i);
        part.base = cases[i].base;
        part.shape = cases[i].shape;
        assert_ok(orff_part_moments(&part, 2, 1, m));
        for (int k = 0; k < 3; k++) assert_true(k < cases[i].finite ? isfinite(m[k]) : isinf(m[k]));
    }
}

/* Independent Laplace coordinates in the plane: E z^2 = 2, E z^4 = 24, E z^6 = 720, weighted by 1/l_i^2. */
static void product_moments_have_closed_forms(void **state) {
    (void)state;
    const double scales[2] = {0.5, 2.0}, a = 4.0, b = 0.25;
    orff_part part = orff_part_default();
    part.base = ORFF_BASE_CAUCHY_PRODUCT;
    part.sigmas = scales;
    double m[3];
    assert_ok(orff_part_moments(&part, 2, 1, m));
    assert_close(m[0], 2 * (a + b), 1e-14);
    assert_close(m[1], 24 * (a * a + b * b) + 2 * a * b * 4, 1e-14);
    assert_close(m[2], 720 * (a * a * a + b * b * b) + 3 * 24 * 2 * (a * a * b + a * b * b), 1e-14);
}

/* With covariates only the field's space counts. */
static void moments_are_those_of_the_space(void **state) {
    (void)state;
    const double scales[3] = {0.5, 7.0, 2.0}, plane[2] = {2.0, 0.5};
    const size_t space[2] = {2, 0};
    const orff_base bases[] = {ORFF_BASE_GAUSSIAN, ORFF_BASE_MATERN, ORFF_BASE_RATIONAL_QUADRATIC,
                               ORFF_BASE_CAUCHY_PRODUCT};
    for (size_t i = 0; i < 4; i++) {
        orff_part part = orff_part_default(), alone;
        double got[3], want[3];
        support_case("%s", orff_base_name(bases[i]));
        part.rule = ORFF_RULE_DIV_FREE;
        part.base = bases[i];
        part.shape = 3.7;
        alone = part;
        part.sigmas = scales;
        part.space = space;
        alone.sigmas = plane;
        assert_ok(orff_part_moments(&part, 3, 2, got));
        assert_ok(orff_part_moments(&alone, 2, 2, want));
        assert_all_close(3, got, want, 1e-14);
    }
}

/* ---- laws */

static orffi_spectrum make(orff_base base, double shape, size_t dim, const double *scales, size_t count,
                           const size_t *space) {
    orffi_spectrum s;
    assert_ok(orffi_spectrum_init(&s, base, shape, dim, 1.0, scales, count, space));
    return s;
}

/* sum_k h p(h k) cos(h k v), the spectral integral on the line; p falls at least as fast as |z|^-power. */
static double transform_on_line(const orffi_spectrum *s, double v, double h, double cut) {
    double sum = 0.0;
    for (double z = h / 2; z < cut; z += h)
        sum += 2.0 * h * exp(orffi_spectrum_log_density(s, &z)) * cos(z * v);
    return sum;
}

static void densities_transform_to_k0(void **state) {
    (void)state;
    const struct {
        orff_base base;
        double shape, cut, tol;
    } cases[] = {
        {ORFF_BASE_GAUSSIAN, 0, 10, 1e-12},
        {ORFF_BASE_MATERN, 3.5, 60, 1e-9},
        {ORFF_BASE_MATERN, 4.3, 60, 1e-9},
        {ORFF_BASE_MATERN, 2.2, 200, 1e-7},
        {ORFF_BASE_CAUCHY_PRODUCT, 0, 40, 2e-5},
        {ORFF_BASE_LAPLACE, 0, 3000, 1e-3},
        {ORFF_BASE_RATIONAL_QUADRATIC, 3.5, 20, 1e-6},
        {ORFF_BASE_RATIONAL_QUADRATIC, 2.0, 30, 1e-5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orffi_spectrum s = make(cases[i].base, cases[i].shape, 1, NULL, 1, NULL);
        const double h = 0.01;
        for (double v = 0.0; v < 3.0; v += 0.7) {
            support_case("%s shape %g at %g", orff_base_name(s.base->id), cases[i].shape, v);
            assert_close(transform_on_line(&s, v, h, cases[i].cut), orffi_spectrum_k0(&s, &v), cases[i].tol);
        }
        orffi_spectrum_clear(&s);
    }
}

/* In three dimensions int p = int_0^inf 4 pi r^2 p(r) dr = 1 for the spherical bases. */
static void densities_in_space_have_mass_one(void **state) {
    (void)state;
    const struct {
        orff_base base;
        double shape, cut, tol;
    } cases[] = {{ORFF_BASE_GAUSSIAN, 0, 10, 1e-10},
                 {ORFF_BASE_MATERN, 2.5, 2000, 1e-8},
                 {ORFF_BASE_RATIONAL_QUADRATIC, 2.5, 40, 1e-6},
                 {ORFF_BASE_RATIONAL_QUADRATIC, 0.8, 60, 1e-3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orffi_spectrum s = make(cases[i].base, cases[i].shape, 3, NULL, 3, NULL);
        double mass = 0.0;
        const double h = 0.01;
        for (double r = h / 2; r < cases[i].cut; r += h) {
            const double z[3] = {0.0, 0.6 * r, -0.8 * r};
            mass += h * 4.0 * PI * r * r * exp(orffi_spectrum_log_density(&s, z));
        }
        support_case("%s shape %g", orff_base_name(s.base->id), cases[i].shape);
        assert_close(mass, 1.0, cases[i].tol);
        orffi_spectrum_clear(&s);
    }
}

/* Two factors: k0 and the density are products over the space and the covariates. */
static void covariates_are_an_independent_factor(void **state) {
    (void)state;
    const double scales[3] = {0.5, 1.5, 0.9}, space_scales[2] = {0.9, 0.5}, delta[3] = {0.4, -0.8, 1.1};
    const double part[2] = {1.1, 0.4}, rest = -0.8;
    const size_t space[2] = {2, 0};
    for (int base = 0; base < ORFF_BASE_COUNT; base++) {
        orffi_spectrum all = make((orff_base)base, 1.7, 3, scales, 2, space);
        orffi_spectrum plane = make((orff_base)base, 1.7, 2, space_scales, 2, NULL);
        orffi_spectrum line = make((orff_base)base, 1.7, 1, &scales[1], 1, NULL);
        support_case("%s", orff_base_name((orff_base)base));
        assert_close(orffi_spectrum_k0(&all, delta),
                     orffi_spectrum_k0(&plane, part) * orffi_spectrum_k0(&line, &rest), 1e-15);
        assert_close(orffi_spectrum_log_density(&all, delta),
                     orffi_spectrum_log_density(&plane, part) + orffi_spectrum_log_density(&line, &rest),
                     1e-13);
        assert_int_equal(all.covariates[0], 1);
        orffi_spectrum_clear(&all);
        orffi_spectrum_clear(&plane);
        orffi_spectrum_clear(&line);
    }
}

static void same_laws_are_recognised(void **state) {
    (void)state;
    const double one[3] = {1, 1, 1}, two[3] = {1, 1, 2};
    const size_t space[2] = {2, 0};
    orffi_spectrum gaussian = make(ORFF_BASE_GAUSSIAN, 9, 3, one, 3, NULL),
                   split = make(ORFF_BASE_GAUSSIAN, 7, 3, NULL, 2, space);
    orffi_spectrum other = make(ORFF_BASE_GAUSSIAN, 9, 3, two, 3, NULL),
                   matern = make(ORFF_BASE_MATERN, 2.5, 3, one, 3, NULL);
    orffi_spectrum matern_split = make(ORFF_BASE_MATERN, 2.5, 3, one, 2, space);
    orffi_spectrum matern_nu = make(ORFF_BASE_MATERN, 3.5, 3, one, 3, NULL), copy;
    assert_true(
        orffi_spectrum_equal(&gaussian, &split)); /* a shape the base does not have is no difference */
    assert_false(orffi_spectrum_equal(&gaussian, &other));
    assert_false(orffi_spectrum_equal(&gaussian, &matern));
    assert_false(orffi_spectrum_equal(&matern, &matern_split));
    assert_false(orffi_spectrum_equal(&matern, &matern_nu));
    assert_false(orffi_spectrum_same_space(&gaussian, &split));
    assert_ok(orffi_spectrum_copy(&copy, &matern_split));
    assert_true(orffi_spectrum_equal(&copy, &matern_split));
    assert_true(orffi_spectrum_same_space(&copy, &split));
    orffi_spectrum *all[] = {&gaussian, &split, &other, &matern, &matern_split, &matern_nu, &copy};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_spectrum_clear(all[i]);
}

static void refuse(orff_base base, double shape, size_t dim, double scale, size_t count, const size_t *space,
                   const char *word) {
    orffi_spectrum s;
    assert_status(orffi_spectrum_init(&s, base, shape, dim, scale, NULL, count, space),
                  ORFF_ERROR_INVALID_ARGUMENT);
    if (!strstr(orff_error_message(), word))
        fail_msg("\"%s\" does not say \"%s\"", orff_error_message(), word);
    orffi_spectrum_clear(&s);
}

static void wrong_laws_are_refused(void **state) {
    (void)state;
    const size_t twice[2] = {1, 1}, outside[2] = {0, 3};
    refuse(ORFF_BASE_COUNT, 1, 2, 1, 2, NULL, "no base");
    refuse(ORFF_BASE_GAUSSIAN, 1, 0, 1, 0, NULL, "input");
    refuse(ORFF_BASE_GAUSSIAN, 1, 2, 0, 2, NULL, "length scale 1 is 0");
    refuse(ORFF_BASE_GAUSSIAN, 1, 2, (double)NAN, 2, NULL, "nan");
    refuse(ORFF_BASE_GAUSSIAN, 1, 2, -1, 2, NULL, "-1");
    refuse(ORFF_BASE_MATERN, 0, 2, 1, 2, NULL, "shape");
    refuse(ORFF_BASE_MATERN, (double)NAN, 2, 1, 2, NULL, "shape");
    refuse(ORFF_BASE_RATIONAL_QUADRATIC, 51, 2, 1, 2, NULL, "gaussian");
    refuse(ORFF_BASE_GAUSSIAN, 1, 3, 1, 2, twice, "twice");
    refuse(ORFF_BASE_GAUSSIAN, 1, 3, 1, 2, outside, "space[1] is 3");
    refuse(ORFF_BASE_GAUSSIAN, 1, 2, 1, 3, NULL, "3 inputs of 2");
}

/* k0 of many distances is that of each, and so are its slopes. */
static void many_are_one_by_one(void **state) {
    enum { MANY = 131 };
    static const double shapes[] = {0.5, 1.5, 2.5, 3.5, 1.7};
    double squares[MANY], again[MANY], g1[MANY];
    (void)state;
    for (int base = 0; base < ORFF_BASE_COUNT; base++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            orffi_spectrum s = make((orff_base)base, shapes[i], 1, (const double[]){1.0}, 1, NULL);
            support_case("%s, shape %g", orff_base_name((orff_base)base), shapes[i]);
            for (size_t k = 0; k < MANY; k++) squares[k] = again[k] = 0.01 * (double)(k * k);
            if (orffi_spectrum_is_radial(&s)) orffi_spectrum_k0_many(&s, MANY, squares, NULL);
            if (orffi_spectrum_is_radial(&s)) orffi_spectrum_k0_many(&s, MANY, again, g1);
            for (size_t k = 0; orffi_spectrum_is_radial(&s) && k < MANY; k++) {
                const double r = 0.1 * (double)k;
                double k0, slope;
                orffi_spectrum_k0_scales(&s, &r, &k0, &slope);
                assert_close(squares[k], k0, 1e-14);
                assert_close(again[k], k0, 1e-14);
                assert_close(g1[k] * r * r, slope, 1e-14);
            }
            orffi_spectrum_clear(&s);
        }
    support_case(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_kernels_are_golden),
        cmocka_unit_test(moments_are_golden),
        cmocka_unit_test(moments_that_do_not_exist_are_infinite),
        cmocka_unit_test(product_moments_have_closed_forms),
        cmocka_unit_test(moments_are_those_of_the_space),
        cmocka_unit_test(densities_transform_to_k0),
        cmocka_unit_test(densities_in_space_have_mass_one),
        cmocka_unit_test(covariates_are_an_independent_factor),
        cmocka_unit_test(many_are_one_by_one),
        cmocka_unit_test(same_laws_are_recognised),
        cmocka_unit_test(wrong_laws_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
