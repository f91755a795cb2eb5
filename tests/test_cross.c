/* Cross-validated errors of each output, against models refitted without each fold. */
#include "engine/features.h"
#include "fields.h"

enum { N = 90, D = 40, FOLDS = 5 };

/* The fold of every row of rows in the units of the plan: the set whose rows grow when it comes alone. */
static void find_folds(const orff_features *features, const fields_rows *rows, size_t *fold) {
    const orff_moments_settings how = {.folds = FOLDS};
    orff_moments *moments = NULL;
    assert_ok(orff_moments_create(&moments, features, &how));
    for (size_t i = 0; i < rows->n; i++) {
        uint64_t before[FOLDS];
        for (size_t k = 0; k < FOLDS; k++) before[k] = moments->sets[k].rows;
        assert_ok(orff_moments_accumulate(moments, 1, rows->X + i * rows->d, rows->Y + i * rows->p, NULL));
        for (size_t k = 0; k < FOLDS; k++)
            if (moments->sets[k].rows > before[k]) fold[i] = k;
    }
    orff_moments_free(moments);
}

static fields_rows room(size_t n, size_t d, size_t p) {
    return (fields_rows){n, d, p, support_zeros(n * d), support_zeros(n * p), support_zeros(1)};
}

/* Rows of all folds but k, and with keep those of k. */
static fields_rows part_of(const fields_rows *rows, const size_t *fold, size_t k, bool keep) {
    fields_rows part = room(rows->n, rows->d, rows->p);
    part.n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        if ((fold[i] == k) != keep) continue;
        memcpy(part.X + part.n * rows->d, rows->X + i * rows->d, rows->d * sizeof(double));
        memcpy(part.Y + part.n * rows->p, rows->Y + i * rows->p, rows->p * sizeof(double));
        part.n++;
    }
    return part;
}

/* errors (p): mean square errors on each fold of models of the others, by predicting. */
static void refit(const orff_settings *settings, const fields_rows *rows, const size_t *fold,
                  double *errors) {
    memset(errors, 0, rows->p * sizeof *errors);
    for (size_t k = 0; k < FOLDS; k++) {
        fields_rows rest = part_of(rows, fold, k, false), held = part_of(rows, fold, k, true);
        orff_model *model = fields_fit(settings, &rest);
        double *F = support_zeros(held.n * held.p + 1);
        assert_ok(orff_model_predict(model, held.n, held.X, F));
        for (size_t i = 0; i < held.n * held.p; i++)
            errors[i % held.p] += (F[i] - held.Y[i]) * (F[i] - held.Y[i]) / (double)rows->n;
        free(F);
        orff_model_free(model);
        fields_free(&rest);
        fields_free(&held);
    }
}

/* The errors of a model, which tells its units, against refits in these units. */
static void compare(const orff_model *model, orff_settings settings, const fields_rows *rows) {
    const orff_model_info info = orff_model_describe(model);
    fields_rows scaled = room(rows->n, rows->d, rows->p);
    size_t *fold = calloc(rows->n, sizeof *fold);
    double errors[3], total = 0.0;
    assert_non_null(fold);
    assert_non_null(info.output_cv_mse);
    orffi_model_transform(model, rows->n, rows->X, scaled.X);
    for (size_t i = 0; i < rows->n * rows->p; i++) scaled.Y[i] = rows->Y[i] / model->spread[i % rows->p];
    find_folds(((const orffi_features_fit *)model->fit)->features, &scaled, fold);
    settings.scale_outputs = ORFF_SWITCH_NO;
    settings.lambda = info.lambda;
    refit(&settings, &scaled, fold, errors);
    for (size_t k = 0; k < rows->p; k++) {
        const double expected = errors[k] * model->spread[k] * model->spread[k];
        assert_close(info.output_cv_mse[k] / expected, 1.0, 1e-7);
        assert_true(info.output_cv_mse[k] > info.output_train_mse[k]);
        total += info.output_cv_mse[k] / (double)rows->p;
    }
    assert_close(info.cv_mse / total, 1.0, 1e-12);
    free(fold);
    fields_free(&scaled);
}

/* Outputs whose sizes and noises differ, so that no mean could pass for one of them. */
static fields_rows uneven(uint64_t seed) {
    fields_rows rows = fields_draw(fields_gradient, N, 2, 2, 0.1, seed);
    double *noise = models_normal(N, seed + 7);
    for (size_t i = 0; i < N; i++) rows.Y[2 * i + 1] = 5.0 * rows.Y[2 * i + 1] + 2.0 * noise[i];
    free(noise);
    return rows;
}

static void every_rule(void **state) {
    (void)state;
    fields_rows rows = uneven(40);
    orff_part parts[] = {fields_part(ORFF_RULE_DECOMPOSABLE, 0.5), fields_part(ORFF_RULE_DECOMPOSABLE, 0.5),
                         fields_part(ORFF_RULE_CURL_FREE, 0.6), fields_part(ORFF_RULE_DIV_FREE, 0.6),
                         fields_part(ORFF_RULE_HELMHOLTZ, 0.6)};
    parts[1].A = models_matrix;
    for (size_t i = 0; i < 5; i++) {
        const orff_settings settings = fields_given(&parts[i], D, 0.0);
        support_case("%s (%zu)", orff_rule_name(parts[i].rule), i);
        orff_model *model = fields_fit(&settings, &rows);
        compare(model, settings, &rows);
        orff_model_free(model);
    }
    fields_free(&rows);
}

/* A sum, whose parts stand on frequencies of their own; without center; with outputs divided by their
 * spread. */
static void sums_and_units(void **state) {
    (void)state;
    fields_rows rows = uneven(41);
    const orff_part sum[] = {fields_part(ORFF_RULE_CURL_FREE, 0.6), fields_part(ORFF_RULE_DECOMPOSABLE, 0.3)},
                    plain = fields_part(ORFF_RULE_DECOMPOSABLE, 0.5);
    orff_settings settings[3] = {fields_given(sum, D, 0.0), fields_given(&plain, D, 0.0),
                                 fields_given(&plain, D, 0.0)};
    settings[0].n_parts = 2;
    settings[1].center = false;
    settings[2].scale_outputs = ORFF_SWITCH_YES;
    for (size_t i = 0; i < 3; i++) {
        support_case("settings %zu", i);
        orff_model *model = fields_fit(&settings[i], &rows);
        if (i == 2) assert_true(model->spread[1] > 2.0 * model->spread[0]);
        compare(model, settings[i], &rows);
        orff_model_free(model);
    }
    fields_free(&rows);
}

/* Moments of two scales, of which the kernel uses the second only. */
static void unused_frequencies(void **state) {
    (void)state;
    fields_rows rows = uneven(42);
    const orff_part dictionary[] = {fields_part(ORFF_RULE_DECOMPOSABLE, 0.2),
                                    fields_part(ORFF_RULE_DECOMPOSABLE, 0.5)};
    const orff_moments_settings how = {.folds = FOLDS};
    orff_settings settings = fields_given(dictionary, 2 * D, 0.0);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_model *model = NULL;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 2, dictionary));
    assert_ok(orff_features_create(&features, kernel, &settings.sampling));
    assert_ok(orff_moments_create(&moments, features, &how));
    assert_ok(orff_moments_accumulate(moments, N, rows.X, rows.Y, NULL));
    settings.parts = &dictionary[1];
    assert_ok(orff_model_fit_moments(&model, &settings, moments));
    const orff_model_info info = orff_model_describe(model);
    /* the same frequencies by themselves */
    orff_kernel *second = NULL;
    orff_features *own = NULL;
    const orffi_bank_group *group = &features->bank->groups[1];
    assert_ok(orff_kernel_create(&second, 2, 2, 1, &dictionary[1]));
    assert_ok(orff_features_create_at(&own, second, group->drawn.count, group->drawn.omega, NULL));
    orff_moments *few = NULL;
    assert_ok(orff_moments_create(&few, own, &how));
    assert_ok(orff_moments_accumulate(few, N, rows.X, rows.Y, NULL));
    orff_ridge *ridge = NULL;
    orff_path_point point;
    assert_ok(orff_ridge_create(&ridge, own, few, true));
    assert_ok(orff_ridge_path(ridge, 1, &info.lambda, true, &point));
    assert_close(info.cv_mse / point.cv_mse, 1.0, 1e-9);
    orff_ridge_free(ridge);
    orff_moments_free(few);
    orff_features_free(own);
    orff_kernel_free(second);
    orff_model_free(model);
    orff_moments_free(moments);
    orff_features_free(features);
    orff_kernel_free(kernel);
    fields_free(&rows);
}

/* A given lambda, iteration and classes have none. */
static void not_cross_validated(void **state) {
    (void)state;
    fields_rows rows = uneven(43);
    const orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 0.5);
    orff_settings settings = fields_given(&part, D, 1e-3);
    orff_model *model = fields_fit(&settings, &rows);
    assert_null(orff_model_describe(model).output_cv_mse);
    orff_model_free(model);
    settings.lambda = 0.0;
    settings.solver = ORFF_SOLVER_PCG;
    model = fields_fit(&settings, &rows);
    assert_null(orff_model_describe(model).output_cv_mse);
    orff_model_free(model);
    settings.solver = ORFF_SOLVER_AUTO;
    settings.classes = 3;
    double *labels = support_zeros(N);
    for (size_t i = 0; i < N; i++) labels[i] = (double)(i % 3);
    model = NULL;
    assert_ok(orff_model_fit(&model, &settings, 2, 1, N, rows.X, labels, NULL));
    assert_null(orff_model_describe(model).output_cv_mse);
    assert_true(orff_model_describe(model).cv_mse > 0.0);
    orff_model_free(model);
    free(labels);
    fields_free(&rows);
}

/* The winner of tuning has the errors it had as a candidate, and every path has its candidate's score as its
 * smallest error. */
static void tuning_tells_paths(void **state) {
    (void)state;
    fields_rows rows = uneven(44);
    const orff_part parts[] = {fields_part(ORFF_RULE_DECOMPOSABLE, 0.1),
                               fields_part(ORFF_RULE_DECOMPOSABLE, 0.6), fields_part(ORFF_RULE_DIV_FREE, 0.6),
                               fields_part(ORFF_RULE_DECOMPOSABLE, 0.7)};
    orff_settings settings[4];
    double scores[4];
    orff_path_point *paths[4] = {NULL};
    size_t best = 9;
    orff_model *model = NULL;
    for (size_t i = 0; i < 4; i++) {
        settings[i] = fields_given(&parts[i], D, i == 3 ? 1e-2 : 0.0);
        settings[i].scale_outputs = i == 1 ? ORFF_SWITCH_YES : ORFF_SWITCH_NO;
        settings[i].lambda_count = 20 + i;
        if (i != 2) paths[i] = calloc(20 + i, sizeof *paths[i]);
    }
    assert_ok(
        orff_model_tune_paths(&model, 4, settings, 2, 2, N, rows.X, rows.Y, NULL, scores, &best, paths));
    assert_int_equal(best, 1);
    compare(model, settings[1], &rows);
    for (size_t i = 0; i < 4; i++) {
        double least = INFINITY;
        support_case("candidate %zu", i);
        for (size_t l = 0; paths[i] && l < (i == 3 ? 1 : 20 + i); l++) {
            assert_true(paths[i][l].lambda > 0.0 && (l == 0 || paths[i][l].lambda > paths[i][l - 1].lambda));
            least = fmin(least, paths[i][l].cv_mse);
        }
        if (paths[i] && settings[i].scale_outputs == ORFF_SWITCH_NO) assert_close(least, scores[i], 1e-14);
        if (settings[i].scale_outputs == ORFF_SWITCH_YES)
            assert_true(least <= scores[i]); /* chosen in units of the spread */
        free(paths[i]);
    }
    orff_model_free(model);
    fields_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule),         cmocka_unit_test(sums_and_units),
        cmocka_unit_test(unused_frequencies), cmocka_unit_test(not_cross_validated),
        cmocka_unit_test(tuning_tells_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
