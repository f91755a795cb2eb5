#include "exact/coregion_sum.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"

#define TWO_PI 6.28318530717958647692
#define SMALL  1e-12 /* of the trace of M: keeps M positive if no observation sees some output */

typedef struct work {
    double *V, *H;      /* n x n, n of the largest group */
    double *t;          /* n */
    double *left, *own; /* n x p */
    double *M, *R;      /* parts x p x p */
    double *by, *from;  /* noises: the same sums for s */
    double *a, *b, *c;  /* p x p */
    double *values;     /* p */
    double *all;
} work;

static size_t largest_of(const orffi_coregion_sum *sum) {
    size_t n = 1;
    for (size_t g = 0; g < sum->groups; g++) n = sum->group[g].n > n ? sum->group[g].n : n;
    return n;
}

static orff_status work_create(work *w, const orffi_coregion_sum *sum) {
    const size_t n = largest_of(sum), p = sum->p, square = p * p;
    size_t side, room;
    ORFFI_TRY(orffi_multiply(n, n, &side));
    ORFFI_TRY(orffi_multiply(side, 2, &room));
    ORFFI_TRY(
        ORFFI_NEW_ARRAY(w->all, room + n + 2 * n * p + (2 * sum->parts + 3) * square + 2 * sum->noises + p));
    double *at = w->all;
    struct {
        double **place;
        size_t count;
    } list[] = {{&w->V, side},
                {&w->H, side},
                {&w->t, n},
                {&w->left, n * p},
                {&w->own, n * p},
                {&w->M, sum->parts * square},
                {&w->R, sum->parts * square},
                {&w->by, sum->noises},
                {&w->from, sum->noises},
                {&w->a, square},
                {&w->b, square},
                {&w->c, square},
                {&w->values, p}};
    for (size_t i = 0; i < sizeof list / sizeof *list; at += list[i++].count) *list[i].place = at;
    return ORFF_OK;
}

/* ---- evidence */

static double kernel_of(const orffi_coregion_group *g, size_t m, size_t i, size_t j) {
    return g->K[(m * g->rows + g->row[i]) * g->rows + g->row[j]];
}

/* left = e A_m, and V += k_m left e^T (lower triangle). */
static void add_part(const orffi_coregion_group *g, size_t p, size_t m, const double *A, work *w) {
    orffi_gemm(false, false, g->n, p, p, 1.0, g->along, p, A, p, 0.0, w->left, p);
    for (size_t i = 0; i < g->n; i++)
        for (size_t j = 0; j <= i; j++)
            w->V[i * g->n + j] += kernel_of(g, m, i, j) * orffi_dot(p, w->left + i * p, g->along + j * p);
}

static orff_status factor(const orffi_coregion_sum *sum, const orffi_coregion_group *g, const double *A,
                          const double *s, work *w, double *value) {
    const size_t n = g->n, p = sum->p;
    memset(w->V, 0, n * n * sizeof *w->V);
    for (size_t m = 0; m < sum->parts; m++) add_part(g, p, m, A + m * p * p, w);
    for (size_t i = 0; i < n; i++) w->V[i * n + i] += s[g->noise[i]] * g->unit[i];
    ORFFI_TRY(orffi_cholesky(n, w->V));
    memcpy(w->t, g->y, n * sizeof *w->t);
    ORFFI_TRY(orffi_cholesky_solve(n, w->V, 1, w->t));
    for (size_t i = 0; i < n; i++) *value -= log(w->V[i * n + i]) + 0.5 * (w->t[i] * g->y[i] + log(TWO_PI));
    return orffi_cholesky_inverse(n, w->V);
}

/* M += e^T (V^-1 o k) e,   R += (t e)^T k (t e)   (p x p) */
static void contract_part(const orffi_coregion_group *g, size_t p, size_t m, work *w) {
    const size_t n = g->n;
    double *M = w->M + m * p * p, *R = w->R + m * p * p;
    for (size_t i = 0; i < n * n; i++) w->H[i] = w->V[i] * kernel_of(g, m, i / n, i % n);
    orffi_gemm(false, false, n, p, n, 1.0, w->H, n, g->along, p, 0.0, w->left, p);
    orffi_gemm(true, false, p, p, n, 1.0, g->along, p, w->left, p, 1.0, M, p);
    for (size_t i = 0; i < n * n; i++) w->H[i] = kernel_of(g, m, i / n, i % n);
    orffi_gemm(false, false, n, p, n, 1.0, w->H, n, w->own, p, 0.0, w->left, p);
    orffi_gemm(true, false, p, p, n, 1.0, w->own, p, w->left, p, 1.0, R, p);
}

static orff_status add_group(const orffi_coregion_sum *sum, const orffi_coregion_group *g, const double *A,
                             const double *s, work *w, double *value) {
    const size_t n = g->n, p = sum->p;
    ORFFI_TRY(factor(sum, g, A, s, w, value));
    for (size_t i = 0; i < n * p; i++) w->own[i] = w->t[i / p] * g->along[i];
    for (size_t m = 0; m < sum->parts; m++) contract_part(g, p, m, w);
    for (size_t i = 0; i < n; i++) {
        w->by[g->noise[i]] += w->V[i * n + i] * g->unit[i];
        w->from[g->noise[i]] += w->t[i] * w->t[i] * g->unit[i];
    }
    return ORFF_OK;
}

static orff_status evaluate(const orffi_coregion_sum *sum, const double *A, const double *s, work *w,
                            double *value) {
    const size_t square = sum->parts * sum->p * sum->p;
    memset(w->M, 0, square * sizeof *w->M);
    memset(w->R, 0, square * sizeof *w->R);
    memset(w->by, 0, sum->noises * sizeof *w->by);
    memset(w->from, 0, sum->noises * sizeof *w->from);
    *value = 0.0;
    for (size_t g = 0; g < sum->groups; g++) ORFFI_TRY(add_group(sum, &sum->group[g], A, s, w, value));
    return ORFF_OK;
}

/* ---- steps */

/* a = (a + a^T) / 2 */
static void symmetrise(size_t p, double *a) {
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < i; j++) a[i * p + j] = a[j * p + i] = 0.5 * (a[i * p + j] + a[j * p + i]);
}

/* The square root of the positive matrix a, into out; overwrites a. */
static orff_status root_of(size_t p, double *a, double *values, double *scratch, double *out) {
    symmetrise(p, a);
    ORFFI_TRY(orffi_eigen(p, a, values));
    for (size_t i = 0; i < p * p; i++) scratch[i] = a[i] * sqrt(fmax(values[i % p], 0.0));
    orffi_gemm(false, true, p, p, p, 1.0, scratch, p, a, p, 0.0, out, p);
    return ORFF_OK;
}

/* A = L^-T (L^T A R A L)^(1/2) L^-1,   M = L L^T */
static orff_status move_full(size_t p, double *M, const double *R, double *A, work *w) {
    double trace = 0.0;
    for (size_t k = 0; k < p; k++) trace += M[k * p + k];
    for (size_t k = 0; k < p; k++) M[k * p + k] += SMALL * trace + 1e-300;
    symmetrise(p, M);
    ORFFI_TRY(orffi_cholesky(p, M));
    orffi_gemm(false, false, p, p, p, 1.0, A, p, M, p, 0.0, w->a, p);    /* A L */
    orffi_gemm(false, false, p, p, p, 1.0, R, p, w->a, p, 0.0, w->b, p); /* R A L */
    orffi_gemm(true, false, p, p, p, 1.0, w->a, p, w->b, p, 0.0, w->c, p);
    ORFFI_TRY(root_of(p, w->c, w->values, w->a, w->b));
    ORFFI_TRY(orffi_cholesky_root(p, M)); /* L^-T */
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < i; j++) M[i * p + j] = 0.0;
    orffi_gemm(false, false, p, p, p, 1.0, M, p, w->b, p, 0.0, w->a, p);
    orffi_gemm(false, true, p, p, p, 1.0, w->a, p, M, p, 0.0, A, p);
    symmetrise(p, A);
    return ORFF_OK;
}

static void move_diagonal(size_t p, const double *M, const double *R, double *A) {
    for (size_t k = 0; k < p; k++)
        if (M[k * p + k] > 0.0) A[k * p + k] *= sqrt(fmax(R[k * p + k], 0.0) / M[k * p + k]);
}

/* V = a K + ..: multiplies a by sqrt(t^T K t / tr V^-1 K). */
static void move_size(size_t p, const double *M, const double *R, double *A) {
    double by = 0.0, from = 0.0;
    for (size_t k = 0; k < p; k++) {
        by += M[k * (p + 1)] * A[k * (p + 1)];
        from += R[k * (p + 1)] * A[k * (p + 1)];
    }
    for (size_t k = 0; by > 0.0 && k < p; k++) A[k * (p + 1)] *= sqrt(fmax(from, 0.0) / by);
}

static orff_status move(const orffi_coregion_sum *sum, double *A, double *s, work *w) {
    const size_t p = sum->p;
    for (size_t m = 0; m < sum->parts; m++) {
        double *M = w->M + m * p * p, *R = w->R + m * p * p;
        if (sum->shape == ORFFI_COREGION_ALIKE)
            move_size(p, M, R, A + m * p * p);
        else if (sum->shape == ORFFI_COREGION_DIAGONAL)
            move_diagonal(p, M, R, A + m * p * p);
        else
            ORFFI_TRY(move_full(p, M, R, A + m * p * p, w));
    }
    for (size_t c = 0; c < sum->noises; c++)
        if (w->by[c] > 0.0 && w->from[c] > 0.0) s[c] *= sqrt(w->from[c] / w->by[c]);
    return ORFF_OK;
}

/* kept: A and s at the best value so far. */
static orff_status climb(const orffi_coregion_sum *sum, double *A, double *s, double *kept, work *w,
                         double *value) {
    const size_t count = sum->parts * sum->p * sum->p;
    *value = -INFINITY;
    for (size_t i = 0; i < sum->most; i++) {
        double now;
        ORFFI_TRY(orffi_progress("learning the output matrices", (double)i, (double)sum->most));
        const orff_status status = evaluate(sum, A, s, w, &now);
        if (status && (status != ORFF_ERROR_NOT_POSITIVE || isinf(*value))) return status;
        if (status || !(now > *value)) break; /* only rounding can lower the value */
        const double gain = now - *value;
        *value = now;
        memcpy(kept, A, count * sizeof *A);
        memcpy(kept + count, s, sum->noises * sizeof *s);
        if (gain < sum->tolerance) break;
        ORFFI_TRY(move(sum, A, s, w));
    }
    memcpy(A, kept, count * sizeof *A);
    memcpy(s, kept + count, sum->noises * sizeof *s);
    return ORFF_OK;
}

orff_status orffi_coregion_sum_learn(const orffi_coregion_sum *sum, double *A, double *s, double *value) {
    work w = {0};
    double *kept = NULL;
    orff_status status = work_create(&w, sum);
    if (!status) status = ORFFI_NEW_ARRAY(kept, sum->parts * sum->p * sum->p + sum->noises);
    if (!status) status = climb(sum, A, s, kept, &w, value);
    orffi_release(w.all);
    orffi_release(kept);
    return status;
}
