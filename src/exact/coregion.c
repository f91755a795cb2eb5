#include "exact/coregion.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "solve/minimise.h"

#define TWO_PI      6.28318530717958647692
#define LONGEST     1.0   /* step of a logarithm, or of an entry of F in units of its output */
#define EVALUATIONS 60    /* for each rank: the top is flat */
#define LOWEST      -18.0 /* of logarithms of variances, in units of that of the output */
#define HIGHEST     7.0
#define LARGEST     30.0 /* entry of F */
#define MOST_RANK   12   /* that is looked for where none was asked for */
#define LOADS       6    /* sizes that a new column is tried with */

/* ---- the evidence */

typedef struct work {
    double *T;    /* p x p: diag(s)^-1/2 U, U the eigenvectors of diag(s)^-1/2 A diag(s)^-1/2 ... */
    double *a;    /* p: ... and its eigenvalues */
    double *w;    /* m x p: z T, then each number over 1 + e a */
    double *P;    /* p x p */
    double *turn; /* p x p */
    double *sum;  /* p */
    double *all;
} work;

static orff_status work_create(work *w, size_t m, size_t p) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->all, 3 * p * p + m * p + 2 * p));
    w->T = w->all;
    w->P = w->T + p * p;
    w->turn = w->P + p * p;
    w->w = w->turn + p * p;
    w->a = w->w + m * p;
    w->sum = w->a + p;
    return ORFF_OK;
}

static orff_status diagonalise(const orffi_coregion_data *data, const double *A, const double *s, work *w) {
    const size_t p = data->p;
    for (size_t i = 0; i < p * p; i++) w->T[i] = A[i] / sqrt(s[i / p] * s[i % p]);
    ORFFI_TRY(orffi_eigen(p, w->T, w->a));
    for (size_t j = 0; j < p; j++) w->a[j] = fmax(w->a[j], 0.0);
    for (size_t i = 0; i < p * p; i++) w->T[i] /= sqrt(s[i / p]);
    orffi_gemm(false, false, data->m, p, p, 1.0, data->z, p, w->T, p, 0.0, w->w, p);
    return ORFF_OK;
}

static double find_value(const orffi_coregion_data *data, const double *s, const work *w) {
    const size_t p = data->p;
    const double n = (double)data->m + data->zeros;
    double sum = n * (double)p * log(TWO_PI);
    for (size_t k = 0; k < p; k++) sum += n * log(s[k]) + data->rest[k] / s[k];
    for (size_t i = 0; i < data->m * p; i++) {
        const double c = 1.0 + data->e[i / p] * w->a[i % p];
        sum += log(c) + w->w[i] * w->w[i] / c;
    }
    return -0.5 * sum;
}

/* out = T (diag(sum) - w^T w) T^T; the gradient is -1/2 of it. */
static void turn_back(const orffi_coregion_data *data, work *w, double *out) {
    const size_t p = data->p;
    orffi_syrk(p, data->m, w->w, p, 0.0, w->P, p);
    orffi_mirror(p, w->P);
    for (size_t i = 0; i < p * p; i++) w->P[i] = -w->P[i];
    for (size_t j = 0; j < p; j++) w->P[j * p + j] += w->sum[j];
    orffi_gemm(false, false, p, p, p, 1.0, w->T, p, w->P, p, 0.0, w->turn, p);
    orffi_gemm(false, true, p, p, p, -0.5, w->turn, p, w->T, p, 0.0, out, p);
}

/* out: scratch of p x p. */
static void find_by_s(const orffi_coregion_data *data, const double *s, work *w, double *out, double *by_s) {
    const size_t p = data->p;
    memset(w->sum, 0, p * sizeof *w->sum);
    for (size_t i = 0; i < data->m * p; i++) {
        const double c = 1.0 + data->e[i / p] * w->a[i % p];
        w->sum[i % p] += 1.0 / c;
        w->w[i] /= c;
    }
    turn_back(data, w, out);
    for (size_t k = 0; k < p; k++)
        by_s[k] = out[k * p + k] - 0.5 * (data->zeros / s[k] - data->rest[k] / (s[k] * s[k]));
}

/* After find_by_s. */
static void find_by_A(const orffi_coregion_data *data, work *w, double *by_A) {
    const size_t p = data->p;
    memset(w->sum, 0, p * sizeof *w->sum);
    for (size_t i = 0; i < data->m * p; i++) {
        const double e = data->e[i / p];
        w->sum[i % p] += e / (1.0 + e * w->a[i % p]);
        w->w[i] *= sqrt(e);
    }
    turn_back(data, w, by_A);
}

static orff_status evaluate(const orffi_coregion_data *data, const double *A, const double *s, work *w,
                            double *value, double *by_A, double *by_s) {
    ORFFI_TRY(diagonalise(data, A, s, w));
    *value = find_value(data, s, w);
    if (!by_A) return ORFF_OK;
    find_by_s(data, s, w, by_A, by_s);
    find_by_A(data, w, by_A);
    return ORFF_OK;
}

orff_status orffi_coregion_evaluate(const orffi_coregion_data *data, const double *A, const double *s,
                                    double *value, double *by_A, double *by_s) {
    work w = {0};
    orff_status status = work_create(&w, data->m, data->p);
    if (!status) status = evaluate(data, A, s, &w, value, by_A, by_s);
    orffi_release(w.all);
    return status;
}

/* ---- uphill. Unknowns x: F / root (p x rank), log(g / root^2) (p), log(s / root^2) (p, or 1) */

typedef struct climb {
    const orffi_coregion_data *data;
    const orffi_coregion_how *how;
    size_t rank, n;
    double *root;           /* p: of the mean square of each output */
    double *A, *s;          /* p x p, p: at x */
    double *by_A, *by_s;    /* the same of gradients */
    double *x, *low, *high; /* n, room for the largest rank */
    double *best;           /* n: of the rank before */
    double *all;
    double value;
    size_t evaluations;
    work work;
} climb;

static size_t noises_of(const climb *c) {
    return c->how->common ? 1 : c->data->p;
}

/* F is determined up to rotations. */
static size_t unknowns_of(const climb *c, size_t rank) {
    return c->data->p * (rank + 1) + noises_of(c) - rank * (rank > 0 ? rank - 1 : 0) / 2;
}

static size_t most_rank(const climb *c) {
    const size_t p = c->data->p;
    return p < MOST_RANK ? p : MOST_RANK;
}

static void measure_outputs(climb *c) {
    const orffi_coregion_data *d = c->data;
    const double n = (double)d->m + d->zeros;
    double common = 0.0;
    for (size_t k = 0; k < d->p; k++) c->root[k] = d->rest[k];
    for (size_t i = 0; i < d->m * d->p; i++) c->root[i % d->p] += d->z[i] * d->z[i];
    for (size_t k = 0; k < d->p; k++) c->root[k] = c->root[k] > 0.0 ? sqrt(c->root[k] / n) : 1.0;
    for (size_t k = 0; k < d->p; k++) common += c->root[k] * c->root[k] / (double)d->p;
    for (size_t k = 0; c->how->common && k < d->p; k++) c->root[k] = sqrt(common);
}

static orff_status climb_create(climb *c, size_t largest) {
    const size_t p = c->data->p, room = p * (largest + 2);
    ORFFI_TRY(ORFFI_NEW_ARRAY(c->all, 3 * p + 2 * p * p + 4 * room));
    c->root = c->all;
    c->s = c->root + p;
    c->by_s = c->s + p;
    c->A = c->by_s + p;
    c->by_A = c->A + p * p;
    c->x = c->by_A + p * p;
    c->low = c->x + room;
    c->high = c->low + room;
    c->best = c->high + room;
    measure_outputs(c);
    return work_create(&c->work, c->data->m, p);
}

static void climb_clear(climb *c) {
    orffi_release(c->all);
    orffi_release(c->work.all);
}

static void set_at(climb *c, const double *x) {
    const size_t p = c->data->p, r = c->rank;
    const double *g = x + p * r, *s = g + p;
    orffi_gemm(false, true, p, p, r, 1.0, x, r ? r : 1, x, r ? r : 1, 0.0, c->A, p);
    for (size_t k = 0; k < p; k++) c->A[k * p + k] += exp(g[k]);
    for (size_t i = 0; i < p * p; i++) c->A[i] *= c->root[i / p] * c->root[i % p];
    for (size_t k = 0; k < p; k++) c->s[k] = exp(s[c->how->common ? 0 : k]) * c->root[k] * c->root[k];
}

/* From by_A and by_s to the unknowns, downhill. */
static void turn_gradient(climb *c, const double *x, double *gradient) {
    const size_t p = c->data->p, r = c->rank;
    const double *g = x + p * r;
    double *by_g = gradient + p * r, *by_noise = by_g + p;
    for (size_t i = 0; i < p * p; i++) c->by_A[i] *= c->root[i / p] * c->root[i % p];
    orffi_gemm(false, false, p, r, p, -2.0, c->by_A, p, x, r ? r : 1, 0.0, gradient, r ? r : 1);
    memset(by_noise, 0, noises_of(c) * sizeof *by_noise);
    for (size_t k = 0; k < p; k++) {
        by_g[k] = -c->by_A[k * p + k] * exp(g[k]);
        by_noise[c->how->common ? 0 : k] -= c->by_s[k] * c->s[k];
    }
}

static orff_status downhill(void *self, const double *x, double *value, double *gradient) {
    climb *c = self;
    c->evaluations++;
    ORFFI_TRY(orffi_progress("learning the output matrix", (double)c->evaluations, 0.0));
    set_at(c, x);
    ORFFI_TRY(evaluate(c->data, c->A, c->s, &c->work, value, c->by_A, c->by_s));
    *value = -*value;
    turn_gradient(c, x, gradient);
    return ORFF_OK;
}

static void set_bounds(climb *c) {
    const size_t loads = c->data->p * c->rank;
    c->n = loads + c->data->p + noises_of(c);
    for (size_t i = 0; i < c->n; i++) {
        c->low[i] = i < loads ? -LARGEST : LOWEST;
        c->high[i] = i < loads ? LARGEST : HIGHEST;
    }
}

/* The tolerance follows the price of an unknown: a column of F has p of them. */
static orff_status improve(climb *c) {
    orffi_minimum m = {.n = c->n,
                       .low = c->low,
                       .high = c->high,
                       .step = LONGEST,
                       .tolerance = 0.001 * (double)(c->data->p + 1),
                       .most = c->how->most ? c->how->most : EVALUATIONS};
    ORFFI_TRY(orffi_minimise(&m, downhill, c, c->x));
    c->value = -m.value;
    return isfinite(c->value) ? ORFF_OK
                              : orffi_fail(ORFF_ERROR_NUMERICAL, "no output matrix has a finite evidence");
}

/* ---- ranks */

/* What p outputs have of the same length scale. */
static orff_status begin(climb *c) {
    c->rank = 0;
    set_bounds(c);
    for (size_t i = 0; i < c->n; i++) c->x[i] = log(0.5);
    return improve(c);
}

/* Room for another column, which is 0: the others keep their places in the rows of F. */
static void widen(climb *c) {
    const size_t p = c->data->p, r = c->rank, tail = p + noises_of(c);
    memmove(c->x + p * (r + 1), c->x + p * r, tail * sizeof *c->x);
    for (size_t k = p; k-- > 0;) {
        for (size_t j = r; j-- > 0;) c->x[k * (r + 1) + j] = c->x[k * r + j];
        c->x[k * (r + 1) + r] = 0.0;
    }
    c->rank++;
    set_bounds(c);
}

/* The direction u along which A + c u u^T is most welcome, in units of what each output has of A: the diagonal gives way to it, so
 * that only what lies beside it tells something. */
static orff_status find_column(climb *c, double *u) {
    const size_t p = c->data->p;
    double value, *V = c->work.P, *values = c->work.sum;
    set_at(c, c->x);
    ORFFI_TRY(evaluate(c->data, c->A, c->s, &c->work, &value, c->by_A, c->by_s));
    for (size_t i = 0; i < p * p; i++)
        V[i] = i / p == i % p ? 0.0 : c->by_A[i] * sqrt(c->A[i / p * (p + 1)] * c->A[i % p * (p + 1)]);
    ORFFI_TRY(orffi_eigen(p, V, values));
    for (size_t k = 0; k < p; k++) u[k] = V[k * p + p - 1] * sqrt(c->A[k * (p + 1)]) / c->root[k];
    return ORFF_OK;
}

/* The column with the share of A's diagonal that does best; what it adds to the diagonal, g gives up. g: p. */
static orff_status load_column(climb *c, const double *u, double *g) {
    const size_t p = c->data->p, r = c->rank;
    double best = -INFINITY, taken = 0.0, *from = c->x + p * r;
    memcpy(g, from, p * sizeof *g);
    for (size_t t = 0; t <= LOADS; t++) {
        const double load = t < LOADS ? pow(2.0, (double)t - 2.0) : taken;
        double value;
        for (size_t k = 0; k < p; k++) {
            const double f = load * u[k], left = exp(g[k]) - f * f;
            c->x[k * r + r - 1] = f;
            from[k] = log(fmax(left, 0.1 * exp(g[k])));
        }
        if (t == LOADS) break;
        set_at(c, c->x);
        ORFFI_TRY(evaluate(c->data, c->A, c->s, &c->work, &value, NULL, NULL));
        if (value > best) {
            best = value;
            taken = load;
        }
    }
    return ORFF_OK;
}

/* One column more; *better: it is worth its unknowns. Where none does any good, x is as it was with a column of 0. */
static orff_status add_column(climb *c, bool *better) {
    const size_t p = c->data->p, before = unknowns_of(c, c->rank), tail = p + noises_of(c);
    const double value = c->value, price = 0.5 * log(fmax(c->how->rows, 2.0));
    double *u;
    ORFFI_TRY(ORFFI_NEW_ARRAY(u, 2 * p));
    orff_status status = find_column(c, u);
    widen(c);
    memcpy(c->best, c->x, (p * c->rank + tail) * sizeof *c->x);
    if (!status) status = load_column(c, u, u + p);
    if (!status) status = improve(c);
    if (!status && c->value < value) {
        memcpy(c->x, c->best, (p * c->rank + tail) * sizeof *c->x);
        c->value = value;
    }
    *better = c->value > value + price * (double)(unknowns_of(c, c->rank) - before);
    orffi_release(u);
    return status;
}

static void keep(climb *c, orffi_coregion *found) {
    const size_t p = c->data->p;
    set_at(c, c->x);
    memcpy(found->A, c->A, p * p * sizeof *c->A);
    memcpy(found->s, c->s, p * sizeof *c->s);
    found->rank = c->rank;
    found->unknowns = unknowns_of(c, c->rank);
    found->value = c->value;
}

/* The first column that is not worth it ends the search. */
static orff_status climb_ranks(climb *c, orffi_coregion *found) {
    const bool open = c->how->rank == SIZE_MAX;
    const size_t most = open ? most_rank(c) : c->how->rank;
    bool better = true;
    ORFFI_TRY(begin(c));
    found->apart = c->value;
    keep(c, found);
    while (c->rank < most && (better || !open)) {
        ORFFI_TRY(add_column(c, &better));
        if (better || !open) keep(c, found);
    }
    return ORFF_OK;
}

orff_status orffi_coregion_learn(const orffi_coregion_data *data, const orffi_coregion_how *how,
                                 orffi_coregion *found) {
    climb c = {.data = data, .how = how};
    const size_t largest = how->rank == SIZE_MAX ? most_rank(&c) : how->rank;
    if (how->rank != SIZE_MAX && how->rank > data->p)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "rank %zu is more than the %zu outputs", how->rank,
                          data->p);
    orff_status status = climb_create(&c, largest);
    if (!status) status = climb_ranks(&c, found);
    climb_clear(&c);
    return status;
}
