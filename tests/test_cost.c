/* The cost of a fit: it grows with rows and outputs, and fails if it cannot be predicted. No time is compared
 * with a clock. */
#include <math.h>
#include <string.h>

#include "engine/engine.h"
#include "model/expect.h"
#include "support.h"

static orff_settings small(orff_part *part) {
    orff_settings s = orff_settings_default();
    *part = orff_part_default();
    part->sigma = 0.5;
    s.n_parts = 1;
    s.parts = part;
    s.sampling.features = 20;
    return s;
}

static void test_estimates(void **state) {
    (void)state;
    orff_part part;
    orff_settings s = small(&part);
    orff_cost few, many;
    assert_ok(orff_cost_estimate(&s, 2, 2, 1000, &few));
    assert_ok(orff_cost_estimate(&s, 2, 2, (size_t)1 << 40, &many));
    assert_true(few.seconds > 0.0 && many.seconds > few.seconds && few.bytes > 0.0 &&
                many.bytes >= few.bytes);
    s.sampling.features = 300;
    assert_ok(orff_cost_estimate(&s, 2, 2, 1000, &many));
    assert_true(many.bytes > few.bytes);
    s.lambda = 1e-3; /* given: no folds */
    assert_ok(orff_cost_estimate(&s, 2, 2, 1000, &few));
    assert_true(few.bytes < many.bytes);
    s.lambda = 0.0;
    part.sigma = 0.0; /* auto */
    part.rule = ORFF_RULE_DIV_FREE;
    s.sampling.features = 20;
    assert_ok(orff_cost_estimate(&s, 2, 2, 1000, &many));
    assert_true(many.seconds > 0.0);
    s.engine = ORFF_ENGINE_EXACT;
    assert_ok(orff_cost_estimate(&s, 2, 2, 100, &few));
    assert_ok(orff_cost_estimate(&s, 2, 2, 100000, &many));
    assert_true(many.bytes > 1e4 * few.bytes / 10.0 && many.seconds > few.seconds);
}

/* Waves are counted: dense matrices of them, or none and the neighbours of all rows. */
static void test_lattice_bytes(void **state) {
    (void)state;
    enum { ROWS = 20000, DENSE = 1000 };
    orff_part part;
    orff_settings s = small(&part);
    orff_cost few, many, more;
    s.sampling.features = 0;
    s.engine = ORFF_ENGINE_LATTICE;
    s.lambda = 1e-8;
    part.sigma = 0.4;
    assert_ok(orff_cost_estimate(&s, 2, 1, ROWS, &few));
    part.sigma = 0.06; /* some DENSE waves and more, which are solved for by a factor */
    assert_ok(orff_cost_estimate(&s, 2, 1, ROWS, &many));
    assert_true(many.seconds > 0.0 && many.bytes > few.bytes + 2.0 * 8.0 * DENSE * DENSE);
    part.sigma = 0.03;
    part.base = ORFF_BASE_MATERN;
    part.shape = 1.5;
    assert_ok(orff_cost_estimate(&s, 2, 1, ROWS, &few));
    assert_ok(orff_cost_estimate(&s, 2, 1, 2 * ROWS, &more));
    assert_true(more.bytes - few.bytes > ROWS * 8.0 * 2.0 * 31.0); /* 31 neighbours and their weights */
}

static void test_errors(void **state) {
    (void)state;
    orff_part part;
    orff_settings s = small(&part);
    orff_cost cost = {.seconds = -1.0};
    assert_status(orff_cost_estimate(&s, 2, 2, 0, &cost), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_cost_estimate(&s, 0, 2, 9, &cost), ORFF_ERROR_INVALID_ARGUMENT);
    s.solver = ORFF_SOLVER_LSMR;
    assert_status(orff_cost_estimate(&s, 2, 2, 9, &cost), ORFF_ERROR_UNSUPPORTED);
    s.solver = ORFF_SOLVER_AUTO;
    s.mixture = true;
    assert_status(orff_cost_estimate(&s, 2, 2, 9, &cost), ORFF_ERROR_UNSUPPORTED);
    assert_true(cost.seconds == -1.0);
}

/* Counted, not timed: what a line before the fit is made of. */
static void test_counts(void **state) {
    (void)state;
    orff_part part;
    orff_settings s = small(&part);
    const orffi_engine *features = &orffi_engine_features, *exact = &orffi_engine_exact;
    const double path = orffi_expect_work(&s, features, 8, 1, 100000);
    s.lambda = 1e-3;
    const double one = orffi_expect_work(&s, features, 8, 1, 100000);
    assert_true(one > 0.5 * 1e5 * 40 * 40 && path > one);
    assert_close(orffi_expect_work(&s, features, 8, 1, 200000), 2.0 * one, 0.01);
    s.single = true;
    assert_true(orffi_expect_work(&s, features, 8, 1, 100000) < one);
    s.single = false;
    assert_close(orffi_expect_work(&s, exact, 8, 1, 8000), 8.0 * orffi_expect_work(&s, exact, 8, 1, 4000),
                 1e-9);
    part.sigma = ORFF_SIGMA_AUTO;
    assert_true(orffi_expect_work(&s, features, 8, 1, 100000) > one);
    assert_true(isnan(orffi_expect_work(&s, &orffi_engine_lattice, 2, 1, 4000)));
    s.solver = ORFF_SOLVER_LSMR;
    assert_true(isnan(orffi_expect_work(&s, features, 8, 1, 4000)));
}

static void count_lines(void *self, orff_log_level level, const char *message) {
    (void)level;
    *(size_t *)self += strstr(message, "about") != NULL;
}

/* A fit of a moment says nothing. */
static void test_short_fits_are_silent(void **state) {
    (void)state;
    orff_part part;
    orff_settings s = small(&part);
    size_t lines = 0;
    double X[200], Y[100];
    orff_model *model = NULL;
    for (size_t i = 0; i < 200; i++) X[i] = sin((double)i);
    for (size_t i = 0; i < 100; i++) Y[i] = X[2 * i];
    orff_set_hooks(&(orff_hooks){.log = count_lines, .self = &lines});
    assert_ok(orff_model_fit(&model, &s, 2, 1, 100, X, Y, NULL));
    orff_set_hooks(NULL);
    assert_int_equal(lines, 0);
    orff_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_estimates), cmocka_unit_test(test_lattice_bytes),
                                       cmocka_unit_test(test_errors), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_short_fits_are_silent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
