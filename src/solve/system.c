/* Building ridge systems from moments. */
#include "solve/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

/* ---- centring */

/* sum c |y - mean|^2 */
static double centred_square(const orffi_moment_set *sum, size_t p, const double *mean) {
    const double N = sum->T[(p + 1) * (p + 1) - 1];
    double total = 0.0;
    for (size_t k = 0; k < p; k++)
        total += sum->T[k * (p + 1) + k] - 2.0 * mean[k] * sum->T[p * (p + 1) + k] + N * mean[k] * mean[k];
    return fmax(total, 0.0);
}

orff_status orffi_centre_fill(orffi_centre *centre, const orffi_moment_set *sum, size_t L, size_t p,
                              bool center, const double *mean) {
    centre->N = sum->T[(p + 1) * (p + 1) - 1];
    ORFFI_TRY(ORFFI_NEW_ARRAY(centre->mean, p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(centre->R, L * p));
    for (size_t k = 0; k < p; k++)
        centre->mean[k] = mean                        ? mean[k]
                          : center && centre->N > 0.0 ? sum->T[p * (p + 1) + k] / centre->N
                                                      : 0.0;
    centre->yy = centred_square(sum, p, centre->mean);
    for (size_t a = 0; a < L; a++)
        for (size_t k = 0; k < p; k++)
            centre->R[a * p + k] = sum->R[a * (p + 1) + k] - centre->mean[k] * sum->R[a * (p + 1) + p];
    return ORFF_OK;
}

void orffi_centre_clear(orffi_centre *centre) {
    orffi_release(centre->mean);
    orffi_release(centre->R);
    memset(centre, 0, sizeof *centre);
}

/* ---- one decomposable part */

/* An identity needs no turning: W = I, m = root^2. */
static orff_status turn_nothing(orffi_system *s, const orffi_kernel_part *part) {
    s->r = s->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->m, s->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->W, s->p * s->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->turn, s->p * s->p));
    for (size_t b = 0; b < s->p; b++) {
        s->m[b] = part->root * part->root;
        s->W[b * s->p + b] = s->turn[b * s->p + b] = 1.0;
    }
    return ORFF_OK;
}

/* m and W from A (p x p, destroyed): A = W diag(m) W^T, with the m above rounding, which are the last
 * ones. */
static orff_status diagonalise(orffi_system *s, double *A) {
    const size_t p = s->p;
    double *values;
    ORFFI_TRY(ORFFI_NEW_ARRAY(values, p));
    orff_status status = orffi_eigen(p, A, values);
    if (!status) status = ORFFI_NEW_ARRAY(s->m, p);
    if (!status) status = ORFFI_NEW_ARRAY(s->W, p * p);
    for (size_t b = 0; !status && b < p; b++)
        if (values[b] > 1e-14 * values[p - 1]) s->m[s->r++] = values[b];
    for (size_t i = 0; !status && i < p; i++)
        memcpy(s->W + i * s->r, A + i * p + (p - s->r), s->r * sizeof *A);
    orffi_release(values);
    return status;
}

/* W, m and turn from the part's root^2 B B^T. */
static orff_status turn_outputs(orffi_system *s, const orffi_kernel_part *part) {
    const size_t p = s->p, width = s->width = part->columns;
    double *A;
    if (!part->B) return turn_nothing(s, part);
    s->turned = true;
    ORFFI_TRY(orffi_duplicate(&A, part->A, p * p, sizeof *A));
    for (size_t i = 0; i < p * p; i++) A[i] *= part->root * part->root;
    orff_status status = diagonalise(s, A);
    orffi_release(A);
    if (!status) status = ORFFI_NEW_ARRAY(s->turn, s->r * width);
    if (status) return status;
    orffi_gemm(true, false, s->r, width, p, part->root, s->W, s->r, part->B, width, 0.0, s->turn, width);
    for (size_t i = 0; i < s->r * width; i++) s->turn[i] /= sqrt(s->m[i / width]);
    return ORFF_OK;
}

/* Copies the turning from another system of the same kernel. */
static orff_status copy_turning(orffi_system *s, const orffi_system *whole) {
    s->r = whole->r;
    s->width = whole->width;
    s->turned = whole->turned;
    ORFFI_TRY(orffi_duplicate(&s->m, whole->m, s->r, sizeof *s->m));
    ORFFI_TRY(orffi_duplicate(&s->W, whole->W, s->p * s->r, sizeof *s->W));
    return orffi_duplicate(&s->turn, whole->turn, s->r * s->width, sizeof *s->turn);
}

/* The position in phi of feature a of the system: within the part's group, in each half. */
static size_t used_feature(const orffi_system *s, size_t a) {
    return a < s->used ? s->first + a : s->L / 2 + s->first + (a - s->used);
}

static void gather_square(const orffi_system *s, const double *S) {
    for (size_t a = 0; a < s->n; a++) {
        const double *row = S + used_feature(s, a) * s->L;
        memcpy(s->A + a * s->n, row + s->first, s->used * sizeof *row);
        memcpy(s->A + a * s->n + s->used, row + s->L / 2 + s->first, s->used * sizeof *row);
    }
}

/* stein: out (n x r) = R W on the features used; R is L x p. */
static void turn(const orffi_system *s, const double *R, double *out) {
    const size_t half = s->used * s->r;
    for (size_t h = 0; h < 2; h++) {
        const double *from = R + (h * (s->L / 2) + s->first) * s->p;
        if (s->turned)
            orffi_gemm(false, false, s->used, s->r, s->p, 1.0, from, s->p, s->W, s->r, 0.0, out + h * half,
                       s->r);
        else
            memcpy(out + h * half, from, half * sizeof *out);
    }
}

static orff_status build_stein(orffi_system *s, const orff_features *f, const double *S, const double *R,
                               const orffi_system *whole) {
    const orffi_bank_group *group = &f->bank->groups[f->part_group[0]];
    s->stein = true;
    s->first = group->first;
    s->used = group->drawn.count;
    s->n = 2 * s->used;
    ORFFI_TRY(whole ? copy_turning(s, whole) : turn_outputs(s, &f->kernel->parts[0]));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->A, s->n * s->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->rhs, s->n * s->r));
    gather_square(s, S);
    turn(s, R, s->rhs);
    for (size_t i = 0; i < s->n * s->r; i++) s->rhs[i] *= sqrt(s->m[i % s->r]);
    return ORFF_OK;
}

/* ---- any kernel */

static orff_status build_dense(orffi_system *s, const orff_features *f, const double *S, const double *R) {
    size_t square;
    ORFFI_TRY(orffi_columns_fill(&s->columns, f));
    s->n = 2 * s->columns.count;
    s->r = 1;
    ORFFI_TRY(orffi_multiply(s->n, s->n, &square));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->A, square));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->rhs, s->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->m, 1));
    s->m[0] = 1.0;
    orffi_columns_product(&s->columns, f->D, s->p, R, s->rhs);
    return orffi_assemble(&s->columns, f->D, s->p, S, s->A);
}

/* Mirrors sum->S in place. */
static orff_status build_from(orffi_system *s, const orff_features *f, bool single, orffi_moment_set *sum,
                              bool center, const double *mean, const orffi_system *whole) {
    orffi_centre centre = {0};
    memset(s, 0, sizeof *s);
    s->L = 2 * f->D;
    s->p = f->p;
    orffi_mirror(s->L, sum->S);
    orff_status status = orffi_centre_fill(&centre, sum, s->L, s->p, center, mean);
    s->N = centre.N;
    s->yy = centre.yy;
    if (!status)
        status = orffi_kernel_is_separable(f->kernel) ? build_stein(s, f, sum->S, centre.R, whole)
                                                      : build_dense(s, f, sum->S, centre.R);
    s->rounding = single ? FLT_EPSILON : (double)s->n * DBL_EPSILON;
    s->mean = centre.mean;
    centre.mean = NULL;
    orffi_centre_clear(&centre);
    return status;
}

static orff_status check_match(const orff_features *f, const orff_moments *moments) {
    if (f->p != moments->p)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the kernel has %zu outputs, the moments %zu", f->p,
                          moments->p);
    return orffi_bank_compare(f->bank, moments->bank);
}

static orff_status build(orffi_system *s, const orff_features *f, const orff_moments *moments,
                         size_t left_out, bool center, const double *mean, const orffi_system *whole) {
    orffi_moment_set sum = {0};
    ORFFI_TRY(check_match(f, moments));
    orff_status status = orffi_moment_set_init(&sum, 2 * f->D, f->p);
    if (!status) orffi_moments_sum(moments, left_out, &sum);
    if (!status) status = build_from(s, f, moments->settings.single, &sum, center, mean, whole);
    orffi_moment_set_clear(&sum);
    if (status) orffi_system_clear(s);
    return status;
}

orff_status orffi_system_build(orffi_system *s, const orff_features *f, const orff_moments *moments,
                               size_t left_out, bool center, const double *mean) {
    return build(s, f, moments, left_out, center, mean, NULL);
}

orff_status orffi_system_build_without(orffi_system *s, const orffi_system *whole, const orff_features *f,
                                       const orff_moments *moments, size_t left_out, bool center) {
    return build(s, f, moments, left_out, center, NULL, whole);
}

void orffi_system_clear(orffi_system *s) {
    double *all[] = {s->mean, s->A, s->rhs, s->m, s->W, s->turn, s->U, s->e, s->c, s->factor};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_columns_clear(&s->columns);
    memset(s, 0, sizeof *s);
}

/* ---- eigen form */

orff_status orffi_system_eigen(orffi_system *s) {
    if (s->U) return ORFF_OK;
    double *U = NULL, *e = NULL, *c = NULL;
    orff_status status = orffi_duplicate(&U, s->A, s->n * s->n, sizeof *U);
    if (!status) status = ORFFI_NEW_ARRAY(e, s->n);
    if (!status) status = ORFFI_NEW_ARRAY(c, s->n * s->r);
    if (!status) status = orffi_eigen(s->n, U, e);
    if (status) {
        orffi_release(U);
        orffi_release(e);
        orffi_release(c);
        return status;
    }
    for (size_t a = 0; a < s->n; a++) e[a] = fmax(e[a], 0.0);
    orffi_gemm(true, false, s->n, s->r, s->n, 1.0, U, s->n, s->rhs, s->r, 0.0, c, s->r);
    s->U = U;
    s->e = e;
    s->c = c;
    return ORFF_OK;
}

double orffi_system_shift(const orffi_system *s, double lambda) {
    const double largest = s->r ? s->e[s->n - 1] * s->m[s->r - 1] : 0.0;
    return fmax(s->N * lambda, s->rounding * largest);
}

void orffi_system_eigen_solve(const orffi_system *s, double shift, double *t, double *work) {
    for (size_t a = 0; a < s->n; a++)
        for (size_t b = 0; b < s->r; b++)
            work[a * s->r + b] = s->c[a * s->r + b] / (s->e[a] * s->m[b] + shift);
    orffi_gemm(false, false, s->n, s->r, s->n, 1.0, s->U, s->n, work, s->r, 0.0, t, s->r);
}

void orffi_system_expand(const orffi_system *s, const double *t, double *theta) {
    if (s->stein) {
        orffi_gemm(false, false, s->n, s->width, s->r, 1.0, t, s->r, s->turn, s->width, 0.0, theta, s->width);
    } else {
        orffi_columns_expand(&s->columns, t, theta);
    }
}

/* ---- the hat matrix of a point */

size_t orffi_system_slices(const orffi_system *s) {
    return s->stein ? 1 : s->p;
}

/* Row `slice` of Phi(x)^T in the coordinates of A: phi itself (stein), or phi_a B_i of one output. */
static void slice_of(const orffi_system *s, size_t slice, const double *phi, double *row) {
    if (s->stein) {
        for (size_t a = 0; a < s->n; a++) row[a] = phi[used_feature(s, a)];
        return;
    }
    orffi_columns_slice(&s->columns, s->L / 2, s->p, slice, phi, row);
}

void orffi_system_project(const orffi_system *s, size_t rows, const double *phi, double *Z, double *work) {
    const size_t slices = orffi_system_slices(s);
    for (size_t i = 0; i < rows; i++)
        for (size_t q = 0; q < slices; q++) slice_of(s, q, phi + i * s->L, work + (i * slices + q) * s->n);
    orffi_gemm(false, false, rows * slices, s->n, s->n, 1.0, work, s->n, s->U, s->n, 0.0, Z, s->n);
}

/* Stein: H = sum_b W_b W_b^T  m_b sum_a z_a^2 / (e_a m_b + shift). */
static void hat_stein(const orffi_system *s, double shift, const double *z, double *H) {
    for (size_t b = 0; b < s->r; b++) {
        double sum = 0.0;
        for (size_t a = 0; a < s->n; a++) sum += z[a] * z[a] / (s->e[a] * s->m[b] + shift);
        for (size_t i = 0; i < s->p; i++)
            for (size_t k = 0; k < s->p; k++)
                H[i * s->p + k] += s->m[b] * sum * s->W[i * s->r + b] * s->W[k * s->r + b];
    }
}

/* Any kernel: H = Z diag(1/(e + shift)) Z^T, Z p x n. */
static void hat_dense(const orffi_system *s, double shift, const double *Z, double *H) {
    for (size_t i = 0; i < s->p; i++) {
        for (size_t k = i; k < s->p; k++) {
            double sum = 0.0;
            for (size_t a = 0; a < s->n; a++) sum += Z[i * s->n + a] * Z[k * s->n + a] / (s->e[a] + shift);
            H[i * s->p + k] = H[k * s->p + i] = sum;
        }
    }
}

void orffi_system_hat(const orffi_system *s, double shift, const double *Z, double *H) {
    memset(H, 0, s->p * s->p * sizeof *H);
    (s->stein ? hat_stein : hat_dense)(s, shift, Z, H);
}
