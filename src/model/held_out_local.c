/* Predicts held-out rows by a Gaussian process with the model's kernel, noise and lambda from the rows
 * around them. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/small.h"
#include "model/held_out_unit.h"

/* Points; along: directions of directed rows (n x p), or NULL. */
typedef struct points {
    size_t n;
    const double *X, *along;
} points;

/* K between point i of a and point j of b: q x q, written into a matrix whose rows are `stride` apart.
 * work: d + 2 p^2. */
static orff_status between(const orffi_left_field *f, const points *a, size_t i, const points *b, size_t j,
                           size_t stride, double *work, double *K) {
    const size_t d = f->plan->d, p = f->plan->p;
    const double *x = a->X + i * d, *z = b->X + j * d;
    double *block = work + d;
    if (!a->along) return orffi_kernel_between(f->kernel, f->scalar, x, z, K, stride, work, block);
    ORFFI_TRY(orffi_kernel_between(f->kernel, false, x, z, block, p, work, block + p * p));
    K[0] = 0.0;
    for (size_t k = 0; k < p * p; k++) K[0] += a->along[i * p + k / p] * block[k] * b->along[j * p + k % p];
    return ORFF_OK;
}

/* K between points: (n q) x (m q). If a == b, only the lower triangle of blocks. */
static orff_status fill_kernel(const orffi_left_field *f, const points *a, const points *b, double *K) {
    const size_t q = f->q, stride = b->n * q;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, f->plan->d + 2 * f->plan->p * f->plan->p));
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < a->n; i++)
        for (size_t j = 0; !status && j < (a == b ? i + 1 : b->n); j++)
            status = between(f, a, i, b, j, stride, work, K + i * q * stride + j * q);
    orffi_release(work);
    return status;
}

/* The variance of a cell's mean about the value in its middle: that of f over a quarter of the cell's
 * width. */
orff_status orffi_left_fill_blur(orffi_left_field *f) {
    const size_t d = f->plan->d, q = f->q;
    double *X = NULL, *K = NULL;
    orff_status status = ORFFI_NEW_ARRAY(f->blur, q);
    if (f->table.along) return status; /* directed rows are never averaged */
    if (!status) status = ORFFI_NEW_ARRAY(X, 2 * d);
    if (!status) status = ORFFI_NEW_ARRAY(K, 4 * q * q);
    for (size_t i = 0; !status && i < d; i++) X[d + i] = f->plan->blocks[i] / (4.0 * ORFFI_LEFT_CELLS);
    const points both = {2, X, NULL};
    if (!status) status = fill_kernel(f, &both, &both, K);
    for (size_t a = 0; !status && a < q; a++)
        f->blur[a] = fmax(K[a * 2 * q + a] - K[(q + a) * 2 * q + a], 0.0);
    orffi_release(X);
    orffi_release(K);
    return status;
}

/* The matrices of one unit. */
typedef struct local {
    size_t side, tests; /* numbers learned from, and numbers predicted */
    double *K, *A;      /* side x side: K without noise; K with noise, later its factor */
    double *C, *V;      /* tests x side: K between tests and rows; the same, solved */
    double *own;        /* tests x q x q: K of each test with itself */
    double *y;          /* side */
} local;

static void local_clear(local *l) {
    double *all[] = {l->K, l->A, l->C, l->V, l->own, l->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

static orff_status local_fill(const orffi_left_field *f, const orffi_left_unit *u, local *l) {
    const size_t d = f->plan->d, p = f->plan->p, q = f->q;
    double *x, *along;
    l->side = u->used * q;
    l->tests = u->tests * q;
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->K, l->side * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->A, l->side * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->C, l->tests * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->V, l->tests * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->own, u->tests * q * q));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->y, l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(x, u->tests * (d + p)));
    along = x + u->tests * d;
    for (size_t i = 0; i < u->tests; i++) {
        memcpy(x + i * d, f->table.X + u->test[i] * d, d * sizeof *x);
        if (u->along) memcpy(along + i * p, f->table.along + u->test[i] * p, p * sizeof *along);
    }
    const points seen = {u->used, u->Z, u->along}, tests = {u->tests, x, u->along ? along : NULL};
    orff_status status = fill_kernel(f, &seen, &seen, l->K);
    if (!status) status = fill_kernel(f, &tests, &seen, l->C);
    for (size_t i = 0; !status && i < u->tests; i++) {
        const points one = {1, x + i * d, u->along ? along + i * p : NULL};
        status = fill_kernel(f, &one, &one, l->own + i * q * q);
    }
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

/* The contribution of the mean to a directed row, in the user's units. */
static double mean_along(const orffi_left_field *f, size_t row) {
    const double *e = f->table.along + row * f->plan->p, divisor = orffi_left_divisor(f, row);
    double sum = 0.0;
    for (size_t k = 0; k < f->plan->p; k++) sum += f->model->mean[k] / f->model->spread[k] * e[k];
    return divisor * sum;
}

double orffi_left_value(const orffi_left_field *f, size_t row, size_t k) {
    const double y = f->table.Y[row * f->width + k];
    return f->table.along ? mean_along(f, row) + orffi_left_divisor(f, row) * y
                          : f->model->mean[k] + f->model->spread[k] * y;
}

/* Predicts number a of test i, which is output k. F and S (tests x width) are in the user's units. */
static void predict_one(const orffi_left_field *f, const orffi_left_unit *u, local *l, size_t i, size_t a,
                        size_t k, double shift, double *F, double *S) {
    const size_t width = f->width, q = f->q, line = i * q + a, row = u->test[i];
    const bool directed = f->table.along != NULL;
    const double spread = directed ? orffi_left_divisor(f, row) : f->model->spread[k];
    const double c = f->table.weights ? f->table.weights[u->test[i]] : 1.0;
    double value = 0.0, known = 0.0;
    for (size_t j = 0; j < l->side; j++) {
        value += l->V[line * l->side + j] * u->y[j / q * width + (q == 1 ? k : j % q)];
        known += l->V[line * l->side + j] * l->C[line * l->side + j];
    }
    const double variance =
        fmax(l->own[i * q * q + a * q + a] - known, 0.0) / shift + 1.0 / c; /* in units of the noise */
    F[i * width + k] = (directed ? mean_along(f, row) : f->model->mean[k]) + spread * value;
    S[i * width + k] = f->model->noise[k] / f->model->spread[k] * spread * sqrt(variance);
}

orff_status orffi_left_predict(const orffi_left_field *f, orffi_left_unit *u, double *F, double *S) {
    const size_t q = f->q;
    const double shift = f->model->lambda * f->total;
    local l = {0};
    orff_status status = local_fill(f, u, &l);
    if (!status) status = local_factor(f, u, &l, shift);
    for (size_t i = 0; !status && i < u->tests; i++)
        for (size_t k = 0; k < f->width; k++) predict_one(f, u, &l, i, q == 1 ? 0 : k, k, shift, F, S);
    local_clear(&l);
    return status;
}
