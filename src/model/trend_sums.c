#include "model/trend_sums.h"

#include <math.h>

#include "base/linalg.h"
#include "base/memory.h"

#define LEAST_CONDITION 1e-12 /* least reciprocal condition of columns that the rows can distinguish */

orff_status orffi_trend_sums_init(orffi_trend_sums *s, size_t columns, size_t sides) {
    size_t entries;
    *s = (orffi_trend_sums){.columns = columns, .sides = sides};
    ORFFI_TRY(orffi_multiply(columns, columns, &entries));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->A, entries));
    return orffi_alloc(&s->B, columns, sides * sizeof *s->B);
}

void orffi_trend_sums_clear(orffi_trend_sums *s) {
    orffi_release(s->A);
    orffi_release(s->B);
}

/* Replaces A by its factor. ORFF_ERROR_NOT_POSITIVE if the columns, in units of 1/roots, cannot be
 * distinguished. */
static orff_status factor(size_t Q, double *A, double *roots) {
    double norm = 0.0, rcond = 0.0;
    for (size_t i = 0; i < Q * Q; i++) A[i] /= roots[i / Q] * roots[i % Q];
    for (size_t i = 0; i < Q; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < Q; j++) sum += fabs(A[i * Q + j]);
        norm = fmax(norm, sum);
    }
    ORFFI_TRY(orffi_cholesky(Q, A));
    ORFFI_TRY(orffi_cholesky_rcond(Q, A, norm, &rcond));
    for (size_t i = 0; i < Q * Q; i++) A[i] *= roots[i / Q];
    return rcond > LEAST_CONDITION ? ORFF_OK : ORFF_ERROR_NOT_POSITIVE;
}

orff_status orffi_trend_sums_solve(orffi_trend_sums *s, bool told) {
    double *roots;
    ORFFI_TRY(ORFFI_NEW_ARRAY(roots, s->columns));
    for (size_t i = 0; i < s->columns; i++)
        roots[i] = told ? sqrt(fmax(s->A[i * (s->columns + 1)], 0.0)) : 1.0;
    orff_status status = factor(s->columns, s->A, roots);
    if (!status) status = orffi_cholesky_solve(s->columns, s->A, s->sides, s->B);
    orffi_release(roots);
    return status;
}

/* ---- rows */

void orffi_trend_fill_terms(const orffi_trend *t, const double *x, uint32_t set, double *h) {
    orffi_trend_terms(t, x, h);
    if (set != ORFFI_NO_SET) h[t->terms - t->offsets + set] = 1.0;
}

const double *orffi_trend_columns_of(const orffi_trend *t, const double *x, const double *along, uint32_t set,
                                     double *h) {
    double *directed = h + t->terms;
    orffi_trend_fill_terms(t, x, set, h);
    if (!along) return h;
    for (size_t q = 0; q < t->terms * t->p; q++) directed[q] = h[q / t->p] * along[q % t->p];
    return directed;
}

/* Subtracts H b from `left` at n rows X; b: terms x p */
static orff_status subtract_trend(const orffi_trend *t, size_t n, const double *X, const double *along,
                                  const uint32_t *sets, const double *b, double *left) {
    const size_t p = t->p;
    double *h;
    ORFFI_TRY(ORFFI_NEW_ARRAY(h, t->terms * (p + 1)));
    for (size_t i = 0; i < n; i++) {
        const double *column =
            orffi_trend_columns_of(t, X + i * t->d, along ? along + i * p : NULL, orffi_set_of(sets, i), h);
        for (size_t q = 0; q < t->terms * p; q++)
            left[along ? i : i * p + q % p] -= column[along ? q : q / p] * b[q];
    }
    orffi_release(h);
    return ORFF_OK;
}

orff_status orffi_trend_subtract(orffi_trend_fit *f, const double *b) {
    orffi_rows *rows = f->rows;
    ORFFI_TRY(subtract_trend(f->trend, rows->n, rows->X, rows->along, rows->set, b, f->left));
    return subtract_trend(f->trend, rows->head.n, rows->head.X, rows->head.along, rows->head.set, b,
                          rows->head.Y);
}
