/* A sparse output matrix by proximal gradient steps. Their metric is the Fisher information for independent
 * outputs, which is diagonal. Each step starts with the length that the previous one suggests (Barzilai and
 * Borwein) and is halved until the penalised evidence grows, so no step lowers it. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "exact/coregion.h"

#define EVALUATIONS 200  /* for each sparsity */
#define HALVINGS    30   /* 2^-30 of a step is no step */
#define ENOUGH      1e-4 /* least part of the promised growth that a step must reach */
#define PATH        12   /* number of sparsities tried, each ... */
#define FALL        0.7  /* ... this fraction of the previous one; the last is 2 % of the first */
#define LONGEST     1.0  /* largest step of R, and of a log noise variance */

/* Unknowns: R (p x p, symmetric), log s (p; all equal if the noise is common). */
typedef struct sparse {
    const orffi_coregion_data *data;
    const orffi_coregion_how *how;
    size_t p, size;      /* p p + p */
    double *a, *s;       /* p: units of R and of s */
    double *C;           /* p x p: correlations of the noise */
    double *A, *S;       /* p x p: at the last evaluation */
    double *by_A, *by_S; /* p x p */
    double *R;           /* p x p: a factor of R, then its inverse */
    double *metric;      /* size */
    double *x, *g;       /* size: the best point so far, and the gradient of the smooth part there */
    double *trial, *slope, *ahead;
    double *price; /* p x p: of |R_kl|; INFINITY: R_kl stays 0 */
    double value;  /* smooth part at x */
    double nu;     /* degrees of freedom of the field, per output */
    size_t evaluations;
    double *all;
} sparse;

static orff_status create(sparse *t) {
    const size_t p = t->p, pp = p * p;
    t->size = pp + p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->all, 2 * p + 7 * pp + 6 * t->size));
    double *at = t->all;
    double **squares[] = {&t->C, &t->A, &t->S, &t->by_A, &t->by_S, &t->R, &t->price};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++, at += pp) *squares[i] = at;
    double **wholes[] = {&t->metric, &t->x, &t->g, &t->trial, &t->slope, &t->ahead};
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++, at += t->size) *wholes[i] = at;
    t->a = at;
    t->s = at + p;
    return ORFF_OK;
}

/* ---- the smooth part: log p + 1/2 log det corr(R) */

static void set_matrices(sparse *t, const double *x) {
    const size_t p = t->p;
    for (size_t i = 0; i < p * p; i++) {
        const size_t k = i / p, l = i % p;
        t->A[i] = x[i] * sqrt(t->a[k] * t->a[l]);
        t->S[i] = t->C[i] * sqrt(t->s[k] * t->s[l]) * exp(0.5 * (x[p * p + k] + x[p * p + l]));
    }
}

/* Replaces R by its inverse; *half = 1/2 log det corr(R). */
static orff_status invert(sparse *t, const double *x, double *half) {
    const size_t p = t->p;
    memcpy(t->R, x, p * p * sizeof *x);
    ORFFI_TRY(orffi_cholesky(p, t->R));
    *half = 0.0;
    for (size_t k = 0; k < p; k++) *half += log(t->R[k * (p + 1)]) - 0.5 * log(x[k * (p + 1)]);
    return orffi_cholesky_inverse(p, t->R);
}

/* The derivative by R_kl and R_lk together for k != l, stored in both entries. */
static void turn_slopes(const sparse *t, const double *x, double *slope) {
    const size_t p = t->p;
    double common = 0.0;
    memset(slope, 0, t->size * sizeof *slope);
    for (size_t i = 0; i < p * p; i++) {
        const size_t k = i / p, l = i % p;
        const double own = k == l ? 0.5 / x[i] : 0.0, twice = k == l ? 1.0 : 2.0;
        slope[i] = twice * (t->by_A[i] * sqrt(t->a[k] * t->a[l]) + 0.5 * t->R[i]) - own;
        slope[p * p + k] += t->by_S[i] * t->S[i];
    }
    for (size_t k = 0; k < p; k++) common += slope[p * p + k];
    for (size_t k = 0; t->how->common && k < p; k++) slope[p * p + k] = common;
}

/* ORFF_ERROR_NOT_POSITIVE if R is not positive. */
static orff_status evaluate(sparse *t, const double *x, double *value, double *slope) {
    double half;
    t->evaluations++;
    ORFFI_TRY(orffi_progress("learning the output matrix", (double)t->evaluations, 0.0));
    ORFFI_TRY(invert(t, x, &half));
    set_matrices(t, x);
    ORFFI_TRY(orffi_coregion_evaluate(t->data, t->A, t->S, value, t->by_A, t->by_S));
    turn_slopes(t, x, slope);
    *value += half;
    return isfinite(*value) ? ORFF_OK : orffi_fail(ORFF_ERROR_NOT_POSITIVE, "no evidence");
}

static double penalty(const sparse *t, const double *x) {
    double sum = 0.0;
    for (size_t k = 0; k < t->p; k++)
        for (size_t l = k + 1; l < t->p; l++)
            if (x[k * t->p + l] != 0.0) sum += t->price[k * t->p + l] * fabs(x[k * t->p + l]);
    return sum;
}

/* ---- steps */

static double clip(double move) {
    return fmin(fmax(move, -LONGEST), LONGEST);
}

static double shrink(double x, double by) {
    return x > by ? x - by : x < -by ? x + by : 0.0;
}

/* trial: a gradient step of `length` from x, with off-diagonal entries shrunk by their price. */
static void propose(sparse *t, double length) {
    const size_t p = t->p;
    for (size_t i = 0; i < t->size; i++) {
        const double step = length / t->metric[i], move = clip(step * t->g[i]);
        t->trial[i] = t->x[i] + move;
        if (i >= p * p || i / p == i % p) continue;
        t->trial[i] = isinf(t->price[i]) ? 0.0 : shrink(t->trial[i], step * t->price[i]);
    }
    for (size_t k = 0; k < p; k++) /* variances of the field stay positive */
        t->trial[k * (p + 1)] = fmax(t->trial[k * (p + 1)], 0.5 * t->x[k * (p + 1)]);
}

/* The squared length of trial - x in the metric, with each pair counted once. */
static double moved(const sparse *t) {
    double sum = 0.0;
    for (size_t i = 0; i < t->size; i++) {
        const double move = t->trial[i] - t->x[i];
        const bool beside = i < t->p * t->p && i / t->p != i % t->p;
        sum += (beside ? 0.5 : 1.0) * t->metric[i] * move * move;
    }
    return sum;
}

/* The step length that the change of slopes along trial - x suggests. */
static double suggest(const sparse *t, double squared) {
    double bent = 0.0;
    for (size_t i = 0; i < t->size; i++) {
        const bool beside = i < t->p * t->p && i / t->p != i % t->p;
        bent -= (beside ? 0.5 : 1.0) * (t->trial[i] - t->x[i]) * (t->ahead[i] - t->g[i]);
    }
    return bent > 0.0 ? fmin(fmax(squared / bent, 1e-4), 1e4) : 2.0;
}

/* One step. *gain: the growth of the penalised evidence, 0 if no step length gave any. */
static orff_status step(sparse *t, double *length, double *gain) {
    const double before = t->value - penalty(t, t->x);
    *gain = 0.0;
    for (int i = 0; i < HALVINGS; i++, *length *= 0.5) {
        double value;
        propose(t, *length);
        const double squared = moved(t);
        const orff_status status = evaluate(t, t->trial, &value, t->ahead);
        if (status == ORFF_ERROR_NOT_POSITIVE) continue;
        ORFFI_TRY(status);
        const double grown = value - penalty(t, t->trial) - before;
        if (!(grown >= ENOUGH * squared / *length)) continue;
        *length = suggest(t, squared);
        memcpy(t->x, t->trial, t->size * sizeof *t->x);
        memcpy(t->g, t->ahead, t->size * sizeof *t->g);
        t->value = value;
        *gain = grown;
        break;
    }
    return ORFF_OK;
}

/* Ascends until recent steps together gain a negligible amount. */
static orff_status climb(sparse *t) {
    const double enough = 1e-4 * (double)(t->p + 1);
    const size_t most = t->evaluations + (t->how->most ? t->how->most : EVALUATIONS);
    double length = 1.0, gain, recent = INFINITY;
    ORFFI_TRY(evaluate(t, t->x, &t->value, t->g));
    while (t->evaluations < most && recent > enough) {
        ORFFI_TRY(step(t, &length, &gain));
        if (!(gain > 0.0)) break;
        recent = isinf(recent) ? 4.0 * gain : 0.5 * recent + gain;
    }
    return ORFF_OK;
}

/* ---- the start */

/* nu, and the Fisher information for independent outputs. */
static void measure(sparse *t) {
    const size_t p = t->p;
    const orffi_coregion_data *d = t->data;
    for (size_t i = 0; i < d->m * p; i++) {
        const double field = d->e[i / p] * t->a[i % p], noise = t->s[i % p];
        const double share = field / (field + noise), rest = noise / (field + noise);
        t->nu += share / (double)p;
        t->metric[p * p + i % p] += 0.5 * rest * rest;
        for (size_t l = 0; l < p; l++) {
            const double other = d->e[i / p] * t->a[l];
            t->metric[i % p * p + l] += share * other / (other + t->s[l]);
        }
    }
    for (size_t k = 0; k < p; k++) {
        t->metric[k * (p + 1)] *= 0.5;
        t->metric[p * p + k] += 0.5 * d->zeros;
    }
    for (size_t i = 0; i < t->size; i++) t->metric[i] = fmax(t->metric[i], 1.0);
    for (size_t k = 1; t->how->common && k < p; k++) t->metric[p * p] += t->metric[p * p + k];
    for (size_t k = 1; t->how->common && k < p; k++) t->metric[p * p + k] = t->metric[p * p];
    t->nu = fmax(t->nu, 2.0);
}

static void begin(sparse *t, const orffi_coregion *found) {
    const size_t p = t->p;
    for (size_t k = 0; k < p; k++) {
        t->a[k] = found->A[k * (p + 1)];
        t->s[k] = found->S[k * (p + 1)];
        t->x[k * (p + 1)] = 1.0;
    }
    for (size_t i = 0; i < p * p; i++) t->C[i] = found->S[i] / sqrt(t->s[i / p] * t->s[i % p]);
    measure(t);
}

/* ---- the path */

static void set_price(sparse *t, double price) {
    for (size_t i = 0; i < t->p * t->p; i++) t->price[i] = price;
}

static size_t count_links(const sparse *t, const double *x) {
    size_t links = 0;
    for (size_t k = 0; k < t->p; k++)
        for (size_t l = k + 1; l < t->p; l++) links += x[k * t->p + l] != 0.0;
    return links;
}

/* The smallest price at which no link pays when there are none yet. */
static double first_price(const sparse *t) {
    double largest = 0.0;
    for (size_t i = 0; i < t->p * t->p; i++)
        if (i / t->p != i % t->p) largest = fmax(largest, fabs(t->g[i]));
    return largest;
}

/* Fits the links of x without a price, and no others. */
static orff_status refit(sparse *t) {
    for (size_t i = 0; i < t->p * t->p; i++) t->price[i] = t->x[i] != 0.0 ? 0.0 : INFINITY;
    return climb(t);
}

/* What x is worth after paying for its links. A link must gain half the logarithm of the field's degrees of
 * freedom (Schwarz) and, because there are many pairs to choose from, the logarithm of p (Chen and Chen 2008,
 * with gamma 1/2). */
static double worth(const sparse *t) {
    const double price = 0.5 * log(t->nu) + log((double)t->p);
    return t->value - price * (double)count_links(t, t->x);
}

/* Goes from no links to many. x ends at the links that are worth most. */
static orff_status follow(sparse *t, double *best, double *along) {
    set_price(t, INFINITY);
    ORFFI_TRY(climb(t));
    const double first = first_price(t);
    double most = worth(t), price = first;
    size_t before = 0;
    memcpy(best, t->x, t->size * sizeof *best);
    for (int i = 0; i < PATH && before < t->p * (t->p - 1) / 2; i++) {
        price *= FALL;
        set_price(t, price);
        ORFFI_TRY(climb(t));
        memcpy(along, t->x, t->size * sizeof *along);
        const size_t links = count_links(t, t->x);
        if (links == before) continue;
        before = links;
        ORFFI_TRY(refit(t));
        if (worth(t) > most) {
            most = worth(t);
            memcpy(best, t->x, t->size * sizeof *best);
        }
        memcpy(t->x, along, t->size * sizeof *along);
    }
    memcpy(t->x, best, t->size * sizeof *best);
    return ORFF_OK;
}

static orff_status choose_links(sparse *t) {
    double *room;
    ORFFI_TRY(ORFFI_NEW_ARRAY(room, 2 * t->size));
    orff_status status = follow(t, room, room + t->size);
    if (!status) status = refit(t);
    orffi_release(room);
    return status;
}

static orff_status search(sparse *t) {
    if (!(t->how->sparsity > 0.0)) return choose_links(t);
    set_price(t, t->how->sparsity * t->nu);
    return climb(t);
}

static orff_status keep(sparse *t, orffi_coregion *found) {
    const size_t p = t->p;
    double value;
    found->penalised = t->value - penalty(t, t->x);
    set_matrices(t, t->x);
    ORFFI_TRY(orffi_coregion_evaluate(t->data, t->A, t->S, &value, NULL, NULL));
    memcpy(found->A, t->A, p * p * sizeof *found->A);
    memcpy(found->S, t->S, p * p * sizeof *found->S);
    found->value = value;
    found->rank = 0;
    found->links = count_links(t, t->x);
    found->unknowns = p + (t->how->common ? 1 : p) + found->links;
    return ORFF_OK;
}

orff_status orffi_coregion_sparse(const orffi_coregion_data *data, const orffi_coregion_how *how,
                                  orffi_coregion *found) {
    sparse t = {.data = data, .how = how, .p = data->p};
    orffi_coregion_how first = *how;
    first.most = 0;
    ORFFI_TRY(orffi_coregion_learn(data, &first, found));
    orff_status status = create(&t);
    if (!status) begin(&t, found);
    if (!status) status = search(&t);
    if (!status) status = keep(&t, found);
    orffi_release(t.all);
    return status;
}
