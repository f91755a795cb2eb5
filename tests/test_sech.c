/* The base sech: on log(x + c) it is the skewed chi-square kernel, and its features are those of the sech
 * spectrum. */
#include <math.h>
#include <stdlib.h>

#include "fields.h"

static const double shift = 0.3;

/* k(x, z) = prod 2 sqrt(x_i + c) sqrt(z_i + c) / (x_i + z_i + 2 c), in closed form. */
static double skewed(size_t d, const double *x, const double *z) {
    double k = 1.0;
    for (size_t i = 0; i < d; i++)
        k *= 2.0 * sqrt((x[i] + shift) * (z[i] + shift)) / (x[i] + z[i] + 2.0 * shift);
    return k;
}

enum { N = 40, D = 3 };

/* Counts, many of them 0, and their logarithms. */
static void draw(double *x, double *u) {
    double *z = support_normal(N * D, 9, 2);
    for (size_t i = 0; i < N * D; i++) {
        x[i] = floor(exp(1.2 * z[i]));
        u[i] = log(x[i] + shift);
    }
    free(z);
}

static orff_kernel *sech_kernel(void) {
    orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 2.0);
    orff_kernel *kernel = NULL;
    part.base = ORFF_BASE_SECH;
    assert_ok(orff_kernel_create(&kernel, D, 1, 1, &part));
    return kernel;
}

static void test_exact(void **state) {
    (void)state;
    double x[N * D], u[N * D], K;
    draw(x, u);
    orff_kernel *kernel = sech_kernel();
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            assert_ok(orff_kernel_eval(kernel, u + i * D, u + j * D, &K));
            assert_close(K, skewed(D, x + i * D, x + j * D), 1e-14);
        }
    orff_kernel_free(kernel);
}

/* Features reach it, the grid to many digits in one input. */
static void test_features(void **state) {
    (void)state;
    double x[N * D], u[N * D], K, square = 0.0;
    draw(x, u);
    orff_kernel *kernel = sech_kernel();
    orff_features *features = NULL;
    orff_sampling sampling = orff_sampling_default();
    sampling.features = 4096;
    assert_ok(orff_features_create(&features, kernel, &sampling));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            assert_ok(orff_features_kernel(features, u + i * D, u + j * D, &K));
            square += pow(K - skewed(D, x + i * D, x + j * D), 2) / (N * N);
        }
    assert_true(sqrt(square) < 3e-3); /* iid frequencies would have 1e-2 */
    orff_features_free(features);
    orff_kernel_free(kernel);
}

/* Fields of it: importance sampling draws from z^2 times the density. */
static void test_fields(void **state) {
    (void)state;
    orff_part part = fields_part(ORFF_RULE_CURL_FREE, 1.3);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_sampling sampling = orff_sampling_default();
    double K[4], exact[4], size = 0.0;
    part.base = ORFF_BASE_SECH;
    sampling.features = 4096;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_true(orff_features_describe(features).importance);
    for (size_t i = 0; i < 20; i++) {
        const double x[2] = {0.2 * (double)i - 2.0, 0.3}, z[2] = {0.1, 0.05 * (double)i};
        assert_ok(orff_features_kernel(features, x, z, K));
        assert_ok(orff_kernel_eval(kernel, x, z, exact));
        for (size_t k = 0; k < 4; k++) size = fmax(size, fabs(K[k] - exact[k]));
    }
    assert_true(size < 0.02 / (1.3 * 1.3));
    orff_features_free(features);
    orff_kernel_free(kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_features),
                                       cmocka_unit_test(test_fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
