/* Exact operator-valued kernel ridge: golden numbers, and plain Gaussian elimination on the whole Gram
 * matrix. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/random.h"
#include "exact/exact.h"
#include "support.h"

#if defined(__SANITIZE_ADDRESS__)
#define ORFF_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORFF_SANITIZED
#endif
#endif

/* ---- data and references */

/* A = B B^T with B p x rank. */
static double *positive(size_t p, size_t rank, uint64_t seed) {
    double *B = support_normal(p * rank, seed, 3), *A = calloc(p * p, sizeof *A);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            for (size_t k = 0; k < rank; k++) A[i * p + j] += B[i * rank + k] * B[j * rank + k];
    free(B);
    return A;
}

static orff_kernel *make_kernel(size_t d, size_t p, size_t n_parts, const orff_part *parts) {
    orff_kernel *kernel = NULL;
    assert_ok(orff_kernel_create(&kernel, d, p, n_parts, parts));
    return kernel;
}

static orff_part part_of(orff_rule rule, double sigma) {
    orff_part part = orff_part_default();
    part.rule = rule;
    part.sigma = sigma;
    return part;
}

/* M x = b by elimination with row exchanges; M and b are destroyed, b becomes x. */
static void eliminate(size_t n, double *M, double *b) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(M[i * n + k]) > fabs(M[pivot * n + k])) pivot = i;
        for (size_t j = 0; j < n && pivot != k; j++) {
            const double t = M[k * n + j];
            M[k * n + j] = M[pivot * n + j];
            M[pivot * n + j] = t;
        }
        const double t = b[k];
        b[k] = b[pivot];
        b[pivot] = t;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = M[i * n + k] / M[k * n + k];
            for (size_t j = k; j < n; j++) M[i * n + j] -= factor * M[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= M[k * n + j] * b[j];
        b[k] /= M[k * n + k];
    }
}

/* alpha (n x p), and with it the values at Z and |f|^2, from the whole Gram matrix. */
typedef struct reference {
    double *alpha, *F, norm2;
} reference;

static reference solve_plainly(const orff_kernel *kernel, size_t n, const double *X, const double *Y,
                               double lambda, size_t m, const double *Z) {
    const size_t p = orff_kernel_outputs(kernel), order = n * p;
    reference r = {calloc(order, 8), calloc(m * p, 8), 0};
    double *G = calloc(order * order, 8), *H = calloc(m * p * order, 8), *M = calloc(order * order, 8);
    assert_ok(orff_kernel_gram(kernel, n, X, n, X, G));
    assert_ok(orff_kernel_gram(kernel, m, Z, n, X, H));
    memcpy(M, G, order * order * sizeof *M);
    for (size_t i = 0; i < order; i++) M[i * order + i] += (double)n * lambda;
    memcpy(r.alpha, Y, order * sizeof *Y);
    eliminate(order, M, r.alpha);
    for (size_t i = 0; i < m * p; i++)
        for (size_t j = 0; j < order; j++) r.F[i] += H[i * order + j] * r.alpha[j];
    for (size_t i = 0; i < order; i++)
        for (size_t j = 0; j < order; j++) r.norm2 += r.alpha[i] * G[i * order + j] * r.alpha[j];
    free(G);
    free(H);
    free(M);
    return r;
}

static void free_reference(reference *r) {
    free(r->alpha);
    free(r->F);
}

/* The library's solution of n random points agrees with elimination; returns the worst error seen by
 * assert. */
static void assert_like_elimination(const orff_kernel *kernel, size_t n, double lambda, double tolerance) {
    const size_t d = orff_kernel_inputs(kernel), p = orff_kernel_outputs(kernel), m = 7;
    double *X = support_normal(n * d, 1, 3), *Y = support_normal(n * p, 2, 3),
           *Z = support_normal(m * d, 3, 3);
    double *alpha = calloc(n * p, 8), *F = calloc(m * p, 8);
    reference want = solve_plainly(kernel, n, X, Y, lambda, m, Z);
    orff_exact *exact = NULL;
    assert_ok(orff_exact_fit(&exact, kernel, n, X, Y, lambda, false, 0));
    assert_ok(orff_exact_alpha(exact, alpha));
    assert_ok(orff_exact_predict(exact, m, Z, F));
    assert_all_close(n * p, alpha, want.alpha, tolerance);
    assert_all_close(m * p, F, want.F, tolerance);
    assert_close(orff_exact_norm2(exact), want.norm2, tolerance);
    orff_exact_free(exact);
    free_reference(&want);
    free(X);
    free(Y);
    free(Z);
    free(alpha);
    free(F);
}

/* ---- golden numbers */

static orff_part golden_part(const json_t *entry, const double *A) {
    const char *kind = support_string(entry, "kind");
    const bool dec = !strcmp(kind, "dec"), curl = !strcmp(kind, "curl"), div = !strcmp(kind, "div");
    orff_part part = part_of(dec    ? ORFF_RULE_DECOMPOSABLE
                             : curl ? ORFF_RULE_CURL_FREE
                             : div  ? ORFF_RULE_DIV_FREE
                                    : ORFF_RULE_HELMHOLTZ,
                             support_number(entry, "sigma"));
    part.A = A;
    if (part.rule == ORFF_RULE_HELMHOLTZ) {
        /* the table has c K_curl + (1-c) K_div, which is what mix = c means */
        part.mix = support_number(entry, "c");
    }
    return part;
}

static void check_golden(const json_t *entry) {
    size_t n, d, p, m, rows, cols;
    double *X = support_matrix(support_member(entry, "X"), &n, &d);
    double *Y = support_matrix(support_member(entry, "Y"), &n, &p);
    double *Z = support_matrix(support_member(entry, "X_test"), &m, &d);
    double *alpha = support_matrix(support_member(entry, "alpha"), &rows, &cols);
    double *F = support_matrix(support_member(entry, "pred_test"), &rows, &cols);
    double *gram = support_matrix(support_member(entry, "K_gram"), &rows, &cols);
    double *A = json_object_get(entry, "A") ? support_matrix(support_member(entry, "A"), &rows, &cols) : NULL;
    const orff_part part = golden_part(entry, A);
    orff_kernel *kernel = make_kernel(d, p, 1, &part);
    orff_exact *exact = NULL;
    double *got = calloc(n * p * n * p, 8);
    assert_ok(orff_kernel_gram(kernel, n, X, n, X, got));
    assert_all_close(n * p * n * p, got, gram, 1e-12);
    assert_ok(orff_exact_fit(&exact, kernel, n, X, Y, support_number(entry, "lambda"), false, 0));
    orff_kernel_free(kernel);
    assert_ok(orff_exact_alpha(exact, got));
    assert_all_close(n * p, got, alpha, 1e-11);
    assert_ok(orff_exact_predict(exact, m, Z, got));
    assert_all_close(m * p, got, F, 1e-11);
    assert_close(orff_exact_norm2(exact), support_number(entry, "rkhs_norm2"), 1e-11);
    orff_exact_free(exact);
    double *all[] = {X, Y, Z, alpha, F, gram, A, got};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void test_golden(void **state) {
    (void)state;
    support_each("golden/ridge_exact.json", check_golden);
}

/* ---- one structure or another, the same answer */

/* k (x) A by one factorisation, by several, by eigenvectors, and with a null space of A. */
static void test_kronecker(void **state) {
    (void)state;
    const struct {
        size_t p, rank;
        bool eigen;
    } cases[] = {{1, 1, false}, {3, 3, false}, {5, 2, false}, {12, 12, true}, {14, 3, false}, {15, 12, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double *A = positive(cases[c].p, cases[c].rank, 10 + c);
        orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, 1.3);
        part.A = A;
        part.weight = 0.7;
        orff_kernel *kernel = make_kernel(2, cases[c].p, 1, &part);
        orffi_exact_plan plan;
        assert_ok(orffi_exact_plan_make(&plan, kernel, 20));
        assert_non_null(plan.law);
        assert_int_equal(plan.groups, cases[c].rank);
        assert_int_equal(plan.eigen, cases[c].eigen);
        orffi_exact_plan_clear(&plan);
        support_case("p = %zu, rank %zu", cases[c].p, cases[c].rank);
        assert_like_elimination(kernel, 20, 1e-3, 1e-10);
        orff_kernel_free(kernel);
        free(A);
    }
    support_case(NULL);
}

/* Identity: one factorisation for all outputs, and no p x p matrix. */
static void test_identity(void **state) {
    (void)state;
    orff_part parts[2] = {part_of(ORFF_RULE_DECOMPOSABLE, 0.8), part_of(ORFF_RULE_DECOMPOSABLE, 0.8)};
    orff_kernel *kernel = make_kernel(3, 4, 2, parts);
    orffi_exact_plan plan;
    assert_ok(orffi_exact_plan_make(&plan, kernel, 20));
    assert_null(plan.W);
    assert_int_equal(plan.groups, 1);
    assert_true(plan.m[0] == 2);
    orffi_exact_plan_clear(&plan);
    assert_like_elimination(kernel, 20, 1e-2, 1e-11);
    orff_kernel_free(kernel);
}

/* Two output matrices on one law are one; equal eigenvalues are found equal. */
static void test_merged_parts(void **state) {
    (void)state;
    double *A = positive(3, 1, 5);
    orff_part parts[2] = {part_of(ORFF_RULE_DECOMPOSABLE, 1), part_of(ORFF_RULE_DECOMPOSABLE, 1)};
    parts[0].A = A;
    parts[1].weight = 0.5;
    orff_kernel *kernel = make_kernel(2, 3, 2, parts);
    orffi_exact_plan plan;
    assert_ok(orffi_exact_plan_make(&plan, kernel, 20));
    assert_non_null(plan.law);
    assert_int_equal(plan.groups, 2); /* 0.5 twice, and 0.5 + |a|^2 */
    orffi_exact_plan_clear(&plan);
    assert_like_elimination(kernel, 20, 1e-2, 1e-11);
    orff_kernel_free(kernel);
    free(A);
}

static void test_sums(void **state) {
    (void)state;
    double *A = positive(2, 2, 8);
    orff_part parts[3] = {part_of(ORFF_RULE_CURL_FREE, 1.5), part_of(ORFF_RULE_DIV_FREE, 0.9),
                          part_of(ORFF_RULE_DECOMPOSABLE, 0.3)};
    parts[1].weight = 0.4;
    parts[2].A = A;
    parts[2].base = ORFF_BASE_MATERN;
    parts[2].shape = 2.5;
    for (size_t count = 1; count <= 3; count++) {
        orff_kernel *kernel = make_kernel(2, 2, count, parts);
        orffi_exact_plan plan;
        assert_ok(orffi_exact_plan_make(&plan, kernel, 20));
        assert_null(plan.law);
        support_case("%zu parts", count);
        assert_like_elimination(kernel, 20, 1e-3, 1e-10);
        orff_kernel_free(kernel);
    }
    support_case(NULL);
    free(A);
}

/* The dense solver on a kernel that has structure agrees with the structured one. */
static void test_dense_agrees(void **state) {
    (void)state;
    enum { N = 30, P = 3, D = 2 };
    double *A = positive(P, P, 4), *X = support_normal(N * D, 5, 3), *Y = support_normal(N * P, 6, 3);
    orff_part part = part_of(ORFF_RULE_DECOMPOSABLE, 1);
    part.A = A;
    orff_kernel *kernel = make_kernel(D, P, 1, &part);
    orff_exact *exact = NULL;
    assert_ok(orff_exact_fit(&exact, kernel, N, X, Y, 1e-4, false, 0));
    orff_exact dense = {.kernel = kernel, .plan = {.n = N, .d = D, .p = P}, .X = X, .alpha = Y};
    double jitter = 0;
    assert_ok(orffi_exact_solve_dense(&dense, N * 1e-4, &jitter));
    assert_true(jitter == 0);
    assert_all_close(N * P, exact->alpha, dense.alpha, 1e-10);
    orff_exact_free(exact);
    orff_kernel_free(kernel);
    free(A);
    free(X);
    free(Y);
}

/* ---- properties */

static void test_center(void **state) {
    (void)state;
    enum { N = 25, P = 2 };
    double *X = support_normal(N * 2, 1, 3), *Y = support_normal(N * P, 2, 3), plain[P], shifted[P];
    const double far[2] = {1e3, -1e3};
    const orff_part part = part_of(ORFF_RULE_CURL_FREE, 1);
    orff_kernel *kernel = make_kernel(2, P, 1, &part);
    orff_exact *exact = NULL, *moved = NULL;
    assert_ok(orff_exact_fit(&exact, kernel, N, X, Y, 1e-3, true, 0));
    for (size_t i = 0; i < N * P; i++) Y[i] += i % P ? 100 : -7;
    assert_ok(orff_exact_fit(&moved, kernel, N, X, Y, 1e-3, true, 0));
    assert_ok(orff_exact_predict(exact, 1, X, plain));
    assert_ok(orff_exact_predict(moved, 1, X, shifted));
    assert_close(shifted[0], plain[0] - 7, 1e-11);
    assert_close(shifted[1], plain[1] + 100, 1e-11);
    assert_close(orff_exact_norm2(exact), orff_exact_norm2(moved), 1e-10);
    double mean[P] = {0};
    for (size_t i = 0; i < N * P; i++) mean[i % P] += Y[i] / N;
    assert_ok(orff_exact_predict(moved, 1, far, shifted));
    assert_all_close(P, shifted, mean, 1e-12);
    orff_exact_free(exact);
    orff_exact_free(moved);
    orff_kernel_free(kernel);
    free(X);
    free(Y);
}

/* As lambda goes to 0 the function passes through the data; as it grows the function goes to 0 like
 * 1/lambda. */
static void test_limits_of_lambda(void **state) {
    (void)state;
    enum { N = 15, P = 2 };
    double *X = support_normal(N * 2, 21, 3), *Y = support_normal(N * P, 22, 3), F[N * P];
    orff_part parts[2] = {part_of(ORFF_RULE_DIV_FREE, 0.7), part_of(ORFF_RULE_DECOMPOSABLE, 0.5)};
    for (int which = 0; which < 2; which++) {
        orff_kernel *kernel = make_kernel(2, P, 1, &parts[which]);
        double last = INFINITY;
        for (double lambda = 1e-2; lambda > 1e-14; lambda *= 1e-2) {
            orff_exact *exact = NULL;
            double gap = 0;
            assert_ok(orff_exact_fit(&exact, kernel, N, X, Y, lambda, false, 0));
            assert_ok(orff_exact_predict(exact, N, X, F));
            for (size_t i = 0; i < N * P; i++) gap = fmax(gap, fabs(F[i] - Y[i]));
            assert_true(gap < last);
            last = gap;
            orff_exact_free(exact);
        }
        assert_true(last < 1e-7);
        double norms[2];
        for (int i = 0; i < 2; i++) {
            orff_exact *exact = NULL;
            assert_ok(orff_exact_fit(&exact, kernel, N, X, Y, i ? 1e12 : 1e10, false, 0));
            norms[i] = orff_exact_norm2(exact);
            orff_exact_free(exact);
        }
        assert_close(norms[0] / norms[1], 1e4, 1e-8);
        orff_kernel_free(kernel);
    }
    free(X);
    free(Y);
}

/* norm2 keeps its digits whichever way it is computed. */
static void test_norm_at_every_lambda(void **state) {
    (void)state;
    const orff_part part = part_of(ORFF_RULE_CURL_FREE, 1);
    orff_kernel *kernel = make_kernel(2, 2, 1, &part);
    for (double lambda = 1e-3; lambda < 1e8; lambda *= 100) {
        support_case("lambda %g", lambda);
        assert_like_elimination(kernel, 12, lambda, 1e-11);
    }
    support_case(NULL);
    orff_kernel_free(kernel);
}

/* Points come in blocks: any number of them has the same values as one at a time. */
static void test_predict_in_blocks(void **state) {
    (void)state;
    enum { N = 600, M = 4000, P = 2 };
    double *X = support_normal(N * 2, 31, 3), *Y = support_normal(N * P, 32, 3),
           *Z = support_normal(M * 2, 33, 3), *F = calloc(M * P, 8);
    orff_part parts[2] = {part_of(ORFF_RULE_DECOMPOSABLE, 1), part_of(ORFF_RULE_CURL_FREE, 1)};
    for (size_t count = 1; count <= 2; count++) {
        orff_kernel *kernel = make_kernel(2, P, count, parts);
        orff_exact *exact = NULL;
        double one[P];
        assert_ok(orff_exact_fit(&exact, kernel, N, X, Y, 1e-3, false, 0));
        assert_ok(orff_exact_predict(exact, M, Z, F));
        for (size_t i = 0; i < M; i += 333) {
            assert_ok(orff_exact_predict(exact, 1, Z + 2 * i, one));
            assert_all_close(P, F + i * P, one, 1e-12);
        }
        assert_ok(orff_exact_predict(exact, 0, NULL, NULL));
        orff_exact_free(exact);
        orff_kernel_free(kernel);
    }
    free(X);
    free(Y);
    free(Z);
    free(F);
}

/* ---- what is refused */

static void test_refusals(void **state) {
    (void)state;
    double X[6] = {0, 1, 2, 3, 4, 5}, Y[6] = {1, 2, 3, 4, 5, 6}, F[2] = {7, 7};
    const orff_part part = part_of(ORFF_RULE_CURL_FREE, 1);
    orff_kernel *kernel = make_kernel(2, 2, 1, &part);
    orff_exact *exact = NULL;
    const double bad[] = {0, -1, (double)NAN, (double)INFINITY, 1e308};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_status(orff_exact_fit(&exact, kernel, 3, X, Y, bad[i], false, 0), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_exact_fit(&exact, kernel, 0, X, Y, 1, false, 0), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_exact_fit(&exact, kernel, 3, NULL, Y, 1, false, 0), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_exact_fit(&exact, NULL, 3, X, Y, 1, false, 0), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_exact_fit(NULL, kernel, 3, X, Y, 1, false, 0), ORFF_ERROR_INVALID_ARGUMENT);
    Y[3] = (double)NAN;
    assert_status(orff_exact_fit(&exact, kernel, 3, X, Y, 1, false, 0), ORFF_ERROR_NOT_FINITE);
    Y[3] = 4;
    X[5] = (double)INFINITY;
    assert_status(orff_exact_fit(&exact, kernel, 3, X, Y, 1, false, 0), ORFF_ERROR_NOT_FINITE);
    assert_null(exact);
    assert_ok(orff_exact_fit(&exact, kernel, 2, X, Y, 1, false, 0));
    assert_status(orff_exact_predict(exact, 1, X + 4, F), ORFF_ERROR_NOT_FINITE);
    assert_true(F[0] == 7 && F[1] == 7);
    assert_status(orff_exact_predict(NULL, 1, X, F), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_exact_alpha(exact, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    orff_exact_free(exact);
    orff_exact_free(NULL);
    orff_kernel_free(kernel);
}

static int identity_block_at(void *self, const double *at, double *matrix) {
    (void)self;
    (void)at;
    matrix[0] = matrix[3] = 1;
    matrix[1] = matrix[2] = 0;
    return 0;
}
SUPPORT_MANY(identity_block, 2, 4)

/* A custom part whose K0 is not known has no exact ridge; one whose callback stops answering fails with its
 * status. */
static int failing_after;
static int gaussian_value_at(void *self, const double *delta, double *matrix) {
    (void)self;
    const double k = exp(-0.5 * (delta[0] * delta[0] + delta[1] * delta[1]));
    matrix[0] = matrix[3] = k;
    matrix[1] = matrix[2] = 0;
    return failing_after-- == 0;
}
SUPPORT_MANY(gaussian_value, 2, 4)

static void test_callbacks(void **state) {
    (void)state;
    double X[8] = {0, 1, 2, 3, 4, 5, 6, 8}, Y[8] = {1, 2, 3, 4, 5, 6, 7, 8}, F[8] = {0}, want[8];
    orff_part part = part_of(ORFF_RULE_CUSTOM_B, 1);
    part.matrix = identity_block;
    part.columns = 2;
    orff_kernel *kernel = make_kernel(2, 2, 1, &part);
    orff_exact *exact = NULL;
    assert_status(orff_exact_fit(&exact, kernel, 4, X, Y, 0.1, false, 0), ORFF_ERROR_UNSUPPORTED);
    orff_kernel_free(kernel);
    part.exact = gaussian_value;
    kernel = make_kernel(2, 2, 1, &part);
    failing_after = 5;
    assert_status(orff_exact_fit(&exact, kernel, 4, X, Y, 0.1, false, 0), ORFF_ERROR_CALLBACK);
    assert_null(exact);
    failing_after = -1;
    assert_ok(orff_exact_fit(&exact, kernel, 4, X, Y, 0.1, false, 0));
    failing_after = 6;
    assert_status(orff_exact_predict(exact, 4, X, F), ORFF_ERROR_CALLBACK);
    for (size_t i = 0; i < 8; i++) assert_true(F[i] == 0);
    failing_after = -1;
    assert_ok(orff_exact_predict(exact, 4, X, F));
    orff_exact_free(exact);
    orff_kernel_free(kernel);
    exact = NULL;
    const orff_part same = part_of(ORFF_RULE_DECOMPOSABLE, 1);
    kernel = make_kernel(2, 2, 1, &same);
    assert_ok(orff_exact_fit(&exact, kernel, 4, X, Y, 0.1, false, 0));
    assert_ok(orff_exact_predict(exact, 4, X, want));
    assert_all_close(8, F, want, 1e-13);
    orff_exact_free(exact);
    orff_kernel_free(kernel);
}

/* ---- singular to rounding */

static int warnings;
static void count_warnings(void *self, orff_log_level level, const char *message) {
    (void)self;
    (void)message;
    warnings += level == ORFF_LOG_WARNING;
}

/* Points so close that k is singular to rounding, and lambda far below rounding: where y is smooth the
 * answer is still right, and a warning says what was done; where two outputs contradict each other it is
 * refused. */
static void check_singular(const orff_kernel *kernel, size_t n) {
    const size_t p = orff_kernel_outputs(kernel);
    const orff_hooks hooks = {.log = count_warnings};
    double *X = calloc(2 * n, 8), *Y = calloc(n * p, 8), *F = calloc(n * p, 8);
    orff_exact *exact = NULL;
    for (size_t i = 0; i < n; i++) {
        X[2 * i] = (double)i / (double)n;
        X[2 * i + 1] = 0.3 * X[2 * i];
        for (size_t j = 0; j < p; j++) Y[i * p + j] = cos(X[2 * i] + (double)j);
    }
    warnings = 0;
    orff_set_hooks(&hooks);
    assert_ok(orff_exact_fit(&exact, kernel, n, X, Y, 1e-30, false, 0));
    orff_set_hooks(NULL);
    assert_int_equal(warnings, 1);
    assert_ok(orff_exact_predict(exact, n, X, F));
    assert_all_close(n * p, F, Y, 1e-5);
    orff_exact_free(exact);
    exact = NULL;
    memcpy(X + 2, X, 2 * sizeof *X);
    Y[p] = Y[0] + 1;
    assert_status(orff_exact_fit(&exact, kernel, n, X, Y, 1e-30, false, 0), ORFF_ERROR_NUMERICAL);
    assert_non_null(strstr(orff_error_message(), "larger lambda"));
    assert_null(exact);
    free(X);
    free(Y);
    free(F);
}

static void test_singular(void **state) {
    (void)state;
    double *A = positive(12, 12, 3);
    orff_part eigen = part_of(ORFF_RULE_DECOMPOSABLE, 1),
              sum[2] = {part_of(ORFF_RULE_DECOMPOSABLE, 1), part_of(ORFF_RULE_DECOMPOSABLE, 2)};
    orff_kernel *kernels[3] = {make_kernel(2, 2, 1, sum), make_kernel(2, 2, 2, sum), NULL};
    eigen.A = A;
    kernels[2] = make_kernel(2, 12, 1, &eigen);
    for (size_t i = 0; i < 3; i++) {
        support_case("kernel %zu", i);
        check_singular(kernels[i], 40);
        orff_kernel_free(kernels[i]);
    }
    support_case(NULL);
    free(A);
}

/* ---- memory */

static void test_memory_limit(void **state) {
    (void)state;
    double *X = support_normal(200, 1, 3), *Y = support_normal(200, 2, 3);
    const orff_part part = part_of(ORFF_RULE_CURL_FREE, 1);
    orff_kernel *kernel = make_kernel(2, 2, 1, &part);
    orff_exact *exact = NULL;
    const size_t bytes = orff_exact_bytes(kernel, 100);
    assert_true(bytes > 200 * 200 * 8 && bytes < 200 * 200 * 9);
    assert_status(orff_exact_fit(&exact, kernel, 100, X, Y, 1, false, bytes - 1), ORFF_ERROR_NO_MEMORY);
    assert_non_null(strstr(orff_error_message(), "GB of memory, the limit is"));
    assert_non_null(strstr(orff_error_message(), "features"));
    assert_null(exact);
    assert_ok(orff_exact_fit(&exact, kernel, 100, X, Y, 1, false, bytes));
    assert_true(orff_exact_bytes(kernel, SIZE_MAX / 8) == SIZE_MAX);
    assert_true(orff_exact_bytes(NULL, 1) == SIZE_MAX);
    orff_exact_free(exact);
    orff_kernel_free(kernel);
    free(X);
    free(Y);
}

/* ---- peak of a process of its own: this program again, with the number of a way of solving */

enum { WAYS = 4, OUTPUTS = 12 };

static orff_kernel *way_kernel(size_t way) {
    double *A = positive(OUTPUTS, way == 2 ? 2 : OUTPUTS, 3);
    orff_part part = part_of(way ? ORFF_RULE_DECOMPOSABLE : ORFF_RULE_CURL_FREE, 1);
    part.A = way >= 2 ? A : NULL;
    orff_kernel *kernel = make_kernel(2, way ? OUTPUTS : 2, 1, &part);
    free(A);
    return kernel;
}

static double peak_bytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024 * (double)usage.ru_maxrss;
}

static void fit_once(const orff_kernel *kernel, size_t n, const double *X, const double *Y) {
    orff_exact *exact = NULL;
    if (orff_exact_fit(&exact, kernel, n, X, Y, 1e-2, false, 0)) abort();
    orff_exact_free(exact);
}

/* Prints the bytes announced and taken. A small problem first brings up BLAS and its threads. */
static int measure_peak(size_t way) {
    const size_t sizes[WAYS] = {1000, 2400, 1800, 1100}, n = sizes[way];
    double *X = support_normal(2 * n, 1, 3), *Y = support_normal(n * OUTPUTS, 2, 3);
    orff_kernel *kernel = way_kernel(way);
    orff_set_threads(1);
    fit_once(kernel, 300, X, Y);
    const double before = peak_bytes();
    fit_once(kernel, n, X, Y);
    printf("%.0f %.0f\n", (double)orff_exact_bytes(kernel, n), peak_bytes() - before);
    orff_kernel_free(kernel);
    free(X);
    free(Y);
    return 0;
}

static const char *program;

/* What was announced is what is taken, for each way of solving. The sanitizers keep memory of their own. */
static void test_memory_peak(void **state) {
    (void)state;
#ifdef ORFF_SANITIZED
    skip();
#endif
    for (size_t way = 0; way < WAYS; way++) {
        char command[4200];
        double announced, taken;
        snprintf(command, sizeof command, "'%s' peak %zu", program, way);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        assert_int_equal(fscanf(pipe, "%lf %lf", &announced, &taken), 2);
        assert_int_equal(pclose(pipe), 0);
        if (!(fabs(taken - announced) < 0.1 * announced + 4e6))
            fail_msg("way %zu: %.1f MB announced, %.1f MB taken", way, announced * 1e-6, taken * 1e-6);
    }
}

int main(int count, char **arguments) {
    if (count == 3 && !strcmp(arguments[1], "peak")) return measure_peak(strtoul(arguments[2], NULL, 10));
    program = arguments[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_kronecker),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_merged_parts),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_dense_agrees),
        cmocka_unit_test(test_center),
        cmocka_unit_test(test_limits_of_lambda),
        cmocka_unit_test(test_norm_at_every_lambda),
        cmocka_unit_test(test_predict_in_blocks),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_memory_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
