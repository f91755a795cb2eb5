/* Distances of points from the rows, how much the rows determine there, and masks by both. */
#define _XOPEN_SOURCE 700

#include <unistd.h>

#include "fields.h"

/* ---- rows: a ring, so that the middle is far from all of them */

enum { ROWS = 300 };

static fields_rows ring(size_t n) {
    fields_rows rows = fields_draw(fields_rotation, n, 2, 2, 0.05, 3);
    for (size_t i = 0; i < n; i++) {
        const double angle = 3.2 * rows.X[2 * i], r = 2.0 + 0.3 * rows.X[2 * i + 1];
        rows.X[2 * i] = r * cos(angle);
        rows.X[2 * i + 1] = r * sin(angle);
    }
    return rows;
}

static double nearest(const fields_rows *rows, const double *x) {
    double least = INFINITY;
    for (size_t i = 0; i < rows->n; i++)
        least = fmin(least, hypot(rows->X[2 * i] - x[0], rows->X[2 * i + 1] - x[1]));
    return least;
}

typedef struct replay {
    const fields_rows *rows;
    size_t given;
} replay;

static int read_replay(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    replay *r = self;
    (void)weights;
    *n = r->rows->n - r->given < room ? r->rows->n - r->given : room;
    memcpy(X, r->rows->X + 2 * r->given, *n * 2 * sizeof *X);
    memcpy(Y, r->rows->Y + 2 * r->given, *n * 2 * sizeof *Y);
    r->given += *n;
    return 0;
}

static orff_model *stream(const orff_settings *settings, const fields_rows *rows) {
    orff_model *model = NULL;
    replay r = {rows, 0};
    assert_ok(orff_model_fit_stream(&model, settings, 2, 2, &(orff_reader){.read = read_replay, .self = &r}));
    return model;
}

static orff_model *save_and_load(orff_model *model) {
    char path[] = "/tmp/orff-mask-XXXXXX";
    orff_model *again = NULL;
    close(mkstemp(path));
    assert_ok(orff_model_save(model, path, false));
    assert_ok(orff_model_load(&again, path));
    unlink(path);
    orff_model_free(model);
    return again;
}

/* ---- distances */

static void check_distances(const orff_model *model, const fields_rows *rows) {
    const double resolution = orff_model_describe(model).resolution;
    for (size_t i = 0; i < 40; i++) {
        const double x[2] = {-4.0 + 0.21 * (double)i, 1.5 - 0.13 * (double)i}, truth = nearest(rows, x);
        double got;
        assert_ok(orff_model_distance(model, 1, x, &got));
        if (got < truth - 1e-9 || got > truth + resolution + 1e-9)
            fail_msg("%g, should be %g to %g", got, truth, truth + resolution);
    }
}

/* Few rows are kept as they are, of many one in each cell; in a stream, and after a file, too. */
static void test_distances(void **state) {
    const orff_part part = fields_part(ORFF_RULE_DIV_FREE, 0.7);
    orff_settings settings = fields_given(&part, 60, 1e-4);
    (void)state;
    settings.engine = ORFF_ENGINE_FEATURES;
    for (size_t many = 0; many < 2; many++) {
        fields_rows rows = ring(many ? 60000 : ROWS);
        for (size_t streamed = 0; streamed < 2; streamed++) {
            orff_model *model = streamed ? stream(&settings, &rows) : fields_fit(&settings, &rows);
            model = save_and_load(model);
            const orff_model_info info = orff_model_describe(model);
            assert_true(many ? info.places < 16384 && info.places > 4000 : info.places == ROWS);
            assert_true(many ? info.resolution > 0.0 && info.resolution < 0.2 : info.resolution == 0.0);
            check_distances(model, &rows);
            orff_model_free(model);
        }
        fields_free(&rows);
    }
}

/* A covariate is no distance. */
static void test_covariates_do_not_count(void **state) {
    fields_rows rows = fields_draw(fields_smooth, 80, 3, 2, 0.05, 3);
    const size_t space[2] = {2, 0};
    const double far[3] = {rows.X[0], 1e3, rows.X[2]};
    orff_part part = fields_part(ORFF_RULE_CURL_FREE, 1.0);
    double got;
    (void)state;
    part.space = space;
    const orff_settings settings = fields_given(&part, 60, 1e-4);
    orff_model *model = fields_fit(&settings, &rows);
    assert_ok(orff_model_distance(model, 1, far, &got));
    assert_close(got, 0.0, 1e-12);
    orff_model_free(model);
    fields_free(&rows);
}

/* Kilometres where inputs are degrees: a degree of latitude is 111.2 of them. */
static void test_distances_on_a_plane(void **state) {
    fields_rows rows = fields_draw(fields_rotation, 60, 2, 2, 0.05, 3);
    orff_settings settings = fields_settings(60);
    double got[2];
    (void)state;
    for (size_t i = 0; i < 60; i++) {
        rows.X[2 * i] = 10.0 + 0.01 * rows.X[2 * i];
        rows.X[2 * i + 1] = 50.0 + 0.01 * rows.X[2 * i + 1];
    }
    const double x[4] = {10.0, 51.0, 12.0, 50.0};
    settings.geo = ORFF_GEO_LONLAT;
    orff_model *model = fields_fit(&settings, &rows);
    assert_ok(orff_model_distance(model, 2, x, got));
    assert_close(got[0], 111.2, 2.0);
    assert_close(got[1], 2.0 * 111.2 * cos(50.0 * acos(-1.0) / 180.0), 2.0);
    orff_model_free(model);
    fields_free(&rows);
}

static void test_moments_keep_no_places(void **state) {
    (void)state;
    models_case c = models_cases[0];
    orff_model *model = models_make(&c, 20);
    const double x[2] = {0.0, 0.0};
    double got;
    assert_status(orff_model_distance(model, 1, x, &got), ORFF_ERROR_UNSUPPORTED);
    assert_says("does not contain the positions of its rows");
    orff_model_free(model);
}

/* ---- the prior */

/* Every engine, with weights and outputs of different size: far away the posterior is the prior. */
static void test_prior(void **state) {
    static const orff_engine engines[] = {ORFF_ENGINE_EXACT, ORFF_ENGINE_LATTICE, ORFF_ENGINE_FEATURES};
    static const orff_rule rules[] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_DIV_FREE, ORFF_RULE_HELMHOLTZ};
    fields_rows rows = ring(ROWS);
    double *weights = support_zeros(ROWS);
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        rows.Y[2 * i] *= 10.0;
        weights[i] = i % 2 ? 0.5 : 2.0;
    }
    for (size_t e = 0; e < 3; e++)
        for (size_t r = 0; r < 3; r++) {
            const orff_part part = fields_part(rules[r], 0.4);
            orff_settings settings = fields_given(&part, 1500, 1e-4);
            const double far[2] = {e == 1 ? 0.0 : 60.0,
                                   0.0}; /* a lattice is told in its own range: the middle of the ring */
            orff_model *model = NULL;
            double prior[2], got[2], share;
            settings.engine = engines[e];
            settings.posterior = ORFF_SWITCH_YES;
            settings.scale_outputs = r == 0 ? ORFF_SWITCH_YES : ORFF_SWITCH_NO;
            if (orff_model_fit(&model, &settings, 2, 2, ROWS, rows.X, rows.Y, weights) ==
                ORFF_ERROR_UNSUPPORTED)
                continue; /* built without lattices */
            model = save_and_load(model);
            assert_ok(orff_model_prior_std(model, prior));
            assert_ok(orff_model_std(model, 1, far, false, got));
            assert_ok(orff_model_relative_std(model, 1, far, &share));
            for (size_t k = 0; k < 2; k++) assert_close(got[k] / prior[k], 1.0, e ? 0.15 : 1e-6);
            assert_close(share, 1.0, e ? 0.15 : 1e-6);
            assert_ok(orff_model_relative_std(model, 1, rows.X, &share));
            assert_true(share < 0.3);
            orff_model_free(model);
        }
    free(weights);
    fields_free(&rows);
}

/* ---- masks */

static void test_masks(void **state) {
    fields_rows rows = ring(ROWS);
    const orff_part part = fields_part(ORFF_RULE_DIV_FREE, 0.4);
    const orff_settings settings = fields_given(&part, 200, 1e-4);
    orff_model *model = fields_fit(&settings, &rows);
    const double x[6] = {rows.X[0], rows.X[1], 0.0, 0.0, 4.0, 0.0};
    orff_mask mask = orff_mask_default();
    bool masked[3];
    (void)state;
    assert_ok(orff_model_mask(model, &mask, 3, x, masked));
    assert_true(!masked[0] && !masked[1] && !masked[2]);
    mask.distance = 1.8; /* the middle is 1.7 away at the least, the third point about as far */
    assert_ok(orff_model_mask(model, &mask, 3, x, masked));
    assert_true(!masked[0] && !masked[1]);
    mask.distance = 1.5;
    mask.std = 0.5;
    assert_ok(orff_model_mask(model, &mask, 3, x, masked));
    assert_true(!masked[0] && masked[1] && masked[2]);
    mask.std = 0.0;
    assert_status(orff_model_mask(model, &mask, 3, x, masked), ORFF_ERROR_INVALID_ARGUMENT);
    orff_model_free(model);
    fields_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_covariates_do_not_count),
        cmocka_unit_test(test_distances_on_a_plane),
        cmocka_unit_test(test_moments_keep_no_places),
        cmocka_unit_test(test_prior),
        cmocka_unit_test(test_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
