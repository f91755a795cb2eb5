/* What long work tells of itself: no bar goes back, and each comes near to its end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* The task that was heard last, and how far it was. */
typedef struct bar {
    char task[48];
    double share;    /* of the task's total */
    double solving;  /* the largest share of iterations */
    size_t returns;  /* how often a task went back */
    size_t tasks[2]; /* how often "solving" and "sampling" began */
} bar;

static bool hear(void *self, const char *task, double done, double total) {
    bar *b = self;
    const double share = total > 0.0 ? done / total : 0.0;
    if (strcmp(task, b->task)) {
        snprintf(b->task, sizeof b->task, "%s", task);
        b->tasks[0] += !strcmp(task, "solving");
        b->tasks[1] += !strcmp(task, "sampling");
        b->share = 0.0;
    }
    b->returns += share < b->share - 1e-12;
    b->share = share;
    if (!strcmp(task, "solving")) b->solving = fmax(b->solving, share);
    return true;
}

enum { N = 2500 };

static void make_rows(double *X, double *Y) {
    double *noise = support_normal(2 * N, 1, 7);
    for (size_t i = 0; i < N; i++) {
        X[2 * i] = fmod(0.618 * (double)i, 1.0);
        X[2 * i + 1] = fmod(0.755 * (double)i, 1.0);
        for (size_t k = 0; k < 2; k++)
            Y[2 * i + k] =
                sin(40.0 * X[2 * i] + (double)k) + cos(30.0 * X[2 * i + 1]) + 0.1 * noise[2 * i + k];
    }
    free(noise);
}

static orff_settings settings_of(orff_part *part) {
    orff_settings s = orff_settings_default();
    *part = orff_part_default();
    part->base = ORFF_BASE_MATERN;
    part->shape = 1.5;
    part->sigma = 0.06;
    s.engine = ORFF_ENGINE_LATTICE;
    s.n_parts = 1;
    s.parts = part;
    s.lambda = 1e-6;
    return s;
}

/* Two outputs of one kernel are solved for one after the other, and are one bar. So are samples with all their iterations. */
static void test_kept(void **state) {
    (void)state;
    orff_part part;
    const orff_settings s = settings_of(&part);
    double *X = support_normal(2 * N, 1, 7), *Y = support_normal(2 * N, 2, 7);
    orff_model *model = NULL;
    orff_samples *samples = NULL;
    bar b = {.share = 0.0};
    make_rows(X, Y);
    orff_set_hooks(&(orff_hooks){.progress = hear, .self = &b});
    assert_ok(orff_model_fit(&model, &s, 2, 2, N, X, Y, NULL));
    assert_int_equal(b.returns, 0);
    assert_true(b.tasks[0] > 0);
    assert_true(b.solving > 0.7 && b.solving <= 1.0);
    assert_ok(orff_samples_draw(&samples, model, 3, 1));
    assert_int_equal(b.tasks[1], 1);
    assert_int_equal(b.returns, 0);
    orff_set_hooks(NULL);
    orff_samples_free(samples);
    orff_model_free(model);
    free(X);
    free(Y);
}

/* The solution, the probes of its determinant and the samples of its error bars are one bar. */
static void test_summed(void **state) {
    (void)state;
    orff_part part;
    orff_settings s = settings_of(&part);
    double *X = support_normal(2 * N, 1, 7), *Y = support_normal(2 * N, 2, 7);
    const double low[2] = {0.0, 0.0}, high[2] = {1.0, 1.0};
    orff_lattice_moments *moments = NULL;
    orff_model *model = NULL;
    bar b = {.share = 0.0};
    make_rows(X, Y);
    s.posterior = ORFF_SWITCH_YES;
    part.sigma = 0.03;
    s.tolerance = 1e-4;
    s.lambda = 1e-3;
    const orff_lattice_need need = {.d = 2,
                                    .p = 2,
                                    .low = low,
                                    .high = high,
                                    .n_parts = 1,
                                    .parts = &part,
                                    .tolerance = 1e-4,
                                    .folds = 1,
                                    .posterior = ORFF_SWITCH_YES};
    assert_ok(orff_lattice_moments_create(&moments, &need));
    assert_ok(orff_lattice_moments_accumulate(moments, N, X, Y, NULL));
    orff_set_hooks(&(orff_hooks){.progress = hear, .self = &b});
    assert_ok(orff_model_fit_lattice_moments(&model, &s, moments));
    orff_set_hooks(NULL);
    assert_true(orff_model_describe(model).kept_samples > 0);
    assert_int_equal(b.returns, 0);
    assert_true(b.solving > 0.9 && b.solving <= 1.0);
    orff_model_free(model);
    orff_lattice_moments_free(moments);
    free(X);
    free(Y);
}

/* Error bars of rows in several blocks are one bar. */
static void test_error_bars(void **state) {
    (void)state;
    enum { FEW = 60, MANY = 9000 };
    orff_part part;
    orff_settings s = settings_of(&part);
    double *X = support_normal(2 * N, 1, 7), *Y = support_normal(2 * N, 2, 7);
    double *at = support_normal(2 * MANY, 3, 7), *S = support_normal(2 * MANY, 4, 7);
    orff_model *model = NULL;
    bar b = {.share = 0.0};
    make_rows(X, Y);
    s.engine = ORFF_ENGINE_EXACT;
    s.lambda = 1e-3;
    assert_ok(orff_model_fit(&model, &s, 2, 2, FEW, X, Y, NULL));
    orff_set_hooks(&(orff_hooks){.progress = hear, .self = &b});
    assert_ok(orff_model_std(model, MANY, at, false, S));
    orff_set_hooks(NULL);
    assert_int_equal(b.returns, 0);
    assert_string_equal(b.task, "covariance");
    assert_true(b.share > 0.9);
    orff_model_free(model);
    free(X);
    free(Y);
    free(at);
    free(S);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept), cmocka_unit_test(test_summed),
                                       cmocka_unit_test(test_error_bars)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
