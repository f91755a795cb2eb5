/* Error bars of automatic fits are right even without noise to calibrate them, and with a kernel that does
 * not match the field. */
#include "fields.h"

enum { ROWS = 300, NEW = 400 };

static void smooth(const double *x, double *y) {
    y[0] = sin(3.0 * x[0]) * cos(2.0 * x[1]) + 0.3 * sin(9.0 * x[0] + 4.0 * x[1]);
}

/* A front, which no stationary kernel has. */
static void front(const double *x, double *y) {
    y[0] = tanh(20.0 * (x[0] - 0.3 * sin(3.0 * x[1])));
}

/* The share of points, without noise, in the intervals of 95 %. */
static double coverage(const orff_model *model, const fields_rows *at) {
    double F[NEW], S[NEW];
    size_t held = 0;
    assert_ok(orff_model_predict(model, NEW, at->X, F));
    assert_ok(orff_model_std(model, NEW, at->X, true, S));
    for (size_t i = 0; i < NEW; i++) held += fabs(F[i] - at->truth[i]) < 1.96 * S[i];
    return (double)held / NEW;
}

static void assert_covered(const orff_settings *settings, fields_truth truth) {
    fields_rows rows = fields_draw(truth, ROWS, 2, 1, 0.0, 3), at = fields_draw(truth, NEW, 2, 1, 0.0, 4);
    orff_model *model = fields_fit(settings, &rows);
    assert_true(coverage(model, &at) > 0.92);
    orff_model_free(model);
    fields_free(&rows);
    fields_free(&at);
}

static void bars_hold_without_noise(void **state) {
    (void)state;
    const orff_settings settings = orff_settings_default();
    assert_covered(&settings, smooth);
    assert_covered(&settings, front);
}

/* A lambda so small that the residuals have next to no degree of freedom among them. */
static void bars_hold_with_a_tiny_lambda(void **state) {
    const orff_engine engines[] = {ORFF_ENGINE_EXACT, ORFF_ENGINE_LATTICE};
    orff_part part = orff_part_default();
    orff_settings settings = orff_settings_default();
    (void)state;
    part.base = ORFF_BASE_MATERN;
    part.shape = 0.5;
    part.sigma = 1.0;
    settings.n_parts = 1;
    settings.parts = &part;
    settings.lambda = 1e-11;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        settings.engine = engines[i];
        assert_covered(&settings, smooth);
        assert_covered(&settings, front);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bars_hold_without_noise),
                                       cmocka_unit_test(bars_hold_with_a_tiny_lambda)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
