#include "exact/coregion.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "solve/minimise.h"

#define TWO_PI      6.28318530717958647692
#define LONGEST     1.0   /* largest step of a logarithm, or of an entry of F in units of its output */
#define EVALUATIONS 400   /* for each column; 200 outputs need more than 60 */
#define LOWEST      -18.0 /* bounds of log variances, in units of the variance of the output */
#define HIGHEST     7.0
#define LARGEST     30.0 /* largest entry of F */
#define MOST_RANK   12   /* largest rank tried when the caller gives none */
#define LOADS       6    /* number of sizes tried for a new column */

/* ---- the evidence */

typedef struct work {
    double *L, *inverse; /* p x p: S = L L^T, and S^-1 */
    double *T;           /* p x p: L^-T U, with U the eigenvectors of L^-1 A L^-T ... */
    double *a;           /* p: ... and their eigenvalues */
    double *w;           /* m x p: z T, then each entry divided by 1 + e a */
    double *P, *turn;    /* p x p */
    double *sum;         /* p */
    double log_det;      /* of S */
    double *all;
} work;

static orff_status work_create(work *w, size_t m, size_t p) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->all, 5 * p * p + m * p + 2 * p));
    w->T = w->all;
    w->P = w->T + p * p;
    w->turn = w->P + p * p;
    w->L = w->turn + p * p;
    w->inverse = w->L + p * p;
    w->w = w->inverse + p * p;
    w->a = w->w + m * p;
    w->sum = w->a + p;
    return ORFF_OK;
}

/* Replaces L by L^-T, and computes the inverse and log det S. */
static orff_status factor_noise(size_t p, const double *S, work *w) {
    memcpy(w->L, S, p * p * sizeof *S);
    ORFFI_TRY(orffi_cholesky(p, w->L));
    w->log_det = 0.0;
    for (size_t k = 0; k < p; k++) w->log_det += 2.0 * log(w->L[k * p + k]);
    ORFFI_TRY(orffi_cholesky_root(p, w->L));
    for (size_t i = 0; i < p * p; i++)
        if (i / p > i % p) w->L[i] = 0.0;
    orffi_gemm(false, true, p, p, p, 1.0, w->L, p, w->L, p, 0.0, w->inverse, p);
    return ORFF_OK;
}

static orff_status diagonalise(const orffi_coregion_data *data, const double *A, const double *S, work *w) {
    const size_t p = data->p;
    ORFFI_TRY(factor_noise(p, S, w));
    orffi_gemm(false, false, p, p, p, 1.0, A, p, w->L, p, 0.0, w->turn, p);
    orffi_gemm(true, false, p, p, p, 1.0, w->L, p, w->turn, p, 0.0, w->P, p);
    ORFFI_TRY(orffi_eigen(p, w->P, w->a));
    for (size_t j = 0; j < p; j++) w->a[j] = fmax(w->a[j], 0.0);
    orffi_gemm(false, false, p, p, p, 1.0, w->L, p, w->P, p, 0.0, w->T, p);
    orffi_gemm(false, false, data->m, p, p, 1.0, data->z, p, w->T, p, 0.0, w->w, p);
    return ORFF_OK;
}

static double find_value(const orffi_coregion_data *data, const work *w) {
    const size_t p = data->p;
    const double n = (double)data->m + data->zeros;
    double sum = n * ((double)p * log(TWO_PI) + w->log_det);
    for (size_t i = 0; i < p * p; i++) sum += data->rest[i] * w->inverse[i];
    for (size_t i = 0; i < data->m * p; i++) {
        const double c = 1.0 + data->e[i / p] * w->a[i % p];
        sum += log(c) + w->w[i] * w->w[i] / c;
    }
    return -0.5 * sum;
}

/* out = -1/2 T (diag(sum) - w^T w) T^T */
static void turn_back(const orffi_coregion_data *data, work *w, double *out) {
    const size_t p = data->p;
    orffi_syrk(p, data->m, w->w, p, 0.0, w->P, p);
    orffi_mirror(p, w->P);
    for (size_t i = 0; i < p * p; i++) w->P[i] = -w->P[i];
    for (size_t j = 0; j < p; j++) w->P[j * p + j] += w->sum[j];
    orffi_gemm(false, false, p, p, p, 1.0, w->T, p, w->P, p, 0.0, w->turn, p);
    orffi_gemm(false, true, p, p, p, -0.5, w->turn, p, w->T, p, 0.0, out, p);
}

/* Eigenvalues that are 0 add -1/2 (zeros S^-1 - S^-1 rest S^-1). */
static void find_by_S(const orffi_coregion_data *data, work *w, double *by_S) {
    const size_t p = data->p;
    memset(w->sum, 0, p * sizeof *w->sum);
    for (size_t i = 0; i < data->m * p; i++) {
        const double c = 1.0 + data->e[i / p] * w->a[i % p];
        w->sum[i % p] += 1.0 / c;
        w->w[i] /= c;
    }
    turn_back(data, w, by_S);
    orffi_gemm(false, false, p, p, p, 1.0, w->inverse, p, data->rest, p, 0.0, w->turn, p);
    orffi_gemm(false, false, p, p, p, 0.5, w->turn, p, w->inverse, p, 1.0, by_S, p);
    for (size_t i = 0; i < p * p; i++) by_S[i] -= 0.5 * data->zeros * w->inverse[i];
}

/* Must follow find_by_S, whose w->w it uses. */
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

static orff_status evaluate(const orffi_coregion_data *data, const double *A, const double *S, work *w,
                            double *value, double *by_A, double *by_S) {
    ORFFI_TRY(diagonalise(data, A, S, w));
    *value = find_value(data, w);
    if (!by_A) return ORFF_OK;
    find_by_S(data, w, by_S);
    find_by_A(data, w, by_A);
    return ORFF_OK;
}

orff_status orffi_coregion_evaluate(const orffi_coregion_data *data, const double *A, const double *S,
                                    double *value, double *by_A, double *by_S) {
    work w = {0};
    orff_status status = work_create(&w, data->m, data->p);
    if (!status) status = evaluate(data, A, S, &w, value, by_A, by_S);
    orffi_release(w.all);
    return status;
}

/* ---- ascent over F / root, H / root (p x ranks), log(g / root^2) (p), log(s / root^2) (p or 1) */

/* A point of the ascent. */
typedef struct place {
    size_t rank[2]; /* of F and of H */
    double *x;
    double value;
} place;

enum { FIELD, NOISE };

typedef struct climb {
    const orffi_coregion_data *data;
    const orffi_coregion_how *how;
    place now;                /* the best so far ... */
    place trial[2];           /* ... and with one more column of F, and of H */
    const place *at;          /* the point being improved */
    double *root;             /* p: root mean square of each output */
    double *matrix[2];        /* A and S at x (p x p) ... */
    double *by[2];            /* ... and the gradients with respect to them */
    double *low, *high, *all; /* sized as x */
    double telling;           /* degrees of freedom of the field, per output */
    size_t evaluations;
    work work;
} climb;

static size_t noises_of(const climb *c) {
    return c->how->common ? 1 : c->data->p;
}

static size_t loads_of(const climb *c, const place *at) {
    return c->data->p * (at->rank[FIELD] + at->rank[NOISE]);
}

static size_t size_of(const climb *c, const place *at) {
    return loads_of(c, at) + c->data->p + noises_of(c);
}

/* Where F or H starts in x, and the logarithms behind them. */
static const double *factor_of(const climb *c, const place *at, const double *x, int which) {
    return x + (which == NOISE ? c->data->p * at->rank[FIELD] : 0);
}

static const double *logs_of(const climb *c, const place *at, const double *x, int which) {
    return x + loads_of(c, at) + (which == NOISE ? c->data->p : 0);
}

/* F and H are determined only up to rotations, which are not counted. */
static size_t unknowns_of(const climb *c, const place *at) {
    size_t count = size_of(c, at);
    for (int which = FIELD; which <= NOISE; which++)
        for (size_t r = 1; r < at->rank[which]; r++) count -= r;
    return count;
}

static size_t most_rank(const climb *c) {
    const size_t p = c->data->p, most = p < MOST_RANK ? p : MOST_RANK;
    return c->how->rank == SIZE_MAX ? most : c->how->rank;
}

static void measure_outputs(climb *c) {
    const orffi_coregion_data *d = c->data;
    const double n = (double)d->m + d->zeros;
    double common = 0.0;
    for (size_t k = 0; k < d->p; k++) c->root[k] = d->rest[k * d->p + k];
    for (size_t i = 0; i < d->m * d->p; i++) c->root[i % d->p] += d->z[i] * d->z[i];
    for (size_t k = 0; k < d->p; k++) c->root[k] = c->root[k] > 0.0 ? sqrt(c->root[k] / n) : 1.0;
    for (size_t k = 0; k < d->p; k++) common += c->root[k] * c->root[k] / (double)d->p;
    for (size_t k = 0; c->how->common && k < d->p; k++) c->root[k] = sqrt(common);
}

static orff_status climb_create(climb *c) {
    const size_t p = c->data->p, room = p * (most_rank(c) + p + 3);
    ORFFI_TRY(ORFFI_NEW_ARRAY(c->all, p + 4 * p * p + 5 * room));
    double *at = c->all;
    double **list[] = {&c->matrix[FIELD], &c->matrix[NOISE], &c->by[FIELD], &c->by[NOISE]};
    for (size_t i = 0; i < 4; i++, at += p * p) *list[i] = at;
    double **rooms[] = {&c->now.x, &c->trial[FIELD].x, &c->trial[NOISE].x, &c->low, &c->high};
    for (size_t i = 0; i < 5; i++, at += room) *rooms[i] = at;
    c->root = at;
    measure_outputs(c);
    return work_create(&c->work, c->data->m, p);
}

static void climb_clear(climb *c) {
    orffi_release(c->all);
    orffi_release(c->work.all);
}

static void set_at(climb *c, const place *at, const double *x) {
    const size_t p = c->data->p;
    for (int which = FIELD; which <= NOISE; which++) {
        const size_t r = at->rank[which];
        const double *F = factor_of(c, at, x, which), *logs = logs_of(c, at, x, which);
        double *M = c->matrix[which];
        memset(M, 0, p * p * sizeof *M);
        if (r) orffi_gemm(false, true, p, p, r, 1.0, F, r, F, r, 0.0, M, p);
        for (size_t k = 0; k < p; k++) M[k * (p + 1)] += exp(logs[which == NOISE && c->how->common ? 0 : k]);
        for (size_t i = 0; i < p * p; i++) M[i] *= c->root[i / p] * c->root[i % p];
    }
}

static orff_status evaluate_at(climb *c, const place *at, const double *x, double *value, bool slopes) {
    set_at(c, at, x);
    return evaluate(c->data, c->matrix[FIELD], c->matrix[NOISE], &c->work, value,
                    slopes ? c->by[FIELD] : NULL, slopes ? c->by[NOISE] : NULL);
}

/* Turns gradients with respect to A and S into gradients with respect to the unknowns, with the sign for
 * descent. */
static void turn_gradient(climb *c, const place *at, const double *x, double *gradient) {
    const size_t p = c->data->p;
    memset(gradient, 0, size_of(c, at) * sizeof *gradient);
    for (int which = FIELD; which <= NOISE; which++) {
        const size_t r = at->rank[which];
        const double *F = factor_of(c, at, x, which), *logs = logs_of(c, at, x, which);
        double *by = c->by[which], *by_F = gradient + (F - x), *by_logs = gradient + (logs - x);
        for (size_t i = 0; i < p * p; i++) by[i] *= c->root[i / p] * c->root[i % p];
        if (r) orffi_gemm(false, false, p, r, p, -2.0, by, p, F, r, 0.0, by_F, r);
        for (size_t k = 0; k < p; k++) {
            const size_t own = which == NOISE && c->how->common ? 0 : k;
            by_logs[own] -= by[k * (p + 1)] * exp(logs[own]);
        }
    }
}

static orff_status downhill(void *self, const double *x, double *value, double *gradient) {
    climb *c = self;
    c->evaluations++;
    ORFFI_TRY(orffi_progress("learning the output matrix", (double)c->evaluations, 0.0));
    ORFFI_TRY(evaluate_at(c, c->at, x, value, true));
    *value = -*value;
    turn_gradient(c, c->at, x, gradient);
    return ORFF_OK;
}

/* The tolerance is proportional to the price of a column, which has p unknowns. */
static orff_status improve(climb *c, place *at) {
    const size_t loads = loads_of(c, at), n = size_of(c, at);
    for (size_t i = 0; i < n; i++) {
        c->low[i] = i < loads ? -LARGEST : LOWEST;
        c->high[i] = i < loads ? LARGEST : HIGHEST;
    }
    orffi_minimum m = {.n = n,
                       .low = c->low,
                       .high = c->high,
                       .step = LONGEST,
                       .tolerance = 0.001 * (double)(c->data->p + 1),
                       .most = c->how->most ? c->how->most : EVALUATIONS};
    c->at = at;
    ORFFI_TRY(orffi_minimise(&m, downhill, c, at->x));
    at->value = -m.value;
    return isfinite(at->value) ? ORFF_OK
                               : orffi_fail(ORFF_ERROR_NUMERICAL, "no output matrix has a finite evidence");
}

/* ---- columns */

/* A copy with one more column of F or of H, filled with 0. */
static void widen(const climb *c, const place *from, int which, place *to) {
    const size_t p = c->data->p;
    *to = (place){.rank = {from->rank[FIELD], from->rank[NOISE]}, .x = to->x, .value = from->value};
    to->rank[which]++;
    double *x = to->x;
    for (int part = FIELD; part <= NOISE; part++)
        for (size_t k = 0; k < p; k++)
            for (size_t r = 0; r < to->rank[part]; r++)
                *x++ =
                    r < from->rank[part] ? factor_of(c, from, from->x, part)[k * from->rank[part] + r] : 0.0;
    memcpy(x, from->x + loads_of(c, from), (p + noises_of(c)) * sizeof *x);
}

/* The direction u along which adding u u^T to A (or S) raises log p fastest, in units of each output. The
 * diagonal gives up what u u^T adds to it (set_column), so only the entries off the diagonal count. */
static orff_status find_column(climb *c, int which, double *u) {
    const size_t p = c->data->p;
    double value, *V = c->work.P, *values = c->work.sum;
    const double *M = c->matrix[which];
    ORFFI_TRY(evaluate_at(c, &c->now, c->now.x, &value, true));
    for (size_t i = 0; i < p * p; i++)
        V[i] = i / p == i % p ? 0.0 : c->by[which][i] * sqrt(M[i / p * (p + 1)] * M[i % p * (p + 1)]);
    ORFFI_TRY(orffi_eigen(p, V, values));
    for (size_t k = 0; k < p; k++) u[k] = V[k * p + p - 1] * sqrt(M[k * (p + 1)]) / c->root[k];
    return ORFF_OK;
}

/* Sets the new column to u times load, and takes what that adds to the diagonal off the diagonal. */
static void set_column(climb *c, int which, const double *u, double load, place *to) {
    const size_t p = c->data->p, r = to->rank[which];
    const double *before = logs_of(c, &c->now, c->now.x, which);
    double *F = to->x + (factor_of(c, to, to->x, which) - to->x);
    double *logs = to->x + (logs_of(c, to, to->x, which) - to->x);
    for (size_t k = 0; k < p; k++) {
        const double f = load * u[k], own = exp(before[which == NOISE && c->how->common ? 0 : k]);
        F[k * r + r - 1] = f;
        if (!(which == NOISE && c->how->common)) logs[k] = log(fmax(own - f * f, 0.1 * own));
    }
}

static orff_status load_column(climb *c, int which, const double *u, place *to) {
    double best = -INFINITY, taken = 0.0;
    for (size_t t = 0; t < LOADS; t++) {
        const double load = pow(2.0, (double)t - 2.0);
        double value;
        set_column(c, which, u, load, to);
        ORFFI_TRY(evaluate_at(c, to, to->x, &value, false));
        if (value <= best) continue;
        best = value;
        taken = load;
    }
    set_column(c, which, u, taken, to);
    return ORFF_OK;
}

/* trial[which]: the best point with one more column. A column of 0 stands in if the ascent ends below the
 * current value. */
static orff_status try_column(climb *c, int which) {
    place *to = &c->trial[which];
    double *u;
    ORFFI_TRY(ORFFI_NEW_ARRAY(u, c->data->p));
    orff_status status = find_column(c, which, u);
    widen(c, &c->now, which, to);
    if (!status) status = load_column(c, which, u, to);
    if (!status) status = improve(c, to);
    if (!status && to->value < c->now.value) widen(c, &c->now, which, to);
    orffi_release(u);
    return status;
}

/* What a column gains beyond the price of its unknowns. The price of each is half the logarithm of the number
 * of rows (Schwarz), or, for the field, of its degrees of freedom. */
static double worth_of(const climb *c, int which) {
    const double price = 0.5 * log(fmax(which == FIELD ? c->telling : c->how->rows, 2.0));
    const place *to = &c->trial[which];
    return to->value - c->now.value - price * (double)(unknowns_of(c, to) - unknowns_of(c, &c->now));
}

static void accept_trial(climb *c, int which) {
    const place old = c->now;
    c->now = c->trial[which];
    c->trial[which].x = old.x;
}

/* ---- ranks */

static orff_status begin(climb *c) {
    const size_t p = c->data->p;
    c->now.rank[FIELD] = c->now.rank[NOISE] = 0;
    for (size_t i = 0; i < size_of(c, &c->now); i++) c->now.x[i] = log(0.5);
    ORFFI_TRY(improve(c, &c->now));
    const double *g = logs_of(c, &c->now, c->now.x, FIELD), *s = logs_of(c, &c->now, c->now.x, NOISE);
    for (size_t i = 0; i < c->data->m * p; i++) {
        const double field = c->data->e[i / p] * exp(g[i % p]), noise = exp(s[c->how->common ? 0 : i % p]);
        c->telling += field / (field + noise) / (double)p;
    }
    return ORFF_OK;
}

/* Adds a column of F or of H, whichever gains more, until neither pays. If the caller gave a rank of F, its
 * columns are added first. */
static orff_status climb_ranks(climb *c) {
    const bool open = c->how->rank == SIZE_MAX;
    const size_t most[2] = {most_rank(c), c->data->p < MOST_RANK ? c->data->p - 1 : MOST_RANK};
    for (size_t r = 0; !open && r < c->how->rank; r++) {
        ORFFI_TRY(try_column(c, FIELD));
        accept_trial(c, FIELD);
    }
    for (;;) {
        double worth[2] = {-INFINITY, -INFINITY};
        for (int which = open ? FIELD : NOISE; which <= NOISE; which++) {
            if (c->now.rank[which] >= most[which]) continue;
            ORFFI_TRY(try_column(c, which));
            worth[which] = worth_of(c, which);
        }
        const int better = worth[NOISE] > worth[FIELD] ? NOISE : FIELD;
        if (!(worth[better] > 0.0)) return ORFF_OK;
        accept_trial(c, better);
    }
}

static void keep(climb *c, orffi_coregion *found) {
    const size_t p = c->data->p;
    set_at(c, &c->now, c->now.x);
    memcpy(found->A, c->matrix[FIELD], p * p * sizeof *found->A);
    memcpy(found->S, c->matrix[NOISE], p * p * sizeof *found->S);
    found->rank = c->now.rank[FIELD];
    found->noise_rank = c->now.rank[NOISE];
    found->unknowns = unknowns_of(c, &c->now);
    found->value = c->now.value;
}

orff_status orffi_coregion_learn(const orffi_coregion_data *data, const orffi_coregion_how *how,
                                 orffi_coregion *found) {
    climb c = {.data = data, .how = how};
    if (how->rank != SIZE_MAX && how->rank > data->p)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "rank %zu is more than the %zu outputs", how->rank,
                          data->p);
    orff_status status = climb_create(&c);
    if (!status) status = begin(&c);
    if (!status) found->apart = c.now.value;
    if (!status) status = climb_ranks(&c);
    if (!status) keep(&c, found);
    climb_clear(&c);
    return status;
}
