/* Weights of a sum by the evidence of the exact kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/random.h"
#include "exact/mixture.h"
#include "support.h"

enum { N = 120, P = 2 * N, PARTS = 3 };

static double X[N * 2], Y[P], K[PARTS][P * P], C[P * P], alpha[P];

/* div-free at 1, curl-free at 1, decomposable at 0.3: each normalised, so that weights are variances. */
static orff_kernel *make_kernel(size_t first, size_t count) {
    const orff_rule rules[PARTS] = {ORFF_RULE_DIV_FREE, ORFF_RULE_CURL_FREE, ORFF_RULE_DECOMPOSABLE};
    const double sigmas[PARTS] = {1.0, 1.0, 0.3};
    orff_part parts[PARTS];
    orff_kernel *kernel = NULL;
    for (size_t m = 0; m < PARTS; m++) {
        parts[m] = orff_part_default();
        parts[m].rule = rules[m];
        parts[m].sigma = sigmas[m];
        parts[m].normalise = true;
    }
    assert_ok(orff_kernel_create(&kernel, 2, 2, count, parts + first));
    return kernel;
}

static void fill_covariance(const double *v, double s2) {
    for (size_t i = 0; i < (size_t)P * P; i++) {
        C[i] = 0.0;
        for (size_t m = 0; m < PARTS; m++) C[i] += v[m] * K[m][i];
    }
    for (size_t i = 0; i < P; i++) C[i * P + i] += s2;
    assert_ok(orffi_cholesky(P, C));
}

/* log N(y; 0, sum v K + s2 I), by the textbook. */
static double log_likelihood(const double *v, double s2) {
    double value = -0.5 * P * log(6.283185307179586);
    fill_covariance(v, s2);
    memcpy(alpha, Y, sizeof Y);
    assert_ok(orffi_cholesky_solve(P, C, 1, alpha));
    for (size_t i = 0; i < P; i++) value -= 0.5 * Y[i] * alpha[i] + log(C[i * P + i]);
    return value;
}

/* A draw of the process with these variances. */
static void draw(const double *v, double s2, uint64_t seed) {
    const orffi_rng rng = {seed, 1};
    for (size_t i = 0; i < N * 2; i++) X[i] = 4.0 * orffi_rng_uniform(rng, i, 0);
    for (size_t m = 0; m < PARTS; m++) {
        orff_kernel *one = make_kernel(m, 1);
        assert_ok(orff_kernel_gram(one, N, X, N, X, K[m]));
        orff_kernel_free(one);
    }
    fill_covariance(v, s2);
    for (size_t i = 0; i < P; i++) {
        Y[i] = 0.0;
        for (size_t k = 0; k <= i; k++) Y[i] += C[i * P + k] * orffi_rng_normal(rng, k, 1);
    }
}

static void finds_the_top(void **state) {
    (void)state;
    const double truth[PARTS] = {1.0, 0.3, 0.2};
    double weights[PARTS] = {1.0, 1.0, 1.0}, lambda = 0.0, shares[PARTS + 1], total = 0.0;
    draw(truth, 0.05, 3);
    orff_kernel *kernel = make_kernel(0, PARTS);
    assert_ok(orffi_exact_mixture_learn(kernel, N, X, Y, false, 0.0, weights, &lambda, shares));
    const double s2 = lambda * N, top = log_likelihood(weights, s2);
    assert_true(top >= log_likelihood(truth, 0.05));
    for (size_t m = 0; m <= PARTS; m++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double moved[PARTS], noise = s2;
            memcpy(moved, weights, sizeof moved);
            if (m < PARTS)
                moved[m] *= exp(0.2 * sign);
            else
                noise *= exp(0.2 * sign);
            support_case("variable %zu, sign %d", m, sign);
            assert_true(log_likelihood(moved, noise) <= top + 0.02);
        }
        total += shares[m];
    }
    assert_close(total, 1.0, 1e-12);
    assert_close(shares[0], weights[0] / (weights[0] + weights[1] + weights[2] + s2), 1e-9);
    orff_kernel_free(kernel);
}

static void drops_what_is_not_there(void **state) {
    (void)state;
    const double truth[PARTS] = {1.0, 0.0, 0.0};
    double weights[PARTS] = {1.0, 1.0, 1.0}, lambda = 0.0, shares[PARTS + 1];
    draw(truth, 0.05, 4);
    orff_kernel *kernel = make_kernel(0, PARTS);
    assert_ok(orffi_exact_mixture_learn(kernel, N, X, Y, true, 0.02, weights, &lambda, shares));
    assert_true(weights[0] > 0.0 && shares[0] > 0.7);
    assert_true(shares[1] < 0.1 && shares[2] < 0.1);
    assert_true(shares[PARTS] > 0.01 && shares[PARTS] < 0.3);
    orff_kernel_free(kernel);
}

/* A given as the identity matrix goes by all P observations, A left out by one matrix of the rows. */
static void outputs_of_identity_parts_share_one_matrix(void **state) {
    (void)state;
    const double truth[PARTS] = {0.5, 0.3, 0.2}, identity[4] = {1, 0, 0, 1};
    double weights[2][2] = {{1.0, 1.0}, {1.0, 1.0}}, lambda[2], shares[2][3];
    draw(truth, 0.05, 5);
    for (size_t k = 0; k < 2; k++) {
        orff_kernel *kernel = NULL;
        orff_part parts[2] = {orff_part_default(), orff_part_default()};
        parts[0].sigma = 0.3;
        for (size_t m = 0; m < 2; m++) parts[m].A = k ? identity : NULL;
        assert_ok(orff_kernel_create(&kernel, 2, 2, 2, parts));
        assert_int_equal(orffi_exact_mixture_side(kernel, N), k ? 2 * N : N);
        assert_ok(orffi_exact_mixture_learn(kernel, N, X, Y, true, 0.0, weights[k], &lambda[k], shares[k]));
        orff_kernel_free(kernel);
    }
    assert_all_close(2, weights[0], weights[1], 1e-6);
    assert_all_close(3, shares[0], shares[1], 1e-6);
    assert_close(lambda[0], lambda[1], 1e-6 * lambda[1]);
}

static void refuses(void **state) {
    (void)state;
    const double truth[PARTS] = {1.0, 0.3, 0.2};
    double weights[PARTS] = {1.0, -1.0, 1.0}, lambda;
    draw(truth, 0.05, 3);
    orff_kernel *kernel = make_kernel(0, PARTS);
    assert_status(orffi_exact_mixture_learn(kernel, N, X, Y, false, 0.0, weights, &lambda, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    weights[1] = 1.0;
    memset(Y, 0, sizeof Y);
    assert_status(orffi_exact_mixture_learn(kernel, N, X, Y, false, 0.0, weights, &lambda, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    orff_kernel_free(kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_top),
        cmocka_unit_test(drops_what_is_not_there),
        cmocka_unit_test(outputs_of_identity_parts_share_one_matrix),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
