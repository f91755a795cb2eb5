/* Kernels known only by their signature K0(delta): features that reproduce it, and functions that are not
 * kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support.h"

/* ---- signatures */

/* K0 of a kernel that has a closed form; self is that kernel. */
static int from_kernel_at(void *self, const double *delta, double *K) {
    const double zero[4] = {0};
    return orff_kernel_eval(self, delta, zero, K) != ORFF_OK;
}
SUPPORT_MANY(from_kernel, orff_kernel_inputs(self), orff_kernel_outputs(self) * orff_kernel_outputs(self))

/* exp(-r^2) in the plane. */
static double bell(const double *delta) {
    return exp(-delta[0] * delta[0] - delta[1] * delta[1]);
}

/* A positive function times a matrix with the eigenvalues 3 and -1. */
static int indefinite_matrix_at(void *self, const double *delta, double *K) {
    (void)self;
    K[0] = K[3] = bell(delta);
    K[1] = K[2] = 2 * bell(delta);
    return 0;
}
SUPPORT_MANY(indefinite_matrix, 2, 4)

/* exp(-x^4): smooth and even, but its transform goes below zero. */
static int flat_top_at(void *self, const double *delta, double *K) {
    (void)self;
    K[0] = exp(-pow(delta[0], 4));
    return 0;
}
SUPPORT_MANY(flat_top, 1, 1)

static int box_at(void *self, const double *delta, double *K) {
    (void)self;
    K[0] = fabs(delta[0]) < 1 && fabs(delta[1]) < 1;
    return 0;
}
SUPPORT_MANY(box, 2, 1)

static int crooked_at(void *self, const double *delta, double *K) {
    (void)self;
    K[0] = K[3] = bell(delta);
    K[1] = 0.1 * bell(delta);
    K[2] = 0;
    return 0;
}
SUPPORT_MANY(crooked, 2, 4)

static int odd_at(void *self, const double *delta, double *K) {
    (void)self;
    K[0] = K[3] = bell(delta) * (1 + 0.1 * delta[0]);
    K[1] = K[2] = 0;
    return 0;
}
SUPPORT_MANY(odd, 2, 4)

static int constant_at(void *self, const double *delta, double *K) {
    (void)self, (void)delta;
    K[0] = K[3] = 1;
    K[1] = K[2] = 0;
    return 0;
}
SUPPORT_MANY(constant, 2, 4)

static int nothing_at(void *self, const double *delta, double *K) {
    (void)self, (void)delta;
    memset(K, 0, 4 * sizeof *K);
    return 0;
}
SUPPORT_MANY(nothing, 2, 4)

static int fails_after_five_at(void *self, const double *delta, double *K) {
    int *calls = self;
    K[0] = K[3] = bell(delta);
    K[1] = K[2] = 0;
    return ++*calls > 5 ? 3 : 0;
}
SUPPORT_MANY(fails_after_five, 2, 4)

/* ---- running */

static orff_part signature_of(orff_matrix_fn function, void *self) {
    orff_part part = orff_part_default();
    part.rule = ORFF_RULE_SIGNATURE;
    part.matrix = function;
    part.self = self;
    return part;
}

static orff_sampling sampling_for(const double *extent, double tolerance, size_t D) {
    orff_sampling sampling = orff_sampling_default();
    sampling.scheme = ORFF_SCHEME_GRID;
    sampling.features = D;
    sampling.extent = extent;
    sampling.tolerance = tolerance;
    return sampling;
}

/* Largest entry of K~ - K0 relative to the largest of K0(0), over differences within the extent. */
static double worst_error(const orff_kernel *exact, const orff_features *features, const double *extent) {
    enum { PAIRS = 100 };
    const size_t d = orff_kernel_inputs(exact), pp = orff_kernel_outputs(exact) * orff_kernel_outputs(exact);
    const orffi_rng rng = {5, 9};
    double x[3], z[3] = {0}, K[9], got[9], size = 0, worst = 0;
    assert_ok(orff_kernel_eval(exact, z, z, K));
    for (size_t i = 0; i < pp; i++) size = fmax(size, fabs(K[i]));
    for (size_t n = 0; n < PAIRS; n++) {
        for (size_t i = 0; i < d; i++) {
            z[i] = orffi_rng_normal(rng, n, (uint32_t)i);
            x[i] = z[i] + extent[i] * (n == 0 ? 0.0 : 2 * orffi_rng_uniform(rng, n, (uint32_t)(10 + i)) - 1);
        }
        assert_ok(orff_kernel_eval(exact, x, z, K));
        assert_ok(orff_features_kernel(features, x, z, got));
        for (size_t i = 0; i < pp; i++) worst = fmax(worst, fabs(got[i] - K[i]) / size);
    }
    return worst;
}

/* The features of the signature of `part` give its kernel back to the tolerance. */
static void check_signature(size_t d, size_t p, const orff_part *part, const double *extent,
                            double tolerance) {
    orff_kernel *exact = NULL, *kernel = NULL;
    orff_features *features = NULL;
    assert_ok(orff_kernel_create(&exact, d, p, 1, part));
    const orff_part signature = signature_of(from_kernel, exact);
    const orff_sampling sampling = sampling_for(extent, tolerance, 0);
    support_case("%s %s, d=%zu, tolerance %g", orff_rule_name(part->rule), orff_base_name(part->base), d,
                 tolerance);
    assert_ok(orff_kernel_create(&kernel, d, p, 1, &signature));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    const orff_features_info info = orff_features_describe(features);
    const double asked = tolerance > 0 ? tolerance : 1e-6, error = worst_error(exact, features, extent);
    assert_int_equal(info.scheme, ORFF_SCHEME_GRID);
    assert_true(info.frequencies > 3);
    assert_int_equal(info.parameters, 2 * p * info.frequencies);
    assert_true(info.quadrature_error > 0 && info.quadrature_error <= asked);
    /* the estimate looks at other differences than we do */
    assert_close(error, 0, fmin(asked, 2 * info.quadrature_error));
    orff_features_free(features);
    orff_kernel_free(kernel);
    orff_kernel_free(exact);
}

static void scalar_kernels_come_back(void **state) {
    (void)state;
    const double extent[1] = {4}, A[4] = {2, 0.5, 0.5, 1};
    orff_part part = orff_part_default();
    check_signature(1, 1, &part, extent, 0);
    check_signature(1, 1, &part, extent, 1e-10);
    part.A = A;
    part.sigma = 0.4;
    check_signature(1, 2, &part, extent, 1e-6);
}

static void curl_free_kernels_come_back(void **state) {
    (void)state;
    const double extent[3] = {2, 3, 2}, scales[3] = {0.8, 1.1, 1};
    orff_part part = orff_part_default();
    part.rule = ORFF_RULE_CURL_FREE;
    check_signature(2, 2, &part, extent, 0);
    part.sigmas = scales;
    check_signature(2, 2, &part, extent, 1e-3);
    part.sigmas = NULL;
    check_signature(3, 3, &part, extent, 1e-3);
}

static void other_kernels_come_back(void **state) {
    (void)state;
    const double extent[2] = {2, 2};
    orff_part part = orff_part_default();
    part.rule = ORFF_RULE_DIV_FREE;
    check_signature(2, 2, &part, extent, 1e-4);
    part.base = ORFF_BASE_MATERN;
    part.shape = 3.5;
    part.rule = ORFF_RULE_DECOMPOSABLE;
    check_signature(2, 1, &part, extent, 1e-3);
}

/* A limit on the frequencies: the largest are kept, and the error that is told is true. */
static void frequencies_can_be_limited(void **state) {
    (void)state;
    const double extent[2] = {2, 2};
    const orff_part part = orff_part_default();
    orff_kernel *exact = NULL, *kernel = NULL;
    orff_features *features = NULL;
    assert_ok(orff_kernel_create(&exact, 2, 1, 1, &part));
    const orff_part signature = signature_of(from_kernel, exact);
    orff_sampling sampling = sampling_for(extent, 0, 20);
    assert_ok(orff_kernel_create(&kernel, 2, 1, 1, &signature));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    const orff_features_info info = orff_features_describe(features);
    assert_int_equal(info.frequencies, 20);
    assert_true(info.quadrature_error > 1e-6 && info.quadrature_error < 0.5);
    assert_true(worst_error(exact, features, extent) <= 1.5 * info.quadrature_error);
    orff_features_free(features);
    features = NULL;
    sampling.tolerance = 1e-6;
    assert_status(orff_features_create(&features, kernel, &sampling), ORFF_ERROR_UNSUPPORTED);
    assert_says("with 20 frequencies");
    assert_null(features);
    orff_kernel_free(kernel);
    orff_kernel_free(exact);
}

/* In a sum a signature has a group of its own, and the exact sum uses the callback. */
static void signatures_can_be_summed(void **state) {
    (void)state;
    const double extent[2] = {2, 2}, x[2] = {0.3, -0.4}, z[2] = {-0.5, 0.2};
    orff_part parts[3] = {orff_part_default(), orff_part_default(), orff_part_default()};
    orff_kernel *first = NULL, *second = NULL, *sum = NULL;
    orff_features *features = NULL;
    double a[4], b[4], K[4], got[4];
    parts[2].rule = ORFF_RULE_CURL_FREE;
    parts[2].sigma = 1.5;
    assert_ok(orff_kernel_create(&first, 2, 2, 1, &parts[0]));
    assert_ok(orff_kernel_create(&second, 2, 2, 1, &parts[2]));
    parts[1] = signature_of(from_kernel, second);
    parts[1].weight = 0.5;
    assert_ok(orff_kernel_create(&sum, 2, 2, 2, parts));
    assert_int_equal(orff_kernel_groups(sum), 2);
    assert_ok(orff_kernel_eval(first, x, z, a));
    assert_ok(orff_kernel_eval(second, x, z, b));
    assert_ok(orff_kernel_eval(sum, x, z, K));
    for (size_t i = 0; i < 4; i++) assert_close(K[i], a[i] + 0.5 * b[i], 1e-15);
    const orff_sampling sampling = sampling_for(extent, 1e-6, 0);
    assert_ok(orff_features_create(&features, sum, &sampling));
    assert_ok(orff_features_kernel(features, x, z, got));
    assert_all_close(4, got, K, 2e-6);
    orff_features_free(features);
    orff_kernel_free(sum);
    orff_kernel_free(first);
    orff_kernel_free(second);
}

/* ---- refusals */

static void refuse(size_t d, size_t p, orff_matrix_fn function, void *self, const double *extent,
                   orff_status status, const char *word) {
    const orff_part part = signature_of(function, self);
    const orff_sampling sampling = sampling_for(extent, 1e-4, 0);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    support_case("%s", word);
    assert_ok(orff_kernel_create(&kernel, d, p, 1, &part));
    assert_status(orff_features_create(&features, kernel, &sampling), status);
    assert_says(word);
    assert_null(features);
    orff_kernel_free(kernel);
}

static void functions_that_are_no_kernel_are_refused(void **state) {
    (void)state;
    const double extent[2] = {2, 2};
    refuse(2, 2, indefinite_matrix, NULL, extent, ORFF_ERROR_NOT_POSITIVE, "eigenvalue");
    refuse(1, 1, flat_top, NULL, extent, ORFF_ERROR_NOT_POSITIVE, "negative");
    refuse(2, 2, nothing, NULL, extent, ORFF_ERROR_NOT_POSITIVE, "K0(0) is zero");
    refuse(2, 2, crooked, NULL, extent, ORFF_ERROR_UNSUPPORTED, "symmetric");
    refuse(2, 2, odd, NULL, extent, ORFF_ERROR_UNSUPPORTED, "even");
    refuse(2, 2, constant, NULL, extent, ORFF_ERROR_UNSUPPORTED, "does not fall");
    refuse(2, 1, box, NULL, extent, ORFF_ERROR_UNSUPPORTED, "not smooth enough");
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    const double extent[2] = {2, 2}, flat[2] = {2, 0}, omega[2] = {1, 1};
    int calls = 0;
    refuse(2, 2, constant, NULL, NULL, ORFF_ERROR_INVALID_ARGUMENT, "extent");
    refuse(2, 2, constant, NULL, flat, ORFF_ERROR_INVALID_ARGUMENT, "input 2");
    refuse(2, 2, fails_after_five, &calls, extent, ORFF_ERROR_CALLBACK, "K0(delta) returned 3");
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_part part = signature_of(constant, NULL);
    assert_status(orff_kernel_create(&kernel, 4, 2, 1, &part), ORFF_ERROR_UNSUPPORTED);
    assert_says("d <= 3");
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_status(orff_features_create_at(&features, kernel, 1, omega, NULL), ORFF_ERROR_UNSUPPORTED);
    orff_kernel_free(kernel);
    kernel = NULL;
    part.matrix = NULL;
    assert_status(orff_kernel_create(&kernel, 2, 2, 1, &part), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("K0(delta)");
    assert_null(kernel);
}

/* Many small transforms: threads would only wait for each other. */
static int use_one_thread(void **state) {
    (void)state;
    return orff_set_threads(1) != ORFF_OK;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_kernels_come_back),
        cmocka_unit_test(curl_free_kernels_come_back),
        cmocka_unit_test(other_kernels_come_back),
        cmocka_unit_test(frequencies_can_be_limited),
        cmocka_unit_test(signatures_can_be_summed),
        cmocka_unit_test(functions_that_are_no_kernel_are_refused),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, use_one_thread, NULL);
}
