/* Estimating a trend: by least squares, and by generalised least squares through an engine that knows nothing of it. */
#include "model/trend_fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "base/periods.h"
#include "exact/evidence.h"
#include "model/model.h"
#include "model/plan.h"

#define LEAST_CONDITION 1e-12 /* of columns that the rows tell apart: reciprocal */
#define BLOCK           4096  /* rows that are looked at together */

orff_status orffi_trend_refuse(const orff_settings *settings, const char *what) {
    if (settings->offset_groups) return orffi_fail(ORFF_ERROR_UNSUPPORTED, "offsets of groups: %s", what);
    if (settings->trend == ORFF_TREND_NONE) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "trend: %s", what);
}

/* ---- which inputs, and where they are */

static orff_status choose_inputs(const orff_settings *s, size_t d, bool *inputs) {
    for (size_t k = 0; k < d; k++) {
        const bool repeats = orffi_is_periodic(s->periods, k);
        inputs[k] = s->trend_inputs ? s->trend_inputs[k] : !repeats;
        if (inputs[k] && repeats)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "trend: input %zu is periodic, so it cannot have a trend", k + 1);
    }
    return ORFF_OK;
}

/* Rows that were measured; walls are none. */
static size_t measured(const orffi_rows *rows) {
    return rows->n > rows->walls ? rows->n - rows->walls : rows->n;
}

static void fill_range(orffi_trend *t, const orffi_rows *rows) {
    for (size_t k = 0; k < t->d; k++) {
        double low = rows->X[k], high = rows->X[k];
        for (size_t i = 1; i < measured(rows); i++) {
            low = fmin(low, rows->X[i * t->d + k]);
            high = fmax(high, rows->X[i * t->d + k]);
        }
        t->centre[k] = t->at[k] = low / 2.0 + high / 2.0;
        t->scale[k] = t->by[k] = high > low ? high / 2.0 - low / 2.0 : 1.0;
    }
}

/* ---- sums over rows
 *
 * Of each row there is H (sides x columns) and what is left of y, and their products are summed up. Whole rows have the same
 * terms in every output: columns are terms, and what is left has p numbers. Else a column is a term in one output. */

typedef struct sums {
    size_t columns, sides; /* sides: numbers of y that go with the same columns */
    double *A, *B;         /* columns x columns, columns x sides */
} sums;

static orff_status sums_init(sums *s, size_t columns, size_t sides) {
    size_t entries;
    *s = (sums){.columns = columns, .sides = sides};
    ORFFI_TRY(orffi_multiply(columns, columns, &entries));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->A, entries));
    return orffi_alloc(&s->B, columns, sides * sizeof *s->B);
}

static void sums_clear(sums *s) {
    orffi_release(s->A);
    orffi_release(s->B);
}

/* A becomes its factor. ORFF_ERROR_NOT_POSITIVE where columns in units of 1/roots are not told apart. */
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

/* A becomes its factor, B the solution. Sums of differences are as exact as the columns are, whose units are alike; what an
 * engine has told is not of differences, and a column that lacks little is known as well as any: its correlations count. */
static orff_status sums_solve(sums *s, bool told) {
    double *roots;
    ORFFI_TRY(ORFFI_NEW_ARRAY(roots, s->columns));
    for (size_t i = 0; i < s->columns; i++)
        roots[i] = told ? sqrt(fmax(s->A[i * (s->columns + 1)], 0.0)) : 1.0;
    orff_status status = factor(s->columns, s->A, roots);
    if (!status) status = orffi_cholesky_solve(s->columns, s->A, s->sides, s->B);
    orffi_release(roots);
    return status;
}

/* ---- least squares */

static double weight_of(const orffi_rows *rows, size_t i) {
    return rows->weights ? rows->weights[i] : 1.0;
}

/* One row, h: its columns (of a directed row its terms times its direction). */
static void sums_add(sums *s, double c, const double *h, const double *y) {
    for (size_t i = 0; i < s->columns; i++) {
        for (size_t j = 0; j < s->columns; j++) s->A[i * s->columns + j] += c * h[i] * h[j];
        for (size_t a = 0; a < s->sides; a++) s->B[i * s->sides + a] += c * h[i] * y[a];
    }
}

/* The terms of a row: its group, or ORFFI_NO_SET, has an offset. */
static void fill_terms(const orffi_trend *t, const double *x, uint32_t set, double *h) {
    orffi_trend_terms(t, x, h);
    if (set != ORFFI_NO_SET) h[t->terms - t->offsets + set] = 1.0;
}

static uint32_t set_of(const uint32_t *sets, size_t i) {
    return sets ? sets[i] : ORFFI_NO_SET;
}

/* h: terms, and behind them the columns of a directed row. Returns those of the row. */
static const double *columns_of(const orffi_trend *t, const double *x, const double *along, uint32_t set,
                                double *h) {
    double *directed = h + t->terms;
    fill_terms(t, x, set, h);
    if (!along) return h;
    for (size_t q = 0; q < t->terms * t->p; q++) directed[q] = h[q / t->p] * along[q % t->p];
    return directed;
}

/* left (of n rows X) -= H b, b: terms x p */
static orff_status subtract_trend(const orffi_trend *t, size_t n, const double *X, const double *along,
                                  const uint32_t *sets, const double *b, double *left) {
    const size_t p = t->p;
    double *h;
    ORFFI_TRY(ORFFI_NEW_ARRAY(h, t->terms * (p + 1)));
    for (size_t i = 0; i < n; i++) {
        const double *column = columns_of(t, X + i * t->d, along ? along + i * p : NULL, set_of(sets, i), h);
        for (size_t q = 0; q < t->terms * p; q++)
            left[along ? i : i * p + q % p] -= column[along ? q : q / p] * b[q];
    }
    orffi_release(h);
    return ORFF_OK;
}

static orff_status subtract_from_rows(orffi_trend_fit *f, const double *b) {
    orffi_rows *rows = f->rows;
    ORFFI_TRY(subtract_trend(f->trend, rows->n, rows->X, rows->along, rows->set, b, f->left));
    return subtract_trend(f->trend, rows->head.n, rows->head.X, rows->head.along, rows->head.set, b,
                          rows->head.Y);
}

static orff_status fail_dependent(const orffi_trend *t) {
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "trend: the rows do not determine its %zu terms: some input does not vary, or depends "
                      "on others, or there are too few rows; ask for fewer terms, or name the inputs",
                      t->terms);
}

/* Offsets are left alone: what rows of a group have in common may well be of the field. */
static orff_status least_squares(orffi_trend_fit *f) {
    orffi_trend *t = f->trend;
    const orffi_rows *rows = f->rows;
    const size_t p = t->p, terms = t->terms - t->offsets;
    sums s = {0};
    double *h = NULL;
    orff_status status =
        rows->along ? sums_init(&s, terms * p, 1) : sums_init(&s, terms, p); /* terms x p either way */
    if (!status) status = ORFFI_NEW_ARRAY(h, t->terms * (p + 1));
    for (size_t i = 0; !status && i < measured(rows); i++) {
        const double *along = rows->along ? rows->along + i * p : NULL;
        sums_add(&s, weight_of(rows, i), columns_of(t, rows->X + i * t->d, along, ORFFI_NO_SET, h),
                 rows->Y + i * (along ? 1 : p));
    }
    if (!status) status = sums_solve(&s, false);
    if (status == ORFF_ERROR_NOT_POSITIVE) status = fail_dependent(t);
    if (!status) memcpy(t->beta, s.B, terms * p * sizeof *t->beta);
    if (!status) status = subtract_from_rows(f, t->beta);
    sums_clear(&s);
    orffi_release(h);
    return status;
}

/* ---- beginning and end */

static orff_status check(const orff_settings *s) {
    if ((unsigned)s->trend >= ORFF_TREND_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no trend number %d", (int)s->trend);
    if (s->classes) return orffi_trend_refuse(s, "classes have none");
    if (s->loss != ORFF_LOSS_SQUARED)
        return orffi_trend_refuse(
            s, "it needs the squared loss; for another one, subtract the trend from the outputs first");
    if (s->checkpoint) return orffi_trend_refuse(s, "it is estimated at once, without a checkpoint");
    return ORFF_OK;
}

static orff_status begin(orffi_trend_fit *f, const orff_settings *s, orffi_rows *rows) {
    bool *inputs;
    const size_t numbers = rows->n * (rows->along ? 1 : rows->p);
    ORFFI_TRY(ORFFI_NEW_ARRAY(inputs, rows->d));
    orff_status status = choose_inputs(s, rows->d, inputs);
    if (!status)
        status =
            orffi_trend_create(&f->trend, s->trend, rows->d, rows->p, inputs, rows->sets, rows->set_labels);
    orffi_release(inputs);
    if (!status) status = orffi_duplicate(&f->left, rows->Y, numbers, sizeof *f->left);
    if (status) return status;
    f->rows = rows;
    fill_range(f->trend, rows);
    ORFFI_TRY(least_squares(f));
    rows->Y = f->left;
    return ORFF_OK;
}

static orff_status find_groups(orff_settings *settings, orffi_rows *rows) {
    ORFFI_TRY(orffi_rows_set_groups(rows, settings->offset_groups));
    if (rows->sets < 2 || rows->sets > ORFFI_MOST_OFFSETS)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "offsets of groups are for 2 to %d groups, but there are %zu; is this the right "
                          "column?",
                          ORFFI_MOST_OFFSETS, rows->sets);
    if (settings->trend == ORFF_TREND_NONE) settings->trend = ORFF_TREND_CONSTANT;
    return ORFF_OK;
}

orff_status orffi_trend_begin(orffi_trend_fit *f, orff_settings *settings, orffi_rows *rows) {
    if (settings->trend == ORFF_TREND_NONE && !settings->offset_groups) return ORFF_OK;
    ORFFI_TRY(check(settings));
    if (settings->offset_groups) ORFFI_TRY(find_groups(settings, rows));
    settings->center = false;
    return begin(f, settings, rows);
}

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

/* ---- columns as data */

/* Rows as the engine has them. */
static orff_status copy_rows(orffi_rows *rows, orffi_table *table) {
    orffi_source source;
    ORFFI_TRY(orffi_rows_source(rows, &source));
    if (!source.table)
        return orffi_rows_outcome(
            rows, orffi_table_gather(table, &source.reader, source.expected, rows->d, rows->p));
    ORFFI_TRY(orffi_table_init_like(table, source.table->n, source.table));
    table->N = source.table->N;
    table->walls = source.table->walls;
    for (size_t i = 0; i < table->n; i++) orffi_table_copy_row(table, i, source.table, i);
    return ORFF_OK;
}

/* The y of fit number `which`: Y is n x p, of directed rows n. */
static void fill_column(const orffi_trend *t, const orffi_table *table, const uint32_t *sets, size_t which,
                        double *h, double *Y) {
    const size_t p = t->p, term = which / p, output = which % p;
    for (size_t i = 0; i < table->n; i++) {
        fill_terms(t, table->X + i * t->d, set_of(sets, i), h);
        if (table->along) Y[i] = h[term] * table->along[i * p + output];
        for (size_t a = 0; !table->along && a < p; a++) {
            const size_t column = which * p + a;
            Y[i * p + a] = t->shared ? (column < t->terms ? h[column] : 0.0) : a == output ? h[term] : 0.0;
        }
    }
}

/* report: its arrays are there, and say nothing to anybody. */
static orff_status learn_column(const orffi_plan *plan, const orffi_trend_fit *f, const orff_kernel *kernel,
                                double lambda, const orffi_table *table, orffi_report *report, void **fit) {
    orff_settings bare = plan->settings;
    orffi_task task = orffi_plan_task(plan);
    const orffi_source source = {.table = table, .expected = table->n, .known = table->n};
    void *rows = NULL;
    bare.posterior = ORFF_SWITCH_NO;
    task.settings = &bare;
    task.folds = 1;
    orff_status status = plan->engine->prepare(&rows, &task, f->kernel);
    if (!status) status = plan->engine->read(rows, &source);
    if (!status) status = plan->engine->learn(fit, rows, kernel, lambda, report);
    plan->engine->release(rows);
    return status;
}

/* Rows that the engine need not read for every column, or NULL. */
static orff_status prepare_once(const orffi_plan *plan, const orffi_trend_fit *f, const orff_settings *bare,
                                const orffi_table *table, void **rows) {
    orffi_task task = orffi_plan_task(plan);
    const orffi_source source = {.table = table, .expected = table->n, .known = table->n};
    if (!plan->engine->again) return ORFF_OK;
    task.settings = bare;
    task.folds = 1;
    ORFFI_TRY(plan->engine->prepare(rows, &task, f->kernel));
    return plan->engine->read(*rows, &source);
}

/* learn_column; what is left of the rows is kept where the engine tells it. */
static orff_status learn_telling(const orffi_plan *plan, orffi_trend_fit *f, const orff_kernel *kernel,
                                 double lambda, const orffi_table *column, orffi_report *report, size_t i) {
    double *left = NULL;
    if (!column->along) ORFFI_TRY(orffi_alloc(&left, column->n, column->p * sizeof *left));
    if (left) left[0] = NAN;
    report->left = left;
    const orff_status status = learn_column(plan, f, kernel, lambda, column, report, &f->trend->fits[i]);
    if (left && !isnan(left[0]))
        f->lacks[i] = left;
    else
        orffi_release(left);
    return status;
}

static orff_status learn_columns(orffi_trend_fit *f, const orffi_plan *plan, const orff_kernel *kernel,
                                 double lambda, const orffi_table *table) {
    orffi_trend *t = f->trend;
    orffi_table column = *table;
    orff_settings bare = plan->settings;
    double *h = NULL, *arrays = NULL;
    void *once = NULL;
    column.Y = NULL;
    bare.posterior = ORFF_SWITCH_NO;
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->lacks, t->n_fits));
    orff_status status = orffi_alloc(&column.Y, table->n, orffi_table_width(table) * sizeof *column.Y);
    if (!status) status = ORFFI_NEW_ARRAY(h, t->terms);
    if (!status) status = ORFFI_NEW_ARRAY(arrays, 3 * t->p);
    for (size_t i = 0; !status && i < t->n_fits; i++) {
        orffi_report report = {.mean = arrays, .train_mse = arrays + t->p, .cv_mse = arrays + 2 * t->p};
        orffi_stage before;
        status = orffi_stage_enter("estimating the trend", (double)i, (double)t->n_fits, NULL, &before);
        if (!status) fill_column(t, table, f->rows->set, i, h, column.Y);
        if (!status && !once) status = prepare_once(plan, f, &bare, &column, &once);
        if (!status)
            status = once ? plan->engine->again(&t->fits[i], once, kernel, lambda, column.Y)
                          : learn_telling(plan, f, kernel, lambda, &column, &report, i);
        orffi_stage_leave(&before);
    }
    plan->engine->release(once);
    orffi_release(column.Y);
    orffi_release(h);
    orffi_release(arrays);
    return status;
}

/* ---- generalised least squares */

/* Sums of one row: H and U are its columns and what they lack, sides x columns of them. With noise C^-1 H = c U,
 * A = sum c H^T U, B = sum c U^T y; and `freedom` = sum c U^T U (columns x columns). */
static void add_row(sums *s, double *freedom, size_t width, double c, const double *H, const double *U,
                    const double *y) {
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

/* Columns of a row that are measured along a direction: V (columns x p) becomes columns. */
static void turn(size_t columns, size_t p, const double *e, double *V) {
    for (size_t q = 0; q < columns; q++) {
        double sum = 0.0;
        for (size_t a = 0; a < p; a++) sum += e[a] * V[q * p + a];
        V[q] = sum;
    }
}

/* The columns of one row: columns x width. h: terms */
static void fill_row(const orffi_trend *t, const double *x, uint32_t set, double *h, double *H) {
    fill_terms(t, x, set, h);
    if (t->shared) memcpy(H, h, t->terms * sizeof *H);
    for (size_t q = 0; !t->shared && q < t->columns; q++)
        for (size_t a = 0; a < t->p; a++) H[q * t->p + a] = a == q % t->p ? h[q / t->p] : 0.0;
}

/* What a row lacks of the column of its group, which is 0 wherever f is asked for, but 1 there. */
static void add_set(const orffi_trend *t, uint32_t set, double *U) {
    const size_t p = orffi_trend_width(t), term = t->terms - t->offsets + set;
    for (size_t a = 0; set != ORFFI_NO_SET && a < p; a++) U[(term * p + a) * p + a] += 1.0;
}

static bool has_weight(const orffi_table *table, size_t i) {
    return !table->weights || table->weights[i] > 0.0;
}

/* U of some rows as the engine has told it, which is all of what they lack; *seen: those before that have a weight. */
static void copy_lacks(const orffi_trend_fit *f, const orffi_table *table, size_t first, size_t rows,
                       size_t *seen, double *U) {
    const size_t p = f->trend->p, Q = f->trend->columns, width = orffi_trend_width(f->trend);
    for (size_t r = 0; r < rows; r++, U += Q * width) {
        memset(U, 0, Q * width * sizeof *U);
        if (!has_weight(table, first + r)) continue;
        for (size_t k = 0; k < Q * width; k++) U[k] = f->lacks[k / p][*seen * p + k % p];
        ++*seen;
    }
}

/* The same from the fits themselves. */
static orff_status find_lacks(const orffi_trend_fit *f, const orffi_table *table, size_t first, size_t rows,
                              double *U) {
    const orffi_trend *t = f->trend;
    const size_t each = t->columns * orffi_trend_width(t);
    ORFFI_TRY(orffi_trend_lacks(t, rows, table->X + first * t->d, U));
    for (size_t r = 0; r < rows; r++) {
        add_set(t, set_of(f->rows->set, first + r), U + r * each);
        if (table->along) turn(t->columns, t->p, table->along + (first + r) * t->p, U + r * each);
    }
    return ORFF_OK;
}

/* work: room for a block of U, a row of H and its terms. */
static orff_status add_rows(const orffi_trend_fit *f, const orffi_table *table, double *work, sums *s,
                            double *freedom) {
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
            fill_row(t, table->X + i * t->d, set_of(f->rows->set, i), h, H);
            if (table->along) turn(t->columns, t->p, table->along + i * t->p, H);
            add_row(s, freedom, table->along ? 1 : width, table->weights ? table->weights[i] : 1.0, H,
                    work + (i - first) * each, table->Y + i * y);
        }
    }
    return ORFF_OK;
}

/* ---- the variance of offsets */

/* A + 1/ratio on the diagonal of offsets. */
static void add_prior(const orffi_trend *t, double ratio, double *A) {
    const size_t each = t->shared ? 1 : t->p;
    for (size_t q = (t->terms - t->offsets) * each; q < t->columns; q++)
        A[q * (t->columns + 1)] += 1.0 / ratio;
}

/* Twice the log evidence of `ratio`, but for what does not depend on it, at the noise that makes it largest; terms that have no
 * prior are integrated out too (restricted likelihood). whole: y^T C^-1 y of each side, `numbers` of them. -INFINITY where
 * there is none. */
static orff_status judge_ratio(const orffi_trend *t, const sums *s, const double *whole, double numbers,
                               double ratio, double *value) {
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

/* From a hundred thousandth of the noise's variance to a hundred thousand times as much, then finer about the best. */
static orff_status search_ratio(orffi_trend *t, const sums *s, const double *whole, double numbers) {
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

/* y^T C^-1 y from what is learned from y: noise C^-1 y is c (y - f(x)) at a row. F: n x p, or where `told` that difference
 * at the rows that have a weight. */
static void add_whole(const orffi_trend *t, const orffi_table *table, bool told, const double *F,
                      double *whole, double *numbers) {
    const orffi_directed rows = orffi_table_directed(table);
    const size_t p = t->p;
    size_t seen = 0;
    for (size_t i = 0; i < table->n; i++) {
        const double c = table->weights ? table->weights[i] : 1.0, *y = table->Y + i * p;
        if (!has_weight(table, i)) continue;
        *numbers += t->shared || table->along ? 1.0 : (double)p;
        for (size_t a = 0; !table->along && a < p; a++)
            whole[t->shared ? a : 0] += c * y[a] * (told ? F[seen * p + a] : y[a] - F[i * p + a]);
        if (table->along) whole[0] += c * table->Y[i] * (table->Y[i] - orffi_directed_value(&rows, p, i, F));
        seen++;
    }
}

static orff_status find_ratio(orffi_trend_fit *f, const orffi_plan *plan, const orff_kernel *kernel,
                              double lambda, const orffi_table *table, sums *s) {
    const size_t p = f->trend->p;
    const bool told = f->lacks[0] != NULL; /* of columns, and so of y */
    double *arrays = NULL, *F = NULL, numbers = 0.0;
    void *fit = NULL;
    orff_status status = ORFFI_NEW_ARRAY(arrays, 4 * p);
    if (!status) status = orffi_alloc(&F, table->n, p * sizeof *F);
    orffi_report report = {.mean = arrays, .train_mse = arrays + p, .cv_mse = arrays + 2 * p};
    report.left = told ? F : NULL;
    if (!status) status = learn_column(plan, f, kernel, lambda, table, &report, &fit);
    if (!status && !told) status = plan->engine->values(fit, table->n, table->X, F);
    if (!status) add_whole(f->trend, table, told, F, arrays + 3 * p, &numbers);
    if (!status) status = search_ratio(f->trend, s, arrays + 3 * p, numbers);
    if (!status) add_prior(f->trend, f->trend->ratio, s->A);
    plan->engine->free(fit);
    orffi_release(arrays);
    orffi_release(F);
    return status;
}

/* tr A^-1 R, A from its factor; R is overwritten. */
static orff_status trace_of(const sums *s, double *R, double *trace) {
    *trace = 0.0;
    ORFFI_TRY(orffi_cholesky_solve(s->columns, s->A, s->columns, R));
    for (size_t i = 0; i < s->columns; i++) *trace += R[i * (s->columns + 1)];
    *trace *= (double)s->sides;
    return ORFF_OK;
}

static orff_status keep_root(orffi_trend *t, sums *s) {
    const size_t Q = t->columns;
    ORFFI_TRY(orffi_cholesky_root(Q, s->A));
    for (size_t i = 0; i < Q * Q; i++) t->root[i] = i / Q <= i % Q ? s->A[i] : 0.0;
    return ORFF_OK;
}

/* s: solved. B is terms x p, in units of the spreads. */
static orff_status move_on(orffi_trend_fit *f, const orffi_plan *plan, sums *s) {
    orffi_trend *t = f->trend;
    for (size_t q = 0; q < t->terms * t->p; q++) {
        s->B[q] *= plan->units.spread[q % t->p];
        t->beta[q] += s->B[q];
    }
    memcpy(t->at, t->centre, t->d * sizeof *t->at); /* rows are in the user's units */
    memcpy(t->by, t->scale, t->d * sizeof *t->by);
    ORFFI_TRY(subtract_from_rows(f, s->B));
    orffi_trend_rescale(t, plan->units.shift, plan->units.unit);
    return keep_root(t, s);
}

/* Least squares could tell the columns apart; beside the field they are not. */
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
    sums s = {0};
    double *work = NULL, *freedom = NULL;
    orff_status status = sums_init(&s, t->columns, t->shared ? t->p : 1);
    if (!status) status = ORFFI_NEW_ARRAY(work, (BLOCK + 1) * each + t->terms);
    if (!status) status = ORFFI_NEW_ARRAY(freedom, t->columns * t->columns);
    if (!status) status = add_rows(f, table, work, &s, freedom);
    if (!status && t->offsets) status = find_ratio(f, plan, kernel, lambda, table, &s);
    if (!status) status = sums_solve(&s, f->lacks[0] != NULL);
    if (status == ORFF_ERROR_NOT_POSITIVE) status = fail_absorbed(t);
    if (!status) status = trace_of(&s, freedom, &f->freedom);
    if (!status) status = move_on(f, plan, &s);
    sums_clear(&s);
    orffi_release(work);
    orffi_release(freedom);
    return status;
}

static void forget_lacks(orffi_trend_fit *f) {
    for (size_t i = 0; f->lacks && i < f->trend->n_fits; i++) orffi_release(f->lacks[i]);
    orffi_release(f->lacks);
    f->lacks = NULL;
}

orff_status orffi_trend_estimate(orffi_trend_fit *f, const orffi_plan *plan, const orff_kernel *kernel,
                                 double lambda) {
    orffi_table table = {0};
    orffi_trend *t = f->trend;
    const bool shared = !plan->directed && orffi_kernel_is_identity(kernel);
    ORFFI_TRY(orffi_trend_make_columns(t, plan->engine, shared));
    orffi_trend_rescale(t, plan->units.shift, plan->units.unit);
    orff_status status = copy_rows(f->rows, &table);
    if (!status) status = learn_columns(f, plan, kernel, lambda, &table);
    if (!status) status = solve(f, plan, kernel, lambda, &table);
    orffi_table_clear(&table);
    forget_lacks(f);
    return status;
}
