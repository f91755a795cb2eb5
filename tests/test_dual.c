/* Fits by the dual, for fewer rows than coefficients, against primal fits from moments of the same rows. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "fields.h"

enum { N = 40, D = 90, FOLDS = 5, NEW = 7 };

typedef struct dual_case {
    const char *name;
    size_t d, p, n_parts;
    orff_part parts[2];
    bool uncentered, weighted;
    size_t classes;
    double lambda; /* 0: auto */
} dual_case;

static const double low_rank[] = {1.0, -0.5, 2.0};
static const double full[] = {2.0, 0.6, 0.1, 0.6, 0.7, 0.2, 0.1, 0.2, 1.5};

static const dual_case cases[] = {
    {.name = "identity", .d = 2, .p = 3, .n_parts = 1, .parts = {{.rule = ORFF_RULE_DECOMPOSABLE}}},
    {.name = "full A", .d = 2, .p = 3, .n_parts = 1, .parts = {{.rule = ORFF_RULE_DECOMPOSABLE, .A = full}}},
    {.name = "rank 1",
     .d = 2,
     .p = 3,
     .n_parts = 1,
     .parts = {{.rule = ORFF_RULE_DECOMPOSABLE, .B = low_rank, .columns = 1}}},
    {.name = "curl-free", .d = 2, .p = 2, .n_parts = 1, .parts = {{.rule = ORFF_RULE_CURL_FREE}}},
    {.name = "div-free", .d = 3, .p = 3, .n_parts = 1, .parts = {{.rule = ORFF_RULE_DIV_FREE}}},
    {.name = "helmholtz", .d = 2, .p = 2, .n_parts = 1, .parts = {{.rule = ORFF_RULE_HELMHOLTZ, .mix = 0.3}}},
    {.name = "wide sum",
     .d = 2,
     .p = 2,
     .n_parts = 2,
     .parts = {{.rule = ORFF_RULE_CURL_FREE}, {.rule = ORFF_RULE_DECOMPOSABLE}}},
    {.name = "two scales",
     .d = 2,
     .p = 2,
     .n_parts = 2,
     .parts = {{.rule = ORFF_RULE_DIV_FREE, .sigma = 0.7}, {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.5}}},
    {.name = "weights", .d = 2, .p = 3, .n_parts = 1, .parts = {{0}}, .weighted = true},
    {.name = "weights, full A", .d = 2, .p = 3, .n_parts = 1, .parts = {{.A = full}}, .weighted = true},
    {.name = "weights, curl-free",
     .d = 2,
     .p = 2,
     .n_parts = 1,
     .parts = {{.rule = ORFF_RULE_CURL_FREE}},
     .weighted = true},
    {.name = "no center", .d = 2, .p = 3, .n_parts = 1, .parts = {{0}}, .uncentered = true},
    {.name = "no center, full A", .d = 2, .p = 3, .n_parts = 1, .parts = {{.A = full}}, .uncentered = true},
    {.name = "no center, curl-free",
     .d = 2,
     .p = 2,
     .n_parts = 1,
     .parts = {{.rule = ORFF_RULE_CURL_FREE}},
     .uncentered = true},
    {.name = "classes", .d = 2, .p = 1, .n_parts = 1, .parts = {{0}}, .classes = 4},
    {.name = "lambda", .d = 2, .p = 3, .n_parts = 1, .parts = {{.A = full}}, .lambda = 1e-3},
    {.name = "lambda, identity", .d = 2, .p = 3, .n_parts = 1, .parts = {{0}}, .lambda = 1e-3},
};

static const size_t n_cases = sizeof cases / sizeof *cases;

typedef struct problem {
    orff_part parts[2];
    orff_settings settings;
    size_t d, p; /* p of the moments: of the codes for classes */
    double *X, *Y, *weights, *at;
    double *coded; /* Y as the model sees it */
} problem;

static void code_outputs(const dual_case *c, problem *q) {
    double *codes = support_zeros(c->classes * q->p);
    assert_ok(orff_simplex_codes(c->classes, codes));
    for (size_t i = 0; i < N; i++) {
        const size_t label = (size_t)(q->X[2 * i] > 0.0) + 2 * (size_t)(q->X[2 * i + 1] > 0.0);
        q->Y[i] = (double)label;
        memcpy(q->coded + i * q->p, codes + label * q->p, q->p * sizeof *codes);
    }
    free(codes);
}

static problem make(const dual_case *c) {
    problem q = {.d = c->d, .p = c->classes ? c->classes - 1 : c->p};
    q.X = models_normal(N * c->d, 3);
    q.at = models_normal(NEW * c->d, 4);
    q.Y = models_normal(N * q.p, 5);
    q.coded = support_zeros(N * q.p);
    q.weights = support_zeros(N);
    for (size_t i = 0; i < N; i++) {
        q.weights[i] = i % 7 ? 0.5 + (double)(i % 3) : 0.0;
        for (size_t k = 0; k < q.p; k++)
            q.coded[i * q.p + k] = q.Y[i * q.p + k] =
                0.3 * q.Y[i * q.p + k] + sin((double)(k + 1) * q.X[i * c->d]) + 2.0 * (double)k;
    }
    if (c->classes) code_outputs(c, &q);
    for (size_t m = 0; m < c->n_parts; m++) {
        orff_part part = orff_part_default();
        part.rule = c->parts[m].rule;
        part.A = c->parts[m].A;
        part.B = c->parts[m].B;
        part.columns = c->parts[m].columns;
        part.mix = c->parts[m].mix;
        part.sigma = c->parts[m].sigma > 0.0 ? c->parts[m].sigma : 1.2;
        q.parts[m] = part;
    }
    q.settings = fields_settings(D);
    q.settings.n_parts = c->n_parts;
    q.settings.folds = FOLDS;
    q.settings.folds_by = ORFF_FOLDS_RANDOM;
    q.settings.lambda = c->lambda;
    q.settings.lambda_low = 1e-5;
    q.settings.lambda_count = 12;
    q.settings.center = !c->uncentered;
    q.settings.classes = c->classes;
    return q;
}

static void end(problem *q) {
    double *all[] = {q->X, q->Y, q->weights, q->at, q->coded};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static orff_model *fit_dual(const dual_case *c, problem *q) {
    orff_model *model = NULL;
    q->settings.parts = q->parts;
    assert_ok(
        orff_model_fit(&model, &q->settings, q->d, c->p, N, q->X, q->Y, c->weighted ? q->weights : NULL));
    assert_string_equal(orff_model_describe(model).solve.method, "dual-eigen");
    return model;
}

/* From moments of the rows in the units of the other model, under its features. */
static orff_model *fit_primal(const dual_case *c, problem *q, const orff_model *dual) {
    const orff_moments_settings how = {.folds = c->lambda > 0.0 ? 1 : FOLDS,
                                       .seed = q->settings.sampling.seed};
    orff_moments *moments = NULL;
    orff_model *model = NULL;
    double *X = support_zeros(N * q->d);
    orffi_model_transform(dual, N, q->X, X);
    assert_ok(orff_moments_create(&moments, models_fit(dual)->features, &how));
    assert_ok(orff_moments_accumulate(moments, N, X, q->coded, c->weighted ? q->weights : NULL));
    assert_ok(orff_model_fit_moments(&model, &q->settings, moments));
    assert_string_not_equal(orff_model_describe(model).solve.method, "dual-eigen");
    orff_moments_free(moments);
    free(X);
    return model;
}

static void compare_numbers(const orff_model *a, const orff_model *b) {
    const orff_model_info x = orff_model_describe(a), y = orff_model_describe(b);
    assert_close(x.lambda / y.lambda, 1.0, 1e-12);
    assert_close(x.train_mse / y.train_mse, 1.0, 1e-8);
    if (!isnan(y.cv_mse)) assert_close(x.cv_mse / y.cv_mse, 1.0, 1e-8);
    assert_int_equal(isnan(x.cv_mse), isnan(y.cv_mse));
    assert_close(x.dof, y.dof, 1e-8);
    assert_true((x.noise == NULL) == (y.noise == NULL));
    if (x.noise) assert_close(x.noise[0] / y.noise[0], 1.0, 1e-8);
    if (!isnan(y.log_evidence)) assert_close(x.log_evidence / y.log_evidence, 1.0, 1e-8);
    assert_true(x.rows == y.rows);
    assert_true(x.solve.residual < 1e-9);
    assert_all_close(a->p, a->output_train_mse, b->output_train_mse, 1e-8);
    assert_int_equal(a->output_cv_mse != NULL, b->output_cv_mse != NULL);
    if (a->output_cv_mse) assert_all_close(a->p, a->output_cv_mse, b->output_cv_mse, 1e-8);
    assert_true(models_fit(a)->features->M == models_fit(b)->features->M);
    assert_all_close(models_fit(a)->features->M, models_fit(a)->theta, models_fit(b)->theta, 1e-8);
}

static void compare_predictions(const problem *q, const orff_model *a, const orff_model *b) {
    const size_t p = a->p;
    double *F = support_zeros(NEW * p), *G = support_zeros(NEW * p), *at = support_zeros(NEW * q->d);
    double *C = support_zeros(NEW * p * p), *E = support_zeros(NEW * p * p);
    orffi_model_transform(a, NEW, q->at, at);
    assert_ok(orff_model_predict(a, NEW, q->at, F));
    assert_ok(orff_model_predict(b, NEW, at, G));
    assert_all_close(NEW * p, F, G, 1e-8);
    assert_ok(orff_model_covariance(a, NEW, q->at, C));
    assert_ok(orff_model_covariance(b, NEW, at, E));
    assert_all_close(NEW * p * p, C, E, 1e-7);
    double *all[] = {F, G, C, E, at};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void same_as_primal(void **state) {
    (void)state;
    for (size_t i = 0; i < n_cases; i++) {
        problem q = make(&cases[i]);
        support_case("%s", cases[i].name);
        orff_model *dual = fit_dual(&cases[i], &q), *primal = fit_primal(&cases[i], &q, dual);
        compare_numbers(dual, primal);
        compare_predictions(&q, dual, primal);
        orff_model_free(dual);
        orff_model_free(primal);
        end(&q);
    }
    support_case(NULL);
}

/* Rows that repeat each other leave the error flat down to the smallest lambdas: its last digits choose one. */
static void repeated_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; i += 3) { /* outputs by themselves, and coupled */
        problem q = make(&cases[i]);
        support_case("%s", cases[i].name);
        for (size_t k = 0; k < N * q.d; k++) q.X[k] = q.X[k % (4 * q.d)];
        for (size_t k = 0; k < N * q.p; k++) q.Y[k] = q.coded[k] = q.Y[k % (4 * q.p)];
        q.parts[0].sigma = 60.0;
        q.settings.lambda_low = 1e-10;
        orff_model *dual = fit_dual(&cases[i], &q), *primal = fit_primal(&cases[i], &q, dual);
        assert_close(dual->lambda / primal->lambda, 1.0, 1e-12);
        assert_close(dual->cv_mse / primal->cv_mse, 1.0, 1e-9);
        orff_model_free(dual);
        orff_model_free(primal);
        end(&q);
    }
    support_case(NULL);
}

/* A saved model predicts and bounds its errors as before. */
static void survives_a_file(void **state) {
    (void)state;
    char path[] = "/tmp/orff-dual-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (size_t i = 0; i < n_cases; i += 3) {
        problem q = make(&cases[i]);
        orff_model *dual = fit_dual(&cases[i], &q), *loaded = NULL;
        const size_t p = dual->p;
        double *C = support_zeros(NEW * p * p), *E = support_zeros(NEW * p * p);
        support_case("%s", cases[i].name);
        assert_true(models_fit(dual)->posterior->k < models_fit(dual)->posterior->n);
        assert_ok(orff_model_save(dual, path, false));
        assert_ok(orff_model_load(&loaded, path));
        assert_string_equal(orff_model_describe(loaded).solve.method, "dual-eigen");
        assert_ok(orff_model_covariance(dual, NEW, q.at, C));
        assert_ok(orff_model_covariance(loaded, NEW, q.at, E));
        assert_memory_equal(C, E, NEW * p * p * sizeof *C);
        free(C);
        free(E);
        orff_model_free(dual);
        orff_model_free(loaded);
        end(&q);
    }
    unlink(path);
    support_case(NULL);
}

/* ---- streams and tuning */

typedef struct source {
    const problem *q;
    size_t next;
} source;

static int read_few(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    source *s = self;
    (void)weights;
    *n = N - s->next < 9 ? N - s->next : 9;
    if (*n > room) *n = room;
    memcpy(X, s->q->X + s->next * s->q->d, *n * s->q->d * sizeof *X);
    memcpy(Y, s->q->Y + s->next * s->q->p, *n * s->q->p * sizeof *Y);
    s->next += *n;
    return 0;
}

/* A stream whose rows all fit into its head is one of them; a longer one is not. */
static void short_streams(void **state) {
    (void)state;
    problem q = make(&cases[0]);
    q.settings.parts = q.parts;
    for (size_t longer = 0; longer < 2; longer++) {
        source s = {&q, 0};
        const orff_reader reader = {.read = read_few, .self = &s};
        orff_model *model = NULL, *direct = fit_dual(&cases[0], &q);
        q.settings.subsample = longer ? N - 5 : 20000;
        assert_ok(orff_model_fit_stream(&model, &q.settings, q.d, q.p, &reader));
        const char *method = orff_model_describe(model).solve.method;
        assert_int_equal(strcmp(method, "dual-eigen") == 0, !longer);
        if (!longer)
            assert_all_close(models_fit(model)->features->M, models_fit(model)->theta,
                             models_fit(direct)->theta, 1e-12);
        orff_model_free(model);
        orff_model_free(direct);
        q.settings.subsample = 20000;
    }
    end(&q);
}

/* Tuning scores a candidate as fitting does. */
static void tuning(void **state) {
    (void)state;
    problem q = make(&cases[1]);
    orff_model *dual = fit_dual(&cases[1], &q), *tuned = NULL;
    double score;
    assert_ok(orff_model_tune(&tuned, 1, &q.settings, q.d, q.p, N, q.X, q.Y, NULL, &score, NULL));
    assert_close(score / orff_model_describe(dual).cv_mse, 1.0, 1e-12);
    assert_all_close(models_fit(tuned)->features->M, models_fit(tuned)->theta, models_fit(dual)->theta, 1e-9);
    orff_model_free(dual);
    orff_model_free(tuned);
    end(&q);
}

/* ---- more outputs than coefficients or rows */

/* Their own errors are asked for at the best lambda only, and add up to that of all. */
static void many_outputs(void **state) {
    (void)state;
    enum { P = 60 };
    double *X = models_normal(N * 2, 8), *Y = models_normal(N * P, 9), *A = support_zeros(P * P);
    assert_ok(orff_output_covariance(N, P, Y, A));
    orff_part part = orff_part_default();
    part.A = A;
    for (size_t features = 8; features <= 40; features += 32) { /* primal, dual */
        orff_settings settings = fields_given(&part, features, 0.0);
        const fields_rows rows = {N, 2, P, X, Y, Y};
        support_case("%zu features", features);
        orff_model *even = fields_fit(&settings, &rows);
        const orff_model_info info = orff_model_describe(even);
        double total = 0.0;
        for (size_t k = 0; k < P; k++) total += info.output_cv_mse[k] / P;
        assert_close(total / info.cv_mse, 1.0, 1e-10);
        assert_int_equal(strcmp(info.solve.method, "dual-eigen") == 0, features == 40);
        orff_model_free(even);
    }
    support_case(NULL);
    free(X);
    free(Y);
    free(A);
}

/* ---- what the output matrix cannot reach */

static orff_model *fit_graph(const double *A, orff_engine engine, size_t features, const double *Y) {
    orff_part part = fields_part(ORFF_RULE_DECOMPOSABLE, 1.0);
    orff_settings settings = fields_given(&part, features, 1e-4);
    double *X = models_normal(N * 2, 8);
    const fields_rows rows = {N, 2, 3, X, (double *)Y, (double *)Y};
    part.A = A;
    settings.engine = engine;
    orff_model *model = fields_fit(&settings, &rows);
    free(X);
    return model;
}

/* Outputs that go together, on a path of three: the pseudo-inverse cannot learn them, and says so in every way of
 * fitting, also from a file; with the automatic ridge it can. */
static void unreached_outputs(void **state) {
    (void)state;
    const double graph[9] = {0, 1, 0, 1, 0, 1, 0, 1, 0};
    const size_t features[] = {10, 90, 90}; /* primal, dual, exact */
    double bare[9], ridged[9], *Y = models_normal(N * 3, 9), *X = models_normal(N * 2, 8);
    for (size_t i = 0; i < N * 3; i++) Y[i] = 0.05 * Y[i] + sin(X[i / 3 * 2]);
    assert_ok(orff_output_laplacian(3, graph, 0.0, bare));
    assert_ok(orff_output_laplacian(3, graph, ORFF_RIDGE_AUTO, ridged));
    for (size_t way = 0; way < 3; way++) {
        const orff_engine engine = way == 2 ? ORFF_ENGINE_EXACT : ORFF_ENGINE_FEATURES;
        orff_model *poor = fit_graph(bare, engine, features[way], Y);
        orff_model *rich = fit_graph(ridged, engine, features[way], Y);
        support_case("way %zu", way);
        assert_true(orff_model_describe(poor).warnings & ORFF_WARN_UNREACHED);
        assert_non_null(strstr(orff_model_describe(poor).warning, "output matrix"));
        assert_false(orff_model_describe(rich).warnings & ORFF_WARN_UNREACHED);
        assert_true(orff_model_describe(rich).train_mse < 0.1 * orff_model_describe(poor).train_mse);
        assert_true(poor->unreached > 0.9 && poor->unreached <= 1.0);
        orff_model_free(poor);
        orff_model_free(rich);
    }
    support_case(NULL);
    free(Y);
    free(X);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_primal),
        cmocka_unit_test(repeated_rows),
        cmocka_unit_test(survives_a_file),
        cmocka_unit_test(short_streams),
        cmocka_unit_test(tuning),
        cmocka_unit_test(many_outputs),
        cmocka_unit_test(unreached_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
