/* A model as a sum: adding up the terms that orff_model_sum returns gives the predictions, for every engine,
 * and likewise for samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support.h"

enum { ROWS = 80, POINTS = 7, SAMPLES = 2 };

typedef struct setting {
    const char *name;
    const char *settings[9];
    size_t d;
    bool far; /* inputs far from 0 and outputs of different sizes, in units of their own */
} setting;

static const setting settings[] = {
    {"lattice, nearest rows",
     {"engine=lattice", "kernel=decomposable", "output-matrix=covariance", "base=matern12", "sigma=0.4,0.7",
      "lambda=1e-5", "posterior=yes"},
     2,
     true},
    {"exact, decomposable, output matrix",
     {"engine=exact", "kernel=decomposable", "output-matrix=covariance", "base=matern52", "sigma=0.4",
      "lambda=1e-2", "posterior=yes"},
     2,
     true},
    {"exact, sum of fields",
     {"engine=exact", "kernel=div-free+curl-free", "base=matern52", "sigma=0.5", "lambda=1e-2",
      "posterior=yes"},
     2,
     false},
    {"exact, helmholtz, covariate",
     {"engine=exact", "kernel=helmholtz", "mix=0.3", "sigma=0.5,0.5,0.8", "covariates=3", "lambda=1e-2",
      "posterior=yes"},
     3,
     false},
    {"features, div-free",
     {"engine=features", "kernel=div-free", "sigma=0.5", "lambda=1e-2", "features=40", "posterior=yes"},
     2,
     false},
    {"features, decomposable",
     {"engine=features", "kernel=decomposable", "sigma=0.5", "lambda=1e-2", "features=60", "posterior=yes"},
     2,
     true},
    {"lattice, curl-free",
     {"engine=lattice", "kernel=curl-free", "sigma=1.2", "lambda=1e-2", "posterior=yes"},
     2,
     false},
    {"lattice, decomposable",
     {"engine=lattice", "kernel=decomposable", "sigma=1.2", "lambda=1e-2", "posterior=yes"},
     2,
     true},
    {"exact, quadratic trend",
     {"engine=exact", "kernel=decomposable", "trend=quadratic", "sigma=0.5", "lambda=1e-2", "posterior=yes"},
     2,
     true},
    {"lattice, one input",
     {"engine=lattice", "kernel=decomposable", "sigma=0.3", "lambda=1e-2", "posterior=yes"},
     1,
     false},
};

/* ---- a model */

static void fill_rows(const setting *s, double *X, double *Y) {
    const orffi_rng rng = {5, 9};
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < s->d; k++) X[i * s->d + k] = 2.0 * orffi_rng_uniform(rng, i, (uint32_t)k);
        const double x = X[i * s->d], y = s->d > 1 ? X[i * s->d + 1] : 0.3;
        Y[i * 2] = 3.0 + sin(3.0 * y) + 0.2 * orffi_rng_normal(rng, i, 10);
        Y[i * 2 + 1] = (s->far ? 40.0 : 1.0) * (cos(2.0 * x) + 0.2 * orffi_rng_normal(rng, i, 11));
        for (size_t k = 0; s->far && k < s->d; k++) X[i * s->d + k] += 300.0;
    }
}

static orff_model *fit(const setting *s) {
    double X[ROWS * 3], Y[ROWS * 2];
    orff_model *model = NULL;
    fill_rows(s, X, Y);
    assert_ok(orff_learn(&model, s->settings, s->d, 2, ROWS, X, Y));
    return model;
}

/* ---- adding up */

static void add_waves(const orff_term *t, size_t d, const double *x, double *f) {
    for (size_t i = 0; t->inside && i < d; i++)
        if (fabs(x[i] - t->origin[i]) > t->inside[i]) return;
    for (size_t j = 0; j < t->waves; j++) {
        double angle = 0.0;
        for (size_t i = 0; i < d; i++) angle += t->omega[j * d + i] * (x[i] - t->origin[i]);
        for (size_t a = 0; a < 2; a++) f[a] += t->a[j * 2 + a] * cos(angle) + t->b[j * 2 + a] * sin(angle);
    }
}

/* k of two places, and the square of their distance in length scales. */
static double matern12(const orff_part *part, double amplitude, size_t d, const double *x, const double *z,
                       double *square) {
    *square = 0.0;
    for (size_t i = 0; i < d; i++) *square += pow((x[i] - z[i]) / part->sigmas[i], 2.0);
    return amplitude * exp(-sqrt(*square));
}

/* The rows nearest to x come first. */
static void sort_rows(const orff_part *part, const orff_term *t, size_t d, const double *x, size_t *rows) {
    for (size_t i = 0; i < t->centres; i++) {
        double square, other;
        size_t at = i;
        (void)matern12(part, 1.0, d, x, t->z + i * d, &square);
        for (; at > 0; at--) {
            (void)matern12(part, 1.0, d, x, t->z + rows[at - 1] * d, &other);
            if (other <= square) break;
            rows[at] = rows[at - 1];
        }
        rows[at] = i;
    }
}

static size_t orthant_of(const orff_term *t, size_t d, const double *x, size_t row) {
    size_t orthant = 0;
    for (size_t i = 0; i < d; i++) orthant += (size_t)(t->z[row * d + i] >= x[i]) << i;
    return orthant;
}

/* The first n of the sorted rows become those all around: an orthant with less than half of an equal share takes its next rows, in the
 * place of the farthest of one that has more. */
static void share_out(const orff_term *t, size_t d, const double *x, size_t n, size_t *rows) {
    const size_t share = n >> (d + 1);
    size_t had[8] = {0}, end = n;
    for (size_t i = 0; i < n; i++) had[orthant_of(t, d, x, rows[i])]++;
    for (size_t o = 0; o < (size_t)1 << d; o++) {
        size_t lacks = had[o] < share ? share - had[o] : 0;
        for (size_t r = n; lacks && r < t->centres; r++) {
            if (orthant_of(t, d, x, rows[r]) != o) continue;
            size_t at = end - 1;
            while (had[orthant_of(t, d, x, rows[at])] <= share) at--;
            had[orthant_of(t, d, x, rows[at])]--;
            const size_t taken = rows[r];
            rows[r] = rows[at]; /* no orthant that lacks rows wants it */
            for (; at + 1 < n; at++) rows[at] = rows[at + 1];
            rows[n - 1] = taken;
            end--;
            lacks--;
        }
    }
}

/* (k(z, z) + noise) w = y by elimination, then k(x, z) w: other weights than B, the same value. */
static void add_nearest(const orff_model *model, const orff_term *t, size_t d, const double *x, double *f) {
    static double A[ROWS][ROWS + 1];
    const size_t n = t->nearest;
    size_t rows[ROWS];
    double unused, w[ROWS];
    orff_part part;
    assert_ok(orff_model_part(model, 0, &part));
    assert_true(n < t->centres && t->axes == 2 && !t->weights);
    sort_rows(&part, t, d, x, rows);
    share_out(t, d, x, n, rows);
    for (size_t j = 0; j < t->axes; j++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < n; k++)
                A[i][k] =
                    matern12(&part, t->amplitude[0], d, t->z + rows[i] * d, t->z + rows[k] * d, &unused);
            A[i][i] += t->noise[j];
            A[i][n] = t->y[rows[i] * t->axes + j];
        }
        for (size_t i = 0; i < n; i++)
            for (size_t r = i + 1; r < n; r++)
                for (size_t k = n + 1; k-- > i;) A[r][k] -= A[r][i] / A[i][i] * A[i][k];
        for (size_t i = n; i-- > 0;) {
            w[i] = A[i][n];
            for (size_t k = i + 1; k < n; k++) w[i] -= A[i][k] * w[k];
            w[i] /= A[i][i];
            for (size_t a = 0; a < 2; a++)
                f[a] += t->turn[a * t->axes + j] * w[i] *
                        matern12(&part, t->amplitude[0], d, x, t->z + rows[i] * d, &unused);
        }
    }
}

static void add_centres(const orff_model *model, const orff_term *t, size_t d, const double *x, double *f) {
    for (size_t m = 0; m < orff_model_describe(model).parts; m++) {
        orff_kernel *kernel = NULL;
        orff_part part;
        assert_ok(orff_model_part(model, m, &part));
        part.weight = 1.0;
        part.normalise = false;
        assert_ok(orff_kernel_create(&kernel, d, 2, 1, &part));
        for (size_t i = 0; i < t->centres; i++) {
            double K[4];
            const double *c = t->c + (m * t->centres + i) * 2;
            assert_ok(orff_kernel_eval(kernel, x, t->z + i * d, K));
            for (size_t a = 0; a < 2; a++) f[a] += K[2 * a] * c[0] + K[2 * a + 1] * c[1];
        }
        assert_true((t->along[m] == 0.0 && t->across[m] == 0.0) == orff_rule_describe(part.rule).separable);
        orff_kernel_free(kernel);
    }
}

static void add_up(const orff_model *model, const orff_sum *sum, size_t d, const double *x, double *f) {
    for (size_t a = 0; a < 2; a++) f[a] += orff_sum_mean(sum)[a];
    for (size_t k = 0; k < orff_sum_terms(sum); k++) {
        const orff_term t = orff_sum_term(sum, k);
        assert_true((t.waves > 0) != (t.centres > 0));
        if (t.waves)
            add_waves(&t, d, x, f);
        else if (t.nearest)
            add_nearest(model, &t, d, x, f);
        else
            add_centres(model, &t, d, x, f);
    }
}

/* The trend stands beside the sum. */
static void add_trend(const orff_model *model, const double *x, double *f) {
    const orff_model_info info = orff_model_describe(model);
    for (size_t i = 0; i < info.trend_terms; i++) {
        orff_trend_term term;
        double product = 1.0;
        assert_ok(orff_model_trend(model, i, &term));
        for (size_t k = 0; k < term.factors; k++)
            product *= x[term.inputs[k]] - info.trend_centre[term.inputs[k]];
        for (size_t a = 0; a < 2; a++) f[a] += product * term.coefficients[a];
    }
}

static void fill_points(const setting *s, double *x) {
    for (size_t i = 0; i < POINTS * s->d; i++) x[i] = (s->far ? 300.0 : 0.0) + 0.3 + 0.11 * (double)(i % 13);
}

/* Transforms of a lattice are good to 1e-6 of the field. */
static void check_close(const double *got, const double *expected) {
    const double size = fabs(expected[0]) + fabs(expected[1]) + 1.0;
    for (size_t a = 0; a < 2; a++) assert_true(fabs(got[a] - expected[a]) < 2e-6 * size);
}

static void check_model(const setting *s, const orff_model *model) {
    double x[POINTS * 3], F[POINTS * 2];
    orff_sum *sum = NULL;
    fill_points(s, x);
    assert_ok(orff_model_predict(model, POINTS, x, F));
    assert_ok(orff_model_sum(model, &sum));
    assert_true((orff_sum_term(sum, 0).nearest > 0) == (s == settings));
    for (size_t i = 0; i < POINTS; i++) {
        double f[2] = {0};
        add_up(model, sum, s->d, x + i * s->d, f);
        add_trend(model, x + i * s->d, f);
        check_close(f, F + 2 * i);
    }
    orff_sum_free(sum);
}

static void check_samples(const setting *s, const orff_model *model) {
    double x[POINTS * 3], F[SAMPLES * POINTS * 2], mean[POINTS * 2];
    orff_samples *samples = NULL;
    fill_points(s, x);
    assert_ok(orff_samples_draw(&samples, model, SAMPLES, 4));
    assert_ok(orff_samples_field(samples, ORFF_FIELD_VALUES, POINTS, x, F));
    assert_ok(orff_model_predict(model, POINTS, x, mean));
    for (size_t k = 0; k < SAMPLES; k++) {
        orff_sum *sum = NULL;
        if (orff_model_describe(model).trend_terms) {
            assert_int_equal(orff_samples_sum(samples, k, &sum), ORFF_ERROR_UNSUPPORTED);
            continue;
        }
        assert_ok(orff_samples_sum(samples, k, &sum));
        for (size_t i = 0; i < POINTS; i++) {
            double f[2] = {mean[2 * i], mean[2 * i + 1]};
            add_up(model, sum, s->d, x + i * s->d, f);
            check_close(f, F + (k * POINTS + i) * 2);
        }
        orff_sum_free(sum);
    }
    assert_int_equal(orff_samples_sum(samples, SAMPLES, &(orff_sum *){NULL}), ORFF_ERROR_INVALID_ARGUMENT);
    orff_samples_free(samples);
}

static void sums_are_predictions(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        support_case("%s", settings[i].name);
        orff_model *model = fit(&settings[i]);
        check_model(&settings[i], model);
        check_samples(&settings[i], model);
        orff_model_free(model);
    }
    support_case(NULL);
}

/* All k of a lattice in their order, and w = k steps. */
static void lattices_are_in_order(void **state) {
    (void)state;
    orff_sum *sum = NULL;
    orff_model *model = fit(&settings[6]);
    assert_ok(orff_model_sum(model, &sum));
    const orff_term t = orff_sum_term(sum, 0);
    const size_t width = t.most[1] + 1;
    assert_int_equal(t.waves, (2 * t.most[0] + 1) * width);
    for (size_t j = 0; j < t.waves; j++) {
        const double k0 = (double)(j / width) - (double)t.most[0], k1 = (double)(j % width);
        assert_true(fabs(t.omega[2 * j] - k0 * t.steps[0]) < 1e-9);
        assert_true(fabs(t.omega[2 * j + 1] - k1 * t.steps[1]) < 1e-9);
    }
    assert_int_equal(orff_sum_term(sum, 1).waves, 0);
    orff_sum_free(sum);
    orff_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_predictions),
                                       cmocka_unit_test(lattices_are_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
