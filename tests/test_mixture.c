/* Mixtures: the evidence of a sum against the dense Gaussian process, its gradient, learning the weights. */
#include "base/linalg.h"
#include "models.h"
#include "solve/mixture.h"

enum { MOST_PARTS = 6 };

/* ---- sums of parts */

typedef struct sum_case {
    const char *name;
    size_t d, p, n_parts;
    orff_part parts[MOST_PARTS];
    orff_scheme scheme;
    bool center;
} sum_case;

static const size_t outer_inputs[] = {2, 0};
static const double time_scales[] = {0.8, 2.5, 0.8}; /* inputs 0 and 2 are the space */

/* Frames: all parts of a group alike along and across w. Stacks: at least one part that is not. */
static const sum_case sums[] = {
    {"frame, one scale",
     2,
     2,
     3,
     {{.rule = ORFF_RULE_CURL_FREE}, {.rule = ORFF_RULE_DIV_FREE}, {.rule = ORFF_RULE_DECOMPOSABLE}},
     ORFF_SCHEME_QMC,
     true},
    {"frame, two scales",
     3,
     3,
     6,
     {{.rule = ORFF_RULE_CURL_FREE},
      {.rule = ORFF_RULE_DIV_FREE, .weight = 0.5},
      {.rule = ORFF_RULE_DECOMPOSABLE},
      {.rule = ORFF_RULE_CURL_FREE, .sigma = 0.4, .normalise = true},
      {.rule = ORFF_RULE_DIV_FREE, .sigma = 0.4},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.4}},
     ORFF_SCHEME_QMC,
     true},
    {"frame, not centred",
     2,
     2,
     2,
     {{.rule = ORFF_RULE_HELMHOLTZ, .mix = 0.3}, {.rule = ORFF_RULE_DECOMPOSABLE}},
     ORFF_SCHEME_IID,
     false},
    {"frame, grid",
     2,
     2,
     3,
     {{.rule = ORFF_RULE_CURL_FREE}, {.rule = ORFF_RULE_DIV_FREE}, {.rule = ORFF_RULE_DECOMPOSABLE}},
     ORFF_SCHEME_GRID,
     true},
    {"frame, covariates",
     3,
     2,
     3,
     {{.rule = ORFF_RULE_CURL_FREE, .sigmas = time_scales, .space = outer_inputs},
      {.rule = ORFF_RULE_DIV_FREE, .sigmas = time_scales, .space = outer_inputs},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigmas = time_scales}},
     ORFF_SCHEME_QMC,
     true},
    {"one physical part", 2, 2, 1, {{.rule = ORFF_RULE_DIV_FREE}}, ORFF_SCHEME_QMC, true},
    {"stack, full A",
     2,
     2,
     2,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .A = models_matrix}, {.rule = ORFF_RULE_CURL_FREE}},
     ORFF_SCHEME_QMC,
     true},
    {"stack, custom B",
     2,
     2,
     3,
     {{.rule = ORFF_RULE_CUSTOM_B, .columns = 1, .matrix = models_custom_b},
      {.rule = ORFF_RULE_DECOMPOSABLE},
      {.rule = ORFF_RULE_DIV_FREE, .sigma = 0.5}},
     ORFF_SCHEME_QMC,
     true},
    {"stack and frame",
     3,
     3,
     4,
     {{.rule = ORFF_RULE_DECOMPOSABLE, .B = models_low_rank, .columns = 1},
      {.rule = ORFF_RULE_DIV_FREE},
      {.rule = ORFF_RULE_CURL_FREE, .sigma = 0.6},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.6}},
     ORFF_SCHEME_ORTHOGONAL,
     true},
    {"stack, covariates",
     3,
     2,
     2,
     {{.rule = ORFF_RULE_DIV_FREE, .sigmas = time_scales, .space = outer_inputs},
      {.rule = ORFF_RULE_DECOMPOSABLE, .sigmas = time_scales, .A = models_matrix}},
     ORFF_SCHEME_QMC,
     true},
};
enum { SUMS = sizeof sums / sizeof *sums };

static orff_features *features_of(size_t d, size_t p, size_t n_parts, const orff_part *given,
                                  orff_scheme scheme, size_t D) {
    static const double extent[] = {3, 3, 3};
    orff_sampling sampling = orff_sampling_default();
    orff_part parts[MOST_PARTS];
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    for (size_t m = 0; m < n_parts; m++) parts[m] = models_part(given[m]);
    sampling.features = D;
    sampling.scheme = scheme;
    sampling.extent = extent;
    assert_ok(orff_kernel_create(&kernel, d, p, n_parts, parts));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    orff_kernel_free(kernel);
    return features;
}

static orff_features *rebound(const orff_features *features, size_t n_parts, const orff_part *parts) {
    orff_kernel *kernel = NULL;
    orff_features *out = NULL;
    assert_ok(orff_kernel_create(&kernel, features->d, features->p, n_parts, parts));
    assert_ok(orff_features_rebind(&out, features, kernel));
    orff_kernel_free(kernel);
    return out;
}

static orff_moments *moments_of(const orff_features *features, size_t folds, size_t n, const double *X,
                                const double *Y) {
    const orff_moments_settings settings = {.folds = folds, .seed = 1};
    orff_moments *moments = NULL;
    assert_ok(orff_moments_create(&moments, features, &settings));
    assert_ok(orff_moments_accumulate(moments, n, X, Y, NULL));
    return moments;
}

/* A sum on some rows, ready to be looked at. */
typedef struct scene {
    const sum_case *sum;
    size_t n;
    double *X, *Y;
    orff_features *features;
    orff_moments *moments;
    orffi_mixture mix;
} scene;

static scene scene_of(const sum_case *sum, size_t n, size_t D) {
    scene s = {.sum = sum, .n = n, .X = models_normal(n * sum->d, 11), .Y = models_normal(n * sum->p, 12)};
    support_case("%s", sum->name);
    for (size_t i = 0; i < n * sum->p; i++)
        s.Y[i] = 0.4 * s.Y[i] + 0.5 + sin(s.X[(i / sum->p) * sum->d] + (double)(i % sum->p));
    s.features = features_of(sum->d, sum->p, sum->n_parts, sum->parts, sum->scheme, D);
    s.moments = moments_of(s.features, 1, n, s.X, s.Y);
    assert_ok(orffi_mixture_init(&s.mix, s.features, s.moments, s.moments->n_sets, sum->center, NULL));
    return s;
}

static void scene_end(scene *s) {
    orffi_mixture_clear(&s->mix);
    orff_moments_free(s->moments);
    orff_features_free(s->features);
    free(s->X);
    free(s->Y);
}

/* Different for every variable, around weights of 1 and a noise variance of 0.2. */
static void some_point(size_t parts, double *x) {
    for (size_t m = 0; m < parts; m++) x[m] = 0.9 - 0.6 * (double)m;
    x[parts] = log(0.2);
}

/* ---- the evidence against the dense formula */

/* C += v K~ of one part on the bank of the sum. */
static void add_part(const scene *s, size_t m, double v, double *C) {
    const size_t p = s->sum->p, P = s->n * p;
    const orff_part part = models_part(s->sum->parts[m]);
    orff_features *one = rebound(s->features, 1, &part);
    double K[9];
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->n; k++) {
            assert_ok(orff_features_kernel(one, s->X + i * s->sum->d, s->X + k * s->sum->d, K));
            for (size_t a = 0; a < p; a++)
                for (size_t b = 0; b < p; b++) C[(i * p + a) * P + k * p + b] += v * K[a * p + b];
        }
    orff_features_free(one);
}

/* log N(y - mean; 0, sum_m v_m K~_m + s2 I) */
static double dense_evidence(const scene *s, const double *x) {
    const size_t p = s->sum->p, P = s->n * p;
    double *C = support_zeros(P * P), *r = support_zeros(P), *solved = support_zeros(P), mean[3] = {0},
           value = 0.0;
    for (size_t i = 0; s->sum->center && i < P; i++) mean[i % p] += s->Y[i] / (double)s->n;
    for (size_t i = 0; i < P; i++) r[i] = solved[i] = s->Y[i] - mean[i % p];
    for (size_t m = 0; m < s->sum->n_parts; m++) add_part(s, m, exp(x[m]), C);
    for (size_t i = 0; i < P; i++) C[i * P + i] += exp(x[s->sum->n_parts]);
    assert_ok(orffi_cholesky(P, C));
    assert_ok(orffi_cholesky_solve(P, C, 1, solved));
    for (size_t i = 0; i < P; i++)
        value -= 0.5 * (r[i] * solved[i] + 2.0 * log(C[i * P + i]) + log(2.0 * acos(-1.0)));
    free(C);
    free(r);
    free(solved);
    return value;
}

static void evidence_is_the_dense_one(void **state) {
    (void)state;
    for (size_t i = 0; i < SUMS; i++) {
        scene s = scene_of(&sums[i], 22, 20);
        double x[MOST_PARTS + 1], value;
        some_point(sums[i].n_parts, x);
        assert_ok(orffi_mixture_evidence(&s.mix, x, &value, NULL));
        assert_close(value, dense_evidence(&s, x), 1e-9);
        scene_end(&s);
    }
}

/* A part of weight 0 is not there. */
static void evidence_without_a_part(void **state) {
    (void)state;
    for (size_t i = 0; i < SUMS; i++) {
        if (sums[i].n_parts < 2) continue;
        scene s = scene_of(&sums[i], 22, 20);
        double x[MOST_PARTS + 1], value, gradient[MOST_PARTS + 1];
        some_point(sums[i].n_parts, x);
        x[1] = -INFINITY;
        assert_ok(orffi_mixture_evidence(&s.mix, x, &value, gradient));
        assert_close(value, dense_evidence(&s, x), 1e-9);
        assert_close(gradient[1], 0.0, 0.0);
        scene_end(&s);
    }
}

/* Of all sets but one: the rows of the others. */
static void evidence_of_left_out_sets(void **state) {
    (void)state;
    const sum_case *sum = &sums[1];
    scene s = scene_of(sum, 60, 20);
    orff_moments *folds = moments_of(s.features, 3, s.n, s.X, s.Y);
    double x[MOST_PARTS + 1], left = 0.0, rows = 0.0, whole;
    some_point(sum->n_parts, x);
    for (size_t k = 0; k < 3; k++) {
        orffi_mixture without, alone;
        assert_ok(orffi_mixture_init(&without, s.features, folds, k, sum->center, s.mix.mean));
        assert_ok(orffi_mixture_init_fold(&alone, s.features, folds, k, s.mix.mean));
        assert_close(without.N + alone.N, 60.0, 1e-14);
        assert_close(without.yy + alone.yy, s.mix.yy, 1e-12);
        for (size_t i = 0; i < s.mix.M * s.mix.M; i += 7)
            assert_close(without.G1[i] + alone.G1[i], s.mix.G1[i], 1e-11);
        for (size_t i = 0; i < s.mix.M; i++) assert_close(without.b1[i] + alone.b1[i], s.mix.b1[i], 1e-11);
        rows += alone.N;
        left += alone.yy;
        orffi_mixture_clear(&without);
        orffi_mixture_clear(&alone);
    }
    assert_close(rows, 60.0, 1e-14);
    assert_close(left, s.mix.yy, 1e-12);
    assert_ok(orffi_mixture_evidence(&s.mix, x, &whole, NULL));
    assert_true(isfinite(whole));
    orff_moments_free(folds);
    scene_end(&s);
}

/* Central differences in every log v_m and log s2. */
static void gradient_is_the_difference(void **state) {
    (void)state;
    for (size_t i = 0; i < SUMS; i++) {
        scene s = scene_of(&sums[i], 40, 24);
        double x[MOST_PARTS + 1], value, gradient[MOST_PARTS + 1];
        some_point(sums[i].n_parts, x);
        assert_ok(orffi_mixture_evidence(&s.mix, x, &value, gradient));
        for (size_t m = 0; m <= sums[i].n_parts; m++) {
            const double h = 1e-4, at = x[m];
            double above, below;
            support_case("%s, variable %zu", sums[i].name, m);
            x[m] = at + h;
            assert_ok(orffi_mixture_evidence(&s.mix, x, &above, NULL));
            x[m] = at - h;
            assert_ok(orffi_mixture_evidence(&s.mix, x, &below, NULL));
            x[m] = at;
            assert_close(gradient[m], (above - below) / (2.0 * h), 1e-5);
        }
        scene_end(&s);
    }
}

/* One part: what the path of the ridge says at lambda = s2 / N. */
static void one_part_is_the_ridge(void **state) {
    (void)state;
    for (size_t i = 0; i < SUMS; i++) {
        const orff_part part = models_part(sums[i].parts[0]);
        const double s2 = 0.3;
        scene s = scene_of(&sums[i], 40, 20);
        orff_features *one = rebound(s.features, 1, &part);
        orffi_mixture mix;
        orff_ridge *ridge = NULL;
        orff_path_point point;
        const double lambda = s2 / (double)s.n, x[] = {0.0, log(s2)};
        double value;
        assert_ok(orffi_mixture_init(&mix, one, s.moments, s.moments->n_sets, sums[i].center, NULL));
        assert_ok(orffi_mixture_evidence(&mix, x, &value, NULL));
        assert_ok(orff_ridge_create(&ridge, one, s.moments, sums[i].center));
        assert_ok(orff_ridge_path(ridge, 1, &lambda, false, &point));
        assert_close(value, point.log_evidence, 1e-9);
        orff_ridge_free(ridge);
        orffi_mixture_clear(&mix);
        orff_features_free(one);
        scene_end(&s);
    }
}

/* The traces that shares are made of. */
static void traces_are_the_kernels(void **state) {
    (void)state;
    for (size_t i = 0; i < SUMS; i++) {
        const size_t p = sums[i].p;
        scene s = scene_of(&sums[i], 10, 20);
        for (size_t m = 0; m < sums[i].n_parts; m++) {
            const orff_part part = models_part(sums[i].parts[m]);
            orff_features *one = rebound(s.features, 1, &part);
            double K[9], trace = 0.0;
            assert_ok(orff_features_kernel(one, s.X, s.X, K));
            for (size_t a = 0; a < p; a++) trace += K[a * p + a];
            assert_close(s.mix.trace[m], trace, 1e-11);
            orff_features_free(one);
        }
        scene_end(&s);
    }
}

/* ---- learning */

/* A dictionary with two right parts, div-free at 1 and decomposable at 0.3, and four that are not there. */
enum { CURL_FAR, DIV_FAR, DEC_FAR, CURL_NEAR, DIV_NEAR, DEC_NEAR, NOISE };
static const orff_part dictionary[MOST_PARTS] = {
    [CURL_FAR] = {.rule = ORFF_RULE_CURL_FREE, .normalise = true},
    [DIV_FAR] = {.rule = ORFF_RULE_DIV_FREE, .normalise = true},
    [DEC_FAR] = {.rule = ORFF_RULE_DECOMPOSABLE, .normalise = true},
    [CURL_NEAR] = {.rule = ORFF_RULE_CURL_FREE, .sigma = 0.3, .normalise = true},
    [DIV_NEAR] = {.rule = ORFF_RULE_DIV_FREE, .sigma = 0.3, .normalise = true},
    [DEC_NEAR] = {.rule = ORFF_RULE_DECOMPOSABLE, .sigma = 0.3, .normalise = true},
};
static const double true_weights[] = {[DIV_FAR] = 0.7, [DEC_NEAR] = 0.2, [NOISE] = 0.1};

typedef struct drawn {
    size_t n;
    double *X, *Y;
    orff_features *features;
    orff_moments *moments;
} drawn;

/* The parts of the dictionary with these weights; those without any are left out. */
static orff_features *weighted(const orff_features *features, const double *weights) {
    orff_part parts[MOST_PARTS];
    size_t n = 0;
    for (size_t m = 0; m < MOST_PARTS; m++) {
        if (!(weights[m] > 0.0)) continue;
        parts[n] = models_part(dictionary[m]);
        parts[n++].weight = weights[m];
    }
    return rebound(features, n, parts);
}

/* A sample of the Gaussian process with kernel sum_m v_m K~_m, noise and a mean. */
static drawn draw(size_t n, size_t folds, uint64_t seed) {
    drawn s = {.n = n, .X = support_zeros(2 * n), .Y = support_zeros(2 * n)};
    double *noise = models_normal(2 * n, seed + 1), *theta;
    for (size_t i = 0; i < 2 * n; i++) s.X[i] = 5.0 * orffi_rng_uniform((orffi_rng){seed, 5}, i, 0);
    s.features = features_of(2, 2, MOST_PARTS, dictionary, ORFF_SCHEME_QMC, 120);
    orff_features *truth = weighted(s.features, true_weights);
    theta = models_normal(truth->M, seed + 2);
    assert_ok(orff_features_apply(truth, n, s.X, theta, s.Y));
    for (size_t i = 0; i < 2 * n; i++) s.Y[i] += sqrt(true_weights[NOISE]) * noise[i] + 3.0;
    s.moments = moments_of(s.features, folds, n, s.X, s.Y);
    orff_features_free(truth);
    free(theta);
    free(noise);
    return s;
}

static void drawn_end(drawn *s) {
    orff_moments_free(s->moments);
    orff_features_free(s->features);
    free(s->X);
    free(s->Y);
}

static double evidence_at(const drawn *s, const double *weights, double s2) {
    double x[MOST_PARTS + 1], value;
    orffi_mixture mix;
    for (size_t m = 0; m < MOST_PARTS; m++) x[m] = log(weights[m]);
    x[MOST_PARTS] = log(s2);
    assert_ok(orffi_mixture_init(&mix, s->features, s->moments, s->moments->n_sets, true, NULL));
    assert_ok(orffi_mixture_evidence(&mix, x, &value, NULL));
    orffi_mixture_clear(&mix);
    return value;
}

static void set_all(size_t n, double *a, double value) {
    for (size_t i = 0; i < n; i++) a[i] = value;
}

static void finds_the_parts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        drawn s = draw(600, 1, 100 * seed);
        double weights[MOST_PARTS], shares[MOST_PARTS + 1], lambda = 0.0, total = 0.0;
        orff_solve_info info;
        support_case("seed %llu", (unsigned long long)seed);
        set_all(MOST_PARTS, weights, 1.0);
        assert_ok(orff_mixture_learn(s.features, s.moments, true, ORFF_CRITERION_EVIDENCE, 0.01, weights,
                                     &lambda, shares, &info));
        for (size_t m = 0; m <= MOST_PARTS; m++) total += shares[m];
        assert_close(total, 1.0, 1e-12);
        assert_true(shares[DIV_FAR] > 0.5 && shares[DIV_FAR] < 0.85);
        assert_true(shares[DEC_NEAR] > 0.1 && shares[DEC_NEAR] < 0.35);
        assert_true(shares[CURL_FAR] + shares[CURL_NEAR] < 0.05);
        assert_true(shares[DEC_FAR] + shares[DIV_NEAR] < 0.1);
        assert_true(shares[NOISE] > 0.05 && shares[NOISE] < 0.15);
        assert_close(lambda * 600.0, 0.1, 0.02);
        assert_true(info.converged);
        assert_string_equal(info.method, "evidence");
        for (size_t m = 0; m < MOST_PARTS; m++) assert_true(weights[m] == 0.0 || shares[m] >= 0.005);
        /* what was learned explains the data at least as well as what they were drawn from */
        assert_true(evidence_at(&s, weights, lambda * 600.0) > evidence_at(&s, true_weights, 0.1));
        drawn_end(&s);
    }
}

/* Outputs in other units: the same shares, weights and lambda times the square. */
static void units_do_not_matter(void **state) {
    (void)state;
    drawn s = draw(300, 1, 7);
    double weights[2][MOST_PARTS], shares[2][MOST_PARTS + 1], lambda[2];
    for (size_t i = 0; i < 2; i++) {
        orff_moments *moments = moments_of(s.features, 1, s.n, s.X, s.Y);
        set_all(MOST_PARTS, weights[i], 1.0);
        assert_ok(orff_mixture_learn(s.features, moments, true, ORFF_CRITERION_EVIDENCE, 0.0, weights[i],
                                     &lambda[i], shares[i], NULL));
        orff_moments_free(moments);
        for (size_t k = 0; k < 2 * s.n; k++) s.Y[k] *= 1024.0;
    }
    assert_close(lambda[1] / lambda[0], 1048576.0, 1e-6);
    assert_all_close(MOST_PARTS + 1, shares[1], shares[0], 1e-6);
    drawn_end(&s);
}

static double cross_validated(const drawn *s, const double *weights, double lambda) {
    orff_features *bound = weighted(s->features, weights);
    orff_ridge *ridge = NULL;
    orff_path_point point;
    assert_ok(orff_ridge_create(&ridge, bound, s->moments, true));
    assert_ok(orff_ridge_path(ridge, 1, &lambda, true, &point));
    orff_ridge_free(ridge);
    orff_features_free(bound);
    return point.cv_mse;
}

static void folds_refine_the_evidence(void **state) {
    (void)state;
    drawn s = draw(150, 3, 3);
    double first[MOST_PARTS], second[MOST_PARTS], shares[MOST_PARTS + 1], lambda[2];
    orff_solve_info info;
    set_all(MOST_PARTS, first, 1.0);
    set_all(MOST_PARTS, second, 1.0);
    assert_ok(orff_mixture_learn(s.features, s.moments, true, ORFF_CRITERION_EVIDENCE, 0.02, first,
                                 &lambda[0], NULL, NULL));
    assert_ok(orff_mixture_learn(s.features, s.moments, true, ORFF_CRITERION_CROSS_VALIDATION, 0.02, second,
                                 &lambda[1], shares, &info));
    const double before = cross_validated(&s, first, lambda[0]),
                 after = cross_validated(&s, second, lambda[1]);
    assert_true(after < before);
    assert_true(after < 0.4 && after > 0.1); /* of a variance of 1, 0.1 of it noise */
    assert_string_equal(info.method, "cross-validation");
    drawn_end(&s);
}

static void noise_keeps_no_part(void **state) {
    (void)state;
    drawn s = draw(300, 1, 9);
    double weights[MOST_PARTS], shares[MOST_PARTS + 1], lambda, *noise = models_normal(2 * s.n, 33);
    orff_moments *moments = moments_of(s.features, 1, s.n, s.X, noise);
    set_all(MOST_PARTS, weights, 1.0);
    assert_ok(orff_mixture_learn(s.features, moments, true, ORFF_CRITERION_EVIDENCE, 0.05, weights, &lambda,
                                 shares, NULL));
    assert_true(shares[MOST_PARTS] > 0.9);
    assert_close(lambda * 300.0, 1.0, 0.1);
    free(noise);
    orff_moments_free(moments);
    drawn_end(&s);
}

/* ---- refusals */

static bool stop(void *self, const char *task, double done, double total) {
    (void)self;
    (void)task;
    (void)total;
    return done < 3.0;
}

/* What the call may not touch when it fails. */
#define assert_refused(status, word, call)                                             \
    do {                                                                               \
        assert_status(call, status);                                                   \
        assert_says(word);                                                             \
        assert_close(lambda, 5.0, 0.0);                                                \
        for (size_t m_ = 0; m_ < MOST_PARTS; m_++) assert_close(shares[m_], 6.0, 0.0); \
    } while (0)

static void refusals(void **state) {
    (void)state;
    drawn s = draw(60, 1, 2);
    orff_features *other = features_of(2, 2, MOST_PARTS, dictionary, ORFF_SCHEME_QMC, 126);
    orff_features *three = features_of(3, 3, MOST_PARTS, dictionary, ORFF_SCHEME_QMC, 120);
    double weights[MOST_PARTS], shares[MOST_PARTS + 1], lambda = 5.0, *flat = support_zeros(2 * s.n);
    const orff_moments_settings plain = {.folds = 1};
    orff_moments *none = NULL, *constant = NULL;
    set_all(MOST_PARTS, weights, 1.0);
    set_all(MOST_PARTS + 1, shares, 6.0);
    set_all(2 * s.n, flat, 4.0);
    constant = moments_of(s.features, 1, s.n, s.X, flat);
    assert_ok(orff_moments_create(&none, s.features, &plain));
#define LEARN(features, moments, criterion, drop) \
    orff_mixture_learn(features, moments, true, criterion, drop, weights, &lambda, shares, NULL)
    assert_refused(ORFF_ERROR_INVALID_ARGUMENT, "NULL",
                   LEARN(NULL, s.moments, ORFF_CRITERION_EVIDENCE, 0.01));
    assert_refused(ORFF_ERROR_INVALID_ARGUMENT, "NULL",
                   LEARN(s.features, NULL, ORFF_CRITERION_EVIDENCE, 0.01));
    assert_refused(ORFF_ERROR_INVALID_ARGUMENT, "drop",
                   LEARN(s.features, s.moments, ORFF_CRITERION_EVIDENCE, 1.0));
    assert_refused(ORFF_ERROR_INVALID_ARGUMENT, "drop",
                   LEARN(s.features, s.moments, ORFF_CRITERION_EVIDENCE, -0.1));
    assert_refused(ORFF_ERROR_INVALID_ARGUMENT, "drop",
                   LEARN(s.features, s.moments, ORFF_CRITERION_EVIDENCE, NAN));
    assert_refused(ORFF_ERROR_INVALID_ARGUMENT, "criterion",
                   LEARN(s.features, s.moments, (orff_criterion)7, 0.01));
    assert_refused(ORFF_ERROR_INVALID_ARGUMENT, "folds",
                   LEARN(s.features, s.moments, ORFF_CRITERION_CROSS_VALIDATION, 0.01));
    assert_refused(ORFF_ERROR_INVALID_ARGUMENT, "no rows",
                   LEARN(s.features, none, ORFF_CRITERION_EVIDENCE, 0.01));
    assert_refused(ORFF_ERROR_INVALID_ARGUMENT, "constant",
                   LEARN(s.features, constant, ORFF_CRITERION_EVIDENCE, 0.01));
    assert_refused(ORFF_ERROR_MISMATCH, "", LEARN(other, s.moments, ORFF_CRITERION_EVIDENCE, 0.01));
    assert_refused(ORFF_ERROR_MISMATCH, "outputs", LEARN(three, s.moments, ORFF_CRITERION_EVIDENCE, 0.01));
    orff_set_hooks(&(orff_hooks){.progress = stop});
    assert_refused(ORFF_ERROR_CANCELLED, "", LEARN(s.features, s.moments, ORFF_CRITERION_EVIDENCE, 0.01));
    orff_set_hooks(NULL);
    for (size_t m = 0; m < MOST_PARTS; m++) assert_close(weights[m], 1.0, 0.0);
    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        weights[2] = bad[i];
        assert_refused(ORFF_ERROR_INVALID_ARGUMENT, "part 3",
                       LEARN(s.features, s.moments, ORFF_CRITERION_EVIDENCE, 0.01));
    }
#undef LEARN
    free(flat);
    orff_moments_free(none);
    orff_moments_free(constant);
    orff_features_free(other);
    orff_features_free(three);
    drawn_end(&s);
}

static void too_many_parts(void **state) {
    (void)state;
    enum { MANY = 70 };
    orff_part parts[MANY];
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_sampling sampling = orff_sampling_default();
    double X[] = {0.0, 1.0, 2.0}, Y[] = {0.0, 1.0, 0.5}, weights[MANY], lambda;
    for (size_t m = 0; m < MANY; m++) parts[m] = orff_part_default();
    set_all(MANY, weights, 1.0);
    sampling.features = 4;
    assert_ok(orff_kernel_create(&kernel, 1, 1, MANY, parts));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    orff_moments *moments = moments_of(features, 1, 3, X, Y);
    assert_status(orff_mixture_learn(features, moments, true, ORFF_CRITERION_EVIDENCE, 0.0, weights, &lambda,
                                     NULL, NULL),
                  ORFF_ERROR_UNSUPPORTED);
    assert_says("70 parts");
    orff_moments_free(moments);
    orff_features_free(features);
    orff_kernel_free(kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_the_dense_one),
        cmocka_unit_test(evidence_without_a_part),
        cmocka_unit_test(evidence_of_left_out_sets),
        cmocka_unit_test(gradient_is_the_difference),
        cmocka_unit_test(one_part_is_the_ridge),
        cmocka_unit_test(traces_are_the_kernels),
        cmocka_unit_test(finds_the_parts),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(folds_refine_the_evidence),
        cmocka_unit_test(noise_keeps_no_part),
        cmocka_unit_test(refusals),
        cmocka_unit_test(too_many_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
