/* The cost of a fit: it grows with rows and outputs, and what cannot be told is refused. No time is compared with a clock. */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_estimates), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
