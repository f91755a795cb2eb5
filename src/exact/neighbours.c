#include "exact/neighbours.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/small.h"
#include "base/threads.h"

#define STREAM 0x4e42u
enum { TOGETHER = 4096 }; /* rows between which the caller may stop: some tenths of a second */

/* ---- one row given others */

typedef struct one_row {
    size_t q, count; /* neighbours */
    double *A;       /* (count q) x (count q): their covariance, then its factor */
    double *C;       /* q x (count q): covariance of the row with its neighbours */
    double *V;       /* q x q: variance of the row itself */
    double *block;   /* p x p */
    double *points;  /* d x count, then count */
} one_row;

size_t orffi_neighbours_room(size_t k, size_t q) {
    const size_t side = k * q;
    return side * side + 2 * q * side + q * q + q * q + k + (ORFFI_NEAR_MOST + 1) * k;
}

static one_row divide_room(size_t k, size_t q, double *work) {
    const size_t side = k * q;
    one_row t = {.q = q};
    t.A = work;
    t.C = t.A + side * side;
    t.V = t.C + 2 * q * side;
    t.block = t.V + q * q;
    t.points = t.block + q * q + k; /* distances are kept here during the search */
    return t;
}

static double noise_of(const double *weights, size_t row, double noise) {
    if (!weights) return noise;
    return weights[row] > 0.0 ? noise / weights[row] : noise / DBL_MIN;
}

/* Whether the kernel is a sum of functions of distances. */
static bool is_radial(const orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (!orffi_spectrum_is_radial(&kernel->parts[m].law)) return false;
    return true;
}

/* k (end) between x and the first `end` of `count` points, stored by column. some: room for `end` numbers. */
static void fill_radial(const orff_kernel *kernel, size_t count, const double *points, const double *x,
                        size_t end, double *some, double *k) {
    memset(k, 0, end * sizeof *k);
    for (size_t m = 0; m < kernel->n_parts; m++) {
        const orffi_kernel_part *part = &kernel->parts[m];
        const double front = part->root * part->root;
        orffi_spectrum_squares(&part->law, x, end, points, count, some);
        orffi_spectrum_k0_many(&part->law, end, some, NULL);
        for (size_t j = 0; j < end; j++) k[j] += front * some[j];
    }
}

static void fill_scalar(one_row *t, const orff_kernel *kernel, const double *X, const double *weights,
                        double noise, const double *x, const size_t *near) {
    const size_t d = kernel->d, n = t->count;
    double *some = t->points + d * n;
    for (size_t a = 0; a < d; a++)
        for (size_t i = 0; i < n; i++) t->points[a * n + i] = X[near[i] * d + a];
    for (size_t i = 0; i < n; i++) {
        fill_radial(kernel, n, t->points, X + near[i] * d, i + 1, some, t->A + i * n);
        t->A[i * (n + 1)] += noise_of(weights, near[i], noise);
    }
    fill_radial(kernel, n, t->points, x, n, some, t->C);
    t->V[0] = 0.0;
    for (size_t m = 0; m < kernel->n_parts; m++) t->V[0] += kernel->parts[m].root * kernel->parts[m].root;
}

static orff_status fill_row(one_row *t, const orff_kernel *kernel, bool scalar, const double *X,
                            const double *weights, double noise, const double *x, const size_t *near) {
    const size_t d = kernel->d, q = t->q, side = t->count * q;
    double delta[ORFFI_NEAR_MOST];
    if (scalar && is_radial(kernel)) {
        fill_scalar(t, kernel, X, weights, noise, x, near);
        return ORFF_OK;
    }
    for (size_t i = 0; i < t->count; i++) {
        const double *xi = X + near[i] * d;
        for (size_t j = 0; j <= i; j++)
            ORFFI_TRY(orffi_kernel_between(kernel, scalar, xi, X + near[j] * d, t->A + i * q * side + j * q,
                                           side, delta, t->block));
        for (size_t a = 0; a < q; a++) t->A[(i * q + a) * (side + 1)] += noise_of(weights, near[i], noise);
        ORFFI_TRY(orffi_kernel_between(kernel, scalar, x, xi, t->C + i * q, side, delta, t->block));
    }
    return orffi_kernel_between(kernel, scalar, x, x, t->V, q, delta, t->block);
}

/* V -= C A^-1 C^T; B (q x count q) = C A^-1 unless NULL. If A is not positive to rounding, the neighbours are
 * dropped. The noise of any fit is above rounding, so this should not happen. */
static void condition(one_row *t, double *B) {
    const size_t q = t->q;
    size_t side = t->count * q;
    const size_t stride = side;
    if (!orffi_small_cholesky(side, t->A, stride)) side = t->count = 0;
    for (size_t a = 0; a < q; a++) orffi_small_solve_lower(side, t->A, stride, t->C + a * stride);
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < q; b++)
            for (size_t i = 0; i < side; i++) t->V[a * q + b] -= t->C[a * stride + i] * t->C[b * stride + i];
    for (size_t a = 0; B && a < q; a++) {
        orffi_small_solve_upper(side, t->A, stride, t->C + a * stride);
        memcpy(B + a * stride, t->C + a * stride, stride * sizeof *B);
        for (size_t i = side; i < stride; i++) B[a * stride + i] = 0.0;
    }
}

/* ---- finding neighbours */

static void shuffle(size_t n, uint64_t seed, size_t *order) {
    const orffi_rng rng = {seed, STREAM};
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t i = n; i > 1; i--) {
        const size_t j = orffi_rng_below(rng, i, 0, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static orff_status find_all(orffi_neighbours *nb, orffi_near *near, double *distances) {
    for (size_t i = 0; i < nb->n; i++) {
        const size_t row = nb->order[i];
        if (i % TOGETHER == 0)
            ORFFI_TRY(orffi_progress("searching for neighbours", (double)i, (double)nb->n));
        nb->count[i] = orffi_near_find(near, nb->X + row * nb->d, nb->k, nb->near + i * nb->k, distances);
        orffi_near_add(near, row);
    }
    return ORFF_OK;
}

orff_status orffi_neighbours_init(orffi_neighbours *nb, const orff_kernel *kernel, bool scalar, size_t n,
                                  size_t d, const double *X, const double *weights, size_t k, uint64_t seed) {
    orffi_near near = {0};
    double *distances = NULL;
    *nb = (orffi_neighbours){
        .kernel = kernel, .scalar = scalar, .n = n, .d = d, .X = X, .weights = weights, .k = k};
    nb->q = scalar ? 1 : kernel->p;
    const size_t side = nb->q * k;
    orff_status status = ORFFI_NEW_ARRAY(nb->order, n);
    if (!status) status = orffi_alloc(&nb->near, n, k * sizeof *nb->near);
    if (!status) status = ORFFI_NEW_ARRAY(nb->count, n);
    if (!status) status = orffi_alloc(&nb->B, n, nb->q * side * sizeof *nb->B);
    if (!status) status = orffi_alloc(&nb->D, n, nb->q * nb->q * sizeof *nb->D);
    if (!status) status = ORFFI_NEW_ARRAY(distances, k);
    if (!status)
        status = orffi_near_init(&near, n, d, X, kernel->parts[0].law.scale, kernel->parts[0].law.period);
    if (!status) {
        shuffle(n, seed, nb->order);
        status = find_all(nb, &near, distances);
    }
    orffi_near_clear(&near);
    orffi_release(distances);
    return status;
}

void orffi_neighbours_clear(orffi_neighbours *nb) {
    orffi_release(nb->order);
    orffi_release(nb->near);
    orffi_release(nb->count);
    orffi_release(nb->B);
    orffi_release(nb->D);
    memset(nb, 0, sizeof *nb);
}

/* ---- the factor */

/* D = V^-1 (q x q, in place), and log det V. */
static double invert(size_t q, double *V, double *D) {
    double log_det = 0.0;
    if (!orffi_small_cholesky(q, V, q)) {
        for (size_t a = 0; a < q; a++)
            for (size_t b = 0; b < q; b++) V[a * q + b] = a == b ? sqrt(DBL_MIN) : 0.0;
    }
    for (size_t a = 0; a < q; a++) {
        log_det += 2.0 * log(V[a * q + a]);
        for (size_t b = 0; b < q; b++) D[a * q + b] = a == b;
        orffi_small_solve_lower(q, V, q, D + a * q);
        orffi_small_solve_upper(q, V, q, D + a * q);
    }
    return log_det;
}

static orff_status factor_row(orffi_neighbours *nb, size_t i, double *work, double *log_det) {
    const size_t row = nb->order[i], q = nb->q;
    one_row t = divide_room(nb->k, q, work);
    t.count = nb->count[i];
    const double *x = nb->X + row * nb->d;
    ORFFI_TRY(fill_row(&t, nb->kernel, nb->scalar, nb->X, nb->weights, nb->noise, x, nb->near + i * nb->k));
    condition(&t, nb->B + i * q * nb->k * q);
    for (size_t a = 0; a < q; a++) t.V[a * (q + 1)] += noise_of(nb->weights, row, nb->noise);
    *log_det += invert(q, t.V, nb->D + i * q * q);
    return ORFF_OK;
}

/* Rows from `first` to before `end`; work: `room` numbers for each thread. */
static orff_status factor_rows(orffi_neighbours *nb, size_t first, size_t end, size_t room, double *work,
                               double *logs) {
    const int threads = orffi_thread_count();
    orff_status outcome = ORFF_OK;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic, 64)
    for (size_t i = first; i < end; i++) {
        if (outcome) continue;
        const orff_status one = factor_row(nb, i, work + (size_t)orffi_thread_index() * room, &logs[i]);
        if (one) {
#pragma omp atomic write
            outcome = one;
        }
    }
    return outcome;
}

orff_status orffi_neighbours_factor(orffi_neighbours *nb, double noise) {
    const size_t room = orffi_neighbours_room(nb->k, nb->q);
    double *work, *logs;
    orff_status outcome = ORFF_OK;
    if (nb->noise == noise) return ORFF_OK;
    nb->noise = noise;
    ORFFI_TRY(orffi_alloc(&work, (size_t)orffi_thread_count(), room * sizeof *work));
    outcome = ORFFI_NEW_ARRAY(logs, nb->n);
    for (size_t first = 0; !outcome && first < nb->n; first += TOGETHER) {
        const size_t end = nb->n - first < TOGETHER ? nb->n : first + TOGETHER;
        outcome = orffi_progress(ORFFI_NEIGHBOURS_TASK, (double)first, (double)nb->n);
        if (!outcome) outcome = factor_rows(nb, first, end, room, work, logs);
    }
    nb->log_det = 0.0;
    for (size_t i = 0; !outcome && i < nb->n; i++) nb->log_det += logs[i];
    if (outcome) nb->noise = 0.0;
    orffi_release(work);
    orffi_release(logs);
    return outcome;
}

/* ---- the inverse */

/* e (q x count) = in - B in at place i; scaled = D e. */
static void predict_error(const orffi_neighbours *nb, size_t i, size_t count, const double *in, double *e,
                          double *scaled) {
    const size_t q = nb->q, side = nb->count[i] * q;
    const double *B = nb->B + i * q * nb->k * q, *D = nb->D + i * q * q;
    memcpy(e, in + nb->order[i] * q * count, q * count * sizeof *e);
    for (size_t a = 0; a < q; a++)
        for (size_t j = 0; j < nb->count[i]; j++) {
            const double *from = in + nb->near[i * nb->k + j] * q * count;
            for (size_t b = 0; b < q; b++)
                for (size_t c = 0; c < count; c++)
                    e[a * count + c] -= B[a * side + j * q + b] * from[b * count + c];
        }
    for (size_t a = 0; a < q; a++)
        for (size_t c = 0; c < count; c++) {
            scaled[a * count + c] = 0.0;
            for (size_t b = 0; b < q; b++) scaled[a * count + c] += D[a * q + b] * e[b * count + c];
        }
}

static void give_back(const orffi_neighbours *nb, size_t i, size_t count, const double *scaled, double *out) {
    const size_t q = nb->q, side = nb->count[i] * q;
    const double *B = nb->B + i * q * nb->k * q;
    double *own = out + nb->order[i] * q * count;
    for (size_t a = 0; a < q * count; a++) own[a] += scaled[a];
    for (size_t a = 0; a < q; a++)
        for (size_t j = 0; j < nb->count[i]; j++) {
            double *to = out + nb->near[i * nb->k + j] * q * count;
            for (size_t b = 0; b < q; b++)
                for (size_t c = 0; c < count; c++)
                    to[b * count + c] -= B[a * side + j * q + b] * scaled[a * count + c];
        }
}

void orffi_neighbours_apply(const orffi_neighbours *nb, size_t count, const double *in, double *out) {
    double e[ORFFI_NEIGHBOURS_MOST], scaled[ORFFI_NEIGHBOURS_MOST];
    memset(out, 0, nb->n * nb->q * count * sizeof *out);
    for (size_t i = 0; i < nb->n; i++) {
        predict_error(nb, i, count, in, e, scaled);
        give_back(nb, i, count, scaled, out);
    }
}

void orffi_neighbours_blocks(const orffi_neighbours *nb, double *blocks) {
    const size_t q = nb->q;
    memset(blocks, 0, nb->n * q * q * sizeof *blocks);
    for (size_t i = 0; i < nb->n; i++) {
        const size_t side = nb->count[i] * q;
        const double *B = nb->B + i * q * nb->k * q, *D = nb->D + i * q * q;
        double *own = blocks + nb->order[i] * q * q;
        for (size_t a = 0; a < q * q; a++) own[a] += D[a];
        for (size_t j = 0; j < nb->count[i]; j++) {
            double *to = blocks + nb->near[i * nb->k + j] * q * q;
            for (size_t b = 0; b < q * q; b++)
                for (size_t a = 0; a < q * q; a++)
                    to[b] += B[(a / q) * side + j * q + b / q] * D[a] * B[(a % q) * side + j * q + b % q];
        }
    }
}

void orffi_neighbours_leave_out(const orffi_neighbours *nb, const double *block, const double *alpha,
                                double *error) {
    double L[ORFFI_NEIGHBOURS_MOST * ORFFI_NEIGHBOURS_MOST];
    memcpy(L, block, nb->q * nb->q * sizeof *L);
    memcpy(error, alpha, nb->q * sizeof *error);
    if (!orffi_small_cholesky(nb->q, L, nb->q)) return;
    orffi_small_solve_lower(nb->q, L, nb->q, error);
    orffi_small_solve_upper(nb->q, L, nb->q, error);
}

/* ---- at a new point */

orff_status orffi_neighbours_covariance(const orff_kernel *kernel, bool scalar, const orffi_near *near,
                                        const double *weights, double noise, size_t k, const double *x,
                                        size_t *rows, double *work, double *covariance, double *B,
                                        size_t *count) {
    const size_t q = scalar ? 1 : kernel->p;

    one_row t = divide_room(k, q, work);
    double *distances = t.block + q * q;
    t.count = orffi_near_around(near, x, k, rows, distances);
    ORFFI_TRY(fill_row(&t, kernel, scalar, near->X, weights, noise, x, rows));
    if (count) *count = t.count;
    condition(&t, B);
    memcpy(covariance, t.V, q * q * sizeof *covariance);
    return ORFF_OK;
}
