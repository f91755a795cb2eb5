/* The variance of the offsets of groups, by the evidence. */
#include "model/trend_sums.h"

#include <float.h>
#include <math.h>

#include "base/linalg.h"
#include "base/memory.h"

/* Adds 1/ratio to the diagonal of A for offsets. */
static void add_prior(const orffi_trend *t, double ratio, double *A) {
    const size_t each = t->shared ? 1 : t->p;
    for (size_t q = (t->terms - t->offsets) * each; q < t->columns; q++)
        A[q * (t->columns + 1)] += 1.0 / ratio;
}

/* Twice the log evidence of `ratio`, up to a constant, at the noise that maximises it; terms without a
 * prior are integrated out too (restricted likelihood). whole: y^T C^-1 y for each side, from `numbers`
 * numbers. -INFINITY if there is none. */
static orff_status judge_ratio(const orffi_trend *t, const orffi_trend_sums *s, const double *whole,
                               double numbers, double ratio, double *value) {
    const size_t Q = s->columns, each = t->shared ? 1 : t->p, offsets = t->offsets * each;
    double *A = NULL, *b = NULL;
    orff_status status = orffi_duplicate(&A, s->A, Q * Q, sizeof *A);
    if (!status) status = orffi_duplicate(&b, s->B, Q * s->sides, sizeof *b);
    if (!status) add_prior(t, ratio, A);
    if (!status) status = orffi_cholesky(Q, A);
    if (!status) status = orffi_cholesky_solve(Q, A, s->sides, b);
    *value = -(double)(offsets * s->sides) * log(ratio);
    for (size_t q = 0; !status && q < Q; q++) *value -= 2.0 * (double)s->sides * log(A[q * (Q + 1)]);
    for (size_t a = 0; !status && a < s->sides; a++) {
        double left = whole[a];
        for (size_t q = 0; q < Q; q++) left -= b[q * s->sides + a] * s->B[q * s->sides + a];
        *value -= (numbers - (double)(Q - offsets)) * log(fmax(left, whole[a] * DBL_EPSILON));
    }
    orffi_release(A);
    orffi_release(b);
    if (status != ORFF_ERROR_NOT_POSITIVE) return status;
    *value = -INFINITY;
    return ORFF_OK;
}

/* From 1e-5 to 1e5 times the noise variance, then finer around the best. */
static orff_status search_ratio(orffi_trend *t, const orffi_trend_sums *s, const double *whole,
                                double numbers) {
    double best = -INFINITY, middle = 0.0, reach = 11.5;
    for (int round = 0; round < 4; round++) {
        const double around = middle;
        for (int i = -8; i <= 8; i++) {
            const double at = around + reach * (double)i / 8.0;
            double value;
            ORFFI_TRY(judge_ratio(t, s, whole, numbers, exp(at), &value));
            if (value > best) {
                best = value;
                middle = at;
            }
        }
        reach /= 6.0;
    }
    t->ratio = exp(middle);
    return ORFF_OK;
}

/* y^T C^-1 y from what is learned from y: noise C^-1 y is c (y - f(x)) at a row. F: f at the rows, n x p;
 * if `told`, the difference y - f at the rows with a weight. */
static void add_whole(const orffi_trend *t, const orffi_table *table, bool told, const double *F,
                      double *whole, double *numbers) {
    const orffi_directed rows = orffi_table_directed(table);
    const size_t p = t->p;
    size_t seen = 0;
    for (size_t i = 0; i < table->n; i++) {
        const double c = table->weights ? table->weights[i] : 1.0, *y = table->Y + i * p;
        if (!orffi_has_weight(table, i)) continue;
        *numbers += t->shared || table->along ? 1.0 : (double)p;
        for (size_t a = 0; !table->along && a < p; a++)
            whole[t->shared ? a : 0] += c * y[a] * (told ? F[seen * p + a] : y[a] - F[i * p + a]);
        if (table->along) whole[0] += c * table->Y[i] * (table->Y[i] - orffi_directed_value(&rows, p, i, F));
        seen++;
    }
}

orff_status orffi_trend_find_ratio(orffi_trend_fit *f, const orffi_plan *plan, const orff_kernel *kernel,
                                   double lambda, const orffi_table *table, orffi_trend_sums *s) {
    const size_t p = f->trend->p;
    /* If the engine reports differences for the columns, it does so for y. */
    const bool told = f->lacks[0] != NULL;
    double *arrays = NULL, *F = NULL, numbers = 0.0;
    void *fit = NULL;
    orff_status status = ORFFI_NEW_ARRAY(arrays, 4 * p);
    if (!status) status = orffi_alloc(&F, table->n, p * sizeof *F);
    orffi_report report = {.mean = arrays, .train_mse = arrays + p, .cv_mse = arrays + 2 * p};
    report.left = told ? F : NULL;
    if (!status) status = orffi_trend_learn_column(plan, f, kernel, lambda, table, &report, &fit);
    if (!status && !told) status = plan->engine->values(fit, table->n, table->X, F);
    if (!status) add_whole(f->trend, table, told, F, arrays + 3 * p, &numbers);
    if (!status) status = search_ratio(f->trend, s, arrays + 3 * p, numbers);
    if (!status) add_prior(f->trend, f->trend->ratio, s->A);
    plan->engine->free(fit);
    orffi_release(arrays);
    orffi_release(F);
    return status;
}
