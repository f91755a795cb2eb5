/* Minimising a function of a few unknowns: valleys, bounds, walls. */
#include <math.h>

#include "base/status.h"
#include "solve/minimise.h"
#include "support.h"

static orff_status rosenbrock(void *self, const double *x, double *value, double *gradient) {
    const double a = 1.0 - x[0], b = x[1] - x[0] * x[0];
    (void)self;
    *value = a * a + 100.0 * b * b;
    gradient[0] = -2.0 * a - 400.0 * b * x[0];
    gradient[1] = 200.0 * b;
    return ORFF_OK;
}

static void follows_a_bent_valley(void **state) {
    (void)state;
    const double low[] = {-10, -10}, high[] = {10, 10};
    double x[] = {-1.2, 1.0};
    orffi_minimum m = {.n = 2, .low = low, .high = high, .step = 1.0, .tolerance = 1e-12, .most = 200};
    assert_ok(orffi_minimise(&m, rosenbrock, NULL, x));
    assert_true(m.converged);
    assert_close(x[0], 1.0, 1e-4);
    assert_close(x[1], 1.0, 1e-4);
    assert_true(m.evaluations < 100);
}

/* (x - c)^T A (x - c) / 2 with A = [2 1 0; 1 3 1; 0 1 4], c = (3, -1, 2). */
static orff_status quadratic(void *self, const double *x, double *value, double *gradient) {
    const double A[3][3] = {{2, 1, 0}, {1, 3, 1}, {0, 1, 4}}, c[] = {3, -1, 2};
    (void)self;
    *value = 0.0;
    for (int i = 0; i < 3; i++) {
        gradient[i] = 0.0;
        for (int k = 0; k < 3; k++) gradient[i] += A[i][k] * (x[k] - c[k]);
        *value += 0.5 * gradient[i] * (x[i] - c[i]);
    }
    return ORFF_OK;
}

/* At the end the gradient vanishes in what is free and pushes outwards at bounds. */
static void stays_between_bounds(void **state) {
    (void)state;
    const double low[] = {0, 0, 0}, high[] = {1, 5, 1.5};
    double x[] = {0.5, 4.0, 0.2}, value, g[3];
    orffi_minimum m = {.n = 3, .low = low, .high = high, .step = 1.0, .tolerance = 1e-14, .most = 100};
    assert_ok(orffi_minimise(&m, quadratic, NULL, x));
    assert_ok(quadratic(NULL, x, &value, g));
    assert_close(m.value, value, 1e-15);
    for (int i = 0; i < 3; i++) {
        assert_true(x[i] >= low[i] && x[i] <= high[i]);
        if (x[i] == low[i])
            assert_true(g[i] >= 0.0);
        else if (x[i] == high[i])
            assert_true(g[i] <= 0.0);
        else
            assert_true(fabs(g[i]) < 1e-6);
    }
    assert_true(x[0] == high[0] && x[2] == high[2]);
}

/* Not a number beyond x = 1, close to which the bottom is; the first step goes far beyond. */
static orff_status walled(void *self, const double *x, double *value, double *gradient) {
    size_t *beyond = self;
    if (x[0] >= 1.0) {
        ++*beyond;
        *value = gradient[0] = *beyond % 2 ? NAN : INFINITY;
        return *beyond % 3 ? ORFF_OK : ORFF_ERROR_NOT_POSITIVE;
    }
    *value = -x[0] - 0.01 * log(1.0 - x[0]);
    gradient[0] = -1.0 + 0.01 / (1.0 - x[0]);
    return ORFF_OK;
}

static void steps_back_from_walls(void **state) {
    (void)state;
    const double low = -100, high = 100;
    double x = -3.0;
    size_t beyond = 0;
    orffi_minimum m = {.n = 1, .low = &low, .high = &high, .step = 50.0, .tolerance = 1e-12, .most = 100};
    assert_ok(orffi_minimise(&m, walled, &beyond, &x));
    assert_true(beyond > 0);
    assert_close(x, 0.99, 1e-5);
    x = 2.0; /* nothing to begin with */
    assert_ok(orffi_minimise(&m, walled, &beyond, &x));
    assert_true(isinf(m.value) && !m.converged && m.evaluations == 1);
}

/* The top of the same hill is the bottom of the valley. */
static orff_status hill(void *self, const double *x, double *value, double *gradient) {
    assert_ok(quadratic(self, x, value, gradient));
    *value = 5.0 - *value;
    for (int i = 0; i < 3; i++) gradient[i] = -gradient[i];
    return ORFF_OK;
}

static void finds_the_top(void **state) {
    (void)state;
    const double low[] = {-9, -9, -9}, high[] = {9, 9, 9};
    double x[] = {0.5, 4.0, 0.2};
    orffi_minimum m = {.n = 3, .low = low, .high = high, .step = 1.0, .tolerance = 1e-14, .most = 100};
    assert_ok(orffi_maximise(&m, hill, NULL, x));
    assert_close(m.value, 5.0, 1e-12);
    assert_close(x[0], 3.0, 1e-6);
    assert_close(x[1], -1.0, 1e-6);
    assert_close(x[2], 2.0, 1e-6);
}

static orff_status broken(void *self, const double *x, double *value, double *gradient) {
    (void)self, (void)x;
    *value = *gradient = 0.0;
    return ORFF_ERROR_CANCELLED;
}

static void ends_when_told(void **state) {
    (void)state;
    const double low[] = {-10, -10}, high[] = {10, 10};
    double x[] = {-1.2, 1.0};
    orffi_minimum m = {.n = 2, .low = low, .high = high, .step = 1.0, .tolerance = 0.0, .most = 7};
    assert_ok(orffi_minimise(&m, rosenbrock, NULL, x));
    assert_true(m.evaluations == 7 && !m.converged);
    assert_true(m.value < 24.2);
    m.n = 1;
    assert_status(orffi_minimise(&m, broken, NULL, x), ORFF_ERROR_CANCELLED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_a_bent_valley), cmocka_unit_test(stays_between_bounds),
        cmocka_unit_test(steps_back_from_walls), cmocka_unit_test(finds_the_top),
        cmocka_unit_test(ends_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
