/* Learned output matrices in models: known ones are recovered, by every engine and from moments, and they
 * help if related outputs are not equally well measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "models.h"

enum { D = 2, WAVES = 1500 };

typedef struct rows {
    size_t n, p;
    double *X, *F, *Y; /* n x D, n x p: the field, and with noise */
} rows;

/* A Gaussian field of covariance A, length scale `scale`, over a unit square, as a sum of waves; added to F. */
static void add_field(rows *r, const double *A, double scale, uint64_t seed) {
    const size_t p = r->p;
    double *L = support_zeros(p * p), *w = models_normal(WAVES * D, seed),
           *c = models_normal(2 * WAVES * p, seed + 1);
    memcpy(L, A, p * p * sizeof *L);
    assert_ok(orffi_cholesky(p, L));
    for (size_t i = 0; i < r->n; i++) {
        double *f = r->F + i * p;
        for (size_t j = 0; j < WAVES; j++) {
            const double angle = (w[j * D] * r->X[i * D] + w[j * D + 1] * r->X[i * D + 1]) / scale;
            const double cosine = cos(angle) / sqrt((double)WAVES), sine = sin(angle) / sqrt((double)WAVES);
            for (size_t k = 0; k < p; k++)
                for (size_t l = 0; l <= k; l++)
                    f[k] += L[k * p + l] * (cosine * c[2 * j * p + l] + sine * c[(2 * j + 1) * p + l]);
        }
    }
    free(L);
    free(w);
    free(c);
}

static rows make_rows(size_t n, size_t p, uint64_t seed) {
    rows r = {n, p, support_zeros(n * D), support_zeros(n * p), support_zeros(n * p)};
    double *at = models_normal(n * D, seed);
    for (size_t i = 0; i < n * D; i++) r.X[i] = 0.5 + 0.5 * erf(at[i] / sqrt(2.0));
    free(at);
    return r;
}

static void add_noise(rows *r, const double *noise, uint64_t seed) {
    double *normal = models_normal(r->n * r->p, seed);
    for (size_t i = 0; i < r->n * r->p; i++) r->Y[i] = r->F[i] + noise[i % r->p] * normal[i];
    free(normal);
}

static void free_rows(rows *r) {
    free(r->X);
    free(r->F);
    free(r->Y);
}

static double distance(size_t count, const double *a, const double *b) {
    double off = 0.0, size = 0.0;
    for (size_t i = 0; i < count; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(off / size);
}

/* Up to a factor: engines that choose lambda by errors on rows left out know the size of the field less well. */
static double distance_alike(size_t p, const double *a, const double *b) {
    double *scaled = support_zeros(p * p), of_a = 0.0, of_b = 0.0;
    for (size_t k = 0; k < p; k++) {
        of_a += a[k * (p + 1)];
        of_b += b[k * (p + 1)];
    }
    for (size_t i = 0; i < p * p; i++) scaled[i] = a[i] * of_b / of_a;
    const double off = distance(p * p, scaled, b);
    free(scaled);
    return off;
}

/* F F^T + 0.3 I, F of two columns. */
static const double known[25] = {1.30, 0.80, 0.00, -0.50, 0.20, 0.80, 1.30,  0.60,  -0.10,
                                 0.46, 0.00, 0.60, 1.30,  0.50, 0.50, -0.50, -0.10, 0.50,
                                 0.80, 0.15, 0.20, 0.46,  0.50, 0.15, 0.59};
static const double noises[5] = {0.1, 0.2, 0.1, 0.4, 0.3};

static orff_settings learning(orff_part *part, orff_engine engine) {
    orff_settings settings = orff_settings_default();
    *part = orff_part_default();
    part->learn = true;
    part->sigma = 0.02;
    settings.parts = part;
    settings.n_parts = 1;
    settings.engine = engine;
    return settings;
}

static orff_model *fit(const orff_settings *settings, const rows *r) {
    orff_model *model = NULL;
    assert_ok(orff_model_fit(&model, settings, D, r->p, r->n, r->X, r->Y, NULL));
    return model;
}

static void test_known(void **state) {
    (void)state;
    support_numbers_only();
    rows r = make_rows(3000, 5, 1);
    orff_part part;
    const orff_settings settings = learning(&part, ORFF_ENGINE_AUTO);
    double A[25];
    add_field(&r, known, 0.02, 2);
    add_noise(&r, noises, 3);
    orff_model *model = fit(&settings, &r);
    const orff_model_info info = orff_model_describe(model);
    assert_ok(orff_model_output_matrix(model, 0, A));
    assert_true(distance(25, A, known) < 0.1);
    assert_true(distance(5, info.noise, noises) < 0.1);
    orff_model_free(model);
    free_rows(&r);
}

/* Files keep it; a part that is not there is refused. */
static void test_files(void **state) {
    rows r = make_rows(300, 2, 4);
    const double both[4] = {1.0, 0.9, 0.9, 1.0}, noise[2] = {0.1, 0.5};
    orff_part part;
    const orff_settings settings = learning(&part, ORFF_ENGINE_EXACT);
    double A[4], B[4];
    orff_model *again = NULL;
    (void)state;
    part.sigma = 0.1;
    add_field(&r, both, 0.1, 5);
    add_noise(&r, noise, 6);
    orff_model *model = fit(&settings, &r);
    assert_ok(orff_model_save(model, "output_matrix.orff", false));
    assert_ok(orff_model_load(&again, "output_matrix.orff"));
    assert_ok(orff_model_output_matrix(model, 0, A));
    assert_ok(orff_model_output_matrix(again, 0, B));
    assert_all_close(4, B, A, 1e-12);
    assert_true(A[1] > 0.5 * sqrt(A[0] * A[3]));
    assert_status(orff_model_output_matrix(model, 1, A), ORFF_ERROR_INVALID_ARGUMENT);
    remove("output_matrix.orff");
    orff_model_free(model);
    orff_model_free(again);
    free_rows(&r);
}

/* Three engines, and moments, find the same, up to what they are. */
static void test_engines(void **state) {
    static const orff_engine engines[] = {ORFF_ENGINE_EXACT, ORFF_ENGINE_LATTICE, ORFF_ENGINE_FEATURES};
    rows r = make_rows(800, 3, 7);
    const double A[9] = {1.0, 0.8, 0.3, 0.8, 1.0, 0.2, 0.3, 0.2, 0.7}, noise[3] = {0.3, 0.3, 0.3};
    double found[9];
    (void)state;
    add_field(&r, A, 0.08, 8);
    add_noise(&r, noise, 9);
    for (size_t i = 0; i < 3; i++) {
        orff_part part;
        orff_settings settings = learning(&part, engines[i]);
        part.sigma = 0.08;
        settings.sampling.features = engines[i] == ORFF_ENGINE_FEATURES ? 500 : 0;
        orff_model *model = fit(&settings, &r);
        support_case("%s", orff_engine_name(engines[i]));
        assert_ok(orff_model_output_matrix(model, 0, found));
        assert_true(distance_alike(3, found, A) < 0.25);
        assert_true(found[1] > 0.6 * sqrt(found[0] * found[4]));
        orff_model_free(model);
    }
    support_case(NULL);
    free_rows(&r);
}

static void test_moments(void **state) {
    rows r = make_rows(1500, 3, 10);
    const double A[9] = {1.0, 0.8, 0.3, 0.8, 1.0, 0.2, 0.3, 0.2, 0.7}, noise[3] = {0.3, 0.3, 0.3};
    double found[9];
    orff_part part;
    orff_settings settings = learning(&part, ORFF_ENGINE_AUTO);
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_model *model = NULL;
    orff_sampling sampling = orff_sampling_default();
    const orff_moments_settings how = {.folds = 5};
    (void)state;
    add_field(&r, A, 0.1, 11);
    add_noise(&r, noise, 12);
    part.sigma = 0.1;
    part.learn = false;
    sampling.features = 400;
    assert_ok(orff_kernel_create(&kernel, D, 3, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_ok(orff_moments_create(&moments, features, &how));
    assert_ok(orff_moments_accumulate(moments, r.n, r.X, r.Y, NULL));
    part.learn = true;
    assert_ok(orff_model_fit_moments(&model, &settings, moments));
    assert_ok(orff_model_output_matrix(model, 0, found));
    assert_true(distance_alike(3, found, A) < 0.25);
    assert_status(orff_kernel_create(&kernel, D, 3, 1, &part), ORFF_ERROR_UNSUPPORTED);
    orff_model_free(model);
    orff_moments_free(moments);
    orff_features_free(features);
    orff_kernel_free(kernel);
    free_rows(&r);
}

/* ---- whether it helps */

/* Root mean square distance from the field over all outputs, each over its spread; output `only`, or all (SIZE_MAX). */
static double error_of(const orff_model *model, const rows *r, size_t only) {
    double *F = support_zeros(r->n * r->p), off = 0.0, size = 0.0;
    assert_ok(orff_model_predict(model, r->n, r->X, F));
    for (size_t i = 0; i < r->n * r->p; i++) {
        if (only != SIZE_MAX && i % r->p != only) continue;
        off += (F[i] - r->F[i]) * (F[i] - r->F[i]);
        size += r->F[i] * r->F[i];
    }
    free(F);
    return sqrt(off / size);
}

/* Rows at which an output is missing, and others where it is asked for. */
typedef struct task {
    rows seen, asked;
} task;

/* Output 2 is there in one row of eight, and the noisier. */
static task make_task(const double *A, uint64_t seed) {
    rows all = make_rows(700, 3, seed);
    const double noise[3] = {0.1, 0.1, 0.3};
    task t = {make_rows(400, 3, seed), make_rows(300, 3, seed)};
    add_field(&all, A, 0.1, seed + 1);
    add_noise(&all, noise, seed + 2);
    memcpy(t.seen.X, all.X, 400 * D * sizeof(double));
    memcpy(t.seen.Y, all.Y, 400 * 3 * sizeof(double));
    memcpy(t.asked.X, all.X + 400 * D, 300 * D * sizeof(double));
    memcpy(t.asked.F, all.F + 400 * 3, 300 * 3 * sizeof(double));
    for (size_t i = 0; i < 400; i++)
        if (i % 8) t.seen.Y[i * 3 + 2] = NAN;
    free_rows(&all);
    return t;
}

static double try_task(const task *t, const double *A, bool learn, size_t only) {
    orff_part part;
    orff_settings settings = learning(&part, ORFF_ENGINE_EXACT);
    const orff_observations o = {.d = D, .p = 3, .n = t->seen.n, .X = t->seen.X, .Y = t->seen.Y};
    orff_model *model = NULL;
    part.sigma = 0.1;
    part.learn = learn;
    part.A = A;
    assert_ok(orff_model_fit_observations(&model, &settings, &o));
    const double error = error_of(model, &t->asked, only);
    orff_model_free(model);
    return error;
}

/* The covariance of the outputs of rows that have all of them. */
static void whole_covariance(const rows *r, double *A) {
    double *Y = support_zeros(r->n * 3);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (isnan(r->Y[i * 3 + 2])) continue;
        memcpy(Y + 3 * n++, r->Y + 3 * i, 3 * sizeof *Y);
    }
    assert_ok(orff_output_covariance(n, 3, Y, A));
    free(Y);
}

static void test_missing(void **state) {
    (void)state;
    support_numbers_only();
    const double A[9] = {1.0, 0.2, 0.9, 0.2, 1.0, -0.3, 0.9, -0.3, 1.1};
    task t = make_task(A, 20);
    double covariance[9];
    whole_covariance(&t.seen, covariance);
    const double learned = try_task(&t, NULL, true, 2), apart = try_task(&t, NULL, false, 2),
                 given = try_task(&t, covariance, false, 2);
    support_case("learned %.3f, identity %.3f, covariance %.3f", learned, apart, given);
    assert_true(learned < 0.8 * apart);
    assert_true(learned < given);
    support_case(NULL);
    free_rows(&t.seen);
    free_rows(&t.asked);
}

/* Outputs that have nothing to do with each other lose nothing: where the evidence does not pay for a matrix the fit is the one
 * without. */
static void test_apart(void **state) {
    const double A[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.1};
    size_t same = 0;
    (void)state;
    support_numbers_only();
    for (uint64_t seed = 30; seed < 90; seed += 20) {
        task t = make_task(A, seed);
        const double learned = try_task(&t, NULL, true, SIZE_MAX),
                     apart = try_task(&t, NULL, false, SIZE_MAX);
        support_case("seed %d: learned %.4f, identity %.4f", (int)seed, learned, apart);
        assert_true(learned < 1.01 * apart);
        same += fabs(learned - apart) < 1e-9;
        free_rows(&t.seen);
        free_rows(&t.asked);
    }
    support_case(NULL);
    assert_true(same >= 2);
}

/* Errors that all outputs share do no harm: without an eye on them they would pass for a field. */
static void test_shared_errors(void **state) {
    rows r = make_rows(500, 4, 60);
    const double A[16] = {1.0, 0.5, 0.5, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5, 0.5, 1.0};
    const double noise[4] = {0.3, 0.3, 0.3, 0.3};
    double *gust = models_normal(500, 63);
    orff_part part;
    orff_settings settings = learning(&part, ORFF_ENGINE_EXACT);
    (void)state;
    part.sigma = 0.15;
    add_field(&r, A, 0.15, 61);
    add_noise(&r, noise, 62);
    for (size_t i = 0; i < 500 * 4; i++) r.Y[i] += gust[i / 4];
    orff_model *learned = fit(&settings, &r);
    part.learn = false;
    orff_model *apart = fit(&settings, &r);
    support_case("learned %.4f, identity %.4f", error_of(learned, &r, SIZE_MAX),
                 error_of(apart, &r, SIZE_MAX));
    assert_true(error_of(learned, &r, SIZE_MAX) < 1.02 * error_of(apart, &r, SIZE_MAX));
    support_case(NULL);
    orff_model_free(learned);
    orff_model_free(apart);
    free(gust);
    free_rows(&r);
}

/* A short scale with one matrix and a long one with another. */
static void test_sum(void **state) {
    rows r = make_rows(400, 2, 40);
    const double near[4] = {1.0, 0.9, 0.9, 1.0}, far[4] = {1.0, -0.8, -0.8, 1.0}, noise[2] = {0.1, 0.1};
    orff_part parts[2];
    orff_settings settings = orff_settings_default();
    double A[4], B[4];
    (void)state;
    add_field(&r, near, 0.05, 41);
    add_field(&r, far, 0.25, 42);
    add_noise(&r, noise, 43);
    for (size_t m = 0; m < 2; m++) {
        parts[m] = orff_part_default();
        parts[m].sigma = m ? 0.25 : 0.05;
        parts[m].learn = parts[m].normalise = true;
    }
    settings.parts = parts;
    settings.n_parts = 2;
    orff_model *model = fit(&settings, &r);
    assert_ok(orff_model_output_matrix(model, 0, A));
    assert_ok(orff_model_output_matrix(model, 1, B));
    assert_true(A[1] > 0.6 * sqrt(A[0] * A[3]));
    assert_true(B[1] < -0.4 * sqrt(B[0] * B[3]));
    orff_model_free(model);
    free_rows(&r);
}

/* Which outputs belong together, read from the entries that are not 0; from text as from the struct. */
static void test_sparse(void **state) {
    static const double blocks[36] = {1.0, 0.7, 0.0, 0.0,  0.0, 0.0, 0.7, 1.2, 0.0,  0.0, 0.0, 0.0,
                                      0.0, 0.0, 0.8, -0.5, 0.3, 0.0, 0.0, 0.0, -0.5, 1.0, 0.0, 0.0,
                                      0.0, 0.0, 0.3, 0.0,  0.6, 0.0, 0.0, 0.0, 0.0,  0.0, 0.0, 0.9};
    const double noise[6] = {0.1, 0.2, 0.1, 0.3, 0.2, 0.1};
    const char *const all_apart[] = {"output-matrix=learn:sparse:5", "sigma=0.03", "engine=exact", NULL};
    rows r = make_rows(2000, 6, 70);
    orff_part part;
    orff_settings settings = learning(&part, ORFF_ENGINE_FEATURES);
    double A[36];
    orff_model *model = NULL;
    (void)state;
    part.sigma = 0.03;
    part.sparse = true;
    settings.sampling.features = 300; /* the matrix is found by the kernel itself */
    add_field(&r, blocks, 0.03, 71);
    add_noise(&r, noise, 72);
    model = fit(&settings, &r);
    assert_ok(orff_model_output_matrix(model, 0, A));
    for (size_t i = 0; i < 36; i++) {
        support_case("entry %zu: %g, %g", i, A[i], blocks[i]);
        assert_true((A[i] != 0.0) == (blocks[i] != 0.0));
    }
    support_case(NULL);
    assert_true(distance_alike(6, A, blocks) < 0.15);
    orff_model_free(model);
    assert_ok(orff_learn(&model, all_apart, D, 6, 200, r.X, r.Y));
    assert_ok(orff_model_output_matrix(model, 0, A));
    for (size_t i = 0; i < 36; i++) assert_true((A[i] != 0.0) == (i / 6 == i % 6));
    orff_model_free(model);
    free_rows(&r);
}

static void test_refused(void **state) {
    rows r = make_rows(60, 2, 50);
    orff_part parts[2];
    orff_settings settings = learning(&parts[0], ORFF_ENGINE_EXACT);
    const double A[4] = {1.0, 0.0, 0.0, 1.0}, noise[2] = {0.1, 0.1};
    orff_model *model = NULL;
    (void)state;
    add_field(&r, A, 0.1, 51);
    add_noise(&r, noise, 52);
    parts[0].A = A;
    assert_status(orff_model_fit(&model, &settings, D, 2, r.n, r.X, r.Y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    parts[0].A = NULL;
    parts[0].rank = 3;
    assert_status(orff_model_fit(&model, &settings, D, 2, r.n, r.X, r.Y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("rank 3");
    parts[0].sparse = true;
    assert_status(orff_model_fit(&model, &settings, D, 2, r.n, r.X, r.Y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("sparse");
    parts[0].rank = 0;
    parts[1] = parts[0];
    settings.n_parts = 2;
    assert_status(orff_model_fit(&model, &settings, D, 2, r.n, r.X, r.Y, NULL), ORFF_ERROR_UNSUPPORTED);
    assert_says("sparse one, is learned for one part");
    parts[0].sparse = false;
    parts[1] = orff_part_default();
    parts[1].rule = ORFF_RULE_DIV_FREE;
    settings.n_parts = 2;
    assert_status(orff_model_fit(&model, &settings, D, 2, r.n, r.X, r.Y, NULL), ORFF_ERROR_UNSUPPORTED);
    assert_says("decomposable");
    free_rows(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),   cmocka_unit_test(test_files),         cmocka_unit_test(test_engines),
        cmocka_unit_test(test_moments), cmocka_unit_test(test_missing),       cmocka_unit_test(test_apart),
        cmocka_unit_test(test_sum),     cmocka_unit_test(test_shared_errors), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sparse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
