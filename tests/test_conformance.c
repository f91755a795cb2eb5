/* One suite for every feature map: each existing combination of rule, base, sampling scheme and dimension
 * obeys the same laws, and the operators equal plain loops over the frequencies and blocks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/random.h"
#include "features/features.h"
#include "support.h"

/* ---- rules */

enum { MOST_PARTS = 3, MOST_INPUTS = 130 };

/* A kernel of the suite: parts, and the matrices they point to. */
typedef struct subject {
    size_t d, p, n_parts;
    orff_part parts[MOST_PARTS];
    double A[9], B[6], sigmas[MOST_INPUTS];
    size_t space[2][MOST_INPUTS];
    orff_kernel *scalar; /* k0 of the base with p = 1, for the exact form of the custom part */
} subject;

typedef struct rule_case {
    const char *name;
    bool smooth; /* needs E|w|^2 */
    size_t least_d;
    void (*fill)(subject *s);
    bool custom; /* B depends on w through a callback */
    bool no_exact;
} rule_case;

static const double output_matrix[9] = {2, 0.5, -0.3, 0.5, 1, 0.2, -0.3, 0.2, 0.7};
static const double low_rank[6] = {1, 0.5, -0.2, 0.3, 0.8, -1};

static void fill_identity(subject *s) {
    s->p = 3;
}

static void fill_matrix(subject *s) {
    s->p = 3;
    memcpy(s->A, output_matrix, sizeof s->A);
    s->parts[0].A = s->A;
}

static void fill_low_rank(subject *s) {
    s->p = 3;
    memcpy(s->B, low_rank, sizeof s->B);
    s->parts[0].B = s->B;
    s->parts[0].columns = 2;
    s->parts[0].weight = 0.6;
}

static void fill_curl(subject *s) {
    s->p = s->d;
    s->parts[0].rule = ORFF_RULE_CURL_FREE;
}

static void fill_div(subject *s) {
    s->p = s->d;
    s->parts[0].rule = ORFF_RULE_DIV_FREE;
    for (size_t i = 0; i < s->d; i++) s->sigmas[i] = 0.7 + 0.2 * (double)(i % 5);
    s->parts[0].sigmas = s->sigmas;
}

static void fill_helmholtz(subject *s) {
    s->p = s->d;
    s->parts[0].rule = ORFF_RULE_HELMHOLTZ;
    s->parts[0].mix = 0.3;
    s->parts[0].normalise = true;
}

/* B(w) = b(|w|) (i + k + 1), even in w, 3 x 2. */
static int custom_b_at(void *self, const double *w, double *B) {
    const subject *s = self;
    double n2 = 0;
    for (size_t i = 0; i < s->d; i++) n2 += w[i] * w[i];
    for (size_t i = 0; i < 6; i++) B[i] = (double)(i / 2 + i % 2 + 1) / (1 + n2);
    return 0;
}
SUPPORT_MANY(custom_b, ((subject *)self)->d, 6)

static void fill_custom_b(subject *s) {
    s->p = 3;
    s->parts[0].rule = ORFF_RULE_CUSTOM_B;
    s->parts[0].columns = 2;
    s->parts[0].matrix = custom_b;
    s->parts[0].self = s;
}

/* The matrix of a decomposable kernel, of rank 2, so that its exact form is known. */
static int custom_a_at(void *self, const double *w, double *A) {
    (void)self, (void)w;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            A[i * 3 + j] = low_rank[2 * i] * low_rank[2 * j] + low_rank[2 * i + 1] * low_rank[2 * j + 1];
    return 0;
}
SUPPORT_MANY(custom_a, ((subject *)self)->d, 9)

static int custom_exact_at(void *self, const double *delta, double *K) {
    const subject *s = self;
    const double zero[MOST_INPUTS] = {0};
    double k0;
    custom_a_at(self, delta, K);
    if (orff_kernel_eval(s->scalar, delta, zero, &k0)) return 1;
    for (size_t i = 0; i < 9; i++) K[i] *= k0;
    return 0;
}
SUPPORT_MANY(custom_exact, ((subject *)self)->d, 9)

static void fill_custom_a(subject *s) {
    s->p = 3;
    s->parts[0].rule = ORFF_RULE_CUSTOM_A;
    s->parts[0].matrix = custom_a;
    s->parts[0].exact = custom_exact;
    s->parts[0].self = s;
}

/* A large divergence-free part and a small decomposable one: two groups. */
static void fill_two_scales(subject *s) {
    s->p = s->d;
    s->n_parts = 2;
    s->parts[0].rule = ORFF_RULE_DIV_FREE;
    s->parts[0].sigma = 2;
    s->parts[0].weight = 0.7;
    s->parts[1].sigma = 0.8;
    s->parts[1].weight = 0.2;
}

/* Three parts on the same frequencies: their blocks stack. */
static void fill_shared(subject *s) {
    s->p = s->d;
    s->n_parts = 3;
    s->parts[0].weight = 0.4;
    s->parts[1].rule = ORFF_RULE_DIV_FREE;
    s->parts[1].weight = 1.5;
    s->parts[2].rule = ORFF_RULE_CURL_FREE;
    s->parts[2].weight = 0.3;
}

/* The field lives on all inputs but number 1, backwards. */
static void set_space(subject *s, size_t part) {
    size_t next = 0;
    s->p = s->d - 1;
    for (size_t i = s->d; i-- > 0;)
        if (i != 1) s->space[part][next++] = i;
    s->parts[part].space = s->space[part];
}

static void fill_covariates(subject *s) {
    s->parts[0].rule = ORFF_RULE_CURL_FREE;
    for (size_t i = 0; i < s->d; i++) s->sigmas[i] = 0.7 + 0.2 * (double)(i % 5);
    s->parts[0].sigmas = s->sigmas;
    set_space(s, 0);
}

static void fill_covariates_sum(subject *s) {
    s->n_parts = 2;
    s->parts[0].weight = 0.5;
    s->parts[1].rule = ORFF_RULE_HELMHOLTZ;
    s->parts[1].mix = 0.8;
    set_space(s, 1);
}

/* Two fields on different inputs: a law that does not care may be shared, the blocks differ. */
static void fill_two_spaces(subject *s) {
    s->n_parts = 2;
    s->parts[0].rule = ORFF_RULE_CURL_FREE;
    s->parts[1].rule = ORFF_RULE_DIV_FREE;
    set_space(s, 0);
    for (size_t i = 0; i < s->p; i++) s->space[1][i] = i;
    s->parts[1].space = s->space[1];
}

static const rule_case rules[] = {
    {"identity", false, 1, fill_identity, false, false},
    {"A", false, 1, fill_matrix, false, false},
    {"low-rank B", false, 1, fill_low_rank, false, false},
    {"curl-free", true, 1, fill_curl, false, false},
    {"div-free", true, 2, fill_div, false, false},
    {"helmholtz", true, 2, fill_helmholtz, false, false},
    {"custom B", false, 1, fill_custom_b, true, true},
    {"custom A", false, 1, fill_custom_a, true, false},
    {"two scales", true, 2, fill_two_scales, false, false},
    {"shared", true, 2, fill_shared, false, false},
    {"covariates", true, 2, fill_covariates, false, false},
    {"covariates, sum", true, 3, fill_covariates_sum, false, false},
    {"two spaces", true, 3, fill_two_spaces, false, false},
};
enum { RULES = sizeof rules / sizeof *rules };

static const struct base_case {
    orff_base base;
    double shape;
    bool smooth, spherical;
} bases[] = {
    {ORFF_BASE_GAUSSIAN, 0, true, true},        {ORFF_BASE_LAPLACE, 0, false, false},
    {ORFF_BASE_MATERN, 0.5, false, true},       {ORFF_BASE_MATERN, 1.5, true, true},
    {ORFF_BASE_MATERN, 2.2, true, true},        {ORFF_BASE_RATIONAL_QUADRATIC, 1.8, true, true},
    {ORFF_BASE_CAUCHY_PRODUCT, 0, true, false},
};
enum { BASES = sizeof bases / sizeof *bases };

static void open_subject(subject *s, const rule_case *rule, const struct base_case *base, size_t d) {
    memset(s, 0, sizeof *s);
    s->d = d;
    s->n_parts = 1;
    for (size_t m = 0; m < MOST_PARTS; m++) {
        s->parts[m] = orff_part_default();
        s->parts[m].base = base->base;
        s->parts[m].shape = base->shape;
        s->parts[m].sigma = 1.1;
    }
    const orff_part scalar = s->parts[0];
    assert_ok(orff_kernel_create(&s->scalar, d, 1, 1, &scalar));
    rule->fill(s);
}

static void close_subject(subject *s) {
    orff_kernel_free(s->scalar);
}

/* Whether the scheme can draw from the laws of this subject. */
static bool can_draw(const subject *s, const struct base_case *base, orff_scheme scheme) {
    if (scheme == ORFF_SCHEME_ORTHOGONAL) return base->spherical;
    if (scheme == ORFF_SCHEME_HADAMARD) return base->spherical && s->d >= 16;
    if (scheme == ORFF_SCHEME_GRID)
        return s->d <= 3 &&
               !(base->base == ORFF_BASE_RATIONAL_QUADRATIC && base->shape <= 0.5 * (double)s->d);
    return true;
}

/* ---- plain loops */

/* A feature map taken apart, with data to try it on. */
typedef struct bench {
    const orff_features *features;
    size_t d, p, D, M, n;
    double *omega, *q;
    double **B; /* D blocks, p x columns[j] */
    size_t *columns;
    double *X, *theta, *Y;
    double widest; /* largest sum |w_i x_i|, what the rounding of angles is proportional to */
} bench;

static void open_bench(bench *b, const orff_features *features, size_t n) {
    const orff_features_info info = orff_features_describe(features);
    *b = (bench){.features = features,
                 .d = info.inputs,
                 .p = info.outputs,
                 .D = info.frequencies,
                 .M = info.parameters,
                 .n = n};
    assert_int_equal(info.length, 2 * b->D);
    b->omega = support_zeros(b->D * b->d);
    b->q = support_zeros(b->D);
    assert_ok(orff_features_frequencies(features, b->omega, b->q));
    b->B = calloc(b->D, sizeof *b->B);
    b->columns = calloc(b->D, sizeof *b->columns);
    size_t M = 0;
    for (size_t j = 0; j < b->D; j++) {
        assert_ok(orff_features_block(features, j, &b->columns[j], NULL));
        b->B[j] = support_zeros(b->p * b->columns[j]);
        assert_ok(orff_features_block(features, j, &b->columns[j], b->B[j]));
        M += 2 * b->columns[j];
    }
    assert_int_equal(M, b->M);
    b->X = support_normal(n * b->d, 17, 1);
    for (size_t i = 0; i < n * b->d; i++) b->X[i] = (double)(float)b->X[i];
    b->theta = support_normal(b->M, 17, 2);
    b->Y = support_normal(n * b->p, 17, 3);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < b->D; j++) {
            double sum = 0;
            for (size_t k = 0; k < b->d; k++) sum += fabs(b->X[i * b->d + k] * b->omega[j * b->d + k]);
            b->widest = fmax(b->widest, sum);
        }
    }
}

static void close_bench(bench *b) {
    for (size_t j = 0; j < b->D; j++) free(b->B[j]);
    free(b->B);
    free(b->columns);
    free(b->omega);
    free(b->q);
    free(b->X);
    free(b->theta);
    free(b->Y);
}

/* sqrt(q_j) cos or sin <w_j, x> */
static double feature(const bench *b, const double *x, size_t half, size_t j) {
    double angle = 0;
    for (size_t k = 0; k < b->d; k++) angle += b->omega[j * b->d + k] * x[k];
    return sqrt(b->q[j]) * (half ? sin(angle) : cos(angle));
}

/* Phi(x), M x p: rows phi_a B_j^T in order of half, frequency, column. */
static void plain_map(const bench *b, const double *x, double *Phi) {
    size_t row = 0;
    for (size_t half = 0; half < 2; half++) {
        for (size_t j = 0; j < b->D; j++) {
            const double phi = feature(b, x, half, j);
            for (size_t k = 0; k < b->columns[j]; k++, row++)
                for (size_t i = 0; i < b->p; i++) Phi[row * b->p + i] = phi * b->B[j][i * b->columns[j] + k];
        }
    }
}

/* F = Phi(x_i)^T theta, back = sum_i Phi(x_i) y_i; sizes get the same sums of absolute values. */
static void plain_operators(const bench *b, double *F, double *F_size, double *back, double *back_size) {
    double *Phi = support_zeros(b->M * b->p);
    *F_size = *back_size = 0;
    for (size_t n = 0; n < b->n; n++) {
        plain_map(b, b->X + n * b->d, Phi);
        double size = 0;
        for (size_t a = 0; a < b->M; a++) {
            double share = 0;
            for (size_t i = 0; i < b->p; i++) {
                F[n * b->p + i] += Phi[a * b->p + i] * b->theta[a];
                back[a] += Phi[a * b->p + i] * b->Y[n * b->p + i];
                size += fabs(Phi[a * b->p + i] * b->theta[a]);
                share += fabs(Phi[a * b->p + i] * b->Y[n * b->p + i]);
            }
            *back_size = fmax(*back_size, share * (double)b->n);
        }
        *F_size = fmax(*F_size, size);
    }
    free(Phi);
}

static void assert_near(size_t n, const double *got, const double *want, double room, const char *what) {
    for (size_t i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= room)) {
            print_error("%s, entry %zu of %zu\n", what, i, n);
            assert_close(got[i], want[i], room / fmax(1, fabs(want[i])));
        }
}

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- the laws */

/* A(w) of the rules that have one in closed form, from w alone. */
static void expected_A(const subject *s, const orff_part *part, const double *w, double *A) {
    const size_t p = s->p;
    double n2 = 0, v[MOST_INPUTS];
    for (size_t i = 0; part->rule != ORFF_RULE_DECOMPOSABLE && i < p; i++) {
        v[i] = w[part->space ? part->space[i] : i];
        n2 += v[i] * v[i];
    }
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++) {
            double a = i == j;
            if (part->A) a = part->A[i * p + j];
            if (part->B) a = part->B[2 * i] * part->B[2 * j] + part->B[2 * i + 1] * part->B[2 * j + 1];
            const double along = part->rule == ORFF_RULE_DECOMPOSABLE ? 0 : v[i] * v[j];
            const double across = (i == j ? n2 : 0) - along;
            if (part->rule == ORFF_RULE_CURL_FREE) a = along;
            if (part->rule == ORFF_RULE_DIV_FREE) a = across;
            if (part->rule == ORFF_RULE_HELMHOLTZ) a = part->mix * along + (1 - part->mix) * across;
            A[i * p + j] += part->weight * a;
        }
    }
}

/* sum over the parts of a group of A(w) = B B^T of the stacked block. Of two groups the first belongs to the first
 * part. */
static void check_blocks(const subject *s, const bench *b, size_t groups) {
    const size_t p = s->p, pp = p * p;
    double *want = support_zeros(pp), *got = support_zeros(pp);
    for (size_t j = 0; j < b->D; j++) {
        const double *w = b->omega + j * b->d, *B = b->B[j];
        const size_t columns = b->columns[j];
        double size = 0;
        memset(want, 0, pp * sizeof *want);
        for (size_t m = 0; m < s->n_parts; m++)
            if (groups == 1 || (j < b->features->bank->groups[1].first) == (m == 0))
                expected_A(s, &s->parts[m], w, want);
        for (size_t i = 0; i < p; i++) size += want[i * p + i];
        orffi_gemm(false, true, p, p, columns, 1, B, columns, B, columns, 0, got, p);
        assert_near(pp, got, want, 1e-13 * size, "B B^T");
    }
    free(want);
    free(got);
}

static double check_operators(const bench *b) {
    const size_t np = b->n * b->p;
    double *F = support_zeros(np), *back = support_zeros(b->M), *F_plain = support_zeros(np),
           *back_plain = support_zeros(b->M), *normal = support_zeros(b->M), *again = support_zeros(b->M),
           F_size, back_size;
    plain_operators(b, F_plain, &F_size, back_plain, &back_size);
    const double eps = 1e-15 * (20 + b->widest);
    assert_ok(orff_features_apply(b->features, b->n, b->X, b->theta, F));
    assert_near(np, F, F_plain, eps * F_size, "P theta");
    assert_ok(orff_features_adjoint(b->features, b->n, b->X, b->Y, back));
    assert_near(b->M, back, back_plain, eps * back_size, "P^* Y");
    /* <P theta, Y> = <theta, P^* Y>: both sides on the same rounded phi, so angles do not enter */
    double size = 0;
    for (size_t i = 0; i < np; i++) size += fabs(b->Y[i]) * F_size;
    assert_close(dot(np, F, b->Y), dot(b->M, b->theta, back), 1e-13 * fmax(1, size));
    assert_ok(orff_features_normal(b->features, b->n, b->X, b->theta, normal));
    assert_ok(orff_features_adjoint(b->features, b->n, b->X, F, again));
    double most = 0;
    for (size_t i = 0; i < b->M; i++) most = fmax(most, fabs(again[i]));
    assert_near(b->M, normal, again, 1e-12 * most, "P^* P theta");
    /* P(2 theta + P^* Y) = 2 P theta + P P^* Y */
    for (size_t i = 0; i < b->M; i++) again[i] = 2 * b->theta[i] + back[i];
    double *sum = support_zeros(np), *PPY = support_zeros(np), PPY_size = 0;
    assert_ok(orff_features_apply(b->features, b->n, b->X, again, sum));
    assert_ok(orff_features_apply(b->features, b->n, b->X, back, PPY));
    for (size_t i = 0; i < np; i++) PPY_size = fmax(PPY_size, fabs(PPY[i]));
    for (size_t i = 0; i < np; i++) PPY[i] += 2 * F[i];
    assert_near(np, sum, PPY, 1e-12 * (F_size + PPY_size + back_size), "linearity");
    double *all[] = {F, back, F_plain, back_plain, normal, again, sum, PPY};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return F_size;
}

/* trace of sum q_j B_j B_j^T: the size of K~(0). */
static double kernel_size(const bench *b) {
    double size = 0;
    for (size_t j = 0; j < b->D; j++)
        for (size_t i = 0; i < b->p * b->columns[j]; i++) size += b->q[j] * b->B[j][i] * b->B[j][i];
    return size;
}

/* K~ = Phi(x)^T Phi(z), symmetric under exchange, a function of x - z. */
static void check_kernel(const bench *b) {
    const size_t p = b->p, pp = p * p;
    const double *x = b->X, *z = b->X + b->d, room = 1e-14 * (20 + b->widest) * kernel_size(b);
    double *Phi = support_zeros(b->M * p), *Psi = support_zeros(b->M * p), *plain = support_zeros(b->M * p),
           *K = support_zeros(pp), *back = support_zeros(pp), *product = support_zeros(pp),
           *moved = support_zeros(2 * b->d);
    assert_ok(orff_features_map(b->features, x, Phi));
    assert_ok(orff_features_map(b->features, z, Psi));
    plain_map(b, x, plain);
    assert_near(b->M * p, Phi, plain, 1e-14 * (20 + b->widest) * sqrt(kernel_size(b)), "Phi");
    assert_ok(orff_features_kernel(b->features, x, z, K));
    assert_ok(orff_features_kernel(b->features, z, x, back));
    orffi_gemm(true, false, p, p, b->M, 1, Phi, p, Psi, p, 0, product, p);
    assert_near(pp, K, product, room, "Phi^T Phi");
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) assert_near(1, &back[j * p + i], &K[i * p + j], room, "K~(z,x)^T");
    for (size_t i = 0; i < 2 * b->d; i++) moved[i] = b->X[i] + 0.5 * (double)(i % b->d % 3);
    assert_ok(orff_features_kernel(b->features, moved, moved + b->d, back));
    assert_near(pp, back, K, 4 * room, "shift");
    double *all[] = {Phi, Psi, plain, K, back, product, moved};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* The Gram matrix of K~ on all points has no negative eigenvalue. */
static void check_gram(const bench *b) {
    const size_t p = b->p, side = b->n * p;
    double *G = support_zeros(side * side), *values = support_zeros(side), *K = support_zeros(p * p);
    for (size_t i = 0; i < b->n; i++) {
        for (size_t j = 0; j < b->n; j++) {
            assert_ok(orff_features_kernel(b->features, b->X + i * b->d, b->X + j * b->d, K));
            for (size_t a = 0; a < p; a++)
                for (size_t c = 0; c < p; c++) G[(i * p + a) * side + j * p + c] = K[a * p + c];
        }
    }
    assert_ok(orffi_eigen(side, G, values));
    assert_true(values[0] >= -1e-10 * fmax(1, values[side - 1]));
    free(G);
    free(values);
    free(K);
}

/* Single precision follows double; frequencies far out lose what float loses in the angle. */
static void check_single(const bench *b, double F_size) {
    const size_t np = b->n * b->p;
    const double eps = 1e-6 * (4 + b->widest);
    float *X = calloc(b->n * b->d, sizeof *X), *Y = calloc(np, sizeof *Y), *F = calloc(np, sizeof *F);
    double *want = support_zeros(np), *got = support_zeros(np), *out = support_zeros(b->M),
           *ref = support_zeros(b->M), most = 0;
    for (size_t i = 0; i < b->n * b->d; i++) X[i] = (float)b->X[i];
    for (size_t i = 0; i < np; i++) Y[i] = (float)b->Y[i];
    assert_ok(orff_features_apply(b->features, b->n, b->X, b->theta, want));
    assert_ok(orff_features_apply_single(b->features, b->n, X, b->theta, F));
    for (size_t i = 0; i < np; i++) got[i] = (double)F[i];
    assert_near(np, got, want, eps * F_size, "single P theta");
    assert_ok(orff_features_adjoint(b->features, b->n, b->X, b->Y, ref));
    assert_ok(orff_features_adjoint_single(b->features, b->n, X, Y, out));
    for (size_t i = 0; i < b->M; i++) most = fmax(most, fabs(ref[i]));
    assert_near(b->M, out, ref, 3 * eps * most, "single P^* Y");
    assert_ok(orff_features_normal(b->features, b->n, b->X, b->theta, ref));
    assert_ok(orff_features_normal_single(b->features, b->n, X, b->theta, out));
    most = 0;
    for (size_t i = 0; i < b->M; i++) most = fmax(most, fabs(ref[i]));
    assert_near(b->M, out, ref, 10 * eps * fmax(most, F_size), "single P^* P theta");
    free(X);
    free(Y);
    free(F);
    free(want);
    free(got);
    free(out);
    free(ref);
}

static void check_all(const subject *s, const rule_case *rule, const orff_features *features, size_t groups,
                      size_t n) {
    bench b;
    open_bench(&b, features, n);
    assert_int_equal(b.d, s->d);
    assert_int_equal(b.p, s->p);
    if (!rule->custom && !s->parts[0].normalise) check_blocks(s, &b, groups);
    const double F_size = check_operators(&b);
    check_kernel(&b);
    check_gram(&b);
    check_single(&b, F_size);
    close_bench(&b);
}

/* ---- every combination */

static orff_sampling sampling_of(orff_scheme scheme, size_t D) {
    orff_sampling sampling = orff_sampling_default();
    sampling.scheme = scheme;
    sampling.features = D;
    sampling.seed = 3;
    return sampling;
}

static void run_scheme(const subject *s, const rule_case *rule, const struct base_case *base,
                       orff_scheme scheme, size_t D) {
    const double extent[MOST_INPUTS] = {1, 1, 1};
    orff_sampling sampling = sampling_of(scheme, D);
    if (scheme == ORFF_SCHEME_GRID) { /* as many as a rough tolerance takes */
        sampling.features = 0;
        sampling.tolerance = 0.3;
        sampling.extent = extent;
    }
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    support_case("%s, %s %g, %s, d=%zu", rule->name, orff_base_name(base->base), base->shape,
                 orff_scheme_name(scheme), s->d);
    assert_ok(orff_kernel_create(&kernel, s->d, s->p, s->n_parts, s->parts));
    const size_t groups = orff_kernel_groups(kernel);
    if (!can_draw(s, base, scheme)) {
        assert_status(orff_features_create(&features, kernel, &sampling), ORFF_ERROR_UNSUPPORTED);
    } else {
        assert_ok(orff_features_create(&features, kernel, &sampling));
        const orff_features_info info = orff_features_describe(features);
        if (scheme != ORFF_SCHEME_GRID) assert_int_equal(info.frequencies, D);
        if (scheme != ORFF_SCHEME_AUTO) assert_int_equal(info.scheme, scheme);
        const bool halves =
            scheme != ORFF_SCHEME_GRID || groups == 1; /* groups of a grid may differ in size */
        if (halves) check_all(s, rule, features, groups, s->p > 10 ? 2 : 5);
    }
    orff_features_free(features);
    orff_kernel_free(kernel);
}

/* Grids of heavy-tailed laws in space have thousands of points. */
static bool worth_it(const struct base_case *base, orff_scheme scheme, size_t d) {
    return scheme != ORFF_SCHEME_GRID || base->base == ORFF_BASE_GAUSSIAN || d < 3;
}

static void run_dimension(size_t d, const orff_scheme *schemes, size_t n_schemes) {
    for (size_t r = 0; r < RULES; r++) {
        for (size_t i = 0; i < BASES; i++) {
            if (d < rules[r].least_d || (rules[r].smooth && !bases[i].smooth)) continue;
            subject s;
            open_subject(&s, &rules[r], &bases[i], d);
            for (size_t k = 0; k < n_schemes; k++)
                if (worth_it(&bases[i], schemes[k], d)) run_scheme(&s, &rules[r], &bases[i], schemes[k], 24);
            close_subject(&s);
        }
    }
}

static const orff_scheme all_schemes[] = {ORFF_SCHEME_AUTO, ORFF_SCHEME_IID,    ORFF_SCHEME_ORTHOGONAL,
                                          ORFF_SCHEME_QMC,  ORFF_SCHEME_HALTON, ORFF_SCHEME_HADAMARD,
                                          ORFF_SCHEME_GRID};

static void on_the_line(void **state) {
    (void)state;
    run_dimension(1, all_schemes, 7);
}

static void in_the_plane(void **state) {
    (void)state;
    run_dimension(2, all_schemes, 7);
}

static void in_space(void **state) {
    (void)state;
    run_dimension(3, all_schemes, 7);
}

static void in_five_dimensions(void **state) {
    (void)state;
    run_dimension(5, all_schemes, 7);
}

/* Hadamard rows stored, 17 inputs in blocks of 32, with every kind of block. */
static void in_many_dimensions(void **state) {
    (void)state;
    for (size_t r = 0; r < RULES; r++) {
        const struct base_case *base = &bases[r % 2 ? 4 : 0];
        subject s;
        open_subject(&s, &rules[r], base, 17);
        run_scheme(&s, &rules[r], base, ORFF_SCHEME_HADAMARD, 40);
        run_scheme(&s, &rules[r], base, ORFF_SCHEME_AUTO, 40);
        close_subject(&s);
    }
}

/* Hadamard rows applied by transforms: 130 inputs in blocks of 256, and small fields with many covariates. */
static void with_fast_transforms(void **state) {
    (void)state;
    const struct {
        size_t rule, base, D;
    } cases[] = {{0, 0, 300}, {2, 4, 300}, {3, 0, 20}, {4, 4, 6},  {5, 5, 6},
                 {6, 0, 20},  {8, 3, 6},   {9, 0, 4},  {10, 0, 12}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s;
        open_subject(&s, &rules[cases[k].rule], &bases[cases[k].base], 130);
        run_scheme(&s, &rules[cases[k].rule], &bases[cases[k].base], ORFF_SCHEME_HADAMARD, cases[k].D);
        close_subject(&s);
    }
}

/* ---- sizes and threads */

/* Rows of n points are those of the points alone, sums are sums of pieces, whatever the blocks. */
static void check_sizes(const orff_features *features) {
    enum { N = 1100, FIRST = 7 };
    bench b;
    open_bench(&b, features, N);
    double *F = support_zeros(N * b.p), *few = support_zeros(N * b.p), *whole = support_zeros(b.M),
           *piece = support_zeros(b.M), *sum = support_zeros(b.M), *phi = support_zeros(N * 2 * b.D),
           *phi_few = support_zeros(2 * b.D);
    assert_ok(orff_features_apply(features, N, b.X, b.theta, F));
    assert_ok(orff_features_apply(features, FIRST, b.X, b.theta, few));
    assert_all_close(FIRST * b.p, few, F, 1e-11);
    assert_ok(orff_features_apply(features, 1, b.X + (N - 1) * b.d, b.theta, few));
    assert_all_close(b.p, few, F + (N - 1) * b.p, 1e-11);
    assert_ok(orff_features_phi(features, N, b.X, phi));
    assert_ok(orff_features_phi(features, 1, b.X + 1050 * b.d, phi_few));
    assert_all_close(2 * b.D, phi_few, phi + 1050 * 2 * b.D, 1e-12);
    assert_ok(orff_features_adjoint(features, N, b.X, b.Y, whole));
    assert_ok(orff_features_adjoint(features, FIRST, b.X, b.Y, sum));
    assert_ok(orff_features_adjoint(features, N - FIRST, b.X + FIRST * b.d, b.Y + FIRST * b.p, piece));
    for (size_t i = 0; i < b.M; i++) sum[i] += piece[i];
    assert_all_close(b.M, sum, whole, 1e-10);
    assert_ok(orff_features_normal(features, N, b.X, b.theta, whole));
    assert_ok(orff_features_adjoint(features, N, b.X, F, piece));
    assert_all_close(b.M, whole, piece, 1e-10);
    /* nothing in, nothing out: an empty sum is zero */
    assert_ok(orff_features_apply(features, 0, b.X, b.theta, F));
    assert_ok(orff_features_phi(features, 0, b.X, phi));
    assert_ok(orff_features_adjoint(features, 0, b.X, b.Y, whole));
    assert_ok(orff_features_normal(features, 0, b.X, b.theta, piece));
    for (size_t i = 0; i < b.M; i++) assert_true(whole[i] == 0 && piece[i] == 0);
    double *all[] = {F, few, whole, piece, sum, phi, phi_few};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    close_bench(&b);
}

/* The same frequencies, bit for bit, and the same results to rounding with one thread and with two. */
static void check_threads(const orff_kernel *kernel, const orff_sampling *sampling) {
    enum { N = 200 };
    double *omega[2], *F[2], *back[2];
    size_t D = 0, d = orff_kernel_inputs(kernel), p = orff_kernel_outputs(kernel), M = 0;
    for (size_t k = 0; k < 2; k++) {
        orff_features *features = NULL;
        bench b;
        assert_ok(orff_set_threads(k + 1));
        assert_int_equal(orff_get_threads(), k + 1);
        assert_ok(orff_features_create(&features, kernel, sampling));
        open_bench(&b, features, N);
        D = b.D;
        M = b.M;
        omega[k] = support_zeros(D * d);
        F[k] = support_zeros(N * p);
        back[k] = support_zeros(M);
        memcpy(omega[k], b.omega, D * d * sizeof *b.omega);
        assert_ok(orff_features_apply(features, N, b.X, b.theta, F[k]));
        assert_ok(orff_features_adjoint(features, N, b.X, b.Y, back[k]));
        close_bench(&b);
        orff_features_free(features);
    }
    assert_ok(orff_set_threads(1));
    assert_memory_equal(omega[0], omega[1], D * d * sizeof(double));
    assert_all_close(N * p, F[1], F[0], 1e-11);
    assert_all_close(M, back[1], back[0], 1e-11);
    for (size_t k = 0; k < 2; k++) {
        free(omega[k]);
        free(F[k]);
        free(back[k]);
    }
}

static void sizes_and_threads_do_not_matter(void **state) {
    (void)state;
    const struct {
        size_t d;
        orff_scheme scheme;
    } how[] = {{3, ORFF_SCHEME_QMC},
               {3, ORFF_SCHEME_ORTHOGONAL},
               {17, ORFF_SCHEME_HADAMARD},
               {130, ORFF_SCHEME_HADAMARD}};
    for (size_t k = 0; k < 4; k++) {
        for (size_t r = 0; r < RULES; r++) {
            if (how[k].d == 130 && r != 0 && r != 3) continue;
            const orff_sampling sampling = sampling_of(how[k].scheme, how[k].d == 3 ? 13 : 40);
            subject s;
            orff_kernel *kernel = NULL;
            orff_features *features = NULL;
            open_subject(&s, &rules[r], &bases[0], how[k].d);
            support_case("%s, d=%zu, %s", rules[r].name, how[k].d, orff_scheme_name(how[k].scheme));
            assert_ok(orff_kernel_create(&kernel, s.d, s.p, s.n_parts, s.parts));
            assert_ok(orff_features_create(&features, kernel, &sampling));
            check_sizes(features);
            check_threads(kernel, &sampling);
            orff_features_free(features);
            orff_kernel_free(kernel);
            close_subject(&s);
        }
    }
}

/* ---- closeness to the exact kernel */

/* Largest entry of K~ - K over pairs of points in [-1,1]^d, relative to the largest of K(0). */
static double worst_error(const orff_kernel *kernel, const orff_features *features) {
    enum { PAIRS = 6 };
    const size_t d = orff_kernel_inputs(kernel),
                 pp = orff_kernel_outputs(kernel) * orff_kernel_outputs(kernel);
    const orffi_rng rng = {23, 0};
    double x[5], z[5], K[25], approx[25], size = 0, worst = 0;
    memset(x, 0, sizeof x);
    assert_ok(orff_kernel_eval(kernel, x, x, K));
    for (size_t i = 0; i < pp; i++) size = fmax(size, fabs(K[i]));
    for (size_t k = 0; k < PAIRS; k++) {
        for (size_t i = 0; i < d; i++) {
            x[i] = 2 * orffi_rng_uniform(rng, k, (uint32_t)i) - 1;
            z[i] = k == 0 ? x[i] : 2 * orffi_rng_uniform(rng, k, (uint32_t)(i + 8)) - 1;
        }
        assert_ok(orff_kernel_eval(kernel, x, z, K));
        assert_ok(orff_features_kernel(features, x, z, approx));
        for (size_t i = 0; i < pp; i++) worst = fmax(worst, fabs(K[i] - approx[i]) / size);
    }
    return worst;
}

/* The error stays below `room`, and for a grid below its own estimate. */
static void check_closeness(const rule_case *rule, const struct base_case *base, size_t d,
                            const orff_sampling *sampling, double room) {
    subject s;
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    open_subject(&s, rule, base, d);
    support_case("%s, %s %g, %s, d=%zu", rule->name, orff_base_name(base->base), base->shape,
                 orff_scheme_name(sampling->scheme), d);
    assert_ok(orff_kernel_create(&kernel, s.d, s.p, s.n_parts, s.parts));
    assert_ok(orff_features_create(&features, kernel, sampling));
    const orff_features_info info = orff_features_describe(features);
    const double error = worst_error(kernel, features);
    if (sampling->scheme == ORFF_SCHEME_GRID) {
        assert_true(info.quadrature_error > 0 && info.quadrature_error <= sampling->tolerance);
        room = fmin(room, info.quadrature_error);
    }
    if (rule->smooth && !info.importance) room *= info.warnings & ORFF_WARN_INFINITE_VARIANCE ? 10 : 3;
    assert_close(error, 0, room);
    orff_features_free(features);
    orff_kernel_free(kernel);
    close_subject(&s);
}

static void many_frequencies_come_close(void **state) {
    (void)state;
    const orff_sampling sampling = sampling_of(ORFF_SCHEME_QMC, 4096);
    const size_t dims[] = {2, 3, 5};
    for (size_t k = 0; k < 3; k++)
        for (size_t r = 0; r < RULES; r++)
            for (size_t i = 0; i < BASES; i++)
                if (!rules[r].no_exact && dims[k] >= rules[r].least_d &&
                    (!rules[r].smooth || bases[i].smooth))
                    check_closeness(&rules[r], &bases[i], dims[k], &sampling, dims[k] < 5 ? 0.03 : 0.05);
}

static void grids_keep_their_promise(void **state) {
    (void)state;
    const double extent[3] = {2, 2, 2};
    orff_sampling sampling = sampling_of(ORFF_SCHEME_GRID, 0);
    sampling.extent = extent;
    for (size_t r = 0; r < RULES; r++) {
        for (size_t d = rules[r].least_d; d <= 3; d++) {
            if (rules[r].no_exact || d < rules[r].least_d) continue;
            sampling.tolerance = d == 3 ? 1e-3 : 1e-6;
            check_closeness(&rules[r], &bases[0], d, &sampling, 1);
            sampling.tolerance = 1e-2;
            if (d < 3) check_closeness(&rules[r], &bases[4], d, &sampling, 1);
            if (d < 3) check_closeness(&rules[r], &bases[6], d, &sampling, 1);
        }
    }
}

/* Small problems, many of them: one thread, but where threads are the subject. */
static int use_one_thread(void **state) {
    (void)state;
    return orff_set_threads(1) != ORFF_OK;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_line),
        cmocka_unit_test(in_the_plane),
        cmocka_unit_test(in_space),
        cmocka_unit_test(in_five_dimensions),
        cmocka_unit_test(in_many_dimensions),
        cmocka_unit_test(with_fast_transforms),
        cmocka_unit_test(sizes_and_threads_do_not_matter),
        cmocka_unit_test(many_frequencies_come_close),
        cmocka_unit_test(grids_keep_their_promise),
    };
    return cmocka_run_group_tests(tests, use_one_thread, NULL);
}
