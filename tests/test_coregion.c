/* Output matrices by the evidence: gradients, a top that is one, and the matrix that the data were drawn from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "exact/coregion.h"
#include "models.h"

/* Rows in the eigenbasis of a Gram matrix, drawn from A and noises. */
typedef struct drawn {
    size_t p, m;
    double *A, *s, *e, *z, *rest;
    orffi_coregion_data data;
} drawn;

/* A = F F^T + diag with columns of F that fade. */
static void fill_matrix(drawn *d, size_t rank, double coupling) {
    const size_t p = d->p;
    double *F = support_normal(p * (rank ? rank : 1), 7, 0);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) {
            d->A[i * p + j] = i == j ? 0.4 + 0.1 * (double)(i % 3) : 0.0;
            for (size_t k = 0; k < rank; k++) d->A[i * p + j] += coupling * F[i * rank + k] * F[j * rank + k];
        }
    for (size_t k = 0; k < p; k++) d->s[k] = 0.02 + 0.1 * (double)(k % 4);
    free(F);
}

static drawn draw(size_t p, size_t m, size_t rank, double coupling) {
    drawn d = {p,
               m,
               support_zeros(p * p),
               support_zeros(p),
               support_zeros(m),
               support_zeros(m * p),
               support_zeros(p),
               {0}};
    double *L = support_zeros(p * p), *normal = support_normal(2 * m * p, 3, 0);
    fill_matrix(&d, rank, coupling);
    memcpy(L, d.A, p * p * sizeof *L);
    assert_ok(orffi_cholesky(p, L));
    for (size_t i = 0; i < m; i++) {
        d.e[i] = 30.0 * pow(1.0 + 20.0 * (double)i / (double)m, -2.0);
        for (size_t k = 0; k < p; k++) {
            double f = 0.0;
            for (size_t j = 0; j <= k; j++) f += L[k * p + j] * normal[i * p + j];
            d.z[i * p + k] = sqrt(d.e[i]) * f + sqrt(d.s[k]) * normal[(m + i) * p + k];
        }
    }
    for (size_t k = 0; k < p; k++) d.rest[k] = 50.0 * d.s[k];
    d.data = (orffi_coregion_data){p, m, d.e, d.z, 50.0, d.rest};
    free(L);
    free(normal);
    return d;
}

static void clear(drawn *d) {
    double *all[] = {d->A, d->s, d->e, d->z, d->rest};
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
static double plain_value(const drawn *d, const double *A, const double *s) {
    const size_t p = d->p;
    double *C = support_zeros(p * p), *t = support_zeros(p), sum = 0.0;
    for (size_t i = 0; i <= d->m; i++) {
        const double e = i < d->m ? d->e[i] : 0.0, times = i < d->m ? 1.0 : d->data.zeros;
        for (size_t k = 0; k < p * p; k++) C[k] = e * A[k] + (k / p == k % p ? s[k / p] : 0.0);
        assert_ok(orffi_cholesky(p, C));
        for (size_t k = 0; k < p; k++) sum += times * (2.0 * log(C[k * p + k]) + log(2.0 * acos(-1.0)));
        for (size_t k = 0; i < d->m && k < p; k++) t[k] = d->z[i * p + k];
        if (i < d->m) assert_ok(orffi_cholesky_solve(p, C, 1, t));
        for (size_t k = 0; k < p; k++) sum += i < d->m ? t[k] * d->z[i * p + k] : d->rest[k] / s[k];
    }
    free(C);
    free(t);
    return -0.5 * sum;
}

static void test_value_and_gradient(void **state) {
    drawn d = draw(4, 60, 2, 0.3);
    double value, up, down, by_A[16], by_s[4], A[16], s[4];
    (void)state;
    assert_ok(orffi_coregion_evaluate(&d.data, d.A, d.s, &value, by_A, by_s));
    assert_close(value, plain_value(&d, d.A, d.s), 1e-9);
    for (size_t k = 0; k < 16; k++) {
        const double h = 1e-5;
        memcpy(A, d.A, sizeof A);
        A[k] += h;
        if (k / 4 != k % 4) A[k % 4 * 4 + k / 4] += h;
        up = plain_value(&d, A, d.s);
        memcpy(A, d.A, sizeof A);
        A[k] -= h;
        if (k / 4 != k % 4) A[k % 4 * 4 + k / 4] -= h;
        down = plain_value(&d, A, d.s);
        assert_close(by_A[k] * (k / 4 == k % 4 ? 1.0 : 2.0), (up - down) / (2.0 * h), 1e-5);
    }
    for (size_t k = 0; k < 4; k++) {
        const double h = 1e-6;
        memcpy(s, d.s, sizeof s);
        s[k] += h;
        up = plain_value(&d, d.A, s);
        s[k] -= 2.0 * h;
        down = plain_value(&d, d.A, s);
        assert_close(by_s[k], (up - down) / (2.0 * h), 1e-4);
    }
    clear(&d);
}

static orffi_coregion learn(const drawn *d, size_t rank, size_t most, bool common) {
    const orffi_coregion_how how = {.rank = rank, .rows = (double)d->m, .common = common, .most = most};
    orffi_coregion found = {.A = support_zeros(d->p * d->p), .s = support_zeros(d->p)};
    assert_ok(orffi_coregion_learn(&d->data, &how, &found));
    return found;
}

static void forget(orffi_coregion *found) {
    free(found->A);
    free(found->s);
}

/* More steps and more columns never make the data less probable. */
static void test_never_falls(void **state) {
    drawn d = draw(6, 400, 2, 0.3);
    double before = -INFINITY;
    (void)state;
    for (size_t most = 1; most <= 64; most *= 2) {
        orffi_coregion found = learn(&d, 2, most, false);
        assert_true(found.value >= found.apart);
        assert_close(found.value, plain_value(&d, found.A, found.s), 1e-8);
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
    drawn d = draw(5, 4000, 2, 0.4);
    (void)state;
    orffi_coregion found = learn(&d, SIZE_MAX, 0, false);
    assert_true(found.value > plain_value(&d, d.A, d.s));
    assert_int_equal(found.rank, 2);
    assert_true(distance(25, found.A, d.A) < 0.1);
    assert_true(distance(5, found.s, d.s) < 0.1);
    forget(&found);
    clear(&d);
}

/* Outputs that have nothing to do with each other are left alone. */
static void test_apart(void **state) {
    drawn d = draw(6, 600, 0, 0.0);
    (void)state;
    orffi_coregion found = learn(&d, SIZE_MAX, 0, false);
    assert_int_equal(found.rank, 0);
    for (size_t k = 0; k < 36; k++)
        if (k / 6 != k % 6) assert_true(found.A[k] == 0.0);
    forget(&found);
    clear(&d);
}

static void test_common_noise(void **state) {
    drawn d = draw(3, 500, 1, 0.5);
    (void)state;
    orffi_coregion found = learn(&d, 1, 0, true);
    assert_true(found.s[0] == found.s[1] && found.s[1] == found.s[2]);
    forget(&found);
    clear(&d);
}

static void test_many_outputs(void **state) {
    drawn d = draw(support_step(5) > 1 ? 40 : 200, 1200, 3, 0.4);
    (void)state;
    orffi_coregion found = learn(&d, SIZE_MAX, 0, false);
    assert_int_equal(found.rank, 3);
    assert_true(distance(d.p * d.p, found.A, d.A) < 0.15);
    forget(&found);
    clear(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_and_gradient), cmocka_unit_test(test_never_falls),
        cmocka_unit_test(test_recovers),           cmocka_unit_test(test_apart),
        cmocka_unit_test(test_common_noise),       cmocka_unit_test(test_many_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
