/* Automatic choices, and tuning over candidates. */
#include <stdio.h>

#include "fields.h"

/* ---- length scales */

/* Mean error over some draws on a 30 x 30 grid of the five-Gaussian field; 200 rows, noise a tenth of its
 * size. */
static double grid_error(const orff_settings *settings, size_t draws) {
    fields_rows grid = fields_draw(fields_gradient, 900, 2, 2, 0.0, 0);
    double sum = 0.0;
    for (size_t i = 0; i < 900; i++) {
        grid.X[2 * i] = -1.0 + 2.0 * (double)(i / 30) / 29.0;
        grid.X[2 * i + 1] = -1.0 + 2.0 * (double)(i % 30) / 29.0;
        fields_gradient(grid.X + 2 * i, grid.truth + 2 * i);
    }
    for (size_t k = 0; k < draws; k++) {
        fields_rows rows = fields_draw(fields_gradient, 200, 2, 2, 0.12, 50 + 10 * k);
        orff_model *model = fields_fit(settings, &rows);
        sum += fields_error(model, &grid, grid.truth) / (double)draws;
        orff_model_free(model);
        fields_free(&rows);
    }
    fields_free(&grid);
    return sum;
}

/* Exact kernels tuned by hand have errors of 1.45e-3 (curl-free) and 2.59e-3 (decomposable). */
static void scales_of_a_field(void **state) {
    (void)state;
    const orff_part curl_free = fields_part(ORFF_RULE_CURL_FREE, 0.0),
                    decomposable = fields_part(ORFF_RULE_DECOMPOSABLE, 0.0);
    const orff_settings first = fields_given(&curl_free, 128, 0.0),
                        second = fields_given(&decomposable, 128, 0.0);
    const double right = grid_error(&first, 3), plain = grid_error(&second, 3);
    assert_true(right < 2.0 * 1.45e-3);
    assert_true(plain < 2.0 * 2.59e-3);
    assert_true(right < plain);
}

/* A part with a length scale of its own keeps it while the other's is chosen. */
static void given_scales_stay(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 120, 2, 2, 0.12, 80);
    orff_part parts[] = {fields_part(ORFF_RULE_CURL_FREE, 0.0), fields_part(ORFF_RULE_DECOMPOSABLE, 0.17)},
              fitted;
    orff_settings settings = fields_given(parts, 60, 0.0);
    settings.n_parts = 2;
    orff_model *model = fields_fit(&settings, &rows);
    assert_ok(orff_model_part(model, 0, &fitted));
    assert_true(fitted.sigma > 0.3 && fitted.sigma < 1.5);
    assert_ok(orff_model_part(model, 1, &fitted));
    assert_close(fitted.sigma, 0.17, 1e-12);
    orff_model_free(model);
    fields_free(&rows);
}

/* In other units of the inputs everything is the same: lengths scale with them. */
static void scales_follow_the_units(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 120, 2, 2, 0.12, 81);
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE};
    for (size_t i = 0; i < 2; i++) {
        const orff_part part = fields_part(rules[i], 0.0);
        const orff_settings settings = fields_given(&part, 60, 0.0);
        orff_part near, far;
        orff_model *before = fields_fit(&settings, &rows);
        for (size_t k = 0; k < 240; k++) rows.X[k] *= 1024.0;
        orff_model *after = fields_fit(&settings, &rows);
        assert_ok(orff_model_part(before, 0, &near));
        assert_ok(orff_model_part(after, 0, &far));
        support_case("%s", orff_rule_name(rules[i]));
        /* folds follow from the numbers, so the multiple may fall on a neighbour */
        assert_true(far.sigma / near.sigma > 500.0 && far.sigma / near.sigma < 2100.0);
        assert_close(fields_error(after, &rows, rows.truth), 0.003, 0.003);
        orff_model_free(before);
        orff_model_free(after);
        for (size_t k = 0; k < 240; k++) rows.X[k] /= 1024.0;
    }
    fields_free(&rows);
}

/* ---- Helmholtz weights and mixtures */

static void mix_of_pure_fields(void **state) {
    (void)state;
    const fields_truth truths[] = {fields_gradient, fields_rotation};
    for (size_t i = 0; i < 2; i++) {
        fields_rows rows = fields_draw(truths[i], 150, 2, 2, 0.12, 82);
        const orff_part part = fields_part(ORFF_RULE_HELMHOLTZ, 0.6);
        orff_settings settings = fields_given(&part, 60, 0.0);
        orff_part fitted;
        settings.auto_mix = true;
        orff_model *model = fields_fit(&settings, &rows);
        assert_ok(orff_model_part(model, 0, &fitted));
        support_case("%s, c = %g", i ? "rotation" : "gradient", fitted.mix);
        assert_true(i ? fitted.mix <= 0.1 : fitted.mix >= 0.9);
        orff_model_free(model);
        fields_free(&rows);
    }
}

/* Which part has the largest share, and whether shares make sense. */
static orff_part largest_part(const orff_model *model) {
    const orff_model_info info = orff_model_describe(model);
    size_t best = 0;
    double total = 0.0;
    orff_part part;
    assert_non_null(info.shares);
    for (size_t i = 0; i <= info.parts; i++) {
        assert_true(info.shares[i] >= 0.0);
        total += info.shares[i];
        if (i < info.parts && info.shares[i] > info.shares[best]) best = i;
    }
    assert_close(total, 1.0, 1e-12);
    assert_ok(orff_model_part(model, best, &part));
    return part;
}

static void auto_kernel_names_the_physics(void **state) {
    (void)state;
    const fields_truth truths[] = {fields_gradient, fields_rotation};
    const orff_rule rules[] = {ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE};
    for (size_t i = 0; i < 2; i++) {
        fields_rows rows = fields_draw(truths[i], 200, 2, 2, 0.12, 83 + i),
                    test = fields_draw(truths[i], 500, 2, 2, 0.0, 85);
        orff_settings settings = fields_settings(128);
        const orff_part single = fields_part(rules[i], 0.0);
        const orff_settings best = fields_given(&single, 128, 0.0);
        settings.auto_kernel = true;
        support_case("%s", orff_rule_name(rules[i]));
        orff_model *mixture = fields_fit(&settings, &rows), *one = fields_fit(&best, &rows);
        const orff_model_info info = orff_model_describe(mixture);
        const orff_part part = largest_part(mixture);
        assert_int_equal(part.rule, rules[i]);
        assert_true(part.sigma > 0.2 && part.sigma < 1.2);
        assert_true(info.shares[info.parts] > 0.002 && info.shares[info.parts] < 0.05);
        assert_true(fields_error(mixture, &test, test.truth) <
                    1.3 * fields_error(one, &test, test.truth) + 5e-4);
        assert_non_null(strstr(info.kernel, orff_rule_name(rules[i])));
        orff_model_free(mixture);
        orff_model_free(one);
        fields_free(&rows);
        fields_free(&test);
    }
}

/* More rows than the exact evidence takes: the same from moments. */
static void auto_kernel_of_many_rows(void **state) {
    (void)state;
    support_numbers_only();
    fields_rows rows = fields_draw(fields_rotation, 800, 2, 2, 0.12, 86),
                test = fields_draw(fields_rotation, 500, 2, 2, 0.0, 87);
    orff_settings settings = fields_settings(80);
    settings.auto_kernel = true;
    settings.lambda_count = 12;
    settings.lambda_low = 1e-7;
    orff_model *model = fields_fit(&settings, &rows);
    assert_int_equal(largest_part(model).rule, ORFF_RULE_DIV_FREE);
    assert_true(fields_error(model, &test, test.truth) < 1e-3);
    orff_model_free(model);
    fields_free(&rows);
    fields_free(&test);
}

/* Three inputs for two outputs are no field; with a space they are. A base without second moment has no
 * physical parts. */
static void auto_kernel_fits_the_shape(void **state) {
    (void)state;
    static const size_t space[] = {0, 1};
    fields_rows rows = fields_draw(fields_smooth, 100, 3, 2, 0.1, 88),
                field = fields_draw(fields_gradient, 100, 2, 2, 0.1, 89);
    orff_part named = fields_part(ORFF_RULE_CURL_FREE, 0.0);
    orff_settings settings = fields_settings(60);
    settings.auto_kernel = true;
    orff_model *plain = fields_fit(&settings, &rows);
    for (size_t i = 0; i < orff_model_describe(plain).parts; i++) {
        orff_part part;
        assert_ok(orff_model_part(plain, i, &part));
        assert_int_equal(part.rule, ORFF_RULE_DECOMPOSABLE);
    }
    assert_true(fields_error(plain, &rows, rows.truth) < 0.01);
    named.space = space;
    settings.n_parts = 1;
    settings.parts = &named;
    orff_model *spaced = fields_fit(&settings, &rows);
    assert_true(fields_error(spaced, &rows, rows.truth) < 0.01);
    named = fields_part(ORFF_RULE_DECOMPOSABLE, 0.0);
    named.base = ORFF_BASE_LAPLACE;
    orff_model *rough = fields_fit(&settings, &field);
    assert_int_equal(largest_part(rough).rule, ORFF_RULE_DECOMPOSABLE);
    assert_int_equal(largest_part(rough).base, ORFF_BASE_LAPLACE);
    orff_model_free(plain);
    orff_model_free(spaced);
    orff_model_free(rough);
    fields_free(&rows);
    fields_free(&field);
}

/* Over a long and narrow domain decomposable parts have scales to match: no worse than one alone. */
static void auto_kernel_stretches(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 200, 2, 2, 0.12, 90),
                test = fields_draw(fields_gradient, 500, 2, 2, 0.0, 91);
    orff_settings settings = fields_settings(120);
    for (size_t i = 0; i < 200; i++) rows.X[2 * i] *= 8.0; /* and the outputs stay: no gradient any more */
    for (size_t i = 0; i < 500; i++) test.X[2 * i] *= 8.0;
    orff_model *plain = fields_fit(&settings, &rows);
    settings.auto_kernel = true;
    orff_model *mixture = fields_fit(&settings, &rows);
    bool stretched = false;
    for (size_t i = 0; i < orff_model_describe(mixture).parts; i++) {
        orff_part part;
        assert_ok(orff_model_part(mixture, i, &part));
        if (part.rule != ORFF_RULE_DECOMPOSABLE) assert_close(part.sigmas[0], part.sigmas[1], 1e-12);
        stretched = stretched || part.sigmas[0] > 4.0 * part.sigmas[1];
    }
    assert_true(stretched);
    assert_true(fields_error(mixture, &test, test.truth) < 1.2 * fields_error(plain, &test, test.truth));
    orff_model_free(plain);
    orff_model_free(mixture);
    fields_free(&rows);
    fields_free(&test);
}

static void noise_has_no_kernel(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 100, 2, 2, 0.12, 92);
    double *noise = models_normal(200, 93);
    orff_settings settings = fields_settings(60);
    orff_model *model = NULL;
    settings.auto_kernel = true;
    const orff_status status = orff_model_fit(&model, &settings, 2, 2, 100, rows.X, noise, NULL);
    if (status) { /* the evidence keeps nothing, and says so */
        assert_int_equal(status, ORFF_ERROR_NUMERICAL);
        assert_says("noise");
    } else { /* or next to nothing */
        const orff_model_info info = orff_model_describe(model);
        assert_true(info.shares[info.parts] > 0.8);
    }
    orff_model_free(model);
    free(noise);
    fields_free(&rows);
}

/* ---- tuning */

enum { RULES = 3, SCALES = 3, CANDIDATES = RULES * SCALES };

typedef struct candidates {
    orff_part parts[CANDIDATES];
    orff_settings settings[CANDIDATES];
} candidates;

/* decomposable, curl-free and div-free, each at 0.2, 0.6 and 1.8. */
static void fill_candidates(candidates *c, double lambda) {
    static const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE};
    static const double scales[] = {0.2, 0.6, 1.8};
    for (size_t i = 0; i < CANDIDATES; i++) {
        c->parts[i] = fields_part(rules[i / SCALES], scales[i % SCALES]);
        c->settings[i] = fields_given(&c->parts[i], 50, lambda);
        c->settings[i].sampling.importance = ORFF_SWITCH_NO; /* so that rules share their frequencies */
    }
}

static orff_status tune(orff_model **model, size_t count, const orff_settings *settings,
                        const fields_rows *rows, double *scores, size_t *best) {
    return orff_model_tune(model, count, settings, rows->d, rows->p, rows->n, rows->X, rows->Y, NULL, scores,
                           best);
}

static void tuning_finds_the_field(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 200, 2, 2, 0.12, 94);
    candidates c;
    double scores[CANDIDATES];
    size_t best = 99;
    orff_model *model = NULL;
    fill_candidates(&c, 0.0);
    assert_ok(tune(&model, CANDIDATES, c.settings, &rows, scores, &best));
    assert_int_equal(best, 4); /* curl-free at 0.6 */
    for (size_t i = 0; i < CANDIDATES; i++) {
        orff_model *alone = fields_fit(&c.settings[i], &rows);
        support_case("candidate %zu", i);
        assert_true(scores[i] >= scores[best]);
        assert_close(orff_model_describe(alone).cv_mse, scores[i], 1e-9);
        if (i == best) {
            fields_assert_same(model, alone, &rows, 2, 1e-8);
            assert_close(orff_model_describe(model).lambda / orff_model_describe(alone).lambda, 1.0, 1e-12);
            assert_close(orff_model_describe(model).cv_mse, scores[i], 1e-12);
        }
        orff_model_free(alone);
    }
    orff_model_free(model);
    /* scores and best may be left out */
    assert_ok(tune(&model, 2, c.settings, &rows, NULL, NULL));
    orff_model_free(model);
    fields_free(&rows);
}

/* A lambda that is given is scored as it is. */
static void tuning_with_lambda(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 150, 2, 2, 0.12, 95);
    const double lambdas[] = {1e-9, 1e-3, 10.0};
    const orff_part part = fields_part(ORFF_RULE_CURL_FREE, 0.6);
    orff_settings settings[4];
    double scores[4];
    size_t best;
    orff_model *model = NULL;
    for (size_t i = 0; i < 4; i++) settings[i] = fields_given(&part, 60, i < 3 ? lambdas[i] : 0.0);
    assert_ok(tune(&model, 3, settings, &rows, scores, &best));
    assert_int_equal(best, 1);
    assert_close(orff_model_describe(model).lambda, 1e-3, 1e-15);
    assert_true(scores[0] > 1.1 * scores[1] && scores[2] > 1.1 * scores[1]);
    orff_model_free(model);
    assert_ok(tune(&model, 4, settings, &rows, scores, &best));
    assert_true(scores[3] <= 1.01 * scores[1]);
    orff_model_free(model);
    fields_free(&rows);
}

/* Candidates of every kind: automatic scales, a mixture with learned weights, auto_kernel, scaled outputs,
 * single precision; and rows have weights. */
static void tuning_of_everything(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 150, 2, 2, 0.12, 96);
    const orff_part automatic = fields_part(ORFF_RULE_CURL_FREE, 0.0);
    const orff_part parts[] = {fields_part(ORFF_RULE_CURL_FREE, 0.6), fields_part(ORFF_RULE_DIV_FREE, 0.6)};
    orff_settings settings[5];
    double scores[5], *weights = support_zeros(150);
    size_t best;
    orff_model *model = NULL;
    for (size_t i = 0; i < 150; i++) weights[i] = 0.5 + (double)(i % 3);
    for (size_t i = 0; i < 5; i++) settings[i] = fields_settings(50);
    settings[0] = fields_given(&automatic, 50, 0.0);
    settings[1] = fields_given(parts, 50, 0.0);
    settings[1].n_parts = 2;
    settings[1].mixture = true;
    settings[2].auto_kernel = true;
    settings[3].scale_outputs = ORFF_SWITCH_YES;
    settings[4].single = true;
    assert_ok(orff_model_tune(&model, 5, settings, 2, 2, 150, rows.X, rows.Y, weights, scores, &best));
    for (size_t i = 0; i < 5; i++) {
        orff_model *alone = NULL;
        support_case("candidate %zu", i);
        assert_ok(orff_model_fit(&alone, &settings[i], 2, 2, 150, rows.X, rows.Y, weights));
        assert_close(orff_model_describe(alone).cv_mse, scores[i], 1e-9);
        if (i == best) fields_assert_same(model, alone, &rows, 2, 1e-6);
        if (i == best)
            assert_string_equal(orff_model_describe(model).kernel, orff_model_describe(alone).kernel);
        orff_model_free(alone);
    }
    assert_true(best < 3); /* those that know of curl */
    orff_model_free(model);
    free(weights);
    fields_free(&rows);
}

static void tuning_of_classes(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 150, 2, 2, 0.0, 97);
    const orff_part parts[] = {fields_part(ORFF_RULE_DECOMPOSABLE, 0.5),
                               fields_part(ORFF_RULE_DECOMPOSABLE, 50.0)};
    orff_settings settings[] = {fields_given(&parts[0], 60, 0.0), fields_given(&parts[1], 60, 1.0)};
    double scores[2];
    size_t best, labels[150], right = 0;
    orff_model *model = NULL;
    for (size_t i = 0; i < 150; i++)
        rows.Y[i] = (double)((rows.X[2 * i] > 0.0) + 2 * (rows.X[2 * i + 1] > 0.0));
    settings[0].classes = settings[1].classes = 4;
    assert_ok(orff_model_tune(&model, 2, settings, 2, 1, 150, rows.X, rows.Y, NULL, scores, &best));
    assert_int_equal(best, 0);
    assert_ok(orff_model_classify(model, 150, rows.X, labels));
    for (size_t i = 0; i < 150; i++) right += (double)labels[i] == rows.Y[i];
    assert_true(right > 135);
    orff_model_free(model);
    model = NULL;
    settings[0].subsample = 10;
    rows.Y[77] = 4.0;
    assert_status(orff_model_tune(&model, 2, settings, 2, 1, 150, rows.X, rows.Y, NULL, scores, &best),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("the label of row 78 is 4");
    assert_null(model);
    fields_free(&rows);
}

static void tuning_refuses(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 40, 2, 2, 0.1, 98);
    orff_settings settings[] = {fields_settings(20), fields_settings(20)};
    double scores[] = {7.0, 7.0};
    size_t best = 9;
    orff_model *model = NULL;
    assert_status(tune(&model, 0, settings, &rows, scores, &best), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(tune(&model, 2, NULL, &rows, scores, &best), ORFF_ERROR_INVALID_ARGUMENT);
    settings[1].loss = ORFF_LOSS_HUBER;
    assert_status(tune(&model, 2, settings, &rows, scores, &best), ORFF_ERROR_UNSUPPORTED);
    assert_says("candidate 2");
    settings[1] = settings[0];
    settings[1].lambda = 1e-3;
    settings[1].folds = 1;
    assert_status(tune(&model, 2, settings, &rows, scores, &best), ORFF_ERROR_UNSUPPORTED);
    settings[1] = settings[0];
    settings[1].lambda = -2.0;
    assert_status(tune(&model, 2, settings, &rows, scores, &best), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("lambda");
    settings[1] = settings[0];
    rows.Y[11] = NAN;
    assert_status(tune(&model, 2, settings, &rows, scores, &best), ORFF_ERROR_NOT_FINITE);
    assert_says("row 6, column 2");
    assert_null(model);
    assert_close(scores[0] + scores[1], 14.0, 0.0);
    assert_int_equal(best, 9);
    fields_free(&rows);
}

/* ---- measured fields */

/* Rows of x, y, u, v; the first line is a header. */
static fields_rows load(const char *path, size_t most) {
    fields_rows rows = {0, 2, 2, support_zeros(2 * most), support_zeros(2 * most), NULL};
    char line[256];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (rows.n < most && fgets(line, sizeof line, file)) {
        double *x = rows.X + 2 * rows.n, *y = rows.Y + 2 * rows.n;
        if (sscanf(line, "%lf,%lf,%lf,%lf", &x[0], &x[1], &y[0], &y[1]) == 4) rows.n++;
    }
    fclose(file);
    return rows;
}

/* Put n rows drawn at random first. */
static void shuffle(fields_rows *rows, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        const size_t other = i + orffi_rng_below((orffi_rng){seed, 9}, i, 0, rows->n - i);
        for (size_t k = 0; k < 2; k++) {
            const double x = rows->X[2 * i + k], y = rows->Y[2 * i + k];
            rows->X[2 * i + k] = rows->X[2 * other + k];
            rows->Y[2 * i + k] = rows->Y[2 * other + k];
            rows->X[2 * other + k] = x;
            rows->Y[2 * other + k] = y;
        }
    }
}

/* Errors on held-out drifters, relative to the best single kernel, mean of two splits. */
static void auto_kernel_of_drifters(void **state) {
    (void)state;
    const char *path = support_data_path("drifters/gladfull.csv");
    if (!path) {
        print_message("drifters/gladfull.csv is not there: skipped\n");
        skip();
    }
    fields_rows all = load(path, 2000);
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE};
    const size_t n = 200;
    double single[3] = {0}, mixture = 0.0;
    assert_int_equal(all.n, 1183);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        shuffle(&all, n, seed);
        const fields_rows train = {n, 2, 2, all.X, all.Y, NULL};
        const fields_rows test = {all.n - n, 2, 2, all.X + 2 * n, all.Y + 2 * n, NULL};
        orff_settings settings = fields_settings(120);
        for (size_t i = 0; i < 3; i++) {
            const orff_part part = fields_part(rules[i], 0.0);
            const orff_settings one = fields_given(&part, 120, 0.0);
            orff_model *model = fields_fit(&one, &train);
            single[i] += fields_error(model, &test, test.Y);
            orff_model_free(model);
        }
        settings.auto_kernel = true;
        orff_model *model = fields_fit(&settings, &train);
        mixture += fields_error(model, &test, test.Y);
        orff_model_free(model);
    }
    const double best = fmin(single[0], fmin(single[1], single[2]));
    print_message("held-out error of auto_kernel %.4f, decomposable %.4f, curl-free %.4f, div-free %.4f\n",
                  sqrt(mixture / best), sqrt(single[0] / best), sqrt(single[1] / best),
                  sqrt(single[2] / best));
    assert_true(sqrt(mixture / best) < 1.05);
    assert_true(single[2] < single[1]); /* water keeps its volume */
    fields_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_of_a_field),
        cmocka_unit_test(given_scales_stay),
        cmocka_unit_test(scales_follow_the_units),
        cmocka_unit_test(mix_of_pure_fields),
        cmocka_unit_test(auto_kernel_names_the_physics),
        cmocka_unit_test(auto_kernel_of_many_rows),
        cmocka_unit_test(auto_kernel_fits_the_shape),
        cmocka_unit_test(auto_kernel_stretches),
        cmocka_unit_test(noise_has_no_kernel),
        cmocka_unit_test(tuning_finds_the_field),
        cmocka_unit_test(tuning_with_lambda),
        cmocka_unit_test(tuning_of_everything),
        cmocka_unit_test(tuning_of_classes),
        cmocka_unit_test(tuning_refuses),
        cmocka_unit_test(auto_kernel_of_drifters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
