/* Blocks and groups of held-out rows: against fits without them, and how folds are made. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/blocks.h"
#include "model/held_out.h"
#include "moments/moments.h"
#include "support.h"

enum { N = 500 };

/* A smooth field of two inputs and p outputs, with noise; rows are dense beside its length scale. */
static void make_rows(size_t n, size_t p, double *X, double *Y) {
    const orffi_rng rng = {11, 3};
    for (size_t i = 0; i < n; i++) {
        double *x = X + 2 * i;
        for (size_t k = 0; k < 2; k++) x[k] = orffi_rng_uniform(rng, i, (uint32_t)k);
        for (size_t k = 0; k < p; k++)
            Y[i * p + k] = sin(11.0 * x[0] + (double)k) * cos(9.0 * x[1]) +
                           0.05 * orffi_rng_normal(rng, i, (uint32_t)(5 + k));
    }
}

typedef struct rows {
    size_t n, p;
    double *X, *Y;
} rows;

static rows rows_make(size_t n, size_t p) {
    rows r = {n, p, support_zeros(2 * n), support_zeros(n * p)};
    make_rows(n, p, r.X, r.Y);
    return r;
}

static void rows_free(rows *r) {
    free(r->X);
    free(r->Y);
}

/* As the model was fitted, but without the rows of `left`, whose errors are added up. */
static double refit_error(const orff_settings *how, const rows *all, const bool *left, size_t *count) {
    rows rest = rows_make(all->n, all->p);
    orff_model *model = NULL;
    double sum = 0.0, F[4];
    rest.n = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (left[i]) continue;
        memcpy(rest.X + 2 * rest.n, all->X + 2 * i, 2 * sizeof *rest.X);
        memcpy(rest.Y + all->p * rest.n++, all->Y + all->p * i, all->p * sizeof *rest.Y);
    }
    orff_settings given = *how;
    given.lambda *= (double)all->n / (double)rest.n; /* the same noise */
    given.groups = NULL;
    given.folds_by = ORFF_FOLDS_RANDOM; /* nothing more than the fit */
    given.posterior = ORFF_SWITCH_NO;
    assert_ok(orff_model_fit(&model, &given, 2, all->p, rest.n, rest.X, rest.Y, NULL));
    for (size_t i = 0; i < all->n; i++) {
        if (!left[i]) continue;
        assert_ok(orff_model_predict(model, 1, all->X + 2 * i, F));
        for (size_t k = 0; k < all->p; k++) sum += pow(F[k] - all->Y[i * all->p + k], 2);
        *count += all->p;
    }
    orff_model_free(model);
    rows_free(&rest);
    return sum;
}

static orff_settings settings_for(orff_part *part, orff_rule rule, orff_engine engine) {
    orff_settings s = orff_settings_default();
    *part = orff_part_default();
    part->rule = rule;
    part->sigma = 0.12;
    part->normalise = true;
    s.n_parts = 1;
    s.parts = part;
    s.lambda = 3e-6;
    s.engine = engine;
    s.scale_inputs = ORFF_SWITCH_NO;
    return s;
}

/* Where a row lies among the blocks of the library. */
static size_t block_of(const orffi_plan *plan, const double *x) {
    const double one = floor((x[0] - plan->units.shift[0]) / plan->units.unit[0] / plan->blocks[0]);
    const double two = floor((x[1] - plan->units.shift[1]) / plan->units.unit[1] / plan->blocks[1]);
    return (size_t)(50.0 + one) * 100 + (size_t)(50.0 + two);
}

/* Each block in turn, by a fit without it. */
static double brute_blocks(const orff_settings *how, const rows *all) {
    bool *left = malloc(all->n * sizeof *left), *done = calloc(100 * 100, sizeof *done);
    double sum = 0.0;
    size_t count = 0;
    orffi_rows given = {0};
    orffi_plan plan = {0};
    assert_ok(
        orffi_rows_from_arrays(&given, 2, all->p, &(orffi_codes){0}, all->n, all->X, all->Y, NULL, all->n));
    assert_ok(orffi_plan_make(&plan, how, &given));
    for (size_t j = 0; j < all->n; j++) {
        const size_t b = block_of(&plan, all->X + 2 * j);
        for (size_t i = 0; i < all->n; i++) left[i] = block_of(&plan, all->X + 2 * i) == b;
        if (!done[b]) sum += refit_error(how, all, left, &count);
        done[b] = true;
    }
    assert_int_equal(count, all->n * all->p);
    orffi_plan_clear(&plan);
    orffi_rows_clear(&given);
    free(left);
    free(done);
    return sqrt(sum / (double)count);
}

static orff_model_info fit_info(const orff_settings *how, const rows *all, double *output) {
    orff_model *model = NULL;
    assert_ok(orff_model_fit(&model, how, 2, all->p, all->n, all->X, all->Y, NULL));
    const orff_model_info info = orff_model_describe(model);
    *output = info.output_held_out_mse ? info.output_held_out_mse[0] : NAN;
    orff_model_free(model);
    return info;
}

/* Chance: about 80 blocks are drawn, some of them twice, and a dozen of the rows of each. */
static void test_blocks_left_out_are_those_of_fits_without_them(void **state) {
    (void)state;
    static const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_DIV_FREE};
    rows all = rows_make(N, 2);
    for (size_t i = 0; i < 2; i++) {
        orff_part part;
        double output;
        const orff_settings how = settings_for(&part, rules[i], ORFF_ENGINE_EXACT);
        const orff_model_info info = fit_info(&how, &all, &output);
        const double want = brute_blocks(&how, &all);
        assert_int_equal(info.folds, ORFF_FOLDS_BLOCKS);
        assert_true(info.held_out_rows > 300 && info.held_out_blocks > 20);
        assert_true(fabs(sqrt(info.held_out_mse) / want - 1.0) < 0.15);
        assert_true(info.held_out_mse > 2.0 * info.cv_mse); /* rows among their neighbours flatter */
        assert_true(output > 0.0 && output < 2.0 * info.held_out_mse);
    }
    rows_free(&all);
}

static void test_a_lattice_and_the_exact_kernel_agree(void **state) {
    (void)state;
    orff_part part;
    double output;
    rows all = rows_make(N, 1);
    orff_settings how = settings_for(&part, ORFF_RULE_DECOMPOSABLE, ORFF_ENGINE_EXACT);
    const double exact = fit_info(&how, &all, &output).held_out_mse;
    how.engine = ORFF_ENGINE_LATTICE;
    const orff_model_info lattice = fit_info(&how, &all, &output);
    assert_true(fabs(lattice.held_out_mse / exact - 1.0) < 0.02);
    assert_true(lattice.held_out_coverage[2] > 0.8);
    rows_free(&all);
}

/* Stations that each repeat their place: a row is told by its repetitions, unless they are left out with it. */
static void test_groups_are_left_out_together(void **state) {
    (void)state;
    enum { STATIONS = 60, TIMES = 10 };
    orff_part part;
    double output;
    rows all = rows_make(STATIONS * TIMES, 1);
    uint64_t *groups = malloc(all.n * sizeof *groups);
    bool *left = malloc(all.n * sizeof *left);
    for (size_t i = 0; i < all.n; i++) {
        groups[i] = i / TIMES * 1000003 + 17;
        memcpy(all.X + 2 * i, all.X + 2 * (i / TIMES * TIMES), 2 * sizeof *all.X);
        const double noise = 0.05 * orffi_rng_normal((orffi_rng){5, 5}, i, 0);
        all.Y[i] = sin(11.0 * all.X[2 * i]) * cos(9.0 * all.X[2 * i + 1]) + noise;
    }
    orff_settings how = settings_for(&part, ORFF_RULE_DECOMPOSABLE, ORFF_ENGINE_EXACT);
    how.groups = groups;
    const orff_model_info info = fit_info(&how, &all, &output);
    double want = 0.0;
    size_t count = 0;
    for (size_t s = 0; s < STATIONS; s++) {
        for (size_t i = 0; i < all.n; i++) left[i] = i / TIMES == s;
        want += refit_error(&how, &all, left, &count);
    }
    assert_int_equal(info.folds, ORFF_FOLDS_GROUPS);
    assert_true(fabs(sqrt(info.held_out_mse / (want / (double)count)) - 1.0) < 0.15);
    assert_true(info.held_out_mse > 4.0 * info.cv_mse);
    free(groups);
    free(left);
    rows_free(&all);
}

static void test_folds_follow_from_blocks_and_groups(void **state) {
    (void)state;
    const double sides[2] = {0.25, 0.5}, y = 0.0, other = 1.0;
    const uint64_t groups[] = {7, 8, 7, 9};
    orff_moments_settings how = {.folds = 5, .seed = 3, .blocks = sides};
    size_t seen[5] = {0};
    for (int i = -40; i < 40; i++) {
        const double corner[2] = {0.25 * i, 0.5 * (i % 7)}, x[2] = {corner[0] + 0.01, corner[1] + 0.02};
        const double z[2] = {corner[0] + 0.24, corner[1] + 0.49};
        const size_t fold = orffi_moments_fold(&how, 0, 2, x, 1, &y);
        assert_int_equal(fold, orffi_moments_fold(&how, 1, 2, z, 1, &other));
        seen[fold]++;
    }
    for (size_t k = 0; k < 5; k++) assert_true(seen[k] > 4);
    const double negative[2] = {-0.0, 0.1}, positive[2] = {0.0, 0.1};
    assert_int_equal(orffi_moments_fold(&how, 0, 2, negative, 1, &y),
                     orffi_moments_fold(&how, 0, 2, positive, 1, &y));
    how.groups = groups;
    assert_int_equal(orffi_moments_fold(&how, 0, 2, negative, 1, &y),
                     orffi_moments_fold(&how, 2, 2, sides, 1, &other));
}

/* Cross-validation of features is on blocks: far above that of rows, where these are dense. */
static void test_features_are_cross_validated_on_blocks(void **state) {
    (void)state;
    orff_part part;
    double output;
    rows all = rows_make(N, 1);
    orff_settings how = settings_for(&part, ORFF_RULE_DECOMPOSABLE, ORFF_ENGINE_FEATURES);
    how.lambda = 0.0;
    how.sampling.features = 200;
    const orff_model_info blocks = fit_info(&how, &all, &output);
    assert_int_equal(blocks.folds, ORFF_FOLDS_BLOCKS);
    assert_true(blocks.held_out_mse == blocks.cv_mse);
    how.folds_by = ORFF_FOLDS_RANDOM;
    const orff_model_info random = fit_info(&how, &all, &output);
    assert_int_equal(random.folds, ORFF_FOLDS_RANDOM);
    assert_true(blocks.cv_mse > 2.0 * random.cv_mse);
    rows_free(&all);
}

static void test_what_is_not_known_is_not_told(void **state) {
    (void)state;
    orff_part part;
    double output;
    rows all = rows_make(60, 1);
    orff_settings how = settings_for(&part, ORFF_RULE_DECOMPOSABLE, ORFF_ENGINE_FEATURES);
    how.sampling.features = 20;
    const orff_model_info info = fit_info(&how, &all, &output);
    assert_int_equal(info.folds, ORFF_FOLDS_AUTO);
    assert_true(isnan(info.held_out_mse) && isnan(info.held_out_coverage[2]) && isnan(output));
    how.folds_by = ORFF_FOLDS_GROUPS;
    orff_model *model = NULL;
    assert_int_equal(orff_model_fit(&model, &how, 2, 1, all.n, all.X, all.Y, NULL),
                     ORFF_ERROR_INVALID_ARGUMENT);
    rows_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_left_out_are_those_of_fits_without_them),
        cmocka_unit_test(test_a_lattice_and_the_exact_kernel_agree),
        cmocka_unit_test(test_groups_are_left_out_together),
        cmocka_unit_test(test_folds_follow_from_blocks_and_groups),
        cmocka_unit_test(test_features_are_cross_validated_on_blocks),
        cmocka_unit_test(test_what_is_not_known_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
