/* Warnings of fits: each is provoked once, and none appears where nothing is wrong. */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "model/outliers.h"
#include "support.h"

enum { N = 600 };
static const unsigned doubts =
    ORFF_WARN_LAMBDA_AT_END | ORFF_WARN_FEW_FEATURES | ORFF_WARN_WILD | ORFF_WARN_COVERAGE;

typedef struct rows {
    double *X, *Y;
} rows;

/* A function of two inputs of this wavelength, with noise. gap: none of the first input from 0.35 to 0.65. */
static rows make(double wavelength, double noise, bool gap) {
    const orffi_rng rng = {21, 4};
    rows r = {support_zeros(2 * N), support_zeros(N)};
    for (size_t i = 0; i < N; i++) {
        double *x = r.X + 2 * i;
        x[0] = orffi_rng_uniform(rng, i, 0);
        x[1] = orffi_rng_uniform(rng, i, 1);
        if (gap) x[0] = x[0] < 0.5 ? 0.7 * x[0] : 0.65 + 0.7 * (x[0] - 0.5);
        r.Y[i] = sin(6.28 * x[0] / wavelength) * cos(6.28 * x[1] / wavelength) +
                 noise * orffi_rng_normal(rng, i, 2);
    }
    return r;
}

static void rows_free(rows *r) {
    free(r->X);
    free(r->Y);
}

/* The warnings of a model, whose words must be there, and stay in its file. */
static unsigned warnings_within(const rows *r, const char *const *settings, unsigned which) {
    char path[] = "/tmp/orff_doubts_XXXXXX";
    orff_model *model = NULL, *again = NULL;
    assert_ok(orff_learn(&model, settings, 2, 1, N, r->X, r->Y));
    const orff_model_info info = orff_model_describe(model);
    assert_true(!info.warnings == !*info.warning);
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_ok(orff_model_save(model, path, false));
    assert_ok(orff_model_load(&again, path));
    const orff_model_info read = orff_model_describe(again);
    assert_int_equal(read.warnings, info.warnings);
    assert_string_equal(read.warning, info.warning);
    assert_int_equal(read.folds, info.folds);
    assert_int_equal(read.held_out_blocks, info.held_out_blocks);
    if (isfinite(info.held_out_mse)) assert_true(read.held_out_mse == info.held_out_mse);
    assert_int_equal(close(descriptor), 0);
    assert_int_equal(unlink(path), 0);
    orff_model_free(model);
    orff_model_free(again);
    return info.warnings & which;
}

static unsigned warnings_of(const rows *r, const char *const *settings) {
    return warnings_within(r, settings, doubts | ORFF_WARN_REPEATED);
}

static void test_a_good_fit_warns_of_nothing(void **state) {
    (void)state;
    static const char *const plain[] = {NULL};
    static const char *const lattice[] = {"engine=lattice", NULL};
    static const char *const features[] = {"features=200", "sigma=0.2", NULL};
    rows r = make(0.7, 0.1, false);
    assert_int_equal(warnings_of(&r, plain), 0);
    assert_int_equal(warnings_of(&r, lattice), 0);
    assert_int_equal(warnings_of(&r, features), 0);
    rows_free(&r);
}

static void test_lambda_at_an_end(void **state) {
    (void)state;
    static const char *const above[] = {"engine=features", "sigma=0.2", "lambda-grid=1:10:5", NULL};
    static const char *const below[] = {"engine=features", "sigma=0.2", "lambda-grid=1e-14:1e-11:5", NULL};
    static const char *const given[] = {"engine=features", "sigma=0.2", "lambda=1e-5", NULL};
    rows r = make(0.7, 0.3, false);
    assert_true(warnings_of(&r, above) & ORFF_WARN_LAMBDA_AT_END);
    assert_true(warnings_of(&r, below) & ORFF_WARN_LAMBDA_AT_END);
    assert_false(warnings_of(&r, given) & ORFF_WARN_LAMBDA_AT_END);
    rows_free(&r);
}

/* Noise about a mean of 5: intervals of the field would miss it in most fits, and say so; with a trend they have its error. */
static void test_noise_about_a_mean(void **state) {
    (void)state;
    static const char *const plain[] = {NULL}, *const lattice[] = {"engine=lattice", NULL},
                             *const trend[] = {"trend=constant", NULL}, *const given[] = {"lambda=10", NULL};
    const orffi_rng rng = {5, 6};
    rows r = make(0.7, 0.1, false);
    assert_int_equal(warnings_within(&r, plain, ORFF_WARN_MEAN), 0);
    for (size_t i = 0; i < N; i++) r.Y[i] = 5.0 + orffi_rng_normal(rng, i, 0);
    assert_int_equal(warnings_within(&r, plain, ORFF_WARN_MEAN), ORFF_WARN_MEAN);
    assert_int_equal(warnings_within(&r, lattice, ORFF_WARN_MEAN), ORFF_WARN_MEAN);
    assert_int_equal(warnings_within(&r, trend, ORFF_WARN_MEAN), 0);
    assert_int_equal(warnings_within(&r, given, ORFF_WARN_MEAN), 0);
    rows_free(&r);
}

static void test_too_few_features(void **state) {
    (void)state;
    static const char *const few[] = {"features=4", "sigma=0.05", "scale-inputs=no", NULL};
    static const char *const many[] = {"features=300", "sigma=0.08", "scale-inputs=no", NULL};
    rows r = make(0.35, 0.02, false);
    assert_true(warnings_of(&r, few) & ORFF_WARN_FEW_FEATURES);
    assert_false(warnings_of(&r, many) & ORFF_WARN_FEW_FEATURES);
    rows_free(&r);
}

/* A lambda of nothing, and a gap. */
static void test_wild_between_the_rows(void **state) {
    (void)state;
    static const char *const wild[] = {"features=290", "sigma=0.05", "lambda=1e-13", "scale-inputs=no", NULL};
    static const char *const tame[] = {"features=290", "sigma=0.05", "scale-inputs=no", NULL};
    rows r = make(0.6, 0.1, true);
    assert_true(warnings_of(&r, wild) & ORFF_WARN_WILD);
    assert_false(warnings_of(&r, tame) & ORFF_WARN_WILD);
    rows_free(&r);
}

/* A length scale and a lambda that are both too large claim to know what they do not. */
static void test_error_bars_that_are_wrong(void **state) {
    (void)state;
    static const char *const small[] = {"engine=exact",  "sigma=0.15",      "lambda=1e-6",
                                        "base=gaussian", "scale-inputs=no", NULL};
    rows r = make(0.3, 0.01, false);
    assert_true(warnings_of(&r, small) & ORFF_WARN_COVERAGE);
    rows_free(&r);
}

/* What a model is warned of by its words, for a fit with all automatic. */
static bool says(const rows *r, const char *words) {
    static const char *const open[] = {"engine=exact", NULL};
    orff_model *model = NULL;
    assert_ok(orff_learn(&model, open, 2, 1, N, r->X, r->Y));
    const bool there = strstr(orff_model_describe(model).warning, words) != NULL;
    orff_model_free(model);
    return there;
}

/* One row in fifty is off by a hundred times the noise: intervals are too wide for the others, which no base or kernel mends. */
static void test_outliers_are_named(void **state) {
    (void)state;
    rows r = make(0.7, 0.1, false);
    assert_false(says(&r, "outliers"));
    for (size_t i = 0; i < N; i += 50) r.Y[i] += i % 100 ? 10.0 : -10.0;
    assert_true(says(&r, "outliers"));
    rows_free(&r);
}

/* The same where they are less than half of what rows differ from their neighbours by: a few errors are far larger than all
 * others, and what to do about these rows is said. */
static void test_few_outliers_are_named(void **state) {
    (void)state;
    rows r = make(0.7, 0.02, false);
    assert_false(says(&r, "drop-outliers"));
    for (size_t i = 0; i < N; i += 50) r.Y[i] += i % 100 ? 0.8 : -0.8;
    orffi_outliers found;
    const orff_observations all = {.d = 2, .p = 1, .n = N, .X = r.X, .Y = r.Y};
    assert_ok(orffi_outliers_find(&found, &all, NULL, 0.5));
    assert_int_equal(found.count, 0);
    orffi_outliers_clear(&found);
    assert_true(says(&r, "drop-outliers"));
    rows_free(&r);
}

/* Ten values of the first input with levels of their own, which the second does not change: blocks have neighbours of the same
 * level, and a new value has none. Nothing is wrong where levels follow from each other. */
static void test_values_that_are_groups(void **state) {
    static const char *const settings[] = {
        "engine=exact", "base=gaussian", "sigma=1.5,20", "lambda=1e-6", "scale-inputs=no", "center=no", NULL};
    const orffi_rng rng = {8, 2};
    rows r = {support_zeros(2 * N), support_zeros(N)};
    (void)state;
    for (size_t smooth = 0; smooth < 2; smooth++) {
        for (size_t i = 0; i < N; i++) {
            double *x = r.X + 2 * i;
            x[0] = (double)(i % 10);
            x[1] = 10.0 * orffi_rng_uniform(rng, i, 0);
            const double level = smooth ? sin(0.5 * x[0]) : orffi_rng_normal(rng, i % 10, 1);
            r.Y[i] = level + 0.02 * orffi_rng_normal(rng, i, 2);
        }
        const unsigned all = doubts | ORFF_WARN_REPEATED;
        assert_int_equal(warnings_within(&r, settings, all), smooth ? 0 : ORFF_WARN_REPEATED);
    }
    rows_free(&r);
}

/* Columns of a grid across which a field changes from one to the next: the coordinates of a field are no groups. */
static void test_coordinates_are_no_groups(void **state) {
    const orffi_rng rng = {8, 3};
    double X[2 * N], Y[2 * N];
    (void)state;
    for (size_t i = 0; i < N; i++) {
        X[2 * i] = (double)(i % 10);
        X[2 * i + 1] = 10.0 * orffi_rng_uniform(rng, i, 0);
        for (size_t k = 0; k < 2; k++)
            Y[2 * i + k] = (k ? 0.0 : orffi_rng_normal(rng, i % 10, 1)) +
                           0.02 * orffi_rng_normal(rng, i, 2 + (unsigned)k);
    }
    for (size_t field = 0; field < 2; field++) {
        const char *const settings[] = {field ? "kernel=curl-free" : "kernel=decomposable",
                                        "engine=exact",
                                        "base=gaussian",
                                        "sigma=1.5,20",
                                        "lambda=1e-6",
                                        "scale-inputs=no",
                                        "center=no",
                                        NULL};
        orff_model *model = NULL;
        assert_ok(orff_learn(&model, settings, 2, 2, N, X, Y));
        const bool warned = orff_model_describe(model).warnings & ORFF_WARN_REPEATED;
        assert_int_equal(warned, !field);
        orff_model_free(model);
    }
}

/* Six groups at a distance; the middle one is not as the others, and its errors are 30 times their bars: five of six groups are
 * covered, which as a count is no surprise. */
static void few_groups_tell(void **state) {
    enum { GROUPS = 6, EACH = 20 };
    const orffi_rng rng = {5, 1};
    (void)state;
    for (size_t odd = 0; odd < 2; odd++) {
        double X[GROUPS * EACH], Y[GROUPS * EACH];
        uint64_t groups[GROUPS * EACH];
        orff_part part = orff_part_default();
        orff_settings settings = orff_settings_default();
        orff_model *model = NULL;
        for (size_t i = 0; i < GROUPS * EACH; i++) {
            groups[i] = i / EACH;
            X[i] = (double)groups[i] + 0.1 * orffi_rng_uniform(rng, i, 0);
            Y[i] = (odd && groups[i] == 3 ? 10.0 : 0.0) + 0.1 * orffi_rng_normal(rng, i, 1);
        }
        part.base = ORFF_BASE_GAUSSIAN;
        part.sigma = 0.2;
        settings.n_parts = 1;
        settings.parts = &part;
        settings.lambda = 1e-3; /* a field of 0.3 beside the noise */
        settings.center = false;
        settings.groups = groups;
        settings.scale_inputs = settings.scale_outputs = ORFF_SWITCH_NO;
        assert_ok(orff_model_fit(&model, &settings, 1, 1, GROUPS * EACH, X, Y, NULL));
        const orff_model_info info = orff_model_describe(model);
        assert_int_equal(info.held_out_blocks, GROUPS);
        assert_true(!(info.warnings & ORFF_WARN_COVERAGE) == !odd);
        if (odd) assert_non_null(strstr(info.warning, "by groups, so error bars are too small"));
        orff_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_good_fit_warns_of_nothing),
        cmocka_unit_test(test_lambda_at_an_end),
        cmocka_unit_test(test_noise_about_a_mean),
        cmocka_unit_test(test_too_few_features),
        cmocka_unit_test(test_wild_between_the_rows),
        cmocka_unit_test(test_error_bars_that_are_wrong),
        cmocka_unit_test(test_outliers_are_named),
        cmocka_unit_test(test_few_outliers_are_named),
        cmocka_unit_test(few_groups_tell),
        cmocka_unit_test(test_values_that_are_groups),
        cmocka_unit_test(test_coordinates_are_no_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
