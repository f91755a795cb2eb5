/* Rows left out: predicted by a Gaussian process of the model's kernel, noise and lambda on the rows around. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/small.h"
#include "model/held_out_unit.h"

/* K between points: (n q) x (m q). Of the same points only the lower triangle of blocks. */
static orff_status fill_kernel(const orffi_left_field *f, size_t n, const double *X, size_t m,
                               const double *Z, double *K) {
    const size_t d = f->plan->d, q = f->q;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, d + f->plan->p * f->plan->p));
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < n; i++)
        for (size_t j = 0; !status && j < (X == Z ? i + 1 : m); j++)
            status = orffi_kernel_between(f->kernel, f->scalar, X + i * d, Z + j * d,
                                          K + i * q * m * q + j * q, m * q, work, work + d);
    orffi_release(work);
    return status;
}

/* What the mean of a cell may differ by from the value in its middle: as much as f does over half of its half width. */
orff_status orffi_left_fill_blur(orffi_left_field *f) {
    const size_t d = f->plan->d, q = f->q;
    double *points = NULL, *K = NULL;
    orff_status status = ORFFI_NEW_ARRAY(f->blur, q);
    if (!status) status = ORFFI_NEW_ARRAY(points, 2 * d);
    if (!status) status = ORFFI_NEW_ARRAY(K, 4 * q * q);
    for (size_t i = 0; !status && i < d; i++) points[d + i] = f->plan->blocks[i] / (4.0 * ORFFI_LEFT_CELLS);
    if (!status) status = fill_kernel(f, 2, points, 2, points, K);
    for (size_t a = 0; !status && a < q; a++)
        f->blur[a] = fmax(K[a * 2 * q + a] - K[(q + a) * 2 * q + a], 0.0);
    orffi_release(points);
    orffi_release(K);
    return status;
}

/* The matrices of one unit. */
typedef struct local {
    size_t side, tests; /* numbers that are learned from, and predicted */
    double *K, *A;      /* side x side: without noise, and with it, then its factor */
    double *C, *V;      /* tests x side: with those that are predicted; the same, solved */
    double *own;        /* q x q: of one point */
    double *y;          /* side */
} local;

static void local_clear(local *l) {
    double *all[] = {l->K, l->A, l->C, l->V, l->own, l->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

static orff_status local_fill(const orffi_left_field *f, const orffi_left_unit *u, local *l) {
    const size_t d = f->plan->d, q = f->q;
    double *x;
    l->side = u->used * q;
    l->tests = u->tests * q;
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->K, l->side * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->A, l->side * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->C, l->tests * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->V, l->tests * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->own, q * q));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->y, l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(x, u->tests * d));
    for (size_t i = 0; i < u->tests; i++) memcpy(x + i * d, f->table.X + u->test[i] * d, d * sizeof *x);
    orff_status status = fill_kernel(f, u->used, u->Z, u->used, u->Z, l->K);
    if (!status) status = fill_kernel(f, u->tests, x, u->used, u->Z, l->C);
    if (!status) status = fill_kernel(f, 1, x, 1, x, l->own);
    orffi_release(x);
    return status;
}

/* A = K + noise, factored; V = C A^-1. shift: the noise of a row of weight 1 in the kernel's units. */
static orff_status local_factor(const orffi_left_field *f, const orffi_left_unit *u, local *l, double shift) {
    memcpy(l->A, l->K, l->side * l->side * sizeof *l->A);
    for (size_t i = 0; i < l->side; i++)
        l->A[i * (l->side + 1)] +=
            shift / u->weight[i / f->q] + (u->mean[i / f->q] ? f->blur[i % f->q] : 0.0);
    if (!orffi_small_cholesky(l->side, l->A, l->side)) return ORFF_ERROR_NUMERICAL;
    memcpy(l->V, l->C, l->tests * l->side * sizeof *l->V);
    for (size_t i = 0; i < l->tests; i++) {
        orffi_small_solve_lower(l->side, l->A, l->side, l->V + i * l->side);
        orffi_small_solve_upper(l->side, l->A, l->side, l->V + i * l->side);
    }
    return ORFF_OK;
}

/* Number a of test i: output k. F and S (tests x p) in the user's units. */
static void predict_one(const orffi_left_field *f, const orffi_left_unit *u, local *l, size_t i, size_t a,
                        size_t k, double shift, double *F, double *S) {
    const size_t p = f->plan->p, q = f->q, line = i * q + a;
    const double spread = f->model->spread[k];
    const double c = f->table.weights ? f->table.weights[u->test[i]] : 1.0;
    double value = 0.0, known = 0.0;
    for (size_t j = 0; j < l->side; j++) {
        value += l->V[line * l->side + j] * u->y[j / q * p + (q == 1 ? k : j % q)];
        known += l->V[line * l->side + j] * l->C[line * l->side + j];
    }
    const double variance =
        fmax(l->own[a * q + a] - known, 0.0) / shift + 1.0 / c; /* in those of the noise */
    F[i * p + k] = f->model->mean[k] + spread * value;
    S[i * p + k] = f->model->noise[k] * sqrt(variance);
}

orff_status orffi_left_predict(const orffi_left_field *f, orffi_left_unit *u, double *F, double *S) {
    const size_t p = f->plan->p, q = f->q;
    const double shift = f->model->lambda * f->total;
    local l = {0};
    orff_status status = local_fill(f, u, &l);
    if (!status) status = local_factor(f, u, &l, shift);
    for (size_t i = 0; !status && i < u->tests; i++)
        for (size_t k = 0; k < p; k++) predict_one(f, u, &l, i, q == 1 ? 0 : k, k, shift, F, S);
    local_clear(&l);
    return status;
}
