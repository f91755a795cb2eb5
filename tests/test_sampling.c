/* Every scheme on every base: the law, the weights, determinism, nesting, refusals, and the grid's own
 * claim. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/random.h"
#include "sampling/hadamard.h"
#include "sampling/sampling.h"
#include "support.h"

static const struct {
    orff_base base;
    double shape;
} bases[] = {
    {ORFF_BASE_GAUSSIAN, 0},
    {ORFF_BASE_LAPLACE, 0},
    {ORFF_BASE_MATERN, 0.5},
    {ORFF_BASE_MATERN, 2.5},
    {ORFF_BASE_MATERN, 3.3},
    {ORFF_BASE_RATIONAL_QUADRATIC, 2.5},
    {ORFF_BASE_RATIONAL_QUADRATIC, 0.8},
    {ORFF_BASE_CAUCHY_PRODUCT, 0},
};
enum { BASES = sizeof bases / sizeof *bases };

static const orff_scheme random_schemes[] = {ORFF_SCHEME_IID, ORFF_SCHEME_ORTHOGONAL, ORFF_SCHEME_QMC,
                                             ORFF_SCHEME_HALTON, ORFF_SCHEME_HADAMARD};
enum { SCHEMES = sizeof random_schemes / sizeof *random_schemes };

static orffi_spectrum make_law(size_t base, size_t d, const double *scales, size_t space_count,
                               const size_t *space) {
    orffi_spectrum law;
    assert_ok(
        orffi_spectrum_init(&law, bases[base].base, bases[base].shape, d, 1.0, scales, space_count, space));
    return law;
}

static bool exists(const orffi_spectrum *law, orff_scheme scheme, bool importance) {
    if ((scheme == ORFF_SCHEME_ORTHOGONAL || scheme == ORFF_SCHEME_HADAMARD) && !law->base->spherical)
        return false;
    const size_t relevant = importance ? law->space_count : law->dim;
    if (scheme == ORFF_SCHEME_HADAMARD && relevant < ORFFI_HADAMARD_MIN_DIM) return false;
    return !importance || isfinite(orffi_spectrum_whitened_moment(law));
}

static double dot(size_t d, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < d; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- the law: sum_j q_j cos<w_j,delta> is k0(delta) within its own spread */

/* Some delta of length about r, whitened. */
static void make_delta(const orffi_spectrum *law, uint64_t index, double r, double *delta) {
    const orffi_rng rng = {99, 3};
    for (size_t i = 0; i < law->dim; i++)
        delta[i] = r * law->scale[i] * orffi_rng_normal(rng, index, (uint32_t)i) / sqrt((double)law->dim);
}

/* For independent draws the standard error is the sample's; the other schemes are about as good or better. */
static void check_kernel(const orffi_spectrum *law, const orffi_frequencies *f, const double *delta) {
    const double D = (double)f->count;
    double sum = 0.0, square = 0.0, *w = calloc(f->dim, sizeof *w);
    for (size_t j = 0; j < f->count; j++) {
        assert_ok(orffi_frequencies_row(f, j, w));
        const double term = D * f->weight[j] * cos(dot(f->dim, w, delta));
        sum += term;
        square += term * term;
    }
    const double mean = sum / D, error = sqrt((square / D - mean * mean) / D);
    assert_close(mean, orffi_spectrum_k0(law, delta), 5.0 * error + 1e-3);
    free(w);
}

/* By importance q_j |z_j|^2 is E|z|^2 / D for every j; without it q_j = 1/D. */
static void check_weights(const orffi_spectrum *law, const orffi_frequencies *f) {
    double *w = calloc(f->dim, sizeof *w);
    for (size_t j = 0; j < f->count; j++) {
        double want = 1.0;
        if (f->importance) {
            assert_ok(orffi_frequencies_row(f, j, w));
            double z2 = 0.0;
            for (size_t i = 0; i < law->space_count; i++) {
                const double z = w[law->space[i]] * law->scale[law->space[i]];
                z2 += z * z;
            }
            want = orffi_spectrum_whitened_moment(law) / z2;
        }
        assert_close(f->weight[j] * (double)f->count / want, 1.0, 1e-12);
    }
    free(w);
}

static void check_law(const orffi_spectrum *law, orff_scheme scheme, bool importance, size_t count) {
    const orffi_recipe recipe = {.scheme = scheme, .count = count, .seed = 5, .importance = importance};
    orffi_frequencies f;
    double delta[64];
    support_case("%s %g, %s, importance %d, d %zu, space %zu", orff_base_name(law->base->id), law->shape,
                 orff_scheme_name(scheme), importance, law->dim, law->space_count);
    assert_ok(orffi_frequencies_draw(&f, law, &recipe));
    assert_int_equal(f.count, count);
    assert_int_equal(f.scheme, scheme);
    assert_int_equal(f.importance, importance);
    check_weights(law, &f);
    for (uint64_t k = 0; k < 6; k++) {
        make_delta(law, k, 0.4 * (double)(k + 1), delta);
        check_kernel(law, &f, delta);
    }
    orffi_frequencies_clear(&f);
}

static void check_all(size_t d, const double *scales, size_t space_count, const size_t *space, size_t count) {
    for (size_t b = 0; b < BASES; b += support_step(3)) {
        orffi_spectrum law = make_law(b, d, scales, space_count, space);
        for (size_t s = 0; s < SCHEMES; s++)
            for (int importance = 0; importance < 2; importance++)
                if (exists(&law, random_schemes[s], importance))
                    check_law(&law, random_schemes[s], importance, count);
        orffi_spectrum_clear(&law);
    }
}

static void test_law(void **state) {
    (void)state;
    const double scales[3] = {0.5, 1.0, 3.0};
    check_all(1, NULL, 1, NULL, 4096);
    check_all(3, scales, 3, NULL, 4096);
    check_all(20, NULL, 20, NULL, 4096);
}

static void test_law_with_covariates(void **state) {
    (void)state;
    support_numbers_only();
    const double scales[4] = {2.0, 1.0, 0.3, 1.5};
    const size_t space[2] = {3, 1}, wide[3] = {17, 0, 5};
    check_all(4, scales, 2, space, 4096);
    check_all(18, NULL, 3, wide, 4096);
}

/* The importance estimate of E|w|^2 has no error at all where the scales are 1: sum_j q_j |w_j|^2. */
static void test_importance_is_exact_at_zero(void **state) {
    (void)state;
    for (size_t s = 0; s < SCHEMES; s++) {
        orffi_spectrum law = make_law(3, 16, NULL, 16, NULL);
        const orffi_recipe recipe = {.scheme = random_schemes[s], .count = 77, .importance = true};
        orffi_frequencies f;
        assert_ok(orffi_frequencies_draw(&f, &law, &recipe));
        double sum = 0.0;
        for (size_t j = 0; j < f.count; j++) sum += f.weight[j] * dot(16, f.omega + j * 16, f.omega + j * 16);
        assert_close(sum, orffi_spectrum_moment(&law, 1), 1e-12);
        orffi_frequencies_clear(&f);
        orffi_spectrum_clear(&law);
    }
}

/* The squared norm of a Gaussian draw has mean m and variance 2m; by importance m + 2 and 2(m + 2). */
static void test_norms(void **state) {
    (void)state;
    enum { COUNT = 20000, DIM = 16 };
    for (size_t s = 0; s < SCHEMES; s++)
        for (int importance = 0; importance < 2; importance++) {
            orffi_spectrum law = make_law(0, DIM, NULL, DIM, NULL);
            const orffi_recipe recipe = {
                .scheme = random_schemes[s], .count = COUNT, .importance = importance};
            orffi_frequencies f;
            support_case("%s, importance %d", orff_scheme_name(random_schemes[s]), importance);
            assert_ok(orffi_frequencies_draw(&f, &law, &recipe));
            double sum = 0.0, square = 0.0;
            for (size_t j = 0; j < COUNT; j++) {
                const double norm2 = dot(DIM, f.omega + j * DIM, f.omega + j * DIM);
                sum += norm2 / COUNT;
                square += norm2 * norm2 / COUNT;
            }
            const double dof = DIM + 2.0 * importance, spread = sqrt(2.0 * dof / COUNT);
            assert_true(fabs(sum - dof) < 4.0 * spread);
            assert_true(fabs((square - sum * sum) / (2.0 * dof) - 1.0) <
                        4.0 * sqrt((2.0 + 12.0 / dof) / COUNT));
            orffi_frequencies_clear(&f);
            orffi_spectrum_clear(&law);
        }
}

/* ---- structure */

static void test_orthogonal_blocks(void **state) {
    (void)state;
    static const size_t dims[] = {1, 5, 32, 33, 100};
    for (size_t k = 0; k < 5; k++) {
        const size_t d = dims[k], D = 2 * d + (d + 1) / 2;
        orffi_spectrum law = make_law(0, d, NULL, d, NULL);
        const orffi_recipe recipe = {.scheme = ORFF_SCHEME_ORTHOGONAL, .count = D, .seed = 3};
        orffi_frequencies f;
        assert_ok(orffi_frequencies_draw(&f, &law, &recipe));
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < i; j++) {
                if (i / d != j / d) continue;
                const double *a = f.omega + i * d, *b = f.omega + j * d;
                assert_true(fabs(dot(d, a, b)) < 1e-11 * sqrt(dot(d, a, a) * dot(d, b, b)));
            }
        orffi_frequencies_clear(&f);
        orffi_spectrum_clear(&law);
    }
}

static void draw(orffi_frequencies *f, const orffi_spectrum *law, orff_scheme scheme, size_t count,
                 uint64_t seed, uint32_t stream, bool importance) {
    const orffi_recipe recipe = {
        .scheme = scheme, .count = count, .seed = seed, .stream = stream, .importance = importance};
    assert_ok(orffi_frequencies_draw(f, law, &recipe));
}

/* The first rows of a longer draw are the shorter one, bit for bit, weights up to 1/D. */
static void check_prefix(const orffi_frequencies *few, const orffi_frequencies *many) {
    const double ratio = (double)few->count / (double)many->count;
    double a[256], b[256];
    for (size_t j = 0; j < few->count; j++) {
        assert_ok(orffi_frequencies_row(few, j, a));
        assert_ok(orffi_frequencies_row(many, j, b));
        assert_memory_equal(a, b, few->dim * sizeof *a);
        assert_close(few->weight[j] * ratio, many->weight[j], 1e-15);
    }
}

static bool same(const orffi_frequencies *f, const orffi_frequencies *g) {
    double a[256], b[256];
    for (size_t j = 0; j < f->count; j++) {
        assert_ok(orffi_frequencies_row(f, j, a));
        assert_ok(orffi_frequencies_row(g, j, b));
        if (memcmp(a, b, f->dim * sizeof *a) || f->weight[j] != g->weight[j]) return false;
    }
    return true;
}

static void check_determinism(const orffi_spectrum *law, orff_scheme scheme, bool importance) {
    enum { MANY = 700, FEW = 133 };
    orffi_frequencies many, again, few, seed, stream;
    support_case("%s, d %zu, importance %d", orff_scheme_name(scheme), law->dim, importance);
    assert_ok(orff_set_threads(1));
    draw(&many, law, scheme, MANY, 42, 0, importance);
    assert_ok(orff_set_threads(2));
    draw(&again, law, scheme, MANY, 42, 0, importance);
    draw(&few, law, scheme, FEW, 42, 0, importance);
    draw(&seed, law, scheme, MANY, 43, 0, importance);
    draw(&stream, law, scheme, MANY, 42, 1, importance);
    assert_true(same(&many, &again));
    assert_false(same(&many, &seed));
    assert_false(same(&many, &stream));
    check_prefix(&few, &many);
    assert_ok(orff_set_threads(0));
    orffi_frequencies *all[] = {&many, &again, &few, &seed, &stream};
    for (size_t i = 0; i < 5; i++) orffi_frequencies_clear(all[i]);
}

static void test_determinism(void **state) {
    (void)state;
    static const size_t dims[] = {3, 20, 150};
    for (size_t k = 0; k < 3; k += support_step(2)) {
        orffi_spectrum law = make_law(3, dims[k], NULL, dims[k], NULL);
        for (size_t s = 0; s < SCHEMES; s++)
            for (int importance = 0; importance < 2; importance++)
                if (exists(&law, random_schemes[s], importance))
                    check_determinism(&law, random_schemes[s], importance);
        orffi_spectrum_clear(&law);
    }
}

/* ---- hadamard */

static void check_projection(size_t d, size_t D, bool importance, size_t base) {
    enum { N = 5, PAD = 3 };
    double scales[300];
    for (size_t i = 0; i < d; i++) scales[i] = 0.5 + 0.01 * (double)i;
    orffi_spectrum law = make_law(base, d, scales, d, NULL);
    orffi_frequencies f;
    draw(&f, &law, ORFF_SCHEME_HADAMARD, D, 9, 0, importance);
    assert_non_null(f.structured);
    assert_null(f.omega);
    const size_t ld = D + PAD, room = orffi_structured_scratch(f.structured);
    double *X = calloc(N * d, sizeof *X), *out = calloc(N * ld, sizeof *out),
           *scratch = calloc(room, sizeof *scratch);
    float *Xf = calloc(N * d, sizeof *Xf), *outf = calloc(N * ld, sizeof *outf),
          *sf = calloc(room, sizeof *sf);
    for (size_t i = 0; i < N * d; i++) X[i] = orffi_rng_normal((orffi_rng){1, 1}, i, 0), Xf[i] = (float)X[i];
    orffi_structured_project_double(f.structured, N, X, out, ld, scratch);
    orffi_structured_project_single(f.structured, N, Xf, outf, ld, sf);
    double w[300];
    for (size_t j = 0; j < D; j++) {
        assert_ok(orffi_frequencies_row(&f, j, w));
        for (size_t n = 0; n < N; n++) {
            const double want = dot(d, w, X + n * d);
            assert_close(out[n * ld + j], want, 1e-12);
            assert_close((double)outf[n * ld + j], want, 1e-4);
        }
    }
    for (size_t n = 0; n < N; n++)
        for (size_t k = D; k < ld; k++) assert_true(out[n * ld + k] == 0.0 && outf[n * ld + k] == 0.0f);
    free(X), free(out), free(scratch), free(Xf), free(outf), free(sf);
    orffi_frequencies_clear(&f);
    orffi_spectrum_clear(&law);
}

static void test_structured_projection(void **state) {
    (void)state;
    check_projection(128, 300, false, 0);
    check_projection(150, 256, true, 3);
    check_projection(256, 1000, true, 0);
    check_projection(300, 10, false, 5);
}

/* Structured frequencies have the law too; with covariates they are stored. */
static void test_structured_law(void **state) {
    (void)state;
    static const size_t dims[] = {128, 140};
    for (size_t k = 0; k < 2; k++)
        for (int importance = 0; importance < 2; importance++) {
            orffi_spectrum law = make_law(3, dims[k], NULL, dims[k], NULL);
            orffi_frequencies f;
            double delta[140];
            draw(&f, &law, ORFF_SCHEME_HADAMARD, 4096, 2, 0, importance);
            assert_non_null(f.structured);
            check_weights(&law, &f);
            for (uint64_t i = 0; i < 4; i++) {
                make_delta(&law, i, 0.5 * (double)(i + 1), delta);
                check_kernel(&law, &f, delta);
            }
            orffi_frequencies_clear(&f);
            orffi_spectrum_clear(&law);
        }
    const size_t space[2] = {0, 1};
    orffi_spectrum law = make_law(3, 128, NULL, 2, space);
    orffi_frequencies f;
    draw(&f, &law, ORFF_SCHEME_HADAMARD, 200, 2, 0, false);
    assert_null(f.structured);
    check_weights(&law, &f);
    orffi_frequencies_clear(&f);
    orffi_spectrum_clear(&law);
}

/* ---- auto, names, refusals */

static void check_auto(size_t base, size_t d, orff_scheme want) {
    orffi_spectrum law = make_law(base, d, NULL, d, NULL);
    orffi_frequencies f;
    draw(&f, &law, ORFF_SCHEME_AUTO, 8, 0, 0, false);
    assert_int_equal(f.scheme, want);
    orffi_frequencies_clear(&f);
    orffi_spectrum_clear(&law);
}

static void test_auto(void **state) {
    (void)state;
    check_auto(0, 12, ORFF_SCHEME_QMC);
    check_auto(0, 13, ORFF_SCHEME_ORTHOGONAL);
    check_auto(1, 12, ORFF_SCHEME_QMC);
    check_auto(1, 13, ORFF_SCHEME_IID);
    check_auto(5, 2000, ORFF_SCHEME_ORTHOGONAL);
}

static void test_names(void **state) {
    (void)state;
    for (int i = 0; i < ORFF_SCHEME_COUNT; i++) {
        orff_scheme scheme = ORFF_SCHEME_COUNT;
        assert_ok(orff_scheme_parse(orff_scheme_name((orff_scheme)i), &scheme));
        assert_int_equal(scheme, i);
    }
    orff_scheme scheme = ORFF_SCHEME_IID;
    assert_null(orff_scheme_name(ORFF_SCHEME_COUNT));
    assert_status(orff_scheme_parse("sobel", &scheme), ORFF_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(orff_error_message(), "sobel"));
    assert_status(orff_scheme_parse(NULL, &scheme), ORFF_ERROR_INVALID_ARGUMENT);
    assert_int_equal(scheme, ORFF_SCHEME_IID);
    const orff_sampling sampling = orff_sampling_default();
    assert_int_equal(sampling.scheme, ORFF_SCHEME_AUTO);
    assert_int_equal(sampling.features, 1000);
    assert_int_equal(sampling.importance, ORFF_SWITCH_AUTO);
}

static void check_refusal(size_t base, size_t d, orffi_recipe recipe, orff_status want, const char *word) {
    orffi_spectrum law = make_law(base, d, NULL, d, NULL);
    orffi_frequencies f;
    support_case("%s, base %zu, d %zu", orff_scheme_name(recipe.scheme), base, d);
    assert_status(orffi_frequencies_draw(&f, &law, &recipe), want);
    if (!strstr(orff_error_message(), word)) fail_msg("no \"%s\" in: %s", word, orff_error_message());
    assert_null(f.omega);
    assert_null(f.weight);
    orffi_spectrum_clear(&law);
}

static void test_refusals(void **state) {
    (void)state;
    const double bad[3] = {1.0, -1.0, 1.0};
    const orffi_recipe orthogonal = {.scheme = ORFF_SCHEME_ORTHOGONAL, .count = 8};
    const orffi_recipe hadamard = {.scheme = ORFF_SCHEME_HADAMARD, .count = 8},
                       none = {.scheme = ORFF_SCHEME_IID};
    const orffi_recipe sobol = {.scheme = ORFF_SCHEME_QMC, .count = 8},
                       halton = {.scheme = ORFF_SCHEME_HALTON, .count = 8};
    const orffi_recipe grid = {.scheme = ORFF_SCHEME_GRID},
                       strict = {.scheme = ORFF_SCHEME_GRID, .tolerance = 1e-20};
    const orffi_recipe extent = {.scheme = ORFF_SCHEME_GRID, .extent = bad},
                       few = {.scheme = ORFF_SCHEME_GRID, .count = 20, .tolerance = 1e-6};
    const orffi_recipe gradient = {.scheme = ORFF_SCHEME_GRID, .gradient = true};
    const orffi_recipe biased = {.scheme = ORFF_SCHEME_IID, .count = 8, .importance = true};
    check_refusal(1, 3, orthogonal, ORFF_ERROR_UNSUPPORTED, "spherical");
    check_refusal(7, 20, hadamard, ORFF_ERROR_UNSUPPORTED, "spherical");
    check_refusal(0, 15, hadamard, ORFF_ERROR_UNSUPPORTED, "at least 16");
    check_refusal(0, 3, none, ORFF_ERROR_INVALID_ARGUMENT, "at least one");
    check_refusal(0, 1025, sobol, ORFF_ERROR_UNSUPPORTED, "orthogonal");
    check_refusal(3, 1024, sobol, ORFF_ERROR_UNSUPPORTED, "1025");
    check_refusal(1, 257, halton, ORFF_ERROR_UNSUPPORTED, "iid");
    check_refusal(0, 4, grid, ORFF_ERROR_UNSUPPORTED, "at most 3");
    check_refusal(0, 2, strict, ORFF_ERROR_INVALID_ARGUMENT, "1e-20");
    check_refusal(0, 3, extent, ORFF_ERROR_INVALID_ARGUMENT, "extent 2");
    check_refusal(0, 2, few, ORFF_ERROR_UNSUPPORTED, "20");
    check_refusal(1, 2, gradient, ORFF_ERROR_DOES_NOT_EXIST, "laplace");
    check_refusal(2, 2, biased, ORFF_ERROR_DOES_NOT_EXIST, "matern");
    check_refusal(6, 2, grid, ORFF_ERROR_UNSUPPORTED, "infinite");
    check_refusal(2, 3, grid, ORFF_ERROR_UNSUPPORTED, "16777216"); /* exp(-r) to 1e-6: too heavy a tail */
    const size_t space[2] = {0, 1};
    orffi_spectrum narrow = make_law(0, 20, NULL, 2, space);
    orffi_recipe narrow_recipe = hadamard;
    orffi_frequencies f;
    narrow_recipe.importance = true;
    assert_status(orffi_frequencies_draw(&f, &narrow, &narrow_recipe), ORFF_ERROR_UNSUPPORTED);
    orffi_spectrum_clear(&narrow);
    if (sizeof(size_t) > 4) {
        const orffi_recipe huge = {.scheme = ORFF_SCHEME_QMC, .count = (size_t)1 << 33};
        check_refusal(0, 3, huge, ORFF_ERROR_UNSUPPORTED, "4294967295");
    }
}

/* ---- grid */

/* |K~ - K| for the curl-free kernel at delta, spectral norm. */
static double curl_error(const orffi_spectrum *law, const orffi_frequencies *f, const double *delta) {
    const size_t d = law->dim, m = law->space_count;
    double K[9], norm;
    orffi_spectrum_curl(law, delta, K);
    for (size_t j = 0; j < f->count; j++) {
        const double *w = f->omega + j * d, term = f->weight[j] * cos(dot(d, w, delta));
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b < m; b++) K[a * m + b] -= term * w[law->space[a]] * w[law->space[b]];
    }
    assert_ok(orff_spectral_norm(m, m, K, &norm));
    return norm;
}

static double scalar_error(const orffi_spectrum *law, const orffi_frequencies *f, const double *delta) {
    double k = orffi_spectrum_k0(law, delta);
    for (size_t j = 0; j < f->count; j++)
        k -= f->weight[j] * cos(dot(law->dim, f->omega + j * law->dim, delta));
    return fabs(k);
}

/* The largest error relative to |K(0)| over the corners of the extent and random places in it. */
static double measured_error(const orffi_spectrum *law, const orffi_frequencies *f, const double *extent,
                             bool gradient) {
    const double zero[3] = {0.0};
    double worst = 0.0, K0[9], norm = 1.0;
    if (gradient) {
        orffi_spectrum_curl(law, zero, K0);
        assert_ok(orff_spectral_norm(law->space_count, law->space_count, K0, &norm));
    }
    for (uint64_t p = 0; p < 40; p++) {
        double delta[3];
        for (size_t i = 0; i < law->dim; i++)
            delta[i] = p < 8 ? (p >> i & 1 ? extent[i] : 0.0)
                             : extent[i] * (2.0 * orffi_rng_uniform((orffi_rng){4, 4}, p, (uint32_t)i) - 1.0);
        worst = fmax(worst, scalar_error(law, f, delta));
        if (gradient) worst = fmax(worst, curl_error(law, f, delta) / norm);
    }
    return worst;
}

static void check_grid(size_t base, size_t d, size_t space_count, bool gradient, double tolerance,
                       size_t count) {
    static const double scales[3] = {0.7, 0.5, 1.1}, extent[3] = {2.0, 1.2, 3.0};
    orffi_spectrum law =
        make_law(base, d, scales, space_count, space_count < d ? (const size_t[]){1, 0} : NULL);
    const orffi_recipe recipe = {.scheme = ORFF_SCHEME_GRID,
                                 .count = count,
                                 .gradient = gradient,
                                 .extent = extent,
                                 .tolerance = tolerance};
    orffi_frequencies f;
    support_case("%s %g, d %zu, space %zu, gradient %d, tolerance %g, count %zu",
                 orff_base_name(law.base->id), law.shape, d, space_count, gradient, tolerance, count);
    assert_ok(orffi_frequencies_draw(&f, &law, &recipe));
    assert_false(f.extent_guessed || f.importance);
    if (count) assert_true(f.count <= count);
    if (tolerance > 0.0) assert_true(f.error <= tolerance);
    const double measured = measured_error(&law, &f, extent, gradient);
    if (!(measured <= f.error && f.error <= 10.0 * measured))
        fail_msg("claimed error %g, measured %g", f.error, measured);
    for (size_t j = 0; j < f.count; j++) assert_true(f.weight[j] > 0.0);
    orffi_frequencies_clear(&f);
    orffi_spectrum_clear(&law);
}

static void test_grid_error(void **state) {
    (void)state;
    for (int gradient = 0; gradient < 2; gradient++)
        for (size_t d = 1; d <= 3; d++) {
            check_grid(0, d, d, gradient, 1e-2, 0);
            check_grid(0, d, d, gradient, 1e-6, 0);
            check_grid(0, d, d, gradient, 1e-11, 0);
            check_grid(0, d, d, gradient, 0.0, 100);
            check_grid(0, d, d, gradient, 0.0, 1);
            check_grid(3, d, d, gradient, d < 3 ? 1e-3 : 2e-2, 0);
            check_grid(3, d, d, gradient, 0.0, 500);
            check_grid(5, d, d, gradient, d < 3 ? 1e-4 : 4e-3, 0);
            check_grid(7, d, d, gradient, d < 3 ? 1e-2 : 1e-1, 0);
            if (d > 1) check_grid(0, d, d - 1, gradient, 1e-4, 0);
            if (d > 1) check_grid(4, d, d - 1, gradient, 1e-2, 0);
        }
    check_grid(1, 1, 1, false, 1e-2, 0);
    check_grid(1, 2, 2, false, 1e-1, 0);
    check_grid(2, 2, 2, false, 5e-2, 0);
}

static void test_grid_defaults(void **state) {
    (void)state;
    const double extent[2] = {5.0, 10.0}; /* five length scales */
    orffi_spectrum law = make_law(0, 2, (const double[]){1.0, 2.0}, 2, NULL);
    const orffi_recipe plain = {.scheme = ORFF_SCHEME_GRID, .importance = true},
                       given = {.scheme = ORFF_SCHEME_GRID, .extent = extent};
    orffi_frequencies f, g;
    assert_ok(orffi_frequencies_draw(&f, &law, &plain));
    assert_ok(orffi_frequencies_draw(&g, &law, &given));
    assert_true(f.extent_guessed && !g.extent_guessed && !f.importance);
    assert_int_equal(f.count, g.count);
    assert_true(same(&f, &g));
    assert_true(f.error <= 1e-6);
    orffi_frequencies_clear(&f);
    orffi_frequencies_clear(&g);
    orffi_spectrum_clear(&law);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_law_with_covariates),
        cmocka_unit_test(test_importance_is_exact_at_zero),
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_orthogonal_blocks),
        cmocka_unit_test(test_determinism),
        cmocka_unit_test(test_structured_projection),
        cmocka_unit_test(test_structured_law),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_grid_error),
        cmocka_unit_test(test_grid_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
