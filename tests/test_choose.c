/* The candidates of automatic kernels, and that the choice is no worse than a single part. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/random.h"
#include "model/choice.h"
#include "model/halves.h"
#include "model/patches.h"
#include "support.h"

enum { SIDE = 100, LATTICE = SIDE * SIDE, MOST = 99 };

/* A lattice of unit spacing; the first output is the row's number. */
static orffi_table lattice(void) {
    orffi_table table = {0};
    assert_ok(orffi_table_init(&table, LATTICE, 2, 2, false));
    for (size_t i = 0; i < LATTICE; i++) {
        table.X[2 * i] = (double)(i % SIDE);
        table.X[2 * i + 1] = (double)(i / SIDE);
        table.Y[2 * i] = (double)i;
    }
    return table;
}

static double nearest(const orffi_table *t, size_t i) {
    double best = INFINITY;
    for (size_t k = 0; k < t->n; k++)
        if (k != i) best = fmin(best, hypot(t->X[2 * k] - t->X[2 * i], t->X[2 * k + 1] - t->X[2 * i + 1]));
    return best;
}

static void patches_are_dense_and_spread(void **state) {
    (void)state;
    const double unit[2] = {1.0, 1.0};
    orffi_table table = lattice(), few = {0};
    size_t quadrants[4] = {0}, dense = 0;
    assert_ok(orffi_patches(&table, unit, MOST, &few));
    assert_true(few.n <= MOST && few.n > 9 * MOST / 10);
    for (size_t i = 0; i < few.n; i++) {
        const size_t row = (size_t)few.Y[2 * i];
        assert_memory_equal(few.X + 2 * i, table.X + 2 * row, 2 * sizeof(double));
        if (i) assert_true(few.Y[2 * i] > few.Y[2 * i - 2]); /* no row twice */
        quadrants[2 * (few.X[2 * i] < SIDE / 2) + (few.X[2 * i + 1] < SIDE / 2)]++;
        dense += nearest(&few, i) == 1.0;
    }
    assert_true(dense >= few.n / 2);
    for (size_t k = 0; k < 4; k++) assert_true(quadrants[k] >= MOST / 10);
    orffi_table_clear(&few);
    orffi_table_clear(&table);
}

/* An input whose unit is large hardly counts: the patches become lines along it. */
static void distances_are_in_units(void **state) {
    (void)state;
    const double unit[2] = {1000.0, 1.0};
    orffi_table table = lattice(), few = {0};
    size_t along = 0;
    assert_ok(orffi_patches(&table, unit, MOST, &few));
    for (size_t i = 1; i < few.n; i++)
        along += few.X[2 * i + 1] == few.X[2 * i - 1] && few.X[2 * i] == few.X[2 * i - 2] + 1.0;
    assert_true(along >= few.n / 2);
    orffi_table_clear(&few);
    orffi_table_clear(&table);
}

static void few_rows_are_all_taken(void **state) {
    (void)state;
    const double unit[2] = {1.0, 1.0};
    orffi_table table = lattice(), few = {0};
    assert_ok(orffi_patches(&table, unit, LATTICE, &few));
    assert_int_equal(few.n, LATTICE);
    assert_memory_equal(few.Y, table.Y, 2 * LATTICE * sizeof(double));
    orffi_table_clear(&few);
    orffi_table_clear(&table);
}

/* After the rows that are spread over all, every row is in one group of neighbours. */
static void samples_of_some_thousand_rows_have_them_all(void **state) {
    (void)state;
    const double unit[2] = {1.0, 1.0};
    orffi_table table = lattice();
    orffi_sample sample = {0};
    size_t seen[LATTICE] = {0}, rows = 0;
    assert_ok(orffi_sample_many(&table, unit, 1, &sample));
    for (size_t g = 1; g < sample.count; g++) {
        const orffi_table *t = &sample.tables[g];
        double low[2] = {INFINITY, INFINITY}, high[2] = {0.0, 0.0};
        assert_true(t->n <= 160);
        for (size_t i = 0; i < t->n; i++) {
            rows += ++seen[(size_t)t->Y[2 * i]] == 1;
            for (size_t k = 0; k < 2; k++) low[k] = fmin(low[k], t->X[2 * i + k]);
            for (size_t k = 0; k < 2; k++) high[k] = fmax(high[k], t->X[2 * i + k]);
            assert_true(seen[(size_t)t->Y[2 * i]] == 1);
        }
        assert_true((high[0] - low[0]) * (high[1] - low[1]) <= 1.2 * (double)t->n);
    }
    assert_int_equal(rows, LATTICE);
    assert_true(sample.tables[0].n > 400);
    orffi_sample_clear(&sample);
    orffi_table_clear(&table);
}

/* ---- the choice */

enum { ROWS = 1500, HELD = 500 };
static double X[ROWS * 2], Y[ROWS * 2], X_held[HELD * 2], Y_held[HELD * 2], F[HELD * 2];

/* Many eddies of several sizes, stream function and potential of random waves: more than few frequencies resolve. */
static void eddies(size_t n, const double *at, double *out) {
    enum { WAVES = 120 };
    const orffi_rng rng = {7, 3};
    memset(out, 0, 2 * n * sizeof *out);
    for (size_t k = 0; k < WAVES; k++) {
        const double length = 4.0 + 20.0 * orffi_rng_uniform(rng, k, 0),
                     turn = 6.2831853 * orffi_rng_uniform(rng, k, 1);
        const double w[2] = {length * cos(turn), length * sin(turn)},
                     phase = 6.2831853 * orffi_rng_uniform(rng, k, 2);
        for (size_t i = 0; i < n; i++) {
            const double c = cos(w[0] * at[2 * i] + w[1] * at[2 * i + 1] + phase) / sqrt(WAVES);
            out[2 * i] += c * (-0.9 * w[1] + 0.3 * w[0]) / length;
            out[2 * i + 1] += c * (0.9 * w[0] + 0.3 * w[1]) / length;
        }
    }
}

static double held_error(const orff_part *part, bool automatic) {
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    double sum = 0.0;
    settings.n_parts = 1;
    settings.parts = part;
    settings.auto_kernel = automatic;
    settings.sampling.features = 120;
    settings.posterior = ORFF_SWITCH_NO;
    assert_ok(orff_model_fit(&model, &settings, 2, 2, ROWS, X, Y, NULL));
    assert_ok(orff_model_predict(model, HELD, X_held, F));
    orff_model_free(model);
    for (size_t i = 0; i < 2 * HELD; i++) sum += pow(F[i] - Y_held[i], 2);
    return sqrt(sum / (2 * HELD));
}

/* With few frequencies for a dense field, where the evidence alone would choose scales that they cannot resolve. */
static void automatic_is_no_worse_than_a_single_part(void **state) {
    (void)state;
    support_numbers_only();
    const orffi_rng rng = {11, 1};
    const orff_rule rules[3] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE};
    double best = INFINITY;
    orff_part part = orff_part_default();
    for (size_t i = 0; i < ROWS * 2; i++) X[i] = orffi_rng_uniform(rng, i, 0);
    for (size_t i = 0; i < HELD * 2; i++) X_held[i] = orffi_rng_uniform(rng, i, 1);
    eddies(ROWS, X, Y);
    eddies(HELD, X_held, Y_held);
    for (size_t i = 0; i < ROWS * 2; i++) Y[i] += 0.02 * orffi_rng_normal(rng, i, 2);
    part.sigma = 0.0;
    for (size_t k = 0; k < 3; k++) {
        part.rule = rules[k];
        best = fmin(best, held_error(&part, false));
    }
    const double automatic = held_error(&part, true);
    print_message("automatic %.4f, the best single part %.4f\n", automatic, best);
    assert_true(automatic <= 1.03 * best);
}

/* ---- by the evidence */

enum { DRAWN = 300 };
static double drawn_X[DRAWN * 2], drawn_Y[DRAWN * 2], drawn_K[4 * DRAWN * DRAWN];

/* A draw of the process of a part, of unit variance, over a square of side 8; the noise has a deviation of 0.2. */
static void draw(orff_part part, uint64_t seed) {
    const orffi_rng rng = {seed, 4};
    const size_t P = 2 * DRAWN;
    orff_kernel *kernel = NULL;
    for (size_t i = 0; i < P; i++) drawn_X[i] = 8.0 * orffi_rng_uniform(rng, i, 0);
    part.normalise = true;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_kernel_gram(kernel, DRAWN, drawn_X, DRAWN, drawn_X, drawn_K));
    orff_kernel_free(kernel);
    for (size_t i = 0; i < P; i++) drawn_K[i * P + i] += 0.04;
    assert_ok(orffi_cholesky(P, drawn_K));
    for (size_t i = 0; i < P; i++) {
        drawn_Y[i] = 10.0;
        for (size_t k = 0; k <= i; k++) drawn_Y[i] += drawn_K[i * P + k] * orffi_rng_normal(rng, k, 1);
    }
}

/* The part of a fit to these rows; its length scales in scales (2), in the inputs' units. */
static orff_part fitted(const orff_part *given, bool auto_mix, size_t repeat, const double *weights,
                        double *scales) {
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    orff_part part;
    settings.n_parts = given ? 1 : 0;
    settings.parts = given;
    settings.auto_mix = auto_mix;
    settings.engine = ORFF_ENGINE_EXACT;
    settings.lambda = 1e-3;
    settings.posterior = ORFF_SWITCH_NO;
    assert_ok(orff_model_fit(&model, &settings, 2, 2, repeat, drawn_X, drawn_Y, weights));
    assert_ok(orff_model_part(model, 0, &part));
    for (size_t i = 0; i < 2; i++) scales[i] = part.sigmas ? part.sigmas[i] : part.sigma;
    orff_model_free(model);
    return part;
}

static bool is_near(double got, double want, double factor) {
    return fabs(log(got / want)) < log(factor);
}

/* Nothing given: the base, one length scale, though they are divided by unequal spreads inside. */
static void evidence_finds_base_and_scale(void **state) {
    (void)state;
    orff_part truth = orff_part_default();
    double scales[2];
    truth.base = ORFF_BASE_MATERN;
    truth.shape = 0.5;
    draw(truth, 1);
    orff_part part = fitted(NULL, false, DRAWN, NULL, scales);
    assert_true(part.base == ORFF_BASE_MATERN && part.shape == 0.5);
    assert_true(is_near(scales[0], 1.0, 1.4) && is_near(scales[1], scales[0], 1.1));
    truth.base = ORFF_BASE_GAUSSIAN;
    draw(truth, 2);
    part = fitted(NULL, false, DRAWN, NULL, scales);
    assert_true(part.base == ORFF_BASE_GAUSSIAN);
    assert_true(is_near(scales[0], 1.0, 1.2));
    part = orff_part_default(); /* what is given stays */
    part.base = ORFF_BASE_MATERN;
    part.shape = 2.5;
    part.sigma = ORFF_SIGMA_AUTO;
    part = fitted(&part, false, DRAWN, NULL, scales);
    assert_true(part.base == ORFF_BASE_MATERN && part.shape == 2.5);
}

/* ---- by rows left out */

static void halves_lie_together(void **state) {
    (void)state;
    enum { N = 100, COUNT = 8 };
    double x[N];
    size_t cluster[N], counts[COUNT] = {0};
    for (size_t i = 0; i < N; i++) x[i] = (double)((i * 37) % N); /* every number once */
    assert_ok(orffi_halves(N, 1, x, COUNT, cluster));
    for (size_t i = 0; i < N; i++) {
        assert_true(cluster[i] < COUNT);
        counts[cluster[i]]++;
        for (size_t k = 0; k < N; k++) assert_true(x[i] <= x[k] ? cluster[i] <= cluster[k] : true);
    }
    for (size_t k = 0; k < COUNT; k++) assert_true(counts[k] == N / COUNT || counts[k] == N / COUNT + 1);
    for (size_t i = 0; i < N; i++) x[i] = 3.0; /* all in one place */
    assert_ok(orffi_halves(N, 1, x, COUNT, cluster));
}

static double sum_of(const double *squares) {
    double sum = 0.0;
    for (size_t i = 0; i < DRAWN; i++) sum += squares[i];
    return sum;
}

/* The kernel that the rows are drawn from stands. One that takes the field for noise falls, for one that errs less. */
static void rows_left_out_depose_a_wrong_kernel(void **state) {
    (void)state;
    const bool chosen[1] = {true};
    orff_settings settings = orff_settings_default();
    orff_part truth = orff_part_default();
    orffi_rows rows = {0};
    orffi_plan plan = {0};
    orffi_choice choice;
    orffi_sample all = {1, NULL};
    double right, wrong, other, squares[DRAWN];
    truth.base = ORFF_BASE_MATERN;
    truth.shape = 1.5;
    draw(truth, 9);
    settings.scale_outputs = ORFF_SWITCH_NO;
    assert_ok(orffi_rows_from_arrays(&rows, 2, 2, &(orffi_codes){0}, DRAWN, drawn_X, drawn_Y, NULL, DRAWN));
    assert_ok(orffi_plan_make(&plan, &settings, &rows));
    assert_true(plan.left_out == 0.0);
    plan.parts.list[0].part.base = ORFF_BASE_AUTO;
    assert_ok(orffi_choice_make(&choice, &plan, &rows, chosen, 0));
    assert_true(choice.found && choice.left_out == 0.0);
    all.tables = &choice.table;
    assert_ok(orffi_candidate_squares(&choice.best, &choice.judge, &all, squares));
    right = sum_of(squares);
    choice.best.log_noise = log(30.0);
    assert_ok(orffi_candidate_squares(&choice.best, &choice.judge, &all, squares));
    wrong = sum_of(squares);
    assert_ok(orffi_choice_try_left_out(&choice));
    assert_ok(orffi_candidate_squares(&choice.best, &choice.judge, &all, squares));
    other = sum_of(squares);
    assert_true(is_near(choice.left_out, sqrt(wrong / other), 1.0001));
    assert_true(choice.left_out > 1.1 && other < 1.1 * right);
    orffi_choice_clear(&choice);
    orffi_plan_clear(&plan);
    orffi_rows_clear(&rows);
}

/* The shape that the evidence finds for rows of a given one. */
static double found_shape(orff_part truth, uint64_t seed) {
    double scales[2];
    draw(truth, seed);
    truth.shape = ORFF_SHAPE_AUTO;
    truth.sigma = ORFF_SIGMA_AUTO;
    const orff_part part = fitted(&truth, false, DRAWN, NULL, scales);
    assert_int_equal(part.base, truth.base);
    return part.shape;
}

/* Along the orders of matern and the alphas of the rational quadratic; fields stay where they exist. */
static void evidence_finds_the_shape(void **state) {
    (void)state;
    support_numbers_only();
    orff_part truth = orff_part_default();
    truth.base = ORFF_BASE_MATERN;
    truth.shape = 0.5;
    assert_true(found_shape(truth, 6) <= 1.0);
    truth.shape = 5.0;
    assert_true(found_shape(truth, 7) >= 2.5);
    truth.rule = ORFF_RULE_DIV_FREE;
    truth.shape = 1.5;
    const double field = found_shape(truth, 8);
    assert_true(field > 1.0 && field <= 2.5);
    truth.rule = ORFF_RULE_DECOMPOSABLE;
    truth.base = ORFF_BASE_RATIONAL_QUADRATIC;
    truth.shape = 0.25;
    assert_true(found_shape(truth, 9) <= 1.0);
    truth.shape = 16.0;
    assert_true(found_shape(truth, 10) >= 2.0);
}

static void expect_no_shape(const orff_part *part, orff_engine engine) {
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    settings.n_parts = 1;
    settings.parts = part;
    settings.engine = engine;
    assert_int_equal(orff_model_fit(&model, &settings, 2, 2, DRAWN, drawn_X, drawn_Y, NULL), ORFF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(orff_error_message(), "shape auto"));
}

/* Only the evidence finds one, with the length scale. */
static void shapes_need_an_evidence(void **state) {
    (void)state;
    orff_part part = orff_part_default();
    part.base = ORFF_BASE_MATERN;
    part.shape = ORFF_SHAPE_AUTO;
    draw(orff_part_default(), 11);
    expect_no_shape(&part, ORFF_ENGINE_EXACT);
    part.sigma = ORFF_SIGMA_AUTO;
    expect_no_shape(&part, ORFF_ENGINE_FEATURES);
}

/* A length scale for each input where they clearly differ, or where that is asked for. */
static void evidence_stretches(void **state) {
    (void)state;
    const double unequal[] = {0.6, 2.4};
    orff_part truth = orff_part_default(), part = truth;
    double scales[2];
    truth.sigmas = unequal;
    draw(truth, 3);
    part.sigma = ORFF_SIGMA_AUTO;
    fitted(&part, false, DRAWN, NULL, scales);
    assert_true(is_near(scales[0], 0.6, 1.2) && is_near(scales[1], 2.4, 1.3));
    truth.sigmas = NULL;
    draw(truth, 4);
    fitted(&part, false, DRAWN, NULL, scales);
    assert_true(is_near(scales[0], scales[1], 1.1));
    part.sigma = ORFF_SIGMA_ARD;
    fitted(&part, false, DRAWN, NULL, scales);
    assert_true(scales[0] != scales[1] && is_near(scales[0], 1.0, 1.3) && is_near(scales[1], 1.0, 1.3));
}

static void evidence_finds_the_mix(void **state) {
    (void)state;
    orff_part truth = orff_part_default(), part = truth;
    double scales[2];
    truth.rule = part.rule = ORFF_RULE_HELMHOLTZ;
    truth.mix = 0.1;
    draw(truth, 5);
    part.sigma = ORFF_SIGMA_AUTO;
    part = fitted(&part, true, DRAWN, NULL, scales);
    assert_true(part.mix > 0.05 && part.mix < 0.2);
    assert_true(is_near(scales[0], 1.0, 1.2) && scales[0] == scales[1]);
}

/* Rows without weight do not count: half of them are nonsense. */
static void evidence_knows_weights(void **state) {
    (void)state;
    orff_part truth = orff_part_default(), part = truth;
    double scales[2], without[2], weights[DRAWN];
    draw(truth, 6);
    part.sigma = ORFF_SIGMA_AUTO;
    fitted(&part, false, DRAWN / 2, NULL, without);
    for (size_t i = 0; i < DRAWN; i++) weights[i] = i < DRAWN / 2 ? 2.0 : 0.0;
    for (size_t i = DRAWN; i < 2 * DRAWN; i++) drawn_Y[i] = 10.0 * sin(1e6 * (double)i);
    fitted(&part, false, DRAWN, weights, scales);
    assert_true(is_near(scales[0], without[0], 1.1) && is_near(scales[1], without[1], 1.1));
}

/* Stations that report twice, their coordinates differing in the last digits, and each with an offset that both reports have: no
 * length scale is shorter than half the way from place to place. */
static void repeated_places_are_no_distance(void **state) {
    (void)state;
    enum { PLACES = 300 };
    static double at[4 * PLACES], y[2 * PLACES];
    const orff_settings settings = orff_settings_default();
    const orffi_rng rng = {5, 7};
    orff_model *model = NULL;
    orff_part part;
    for (size_t i = 0; i < 2 * PLACES; i++) {
        const size_t place = i % PLACES;
        for (size_t k = 0; k < 2; k++)
            at[2 * i + k] =
                orffi_rng_uniform(rng, 2 * place + k, 0) + 1e-9 * orffi_rng_uniform(rng, 2 * i + k, 1);
        y[i] =
            sin(4.0 * at[2 * i]) + 0.5 * orffi_rng_normal(rng, place, 2) + 1e-6 * orffi_rng_normal(rng, i, 3);
    }
    assert_ok(orff_model_fit(&model, &settings, 2, 1, 2 * PLACES, at, y, NULL));
    assert_ok(orff_model_part(model, 0, &part));
    for (size_t i = 0; i < 2; i++) assert_true((part.sigmas ? part.sigmas[i] : part.sigma) > 0.01);
    orff_model_free(model);
}

/* ---- units of classes */

enum { CLASSED = 400, PIXELS = 12 };

/* Two classes, inside and outside a circle in the first two inputs; the spread of the second is `second`, that of all others
 * `others`, and these are noise. The length scales of a fit to half of the rows go to sigmas; the share of the other half that
 * it classifies right is returned. */
static double classify_circle(double second, double others, double *sigmas) {
    double *inputs = support_normal(CLASSED * PIXELS, 21, 0), codes[CLASSED];
    size_t labels[CLASSED], right = 0;
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    orff_part part;
    for (size_t i = 0; i < CLASSED; i++) {
        double *x = inputs + i * PIXELS;
        codes[i] = hypot(x[0], x[1]) < 1.2;
        x[1] *= second;
        for (size_t k = 2; k < PIXELS; k++) x[k] *= others;
    }
    settings.classes = 2;
    settings.sampling.features = 100;
    assert_ok(orff_model_fit(&model, &settings, PIXELS, 1, CLASSED / 2, inputs, codes, NULL));
    assert_ok(orff_model_part(model, 0, &part));
    for (size_t k = 0; k < PIXELS; k++) sigmas[k] = part.sigmas ? part.sigmas[k] : part.sigma;
    assert_ok(orff_model_classify(model, CLASSED / 2, inputs + CLASSED / 2 * PIXELS, labels));
    for (size_t i = 0; i < CLASSED / 2; i++) right += (double)labels[i] == codes[CLASSED / 2 + i];
    orff_model_free(model);
    free(inputs);
    return (double)right / (CLASSED / 2);
}

/* Inputs of one kind that hardly vary say little; inputs of another kind may. */
static void classes_choose_their_units(void **state) {
    (void)state;
    double sigmas[PIXELS];
    assert_true(classify_circle(1.0, 0.02, sigmas) > 0.9);
    for (size_t k = 1; k < PIXELS; k++) assert_close(sigmas[k], sigmas[0], 1e-9 * sigmas[0]);
    classify_circle(0.001, 0.0005, sigmas);
    assert_true(sigmas[1] < 0.01 * sigmas[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_are_dense_and_spread),
        cmocka_unit_test(distances_are_in_units),
        cmocka_unit_test(few_rows_are_all_taken),
        cmocka_unit_test(samples_of_some_thousand_rows_have_them_all),
        cmocka_unit_test(automatic_is_no_worse_than_a_single_part),
        cmocka_unit_test(evidence_finds_base_and_scale),
        cmocka_unit_test(halves_lie_together),
        cmocka_unit_test(rows_left_out_depose_a_wrong_kernel),
        cmocka_unit_test(evidence_finds_the_shape),
        cmocka_unit_test(shapes_need_an_evidence),
        cmocka_unit_test(evidence_stretches),
        cmocka_unit_test(evidence_finds_the_mix),
        cmocka_unit_test(evidence_knows_weights),
        cmocka_unit_test(repeated_places_are_no_distance),
        cmocka_unit_test(classes_choose_their_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
