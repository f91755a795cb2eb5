/* Output matrices by the evidence: gradients, a true maximum, and the matrix that the data were drawn
 * from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "exact/coregion.h"
#include "models.h"

/* Rows in the eigenbasis of a Gram matrix, drawn from A and noises. */
typedef struct drawn {
    size_t p, m;
    double *A, *S, *e, *z, *rest;
    orffi_coregion_data data;
} drawn;

/* A = F F^T + diag with columns of F that fade; S = h h^T + diag. */
static void fill_matrix(drawn *d, size_t rank, double coupling, double shared) {
    const size_t p = d->p;
    double *F = support_normal(p * (rank + 1), 7, 0), *h = F + p * rank;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) {
            d->A[i * p + j] = i == j ? 0.4 + 0.1 * (double)(i % 3) : 0.0;
            for (size_t k = 0; k < rank; k++) d->A[i * p + j] += coupling * F[i * rank + k] * F[j * rank + k];
            d->S[i * p + j] = shared * h[i] * h[j] + (i == j ? 0.02 + 0.1 * (double)(i % 4) : 0.0);
        }
    free(F);
}

/* y += root(size) L x of normal numbers x, L L^T = M. */
static void add_normal(size_t p, const double *M, double size, const double *x, double *y) {
    double *L = support_zeros(p * p);
    memcpy(L, M, p * p * sizeof *L);
    assert_ok(orffi_cholesky(p, L));
    for (size_t k = 0; k < p; k++)
        for (size_t j = 0; j <= k; j++) y[k] += sqrt(size) * L[k * p + j] * x[j];
    free(L);
}

/* With A as given, or where it is NULL of a rank; steep: eigenvalues that fall as those of smooth kernels do. */
static drawn draw_as(size_t p, size_t m, const double *A, size_t rank, double coupling, double shared,
                     bool steep) {
    drawn d = {.p = p,
               .m = m,
               .A = support_zeros(p * p),
               .S = support_zeros(p * p),
               .e = support_zeros(m),
               .z = support_zeros(m * p),
               .rest = support_zeros(p * p)};
    double *normal = support_normal(2 * m * p, 3, 0);
    fill_matrix(&d, rank, coupling, shared);
    if (A) memcpy(d.A, A, p * p * sizeof *A);
    for (size_t i = 0; i < m; i++) {
        const double t = (double)i / (double)m;
        d.e[i] = steep ? 3000.0 * exp(-25.0 * t) : 30.0 * pow(1.0 + 20.0 * t, -2.0);
        add_normal(p, d.A, d.e[i], normal + i * p, d.z + i * p);
        add_normal(p, d.S, 1.0, normal + (m + i) * p, d.z + i * p);
    }
    for (size_t k = 0; k < p * p; k++) d.rest[k] = 50.0 * d.S[k];
    d.data = (orffi_coregion_data){p, m, d.e, d.z, 50.0, d.rest};
    free(normal);
    return d;
}

static drawn draw(size_t p, size_t m, size_t rank, double coupling, double shared) {
    return draw_as(p, m, NULL, rank, coupling, shared, false);
}

static drawn draw_of(size_t p, size_t m, const double *A, double shared) {
    return draw_as(p, m, A, 0, 0.0, shared, false);
}

static void clear(drawn *d) {
    double *all[] = {d->A, d->S, d->e, d->z, d->rest};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static double distance(size_t count, const double *a, const double *b) {
    double off = 0.0, size = 0.0;
    for (size_t i = 0; i < count; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(off / size);
}

/* Straight from the formula, one row at a time. */
static double plain_value(const drawn *d, const double *A, const double *S) {
    const size_t p = d->p;
    double *C = support_zeros(p * p), *t = support_zeros(p * p), sum = 0.0;
    for (size_t i = 0; i <= d->m; i++) {
        const bool last = i == d->m; /* of the eigenvalue 0 */
        const double times = last ? d->data.zeros : 1.0;
        for (size_t k = 0; k < p * p; k++) C[k] = (last ? 0.0 : d->e[i]) * A[k] + S[k];
        assert_ok(orffi_cholesky(p, C));
        for (size_t k = 0; k < p; k++) sum += times * (2.0 * log(C[k * p + k]) + log(2.0 * acos(-1.0)));
        memcpy(t, last ? d->rest : d->z + i * p, (last ? p * p : p) * sizeof *t);
        assert_ok(orffi_cholesky_solve(p, C, last ? p : 1, t));
        for (size_t k = 0; k < p; k++) sum += last ? t[k * p + k] : t[k] * d->z[i * p + k];
    }
    free(C);
    free(t);
    return -0.5 * sum;
}

/* The slope of log p when entries k and its mirror image grow. */
static double slope(const drawn *d, bool noise, size_t k) {
    const double h = 1e-6;
    double M[16], side[2];
    for (int i = 0; i < 2; i++) {
        memcpy(M, noise ? d->S : d->A, sizeof M);
        M[k] += i ? -h : h;
        if (k / 4 != k % 4) M[k % 4 * 4 + k / 4] += i ? -h : h;
        side[i] = noise ? plain_value(d, d->A, M) : plain_value(d, M, d->S);
    }
    return (side[0] - side[1]) / (2.0 * h);
}

static void test_value_and_gradient(void **state) {
    drawn d = draw(4, 60, 2, 0.3, 0.2);
    double value, by_A[16], by_S[16];
    (void)state;
    assert_ok(orffi_coregion_evaluate(&d.data, d.A, d.S, &value, by_A, by_S));
    assert_close(value, plain_value(&d, d.A, d.S), 1e-9);
    for (size_t k = 0; k < 16; k++) {
        const double twice = k / 4 == k % 4 ? 1.0 : 2.0;
        assert_close(by_A[k] * twice, slope(&d, false, k), 1e-4);
        assert_close(by_S[k] * twice, slope(&d, true, k), 1e-4);
    }
    clear(&d);
}

static orffi_coregion learn(const drawn *d, size_t rank, size_t most, bool common) {
    const orffi_coregion_how how = {.rank = rank, .rows = (double)d->m, .common = common, .most = most};
    orffi_coregion found = {.A = support_zeros(d->p * d->p), .S = support_zeros(d->p * d->p)};
    assert_ok(orffi_coregion_learn(&d->data, &how, &found));
    return found;
}

static void forget(orffi_coregion *found) {
    free(found->A);
    free(found->S);
}

/* More steps and more columns never make the data less probable. */
static void test_never_falls(void **state) {
    drawn d = draw(6, 400, 2, 0.3, 0.0);
    double before = -INFINITY;
    (void)state;
    for (size_t most = 1; most <= 64; most *= 2) {
        orffi_coregion found = learn(&d, 2, most, false);
        assert_true(found.value >= found.apart);
        assert_close(found.value, plain_value(&d, found.A, found.S), 1e-8);
        forget(&found);
    }
    for (size_t rank = 0; rank <= 6; rank++) {
        orffi_coregion found = learn(&d, rank, 0, false);
        support_case("rank %zu", rank);
        assert_true(found.value >= before - 1e-9);
        before = found.value;
        forget(&found);
    }
    clear(&d);
}

/* The truth is not more probable than what was found, and what was found is near it. */
static void test_recovers(void **state) {
    drawn d = draw(5, 4000, 2, 0.4, 0.0);
    (void)state;
    orffi_coregion found = learn(&d, SIZE_MAX, 0, false);
    assert_true(found.value > plain_value(&d, d.A, d.S));
    assert_int_equal(found.rank, 2);
    assert_true(distance(25, found.A, d.A) < 0.1);
    assert_true(distance(25, found.S, d.S) < 0.1);
    forget(&found);
    clear(&d);
}

/* Errors that outputs share are no field that they share. */
static void test_shared_errors(void **state) {
    drawn d = draw(5, 1500, 0, 0.0, 0.5);
    (void)state;
    orffi_coregion found = learn(&d, SIZE_MAX, 0, false);
    assert_int_equal(found.rank, 0);
    assert_int_equal(found.noise_rank, 1);
    assert_true(distance(25, found.S, d.S) < 0.1);
    assert_true(distance(25, found.A, d.A) < 0.2);
    forget(&found);
    clear(&d);
}

/* Outputs that have nothing to do with each other are left alone. */
static void test_apart(void **state) {
    drawn d = draw(6, 600, 0, 0.0, 0.0);
    (void)state;
    orffi_coregion found = learn(&d, SIZE_MAX, 0, false);
    assert_int_equal(found.rank, 0);
    for (size_t k = 0; k < 36; k++)
        if (k / 6 != k % 6) assert_true(found.A[k] == 0.0);
    forget(&found);
    clear(&d);
}

static void test_common_noise(void **state) {
    drawn d = draw(3, 500, 1, 0.5, 0.0);
    (void)state;
    orffi_coregion found = learn(&d, 1, 0, true);
    assert_int_equal(found.rank, 1);
    assert_true(distance(9, found.A, d.A) < 0.2);
    forget(&found);
    clear(&d);
}

/* ---- sparse */

static orffi_coregion learn_sparse(const drawn *d, double sparsity, size_t most) {
    const orffi_coregion_how how = {
        .rank = SIZE_MAX, .rows = (double)d->m, .most = most, .sparse = true, .sparsity = sparsity};
    orffi_coregion found = {.A = support_zeros(d->p * d->p), .S = support_zeros(d->p * d->p)};
    assert_ok(orffi_coregion_sparse(&d->data, &how, &found));
    return found;
}

/* Blocks of two and three outputs that belong together, one with both signs, and one output by itself. */
static const double blocks[36] = {1.0, 0.7, 0.0, 0.0,  0.0, 0.0, 0.7, 1.2, 0.0,  0.0, 0.0, 0.0,
                                  0.0, 0.0, 0.8, -0.5, 0.3, 0.0, 0.0, 0.0, -0.5, 1.0, 0.0, 0.0,
                                  0.0, 0.0, 0.3, 0.0,  0.6, 0.0, 0.0, 0.0, 0.0,  0.0, 0.0, 0.9};

/* A positive matrix: its least eigenvalue. */
static double least_eigenvalue(size_t p, const double *A) {
    double *V = support_zeros(p * p + p);
    memcpy(V, A, p * p * sizeof *V);
    assert_ok(orffi_eigen(p, V, V + p * p));
    const double least = V[p * p];
    free(V);
    return least;
}

static void test_sparse_recovers(void **state) {
    drawn d = draw_of(6, 2000, blocks, 0.0);
    (void)state;
    orffi_coregion found = learn_sparse(&d, 0.0, 0);
    assert_int_equal(found.links, 3);
    for (size_t k = 0; k < 36; k++) assert_true((found.A[k] != 0.0) == (blocks[k] != 0.0));
    assert_true(distance(36, found.A, d.A) < 0.15);
    assert_true(least_eigenvalue(6, found.A) > 0.0);
    assert_true(found.value > plain_value(&d, d.A, d.S));
    forget(&found);
    clear(&d);
}

/* Errors in common are no links, and where there are no links none are found. */
static void test_sparse_apart(void **state) {
    for (int shared = 0; shared < 2; shared++) {
        drawn d = draw(6, 1500, 0, 0.0, shared ? 0.5 : 0.0);
        (void)state;
        orffi_coregion found = learn_sparse(&d, 0.0, 0);
        assert_int_equal(found.links, 0);
        forget(&found);
        clear(&d);
    }
}

/* The penalised evidence never falls with more steps, and its links become fewer as the penalty grows. */
static void test_sparse_penalty(void **state) {
    drawn d = draw_of(6, 800, blocks, 0.0);
    double before = -INFINITY;
    size_t links = 15;
    (void)state;
    for (size_t most = 2; most <= 64; most *= 2) {
        orffi_coregion found = learn_sparse(&d, 0.1, most);
        support_case("%zu evaluations: %.6f after %.6f", most, found.penalised, before);
        assert_true(found.penalised >= before);
        before = found.penalised;
        forget(&found);
    }
    for (double sparsity = 0.02; sparsity < 2.0; sparsity *= 2.0) {
        orffi_coregion found = learn_sparse(&d, sparsity, 0);
        support_case("sparsity %g: %zu links", sparsity, found.links);
        assert_true(found.links <= links);
        assert_true(least_eigenvalue(6, found.A) > 0.0);
        links = found.links;
        forget(&found);
    }
    assert_int_equal(links, 0);
    support_case(NULL);
    clear(&d);
}

/* Two outputs that are one function: as near to a singular matrix as can be, and positive. */
static void test_sparse_one_function(void **state) {
    const double one[4] = {1.0, 0.9999, 0.9999, 1.0};
    drawn d = draw_of(2, 500, one, 0.0);
    (void)state;
    orffi_coregion found = learn_sparse(&d, 0.0, 0);
    assert_int_equal(found.links, 1);
    assert_true(found.A[1] > 0.97 * sqrt(found.A[0] * found.A[3]));
    assert_true(least_eigenvalue(2, found.A) > 0.0);
    forget(&found);
    clear(&d);
}

static void test_many_outputs(void **state) {
    drawn d = draw_as(support_step(5) > 1 ? 40 : 100, 600, NULL, 3, 0.4, 0.0, true);
    double truth;
    (void)state;
    orffi_coregion found = learn(&d, SIZE_MAX, 0, false);
    assert_ok(orffi_coregion_evaluate(&d.data, d.A, d.S, &truth, NULL, NULL));
    assert_int_equal(found.rank, 3);
    assert_true(found.value > truth); /* the top is not below the place that the data are from */
    assert_true(distance(d.p * d.p, found.A, d.A) < 0.2);
    forget(&found);
    clear(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_and_gradient),
        cmocka_unit_test(test_never_falls),
        cmocka_unit_test(test_recovers),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_shared_errors),
        cmocka_unit_test(test_common_noise),
        cmocka_unit_test(test_many_outputs),
        cmocka_unit_test(test_sparse_recovers),
        cmocka_unit_test(test_sparse_apart),
        cmocka_unit_test(test_sparse_penalty),
        cmocka_unit_test(test_sparse_one_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
