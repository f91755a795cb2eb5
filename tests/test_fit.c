/* Fitting: from arrays, streams and moments, by every solver and loss, and refusals. */
#include "fields.h"

enum { D = 120 };

/* ---- defaults */

/* Noise variance 0.01: nothing may be far from it, and the truth is found much closer. */
static void defaults_reach_the_noise(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_smooth, 500, 3, 2, 0.1, 1),
                test = fields_draw(fields_smooth, 300, 3, 2, 0.1, 2);
    const orff_settings settings = fields_settings(D);
    orff_model *model = fields_fit(&settings, &rows);
    const orff_model_info info = orff_model_describe(model);
    assert_true(fields_error(model, &test, test.truth) < 0.002);
    assert_true(fields_error(model, &test, test.Y) < 0.013);
    assert_true(info.cv_mse > 0.009 && info.cv_mse < 0.013);
    assert_true(support_noise(&info) > 0.0085 && support_noise(&info) < 0.0115);
    assert_close(info.train_mse, fields_error(model, &rows, rows.Y), 1e-10);
    assert_close(0.5 * (info.output_train_mse[0] + info.output_train_mse[1]), info.train_mse, 1e-12);
    assert_int_equal(info.rows, 500);
    assert_int_equal(info.inputs, 3);
    assert_int_equal(info.outputs, 2);
    assert_int_equal(info.parts, 1);
    assert_int_equal(info.frequencies, D);
    assert_true(info.dof > 5.0 && info.dof < 300.0 && isfinite(info.log_evidence));
    assert_true(info.has_posterior && info.shares == NULL);
    orff_model_free(model);
    fields_free(&rows);
    fields_free(&test);
}

/* The lambda that auto finds, given, makes the same model. */
static void lambda_given_is_lambda_found(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 150, 2, 2, 0.1, 3);
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE, ORFF_RULE_HELMHOLTZ};
    for (size_t i = 0; i < 3; i++) {
        const orff_part part = fields_part(rules[i], 0.5);
        orff_settings settings = fields_given(&part, 60, 0.0);
        support_case("%s", orff_rule_name(rules[i]));
        orff_model *found = fields_fit(&settings, &rows);
        settings.lambda = orff_model_describe(found).lambda;
        orff_model *given = fields_fit(&settings, &rows);
        const orff_model_info a = orff_model_describe(found), b = orff_model_describe(given);
        fields_assert_same(given, found, &rows, 2, 1e-8);
        assert_close(b.dof, a.dof, 1e-8);
        assert_all_close(2, b.noise, a.noise, 1e-8);
        assert_true(isnan(b.cv_mse));
        assert_true(a.cv_mse > 0.005);
        orff_model_free(found);
        orff_model_free(given);
    }
    fields_free(&rows);
}

/* Without error bars no inverse is there to count the degrees of freedom by: the factor is asked instead, at random. */
static void degrees_of_freedom_need_no_posterior(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 600, 2, 2, 0.1, 3);
    const orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 0.2);
    orff_settings settings = fields_given(&part, 100, 1e-4);
    settings.posterior = ORFF_SWITCH_YES;
    orff_model *with = fields_fit(&settings, &rows);
    settings.posterior = ORFF_SWITCH_NO;
    orff_model *without = fields_fit(&settings, &rows);
    const orff_model_info a = orff_model_describe(with), b = orff_model_describe(without);
    assert_true(a.has_posterior && !b.has_posterior && a.dof > 20.0);
    assert_true(fabs(a.dof - b.dof) < 4.0 * 2.0 * sqrt(2.0 * 200.0 / 32.0)); /* two outputs, 32 draws */
    assert_all_close(2, b.noise, a.noise, 0.03);
    fields_assert_same(with, without, &rows, 2, 1e-12);
    orff_model_free(with);
    orff_model_free(without);
    fields_free(&rows);
}

typedef struct stages {
    size_t choosing, between,
        after; /* calls while length scales are chosen; of others since; before the last of these */
} stages;

static bool count_stages(void *self, const char *task, double done, double total) {
    stages *s = self;
    assert_true(!(total > 0.0) || done <= total);
    if (strcmp(task, "choosing scales") == 0) {
        s->choosing++;
        s->between = s->after;
    } else if (s->choosing) {
        s->after++;
    }
    return true;
}

/* One measure of what is left, and not those of the sums, folds and decompositions that a choice takes. */
static void choosing_is_one_stage(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_smooth, 800, 5, 2, 0.1, 1);
    orff_settings settings = fields_settings(40);
    stages seen = {0};
    settings.engine = ORFF_ENGINE_FEATURES;
    orff_set_hooks(&(orff_hooks){.progress = count_stages, .self = &seen});
    orff_model *model = fields_fit(&settings, &rows);
    orff_set_hooks(NULL);
    assert_true(seen.choosing > 6); /* the folds of a step move it on */
    assert_int_equal(seen.between, 0);
    assert_true(seen.after > 0);
    orff_model_free(model);
    fields_free(&rows);
}

/* ---- every rule: what the moments and the ridge say by themselves */

static const double extent2[] = {2.0, 2.0};

static void compare_with_ridge(const char *name, const orff_part *part, const fields_rows *rows) {
    const double lambda = 1e-3;
    const orff_moments_settings plain = {.folds = 1};
    orff_settings settings = fields_given(part, 60, lambda);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_ridge *ridge = NULL;
    support_case("%s", name);
    settings.sampling.extent = extent2;
    if (part->rule == ORFF_RULE_SIGNATURE) settings.sampling.tolerance = 1e-3;
    orff_model *model = fields_fit(&settings, rows);
    assert_ok(orff_kernel_create(&kernel, rows->d, rows->p, 1, part));
    assert_ok(orff_features_create(&features, kernel, &settings.sampling));
    assert_ok(orff_moments_create(&moments, features, &plain));
    assert_ok(orff_moments_accumulate(moments, rows->n, rows->X, rows->Y, NULL));
    assert_ok(orff_ridge_create(&ridge, features, moments, true));
    double *theta = support_zeros(features->M), *F = support_zeros(rows->n * rows->p), mean[2];
    assert_ok(orff_ridge_solve(ridge, lambda, theta, mean, NULL));
    assert_ok(orff_features_apply(features, rows->n, rows->X, theta, F));
    for (size_t i = 0; i < rows->n * rows->p; i++) F[i] += mean[i % rows->p];
    double *G = support_zeros(rows->n * rows->p);
    assert_ok(orff_model_predict(model, rows->n, rows->X, G));
    assert_all_close(rows->n * rows->p, G, F, 1e-8);
    free(theta);
    free(F);
    free(G);
    orff_ridge_free(ridge);
    orff_moments_free(moments);
    orff_features_free(features);
    orff_kernel_free(kernel);
    orff_model_free(model);
}

static void every_rule(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 80, 2, 2, 0.1, 5);
    orff_part parts[] = {
        fields_part(ORFF_RULE_DECOMPOSABLE, 0.5), fields_part(ORFF_RULE_DECOMPOSABLE, 0.5),
        fields_part(ORFF_RULE_CURL_FREE, 0.6),    fields_part(ORFF_RULE_DIV_FREE, 0.6),
        fields_part(ORFF_RULE_HELMHOLTZ, 0.6),    fields_part(ORFF_RULE_CUSTOM_B, 0.8),
        fields_part(ORFF_RULE_CUSTOM_A, 0.8),     fields_part(ORFF_RULE_SIGNATURE, 1.0),
    };
    parts[1].A = models_matrix;
    parts[5].columns = 1;
    parts[5].matrix = models_custom_b;
    parts[6].matrix = models_custom_a;
    parts[7].matrix = models_signature;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        compare_with_ridge(orff_rule_name(parts[i].rule), &parts[i], &rows);
    parts[7].sigma = 0.0; /* a signature has no length scale: nothing to choose */
    compare_with_ridge("signature without sigma", &parts[7], &rows);
    fields_free(&rows);
}

/* A sum with given weights, and with learned ones: shares add to 1 and the wrong part gets little. */
static void mixture_of_given_parts(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 200, 2, 2, 0.12, 6),
                test = fields_draw(fields_gradient, 300, 2, 2, 0.0, 7);
    orff_part parts[] = {fields_part(ORFF_RULE_DIV_FREE, 0.6), fields_part(ORFF_RULE_CURL_FREE, 0.6)};
    orff_settings settings = fields_settings(80);
    settings.n_parts = 2;
    settings.parts = parts;
    orff_model *given = fields_fit(&settings, &rows);
    settings.mixture = true;
    orff_model *learned = fields_fit(&settings, &rows);
    const orff_model_info info = orff_model_describe(learned);
    double total = 0.0;
    orff_part part;
    assert_null(orff_model_describe(given).shares);
    for (size_t i = 0; i <= info.parts; i++) total += info.shares[i];
    assert_close(total, 1.0, 1e-12);
    assert_ok(orff_model_part(learned, info.parts - 1, &part));
    assert_int_equal(part.rule, ORFF_RULE_CURL_FREE);
    assert_true(info.shares[info.parts - 1] > 0.9);
    assert_true(fields_error(learned, &test, test.truth) < fields_error(given, &test, test.truth));
    orff_model_free(given);
    orff_model_free(learned);
    fields_free(&rows);
    fields_free(&test);
}

/* ---- classes */

/* Three blobs around the corners of a triangle; labels in Y. */
static fields_rows blobs(size_t n, uint64_t seed) {
    static const double corners[3][2] = {{0.0, 1.0}, {-0.9, -0.5}, {0.9, -0.5}};
    fields_rows rows = {n, 2, 1, models_normal(2 * n, seed), support_zeros(n), NULL};
    for (size_t i = 0; i < n; i++) {
        rows.Y[i] = (double)(i % 3);
        for (size_t k = 0; k < 2; k++) rows.X[2 * i + k] = 0.25 * rows.X[2 * i + k] + corners[i % 3][k];
    }
    return rows;
}

static double accuracy(const orff_model *model, const fields_rows *rows) {
    size_t *labels = calloc(rows->n, sizeof *labels), right = 0;
    assert_non_null(labels);
    assert_ok(orff_model_classify(model, rows->n, rows->X, labels));
    for (size_t i = 0; i < rows->n; i++) right += (double)labels[i] == rows->Y[i];
    free(labels);
    return (double)right / (double)rows->n;
}

static void three_blobs(void **state) {
    (void)state;
    fields_rows rows = blobs(150, 8), test = blobs(300, 9);
    const orff_loss losses[] = {ORFF_LOSS_SQUARED, ORFF_LOSS_LOGISTIC, ORFF_LOSS_HINGE};
    for (size_t i = 0; i < 3; i++) {
        orff_settings settings = fields_settings(60);
        support_case("%s", orff_loss_name(losses[i]));
        settings.classes = 3;
        settings.loss = losses[i];
        settings.max_iterations = 30;
        orff_model *model = fields_fit(&settings, &rows);
        const orff_model_info info = orff_model_describe(model);
        assert_int_equal(info.classes, 3);
        assert_int_equal(info.outputs, 1);
        assert_true(accuracy(model, &test) > 0.98);
        orff_model_free(model);
    }
    fields_free(&rows);
    fields_free(&test);
}

/* Three classes of two inputs have codes of two numbers: that is still no field. */
static void classes_are_no_field(void **state) {
    (void)state;
    fields_rows rows = blobs(90, 10);
    orff_settings settings = fields_settings(60);
    orff_part part;
    settings.classes = 3;
    settings.auto_kernel = true;
    orff_model *model = fields_fit(&settings, &rows);
    const orff_model_info info = orff_model_describe(model);
    for (size_t i = 0; i < info.parts; i++) {
        assert_ok(orff_model_part(model, i, &part));
        assert_int_equal(part.rule, ORFF_RULE_DECOMPOSABLE);
    }
    assert_true(accuracy(model, &rows) > 0.97);
    orff_model_free(model);
    fields_free(&rows);
}

/* ---- weights, precision, solvers */

/* A row of weight k is k rows; one of weight 0 is none. */
static void weights_are_repetitions(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 60, 2, 2, 0.1, 11),
                twice = fields_draw(fields_gradient, 120, 2, 2, 0.1, 11);
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE};
    double weights[60];
    size_t n = 0;
    for (size_t i = 0; i < 60; i++) {
        weights[i] = (double)(i % 3);
        for (size_t k = 0; k < i % 3; k++, n++) {
            memcpy(twice.X + 2 * n, rows.X + 2 * i, 2 * sizeof(double));
            memcpy(twice.Y + 2 * n, rows.Y + 2 * i, 2 * sizeof(double));
        }
    }
    twice.n = n;
    for (size_t i = 0; i < 2; i++) {
        const orff_solver solvers[] = {ORFF_SOLVER_DIRECT, ORFF_SOLVER_PCG};
        const orff_part part = fields_part(rules[i], 0.5);
        for (size_t k = 0; k < 2; k++) {
            orff_settings settings = fields_given(&part, 40, 1e-3);
            orff_model *weighted = NULL;
            settings.solver = solvers[k];
            settings.tolerance = 1e-12;
            support_case("%s, %s", orff_rule_name(rules[i]), orff_solver_name(solvers[k]));
            assert_ok(orff_model_fit(&weighted, &settings, 2, 2, 60, rows.X, rows.Y, weights));
            orff_model *repeated = fields_fit(&settings, &twice);
            fields_assert_same(weighted, repeated, &rows, 2, 1e-8);
            assert_close(orff_model_describe(weighted).train_mse, orff_model_describe(repeated).train_mse,
                         1e-9);
            orff_model_free(weighted);
            orff_model_free(repeated);
        }
    }
    fields_free(&rows);
    fields_free(&twice);
}

static void single_is_close_to_double(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 200, 2, 2, 0.1, 12);
    const orff_part part = fields_part(ORFF_RULE_CURL_FREE, 0.6);
    orff_settings settings = fields_given(&part, D, 1e-3);
    orff_model *in_double = fields_fit(&settings, &rows);
    settings.single = true;
    orff_model *in_single = fields_fit(&settings, &rows);
    assert_true(orff_model_describe(in_single).single && !orff_model_describe(in_double).single);
    fields_assert_same(in_single, in_double, &rows, 2, 1e-4);
    orff_model_free(in_double);
    orff_model_free(in_single);
    fields_free(&rows);
}

static void iteration_is_the_direct_solution(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 200, 2, 2, 0.1, 13);
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_DIV_FREE};
    const orff_solver solvers[] = {ORFF_SOLVER_LSMR, ORFF_SOLVER_IDR, ORFF_SOLVER_PCG};
    for (size_t i = 0; i < 2; i++) {
        const orff_part part = fields_part(rules[i], 0.5);
        orff_settings settings = fields_given(&part, 60, 1e-3);
        settings.scale_outputs = ORFF_SWITCH_YES;
        settings.tolerance = 1e-10;
        orff_model *direct = fields_fit(&settings, &rows);
        for (size_t k = 0; k < 3; k++) {
            support_case("%s, %s", orff_rule_name(rules[i]), orff_solver_name(solvers[k]));
            settings.solver = solvers[k];
            orff_model *iterated = fields_fit(&settings, &rows);
            const orff_model_info info = orff_model_describe(iterated);
            fields_assert_same(iterated, direct, &rows, 2, 1e-6);
            assert_close(info.train_mse, orff_model_describe(direct).train_mse, 1e-7);
            assert_string_equal(info.solve.method, orff_solver_name(solvers[k]));
            assert_true(info.solve.converged && info.solve.iterations > 0);
            orff_model_free(iterated);
        }
        settings.solver = ORFF_SOLVER_AUTO;
        orff_model_free(direct);
    }
    fields_free(&rows);
}

/* lambda auto of an iterative solver comes from a smaller direct model, and serves as well. */
static void iteration_finds_its_lambda(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 200, 2, 2, 0.12, 14),
                test = fields_draw(fields_gradient, 300, 2, 2, 0.0, 15);
    const orff_part part = fields_part(ORFF_RULE_CURL_FREE, 0.0);
    orff_settings settings = fields_given(&part, D, 0.0);
    settings.solver = ORFF_SOLVER_PCG;
    orff_model *model = fields_fit(&settings, &rows);
    assert_true(fields_error(model, &test, test.truth) < 0.004);
    orff_model_free(model);
    fields_free(&rows);
    fields_free(&test);
}

/* ---- losses */

/* A tenth of the outputs far off: Huber does not follow them, squares do. */
static void huber_bears_outliers(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_smooth, 300, 3, 2, 0.05, 16);
    const orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 1.5);
    orff_settings settings = fields_given(&part, 80, 1e-5);
    for (size_t i = 0; i < 300; i += 10) rows.Y[2 * i] += 20.0;
    orff_model *squared = fields_fit(&settings, &rows);
    settings.loss = ORFF_LOSS_HUBER;
    settings.loss_parameter = 0.2;
    settings.max_iterations = 100;
    orff_model *huber = fields_fit(&settings, &rows);
    assert_string_equal(orff_model_describe(huber).solve.method, "sgd");
    assert_true(fields_error(squared, &rows, rows.truth) > 1.0);
    assert_true(fields_error(huber, &rows, rows.truth) < 0.1);
    orff_model_free(squared);
    orff_model_free(huber);
    fields_free(&rows);
}

static void pinball_covers_its_quantile(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_smooth, 600, 3, 2, 0.3, 17),
                test = fields_draw(fields_smooth, 600, 3, 2, 0.3, 18);
    const orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 2.0);
    orff_settings settings = fields_given(&part, 60, 1e-5);
    double *F = support_zeros(1200);
    size_t below = 0;
    settings.loss = ORFF_LOSS_PINBALL;
    settings.loss_parameter = 0.9;
    settings.max_iterations = 100;
    orff_model *model = fields_fit(&settings, &rows);
    assert_ok(orff_model_predict(model, test.n, test.X, F));
    for (size_t i = 0; i < 1200; i++) below += test.Y[i] < F[i];
    assert_true(below > 1020 && below < 1140); /* 0.85 .. 0.95 */
    orff_model_free(model);
    free(F);
    fields_free(&rows);
    fields_free(&test);
}

/* ---- centring and units */

static void centring(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 100, 2, 2, 0.1, 19);
    const orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 0.5);
    orff_settings settings = fields_given(&part, 60, 1e-2);
    double *F = support_zeros(200), mean[2] = {0};
    orff_model *before = fields_fit(&settings, &rows);
    assert_ok(orff_model_predict(before, 100, rows.X, F));
    for (size_t i = 0; i < 200; i++) {
        rows.Y[i] += 1000.0;
        F[i] += 1000.0;
        mean[i % 2] += rows.Y[i] / 100.0;
    }
    orff_model *after = fields_fit(&settings, &rows);
    double *G = support_zeros(200);
    assert_ok(orff_model_predict(after, 100, rows.X, G));
    assert_all_close(200, G, F, 1e-10);
    settings.center = false;
    orff_model *uncentred = fields_fit(&settings, &rows);
    assert_true(fields_error(uncentred, &rows, rows.Y) > 4.0 * fields_error(after, &rows, rows.Y));
    for (size_t k = 0; k < 2; k++) assert_close(after->mean[k], mean[k], 1e-12);
    for (size_t k = 0; k < 2; k++) assert_close(uncentred->mean[k], 0.0, 0.0);
    orff_model_free(before);
    orff_model_free(after);
    orff_model_free(uncentred);
    free(F);
    free(G);
    fields_free(&rows);
}

/* Inputs of very different spread: auto units make them alike, none do not. */
static void inputs_are_scaled(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_smooth, 300, 3, 2, 0.1, 20),
                test = fields_draw(fields_smooth, 300, 3, 2, 0.0, 21);
    static const double stretch[] = {1e3, 1.0, 1e-3};
    for (size_t i = 0; i < 900; i++) {
        rows.X[i] = rows.X[i] * stretch[i % 3] + 5.0;
        test.X[i] = test.X[i] * stretch[i % 3] + 5.0;
    }
    orff_settings settings = fields_settings(D);
    orff_part part;
    orff_model *scaled = fields_fit(&settings, &rows);
    assert_ok(orff_model_part(scaled, 0, &part));
    assert_true(part.sigmas[0] / part.sigmas[1] > 500.0 && part.sigmas[1] / part.sigmas[2] > 500.0);
    settings.scale_inputs = ORFF_SWITCH_NO;
    orff_model *unscaled = fields_fit(&settings, &rows);
    assert_ok(orff_model_part(unscaled, 0, &part));
    assert_close(part.sigmas[0] / part.sigmas[2], 1.0, 1e-12);
    assert_true(fields_error(scaled, &test, test.truth) < 0.003);
    assert_true(fields_error(unscaled, &test, test.truth) > 0.05);
    orff_model_free(scaled);
    orff_model_free(unscaled);
    /* a given length scale is in the inputs' own units unless scaling is asked for */
    const orff_part given = fields_part(ORFF_RULE_DECOMPOSABLE, 2.0);
    settings = fields_given(&given, 30, 1e-3);
    scaled = fields_fit(&settings, &rows);
    assert_ok(orff_model_part(scaled, 0, &part));
    assert_close(part.sigmas[0], 2.0, 1e-12);
    orff_model_free(scaled);
    settings.scale_inputs = ORFF_SWITCH_YES;
    scaled = fields_fit(&settings, &rows);
    assert_ok(orff_model_part(scaled, 0, &part));
    assert_true(part.sigmas[0] > 1000.0 && part.sigmas[2] < 0.002);
    orff_model_free(scaled);
    fields_free(&rows);
    fields_free(&test);
}

/* The curl of a model by its own word and by central differences of its predictions, relative to its
 * gradients. */
static double relative_curl(const orff_model *model, const fields_rows *rows, const double step[2],
                            double *told) {
    double most = 0.0, size = 0.0;
    *told = 0.0;
    for (size_t i = 0; i < 20; i++) {
        double at[8], F[8], curl;
        for (size_t k = 0; k < 8; k++) at[k] = rows->X[2 * i + k % 2];
        at[0] += step[0];
        at[2] -= step[0];
        at[5] += step[1];
        at[7] -= step[1];
        assert_ok(orff_model_predict(model, 4, at, F));
        assert_ok(orff_model_curl(model, 1, rows->X + 2 * i, &curl));
        const double across = (F[1] - F[3]) / (2.0 * step[0]), along = (F[4] - F[6]) / (2.0 * step[1]);
        size = fmax(size, fmax(fabs(across), fabs(along)));
        most = fmax(most, fabs(across - along));
        *told = fmax(*told, fabs(curl));
    }
    *told /= size;
    return most / size;
}

/* Inputs of different spread, outputs too: units are shared, so that a gradient stays one. */
static void fields_stay_curl_free(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 150, 2, 2, 0.05, 22);
    const orff_switch switches[] = {ORFF_SWITCH_AUTO, ORFF_SWITCH_YES, ORFF_SWITCH_NO};
    for (size_t i = 0; i < 150; i++) { /* x -> (30 x, x): the gradient of the stretched potential */
        rows.X[2 * i] *= 30.0;
        rows.Y[2 * i] /= 30.0;
    }
    for (size_t i = 0; i < 6; i++) {
        const orff_part part = fields_part(ORFF_RULE_CURL_FREE, i < 3 ? 0.0 : 1.0);
        orff_settings settings = fields_given(&part, 60, 0.0);
        const double step[] = {1e-3, 1e-3};
        double told;
        orff_part fitted;
        settings.scale_inputs = switches[i % 3];
        settings.scale_outputs = i % 2 == 1 ? ORFF_SWITCH_YES : ORFF_SWITCH_NO;
        support_case("scale_inputs %d, sigma %g", (int)switches[i % 3], part.sigma);
        orff_model *model = fields_fit(&settings, &rows);
        assert_ok(orff_model_part(model, 0, &fitted));
        assert_close(fitted.sigmas[0], fitted.sigmas[1], 1e-12);
        assert_true(relative_curl(model, &rows, step, &told) < 1e-4);
        assert_true(told < 1e-10);
        orff_model_free(model);
    }
    fields_free(&rows);
}

/* Outputs of different spread: errors are told in their own units. */
static void outputs_are_scaled(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_smooth, 300, 3, 2, 0.0, 23);
    double *noise = models_normal(600, 24);
    for (size_t i = 0; i < 300; i++) {
        rows.Y[2 * i] += 0.5 * noise[2 * i];
        rows.Y[2 * i + 1] = 1000.0 * (rows.Y[2 * i + 1] + 0.01 * noise[2 * i + 1]);
    }
    orff_settings settings = fields_settings(80);
    settings.scale_outputs = ORFF_SWITCH_YES;
    orff_model *model = fields_fit(&settings, &rows);
    const orff_model_info info = orff_model_describe(model);
    assert_close(info.train_mse, fields_error(model, &rows, rows.Y), 1e-9);
    assert_true(info.output_train_mse[0] > 0.15 && info.output_train_mse[0] < 0.3);
    assert_true(info.output_train_mse[1] < 5000.0);
    assert_true(info.cv_mse > info.train_mse && info.cv_mse < 4.0 * info.train_mse);
    orff_model_free(model);
    /* one spread for all where a part is physical */
    fields_rows field = fields_draw(fields_gradient, 100, 2, 2, 0.1, 25);
    const orff_part part = fields_part(ORFF_RULE_HELMHOLTZ, 0.5);
    settings = fields_given(&part, 40, 1e-3);
    orff_model *plain = fields_fit(&settings, &field);
    for (size_t i = 0; i < 200; i++) field.Y[i] *= 64.0;
    settings.scale_outputs = ORFF_SWITCH_YES;
    model = fields_fit(&settings, &field);
    assert_close(model->spread[0], model->spread[1], 1e-14);
    assert_true(model->spread[0] > 32.0);
    assert_close(orff_model_describe(model).train_mse / 4096.0, orff_model_describe(plain).train_mse, 1e-12);
    orff_model_free(plain);
    orff_model_free(model);
    free(noise);
    fields_free(&rows);
    fields_free(&field);
}

/* ---- covariates */

/* A gradient whose strength changes with a third input, time, in a place of its own: inputs are (y, t, x). */
static void gradient_in_time(const double *x, double *y) {
    const double at[] = {x[2], x[0]};
    fields_gradient(at, y);
    for (size_t k = 0; k < 2; k++) y[k] *= cos(x[1] / 10.0);
}

static void time_is_a_covariate(void **state) {
    (void)state;
    static const size_t space[] = {2, 0};
    fields_rows rows = fields_draw(gradient_in_time, 400, 3, 2, 0.0, 26),
                test = fields_draw(gradient_in_time, 200, 3, 2, 0.0, 27);
    orff_part part = fields_part(ORFF_RULE_CURL_FREE, 0.0), fitted;
    orff_settings settings = fields_given(&part, 200, 0.0);
    double J[6], most = 0.0, curl = 0.0;
    part.space = space;
    for (size_t r = 0; r < 2; r++) {
        fields_rows *all = r ? &test : &rows;
        for (size_t i = 0; i < all->n; i++) {
            all->X[3 * i + 1] *= 20.0;
            gradient_in_time(all->X + 3 * i, all->truth + 2 * i);
            for (size_t k = 0; k < 2; k++)
                all->Y[2 * i + k] =
                    all->truth[2 * i + k] + 0.1 * orffi_rng_normal((orffi_rng){28, 1}, 2 * i + k, 0);
        }
    }
    orff_model *model = fields_fit(&settings, &rows);
    assert_ok(orff_model_part(model, 0, &fitted));
    assert_close(fitted.sigmas[0], fitted.sigmas[2], 1e-12);
    assert_true(fitted.sigmas[1] > 4.0); /* a scale of its own */
    assert_true(fields_error(model, &test, test.truth) < 0.05);
    for (size_t i = 0; i < 20; i++) { /* J is p x d: the curl in (x, y) is df_y/dx - df_x/dy */
        assert_ok(orff_model_jacobian(model, 1, test.X + 3 * i, J));
        curl = fmax(curl, fabs(J[3 + 2] - J[0]));
        most = fmax(most, fabs(J[0]));
    }
    assert_true(curl < 1e-9 * most);
    orff_model_free(model);
    fields_free(&rows);
    fields_free(&test);
}

/* Parts may have spaces of their own. */
static void parts_keep_their_space(void **state) {
    (void)state;
    static const size_t one[] = {0, 1}, other[] = {1, 2};
    fields_rows rows = fields_draw(fields_smooth, 60, 3, 2, 0.1, 29);
    orff_part parts[] = {fields_part(ORFF_RULE_CURL_FREE, 1.0), fields_part(ORFF_RULE_DIV_FREE, 1.0)}, fitted;
    orff_settings settings = fields_given(parts, 30, 1e-3);
    settings.n_parts = 2;
    parts[0].space = one;
    parts[1].space = other;
    orff_model *model = fields_fit(&settings, &rows);
    assert_ok(orff_model_part(model, 1, &fitted));
    assert_int_equal(fitted.space[0], 1);
    assert_int_equal(fitted.space[1], 2);
    orff_model_free(model);
    fields_free(&rows);
}

/* ---- streams */

/* Hands out rows a few at a time, and may fail at some row. */
typedef struct source {
    const fields_rows *rows;
    const double *weights;
    size_t next, most, fails_at;
    size_t claims; /* more than this says it gave more than there was room for */
} source;

static int read_source(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    source *s = self;
    const fields_rows *r = s->rows;
    size_t count = r->n - s->next;
    if (count > s->most) count = s->most;
    if (count > room) count = room;
    if (s->fails_at && s->next + count >= s->fails_at) return 42;
    memcpy(X, r->X + s->next * r->d, count * r->d * sizeof *X);
    memcpy(Y, r->Y + s->next * r->p, count * r->p * sizeof *Y);
    if (weights) memcpy(weights, s->weights + s->next, count * sizeof *weights);
    s->next += count;
    *n = s->claims ? room + s->claims : count;
    return 0;
}

static orff_status stream(orff_model **model, const orff_settings *settings, source *s) {
    const orff_reader reader = {.read = read_source, .self = s, .weighted = s->weights != NULL};
    return orff_model_fit_stream(model, settings, s->rows->d, s->rows->p, &reader);
}

static void stream_is_the_array(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 157, 2, 2, 0.1, 30), labels = blobs(157, 31);
    double weights[157];
    const size_t blocks[] = {1, 7, 64, 1000};
    for (size_t i = 0; i < 157; i++) weights[i] = 0.5 + (double)(i % 4);
    for (size_t i = 0; i < 16; i++) {
        const orff_part part = fields_part(i / 4 == 1 ? ORFF_RULE_CURL_FREE : ORFF_RULE_DECOMPOSABLE, 0.5);
        orff_settings settings = fields_given(&part, 40, 1e-3);
        const bool classes = i / 4 == 2;
        const double *c = i / 4 == 3 ? weights : NULL;
        const fields_rows *r = classes ? &labels : &rows;
        source s = {.rows = r, .weights = c, .most = blocks[i % 4]};
        orff_model *whole = NULL, *streamed = NULL;
        settings.classes = classes ? 3 : 0;
        settings.subsample = 20; /* most rows come after the head */
        settings.solver = i % 2 ? ORFF_SOLVER_AUTO : ORFF_SOLVER_PCG;
        settings.tolerance = 1e-13;
        support_case("case %zu", i);
        assert_ok(orff_model_fit(&whole, &settings, r->d, r->p, r->n, r->X, r->Y, c));
        assert_ok(stream(&streamed, &settings, &s));
        fields_assert_same(streamed, whole, r, 2, settings.solver == ORFF_SOLVER_AUTO ? 1e-9 : 1e-7);
        assert_int_equal(orff_model_describe(streamed).rows, 157);
        assert_close(orff_model_describe(streamed).train_mse, orff_model_describe(whole).train_mse, 1e-9);
        orff_model_free(whole);
        orff_model_free(streamed);
    }
    fields_free(&rows);
    fields_free(&labels);
}

/* When the head holds all rows the automatic choices are the same too, folds and lambda among them. */
static void stream_chooses_alike(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 120, 2, 2, 0.1, 32);
    const orff_settings settings = fields_settings(50);
    source s = {.rows = &rows, .most = 11};
    orff_model *streamed = NULL, *whole = fields_fit(&settings, &rows);
    assert_ok(stream(&streamed, &settings, &s));
    const orff_model_info a = orff_model_describe(streamed), b = orff_model_describe(whole);
    assert_string_equal(a.kernel, b.kernel);
    assert_close(a.lambda / b.lambda, 1.0, 1e-12);
    assert_close(a.cv_mse, b.cv_mse, 1e-10);
    fields_assert_same(streamed, whole, &rows, 2, 1e-9);
    orff_model_free(whole);
    orff_model_free(streamed);
    fields_free(&rows);
}

static void streams_that_fail(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 100, 2, 2, 0.1, 33), none = rows, labels = blobs(100, 34);
    const orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 0.5);
    orff_settings settings = fields_given(&part, 20, 1e-3);
    const orff_solver solvers[] = {ORFF_SOLVER_DIRECT, ORFF_SOLVER_LSMR};
    none.n = 0;
    settings.subsample = 30;
    for (size_t k = 0; k < 2; k++) {
        orff_model *model = NULL;
        settings.solver = solvers[k];
        support_case("%s", orff_solver_name(solvers[k]));
        const size_t at[] = {10, 90};
        for (size_t i = 0; i < 2; i++) {
            assert_status(stream(&model, &settings, &(source){.rows = &rows, .most = 7, .fails_at = at[i]}),
                          ORFF_ERROR_CALLBACK);
            assert_says("42");
        }
        assert_status(stream(&model, &settings, &(source){.rows = &none, .most = 7}),
                      ORFF_ERROR_INVALID_ARGUMENT);
        assert_says("no rows");
        assert_status(stream(&model, &settings, &(source){.rows = &rows, .most = 7, .claims = 3}),
                      ORFF_ERROR_CALLBACK);
        assert_says("filled");
        /* after the head, rows are named by their number in the whole stream */
        rows.Y[2 * 77 + 1] = NAN;
        assert_status(stream(&model, &settings, &(source){.rows = &rows, .most = 7}), ORFF_ERROR_NOT_FINITE);
        assert_says("Y is nan in row 78, column 2");
        rows.Y[2 * 77 + 1] = 0.0;
        rows.X[2 * 12] = INFINITY;
        assert_status(stream(&model, &settings, &(source){.rows = &rows, .most = 7}), ORFF_ERROR_NOT_FINITE);
        assert_says("X is inf in row 13, column 1");
        rows.X[2 * 12] = 0.0;
        settings.classes = 3;
        labels.Y[88] = 3.0;
        assert_status(stream(&model, &settings, &(source){.rows = &labels, .most = 7}),
                      ORFF_ERROR_INVALID_ARGUMENT);
        assert_says("the label of row 89 is 3");
        labels.Y[88] = 0.0;
        settings.classes = 0;
        assert_null(model);
    }
    fields_free(&rows);
    fields_free(&labels);
}

/* ---- moments */

static orff_moments *moments_of(const orff_features *features, size_t folds, const fields_rows *rows,
                                size_t first, size_t n) {
    const orff_moments_settings how = {.folds = folds};
    orff_moments *moments = NULL;
    assert_ok(orff_moments_create(&moments, features, &how));
    assert_ok(
        orff_moments_accumulate(moments, n, rows->X + first * rows->d, rows->Y + first * rows->p, NULL));
    return moments;
}

static void moments_are_the_rows(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 150, 2, 2, 0.1, 35);
    orff_part parts[] = {fields_part(ORFF_RULE_CURL_FREE, 0.5), fields_part(ORFF_RULE_DECOMPOSABLE, 0.5),
                         fields_part(ORFF_RULE_DIV_FREE, 0.5)};
    orff_settings settings = fields_given(parts, 50, 0.0);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 3, parts));
    assert_ok(orff_features_create(&features, kernel, &settings.sampling));
    orff_moments *all = moments_of(features, 5, &rows, 0, 150);
    orff_moments *first = moments_of(features, 1, &rows, 0, 61),
                 *second = moments_of(features, 1, &rows, 61, 89);
    assert_ok(orff_moments_add(first, second));
    for (size_t i = 0; i < 4; i++) { /* each rule by itself, then the sum with learned weights */
        source s = {.rows = &rows, .most = 13};
        orff_model *streamed = NULL, *from_all = NULL, *from_both = NULL;
        support_case("case %zu", i);
        settings.n_parts = i < 3 ? 1 : 3;
        settings.parts = i < 3 ? &parts[i] : parts;
        settings.mixture = i == 3;
        settings.lambda = 0.0; /* folds are there to choose it by */
        assert_ok(orff_model_fit_moments(&from_all, &settings, all));
        settings.lambda = orff_model_describe(from_all).lambda;
        assert_true(orff_model_describe(from_all).cv_mse > orff_model_describe(from_all).train_mse);
        settings.sampling.importance = ORFF_SWITCH_NO; /* the bank of the sum was drawn without */
        assert_ok(stream(&streamed, &settings, &s));
        /* weights are learned to a thousandth of a nat, which leaves some play */
        fields_assert_same(from_all, streamed, &rows, 2, i < 3 ? 1e-8 : 0.03);
        assert_ok(orff_model_fit_moments(&from_both, &settings, first));
        fields_assert_same(from_both, from_all, &rows, 2, i < 3 ? 1e-8 : 0.03);
        orff_model_free(streamed);
        orff_model_free(from_all);
        orff_model_free(from_both);
    }
    /* without parts: decomposable on the frequencies that are there */
    orff_model *plain = NULL, *named = NULL;
    settings = fields_given(&parts[1], 50, 1e-3);
    assert_ok(orff_model_fit_moments(&named, &settings, all));
    settings.n_parts = 0;
    settings.parts = NULL;
    assert_ok(orff_model_fit_moments(&plain, &settings, all));
    fields_assert_same(plain, named, &rows, 2, 1e-9);
    orff_model_free(plain);
    orff_model_free(named);
    orff_moments_free(all);
    orff_moments_free(first);
    orff_moments_free(second);
    orff_features_free(features);
    orff_kernel_free(kernel);
    fields_free(&rows);
}

static void moments_refuse(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 50, 2, 2, 0.1, 36);
    orff_part part = fields_part(ORFF_RULE_CURL_FREE, 0.5);
    orff_settings settings = fields_given(&part, 20, 1e-3);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_model *model = NULL;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &settings.sampling));
    orff_moments *moments = moments_of(features, 1, &rows, 0, 50);
#define FIT orff_model_fit_moments(&model, &settings, moments)
    settings.auto_kernel = true;
    assert_status(FIT, ORFF_ERROR_UNSUPPORTED);
    settings.auto_kernel = false;
    settings.loss = ORFF_LOSS_HUBER;
    assert_status(FIT, ORFF_ERROR_UNSUPPORTED);
    settings.loss = ORFF_LOSS_SQUARED;
    settings.solver = ORFF_SOLVER_PCG;
    assert_status(FIT, ORFF_ERROR_UNSUPPORTED);
    settings.solver = ORFF_SOLVER_AUTO;
    settings.classes = 4;
    assert_status(FIT, ORFF_ERROR_MISMATCH);
    settings.classes = 0;
    settings.lambda = 0.0; /* one set: nothing to cross-validate with */
    assert_status(FIT, ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("folds");
    settings.lambda = 1e-3;
    part.sigma = 0.7;
    assert_status(FIT, ORFF_ERROR_UNSUPPORTED);
    assert_says("length scale");
    assert_status(orff_model_fit_moments(&model, &settings, NULL), ORFF_ERROR_INVALID_ARGUMENT);
#undef FIT
    assert_null(model);
    orff_moments_free(moments);
    orff_features_free(features);
    orff_kernel_free(kernel);
    fields_free(&rows);
}

/* ---- refusals */

static bool never(void *self, const char *task, double done, double total) {
    (void)self;
    (void)task;
    (void)done;
    (void)total;
    return false;
}

static void refuse_rows(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 40, 2, 2, 0.1, 37), labels = blobs(40, 38);
    orff_settings settings = fields_settings(20);
    double weights[40];
    orff_model *model = NULL;
    for (size_t i = 0; i < 40; i++) weights[i] = 1.0;
#define FIT(d, p, n, X, Y, c) orff_model_fit(&model, &settings, d, p, n, X, Y, c)
#define REFUSE(status, word, call)   \
    do {                             \
        assert_status(call, status); \
        assert_says(word);           \
        assert_null(model);          \
    } while (0)
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "d=0", FIT(0, 2, 40, rows.X, rows.Y, NULL));
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "p=0", FIT(2, 0, 40, rows.X, rows.Y, NULL));
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "(d=0, p=2)", orff_learn(&model, NULL, 0, 2, 40, rows.X, rows.Y));
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "do not fit in memory",
           FIT(2, 2, SIZE_MAX / 2, rows.X, rows.Y, NULL)); /* their bytes, though not their number */
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "no rows", FIT(2, 2, 0, rows.X, rows.Y, NULL));
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "NULL", FIT(2, 2, 40, NULL, rows.Y, NULL));
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "NULL", FIT(2, 2, 40, rows.X, NULL, NULL));
    rows.X[2 * 4 + 1] = NAN;
    REFUSE(ORFF_ERROR_NOT_FINITE, "X is nan in row 5, column 2", FIT(2, 2, 40, rows.X, rows.Y, NULL));
    rows.X[2 * 4 + 1] = 0.0;
    rows.Y[2 * 39] = -INFINITY;
    REFUSE(ORFF_ERROR_NOT_FINITE, "Y is -inf in row 40, column 1", FIT(2, 2, 40, rows.X, rows.Y, NULL));
    rows.Y[2 * 39] = 0.0;
    weights[17] = -2.0;
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "row 18", FIT(2, 2, 40, rows.X, rows.Y, weights));
    weights[17] = NAN;
    REFUSE(ORFF_ERROR_NOT_FINITE, "row 18", FIT(2, 2, 40, rows.X, rows.Y, weights));
    settings.classes = 3;
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "labels", FIT(2, 2, 40, rows.X, rows.Y, NULL));
    const double bad[] = {3.0, -1.0, 0.5, 1e300};
    for (size_t i = 0; i < 4; i++) {
        labels.Y[6] = bad[i];
        REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "row 7", FIT(2, 1, 40, labels.X, labels.Y, NULL));
    }
    settings.subsample = 10; /* outside the sample too */
    labels.Y[6] = 0.0;
    labels.Y[21] = 7.0;
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "row 22", FIT(2, 1, 40, labels.X, labels.Y, NULL));
    settings.classes = 1;
    REFUSE(ORFF_ERROR_INVALID_ARGUMENT, "2 classes", FIT(2, 1, 40, labels.X, labels.Y, NULL));
    fields_free(&rows);
    fields_free(&labels);
}

static void refuse_settings(void **state) {
    (void)state;
    fields_rows rows = fields_draw(fields_gradient, 40, 2, 2, 0.1, 39);
    const orff_settings plain = fields_settings(20);
    orff_settings settings = plain;
    orff_model *model = NULL;
    orff_part part = fields_part(ORFF_RULE_CURL_FREE, 0.5);
#define REFUSE_WITH(change, status, word)                                                         \
    do {                                                                                          \
        settings = plain;                                                                         \
        change;                                                                                   \
        assert_status(orff_model_fit(&model, &settings, 2, 2, 40, rows.X, rows.Y, NULL), status); \
        assert_says(word);                                                                        \
        assert_null(model);                                                                       \
    } while (0)
    REFUSE_WITH(settings.lambda = -1.0, ORFF_ERROR_INVALID_ARGUMENT, "lambda is -1");
    REFUSE_WITH(settings.lambda = NAN, ORFF_ERROR_INVALID_ARGUMENT, "lambda");
    REFUSE_WITH(settings.folds = 1, ORFF_ERROR_INVALID_ARGUMENT, "folds");
    REFUSE_WITH(settings.lambda_count = 0, ORFF_ERROR_INVALID_ARGUMENT, "path");
    REFUSE_WITH((settings.lambda = 1.0, settings.lambda_count = 0), ORFF_ERROR_INVALID_ARGUMENT,
                "path"); /* sigma is auto */
    REFUSE_WITH(settings.lambda_low = 0.0, ORFF_ERROR_INVALID_ARGUMENT, "path");
    REFUSE_WITH((settings.lambda_low = 1.0, settings.lambda_high = 0.5), ORFF_ERROR_INVALID_ARGUMENT, "path");
    REFUSE_WITH(settings.solver = (orff_solver)77, ORFF_ERROR_INVALID_ARGUMENT, "77");
    REFUSE_WITH(settings.loss = (orff_loss)78, ORFF_ERROR_INVALID_ARGUMENT, "78");
    REFUSE_WITH(settings.subsample = 0, ORFF_ERROR_INVALID_ARGUMENT, "subsample");
    REFUSE_WITH(settings.n_parts = 2, ORFF_ERROR_INVALID_ARGUMENT, "parts is NULL");
    REFUSE_WITH((settings.solver = ORFF_SOLVER_DIRECT, settings.loss = ORFF_LOSS_HUBER),
                ORFF_ERROR_UNSUPPORTED, "sgd");
    REFUSE_WITH((settings.solver = ORFF_SOLVER_LSMR, settings.loss = ORFF_LOSS_PINBALL),
                ORFF_ERROR_UNSUPPORTED, "sgd");
    REFUSE_WITH((settings.solver = ORFF_SOLVER_PCG, settings.mixture = true), ORFF_ERROR_UNSUPPORTED,
                "mixture");
    REFUSE_WITH(settings.loss = ORFF_LOSS_LOGISTIC, ORFF_ERROR_INVALID_ARGUMENT, "classes");
    part.sigma = -2.0;
    REFUSE_WITH((settings.n_parts = 1, settings.parts = &part), ORFF_ERROR_INVALID_ARGUMENT, "");
    part.sigma = 0.5;
    part.base = ORFF_BASE_LAPLACE;
    REFUSE_WITH((settings.n_parts = 1, settings.parts = &part), ORFF_ERROR_DOES_NOT_EXIST, "");
    static const size_t outside[] = {0, 5};
    part.base = ORFF_BASE_GAUSSIAN;
    part.space = outside;
    REFUSE_WITH((settings.n_parts = 1, settings.parts = &part), ORFF_ERROR_INVALID_ARGUMENT, "space");
    orff_set_hooks(&(orff_hooks){.progress = never});
    REFUSE_WITH(settings.lambda = 0.0, ORFF_ERROR_CANCELLED, "");
    REFUSE_WITH(settings.auto_kernel = true, ORFF_ERROR_CANCELLED, "");
    REFUSE_WITH(settings.solver = ORFF_SOLVER_PCG, ORFF_ERROR_CANCELLED, "");
    orff_set_hooks(NULL);
    orff_solver solver;
    assert_status(orff_solver_parse("newton", &solver), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("newton");
    for (int i = 0; i < ORFF_SOLVER_COUNT; i++) {
        assert_ok(orff_solver_parse(orff_solver_name((orff_solver)i), &solver));
        assert_int_equal(solver, i);
    }
    assert_null(orff_solver_name((orff_solver)99));
    fields_free(&rows);
}

/* ---- few rows */

/* Folds are drawn: of two or three rows all may be in the same one, for one seed in two or four. */
static void few_rows_fit_with_any_seed(void **state) {
    (void)state;
    const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE,
                               ORFF_RULE_HELMHOLTZ};
    for (uint64_t seed = 0; seed < 24; seed++) {
        for (size_t n = 1; n <= 4; n++) {
            support_case("%zu rows, seed %d", n, (int)seed);
            fields_rows rows = fields_draw(fields_gradient, n, 2, 2, 0.1, seed);
            const orff_part part = fields_part(rules[seed % 4], 0.0);
            orff_settings settings = fields_given(&part, 20, 0.0);
            settings.sampling.seed = seed;
            settings.solver = seed % 3 == 2 ? ORFF_SOLVER_LSMR : ORFF_SOLVER_AUTO;
            settings.auto_mix = rules[seed % 4] == ORFF_RULE_HELMHOLTZ;
            orff_model *model = fields_fit(&settings, &rows);
            double F[8], spread = 0.0;
            assert_ok(orff_model_predict(model, n, rows.X, F));
            for (size_t k = 0; k < 2 * n; k++) spread = fmax(spread, fabs(F[k]));
            assert_true(spread < 10.0);
            if (n == 1) assert_all_close(2, F, rows.Y, 1e-12); /* the mean is all there is */
            assert_true(orff_model_describe(model).lambda > 0.0);
            orff_model_free(model);
            fields_free(&rows);
        }
    }
    support_case(NULL);
}

/* Rows that repeat each other share a fold; rows of no weight fill none. */
static void repeated_and_weightless_rows(void **state) {
    (void)state;
    enum { N = 6 };
    fields_rows rows = fields_draw(fields_gradient, N, 2, 2, 0.1, 5);
    double X[2 * N], Y[2 * N], F[2];
    double weights[N] = {0.0};
    for (size_t i = 0; i < 2 * N; i++) {
        X[i] = rows.X[i % 2];
        Y[i] = rows.Y[i % 2];
    }
    orff_model *model = NULL;
    for (uint64_t seed = 0; seed < 10; seed++) {
        orff_settings settings = fields_settings(20);
        settings.sampling.seed = seed;
        assert_ok(orff_model_fit(&model, &settings, 2, 2, N, X, Y, NULL));
        assert_true(isnan(orff_model_describe(model).cv_mse)); /* nothing was held out */
        assert_ok(orff_model_predict(model, 1, X, F));
        assert_all_close(2, F, Y, 1e-12);
        orff_model_free(model);
        weights[seed % N] = 1.0;
        assert_ok(orff_model_fit(&model, &settings, 2, 2, N, rows.X, rows.Y, weights));
        orff_model_free(model);
        if (seed % 2) weights[seed % N] = 0.0;
    }
    memset(weights, 0, sizeof weights);
    const orff_settings settings = fields_settings(20);
    assert_status(orff_model_fit(&model, &settings, 2, 2, N, rows.X, rows.Y, weights),
                  ORFF_ERROR_INVALID_ARGUMENT);
    fields_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_reach_the_noise),
        cmocka_unit_test(lambda_given_is_lambda_found),
        cmocka_unit_test(degrees_of_freedom_need_no_posterior),
        cmocka_unit_test(choosing_is_one_stage),
        cmocka_unit_test(every_rule),
        cmocka_unit_test(mixture_of_given_parts),
        cmocka_unit_test(three_blobs),
        cmocka_unit_test(classes_are_no_field),
        cmocka_unit_test(weights_are_repetitions),
        cmocka_unit_test(single_is_close_to_double),
        cmocka_unit_test(iteration_is_the_direct_solution),
        cmocka_unit_test(iteration_finds_its_lambda),
        cmocka_unit_test(huber_bears_outliers),
        cmocka_unit_test(pinball_covers_its_quantile),
        cmocka_unit_test(centring),
        cmocka_unit_test(inputs_are_scaled),
        cmocka_unit_test(fields_stay_curl_free),
        cmocka_unit_test(outputs_are_scaled),
        cmocka_unit_test(time_is_a_covariate),
        cmocka_unit_test(parts_keep_their_space),
        cmocka_unit_test(stream_is_the_array),
        cmocka_unit_test(stream_chooses_alike),
        cmocka_unit_test(streams_that_fail),
        cmocka_unit_test(moments_are_the_rows),
        cmocka_unit_test(moments_refuse),
        cmocka_unit_test(few_rows_fit_with_any_seed),
        cmocka_unit_test(repeated_and_weightless_rows),
        cmocka_unit_test(refuse_rows),
        cmocka_unit_test(refuse_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
