/* Measurements that are not whole rows, against a dense Gaussian process of the same kernel and noise. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/linalg.h"
#include "fields.h"
#include "lattice/fft.h"
#include "model/tune_folds.h"
#include "reload.h"

enum { N = 60, NEW = 8, D = 2, P = 2 };
#include "measured.h"

static const double full[] = {2.0, 0.6, 0.6, 0.7};

static const struct {
    const char *name;
    orff_part parts[2];
    size_t n_parts;
} kernels[] = {
    {"identity", {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.8, .weight = 1.0}}, 1},
    {"full A", {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.8, .weight = 1.0, .A = full}}, 1},
    {"curl-free", {{.rule = ORFF_RULE_CURL_FREE, .sigma = 0.9, .weight = 1.0, .normalise = true}}, 1},
    {"div-free", {{.rule = ORFF_RULE_DIV_FREE, .sigma = 0.9, .weight = 1.0, .normalise = true}}, 1},
    {"sum",
     {{.rule = ORFF_RULE_DIV_FREE, .sigma = 0.9, .weight = 1.0, .normalise = true},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.5, .weight = 0.3}},
     2},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- data */

static void make(measured *m) {
    for (size_t i = 0; i < N; i++) {
        const double a = 2.399963 * (double)i;
        for (size_t k = 0; k < D; k++)
            m->X[i * D + k] = 1.5 * fmod((double)(i + 1) * (k ? 0.754877666 : 0.569840291), 1.0);
        fields_rotation(m->X + i * D, m->whole + i * P);
        m->whole[i * P] += 0.05 * sin(31.0 * a);
        m->whole[i * P + 1] += 0.05 * cos(17.0 * a);
        measured_observe(m, i);
    }
    for (size_t k = 0; k < P; k++) m->Y[7 * P + k] = (double)NAN; /* a row that says nothing */
    for (size_t i = 0; i < NEW * D; i++) m->Z[i] = 1.5 * fmod((double)(i + 3) * 0.618034, 1.0);
}

/* ---- the dense process */

typedef struct dense {
    size_t n;
    double X[N * P * D], e[N * P * P], y[N * P], c[N * P], N;
} dense;

static void add(dense *g, const double *x, const double *e, double y, double c) {
    memcpy(g->X + g->n * D, x, D * sizeof *x);
    memcpy(g->e + g->n * P, e, P * sizeof *e);
    g->y[g->n] = y;
    g->c[g->n++] = c;
}

/* Of all rows but those of a fold; folds may be NULL. */
static void gather_rest(const measured *m, bool directions, bool weighted, const uint32_t *folds,
                        uint32_t fold, dense *g) {
    *g = (dense){0};
    for (size_t i = 0; i < N; i++) {
        if (folds && folds[i] == fold) continue;
        const double c = weighted ? m->weights[i] : 1.0;
        bool any = false;
        if (directions) add(g, m->X + i * D, m->along + i * P, m->y[i], c);
        for (size_t k = 0; !directions && k < P; k++) {
            const double axis[P] = {k == 0, k == 1};
            if (isnan(m->Y[i * P + k])) continue;
            add(g, m->X + i * D, axis, m->Y[i * P + k], c);
            any = true;
        }
        g->N += any || directions ? c : 0.0;
    }
}

static void gather(const measured *m, bool directions, bool weighted, dense *g) {
    gather_rest(m, directions, weighted, NULL, 0, g);
}

static double form(const double *e, const double *K, const double *f) {
    double sum = 0.0;
    for (size_t a = 0; a < P; a++)
        for (size_t b = 0; b < P; b++) sum += e[a] * K[a * P + b] * f[b];
    return sum;
}

/* The kernel itself, or that of features. */
typedef struct source {
    const orff_kernel *kernel;
    const orff_features *features;
} source;

static void between(const source *s, const double *x, const double *z, double *K) {
    assert_ok(s->features ? orff_features_kernel(s->features, x, z, K)
                          : orff_kernel_eval(s->kernel, x, z, K));
}

/* Means F (NEW x P) and covariances C (NEW x P x P) for a noise variance of shift. */
static void predict(const dense *g, const source *kernel, double shift, const double *Z, double *F,
                    double *C) {
    const size_t n = g->n;
    double *A = support_zeros(n * n), *t = support_zeros(n), *k = support_zeros(2 * n * P), K[P * P];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            between(kernel, g->X + i * D, g->X + j * D, K);
            A[i * n + j] = form(g->e + i * P, K, g->e + j * P) + (i == j ? shift / g->c[i] : 0.0);
        }
    assert_ok(orffi_cholesky(n, A));
    memcpy(t, g->y, n * sizeof *t);
    assert_ok(orffi_cholesky_solve(n, A, 1, t));
    for (size_t m = 0; m < NEW; m++) {
        for (size_t i = 0; i < n; i++) {
            between(kernel, Z + m * D, g->X + i * D, K);
            for (size_t a = 0; a < P; a++)
                k[i * P + a] = K[a * P] * g->e[i * P] + K[a * P + 1] * g->e[i * P + 1];
        }
        memcpy(k + n * P, k, n * P * sizeof *k);
        assert_ok(orffi_cholesky_solve(n, A, P, k + n * P));
        between(kernel, Z + m * D, Z + m * D, K);
        for (size_t a = 0; a < P; a++) {
            F[m * P + a] = 0.0;
            for (size_t i = 0; i < n; i++) F[m * P + a] += k[i * P + a] * t[i];
            for (size_t b = 0; b < P; b++) {
                C[(m * P + a) * P + b] = K[a * P + b];
                for (size_t i = 0; i < n; i++) C[(m * P + a) * P + b] -= k[i * P + a] * k[(n + i) * P + b];
            }
        }
    }
    free(A);
    free(t);
    free(k);
}

/* ---- models */

static const double lambda = 1e-3;

static orff_settings settings_of(size_t which, orff_engine engine) {
    orff_settings s = orff_settings_default();
    s.parts = kernels[which].parts;
    s.n_parts = kernels[which].n_parts;
    s.engine = engine;
    s.lambda = lambda;
    s.center = false;
    s.posterior = ORFF_SWITCH_YES;
    s.scale_outputs = ORFF_SWITCH_NO;
    if (engine == ORFF_ENGINE_LATTICE) s.sampling.tolerance = 1e-4;
    return s;
}

static orff_kernel *kernel_of(size_t which) {
    orff_kernel *kernel;
    assert_ok(orff_kernel_create(&kernel, D, P, kernels[which].n_parts, kernels[which].parts));
    return kernel;
}

static orff_observations observations_of(const measured *m, bool directions, bool weighted) {
    return (orff_observations){.d = D,
                               .p = P,
                               .n = N,
                               .X = m->X,
                               .Y = directions ? m->y : m->Y,
                               .directions = directions ? m->along : NULL,
                               .weights = weighted ? m->weights : NULL};
}

static void assert_near(const char *name, size_t n, const double *a, const double *b, double tolerance) {
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    if (!(worst <= tolerance)) fail_msg("%s: %g apart", name, worst);
}

static void compare(size_t which, orff_engine engine, bool directions, bool weighted, double tolerance) {
    static measured m;
    static dense g;
    double F[NEW * P], C[NEW * P * P], ours[NEW * P], bars[NEW * P * P];
    orff_settings s = settings_of(which, engine);
    make(&m);
    gather(&m, directions, weighted, &g);
    const orff_observations o = observations_of(&m, directions, weighted);
    orff_kernel *kernel = kernel_of(which);
    orff_features *features = NULL;
    s.sampling.features = engine == ORFF_ENGINE_FEATURES ? 200 : 0;
    if (engine == ORFF_ENGINE_FEATURES) assert_ok(orff_features_create(&features, kernel, &s.sampling));
    orff_model *model;
    assert_ok(orff_model_fit_observations(&model, &s, &o));
    predict(&g, &(source){kernel, features}, g.N * lambda, m.Z, F, C);
    assert_true(fabs(F[0]) + fabs(F[1]) > 0.05); /* something is learned */
    for (size_t saved = 0; saved < 2; saved++) {
        assert_ok(orff_model_predict(model, NEW, m.Z, ours));
        assert_near(kernels[which].name, NEW * P, ours, F, tolerance);
        const double noise = orff_model_describe(model).noise[0];
        assert_ok(orff_model_covariance(model, NEW, m.Z, bars));
        for (size_t i = 0; i < NEW * P * P; i++) bars[i] *= g.N * lambda / (noise * noise);
        assert_near(kernels[which].name, NEW * P * P, bars, C, tolerance);
        model = support_reload(model);
    }
    orff_model_free(model);
    orff_features_free(features);
    orff_kernel_free(kernel);
}

static void compare_all(orff_engine engine, double tolerance) {
    for (size_t which = 0; which < KERNELS; which += support_step(2)) {
        compare(which, engine, true, false, tolerance);
        compare(which, engine, true, true, tolerance);
        compare(which, engine, false, false, tolerance);
    }
    compare(0, engine, false, true, tolerance);
}

static void test_exact(void **state) {
    (void)state;
    compare_all(ORFF_ENGINE_EXACT, 1e-7);
}

static void test_lattice(void **state) {
    (void)state;
    if (!orffi_fft_available()) {
        print_message("skipped: Fourier transforms are not built in (ORFF_FFT=none)\n");
        return;
    }
    compare(0, ORFF_ENGINE_LATTICE, false, true, 2e-3);
    compare(1, ORFF_ENGINE_LATTICE, true, false, 2e-3);
    compare(3, ORFF_ENGINE_LATTICE, true, true, 2e-3);
}

static void test_features(void **state) {
    (void)state;
    compare_all(ORFF_ENGINE_FEATURES, 1e-6);
}

/* ---- moments
 *
 * Rows of every kind, in parts that are added, taken off again, and sent through a file, against the dense process of all. */

enum {
    ALONG = 20,
    WHOLE = 35
}; /* the first rows have directions, the next all outputs, the last what they have */

/* One kind of moments, as the test asks for it. */
typedef struct sums {
    orff_lattice_moments *lattice;
    orff_moments *features; /* or these */
} sums;

static sums create_lattice(size_t which) {
    static const double low[D] = {0.0, 0.0}, high[D] = {1.5, 1.5};
    const orff_lattice_need need = {.d = D,
                                    .p = P,
                                    .low = low,
                                    .high = high,
                                    .n_parts = kernels[which].n_parts,
                                    .parts = kernels[which].parts,
                                    .tolerance = 1e-4,
                                    .folds = 2};
    sums made = {0};
    assert_ok(orff_lattice_moments_create(&made.lattice, &need));
    return made;
}

static sums create_sums(size_t which, const orff_features *features) {
    sums made = {0};
    if (!features) return create_lattice(which);
    assert_ok(orff_moments_create(&made.features, features, &(orff_moments_settings){.folds = 2}));
    return made;
}

static void free_sums(sums *s) {
    orff_lattice_moments_free(s->lattice);
    orff_moments_free(s->features);
    *s = (sums){0};
}

static orff_status join_sums(sums *into, double sign, const sums *other) {
    return into->features
               ? (sign > 0.0 ? orff_moments_add : orff_moments_subtract)(into->features, other->features)
               : (sign > 0.0 ? orff_lattice_moments_add : orff_lattice_moments_subtract)(into->lattice,
                                                                                         other->lattice);
}

/* Through a file, then as numbers into moments of as much room. */
static void send_lattice(sums *s, const char *path) {
    const size_t size = (size_t)orff_lattice_moments_size(s->lattice);
    double *numbers = support_zeros(size);
    orff_lattice_moments *loaded, *other;
    assert_ok(orff_lattice_moments_save(s->lattice, path));
    assert_ok(orff_lattice_moments_load(&loaded, path));
    assert_int_equal(orff_lattice_moments_digest(loaded), orff_lattice_moments_digest(s->lattice));
    assert_ok(orff_lattice_moments_get(loaded, 0, size, numbers));
    assert_ok(orff_lattice_moments_create_like(&other, loaded));
    assert_ok(orff_lattice_moments_widen(other, orff_lattice_moments_room(loaded)));
    assert_int_equal(orff_lattice_moments_digest(other), orff_lattice_moments_digest(s->lattice));
    assert_ok(orff_lattice_moments_set(other, 0, size, numbers));
    orff_lattice_moments_free(loaded);
    free_sums(s);
    s->lattice = other;
    free(numbers);
}

static void send_features(sums *s, const char *path) {
    const size_t size = (size_t)orff_moments_size(s->features);
    double *numbers = support_zeros(size);
    orff_moments *loaded, *other;
    assert_ok(orff_moments_save(s->features, path));
    assert_ok(orff_moments_load(&loaded, path));
    assert_int_equal(orff_moments_digest(loaded), orff_moments_digest(s->features));
    assert_ok(orff_moments_get(loaded, 0, size, numbers));
    assert_ok(orff_moments_create_like(&other, loaded));
    assert_int_not_equal(orff_moments_digest(other), orff_moments_digest(s->features));
    assert_ok(orff_moments_widen(other, orff_moments_room(loaded)));
    assert_int_equal(orff_moments_digest(other), orff_moments_digest(s->features));
    assert_ok(orff_moments_set(other, 0, size, numbers));
    orff_moments_free(loaded);
    free_sums(s);
    s->features = other;
    free(numbers);
}

static void send_sums(sums *s) {
    char path[] = "/tmp/orff-observed-XXXXXX";
    close(mkstemp(path));
    (s->features ? send_features : send_lattice)(s, path);
    unlink(path);
}

static void add_rows(sums *s, const orff_observations *o) {
    assert_ok(s->features ? orff_moments_accumulate_observations(s->features, o)
                          : orff_lattice_moments_accumulate_observations(s->lattice, o));
}

/* A few rows at a time. */
typedef struct pieces {
    const orff_observations *of;
    size_t given;
} pieces;

static int read_pieces(void *self, size_t room, double *X_of, double *Y_of, double *directions,
                       double *errors, double *weights, size_t *n) {
    pieces *at = self;
    const orff_observations *o = at->of;
    const size_t width = o->directions ? 1 : P, first = at->given;
    *n = o->n - first < 7 ? o->n - first : 7;
    assert_true(*n <= room);
    memcpy(X_of, o->X + first * D, *n * D * sizeof *X_of);
    memcpy(Y_of, o->Y + first * width, *n * width * sizeof *Y_of);
    if (directions) memcpy(directions, o->directions + first * P, *n * P * sizeof *directions);
    if (errors) memcpy(errors, o->errors + first * width, *n * width * sizeof *errors);
    if (weights) memcpy(weights, o->weights + first, *n * sizeof *weights);
    at->given += *n;
    return 0;
}

static orff_observation_reader reader_of(pieces *at) {
    return (orff_observation_reader){.read = read_pieces,
                                     .self = at,
                                     .directed = at->of->directions != NULL,
                                     .errors = at->of->errors != NULL,
                                     .weighted = at->of->weights != NULL};
}

static void read_rows(sums *s, const orff_observations *o) {
    pieces at = {.of = o};
    const orff_observation_reader reader = reader_of(&at);
    assert_ok(s->features ? orff_moments_read_observations(s->features, &reader)
                          : orff_lattice_moments_read_observations(s->lattice, &reader));
}

/* Rows [first, end) as they are in the first part of the test. */
static orff_observations some_of(const measured *m, const double *errors, size_t first, size_t end) {
    const bool along = end <= ALONG;
    return (orff_observations){.d = D,
                               .p = P,
                               .n = end - first,
                               .X = m->X + first * D,
                               .Y = along ? m->y + first : m->Y + first * P,
                               .directions = along ? m->along + first * P : NULL,
                               .weights = m->weights + first,
                               .errors = !errors ? NULL
                                         : along ? errors + first
                                                 : errors + first * P};
}

static void gather_mixed(const measured *m, const double *errors, dense *g) {
    double plain = 0.0, sum = 0.0;
    *g = (dense){0};
    for (size_t i = 0; i < N; i++) {
        bool any = i < ALONG;
        const double w = m->weights[i];
        if (any) add(g, m->X + i * D, m->along + i * P, m->y[i], errors ? w / pow(errors[i], 2.0) : w);
        for (size_t k = 0; i >= ALONG && k < P; k++) {
            const double axis[P] = {k == 0, k == 1};
            if (isnan(m->Y[i * P + k])) continue;
            add(g, m->X + i * D, axis, m->Y[i * P + k], errors ? w / pow(errors[i * P + k], 2.0) : w);
            any = true;
        }
        g->N += any ? w : 0.0;
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < (i < ALONG ? 1 : P); k++)
            plain += i < ALONG || !isnan(m->Y[i * P + k]) ? m->weights[i] : 0.0;
    for (size_t j = 0; j < g->n; j++) sum += g->c[j];
    for (size_t j = 0; j < g->n; j++) g->c[j] *= plain / sum; /* as much as without errors */
}

static orff_rows room_of(const sums *s) {
    return s->features ? orff_moments_room(s->features) : orff_lattice_moments_room(s->lattice);
}

static sums make_sums(size_t which, const orff_features *features, const measured *m, const double *errors) {
    sums all = create_sums(which, features), more = create_sums(which, features),
         off = create_sums(which, features);
    const orff_observations along = some_of(m, errors, 0, ALONG), whole = some_of(m, errors, ALONG, WHOLE),
                            rest = some_of(m, errors, WHOLE, N);
    const orff_rows parted =
        features ? ORFF_ROWS_PARTED : ORFF_ROWS_DIRECTED; /* a lattice has one room for both */
    add_rows(&all, &whole);                               /* whole ones become directed when others come */
    assert_int_equal(room_of(&all), errors ? parted : ORFF_ROWS_WHOLE);
    read_rows(&all, &rest);
    assert_int_equal(room_of(&all), parted);
    add_rows(&more, &along);
    assert_int_equal(room_of(&more), ORFF_ROWS_DIRECTED);
    add_rows(&off, &whole);
    assert_ok(join_sums(&more, 1.0, &off));
    send_sums(&more);
    assert_ok(join_sums(&all, 1.0, &more));
    assert_ok(join_sums(&all, -1.0, &off));
    send_sums(&all);
    free_sums(&off);
    off = create_sums(which, features);
    const orff_observations other = some_of(m, errors ? NULL : m->weights, 0, ALONG);
    add_rows(&off, &other);
    assert_status(join_sums(&all, 1.0, &off), ORFF_ERROR_MISMATCH); /* with errors and without */
    assert_says("errors");
    free_sums(&more);
    free_sums(&off);
    return all;
}

static void compare_sums(size_t which, orff_engine engine, bool known, double tolerance) {
    static measured m;
    static dense g;
    double F[NEW * P], C[NEW * P * P], ours[NEW * P], bars[NEW * P * P], errors[N * P];
    make(&m);
    for (size_t i = ALONG; i < WHOLE; i++) memcpy(m.Y + i * P, m.whole + i * P, P * sizeof *m.Y);
    for (size_t i = 0; i < N * P; i++) errors[i] = 0.05 * (1.0 + (double)(i % 5));
    gather_mixed(&m, known ? errors : NULL, &g);
    orff_settings s = settings_of(which, engine);
    orff_kernel *kernel = kernel_of(which);
    orff_features *features = NULL;
    s.sampling.features = engine == ORFF_ENGINE_FEATURES ? 150 : 0;
    if (engine == ORFF_ENGINE_FEATURES) assert_ok(orff_features_create(&features, kernel, &s.sampling));
    sums all = make_sums(which, features, &m, known ? errors : NULL);
    orff_model *model;
    assert_ok(features ? orff_model_fit_moments(&model, &s, all.features)
                       : orff_model_fit_lattice_moments(&model, &s, all.lattice));
    assert_int_equal(orff_model_describe(model).rows,
                     N); /* row 7, which says nothing in Y, has a direction here */
    predict(&g, &(source){kernel, features}, g.N * lambda, m.Z, F, C);
    assert_ok(orff_model_predict(model, NEW, m.Z, ours));
    assert_near(kernels[which].name, NEW * P, ours, F, tolerance);
    const double noise = orff_model_describe(model).noise[0];
    assert_ok(orff_model_covariance(model, NEW, m.Z, bars));
    for (size_t i = 0; i < NEW * P * P; i++) bars[i] *= g.N * lambda / (noise * noise);
    assert_near(kernels[which].name, NEW * P * P, bars, C, tolerance);
    orff_model_free(model);
    orff_kernel_free(kernel);
    orff_features_free(features);
    free_sums(&all);
}

static void test_moments(void **state) {
    (void)state;
    for (size_t which = 0; orffi_fft_available() && which < 4; which += 3)
        compare_sums(which, ORFF_ENGINE_LATTICE, which > 0, 2e-3);
    for (size_t which = 1; which < KERNELS; which += 3)
        compare_sums(which, ORFF_ENGINE_FEATURES, which == 1, 1e-6);
}

/* ---- walls */

/* As rows of ten times the weight that say 0 along the normal, which N does not count. */
static void test_walls(void **state) {
    static measured m;
    static dense g;
    static const double walls[] = {0.1, 0.2, 1.0, 0.0, 0.1, 0.5, 1.0, 0.0, 0.1, 0.8, 0.6, 0.8};
    static const orff_engine engines[] = {ORFF_ENGINE_EXACT, ORFF_ENGINE_LATTICE, ORFF_ENGINE_FEATURES};
    double F[NEW * P], C[NEW * P * P], ours[NEW * P];
    (void)state;
    make(&m);
    for (size_t e = 0; e < 3; e++) {
        if (engines[e] == ORFF_ENGINE_LATTICE && !orffi_fft_available()) continue;
        orff_settings s = settings_of(3, engines[e]);
        orff_kernel *kernel = kernel_of(3);
        orff_features *features = NULL;
        orff_observations o = observations_of(&m, true, false);
        orff_model *model;
        o.n_walls = 3;
        o.walls = walls;
        s.sampling.features = engines[e] == ORFF_ENGINE_FEATURES ? 200 : 0;
        if (s.sampling.features) assert_ok(orff_features_create(&features, kernel, &s.sampling));
        gather(&m, true, false, &g);
        for (size_t i = 0; i < 3; i++) add(&g, walls + 4 * i, walls + 4 * i + 2, 0.0, 10.0);
        assert_ok(orff_model_fit_observations(&model, &s, &o));
        assert_int_equal(orff_model_describe(model).rows, N);
        predict(&g, &(source){kernel, features}, g.N * lambda, m.Z, F, C);
        assert_ok(orff_model_predict(model, NEW, m.Z, ours));
        assert_near(orff_engine_name(engines[e]), NEW * P, ours, F,
                    engines[e] == ORFF_ENGINE_LATTICE ? 2e-3 : 1e-6);
        orff_model_free(model);
        orff_features_free(features);
        orff_kernel_free(kernel);
    }
}

/* ---- qualities */

/* Rows of a smooth field in which every second one errs ten times as much, whole or along directions: the instruments are
 * told apart, and known errors are believed. */
static void test_qualities(void **state) {
    enum { MANY = 400 };
    static double X[MANY * D], Y[MANY * P], errors[MANY * P], truth[MANY * P], F[MANY * P];
    static uint32_t instruments[MANY];
    const double rms =
        sqrt(0.5 * (0.5 * 0.5 + 0.05 * 0.05)); /* of the errors, however precise half of the rows are */
    double mse[3];
    (void)state;
    support_numbers_only();
    fields_rows rows = fields_draw(fields_rotation, MANY, D, P, 0.0, 7);
    double *noise = models_normal(MANY * P, 11);
    memcpy(X, rows.X, sizeof X);
    memcpy(truth, rows.truth, sizeof truth);
    for (size_t i = 0; i < MANY * P; i++) {
        instruments[i / P] = (uint32_t)(i / P % 2);
        errors[i] = instruments[i / P] ? 0.5 : 0.05;
        Y[i] = truth[i] + errors[i] * noise[i];
    }
    for (size_t which = 0; which < 3; which++) {
        const orff_part part = fields_part(ORFF_RULE_DIV_FREE, ORFF_SIGMA_AUTO);
        orff_settings s = orff_settings_default();
        orff_model *model;
        s.n_parts = 1;
        s.parts = &part;
        const orff_observations o = {.d = D,
                                     .p = P,
                                     .n = MANY,
                                     .X = X,
                                     .Y = Y,
                                     .errors = which == 1 ? errors : NULL,
                                     .instruments = which == 2 ? instruments : NULL};
        assert_ok(orff_model_fit_observations(&model, &s, &o));
        assert_ok(orff_model_predict(model, MANY, X, F));
        mse[which] = fields_mse(MANY * P, F, truth);
        const orff_model_info info = orff_model_describe(model);
        for (size_t k = 0; k < P; k++) assert_true(fabs(info.noise[k] / rms - 1.0) < 0.15);
        assert_true(fabs(sqrt(info.cv_mse) / rms - 1.0) < 0.2);
        orff_model_free(model);
    }
    assert_true(mse[1] < 0.4 * mse[0]);
    assert_true(mse[2] < 0.4 * mse[0]);
    fields_free(&rows);
    free(noise);
}

/* Four rows in five are known a hundred times as well as the fifth: as well as that, and the noise of a measurement is still that
 * of all. */
static void test_precise_rows(void **state) {
    enum { MANY = 600 };
    double errors[MANY * P], F[MANY * P], square = 0.0;
    orff_settings s = orff_settings_default();
    orff_model *model;
    (void)state;
    support_numbers_only();
    fields_rows rows = fields_draw(fields_rotation, MANY, D, P, 1.0, 8);
    for (size_t i = 0; i < MANY * P; i++) {
        errors[i] = i / P % 5 ? 0.003 : 0.3;
        rows.Y[i] = rows.truth[i] + errors[i] * (rows.Y[i] - rows.truth[i]);
        square += errors[i] * errors[i] / (MANY * P);
    }
    const orff_observations o = {.d = D, .p = P, .n = MANY, .X = rows.X, .Y = rows.Y, .errors = errors};
    assert_ok(orff_model_fit_observations(&model, &s, &o));
    assert_ok(orff_model_predict(model, MANY, rows.X, F));
    const orff_model_info info = orff_model_describe(model);
    print_message("noise %.4f, of %.4f; rmse %.5f\n", info.noise[0], sqrt(square),
                  sqrt(fields_mse(MANY * P, F, rows.truth)));
    for (size_t k = 0; k < P; k++) assert_true(fabs(info.noise[k] / sqrt(square) - 1.0) < 0.15);
    assert_true(sqrt(fields_mse(MANY * P, F, rows.truth)) < 0.003);
    orff_model_free(model);
    fields_free(&rows);
}

/* ---- what is refused */

/* ---- candidates */

/* The mean over the outputs of the mean square of what a dense process says of the numbers of a fold it has not seen. */
static double crossed(const measured *m, size_t which, bool directions, const uint32_t *folds) {
    static dense rest;
    const size_t width = directions ? 1 : P;
    double squares[P] = {0}, n[P] = {0}, F[NEW * P], C[NEW * P * P], Z[NEW * D] = {0};
    orff_kernel *kernel = kernel_of(which);
    for (size_t i = 0; i < N; i++) {
        const double *e = m->along + i * P;
        gather_rest(m, directions, true, folds, folds[i], &rest);
        memcpy(Z, m->X + i * D, D * sizeof *Z);
        predict(&rest, &(source){kernel, NULL}, rest.N * lambda, Z, F, C);
        for (size_t k = 0; k < width; k++) {
            const double off = directions ? m->y[i] - e[0] * F[0] - e[1] * F[1] : m->Y[i * P + k] - F[k];
            if (isnan(off)) continue;
            squares[k] += m->weights[i] * off * off;
            n[k] += m->weights[i];
        }
    }
    orff_kernel_free(kernel);
    return directions ? squares[0] / n[0] : 0.5 * (squares[0] / n[0] + squares[1] / n[1]);
}

static void tune(bool directions) {
    static measured m;
    const size_t which[] = {2, 3}; /* the field has no divergence */
    orff_settings candidates[2];
    orff_path_point point[2], *paths[2] = {&point[0], &point[1]};
    double scores[2];
    size_t best;
    uint32_t *folds;
    orff_model *model;
    make(&m);
    const orff_observations o = observations_of(&m, directions, true);
    for (size_t i = 0; i < 2; i++) {
        candidates[i] = settings_of(which[i], ORFF_ENGINE_EXACT);
        candidates[i].folds = 3;
    }
    assert_ok(orff_model_tune_observations(&model, 2, candidates, &o, scores, &best, paths));
    assert_int_equal(best, 1);
    assert_ok(orffi_tune_folds(&folds, model, &candidates[0], &o));
    for (size_t i = 0; i < 2; i++) {
        const double found = crossed(&m, which[i], directions, folds);
        assert_true(fabs(scores[i] - found) <= 1e-6 * found);
        assert_true(point[i].cv_mse == scores[i] && fabs(point[i].lambda / lambda - 1.0) < 1e-12);
    }
    free(folds);
    orff_model_free(model);
}

static void test_tune(void **state) {
    (void)state;
    tune(true);
    tune(false);
}

static void test_refused(void **state) {
    static measured m;
    orff_settings s = settings_of(0, ORFF_ENGINE_AUTO);
    orff_model *model;
    double errors[N] = {0};
    uint32_t instruments[N] = {0};
    (void)state;
    make(&m);
    orff_observations o = observations_of(&m, true, false);
    errors[3] = -1.0;
    o.errors = errors;
    assert_int_equal(orff_model_fit_observations(&model, &s, &o), ORFF_ERROR_INVALID_ARGUMENT);
    o.errors = NULL;
    instruments[2] = ORFF_INSTRUMENTS;
    o.instruments = instruments;
    assert_int_equal(orff_model_fit_observations(&model, &s, &o), ORFF_ERROR_UNSUPPORTED);
    o.instruments = NULL;
    m.along[2 * P] = m.along[2 * P + 1] = 0.0;
    assert_int_equal(orff_model_fit_observations(&model, &s, &o), ORFF_ERROR_INVALID_ARGUMENT);
    make(&m);
    s.loss = ORFF_LOSS_HUBER;
    assert_int_equal(orff_model_fit_observations(&model, &s, &o), ORFF_ERROR_UNSUPPORTED);
    s.loss = ORFF_LOSS_SQUARED;
    for (size_t i = 0; i < N; i++) m.y[i] = (double)NAN;
    assert_int_equal(orff_model_fit_observations(&model, &s, &o), ORFF_ERROR_INVALID_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),   cmocka_unit_test(test_lattice),   cmocka_unit_test(test_features),
        cmocka_unit_test(test_walls),   cmocka_unit_test(test_qualities), cmocka_unit_test(test_precise_rows),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_tune),      cmocka_unit_test(test_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
