/* The wrappers against plain loops and the identities that define their results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/random.h"
#include "support.h"

enum { MOST = 40 };

static const orffi_rng rng = {.seed = 6, .stream = 0};

static void fill(size_t count, double *a, uint32_t slot) {
    for (size_t i = 0; i < count; i++) a[i] = orffi_rng_normal(rng, i, slot);
}

/* C = op(A) op(B)   (m x n), the inner dimension k. */
static void multiply(bool ta, bool tb, size_t m, size_t n, size_t k, const double *A, size_t lda,
                     const double *B, size_t ldb, double *C) {
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            C[i * n + j] = 0;
            for (size_t l = 0; l < k; l++)
                C[i * n + j] +=
                    (ta ? A[l * lda + i] : A[i * lda + l]) * (tb ? B[j * ldb + l] : B[l * ldb + j]);
        }
}

/* A = G G^T + shift I of rank `rank` before the shift   (n x n). */
static void make_positive(size_t n, size_t rank, double shift, double *A) {
    double G[MOST * MOST];
    fill(n * rank, G, 9);
    multiply(false, true, n, n, rank, G, rank, G, rank, A);
    for (size_t i = 0; i < n; i++) A[i * n + i] += shift;
}

static void check_gemm(bool ta, bool tb, size_t m, size_t n, size_t k) {
    double A[MOST * MOST], B[MOST * MOST], C[MOST * MOST], product[MOST * MOST], want[MOST * MOST];
    float As[MOST * MOST], Bs[MOST * MOST], Cs[MOST * MOST];
    const size_t lda = (ta ? m : k) + 2, ldb = (tb ? k : n) + 1, ldc = n + 3;
    fill(MOST * MOST, A, 0);
    fill(MOST * MOST, B, 1);
    fill(MOST * MOST, C, 2);
    for (size_t i = 0; i < MOST * MOST; i++) {
        As[i] = (float)A[i];
        Bs[i] = (float)B[i];
        Cs[i] = (float)C[i];
    }
    multiply(ta, tb, m, n, k, A, lda, B, ldb, product);
    memcpy(want, C, sizeof want);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) want[i * ldc + j] = 1.5 * product[i * n + j] - 0.5 * C[i * ldc + j];
    support_case("%d %d %zu x %zu x %zu", ta, tb, m, n, k);
    orffi_gemm(ta, tb, m, n, k, 1.5, A, lda, B, ldb, -0.5, C, ldc);
    assert_all_close(MOST * MOST, C, want, 1e-13);
    orffi_gemm_single(ta, tb, m, n, k, 1.5f, As, lda, Bs, ldb, -0.5f, Cs, ldc);
    for (size_t i = 0; i < MOST * MOST; i++) assert_close((double)Cs[i], want[i], 1e-4);
}

static void products(void **state) {
    (void)state;
    static const size_t sizes[][3] = {{1, 1, 1}, {3, 5, 2}, {30, 17, 24}, {0, 4, 3},
                                      {4, 0, 3}, {4, 3, 0}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int turn = 0; turn < 4; turn++)
            check_gemm(turn & 1, turn & 2, sizes[i][0], sizes[i][1], sizes[i][2]);
}

/* beta = 0 overwrites, whatever was there; k = 0 with NULL operands is a product too. */
static void product_overwrites(void **state) {
    (void)state;
    const double a = 2, b = 3;
    double c[2] = {(double)NAN, (double)NAN};
    float s[2] = {(float)NAN, (float)NAN};
    orffi_gemm(false, false, 1, 1, 1, 1, &a, 1, &b, 1, 0, c, 1);
    assert_true(c[0] == 6);
    orffi_gemm(false, false, 1, 2, 0, 1, NULL, 0, NULL, 0, 0, c, 2);
    orffi_gemm_single(false, false, 1, 2, 0, 1, NULL, 0, NULL, 0, 0, s, 2);
    assert_true(c[0] == 0 && c[1] == 0 && s[0] == 0 && s[1] == 0);
}

/* A V = V diag(values), V^T V = I, ascending. 37 columns: more than one tile of the transposition. */
/* Only one triangle is read, and a factor leaves the other as it was. */
static void triangles(void **state) {
    enum { N = 37 };
    double A[N * N], B[N * N], C[N * N], want[N * N], U[N * N], kept[N * N];
    (void)state;
    make_positive(N, N, 1.0, A);
    for (size_t m = 1; m <= 3; m += 2) {
        fill(N * m, B, 3);
        multiply(false, false, N, m, N, A, N, B, m, want);
        memcpy(U, A, sizeof U);
        for (size_t i = 1; i < N; i++) U[i * N] = (double)NAN;
        orffi_upper_symmetric(N, U, m, B, C);
        assert_all_close(N * m, C, want, 1e-12);
    }
    memcpy(kept, A, sizeof kept);
    assert_ok(orffi_cholesky_beside(N, kept));
    memcpy(U, A, sizeof U);
    assert_ok(orffi_cholesky(N, U));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            assert_true(kept[i * N + j] == (j > i ? A : U)[i * N + j]);
            assert_true(j <= i || U[i * N + j] == 0.0);
        }
    assert_ok(orffi_cholesky_root(N, U));
    fill(N * N, B, 4);
    for (size_t rows = 5; rows <= N; rows += N - 5) {
        multiply(false, false, rows, N, N, B, N, U, N, want);
        orffi_times_factor(rows, N, N, B, U, C);
        assert_all_close(rows * N, C, want, 1e-12);
        multiply(false, false, rows, N, N, B, N, A, N, want);
        orffi_times_factor(rows, N, N, B, A, C);
        assert_all_close(rows * N, C, want, 1e-12);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = i + 1; j < N; j++) kept[i * N + j] = (double)NAN;
    orffi_mirror_lower(N, kept);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) assert_true(kept[i * N + j] == kept[j * N + i]);
}

static void symmetric_norm(void **state) {
    (void)state;
    const double A[] = {1.0, -2.0, 0.5, -2.0, 3.0, 0.0, 0.5, 0.0, -4.0};
    assert_close(orffi_symmetric_norm(3, A), 5.0, 0.0);
    assert_close(orffi_symmetric_norm(0, A), 0.0, 0.0);
}

static void eigen_decomposes(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 10, 37};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t n = sizes[s];
        double A[MOST * MOST], V[MOST * MOST], values[MOST], left[MOST * MOST], right[MOST * MOST];
        fill(n * n, A, 3);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) A[i * n + j] = A[j * n + i];
        memcpy(V, A, n * n * sizeof *A);
        support_case("n = %zu", n);
        assert_ok(orffi_eigen(n, V, values));
        multiply(false, false, n, n, n, A, n, V, n, left);
        for (size_t i = 0; i < n * n; i++) right[i] = V[i] * values[i % n];
        assert_all_close(n * n, left, right, 1e-13 * (double)n);
        multiply(true, false, n, n, n, V, n, V, n, left);
        for (size_t i = 0; i < n * n; i++) right[i] = i % (n + 1) == 0;
        assert_all_close(n * n, left, right, 1e-14 * (double)n);
        for (size_t i = 1; i < n; i++) assert_true(values[i] >= values[i - 1]);
    }
    assert_ok(orffi_eigen(0, NULL, NULL));
    double bad[] = {1, (double)NAN, (double)NAN, 1}, values[2];
    assert_status(orffi_eigen(2, bad, values), ORFF_ERROR_NOT_FINITE);
}

static void cholesky_factors_and_solves(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 7, 33};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t n = sizes[s], m = 5;
        double A[MOST * MOST], L[MOST * MOST], product[MOST * MOST], X[MOST * 5], B[MOST * 5];
        make_positive(n, n, 1, A);
        memcpy(L, A, n * n * sizeof *A);
        support_case("n = %zu", n);
        assert_ok(orffi_cholesky(n, L));
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++) assert_true(L[i * n + j] == 0);
        multiply(false, true, n, n, n, L, n, L, n, product);
        assert_all_close(n * n, product, A, 1e-13);
        fill(n * m, X, 4);
        multiply(false, false, n, m, n, A, n, X, m, B);
        assert_ok(orffi_cholesky_solve(n, L, m, B));
        assert_all_close(n * m, B, X, 1e-11);
    }
}

/* A_ij = r^|i-j| has L_ij = r^(i-j) q with q = sqrt(1 - r^2), but q = 1 in the first column. */
static double *make_powers(size_t n, double r) {
    double *A = malloc(n * n * sizeof *A);
    assert_non_null(A);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) A[i * n + j] = pow(r, (double)(i > j ? i - j : j - i));
    return A;
}

static bool stop_at_1024(void *self, const char *task, double done, double total) {
    (void)task;
    *(double *)self = total;
    return done < 1024;
}

/* Large matrices are worked through in panels, also where the last is narrow. */
static void large_factors(void **state) {
    (void)state;
    enum { N = 3100 };
    const double r = 0.9, q = sqrt(1 - r * r);
    double *A = make_powers(N, r);
    assert_ok(orffi_cholesky(N, A));
    for (size_t i = 0; i < N; i++)
        for (size_t j = i % 7; j < N; j += 7)
            assert_close(A[i * N + j], j > i ? 0 : pow(r, (double)(i - j)) * (j ? q : 1), 1e-12);
    assert_ok(orffi_cholesky_root(N, A)); /* L^-T has two diagonals */
    for (size_t i = 0; i < N; i++)
        for (size_t j = i; j < N; j++)
            assert_close(A[i * N + j], j == i ? (i ? 1 / q : 1) : j == i + 1 ? -r / q : 0, 1e-10);
    free(A);
}

static bool stop_in_the_middle(void *self, const char *task, double done, double total) {
    assert_string_equal(task, ORFFI_DECOMPOSITION);
    *(size_t *)self += 1;
    return 2.0 * done < total;
}

/* Large matrices are decomposed in steps. A = I + r (ones beside the diagonal) has known eigenvalues. */
static void large_decompositions(void **state) {
    (void)state;
    enum { N = 1600 };
    const double r = 0.4, step = 3.14159265358979323846 / (N + 1);
    size_t told = 0;
    double *A = calloc((size_t)N * N, sizeof *A), *values = calloc(N, sizeof *values);
    assert_true(A && values);
    for (size_t i = 0; i < N; i++) {
        A[i * N + i] = 1;
        if (i) A[i * N + i - 1] = A[(i - 1) * N + i] = r;
    }
    assert_ok(orffi_eigen(N, A, values));
    for (size_t k = 0; k < N; k++)
        assert_close(values[N - 1 - k], 1 + 2 * r * cos((double)(k + 1) * step), 1e-12);
    for (size_t i = 0; i < N;
         i += 97) { /* the first: V_i proportional to sin((i + 1) step), in the last column */
        const double want = sqrt(2.0 / (N + 1)) * sin((double)(i + 1) * step);
        assert_close(fabs(A[i * N + N - 1]), fabs(want), 1e-8);
    }
    const orff_hooks hooks = {.progress = stop_in_the_middle, .self = &told};
    orff_set_hooks(&hooks);
    assert_status(orffi_eigen(N, A, values), ORFF_ERROR_CANCELLED);
    orff_set_hooks(NULL);
    assert_int_equal(told, 2);
    free(A);
    free(values);
}

static void large_factors_stop_and_refuse(void **state) {
    (void)state;
    enum { N = 3100, BAD = 2000 };
    double *A = make_powers(N, 0.9), total = 0;
    const orff_hooks hooks = {.progress = stop_at_1024, .self = &total};
    orff_set_hooks(&hooks);
    assert_status(orffi_cholesky(N, A), ORFF_ERROR_CANCELLED);
    assert_true(total == N);
    orff_set_hooks(NULL);
    free(A);
    A = make_powers(N, 0.9);
    A[(size_t)BAD * N + BAD] = 0;
    assert_status(orffi_cholesky(N, A), ORFF_ERROR_NOT_POSITIVE);
    assert_non_null(strstr(orff_error_message(), "pivot 2001 of 3100"));
    for (size_t i = 0; i < N; i++)
        for (size_t j = i + 1; j < N; j++) assert_true(A[i * N + j] == pow(0.9, (double)(j - i)));
    free(A);
}

static void cholesky_refuses(void **state) {
    (void)state;
    double indefinite[] = {1, 2, 2, 1}, bad[] = {1, 0, (double)NAN, 1};
    assert_status(orffi_cholesky(2, indefinite), ORFF_ERROR_NOT_POSITIVE);
    assert_non_null(strstr(orff_error_message(), "pivot 2"));
    assert_status(orffi_cholesky(2, bad), ORFF_ERROR_NOT_FINITE);
    assert_ok(orffi_cholesky(0, NULL));
    assert_ok(orffi_cholesky_solve(0, NULL, 3, NULL));
    assert_ok(orffi_cholesky_solve(3, NULL, 0, NULL));
}

/* Q Q^T = I, and A = T Q with T lower triangular, its diagonal positive: Gram and Schmidt's rows. */
static void rows_become_orthonormal(void **state) {
    (void)state;
    static const size_t sizes[][2] = {{1, 1}, {1, 4}, {3, 3}, {5, 9}, {20, 33}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t m = sizes[s][0], n = sizes[s][1];
        double A[MOST * MOST], Q[MOST * MOST], T[MOST * MOST], back[MOST * MOST], eye[MOST * MOST];
        fill(m * n, A, 5);
        memcpy(Q, A, m * n * sizeof *A);
        support_case("%zu x %zu", m, n);
        assert_ok(orffi_orthonormal_rows(m, n, Q));
        multiply(false, true, m, m, n, Q, n, Q, n, T);
        for (size_t i = 0; i < m * m; i++) eye[i] = i % (m + 1) == 0;
        assert_all_close(m * m, T, eye, 1e-14 * (double)n);
        multiply(false, true, m, m, n, A, n, Q, n, T);
        for (size_t i = 0; i < m; i++) assert_true(T[i * m + i] > 0);
        for (size_t i = 0; i < m; i++)
            for (size_t j = i + 1; j < m; j++) assert_close(T[i * m + j], 0, 1e-13);
        multiply(false, false, m, n, m, T, m, Q, n, back);
        assert_all_close(m * n, back, A, 1e-13);
    }
    double two[2] = {1, 2};
    assert_status(orffi_orthonormal_rows(2, 1, two), ORFF_ERROR_INVALID_ARGUMENT);
    assert_ok(orffi_orthonormal_rows(0, 3, NULL));
}

/* Haar on O(2): the first row's angle is uniform and the determinant +-1 with even odds. */
static void orthonormal_rows_are_haar(void **state) {
    (void)state;
    enum { DRAWS = 4000 };
    double cosines[4] = {0}, turns = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double A[4];
        for (uint32_t k = 0; k < 4; k++) A[k] = orffi_rng_normal(rng, i, 20 + k);
        assert_ok(orffi_orthonormal_rows(2, 2, A));
        for (int k = 0; k < 4; k++) cosines[k] += A[k];
        turns += A[0] * A[3] - A[1] * A[2];
    }
    for (int k = 0; k < 4; k++) assert_true(fabs(cosines[k]) < 4 * sqrt(DRAWS / 2.0));
    assert_true(fabs(turns) < 4 * sqrt(DRAWS));
}

static void positive_matrices_factor(void **state) {
    (void)state;
    static const size_t sizes[][2] = {{1, 1}, {3, 3}, {5, 2}, {8, 1}, {30, 12}, {4, 0}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t p = sizes[s][0], want = sizes[s][1];
        double A[MOST * MOST], B[MOST * MOST], back[MOST * MOST];
        size_t rank = 99;
        make_positive(p, want, 0, A);
        support_case("p = %zu, rank %zu", p, want);
        assert_ok(orffi_factor_positive(p, A, B, &rank));
        assert_int_equal(rank, want);
        multiply(false, true, p, p, rank, B, rank, B, rank, back);
        assert_all_close(p * p, back, A, 1e-12);
    }
}

static void other_matrices_do_not_factor(void **state) {
    (void)state;
    double B[4];
    size_t rank;
    const double indefinite[] = {1, 2, 2, 1}, negative[] = {-1, 0, 0, -1}, asymmetric[] = {1, 0.5, 0.4, 1},
                 rounded[] = {1, 0.5, 0.5 + 1e-12, 1}, bad[] = {1, (double)NAN, 0, 1};
    assert_status(orffi_factor_positive(2, indefinite, B, &rank), ORFF_ERROR_NOT_POSITIVE);
    assert_non_null(strstr(orff_error_message(), "-1"));
    assert_status(orffi_factor_positive(2, negative, B, &rank), ORFF_ERROR_NOT_POSITIVE);
    assert_status(orffi_factor_positive(2, asymmetric, B, &rank), ORFF_ERROR_NOT_POSITIVE);
    assert_non_null(strstr(orff_error_message(), "symmetric"));
    assert_status(orffi_factor_positive(2, bad, B, &rank), ORFF_ERROR_NOT_FINITE);
    assert_ok(orffi_factor_positive(2, rounded, B, &rank));
    assert_int_equal(rank, 2);
}

/* Built with known singular values: U diag(s) V^T. */
static void spectral_norms(void **state) {
    (void)state;
    enum { M = 6, N = 9 };
    double U[M * M], V[M * N], A[M * N], norm = -1;
    fill(M * M, U, 7);
    fill(M * N, V, 8);
    assert_ok(orffi_orthonormal_rows(M, M, U));
    assert_ok(orffi_orthonormal_rows(M, N, V));
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) V[i * N + j] *= i == 3 ? 17.5 : 1 + 0.1 * (double)i;
    multiply(true, false, M, N, M, U, M, V, N, A);
    assert_ok(orff_spectral_norm(M, N, A, &norm));
    assert_close(norm, 17.5, 1e-14);
    const double row[] = {3, 4}, bad[] = {(double)NAN, 1};
    assert_ok(orff_spectral_norm(1, 2, row, &norm));
    assert_close(norm, 5, 1e-15);
    assert_ok(orff_spectral_norm(2, 1, row, &norm));
    assert_close(norm, 5, 1e-15);
    assert_status(orff_spectral_norm(1, 2, bad, &norm), ORFF_ERROR_NOT_FINITE);
    assert_ok(orff_spectral_norm(0, 4, NULL, &norm));
    assert_true(norm == 0);
}

static void blas_has_a_name(void **state) {
    (void)state;
    assert_non_null(strstr(orffi_blas_name(), "BL"));
    assert_ptr_equal(orffi_blas_name(), orffi_blas_name());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(product_overwrites),
        cmocka_unit_test(triangles),
        cmocka_unit_test(symmetric_norm),
        cmocka_unit_test(eigen_decomposes),
        cmocka_unit_test(cholesky_factors_and_solves),
        cmocka_unit_test(large_factors),
        cmocka_unit_test(large_factors_stop_and_refuse),
        cmocka_unit_test(large_decompositions),
        cmocka_unit_test(cholesky_refuses),
        cmocka_unit_test(rows_become_orthonormal),
        cmocka_unit_test(orthonormal_rows_are_haar),
        cmocka_unit_test(positive_matrices_factor),
        cmocka_unit_test(other_matrices_do_not_factor),
        cmocka_unit_test(spectral_norms),
        cmocka_unit_test(blas_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
