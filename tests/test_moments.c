/* Moments: against naive sums, in any split of the rows, with weights, folds, refusals and readers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "moments/moments.h"
#include "support.h"

enum { INPUTS = 3, OUTPUTS = 2, ROWS = 700 };

/* ---- a data set and features */

typedef struct data {
    double X[ROWS * INPUTS], Y[ROWS * OUTPUTS], weights[ROWS];
} data;

static data *make_data(void) {
    const orffi_rng rng = {5, 1};
    data *set = malloc(sizeof *set);
    assert_non_null(set);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < INPUTS; k++) set->X[i * INPUTS + k] = orffi_rng_normal(rng, i, (uint32_t)k);
        for (size_t k = 0; k < OUTPUTS; k++)
            set->Y[i * OUTPUTS + k] = 0.5 + orffi_rng_normal(rng, i, (uint32_t)(10 + k));
        set->weights[i] = i % 17 ? 3 * orffi_rng_uniform(rng, i, 20) : 0;
    }
    return set;
}

/* What distinguishes one set of frequencies from another. */
typedef struct recipe {
    size_t inputs, outputs, features, parts;
    orff_base base;
    double shape, sigma;
    orff_scheme scheme;
    uint64_t seed;
} recipe;

static const recipe usual = {INPUTS, OUTPUTS, 24, 2, ORFF_BASE_MATERN, 2.5, 0.8, ORFF_SCHEME_QMC, 3};

/* A sum of one or two decomposable parts, the second at twice the length scale. */
static orff_features *draw(const recipe *r) {
    orff_part parts[2] = {orff_part_default(), orff_part_default()};
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    for (size_t m = 0; m < 2; m++) {
        parts[m].base = r->base;
        parts[m].shape = r->shape;
        parts[m].sigma = (double)(m + 1) * r->sigma;
    }
    sampling.scheme = r->scheme;
    sampling.features = r->features;
    sampling.seed = r->seed;
    assert_ok(orff_kernel_create(&kernel, r->inputs, r->outputs, r->parts, parts));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    orff_kernel_free(kernel);
    return features;
}

static orff_moments *empty(const recipe *r, size_t folds, bool single) {
    const orff_moments_settings settings = {.folds = folds, .seed = 9, .single = single};
    orff_features *features = draw(r);
    orff_moments *moments = NULL;
    assert_ok(orff_moments_create(&moments, features, &settings));
    orff_features_free(features);
    return moments;
}

/* ---- sums, ours and naive */

/* All that moments sum, one after the other: S, R, sum phi, sum y, sum y y^T, weight, rows. */
typedef struct sums {
    size_t L, p, count;
    double *all, *S, *R, *phi, *y, *yy, *weight, *rows;
} sums;

static sums sums_make(size_t L, size_t p) {
    sums s = {.L = L, .p = p, .count = L * L + L * p + L + p + p * p + 2};
    s.all = support_zeros(s.count);
    s.S = s.all;
    s.R = s.S + L * L;
    s.phi = s.R + L * p;
    s.y = s.phi + L;
    s.yy = s.y + p;
    s.weight = s.yy + p * p;
    s.rows = s.weight + 1;
    return s;
}

static sums sums_of(const orff_moments *moments) {
    const orff_moments_info info = orff_moments_describe(moments);
    sums s = sums_make(2 * info.frequencies, info.outputs);
    assert_ok(orff_moments_totals(moments, s.S, s.R, s.phi, s.y, s.yy));
    *s.weight = info.weight;
    *s.rows = (double)info.rows;
    return s;
}

static void add_naively(sums *s, double c, const double *phi, const double *y) {
    for (size_t a = 0; a < s->L; a++) {
        for (size_t b = 0; b < s->L; b++) s->S[a * s->L + b] += c * phi[a] * phi[b];
        for (size_t k = 0; k < s->p; k++) s->R[a * s->p + k] += c * phi[a] * y[k];
        s->phi[a] += c * phi[a];
    }
    for (size_t k = 0; k < s->p; k++) {
        for (size_t l = 0; l < s->p; l++) s->yy[k * s->p + l] += c * y[k] * y[l];
        s->y[k] += c * y[k];
    }
    *s->weight += c;
    *s->rows += 1;
}

static sums naive_sums(const orff_features *features, size_t n, const double *X, const double *Y,
                       const double *weights) {
    const orff_features_info info = orff_features_describe(features);
    sums s = sums_make(info.length, info.outputs);
    double *phi = support_zeros(n * info.length);
    assert_ok(orff_features_phi(features, n, X, phi));
    for (size_t i = 0; i < n; i++)
        add_naively(&s, weights ? weights[i] : 1, phi + i * info.length, Y + i * info.outputs);
    free(phi);
    return s;
}

/* Compares and ends `want`. */
static void assert_sums(const orff_moments *moments, sums want, double tol) {
    sums got = sums_of(moments);
    assert_int_equal(got.count, want.count);
    assert_all_close(got.count, got.all, want.all, tol);
    free(got.all);
    free(want.all);
}

static void assert_same(const orff_moments *a, const orff_moments *b, double tol) {
    assert_sums(a, sums_of(b), tol);
}

/* Not only the totals: every fold, to the last bit. S is kept in its upper triangle. */
static void assert_identical(const orff_moments *a, const orff_moments *b) {
    const size_t L = 2 * a->bank->D, q = a->p + 1;
    assert_int_equal(a->n_sets, b->n_sets);
    assert_int_equal(a->arrived, b->arrived);
    for (size_t k = 0; k < a->n_sets; k++) {
        assert_int_equal(a->sets[k].rows, b->sets[k].rows);
        assert_memory_equal(a->sets[k].S, b->sets[k].S, L * L * sizeof(double));
        assert_memory_equal(a->sets[k].R, b->sets[k].R, L * q * sizeof(double));
        assert_memory_equal(a->sets[k].T, b->sets[k].T, q * q * sizeof(double));
    }
}

/* Every fold to rounding. */
static void assert_same_folds(const orff_moments *a, const orff_moments *b, double tol) {
    const size_t L = 2 * a->bank->D, q = a->p + 1;
    assert_int_equal(a->n_sets, b->n_sets);
    for (size_t k = 0; k < a->n_sets; k++) {
        assert_int_equal(a->sets[k].rows, b->sets[k].rows);
        for (size_t i = 0; i < L; i++)
            assert_all_close(L - i, a->sets[k].S + i * L + i, b->sets[k].S + i * L + i, tol);
        assert_all_close(L * q, a->sets[k].R, b->sets[k].R, tol);
        assert_all_close(q * q, a->sets[k].T, b->sets[k].T, tol);
    }
}

/* ---- what is summed */

static void moments_are_the_naive_sums(void **state) {
    (void)state;
    data *set = make_data();
    orff_features *features = draw(&usual);
    for (int single = 0; single < 2; single++)
        for (int weighted = 0; weighted < 2; weighted++)
            for (size_t folds = 0; folds < 4; folds += 3) {
                const double *weights = weighted ? set->weights : NULL;
                orff_moments *moments = empty(&usual, folds, single);
                support_case("single %d, weighted %d, %zu folds", single, weighted, folds);
                assert_ok(orff_moments_accumulate(moments, ROWS, set->X, set->Y, weights));
                assert_sums(moments, naive_sums(features, ROWS, set->X, set->Y, weights),
                            single ? 2e-5 : 1e-12);
                orff_moments_free(moments);
            }
    orff_features_free(features);
    free(set);
}

/* In single precision the rounding of float is there; the outputs' own sums are in double all the same. */
static void single_precision_is_single(void **state) {
    (void)state;
    data *set = make_data();
    orff_moments *single = empty(&usual, 0, true), *twice = empty(&usual, 0, false);
    assert_ok(orff_moments_accumulate(single, ROWS, set->X, set->Y, NULL));
    assert_ok(orff_moments_accumulate(twice, ROWS, set->X, set->Y, NULL));
    assert_true(orff_moments_describe(single).single);
    assert_false(orff_moments_describe(twice).single);
    sums a = sums_of(single), b = sums_of(twice);
    double worst = 0;
    for (size_t i = 0; i < a.L * a.L; i++) worst = fmax(worst, fabs(a.S[i] - b.S[i]));
    assert_true(worst > 1e-8);
    assert_all_close(a.p * a.p, a.yy, b.yy, 1e-15);
    assert_all_close(a.p, a.y, b.y, 1e-15);
    free(a.all);
    free(b.all);
    orff_moments_free(single);
    orff_moments_free(twice);
    free(set);
}

static void description_tells_sizes(void **state) {
    (void)state;
    data *set = make_data();
    orff_moments *moments = empty(&usual, 4, false);
    assert_ok(orff_moments_accumulate(moments, 10, set->X, set->Y, set->weights));
    assert_ok(orff_moments_accumulate(moments, 0, set->X, set->Y, NULL));
    const orff_moments_info info = orff_moments_describe(moments);
    double weight = 0;
    for (size_t i = 0; i < 10; i++) weight += set->weights[i];
    assert_int_equal(info.inputs, INPUTS);
    assert_int_equal(info.outputs, OUTPUTS);
    assert_int_equal(info.frequencies, 24);
    assert_int_equal(info.folds, 4);
    assert_int_equal(info.rows, 10);
    assert_close(info.weight, weight, 1e-14);
    assert_ok(orff_moments_totals(moments, NULL, NULL, NULL, NULL, NULL));
    assert_status(orff_moments_totals(NULL, NULL, NULL, NULL, NULL, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    orff_moments_free(moments);
    orff_moments_free(NULL);
    free(set);
}

static void integer_weights_repeat_rows(void **state) {
    (void)state;
    data *set = make_data();
    orff_moments *weighted = empty(&usual, 0, false), *repeated = empty(&usual, 0, false);
    for (size_t i = 0; i < ROWS; i++) set->weights[i] = (double)(i % 4);
    assert_ok(orff_moments_accumulate(weighted, ROWS, set->X, set->Y, set->weights));
    for (size_t times = 1; times < 4; times++)
        for (size_t i = 0; i < ROWS; i++)
            if (i % 4 >= times)
                assert_ok(
                    orff_moments_accumulate(repeated, 1, set->X + i * INPUTS, set->Y + i * OUTPUTS, NULL));
    sums want = sums_of(repeated);
    assert_close(*want.weight, *want.rows, 0);
    *want.rows = ROWS;
    assert_sums(weighted, want, 1e-12);
    orff_moments_free(weighted);
    orff_moments_free(repeated);
    free(set);
}

/* ---- splits of the rows */

static void accumulate_split(orff_moments *moments, const data *set, size_t step, const double *weights) {
    for (size_t first = 0; first < ROWS; first += step) {
        const size_t n = ROWS - first < step ? ROWS - first : step;
        assert_ok(orff_moments_accumulate(moments, n, set->X + first * INPUTS, set->Y + first * OUTPUTS,
                                          weights ? weights + first : NULL));
    }
}

static void any_split_gives_the_whole(void **state) {
    (void)state;
    static const size_t steps[] = {1, 7, 64, 255, 256, 699};
    data *set = make_data();
    for (size_t folds = 1; folds < 6; folds += 4)
        for (int weighted = 0; weighted < 2; weighted++)
            for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
                const double *weights = weighted ? set->weights : NULL;
                orff_moments *whole = empty(&usual, folds, false), *split = empty(&usual, folds, false);
                support_case("steps of %zu, %zu folds, weighted %d", steps[i], folds, weighted);
                assert_ok(orff_moments_accumulate(whole, ROWS, set->X, set->Y, weights));
                accumulate_split(split, set, steps[i], weights);
                assert_same_folds(split, whole, 1e-12);
                orff_moments_free(whole);
                orff_moments_free(split);
            }
    free(set);
}

/* ---- readers */

typedef struct feed {
    const data *set;
    size_t at, limit, step; /* rows given, rows in all (data repeats), rows at a time; 0: as many as fit */
    size_t fail_at, overclaim_at; /* a call that begins at or after this row fails, or claims too much */
    const double *buffer;         /* the first X it was given */
    size_t room;
    bool moved, saw_weights;
} feed;

static int feed_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    feed *f = self;
    size_t n = f->step && f->step < room ? f->step : room;
    if (f->at >= f->fail_at) return 42;
    if (n > f->limit - f->at) n = f->limit - f->at;
    f->moved |= f->buffer && f->buffer != X;
    f->buffer = X;
    f->room = room;
    f->saw_weights |= weights != NULL;
    for (size_t i = 0; i < n; i++) {
        const size_t row = (f->at + i) % ROWS;
        memcpy(X + i * INPUTS, f->set->X + row * INPUTS, INPUTS * sizeof *X);
        memcpy(Y + i * OUTPUTS, f->set->Y + row * OUTPUTS, OUTPUTS * sizeof *Y);
        if (weights) weights[i] = f->set->weights[row];
    }
    *rows = f->at >= f->overclaim_at ? room + 1 : n;
    f->at += n;
    return 0;
}

static feed feed_of(const data *set, size_t limit, size_t step) {
    return (feed){.set = set, .limit = limit, .step = step, .fail_at = SIZE_MAX, .overclaim_at = SIZE_MAX};
}

static orff_reader reader_of(feed *f, bool weighted) {
    return (orff_reader){.read = feed_rows, .self = f, .weighted = weighted};
}

static void a_reader_gives_the_whole(void **state) {
    (void)state;
    static const size_t steps[] = {1, 13, 257, 0};
    data *set = make_data();
    for (int weighted = 0; weighted < 2; weighted++)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            feed f = feed_of(set, ROWS, steps[i]);
            const orff_reader reader = reader_of(&f, weighted);
            orff_moments *whole = empty(&usual, 3, false), *read = empty(&usual, 3, false);
            support_case("reader of %zu rows, weighted %d", steps[i], weighted);
            assert_ok(orff_moments_accumulate(whole, ROWS, set->X, set->Y, weighted ? set->weights : NULL));
            assert_ok(orff_moments_read(read, &reader));
            assert_int_equal(f.at, ROWS);
            assert_int_equal(f.saw_weights, weighted);
            assert_same_folds(read, whole, 1e-12);
            orff_moments_free(whole);
            orff_moments_free(read);
        }
    free(set);
}

/* However long the stream, the same buffer of the same size is handed out. */
static void memory_does_not_grow_with_rows(void **state) {
    (void)state;
    const size_t rows = 3 * 4096;
    data *set = make_data();
    feed f = feed_of(set, rows, 0);
    const orff_reader reader = reader_of(&f, false);
    orff_moments *moments = empty(&usual, 0, false);
    assert_ok(orff_moments_read(moments, &reader));
    assert_int_equal(orff_moments_describe(moments).rows, rows);
    assert_true(f.room <= 4096 && f.room >= 256);
    assert_false(f.moved);
    orff_moments_free(moments);
    free(set);
}

static void a_failing_reader_is_reported(void **state) {
    (void)state;
    data *set = make_data();
    orff_moments *moments = empty(&usual, 0, false), *half = empty(&usual, 0, false);
    feed f = feed_of(set, ROWS, 100);
    f.fail_at = 300;
    orff_reader reader = reader_of(&f, false);
    assert_status(orff_moments_read(moments, &reader), ORFF_ERROR_CALLBACK);
    assert_says("42");
    assert_says("300");
    assert_ok(orff_moments_accumulate(half, 300, set->X, set->Y, NULL));
    assert_same(moments, half, 1e-12);
    f = feed_of(set, ROWS, 100);
    f.overclaim_at = 0;
    assert_status(orff_moments_read(moments, &reader), ORFF_ERROR_CALLBACK);
    assert_says("rows of");
    assert_int_equal(orff_moments_describe(moments).rows, 300);
    reader.read = NULL;
    assert_status(orff_moments_read(moments, &reader), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_moments_read(moments, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    orff_moments_free(moments);
    orff_moments_free(half);
    free(set);
}

static void a_reader_with_nan_keeps_the_blocks_before(void **state) {
    (void)state;
    data *set = make_data();
    orff_moments *moments = empty(&usual, 0, false), *half = empty(&usual, 0, false);
    feed f = feed_of(set, ROWS, 100);
    const orff_reader reader = reader_of(&f, false);
    set->Y[250 * OUTPUTS] = NAN;
    assert_status(orff_moments_read(moments, &reader), ORFF_ERROR_NOT_FINITE);
    assert_ok(orff_moments_accumulate(half, 200, set->X, set->Y, NULL));
    assert_same(moments, half, 1e-12);
    orff_moments_free(moments);
    orff_moments_free(half);
    free(set);
}

/* ---- folds */

/* The fold of row i, found by feeding rows one at a time. */
static void find_folds(const data *set, size_t folds, size_t *fold) {
    orff_moments *moments = empty(&usual, folds, false);
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t before[8];
        for (size_t k = 0; k < folds; k++) before[k] = moments->sets[k].rows;
        assert_ok(orff_moments_accumulate(moments, 1, set->X + i * INPUTS, set->Y + i * OUTPUTS, NULL));
        fold[i] = folds;
        for (size_t k = 0; k < folds; k++)
            if (moments->sets[k].rows > before[k]) fold[i] = k;
        assert_true(fold[i] < folds);
    }
    orff_moments_free(moments);
}

static void folds_partition_the_rows(void **state) {
    (void)state;
    enum { FOLDS = 5 };
    data *set = make_data();
    size_t fold[ROWS], count[FOLDS] = {0};
    orff_features *features = draw(&usual);
    orff_moments *whole = empty(&usual, FOLDS, false);
    find_folds(set, FOLDS, fold);
    assert_ok(orff_moments_accumulate(whole, ROWS, set->X, set->Y, set->weights));
    for (size_t k = 0; k < FOLDS; k++) {
        orff_moments *alone = empty(&usual, 0, false);
        double zero[ROWS];
        for (size_t i = 0; i < ROWS; i++) {
            count[k] += fold[i] == k;
            zero[i] = fold[i] == k ? set->weights[i] : 0;
        }
        assert_ok(orff_moments_accumulate(alone, ROWS, set->X, set->Y, zero));
        support_case("fold %zu", k);
        assert_int_equal(whole->sets[k].rows, count[k]);
        assert_all_close(9, whole->sets[k].T, alone->sets[0].T, 1e-12);
        assert_all_close(2 * 24 * 3, whole->sets[k].R, alone->sets[0].R, 1e-12);
        /* 700 rows in 5 folds: 140 each, standard deviation 10.6 */
        assert_true(count[k] > 90 && count[k] < 190);
        orff_moments_free(alone);
    }
    assert_sums(whole, naive_sums(features, ROWS, set->X, set->Y, set->weights), 1e-12);
    orff_moments_free(whole);
    orff_features_free(features);
    free(set);
}

/* Neither the order of the rows, nor their weights, nor the frequencies, but the seed. */
static void folds_depend_on_seed_and_numbers(void **state) {
    (void)state;
    enum { FOLDS = 4 };
    data *set = make_data(), *turned = make_data();
    recipe other = usual;
    other.seed = 77;
    other.features = 10;
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(turned->X + i * INPUTS, set->X + (ROWS - 1 - i) * INPUTS, INPUTS * sizeof(double));
        memcpy(turned->Y + i * OUTPUTS, set->Y + (ROWS - 1 - i) * OUTPUTS, OUTPUTS * sizeof(double));
    }
    orff_moments *a = empty(&usual, FOLDS, false), *b = empty(&other, FOLDS, true);
    assert_ok(orff_moments_accumulate(a, ROWS, set->X, set->Y, NULL));
    assert_ok(orff_moments_accumulate(b, ROWS, turned->X, turned->Y, set->weights));
    for (size_t k = 0; k < FOLDS; k++) assert_int_equal(a->sets[k].rows, b->sets[k].rows);
    orff_features *features = draw(&usual);
    const orff_moments_settings settings = {.folds = FOLDS, .seed = 10};
    orff_moments *c = NULL;
    assert_ok(orff_moments_create(&c, features, &settings));
    assert_ok(orff_moments_accumulate(c, ROWS, set->X, set->Y, NULL));
    size_t same = 0;
    for (size_t k = 0; k < FOLDS; k++) same += a->sets[k].rows == c->sets[k].rows;
    assert_true(same < FOLDS);
    assert_status(orff_moments_add(a, c), ORFF_ERROR_MISMATCH);
    orff_features_free(features);
    orff_moments_free(a);
    orff_moments_free(b);
    orff_moments_free(c);
    free(set);
    free(turned);
}

/* Rows accumulated apart come off the folds they are in. */
static void forgotten_rows_leave_their_folds(void **state) {
    (void)state;
    enum { FOLDS = 4, GONE = 200 };
    data *set = make_data();
    orff_moments *whole = empty(&usual, FOLDS, false), *gone = empty(&usual, FOLDS, false),
                 *rest = empty(&usual, FOLDS, false);
    const size_t first = ROWS - GONE;
    assert_ok(orff_moments_accumulate(whole, ROWS, set->X, set->Y, NULL));
    assert_ok(orff_moments_accumulate(gone, GONE, set->X + first * INPUTS, set->Y + first * OUTPUTS, NULL));
    assert_ok(orff_moments_accumulate(rest, first, set->X, set->Y, NULL));
    assert_ok(orff_moments_subtract(whole, gone));
    for (size_t k = 0; k < FOLDS; k++) {
        assert_int_equal(whole->sets[k].rows, rest->sets[k].rows);
        assert_all_close(2 * 24 * 3, whole->sets[k].R, rest->sets[k].R, 1e-10);
    }
    orff_moments_free(whole);
    orff_moments_free(gone);
    orff_moments_free(rest);
    free(set);
}

/* The folds follow the seed of the others, or what is forgotten would come off the wrong ones. */
static void moments_like_others_begin_empty(void **state) {
    (void)state;
    data *set = make_data();
    orff_moments *whole = empty(&usual, 4, true), *like = NULL;
    assert_ok(orff_moments_accumulate(whole, ROWS, set->X, set->Y, set->weights));
    assert_ok(orff_moments_create_like(&like, whole));
    assert_int_equal(orff_moments_describe(like).rows, 0);
    assert_int_equal(orff_moments_describe(like).folds, 4);
    assert_true(orff_moments_describe(like).single);
    assert_ok(orff_moments_accumulate(like, ROWS, set->X, set->Y, set->weights));
    assert_identical(like, whole);
    assert_status(orff_moments_create_like(&like, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_moments_create_like(NULL, whole), ORFF_ERROR_INVALID_ARGUMENT);
    orff_moments_free(whole);
    orff_moments_free(like);
    free(set);
}

/* ---- the group */

static void subtracting_undoes_adding(void **state) {
    (void)state;
    data *set = make_data();
    orff_moments *whole = empty(&usual, 3, false), *first = empty(&usual, 3, false),
                 *rest = empty(&usual, 3, false);
    assert_ok(orff_moments_accumulate(whole, ROWS, set->X, set->Y, set->weights));
    assert_ok(orff_moments_accumulate(first, 400, set->X, set->Y, set->weights));
    assert_ok(orff_moments_accumulate(rest, ROWS - 400, set->X + 400 * INPUTS, set->Y + 400 * OUTPUTS,
                                      set->weights + 400));
    orff_moments *sum = empty(&usual, 3, false);
    assert_ok(orff_moments_add(sum, first));
    assert_identical(sum, first);
    assert_ok(orff_moments_add(sum, rest));
    assert_same(sum, whole, 1e-12);
    assert_int_equal(sum->arrived, ROWS);
    assert_ok(orff_moments_subtract(sum, rest));
    assert_same_folds(sum, first, 1e-11);
    assert_ok(orff_moments_subtract(sum, first));
    assert_int_equal(orff_moments_describe(sum).rows, 0);
    assert_sums(sum, sums_make(2 * 24, OUTPUTS), 1e-11);
    assert_status(orff_moments_subtract(sum, first), ORFF_ERROR_MISMATCH);
    assert_says("cannot be subtracted from");
    orff_moments_free(whole);
    orff_moments_free(first);
    orff_moments_free(rest);
    orff_moments_free(sum);
    free(set);
}

/* Adding an object to itself doubles it, subtracting it from itself leaves nothing. */
static void an_object_may_meet_itself(void **state) {
    (void)state;
    data *set = make_data();
    orff_moments *moments = empty(&usual, 2, false), *twice = empty(&usual, 0, false);
    assert_ok(orff_moments_accumulate(moments, ROWS, set->X, set->Y, NULL));
    for (int i = 0; i < 2; i++) assert_ok(orff_moments_accumulate(twice, ROWS, set->X, set->Y, NULL));
    assert_ok(orff_moments_add(moments, moments));
    assert_same(moments, twice, 1e-12);
    assert_ok(orff_moments_subtract(moments, moments));
    assert_sums(moments, sums_make(2 * 24, OUTPUTS), 0);
    orff_moments_free(moments);
    orff_moments_free(twice);
    free(set);
}

static void assert_differs(const recipe *other, size_t folds, const char *word) {
    orff_moments *ours = empty(&usual, 2, false), *theirs = empty(other, folds, false);
    support_case("%s", word);
    assert_status(orff_moments_add(ours, theirs), ORFF_ERROR_MISMATCH);
    assert_says(word);
    assert_status(orff_moments_subtract(ours, theirs), ORFF_ERROR_MISMATCH);
    assert_says(word);
    assert_int_equal(ours->arrived, 0);
    orff_moments_free(ours);
    orff_moments_free(theirs);
}

static void a_mismatch_is_named(void **state) {
    (void)state;
    recipe other = usual;
    other.seed = 4;
    assert_differs(&other, 2, "seed is 3 in one and 4");
    other = usual;
    other.sigma = 0.9;
    assert_differs(&other, 2, "length scale of input 1");
    other = usual;
    other.base = ORFF_BASE_GAUSSIAN;
    assert_differs(&other, 2, "base matern");
    other = usual;
    other.shape = 3.5;
    assert_differs(&other, 2, "shape 2.5");
    other = usual;
    other.features = 26;
    assert_differs(&other, 2, "17 frequencies in one and 19");
    other = usual;
    other.scheme = ORFF_SCHEME_HALTON;
    assert_differs(&other, 2, "sampling is qmc in one and halton");
    other = usual;
    other.outputs = 3;
    assert_differs(&other, 2, "2 outputs, the other 3");
    other = usual;
    other.inputs = 2;
    assert_differs(&other, 2, "3 inputs, the other 2");
    other = usual;
    other.parts = 1;
    assert_differs(&other, 2, "2 groups");
    assert_differs(&usual, 3, "2 folds, the other 3");
    orff_moments *ours = empty(&usual, 0, false);
    assert_status(orff_moments_add(ours, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_moments_subtract(NULL, ours), ORFF_ERROR_INVALID_ARGUMENT);
    orff_moments_free(ours);
}

/* The caller's own frequencies have no seed: they are compared by value. */
static void given_frequencies_are_compared_by_value(void **state) {
    (void)state;
    double omega[4] = {0.1, 0.2, 0.3, 0.4}, weights[2] = {0.5, 0.25};
    const orff_part part = orff_part_default();
    const orff_moments_settings settings = {0};
    orff_kernel *kernel = NULL;
    orff_features *features[3] = {NULL};
    orff_moments *moments[3] = {NULL};
    assert_ok(orff_kernel_create(&kernel, 2, 1, 1, &part));
    assert_ok(orff_features_create_at(&features[0], kernel, 2, omega, NULL));
    assert_ok(orff_features_create_at(&features[1], kernel, 2, omega, weights));
    omega[3] = 0.5;
    assert_ok(orff_features_create_at(&features[2], kernel, 2, omega, NULL));
    for (size_t i = 0; i < 3; i++) assert_ok(orff_moments_create(&moments[i], features[i], &settings));
    assert_status(orff_moments_add(moments[0], moments[1]), ORFF_ERROR_MISMATCH);
    assert_says("weights");
    assert_status(orff_moments_add(moments[0], moments[2]), ORFF_ERROR_MISMATCH);
    assert_says("frequencies");
    for (size_t i = 0; i < 3; i++) {
        orff_features_free(features[i]);
        orff_moments_free(moments[i]);
    }
    orff_kernel_free(kernel);
}

/* ---- refusals leave everything as it was */

static void bad_rows_change_nothing(void **state) {
    (void)state;
    data *set = make_data();
    orff_moments *moments = empty(&usual, 2, false), *before = empty(&usual, 2, false);
    assert_ok(orff_moments_accumulate(moments, 50, set->X, set->Y, set->weights));
    assert_ok(orff_moments_accumulate(before, 50, set->X, set->Y, set->weights));
    double *const places[] = {&set->X[600 * INPUTS + 1], &set->Y[601 * OUTPUTS], &set->weights[602]};
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++)
        for (size_t b = 0; b < 3; b++) {
            const double good = *places[i];
            *places[i] = bad[b];
            assert_status(orff_moments_accumulate(moments, ROWS, set->X, set->Y, set->weights),
                          ORFF_ERROR_NOT_FINITE);
            *places[i] = good;
            assert_identical(moments, before);
        }
    set->weights[3] = -1e-300;
    assert_status(orff_moments_accumulate(moments, ROWS, set->X, set->Y, set->weights),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("row 4");
    assert_status(orff_moments_accumulate(moments, ROWS, NULL, set->Y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_moments_accumulate(moments, ROWS, set->X, NULL, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_moments_accumulate(NULL, ROWS, set->X, set->Y, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_identical(moments, before);
    orff_moments_free(moments);
    orff_moments_free(before);
    free(set);
}

/* Finite, but its products would not be: one infinity would spoil the sums for good. */
static void numbers_whose_sums_overflow_are_refused(void **state) {
    (void)state;
    data *set = make_data();
    for (int single = 0; single < 2; single++) {
        orff_moments *moments = empty(&usual, 0, single), *before = empty(&usual, 0, single);
        const double huge = single ? 1e39 : 1e200;
        double *const places[] = {&set->X[40], &set->Y[41], &set->weights[42]};
        for (size_t i = 0; i < 3; i++) {
            const double good = *places[i];
            *places[i] = i == 0 ? -huge : i == 1 ? huge : huge * 1e101;
            assert_status(orff_moments_accumulate(moments, ROWS, set->X, set->Y, set->weights),
                          ORFF_ERROR_INVALID_ARGUMENT);
            assert_says(single ? "single" : "double");
            *places[i] = good;
        }
        const double y = set->Y[42 * OUTPUTS + 1];
        set->weights[42] = set->Y[42 * OUTPUTS + 1] = single ? 1e13 : 1e140; /* neither, but sqrt(c) y */
        assert_status(orff_moments_accumulate(moments, ROWS, set->X, set->Y, set->weights),
                      ORFF_ERROR_INVALID_ARGUMENT);
        assert_says("row 43");
        assert_identical(moments, before);
        set->weights[42] = 1;
        assert_ok(orff_moments_accumulate(moments, ROWS, set->X, set->Y, set->weights));
        sums got = sums_of(moments);
        for (size_t i = 0; i < got.count; i++) assert_true(isfinite(got.all[i]));
        free(got.all);
        set->Y[42 * OUTPUTS + 1] = y;
        orff_moments_free(moments);
        orff_moments_free(before);
    }
    free(set);
}

static void settings_are_checked(void **state) {
    (void)state;
    orff_features *features = draw(&usual);
    orff_moments *moments = NULL;
    orff_moments_settings settings = {.folds = 100000};
    assert_status(orff_moments_create(&moments, features, &settings), ORFF_ERROR_INVALID_ARGUMENT);
    assert_says("100000");
    settings.folds = 1;
    assert_status(orff_moments_create(NULL, features, &settings), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_moments_create(&moments, NULL, &settings), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_moments_create(&moments, features, NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_null(moments);
    orff_features_free(features);
}

/* ---- the progress hook */

typedef struct watch {
    size_t calls, stop_at;
    double done, total;
} watch;

static bool count_calls(void *self, const char *task, double done, double total) {
    watch *w = self;
    assert_string_equal(task, "moments");
    w->done = done;
    w->total = total;
    return ++w->calls != w->stop_at;
}

/* 5000 rows are two blocks: stopped before the second, nothing of the first remains. */
static void cancelling_changes_nothing(void **state) {
    (void)state;
    const size_t rows = 5000;
    data *set = make_data();
    double *X = support_zeros(rows * INPUTS), *Y = support_zeros(rows * OUTPUTS);
    for (size_t i = 0; i < rows * INPUTS; i++) X[i] = set->X[i % (ROWS * INPUTS)];
    for (size_t i = 0; i < rows * OUTPUTS; i++) Y[i] = set->Y[i % (ROWS * OUTPUTS)];
    orff_moments *moments = empty(&usual, 2, false), *before = empty(&usual, 2, false);
    assert_ok(orff_moments_accumulate(moments, 50, X, Y, NULL));
    assert_ok(orff_moments_accumulate(before, 50, X, Y, NULL));
    for (size_t stop = 1; stop < 3; stop++) {
        watch w = {.stop_at = stop};
        const orff_hooks hooks = {.progress = count_calls, .self = &w};
        orff_set_hooks(&hooks);
        assert_status(orff_moments_accumulate(moments, rows, X, Y, NULL), ORFF_ERROR_CANCELLED);
        orff_set_hooks(NULL);
        assert_int_equal(w.calls, stop);
        assert_close(w.total, (double)rows, 0);
        assert_identical(moments, before);
    }
    assert_ok(orff_moments_accumulate(moments, rows, X, Y, NULL));
    assert_int_equal(orff_moments_describe(moments).rows, 50 + rows);
    orff_moments_free(moments);
    orff_moments_free(before);
    free(X);
    free(Y);
    free(set);
}

static void cancelling_a_reader_keeps_the_blocks_before(void **state) {
    (void)state;
    data *set = make_data();
    watch w = {.stop_at = 4};
    const orff_hooks hooks = {.progress = count_calls, .self = &w};
    feed f = feed_of(set, ROWS, 100);
    const orff_reader reader = reader_of(&f, false);
    orff_moments *moments = empty(&usual, 0, false), *half = empty(&usual, 0, false);
    orff_set_hooks(&hooks);
    assert_status(orff_moments_read(moments, &reader), ORFF_ERROR_CANCELLED);
    orff_set_hooks(NULL);
    assert_close(w.done, 300, 0);
    assert_close(w.total, 0, 0);
    assert_ok(orff_moments_accumulate(half, 300, set->X, set->Y, NULL));
    assert_same(moments, half, 1e-12);
    orff_moments_free(moments);
    orff_moments_free(half);
    free(set);
}

/* ---- a kernel on the frequencies of moments */

static void another_kernel_stands_on_the_moments(void **state) {
    (void)state;
    orff_moments *moments = empty(&usual, 0, false);
    orff_part part = orff_part_default();
    orff_kernel *kernel = NULL, *wrong = NULL, *wide = NULL;
    orff_features *features = NULL;
    part.base = usual.base;
    part.shape = usual.shape;
    part.sigma = 2 * usual.sigma;
    assert_ok(orff_kernel_create(&kernel, INPUTS, OUTPUTS, 1, &part));
    assert_ok(orff_kernel_create(&wide, INPUTS, OUTPUTS + 1, 1, &part));
    part.sigma = 3 * usual.sigma;
    assert_ok(orff_kernel_create(&wrong, INPUTS, OUTPUTS, 1, &part));
    assert_ok(orff_moments_features(moments, kernel, &features));
    assert_int_equal(orff_features_describe(features).frequencies, 24);
    assert_int_equal(orff_features_describe(features).parameters,
                     2 * 7 * OUTPUTS); /* 17 are for the shorter scale */
    orff_features_free(features);
    features = NULL;
    assert_status(orff_moments_features(moments, wrong, &features), ORFF_ERROR_UNSUPPORTED);
    assert_status(orff_moments_features(moments, wide, &features), ORFF_ERROR_MISMATCH);
    assert_says("outputs");
    assert_null(features);
    orff_kernel_free(kernel);
    orff_kernel_free(wide);
    orff_kernel_free(wrong);
    orff_moments_free(moments);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_the_naive_sums),
        cmocka_unit_test(single_precision_is_single),
        cmocka_unit_test(description_tells_sizes),
        cmocka_unit_test(integer_weights_repeat_rows),
        cmocka_unit_test(any_split_gives_the_whole),
        cmocka_unit_test(a_reader_gives_the_whole),
        cmocka_unit_test(memory_does_not_grow_with_rows),
        cmocka_unit_test(a_failing_reader_is_reported),
        cmocka_unit_test(a_reader_with_nan_keeps_the_blocks_before),
        cmocka_unit_test(folds_partition_the_rows),
        cmocka_unit_test(folds_depend_on_seed_and_numbers),
        cmocka_unit_test(forgotten_rows_leave_their_folds),
        cmocka_unit_test(moments_like_others_begin_empty),
        cmocka_unit_test(subtracting_undoes_adding),
        cmocka_unit_test(an_object_may_meet_itself),
        cmocka_unit_test(a_mismatch_is_named),
        cmocka_unit_test(given_frequencies_are_compared_by_value),
        cmocka_unit_test(bad_rows_change_nothing),
        cmocka_unit_test(numbers_whose_sums_overflow_are_refused),
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(cancelling_changes_nothing),
        cmocka_unit_test(cancelling_a_reader_keeps_the_blocks_before),
        cmocka_unit_test(another_kernel_stands_on_the_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
