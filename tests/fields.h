/* Rows with a known truth, and fits to them, for the tests of learning. */
#ifndef ORFF_TESTS_FIELDS_H
#define ORFF_TESTS_FIELDS_H

#include "models.h"

/* ---- rows */

typedef struct fields_rows {
    size_t n, d, p;
    double *X, *Y, *truth; /* n x d, n x p with noise, n x p without */
} fields_rows;

typedef void (*fields_truth)(const double *x, double *y);

/* u = sum c_k exp(-|x - m_k|^2 / (2 w^2)), w = 1/2: y = grad u on [-1,1]^2, root mean square 1.2. */
static inline void fields_gradient(const double *x, double *y) {
    static const double bumps[5][3] = {{0, 0, 1}, {0, 1, 1}, {0, -1, 1}, {-1, 0, -1}, {1, 0, -1}};
    y[0] = y[1] = 0.0;
    for (size_t k = 0; k < 5; k++) {
        const double a = x[0] - bumps[k][0], b = x[1] - bumps[k][1];
        const double u = bumps[k][2] * exp(-2.0 * (a * a + b * b));
        y[0] -= 4.0 * a * u;
        y[1] -= 4.0 * b * u;
    }
}

/* The same turned by a right angle: no divergence. */
static inline void fields_rotation(const double *x, double *y) {
    double g[2];
    fields_gradient(x, g);
    y[0] = -g[1];
    y[1] = g[0];
}

/* Two smooth outputs of three inputs. */
static inline void fields_smooth(const double *x, double *y) {
    y[0] = sin(2.0 * x[0]) + x[1] * x[2];
    y[1] = cos(x[0] - x[1]) + 0.5 * x[2] * x[2];
}

/* n points uniform in [-1,1]^d, noise of the given standard deviation. */
static inline fields_rows fields_draw(fields_truth truth, size_t n, size_t d, size_t p, double noise,
                                      uint64_t seed) {
    fields_rows rows = {n, d, p, support_zeros(n * d), models_normal(n * p, seed + 1), support_zeros(n * p)};
    for (size_t i = 0; i < n * d; i++) rows.X[i] = 2.0 * orffi_rng_uniform((orffi_rng){seed, 31}, i, 0) - 1.0;
    for (size_t i = 0; i < n; i++) truth(rows.X + i * d, rows.truth + i * p);
    for (size_t i = 0; i < n * p; i++) rows.Y[i] = noise * rows.Y[i] + rows.truth[i];
    return rows;
}

static inline void fields_free(fields_rows *rows) {
    free(rows->X);
    free(rows->Y);
    free(rows->truth);
}

/* ---- fits */

/* The defaults with fewer frequencies. */
static inline orff_settings fields_settings(size_t D) {
    orff_settings settings = orff_settings_default();
    settings.folds_by = ORFF_FOLDS_RANDOM; /* as the folds of moments */
    settings.sampling.features = D;
    settings.scale_outputs = ORFF_SWITCH_NO; /* one lambda for all outputs */
    return settings;
}

static inline orff_part fields_part(orff_rule rule, double sigma) {
    orff_part part = orff_part_default();
    part.rule = rule;
    part.sigma = sigma;
    return part;
}

/* Settings of one part with everything given. */
static inline orff_settings fields_given(const orff_part *part, size_t D, double lambda) {
    orff_settings settings = fields_settings(D);
    settings.n_parts = 1;
    settings.parts = part;
    settings.lambda = lambda;
    return settings;
}

static inline orff_model *fields_fit(const orff_settings *settings, const fields_rows *rows) {
    orff_model *model = NULL;
    assert_ok(orff_model_fit(&model, settings, rows->d, rows->p, rows->n, rows->X, rows->Y, NULL));
    return model;
}

static inline double fields_mse(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum / (double)n;
}

/* Mean square error of a model over all outputs, `against` being the rows' Y or truth. */
static inline double fields_error(const orff_model *model, const fields_rows *rows, const double *against) {
    double *F = support_zeros(rows->n * rows->p);
    assert_ok(orff_model_predict(model, rows->n, rows->X, F));
    const double mse = fields_mse(rows->n * rows->p, F, against);
    free(F);
    return mse;
}

/* Two models predict the same at some points, to tol of the largest prediction. */
static inline void fields_assert_same(const orff_model *a, const orff_model *b, const fields_rows *at,
                                      size_t p, double tol) {
    double *F = support_zeros(at->n * p), *G = support_zeros(at->n * p), most = 0.0;
    assert_ok(orff_model_predict(a, at->n, at->X, F));
    assert_ok(orff_model_predict(b, at->n, at->X, G));
    for (size_t i = 0; i < at->n * p; i++) most = fmax(most, fabs(G[i]));
    for (size_t i = 0; i < at->n * p; i++) {
        F[i] /= most;
        G[i] /= most;
    }
    assert_all_close(at->n * p, F, G, tol);
    free(F);
    free(G);
}

#endif
