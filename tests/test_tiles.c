/* Sums by several threads, each of which takes tiles of the matrix, are those of one thread. */
#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { N = 700, D = 300, INPUTS = 3, OUTPUTS = 2 }; /* 2 D: some whole tiles, and one that is not */

static double *predictions(bool single, size_t threads, const double *X, const double *Y, const double *c) {
    orff_part part = orff_part_default();
    orff_sampling sampling = orff_sampling_default();
    orff_settings settings = orff_settings_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_model *model = NULL;
    double *F = support_normal(N * OUTPUTS, 9, 1);
    sampling.features = D;
    settings.n_parts = 1;
    settings.parts = &part;
    settings.lambda = 1e-3;
    settings.single = single;
    settings.engine = ORFF_ENGINE_FEATURES;
    const orff_moments_settings how = {.folds = 3, .single = single};
    assert_ok(orff_set_threads(threads));
    assert_ok(orff_kernel_create(&kernel, INPUTS, OUTPUTS, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_ok(orff_moments_create(&moments, features, &how));
    assert_ok(orff_moments_accumulate(moments, N, X, Y, c));
    assert_ok(orff_model_fit_moments(&model, &settings, moments));
    assert_ok(orff_model_predict(model, N, X, F));
    assert_ok(orff_set_threads(0));
    orff_model_free(model);
    orff_moments_free(moments);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return F;
}

static void compare(bool single, double tolerance) {
    double *X = support_normal(N * INPUTS, 1, 5), *Y = support_normal(N * OUTPUTS, 2, 5),
           *c = support_normal(N, 3, 5);
    for (size_t i = 0; i < N; i++) c[i] = 0.5 + fabs(c[i]);
    double *one = predictions(single, 1, X, Y, c), *some = predictions(single, 3, X, Y, c);
    for (size_t i = 0; i < N * OUTPUTS; i++) assert_true(fabs(one[i] - some[i]) < tolerance);
    free(X);
    free(Y);
    free(c);
    free(one);
    free(some);
}

static void test_double(void **state) {
    (void)state;
    compare(false, 1e-8);
}

static void test_single(void **state) {
    (void)state;
    compare(true, 1e-2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_double), cmocka_unit_test(test_single)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
