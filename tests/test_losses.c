/* Losses: golden numbers, gradients against finite differences, kinks, classes from codes, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "solve/loss.h"
#include "support.h"

static const struct {
    orff_loss loss;
    double parameter;
} all[] = {{ORFF_LOSS_SQUARED, 0}, {ORFF_LOSS_HUBER, 0.7},   {ORFF_LOSS_EPSILON, 0.3},
           {ORFF_LOSS_EPSILON, 0}, {ORFF_LOSS_PINBALL, 0.8}, {ORFF_LOSS_LOGISTIC, 0},
           {ORFF_LOSS_HINGE, 0}};
enum { CASES = sizeof all / sizeof *all, WIDEST = 9 };

static double value_of(orff_loss loss, double parameter, size_t p, const double *f, const double *y,
                       double *gradient) {
    double value;
    assert_ok(orff_loss_evaluate(loss, parameter, p, f, y, &value, gradient));
    return value;
}

/* ---- golden numbers */

static void check_golden(const json_t *entry, const char *key, orff_loss loss, const char *parameter_key,
                         const double *f, const double *y, size_t p) {
    const json_t *want = support_member(entry, key);
    const double parameter = parameter_key ? support_number(want, parameter_key) : 0.0;
    size_t length;
    double got[WIDEST], *gradient = support_array(support_member(want, "grad"), &length);
    support_case("%s", key);
    assert_int_equal(length, p);
    assert_close(value_of(loss, parameter, p, f, y, got), support_number(want, "value"), 1e-12);
    assert_all_close(p, got, gradient, 1e-12);
    free(gradient);
}

static void check_golden_classes(const json_t *entry, const char *key, orff_loss loss) {
    const json_t *want = support_member(entry, key);
    const size_t T = support_size(want, "T"), cls = support_size(want, "cls");
    size_t p;
    double *f = support_array(support_member(want, "f"), &p), codes[(WIDEST + 1) * WIDEST];
    assert_int_equal(T, p + 1);
    assert_ok(orff_simplex_codes(T, codes));
    check_golden(entry, key, loss, NULL, f, codes + cls * p, p);
    free(f);
}

static void losses_are_golden(void **state) {
    (void)state;
    json_t *entries = support_load("golden/losses.json");
    assert_int_equal(json_array_size(entries), 2);
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        size_t p;
        double *f = support_array(support_member(entry, "f"), &p),
               *y = support_array(support_member(entry, "y"), &p);
        check_golden(entry, "squared", ORFF_LOSS_SQUARED, NULL, f, y, p);
        check_golden(entry, "huber_norm", ORFF_LOSS_HUBER, "delta", f, y, p);
        check_golden(entry, "eps_insensitive_norm", ORFF_LOSS_EPSILON, "eps", f, y, p);
        check_golden_classes(entry, "simplex_hinge", ORFF_LOSS_HINGE);
        check_golden_classes(entry, "simplex_softmax", ORFF_LOSS_LOGISTIC);
        free(f);
        free(y);
    }
    json_decref(entries);
}

static void pinball_is_the_sum_of_its_outputs(void **state) {
    (void)state;
    const double f[] = {1.0, -2.0}, y[] = {3.0, -2.5}, want[] = {-0.8, 0.2};
    double gradient[2];
    assert_close(value_of(ORFF_LOSS_PINBALL, 0.8, 2, f, y, gradient), 0.8 * 2.0 + 0.2 * 0.5, 1e-15);
    assert_all_close(2, gradient, want, 1e-15);
}

/* ---- properties */

/* Away from kinks with probability one; a step over a kink would show as an error of the size of the
 * slope. */
static void gradients_are_those_of_the_values(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 5, .stream = 1};
    const double step = 1e-6;
    for (size_t c = 0; c < CASES; c++) {
        for (size_t p = 1; p <= 4; p++) {
            double f[4], y[4], gradient[4];
            for (uint32_t k = 0; k < p; k++) {
                f[k] = orffi_rng_normal(rng, 10 * c + p, k);
                y[k] = orffi_rng_normal(rng, 10 * c + p, 10 + k);
            }
            support_case("%s, p = %zu", orff_loss_name(all[c].loss), p);
            value_of(all[c].loss, all[c].parameter, p, f, y, gradient);
            for (size_t k = 0; k < p; k++) {
                const double at = f[k];
                f[k] = at + step;
                const double above = value_of(all[c].loss, all[c].parameter, p, f, y, NULL);
                f[k] = at - step;
                const double below = value_of(all[c].loss, all[c].parameter, p, f, y, NULL);
                f[k] = at;
                assert_close(gradient[k], (above - below) / (2 * step), 1e-8);
            }
        }
    }
    support_case(NULL);
}

/* L(g) >= L(f) + gradient(f).(g - f) for all f, g: also where f is a kink. */
static void gradients_support_the_loss_from_below(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 6, .stream = 1};
    for (size_t c = 0; c < CASES; c++) {
        for (size_t trial = 0; trial < 200; trial++) {
            double f[3], g[3], y[3], gradient[3];
            for (uint32_t k = 0; k < 3; k++) {
                y[k] = orffi_rng_normal(rng, trial, k);
                f[k] = trial % 4 == 0 ? y[k] : orffi_rng_normal(rng, trial, 10 + k);
                g[k] = 2.0 * orffi_rng_normal(rng, trial, 20 + k);
            }
            support_case("%s, trial %zu", orff_loss_name(all[c].loss), trial);
            double line = value_of(all[c].loss, all[c].parameter, 3, f, y, gradient);
            for (size_t k = 0; k < 3; k++) line += gradient[k] * (g[k] - f[k]);
            assert_true(value_of(all[c].loss, all[c].parameter, 3, g, y, NULL) >= line - 1e-12);
        }
    }
    support_case(NULL);
}

/* |gradient(f) - gradient(g)| <= curvature |f - g|, smoothed where it must be. */
static void curvature_bounds_the_gradient(void **state) {
    (void)state;
    const orffi_rng rng = {.seed = 7, .stream = 1};
    for (size_t c = 0; c < CASES; c++) {
        orffi_loss_function loss;
        assert_ok(orffi_loss_make(&loss, all[c].loss, all[c].parameter, 3));
        loss.width = loss.smooth ? 0.0 : 0.1;
        const double bound = loss.smooth ? loss.curvature : loss.curvature / loss.width;
        for (size_t trial = 0; trial < 2000; trial++) {
            double f[3], g[3], y[3], at_f[3], at_g[3], apart = 0, change = 0;
            for (uint32_t k = 0; k < 3; k++) {
                y[k] = orffi_rng_normal(rng, trial, k);
                f[k] = y[k] + orffi_rng_normal(rng, trial, 10 + k);
                g[k] = f[k] + 0.02 * orffi_rng_normal(rng, trial, 20 + k);
            }
            loss.evaluate(&loss, f, y, at_f);
            loss.evaluate(&loss, g, y, at_g);
            for (size_t k = 0; k < 3; k++) {
                apart += (f[k] - g[k]) * (f[k] - g[k]);
                change += (at_f[k] - at_g[k]) * (at_f[k] - at_g[k]);
            }
            support_case("%s, trial %zu", orff_loss_name(all[c].loss), trial);
            assert_true(sqrt(change) <= bound * sqrt(apart) * (1 + 1e-9));
        }
        orffi_loss_clear(&loss);
    }
    support_case(NULL);
}

static void smoothing_ends_at_its_width(void **state) {
    (void)state;
    orffi_loss_function loss;
    const double y = 0.0, inside = 0.05, outside = 0.11;
    double gradient;
    assert_ok(orffi_loss_make(&loss, ORFF_LOSS_PINBALL, 0.75, 1));
    loss.width = 0.1;
    assert_close(loss.evaluate(&loss, &inside, &y, &gradient), 0.25 * 0.05, 1e-15);
    assert_close(gradient, 0.125, 1e-15);
    loss.evaluate(&loss, &outside, &y, &gradient);
    assert_close(gradient, 0.25, 1e-15);
    orffi_loss_clear(&loss);
}

static void logistic_neither_overflows_nor_loses_the_tail(void **state) {
    (void)state;
    const double y = 1.0, far = 1e3, wrong = -1e3, near_certain = 20.0;
    double gradient;
    assert_close(value_of(ORFF_LOSS_LOGISTIC, 0, 1, &far, &y, &gradient), 0.0, 1e-15);
    assert_close(gradient, 0.0, 1e-15);
    assert_close(value_of(ORFF_LOSS_LOGISTIC, 0, 1, &wrong, &y, &gradient), 2e3, 1e-15);
    assert_close(gradient, -2.0, 1e-15);
    assert_true(fabs(value_of(ORFF_LOSS_LOGISTIC, 0, 1, &near_certain, &y, NULL) / exp(-40.0) - 1) < 1e-12);
}

static void a_class_is_the_nearest_code(void **state) {
    (void)state;
    double codes[4 * 3], noisy[3];
    const double f[] = {0.3, -0.4, 0.9};
    assert_ok(orff_simplex_codes(4, codes));
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < 3; i++) noisy[i] = 1.3 * codes[k * 3 + i] + (i == k ? 0.1 : -0.1);
        assert_close(value_of(ORFF_LOSS_HINGE, 0, 3, f, noisy, NULL),
                     value_of(ORFF_LOSS_HINGE, 0, 3, f, codes + k * 3, NULL), 0);
        assert_close(value_of(ORFF_LOSS_LOGISTIC, 0, 3, f, noisy, NULL),
                     value_of(ORFF_LOSS_LOGISTIC, 0, 3, f, codes + k * 3, NULL), 0);
    }
}

/* ---- names and refusals */

static void names_go_both_ways(void **state) {
    (void)state;
    for (int i = 0; i < ORFF_LOSS_COUNT; i++) {
        orff_loss loss = ORFF_LOSS_COUNT;
        assert_ok(orff_loss_parse(orff_loss_name((orff_loss)i), &loss));
        assert_int_equal(loss, i);
    }
    orff_loss loss = ORFF_LOSS_HINGE;
    assert_null(orff_loss_name(ORFF_LOSS_COUNT));
    assert_status(orff_loss_parse("quadratic", &loss), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("quadratic");
    assert_int_equal(loss, ORFF_LOSS_HINGE);
    assert_status(orff_loss_parse(NULL, &loss), ORFF_ERROR_INVALID_ARGUMENT);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    const double f[] = {0, 0}, bad[] = {0, (double)NAN};
    double value = 7;
    assert_status(orff_loss_evaluate(ORFF_LOSS_HUBER, 0, 2, f, f, &value, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("huber");
    assert_status(orff_loss_evaluate(ORFF_LOSS_HUBER, (double)INFINITY, 2, f, f, &value, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_loss_evaluate(ORFF_LOSS_EPSILON, -0.1, 2, f, f, &value, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("-0.1");
    assert_status(orff_loss_evaluate(ORFF_LOSS_PINBALL, 1, 2, f, f, &value, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("quantile");
    assert_status(orff_loss_evaluate(ORFF_LOSS_PINBALL, (double)NAN, 2, f, f, &value, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_loss_evaluate(ORFF_LOSS_SQUARED, 0, 0, f, f, &value, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_loss_evaluate(ORFF_LOSS_COUNT, 0, 2, f, f, &value, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_loss_evaluate(ORFF_LOSS_SQUARED, 0, 2, NULL, f, &value, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_loss_evaluate(ORFF_LOSS_SQUARED, 0, 2, f, bad, &value, NULL), ORFF_ERROR_NOT_FINITE);
    assert_says("column 2");
    assert_true(value == 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_golden),
        cmocka_unit_test(pinball_is_the_sum_of_its_outputs),
        cmocka_unit_test(gradients_are_those_of_the_values),
        cmocka_unit_test(gradients_support_the_loss_from_below),
        cmocka_unit_test(curvature_bounds_the_gradient),
        cmocka_unit_test(smoothing_ends_at_its_width),
        cmocka_unit_test(logistic_neither_overflows_nor_loses_the_tail),
        cmocka_unit_test(a_class_is_the_nearest_code),
        cmocka_unit_test(names_go_both_ways),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
