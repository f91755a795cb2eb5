/* Settings reach the engine: the criterion for weights, the caller's own frequencies, the engine itself. */
#include "fields.h"
#include "model/question.h"

enum { D = 24 };

static orff_settings two_parts(orff_part *parts, orff_criterion criterion) {
    parts[0] = fields_part(ORFF_RULE_DIV_FREE, 0.6);
    parts[1] = fields_part(ORFF_RULE_DECOMPOSABLE, 0.4);
    orff_settings settings = fields_given(parts, 40, 0.0);
    settings.n_parts = 2;
    settings.mixture = true;
    settings.criterion = criterion;
    return settings;
}

/* Few rows, whose weights the exact kernel would tell by the evidence, and many; lambda auto and given. */
static void criterion_makes_a_difference(void **state) {
    (void)state;
    const size_t sizes[] = {90, 1500};
    for (size_t k = 0; k < 4; k++) {
        fields_rows rows = fields_draw(fields_rotation, sizes[k % 2], 2, 2, 0.3, 5);
        orff_part parts[2];
        orff_model *models[2];
        support_case("%zu rows, lambda %s", rows.n, k < 2 ? "auto" : "given");
        for (size_t c = 0; c < 2; c++) {
            orff_settings settings =
                two_parts(parts, c ? ORFF_CRITERION_CROSS_VALIDATION : ORFF_CRITERION_EVIDENCE);
            if (k >= 2) settings.lambda = 1e-3;
            models[c] = fields_fit(&settings, &rows);
        }
        const double one = orff_model_describe(models[0]).shares[0],
                     other = orff_model_describe(models[1]).shares[0];
        assert_true(fabs(one - other) > 1e-9);
        orff_model_free(models[0]);
        orff_model_free(models[1]);
        fields_free(&rows);
    }
    support_case(NULL);
}

static void exact_refuses_other_criteria(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_rotation, 30, 2, 2, 0.1, 5);
    orff_part parts[2];
    orff_model *model = NULL;
    orff_settings settings = two_parts(parts, ORFF_CRITERION_CROSS_VALIDATION);
    settings.engine = ORFF_ENGINE_EXACT;
    assert_status(orff_model_fit(&model, &settings, 2, 2, rows.n, rows.X, rows.Y, NULL),
                  ORFF_ERROR_UNSUPPORTED);
    assert_says("cross-validation");
    settings.mixture = false; /* nothing to be learned by it */
    model = fields_fit(&settings, &rows);
    assert_int_equal(orff_model_describe(model).engine, ORFF_ENGINE_EXACT);
    orff_model_free(model);
    fields_free(&rows);
}

/* A checkpoint is another's where weights are learned by another criterion, and only there. */
static void criterion_is_part_of_the_question(void **state) {
    (void)state;
    for (size_t learned = 0; learned < 2; learned++) {
        orff_part parts[2];
        orff_settings one = two_parts(parts, ORFF_CRITERION_EVIDENCE),
                      other = two_parts(parts, ORFF_CRITERION_CROSS_VALIDATION);
        one.mixture = other.mixture = learned;
        json_t *a = orffi_question(&one, 2, 2, false, 90), *b = orffi_question(&other, 2, 2, false, 90);
        assert_true(a && b && json_equal(a, b) == !learned);
        json_decref(a);
        json_decref(b);
    }
}

/* ---- frequencies of the caller's own */

/* Inputs in a unit that automatic scaling would change. */
static fields_rows wide(size_t n) {
    fields_rows rows = fields_draw(fields_rotation, n, 2, 2, 0.1, 7);
    for (size_t i = 0; i < 2 * n; i++) rows.X[i] *= 50.0;
    return rows;
}

static void assert_frequencies(const orff_model *model, const double *omega) {
    double found[2 * D];
    assert_int_equal(orff_model_describe(model).frequencies, D);
    assert_ok(orff_features_frequencies(models_fit(model)->features, found, NULL));
    assert_all_close(2 * D, found, omega, 0.0);
    assert_true(model->unit[0] == 1.0 && model->unit[1] == 1.0);
}

/* As they are, in the user's units: from few rows and many, iterated, and for a mixture whose weights are learned. */
static void own_frequencies_are_used_as_they_are(void **state) {
    (void)state;
    const orff_solver solvers[] = {ORFF_SOLVER_AUTO, ORFF_SOLVER_AUTO, ORFF_SOLVER_PCG, ORFF_SOLVER_DIRECT};
    double *omega = models_normal(2 * D, 3);
    for (size_t i = 0; i < 2 * D; i++) omega[i] *= 0.04;
    for (size_t k = 0; k < 4; k++) {
        fields_rows rows = wide(k ? 400 : 20);
        orff_part parts[2] = {fields_part(ORFF_RULE_DECOMPOSABLE, k == 3 ? 25.0 : 0.0),
                              fields_part(ORFF_RULE_DIV_FREE, 25.0)};
        orff_settings settings = fields_given(parts, D, 0.0);
        support_case("way %zu", k);
        settings.n_parts = k == 3 ? 2 : 1;
        settings.mixture = k == 3;
        settings.criterion = k == 3 ? ORFF_CRITERION_CROSS_VALIDATION : ORFF_CRITERION_EVIDENCE;
        settings.solver = solvers[k];
        settings.sampling.omega = omega;
        orff_model *model = fields_fit(&settings, &rows);
        assert_frequencies(model, omega);
        orff_model_free(model);
        fields_free(&rows);
    }
    support_case(NULL);
    free(omega);
}

static void own_frequencies_refuse_scaled_inputs(void **state) {
    (void)state;
    fields_rows rows = wide(50);
    orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 1.0);
    orff_settings settings = fields_given(&part, D, 1e-3);
    double *omega = models_normal(2 * D, 3);
    orff_model *model = NULL;
    settings.sampling.omega = omega;
    settings.scale_inputs = ORFF_SWITCH_YES;
    assert_status(orff_model_fit(&model, &settings, 2, 2, rows.n, rows.X, rows.Y, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("scale-inputs");
    free(omega);
    fields_free(&rows);
}

/* ---- outputs that no engine reaches */

/* y goes along (1, 1), the output matrix along (1, -1): also an iteration says so. */
static void every_solver_warns_of_unreached_outputs(void **state) {
    (void)state;
    const double A[4] = {1.0, -1.0, -1.0, 1.0};
    const orff_solver solvers[] = {ORFF_SOLVER_DIRECT, ORFF_SOLVER_PCG, ORFF_SOLVER_LSMR};
    fields_rows rows = fields_draw(fields_smooth, 100, 3, 2, 0.0, 5);
    orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 1.0);
    part.A = A;
    for (size_t i = 0; i < rows.n; i++) rows.Y[2 * i + 1] = rows.Y[2 * i];
    for (size_t k = 0; k < 3; k++) {
        orff_settings settings = fields_given(&part, 20, 1e-3);
        settings.solver = solvers[k];
        orff_model *model = fields_fit(&settings, &rows);
        assert_true(orff_model_describe(model).warnings & ORFF_WARN_UNREACHED);
        assert_true(model->unreached > 0.99);
        orff_model_free(model);
    }
    fields_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(criterion_makes_a_difference),
                                       cmocka_unit_test(exact_refuses_other_criteria),
                                       cmocka_unit_test(criterion_is_part_of_the_question),
                                       cmocka_unit_test(own_frequencies_are_used_as_they_are),
                                       cmocka_unit_test(own_frequencies_refuse_scaled_inputs),
                                       cmocka_unit_test(every_solver_warns_of_unreached_outputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
