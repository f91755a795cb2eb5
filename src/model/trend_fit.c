/* Estimates a trend by generalised least squares, through an engine that does not know of it. */
#include "model/trend_sums.h"

#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "model/model.h"

#define BLOCK 4096 /* rows processed together */

void orffi_trend_give(orffi_trend_fit *f, orff_model *model) {
    if (!f->trend) return;
    orffi_trend_report(f->trend, model->noise);
    if (!orff_model_describe(model).has_posterior) orffi_trend_drop_fits(f->trend);
    model->trend = f->trend;
    f->trend = NULL;
}

void orffi_trend_clear(orffi_trend_fit *f) {
    orffi_trend_free(f->trend);
    orffi_release(f->left);
    memset(f, 0, sizeof *f);
}

/* ---- generalised least squares */

/* Adds a row: its columns H and their differences U from what is learned from them, sides x columns each.
 * With C^-1 H = c U / noise, A = sum c H^T U, B = sum c U^T y; and `freedom` = sum c U^T U
 * (columns x columns). */
static void add_row(orffi_trend_sums *s, double *freedom, size_t width, double c, const double *H,
                    const double *U, const double *y) {
    const size_t Q = s->columns;
    for (size_t i = 0; i < Q; i++) {
        for (size_t j = 0; j < Q; j++)
            for (size_t a = 0; a < width; a++) {
                const double u = U[i * width + a], v = U[j * width + a];
                s->A[i * Q + j] += 0.5 * c * (H[i * width + a] * v + H[j * width + a] * u);
                freedom[i * Q + j] += c * u * v;
            }
        for (size_t k = 0; k < (width > s->sides ? width : s->sides); k++)
            s->B[i * s->sides + (s->sides > 1 ? k : 0)] += c * U[i * width + (width > 1 ? k : 0)] * y[k];
    }
}

/* Projects the columns of a row measured along e: V (columns x p) becomes columns. */
static void turn(size_t columns, size_t p, const double *e, double *V) {
    for (size_t q = 0; q < columns; q++) {
        double sum = 0.0;
        for (size_t a = 0; a < p; a++) sum += e[a] * V[q * p + a];
        V[q] = sum;
    }
}

/* The columns of one row: columns x width. h: terms */
static void fill_row(const orffi_trend *t, const double *x, uint32_t set, double *h, double *H) {
    orffi_trend_fill_terms(t, x, set, h);
    if (t->shared) memcpy(H, h, t->terms * sizeof *H);
    for (size_t q = 0; !t->shared && q < t->columns; q++)
        for (size_t a = 0; a < t->p; a++) H[q * t->p + a] = a == q % t->p ? h[q / t->p] : 0.0;
}

/* The column of a row's group is 0 wherever f is evaluated, but 1 at the row: adds 1 to its U. */
static void add_set(const orffi_trend *t, uint32_t set, double *U) {
    const size_t p = orffi_trend_width(t), term = t->terms - t->offsets + set;
    for (size_t a = 0; set != ORFFI_NO_SET && a < p; a++) U[(term * p + a) * p + a] += 1.0;
}

/* Copies U of some rows as reported by the engine, which is complete; *seen: rows before these that have a
 * weight. */
static void copy_lacks(const orffi_trend_fit *f, const orffi_table *table, size_t first, size_t rows,
                       size_t *seen, double *U) {
    const size_t p = f->trend->p, Q = f->trend->columns, width = orffi_trend_width(f->trend);
    for (size_t r = 0; r < rows; r++, U += Q * width) {
        memset(U, 0, Q * width * sizeof *U);
        if (!orffi_has_weight(table, first + r)) continue;
        for (size_t k = 0; k < Q * width; k++) U[k] = f->lacks[k / p][*seen * p + k % p];
        ++*seen;
    }
}

/* Computes the same from the fits. */
static orff_status find_lacks(const orffi_trend_fit *f, const orffi_table *table, size_t first, size_t rows,
                              double *U) {
    const orffi_trend *t = f->trend;
    const size_t each = t->columns * orffi_trend_width(t);
    ORFFI_TRY(orffi_trend_lacks(t, rows, table->X + first * t->d, U));
    for (size_t r = 0; r < rows; r++) {
        add_set(t, orffi_set_of(f->rows->set, first + r), U + r * each);
        if (table->along) turn(t->columns, t->p, table->along + (first + r) * t->p, U + r * each);
    }
    return ORFF_OK;
}

/* work: room for U of a block, H of a row, and its terms. */
static orff_status add_rows(const orffi_trend_fit *f, const orffi_table *table, double *work,
                            orffi_trend_sums *s, double *freedom) {
    const orffi_trend *t = f->trend;
    const size_t width = orffi_trend_width(t), each = t->columns * width, y = orffi_table_width(table);
    double *H = work + BLOCK * each, *h = H + each;
    size_t seen = 0;
    for (size_t first = 0; first < table->n; first += BLOCK) {
        const size_t rows = table->n - first < BLOCK ? table->n - first : BLOCK;
        if (f->lacks[0])
            copy_lacks(f, table, first, rows, &seen, work);
        else
            ORFFI_TRY(find_lacks(f, table, first, rows, work));
        for (size_t i = first; i < first + rows; i++) {
            fill_row(t, table->X + i * t->d, orffi_set_of(f->rows->set, i), h, H);
            if (table->along) turn(t->columns, t->p, table->along + i * t->p, H);
            add_row(s, freedom, table->along ? 1 : width, table->weights ? table->weights[i] : 1.0, H,
                    work + (i - first) * each, table->Y + i * y);
        }
    }
    return ORFF_OK;
}

/* ---- the variance of offsets */

/* tr A^-1 R, with A given by its factor; overwrites R. */
static orff_status trace_of(const orffi_trend_sums *s, double *R, double *trace) {
    *trace = 0.0;
    ORFFI_TRY(orffi_cholesky_solve(s->columns, s->A, s->columns, R));
    for (size_t i = 0; i < s->columns; i++) *trace += R[i * (s->columns + 1)];
    *trace *= (double)s->sides;
    return ORFF_OK;
}

static orff_status keep_root(orffi_trend *t, orffi_trend_sums *s) {
    const size_t Q = t->columns;
    ORFFI_TRY(orffi_cholesky_root(Q, s->A));
    for (size_t i = 0; i < Q * Q; i++) t->root[i] = i / Q <= i % Q ? s->A[i] : 0.0;
    return ORFF_OK;
}

/* Adds the solution to the trend. s: solved; B is terms x p, in units of the spreads. */
static orff_status move_on(orffi_trend_fit *f, const orffi_plan *plan, orffi_trend_sums *s) {
    orffi_trend *t = f->trend;
    for (size_t q = 0; q < t->terms * t->p; q++) {
        s->B[q] *= plan->units.spread[q % t->p];
        t->beta[q] += s->B[q];
    }
    memcpy(t->at, t->centre, t->d * sizeof *t->at); /* while the rows are in the user's units */
    memcpy(t->by, t->scale, t->d * sizeof *t->by);
    ORFFI_TRY(orffi_trend_subtract(f, s->B));
    orffi_trend_rescale(t, plan->units.shift, plan->units.unit);
    return keep_root(t, s);
}

/* Least squares could distinguish the columns, but beside the field they cannot be distinguished. */
static orff_status fail_absorbed(const orffi_trend *t) {
    return orffi_fail(
        ORFF_ERROR_NUMERICAL,
        "trend: its %zu terms cannot be distinguished from the field: the kernel reproduces them to within "
        "rounding, because it is as smooth as they are and there is almost no noise; fit without a trend, "
        "ask for fewer terms, or give a shorter length scale (sigma) or a larger lambda",
        t->terms);
}

static orff_status solve(orffi_trend_fit *f, const orffi_plan *plan, const orff_kernel *kernel, double lambda,
                         const orffi_table *table) {
    orffi_trend *t = f->trend;
    const size_t each = t->columns * orffi_trend_width(t);
    orffi_trend_sums s = {0};
    double *work = NULL, *freedom = NULL;
    orff_status status = orffi_trend_sums_init(&s, t->columns, t->shared ? t->p : 1);
    if (!status) status = ORFFI_NEW_ARRAY(work, (BLOCK + 1) * each + t->terms);
    if (!status) status = ORFFI_NEW_ARRAY(freedom, t->columns * t->columns);
    if (!status) status = add_rows(f, table, work, &s, freedom);
    if (!status && t->offsets) status = orffi_trend_find_ratio(f, plan, kernel, lambda, table, &s);
    if (!status) status = orffi_trend_sums_solve(&s, f->lacks[0] != NULL);
    if (status == ORFF_ERROR_NOT_POSITIVE) status = fail_absorbed(t);
    if (!status) status = trace_of(&s, freedom, &f->freedom);
    if (!status) status = move_on(f, plan, &s);
    orffi_trend_sums_clear(&s);
    orffi_release(work);
    orffi_release(freedom);
    return status;
}

orff_status orffi_trend_estimate(orffi_trend_fit *f, const orffi_plan *plan, const orff_kernel *kernel,
                                 double lambda) {
    orffi_table table = {0};
    orffi_trend *t = f->trend;
    const bool shared = !plan->directed && orffi_kernel_is_identity(kernel);
    ORFFI_TRY(orffi_trend_make_columns(t, plan->engine, shared));
    orffi_trend_rescale(t, plan->units.shift, plan->units.unit);
    orff_status status = orffi_trend_copy_rows(f->rows, &table);
    if (!status) status = orffi_trend_learn_columns(f, plan, kernel, lambda, &table);
    if (!status) status = solve(f, plan, kernel, lambda, &table);
    orffi_table_clear(&table);
    orffi_trend_forget_lacks(f);
    return status;
}
