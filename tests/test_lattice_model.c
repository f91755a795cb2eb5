/* Models on a lattice against exact models of the same kernel and lambda, which are dense Gaussian processes. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "base/linalg.h"
#include "fields.h"
#include "lattice/fft.h"

enum { NEW = 60 };

/* ---- cases */

typedef struct lattice_case {
    const char *name;
    size_t d, p, n, n_parts;
    orff_part parts[3];
    bool weighted, uncentered;
    double distance; /* of values, in spreads of y */
    double evidence; /* of the log evidence, for each number */
    double variance; /* of covariances, in prior variances */
} lattice_case;

static const double full3[] = {2.0, 0.6, 0.1, 0.6, 0.7, 0.2, 0.1, 0.2, 1.5}, column3[] = {1.0, -0.5, 2.0};
static const double full2[] = {2.0, 0.6, 0.6, 0.7}, uneven[] = {0.5, 0.9, 0.7};
static const size_t plane[] = {0, 1}, swapped[] = {2, 0};

/* A(w) = I + w w^T / 4 on a Gaussian of length 0.5: K = k I + (I - x x^T / s^2) k / (4 s^2). */
static int custom_exact_at(void *self, const double *x, double *K) {
    const double s2 = 0.25, k = exp(-(x[0] * x[0] + x[1] * x[1]) / (2.0 * s2));
    (void)self;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            const double one = (double)(i == j);
            K[i * 2 + j] = k * (one + 0.25 / s2 * (one - x[i] * x[j] / s2));
        }
    return 0;
}
SUPPORT_MANY(custom_exact, 2, 4)

#define SMOOTH .distance = 5e-4, .evidence = 5e-5, .variance = 1e-4
#define KEPT   .distance = 2e-4, .evidence = 0.05, .variance = 0.05
#define ROUGH  .distance = 0.03, .evidence = 0.05, .variance = 0.05

static const lattice_case direct[] = {
    {"line", 1, 1, 200, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.3}}, SMOOTH},
    {"gradient on a line", 1, 1, 200, 1, {{.rule = ORFF_RULE_CURL_FREE, .sigma = 0.4}}, SMOOTH},
    {"line, three outputs",
     1,
     3,
     150,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.4, .A = full3}},
     SMOOTH},
    {"identity", 2, 2, 300, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigmas = uneven}}, SMOOTH},
    {"no centre", 2, 2, 200, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.6}}, .uncentered = true, SMOOTH},
    {"weights", 2, 1, 300, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.6}}, .weighted = true, SMOOTH},
    {"full A", 2, 3, 250, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .A = full3, .sigma = 0.6}}, SMOOTH},
    {"rank 1",
     2,
     3,
     250,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .B = column3, .columns = 1, .sigma = 0.6}},
     SMOOTH},
    {"curl-free", 2, 2, 250, 1, {{.rule = ORFF_RULE_CURL_FREE, .sigma = 0.6}}, SMOOTH},
    {"div-free", 2, 2, 250, 1, {{.rule = ORFF_RULE_DIV_FREE, .sigma = 0.6}}, .weighted = true, SMOOTH},
    {"helmholtz", 2, 2, 250, 1, {{.rule = ORFF_RULE_HELMHOLTZ, .mix = 0.3, .sigma = 0.8}}, SMOOTH},
    {"custom",
     2,
     2,
     250,
     1,
     {{.rule = ORFF_RULE_CUSTOM_A, .sigma = 0.5, .matrix = models_custom_a, .exact = custom_exact}},
     SMOOTH},
    {"sum",
     2,
     2,
     250,
     2,
     {{.rule = ORFF_RULE_DIV_FREE, .sigma = 0.7, .weight = 0.4},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.9, .A = full2}},
     SMOOTH},
    {"scalar sum",
     2,
     2,
     250,
     2,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.7, .weight = 0.4},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 1.1}},
     SMOOTH},
    {"matern 7/2 on a line",
     1,
     1,
     150,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .base = ORFF_BASE_MATERN, .shape = 3.5, .sigma = 0.5}},
     SMOOTH},
};

static const lattice_case kept[] = {
    {"identity", 2, 2, 200, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.06}}, KEPT},
    {"weights", 2, 2, 200, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.06}}, .weighted = true, KEPT},
    {"full A", 2, 3, 150, 1, {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.06, .A = full3}}, KEPT},
    {"rank 1",
     2,
     3,
     150,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .B = column3, .columns = 1, .sigma = 0.06}},
     KEPT},
    {"curl-free", 2, 2, 150, 1, {{.rule = ORFF_RULE_CURL_FREE, .sigma = 0.06}}, .weighted = true, KEPT},
    {"div-free", 2, 2, 150, 1, {{.rule = ORFF_RULE_DIV_FREE, .sigma = 0.06}}, .uncentered = true, KEPT},
    {"helmholtz", 2, 2, 150, 1, {{.rule = ORFF_RULE_HELMHOLTZ, .mix = 0.4, .sigma = 0.07}}, KEPT},
    {"sum",
     2,
     2,
     150,
     2,
     {{.rule = ORFF_RULE_DIV_FREE, .sigma = 0.06, .weight = 0.1},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.1}},
     KEPT},
    {"div-free in space", 3, 3, 120, 1, {{.rule = ORFF_RULE_DIV_FREE, .sigma = 1.0}}, KEPT},
    {"space and time",
     3,
     2,
     150,
     1,
     {{.rule = ORFF_RULE_CURL_FREE, .sigmas = uneven, .space = swapped}},
     KEPT},
    {"gradient on a line", 1, 1, 120, 1, {{.rule = ORFF_RULE_CURL_FREE, .sigma = 0.0006}}, KEPT},
    {"matern 1/2",
     2,
     1,
     200,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .base = ORFF_BASE_MATERN, .shape = 0.5, .sigma = 0.5}},
     ROUGH},
    {"matern 3/2",
     2,
     1,
     200,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .base = ORFF_BASE_MATERN, .shape = 1.5, .sigma = 0.4}},
     ROUGH},
    {"laplace",
     2,
     1,
     200,
     1,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .base = ORFF_BASE_LAPLACE, .sigma = 0.6}},
     .distance = 0.1,
     .evidence = 0.05,
     .variance = 0.05},
    {"div-free matern 5/2",
     2,
     2,
     150,
     1,
     {{.rule = ORFF_RULE_DIV_FREE, .base = ORFF_BASE_MATERN, .shape = 2.5, .sigma = 0.5, .space = plane}},
     ROUGH},
};

/* ---- rows and fits */

typedef struct problem {
    const lattice_case *c;
    orff_part parts[3];
    orff_settings settings;
    double *X, *Y, *weights, *at;
    size_t read; /* by the reader */
    orff_model *exact, *lattice;
} problem;

static void fill_rows(problem *t) {
    const lattice_case *c = t->c;
    t->X = support_zeros(c->n * c->d);
    t->Y = models_normal(c->n * c->p, 3);
    t->at = support_zeros(NEW * c->d);
    for (size_t i = 0; i < c->n * c->d; i++) t->X[i] = 2.0 * orffi_rng_uniform((orffi_rng){8, 1}, i, 0) - 1.0;
    for (size_t i = 0; i < NEW * c->d; i++) t->at[i] = 2.4 * orffi_rng_uniform((orffi_rng){8, 3}, i, 0) - 1.2;
    for (size_t i = 0; i < c->n * c->p; i++) {
        const double *x = t->X + i / c->p * c->d;
        t->Y[i] = 0.7 + 0.2 * t->Y[i] + sin(3.0 * x[i % c->d] + (double)(i % c->p)) * cos(2.0 * x[c->d - 1]);
    }
    if (!c->weighted) return;
    t->weights = support_zeros(c->n);
    for (size_t i = 0; i < c->n; i++)
        t->weights[i] = i % 11 ? 0.3 + orffi_rng_uniform((orffi_rng){8, 2}, i, 0) : 0.0;
}

static void begin(problem *t, const lattice_case *c) {
    *t = (problem){.c = c};
    support_case("%s", c->name);
    for (size_t m = 0; m < 3; m++) t->parts[m] = models_part(c->parts[m]);
    t->settings = orff_settings_default();
    t->settings.n_parts = c->n_parts;
    t->settings.parts = t->parts;
    t->settings.lambda = 1e-4;
    t->settings.tolerance = 1e-9;
    t->settings.center = !c->uncentered;
    t->settings.posterior = ORFF_SWITCH_YES;
    fill_rows(t);
}

static orff_model *fit(problem *t, orff_engine engine) {
    orff_model *model = NULL;
    t->settings.engine = engine;
    assert_ok(orff_model_fit(&model, &t->settings, t->c->d, t->c->p, t->c->n, t->X, t->Y, t->weights));
    return model;
}

static void end(problem *t) {
    orff_model_free(t->exact);
    orff_model_free(t->lattice);
    free(t->X);
    free(t->Y);
    free(t->weights);
    free(t->at);
    support_case(NULL);
}

static double spread_of(const problem *t) {
    double sum = 0.0, square = 0.0;
    const double n = (double)(t->c->n * t->c->p);
    for (size_t i = 0; i < t->c->n * t->c->p; i++) {
        sum += t->Y[i] / n;
        square += t->Y[i] * t->Y[i] / n;
    }
    return sqrt(square - sum * sum);
}

/* Root mean square over the worst. */
static double distance_of(const problem *t, const orff_model *a, const orff_model *b) {
    const size_t n = NEW * t->c->p;
    double *F = support_zeros(n), *G = support_zeros(n);
    assert_ok(orff_model_predict(a, NEW, t->at, F));
    assert_ok(orff_model_predict(b, NEW, t->at, G));
    const double rms = sqrt(fields_mse(n, F, G));
    free(F);
    free(G);
    return rms;
}

/* Root mean square of a model's error bars. */
static double uncertainty_of(const problem *t, const orff_model *model) {
    const size_t n = NEW * t->c->p;
    double *S = support_zeros(n), *zeros = support_zeros(n);
    assert_ok(orff_model_std(model, NEW, t->at, false, S));
    const double rms = sqrt(fields_mse(n, S, zeros));
    free(S);
    free(zeros);
    return rms;
}

/* Largest difference of covariances in units of the largest prior variance, noise variances being those of each. */
static double covariance_distance(const problem *t, const orff_model *a, const orff_model *b) {
    const size_t n = NEW * t->c->p * t->c->p;
    double *F = support_zeros(n), *G = support_zeros(n), *far = support_zeros(t->c->d), prior[9], worst = 0.0,
           size = 0.0;
    const double *from = orff_model_describe(a).noise, *to = orff_model_describe(b).noise;
    for (size_t i = 0; i < t->c->d; i++) far[i] = 1e4;
    assert_ok(orff_model_covariance(a, NEW, t->at, F));
    assert_ok(orff_model_covariance(b, NEW, t->at, G));
    assert_ok(orff_model_covariance(b, 1, far, prior));
    for (size_t i = 0; i < t->c->p; i++) size = fmax(size, prior[i * (t->c->p + 1)]);
    for (size_t i = 0; i < n; i++) {
        const size_t k = i / t->c->p % t->c->p, l = i % t->c->p;
        worst = fmax(worst, fabs(to[k] * to[l] / (from[k] * from[l]) * F[i] - G[i]));
    }
    free(F);
    free(G);
    free(far);
    return worst / size;
}

/* The log density of y under K + shift / c, rows without weight left out. */
static double dense_evidence(const problem *t) {
    const size_t p = t->c->p, d = t->c->d;
    double *X = support_zeros(t->c->n * d), *y = support_zeros(t->c->n * p), *c = support_zeros(t->c->n),
           total = 0.0, mean[3] = {0};
    size_t n = 0;
    for (size_t i = 0; i < t->c->n; i++) {
        const double weight = t->weights ? t->weights[i] : 1.0;
        if (!(weight > 0.0)) continue;
        memcpy(X + n * d, t->X + i * d, d * sizeof *X);
        memcpy(y + n * p, t->Y + i * p, p * sizeof *y);
        total += c[n++] = weight;
    }
    for (size_t i = 0; t->settings.center && i < n * p; i++) mean[i % p] += c[i / p] * y[i] / total;
    const size_t side = n * p;
    double *K = support_zeros(side * side), *x = support_zeros(side), sum = 0.0;
    orff_kernel *kernel = NULL;
    assert_ok(orff_kernel_create(&kernel, d, p, t->c->n_parts, t->parts));
    assert_ok(orff_kernel_gram(kernel, n, X, n, X, K));
    for (size_t i = 0; i < side; i++) {
        K[i * (side + 1)] += total * t->settings.lambda / c[i / p];
        x[i] = y[i] -= mean[i % p];
    }
    assert_ok(orffi_cholesky(side, K));
    assert_ok(orffi_cholesky_solve(side, K, 1, x));
    for (size_t i = 0; i < side; i++)
        sum += x[i] * y[i] + 2.0 * log(K[i * (side + 1)]) + log(2.0 * acos(-1.0));
    orff_kernel_free(kernel);
    free(X);
    free(y);
    free(c);
    free(K);
    free(x);
    return -0.5 * sum;
}

static void assert_close_to_exact(problem *t, const char *method) {
    t->settings.sampling.tolerance = 1e-6; /* and not what the noise would allow */
    t->exact = fit(t, ORFF_ENGINE_EXACT);
    t->lattice = fit(t, ORFF_ENGINE_LATTICE);
    const orff_model_info a = orff_model_describe(t->exact), b = orff_model_describe(t->lattice);
    const double numbers = (double)(t->c->n * t->c->p),
                 gap = distance_of(t, t->lattice, t->exact) / spread_of(t);
    const double evidence = fabs(dense_evidence(t) - b.log_evidence) / numbers;
    const double variance = covariance_distance(t, t->lattice, t->exact);
    if (getenv("SHOW"))
        print_message("%-24s %-22s %.2e evidence %.2e (%g %g) variance %.2e dof %g %g noise %g %g cv %g %g\n",
                      t->c->name, b.solve.method, gap, evidence, a.log_evidence, b.log_evidence, variance,
                      a.dof, b.dof, a.noise[0], b.noise[0], a.cv_mse, b.cv_mse);
    assert_int_equal(strncmp(b.solve.method, method, strlen(method)), 0);
    assert_true(b.solve.converged);
    assert_true(gap < t->c->distance);
    assert_true(evidence < t->c->evidence);
    assert_true(variance < t->c->variance);
    assert_true(fabs(a.dof - b.dof) < 20.0 * t->c->evidence * numbers + 0.1);
    assert_close(b.train_mse, a.train_mse, 1e-3 + t->c->distance);
    assert_all_close(t->c->p, b.noise, a.noise, 1e-3 + 2.0 * t->c->evidence);
}

static void direct_models_are_the_exact_ones(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof direct / sizeof *direct; i += support_step(3)) {
        problem t;
        begin(&t, &direct[i]);
        assert_close_to_exact(&t, "lattice-cholesky");
        end(&t);
    }
}

/* Waves of ever shorter length, as rough as the kernel has them. */
static double rough(const double *x) {
    double sum = 0.0;
    for (int j = 1; j < 10; j++) sum += sin(ldexp(1.0, j) * (x[0] + 0.7 * x[1]) + j) / ldexp(1.0, j / 2);
    return sum;
}

/* The second input is that of the nearest of four lines. */
static void move_to_tracks(size_t n, double *X) {
    for (size_t i = 0; i < n; i++) X[2 * i + 1] = (floor(2.0 * X[2 * i + 1]) + 0.5) / 2.0;
}

static void fit_rough(problem *t, bool tracks) {
    static const lattice_case crowded = {
        .name = "tracks",
        .d = 2,
        .p = 1,
        .n = 1000,
        .n_parts = 1,
        .parts = {{.rule = ORFF_RULE_DECOMPOSABLE, .base = ORFF_BASE_MATERN, .shape = 0.5, .sigma = 1.0}}};
    begin(t, &crowded);
    if (tracks) move_to_tracks(crowded.n, t->X);
    for (size_t i = 0; i < 2 * NEW; i++) t->at[i] *= 0.8; /* among the rows */
    if (tracks) move_to_tracks(NEW, t->at);
    for (size_t i = 0; i < crowded.n; i++) t->Y[i] = rough(t->X + 2 * i);
    t->settings.lambda = 1e-5;
    t->lattice = fit(t, ORFF_ENGINE_LATTICE);
}

/* Rows on tracks tell waves that as many even rows could not: there the nearest rows have to be asked. */
static void crowded_rows_are_asked_themselves(void **state) {
    (void)state;
    problem t;
    fit_rough(&t, true);
    t.exact = fit(&t, ORFF_ENGINE_EXACT);
    assert_string_equal(orff_model_describe(t.lattice).solve.method, "lattice-neighbours");
    assert_true(distance_of(&t, t.lattice, t.exact) < 0.005 * spread_of(&t));
    end(&t);
    fit_rough(&t, false);
    assert_string_not_equal(orff_model_describe(t.lattice).solve.method, "lattice-neighbours");
    end(&t);
}

static void kept_rows_give_the_exact_models(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i += support_step(4)) {
        problem t;
        begin(&t, &kept[i]);
        assert_close_to_exact(&t, "lattice-neighbours"); /* and -pcg, where the lattice carries the kernel */
        end(&t);
    }
}

/* ---- streams: moments only, and conjugate gradients where modes are many */

static int read_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    problem *t = self;
    const size_t left = t->c->n - t->read, n = left < room ? left : room;
    memcpy(X, t->X + t->read * t->c->d, n * t->c->d * sizeof *X);
    if (Y) memcpy(Y, t->Y + t->read * t->c->p, n * t->c->p * sizeof *Y);
    for (size_t i = 0; weights && i < n; i++) weights[i] = t->weights[t->read + i];
    t->read += n;
    *rows = n;
    return 0;
}

static orff_status stream(problem *t, orff_model **model) {
    const orff_reader reader = {.read = read_rows, .self = t, .weighted = t->weights != NULL};
    t->settings.engine = ORFF_ENGINE_LATTICE;
    t->read = 0;
    t->settings.subsample = 100; /* the first of them */
    return orff_model_fit_stream(model, &t->settings, t->c->d, t->c->p, &reader);
}

static void streams_give_the_exact_models(void **state) {
    (void)state;
    const lattice_case *const several[] = {&direct[3], &direct[5], &direct[6], &direct[9],
                                           &kept[1],   &kept[4],   &kept[2]};
    for (size_t i = 0; i < 5; i += support_step(4)) {
        problem t;
        begin(&t, several[i]);
        t.exact = fit(&t, ORFF_ENGINE_EXACT);
        assert_ok(stream(&t, &t.lattice));
        const orff_model_info info = orff_model_describe(t.lattice);
        const double evidence = dense_evidence(&t), numbers = (double)(t.c->n * t.c->p);
        if (getenv("SHOW"))
            print_message("%-24s %-22s %.2e evidence %g %g iterations %zu variance %g\n", t.c->name,
                          info.solve.method, distance_of(&t, t.lattice, t.exact) / spread_of(&t), evidence,
                          info.log_evidence, info.solve.iterations,
                          covariance_distance(&t, t.lattice, t.exact));
        assert_string_equal(info.solve.method, i < 4 ? "lattice-cholesky" : "lattice-block-pcg");
        assert_true(info.solve.converged);
        assert_true(distance_of(&t, t.lattice, t.exact) < 2e-4 * spread_of(&t));
        assert_true(fabs(evidence - info.log_evidence) < (i < 4 ? 5e-5 : 0.1) * numbers);
        /* 32 samples: each variance to a quarter or so, the largest of many to more */
        assert_true(covariance_distance(&t, t.lattice, t.exact) < (i < 4 ? 1e-4 : 1.0));
        end(&t);
    }
}

/* Later rows that lie elsewhere than the first: refused, or the whole range is seen, but never wrapped around. */
static void sorted_streams_do_not_wrap(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        problem t;
        begin(&t, i ? &kept[0] : &direct[3]);
        for (size_t r = 0; r < t.c->n; r++) t.X[r * 2] = -1.0 + 2.0 * (double)r / (double)t.c->n;
        t.settings.scale_inputs = ORFF_SWITCH_NO;
        t.exact = fit(&t, ORFF_ENGINE_EXACT);
        const orff_status status = stream(&t, &t.lattice);
        if (status) {
            assert_int_equal(status, ORFF_ERROR_INVALID_ARGUMENT);
            assert_says("outside the range");
        } else {
            assert_true(distance_of(&t, t.lattice, t.exact) < 2e-4 * spread_of(&t));
        }
        end(&t);
    }
}

/* ---- what follows from a model */

/* One of each regime. */
static const lattice_case *const regimes[] = {&direct[6], &direct[9], &direct[11], &kept[1], &kept[5]};
enum { REGIMES = sizeof regimes / sizeof *regimes };

/* Far from rows there is the prior. */
static void assert_prior(problem *t) {
    const size_t p = t->c->p;
    double far[3] = {1e3, -1e6, 1e5}, f[3], mean[3] = {0}, K[9], cov[9], total = 0.0;
    orff_kernel *kernel = NULL;
    for (size_t r = 0; r < t->c->n; r++) total += t->weights ? t->weights[r] : 1.0;
    for (size_t r = 0; !t->c->uncentered && r < t->c->n * p; r++)
        mean[r % p] += (t->weights ? t->weights[r / p] : 1.0) * t->Y[r] / total;
    assert_ok(orff_model_predict(t->lattice, 1, far, f));
    assert_all_close(p, f, mean, 1e-12);
    t->parts[0].exact = t->c->parts[0].exact;
    assert_ok(orff_kernel_create(&kernel, t->c->d, p, t->c->n_parts, t->parts));
    assert_ok(orff_kernel_eval(kernel, far, far, K));
    assert_ok(orff_model_covariance(t->lattice, 1, far, cov));
    const double *noise = orff_model_describe(t->lattice).noise;
    for (size_t k = 0; k < p * p; k++) K[k] *= noise[k / p] * noise[k % p] / (total * t->settings.lambda);
    assert_all_close(p * p, cov, K, 1e-4 * fmax(1.0, K[0]));
    orff_kernel_free(kernel);
}

static void assert_file_keeps(problem *t) {
    char path[] = "/tmp/orff-test-lattice-XXXXXX";
    const int file = mkstemp(path);
    const size_t n = NEW * t->c->p;
    double *F = support_zeros(4 * n * t->c->p), *G = F + n * t->c->p, *J = G + n * t->c->p,
           *L = J + n * t->c->p;
    assert_true(file >= 0);
    close(file);
    assert_ok(orff_model_save(t->lattice, path, false));
    assert_ok(orff_model_load(&t->exact, path));
    assert_ok(orff_model_predict(t->lattice, NEW, t->at, F));
    assert_ok(orff_model_predict(t->exact, NEW, t->at, G));
    assert_memory_equal(F, G, n * sizeof *F);
    assert_ok(orff_model_covariance(t->lattice, NEW, t->at, J));
    assert_ok(orff_model_covariance(t->exact, NEW, t->at, L));
    assert_all_close(n * t->c->p, J, L, 1e-12);
    free(F);
    unlink(path);
}

static void models_know_the_prior_and_travel_in_files(void **state) {
    (void)state;
    for (size_t i = 0; i < REGIMES; i += support_step(2))
        for (size_t streams = 0; streams < (i < 4 ? 2u : 1u); streams++) {
            problem t;
            begin(&t, regimes[i]);
            if (streams) t.parts[0].exact = NULL; /* a custom K(0) is known from the lattice alone */
            if (streams)
                assert_ok(stream(&t, &t.lattice));
            else
                t.lattice = fit(&t, ORFF_ENGINE_LATTICE);
            assert_prior(&t);
            if (!t.parts[0].matrix) assert_file_keeps(&t); /* callbacks are not for files */
            end(&t);
        }
}

/* Jacobians against differences of values, and what follows from them. */
static void derivatives_are_those_of_the_values(void **state) {
    (void)state;
    const double step = 1e-4;
    for (size_t i = 0; i < REGIMES; i += support_step(3)) {
        problem t;
        begin(&t, regimes[i]);
        const size_t d = t.c->d, p = t.c->p;
        double *J = support_zeros(NEW * p * d), *F = support_zeros(2 * NEW * p), *x = support_zeros(NEW * d);
        t.lattice = fit(&t, ORFF_ENGINE_LATTICE);
        assert_ok(orff_model_jacobian(t.lattice, NEW, t.at, J));
        for (size_t k = 0; k < d; k++) {
            for (size_t side = 0; side < 2; side++) {
                memcpy(x, t.at, NEW * d * sizeof *x);
                for (size_t r = 0; r < NEW; r++) x[r * d + k] += side ? step : -step;
                assert_ok(orff_model_predict(t.lattice, NEW, x, F + side * NEW * p));
            }
            for (size_t r = 0; r < NEW * p; r++)
                assert_close(J[r * d + k], (F[NEW * p + r] - F[r]) / (2.0 * step), 3e-4);
        }
        free(J);
        free(F);
        free(x);
        end(&t);
    }
}

/* ---- more waves than rows */

/* Steps on waves cost what the waves do, however few rows there are: where there are more waves than rows these are kept, for more
 * outputs than would be otherwise. */
static void more_waves_than_rows(void **state) {
    (void)state;
    static const lattice_case many_outputs = {.name = "more waves than rows",
                                              .d = 2,
                                              .p = 16,
                                              .n = 2600,
                                              .n_parts = 1,
                                              .parts = {{.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.025}}};
    problem t;
    begin(&t, &many_outputs);
    t.settings.lambda = 0.05 / (double)many_outputs.n;
    t.settings.posterior = ORFF_SWITCH_NO;
    t.lattice = fit(&t, ORFF_ENGINE_LATTICE);
    assert_string_equal(orff_model_describe(t.lattice).solve.method, "lattice-neighbours-pcg");
    t.exact = fit(&t, ORFF_ENGINE_EXACT);
    assert_true(distance_of(&t, t.lattice, t.exact) <
                0.01 * spread_of(&t)); /* waves that noise hides are left out */
    end(&t);
}

/* Waves that could be solved densely, but with outputs of different variances: a rough kernel keeps the rows, a smooth one does
 * not, as its nearest rows do not tell enough. */
static void dense_waves_beside_few_rows(void **state) {
    (void)state;
    static const double apart[] = {1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0};
    support_numbers_only();
    for (size_t i = 0; i < 2; i++) {
        const lattice_case line = {.name = "dense waves",
                                   .d = 1,
                                   .p = 3,
                                   .n = 400,
                                   .n_parts = 1,
                                   .parts = {{.rule = ORFF_RULE_DECOMPOSABLE,
                                              .A = apart,
                                              .base = i ? ORFF_BASE_MATERN : ORFF_BASE_GAUSSIAN,
                                              .shape = i ? 1.5 : 0.0,
                                              .sigma = i ? 0.008 : 0.0012}}};
        problem t;
        begin(&t, &line);
        t.settings.lambda = 1e-3 / (double)line.n;
        t.lattice = fit(&t, ORFF_ENGINE_LATTICE);
        assert_string_equal(orff_model_describe(t.lattice).solve.method,
                            i ? "lattice-neighbours-pcg" : "lattice-cholesky");
        t.exact = fit(&t, ORFF_ENGINE_EXACT);
        assert_true(distance_of(&t, t.lattice, t.exact) < 0.02 * uncertainty_of(&t, t.exact));
        end(&t);
    }
}

/* Many noisy rows of a smooth kernel are summed up, as the nearest of them do not tell what all of them do; of a rough one they are
 * kept, where that is less work. */
static void nearest_rows_must_tell_enough(void **state) {
    (void)state;
    support_numbers_only();
    for (size_t i = 0; i < 2; i++) {
        const lattice_case many = {.name = "many rows",
                                   .d = 3,
                                   .p = 2,
                                   .n = 20500,
                                   .n_parts = 1,
                                   .parts = {{.rule = ORFF_RULE_DECOMPOSABLE,
                                              .base = i ? ORFF_BASE_MATERN : ORFF_BASE_GAUSSIAN,
                                              .shape = i ? 1.5 : 0.0,
                                              .sigma = 0.25}}};
        problem t;
        begin(&t, &many);
        t.settings.lambda = 0.02 / (double)many.n;
        t.lattice = fit(&t, ORFF_ENGINE_LATTICE);
        assert_string_equal(orff_model_describe(t.lattice).solve.method,
                            i ? "lattice-neighbours-pcg" : "lattice-block-pcg");
        end(&t);
    }
}

/* ---- rows left out */

/* Errors of leaving out each row, against fits without it (N lambda and the mean held). */
static void leaving_out_is_fitting_without(void **state) {
    (void)state;
    const size_t rows = 30;
    for (size_t i = 0; i < 2; i += support_step(2)) {
        problem t;
        lattice_case small = kept[i ? 5 : 0];
        double sum = 0.0;
        small.n = rows;
        small.uncentered = true;
        small.parts[0].sigma = 0.03; /* few rows lie in a smaller box */
        begin(&t, &small);
        t.lattice = fit(&t, ORFF_ENGINE_LATTICE);
        const double cv = orff_model_describe(t.lattice).cv_mse;
        assert_string_equal(orff_model_describe(t.lattice).solve.method, "lattice-neighbours-pcg");
        t.settings.lambda *= (double)rows / (double)(rows - 1);
        t.settings.engine = ORFF_ENGINE_EXACT;
        for (size_t r = 0; r < rows; r++) {
            double *X = support_zeros(rows * t.c->d), *Y = support_zeros(rows * t.c->p), f[3];
            orff_model *model = NULL;
            for (size_t q = 0, to = 0; q < rows; q++) {
                if (q == r) continue;
                memcpy(X + to * t.c->d, t.X + q * t.c->d, t.c->d * sizeof *X);
                memcpy(Y + to++ * t.c->p, t.Y + q * t.c->p, t.c->p * sizeof *Y);
            }
            assert_ok(orff_model_fit(&model, &t.settings, t.c->d, t.c->p, rows - 1, X, Y, NULL));
            assert_ok(orff_model_predict(model, 1, t.X + r * t.c->d, f));
            sum += fields_mse(t.c->p, f, t.Y + r * t.c->p) / (double)rows;
            orff_model_free(model);
            free(X);
            free(Y);
        }
        assert_true(fabs(cv / sum - 1.0) < 0.05);
        end(&t);
    }
}

/* Everything auto, and rows without any noise: some lambda is found, and is not far from the best of the path. */
static void lambda_is_found(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; i += support_step(3)) {
        problem t;
        begin(&t, i % 2 ? &kept[0] : &direct[3]);
        t.settings.lambda = 0.0;
        for (size_t k = 0; i >= 2 && k < t.c->n * t.c->p; k++) t.Y[k] = sin(2.0 * t.X[k]);
        t.lattice = fit(&t, ORFF_ENGINE_LATTICE);
        const orff_model_info info = orff_model_describe(t.lattice);
        assert_true(info.lambda > 0.0 && isfinite(info.log_evidence) && info.cv_mse > 0.0);
        assert_true(info.train_mse < (i < 2 ? 0.1 : 1e-3));
        end(&t);
    }
}

/* The same choice is the same lambda, however much of a rough kernel lies beyond the waves of the lattice. */
static void lambda_goes_with_the_whole_kernel(void **state) {
    (void)state;
    static const lattice_case rough_field = {
        .name = "rough field",
        .d = 2,
        .p = 2,
        .n = 250,
        .n_parts = 1,
        .parts = {{.rule = ORFF_RULE_DIV_FREE, .base = ORFF_BASE_MATERN, .shape = 1.5, .sigma = 0.5}}};
    problem t;
    begin(&t, &rough_field);
    for (size_t i = 0; i < rough_field.n; i++)
        for (size_t k = 0; k < 2; k++)
            t.Y[2 * i + k] = rough(t.X + 2 * i) + 0.1 * (double)((i * 37 + k) % 11);
    t.settings.lambda = 0.0;
    t.exact = fit(&t, ORFF_ENGINE_EXACT);
    t.lattice = fit(&t, ORFF_ENGINE_LATTICE);
    assert_close(orff_model_describe(t.lattice).lambda, orff_model_describe(t.exact).lambda, 1e-6);
    end(&t);
}

/* ---- hostile rows */

static orff_status try_rows(problem *t, size_t n, orff_model **model) {
    t->settings.engine = ORFF_ENGINE_LATTICE;
    return orff_model_fit(model, &t->settings, t->c->d, t->c->p, n, t->X, t->Y, t->weights);
}

/* A model of finite values, or a refusal that says something. */
static void assert_sane(problem *t, size_t n) {
    orff_model *model = NULL;
    double f[3], cov[9];
    const orff_status status = try_rows(t, n, &model);
    if (getenv("SHOW"))
        print_message("%s: %s\n", orff_status_text(status), status ? orff_error_message() : "");
    if (status) {
        assert_true(status != ORFF_ERROR_NO_MEMORY && strlen(orff_error_message()) > 20);
        return;
    }
    assert_ok(orff_model_predict(model, 1, t->X, f));
    assert_ok(orff_model_covariance(model, 1, t->X, cov));
    for (size_t a = 0; a < t->c->p; a++) assert_true(isfinite(f[a]) && isfinite(cov[a]) && cov[0] >= 0.0);
    orff_model_free(model);
}

static void odd_rows_are_fitted_or_refused(void **state) {
    (void)state;
    for (size_t regime = 0; regime < 2; regime++)
        for (size_t way = 0; way < 12; way++)
            for (size_t automatic = 0; automatic < 2; automatic++) {
                problem t;
                if (automatic && (way % 2 != regime || way % support_step(6)))
                    continue; /* what is chosen depends little on the regime */
                if (way == 8 && regime && !automatic)
                    continue; /* one row far away: the box is large in both regimes */
                begin(&t, regime ? &kept[5] : &direct[6]);
                const size_t d = t.c->d, n = t.c->n;
                support_case("regime %zu, way %zu, %s", regime, way, automatic ? "auto" : "given");
                if (automatic) {
                    t.settings.lambda = 0.0;
                    if (way != 8)
                        t.parts[0].sigma = ORFF_SIGMA_AUTO; /* over so large a box it takes seconds */
                }
                for (size_t i = 0; i < n * d; i++) {
                    double *x = &t.X[i];
                    if (way == 1) *x = 0.5;
                    if (way == 2 && i % d == 0) *x = 7.0;
                    if (way == 3) *x *= 1e300;
                    if (way == 4) *x *= 1e-300;
                    if (way == 5) *x = i % (2 * d) < d ? -1.0 : 1.0;
                    if (way == 6) *x *= 1e6;
                    if (way == 7) *x *= 1e-6;
                    if (way == 8 && i == 0) *x = 1e9;
                    if (way == 9) *x += 1e12;
                }
                if (way == 10) t.X[3] = (double)NAN;
                if (way == 11) t.weights = support_zeros(n); /* all 0 */
                assert_sane(&t, way == 0 ? 1 : 60);
                if (way == 11) assert_says("weights");
                end(&t);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_models_are_the_exact_ones),
        cmocka_unit_test(kept_rows_give_the_exact_models),
        cmocka_unit_test(crowded_rows_are_asked_themselves),
        cmocka_unit_test(streams_give_the_exact_models),
        cmocka_unit_test(sorted_streams_do_not_wrap),
        cmocka_unit_test(models_know_the_prior_and_travel_in_files),
        cmocka_unit_test(derivatives_are_those_of_the_values),
        cmocka_unit_test(more_waves_than_rows),
        cmocka_unit_test(dense_waves_beside_few_rows),
        cmocka_unit_test(nearest_rows_must_tell_enough),
        cmocka_unit_test(leaving_out_is_fitting_without),
        cmocka_unit_test(lambda_is_found),
        cmocka_unit_test(lambda_goes_with_the_whole_kernel),
        cmocka_unit_test(odd_rows_are_fitted_or_refused),
    };
    if (!orffi_fft_available()) {
        print_message("skipped: Fourier transforms are not built in (ORFF_FFT=none)\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
