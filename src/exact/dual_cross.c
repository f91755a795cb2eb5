/* Cross-validation by the dual. Let C = m G + N' lambda I over all rows, N' the weight of the rows outside
 * fold I, and y the outputs minus the mean of those rows. The model of those rows then leaves on the fold
 *
 *     y_I - f(x_I) = (C^-1)_II^-1 (C^-1 y)_I
 *
 * so the eigenvectors of G serve all folds. The result has the rounding errors of C^-1. Where those leave too
 * few digits at the chosen lambda, and where the outputs have different modes m_b (each mode would need such
 * a block), the rows outside each fold are decomposed on their own. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "exact/dual.h"

/* Puts the rows of fold k first, the others after them. */
static size_t sort_rows(const orffi_dual *dual, size_t k, size_t *order) {
    size_t inside = 0, at;
    for (size_t i = 0; i < dual->rows.n; i++)
        if (dual->fold[i] == k) order[inside++] = i;
    at = inside;
    for (size_t i = 0; i < dual->rows.n; i++)
        if (dual->fold[i] != k) order[at++] = i;
    return inside;
}

/* The mean of the rows outside the fold minus the mean of all rows   (p). */
static void move_of_mean(const orffi_dual *dual, size_t k, double *move) {
    const orffi_exact_system *s = &dual->system;
    const double outside = s->N - dual->weights[k];
    memset(move, 0, s->p * sizeof *move);
    for (size_t i = 0; dual->rows.center && i < s->rows; i++) {
        if (dual->fold[i] == k) continue;
        const double c = dual->rows.weights ? dual->rows.weights[i] : 1.0;
        for (size_t b = 0; b < s->p; b++) move[b] += c / outside * (dual->rows.Y[i * s->p + b] - s->mean[b]);
    }
}

/* ---- one mode */

typedef struct block {
    size_t size;      /* rows of the system that belong to the fold */
    double *F, *work; /* n x size: F^T of these rows, and the same scaled */
    double *c, *gc;   /* n x r: F^T y after the shift of the mean, and the same scaled */
    double *Q, *left; /* size x size, size x r */
    double *move;     /* p */
} block;

static void block_clear(block *b) {
    double *all[] = {b->F, b->work, b->c, b->gc, b->Q, b->left, b->move};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

static orff_status block_allocate(block *b, const orffi_exact_system *s, size_t inside) {
    b->size = inside * (s->n / s->rows);
    ORFFI_TRY(ORFFI_NEW_ARRAY(b->F, s->n * b->size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(b->work, s->n * b->size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(b->c, s->n * s->r));
    ORFFI_TRY(ORFFI_NEW_ARRAY(b->gc, s->n * s->r));
    ORFFI_TRY(ORFFI_NEW_ARRAY(b->Q, b->size * b->size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(b->left, b->size * s->r));
    return ORFFI_NEW_ARRAY(b->move, s->p);
}

/* c = F^T (y - sqrt(c) (x) move) */
static void block_fill(block *b, const orffi_dual *dual, size_t k, const size_t *order) {
    const orffi_exact_system *s = &dual->system;
    const size_t each = s->n / s->rows;
    for (size_t i = 0; i < b->size; i++) {
        const double *row = s->F + (order[i / each] * each + i % each) * s->n;
        for (size_t a = 0; a < s->n; a++) b->F[a * b->size + i] = row[a];
    }
    move_of_mean(dual, k, b->move);
    memcpy(b->c, s->c, s->n * s->r * sizeof *b->c);
    if (s->width)
        orffi_gemm(false, false, s->n, s->r, s->width, -1.0, s->s, s->width, b->move, s->r, 1.0, b->c, s->r);
}

/* left = Q^-1 F diag(g) c,  Q = F diag(g) F^T for the rows in the fold. */
static orff_status block_solve(block *b, const orffi_exact_system *s, double shift) {
    const double m = orffi_exact_system_value(s, 0);
    for (size_t a = 0; a < s->n; a++) {
        const double g = 1.0 / (s->e[a] * m + shift), root = sqrt(g);
        for (size_t i = 0; i < b->size; i++) b->work[a * b->size + i] = root * b->F[a * b->size + i];
        for (size_t i = 0; i < s->r; i++) b->gc[a * s->r + i] = g * b->c[a * s->r + i];
    }
    orffi_syrk(b->size, s->n, b->work, b->size, 0.0, b->Q, b->size);
    orffi_mirror(b->size, b->Q);
    orffi_gemm(true, false, b->size, s->r, s->n, 1.0, b->F, b->size, b->gc, s->r, 0.0, b->left, s->r);
    ORFFI_TRY(orffi_cholesky(b->size, b->Q));
    return orffi_cholesky_solve(b->size, b->Q, s->r, b->left);
}

/* As N lambda, with the weight of the rows outside fold k instead of N. */
static double fold_shift(const orffi_dual *dual, size_t k, double lambda) {
    const orffi_exact_system *s = &dual->system;
    return fmax((s->N - dual->weights[k]) * lambda, orffi_exact_system_shift(s, 0.0));
}

/* If lambda is so small that only rounding is left of the block, the error counts as infinite. */
static orff_status block_errors(block *b, const orffi_dual *dual, size_t k, size_t count,
                                const double *lambdas, double *errors, double *outputs) {
    const orffi_exact_system *s = &dual->system;
    for (size_t l = 0; l < count; l++) {
        const orff_status status = block_solve(b, s, fold_shift(dual, k, lambdas[l]));
        if (status && status != ORFF_ERROR_NOT_POSITIVE) return status;
        if (status) errors[l] = INFINITY;
        for (size_t i = 0; !status && i < b->size * s->r; i++) {
            const double square = b->left[i] * b->left[i];
            errors[l] += square;
            if (outputs) outputs[l * s->p + i % s->p] += square;
        }
        for (size_t i = 0; status && outputs && i < s->p; i++) outputs[l * s->p + i] = INFINITY;
    }
    return ORFF_OK;
}

static orff_status block_fold(const orffi_dual *dual, size_t k, size_t inside, const size_t *order,
                              size_t count, const double *lambdas, double *errors, double *outputs) {
    block b = {0};
    orff_status status = block_allocate(&b, &dual->system, inside);
    if (!status) {
        block_fill(&b, dual, k, order);
        status = block_errors(&b, dual, k, count, lambdas, errors, outputs);
    }
    block_clear(&b);
    return status;
}

/* ---- decomposing the rows outside a fold */

/* Sizes count rows of the system: `each` of them per row of the data. */
typedef struct rest {
    size_t each, inside, outside;
    double *Y, *weights, *gram; /* of the rows outside */
    orffi_exact_plan plan;      /* the dual's plan for fewer rows; not owned */
    orffi_exact_system system;
    double *H, *y;  /* inside x outside: G F with the weights; inside x r: sqrt(c) (Y - mean) W */
    size_t at_once; /* lambdas */
    double *w, *f, *left, *turned; /* outside x (at_once r), inside x (at_once r), inside x r twice */
} rest;

static void rest_clear(rest *r) {
    double *all[] = {r->Y, r->weights, r->gram, r->H, r->y, r->w, r->f, r->left, r->turned};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_exact_system_clear(&r->system);
}

static orff_status rest_allocate(rest *r, const orffi_dual *dual, size_t count) {
    const size_t columns = dual->system.r, fit = ((size_t)1 << 22) / (dual->system.n * columns + 1);
    r->at_once = fit < 1 ? 1 : fit < count ? fit : count;
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->Y, r->outside * columns));
    if (dual->rows.weights) ORFFI_TRY(ORFFI_NEW_ARRAY(r->weights, r->outside / r->each));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->gram, r->outside * r->outside));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->H, r->inside * r->outside));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->y, r->inside * columns));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->w, r->outside * columns * r->at_once));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->f, r->inside * columns * r->at_once));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->left, r->inside * columns));
    return ORFFI_NEW_ARRAY(r->turned, r->inside * columns);
}

/* Position i of the fold's order, as a row of the system. */
static size_t system_row(const rest *r, const size_t *order, size_t i) {
    return order[i / r->each] * r->each + i % r->each;
}

/* The system of the rows outside, in eigen form. */
static orff_status rest_learn(rest *r, const orffi_dual *dual, const size_t *order) {
    const size_t n = dual->system.n, p = dual->plan.p, rows = r->outside / r->each;
    const size_t *others = order + r->inside / r->each;
    for (size_t i = 0; i < rows; i++) {
        memcpy(r->Y + i * p, dual->rows.Y + others[i] * p, p * sizeof *r->Y);
        if (r->weights) r->weights[i] = dual->rows.weights[others[i]];
    }
    for (size_t i = 0; i < r->outside; i++) {
        const double *from = dual->gram + system_row(r, others, i) * n;
        for (size_t j = 0; j < r->outside; j++) r->gram[i * r->outside + j] = from[system_row(r, others, j)];
    }
    const orffi_exact_rows given = {
        .n = rows, .Y = r->Y, .weights = r->weights, .center = dual->rows.center, .gram = r->gram};
    r->plan = dual->plan;
    r->plan.n = rows;
    ORFFI_TRY(orffi_exact_system_build(&r->system, dual->features->kernel, &r->plan, &given));
    return orffi_exact_system_eigen(&r->system);
}

/* y = sqrt(c) (Y - mean) W for the rows inside. */
static void rest_outputs(rest *r, const orffi_dual *dual, const size_t *order) {
    const size_t p = dual->plan.p, rows = r->inside / r->each;
    for (size_t i = 0; i < rows * p; i++) {
        const size_t row = order[i / p];
        const double root = dual->system.root ? dual->system.root[row] : 1.0;
        r->left[i] = root * (dual->rows.Y[row * p + i % p] - r->system.mean[i % p]);
    }
    if (r->plan.W)
        orffi_gemm(false, false, rows, p, p, 1.0, r->left, p, r->plan.W, p, 0.0, r->y, p);
    else
        memcpy(r->y, r->left, rows * p * sizeof *r->y);
}

/* H = sqrt(c) G_(inside, outside) sqrt(c) F */
static orff_status rest_face(rest *r, const orffi_dual *dual, const size_t *order) {
    const orffi_exact_system *s = &r->system;
    const double *root = dual->system.root;
    const size_t n = dual->system.n;
    double *G;
    ORFFI_TRY(ORFFI_NEW_ARRAY(G, r->inside * r->outside));
    for (size_t i = 0; i < r->inside; i++) {
        const size_t row = system_row(r, order, i);
        for (size_t j = 0; j < r->outside; j++)
            G[i * r->outside + j] = (root ? root[row / r->each] : 1.0) *
                                    dual->gram[row * n + system_row(r, order, r->inside + j)] *
                                    (s->root ? s->root[j / r->each] : 1.0);
    }
    orffi_gemm(false, false, r->inside, r->outside, r->outside, 1.0, G, r->outside, s->F, r->outside, 0.0,
               r->H, r->outside);
    orffi_release(G);
    rest_outputs(r, dual, order);
    return ORFF_OK;
}

/* f = H w for `count` lambdas, w_ab = m_b c_ab / (e_a m_b + shift). */
static void rest_solve(rest *r, size_t count, const double *lambdas) {
    const orffi_exact_system *s = &r->system;
    const size_t columns = s->r, width = count * columns;
    for (size_t l = 0; l < count; l++) {
        const double shift = orffi_exact_system_shift(s, lambdas[l]);
        for (size_t b = 0; b < columns; b++) {
            const double m = orffi_exact_system_value(s, s->modes > 1 ? b : 0);
            for (size_t a = 0; a < s->n; a++)
                r->w[a * width + l * columns + b] = m * s->c[a * columns + b] / (s->e[a] * m + shift);
        }
    }
    orffi_gemm(false, false, r->inside, width, s->n, 1.0, r->H, s->n, r->w, width, 0.0, r->f, width);
}

static void rest_errors(rest *r, size_t count, size_t l, double *error, double *outputs) {
    const size_t p = r->system.p, columns = r->system.r;
    const double *each = r->left;
    for (size_t i = 0; i < r->inside; i++)
        for (size_t b = 0; b < columns; b++) {
            const double left = r->y[i * columns + b] - r->f[(i * count + l) * columns + b];
            r->left[i * columns + b] = left;
            *error += left * left;
        }
    if (!outputs) return;
    if (r->plan.W) {
        orffi_gemm(false, true, r->inside, p, p, 1.0, r->left, p, r->plan.W, p, 0.0, r->turned, p);
        each = r->turned;
    }
    for (size_t i = 0; i < r->inside * columns; i++) outputs[i % p] += each[i] * each[i];
}

static orff_status rest_fold(const orffi_dual *dual, size_t inside, const size_t *order, size_t count,
                             const double *lambdas, double *errors, double *outputs) {
    const size_t each = dual->system.n / dual->system.rows;
    rest r = {.each = each, .inside = inside * each, .outside = (dual->rows.n - inside) * each};
    orff_status status = rest_allocate(&r, dual, count);
    if (!status) status = rest_learn(&r, dual, order);
    if (!status) status = rest_face(&r, dual, order);
    for (size_t first = 0; !status && first < count; first += r.at_once) {
        const size_t some = count - first < r.at_once ? count - first : r.at_once;
        rest_solve(&r, some, lambdas + first);
        for (size_t l = 0; l < some; l++)
            rest_errors(&r, some, l, &errors[first + l],
                        outputs ? outputs + (first + l) * dual->plan.p : NULL);
    }
    rest_clear(&r);
    return status;
}

/* ---- all folds */

/* Errors of each output take a product of N p^2 for every lambda; repeating all folds for one lambda takes an
 * eigendecomposition for every fold. */
bool orffi_dual_outputs_are_dear(const orffi_dual *dual, size_t count) {
    const double p = (double)dual->plan.p, n = (double)dual->rows.n;
    return dual->system.modes > 1 && (double)count * p * p > 5.0 * (double)dual->folds * n * n;
}

static orff_status add_folds(const orffi_dual *dual, bool blocks, size_t *order, size_t count,
                             const double *lambdas, double *errors, double *outputs) {
    memset(errors, 0, count * sizeof *errors);
    if (outputs) memset(outputs, 0, count * dual->plan.p * sizeof *outputs);
    for (size_t k = 0; k < dual->folds; k++) {
        if (!(dual->weights[k] > 0.0)) continue;
        const size_t inside = sort_rows(dual, k, order);
        orffi_stage before;
        orff_status status =
            orffi_stage_enter(ORFFI_FOLDS_TASK, (double)k, (double)dual->folds, ORFFI_DECOMPOSITION, &before);
        if (!status)
            status = blocks ? block_fold(dual, k, inside, order, count, lambdas, errors, outputs)
                            : rest_fold(dual, inside, order, count, lambdas, errors, outputs);
        orffi_stage_leave(&before);
        ORFFI_TRY(status);
    }
    return ORFF_OK;
}

/* Whether the smallest error of the path is accurate to nine digits. */
static bool has_digits(const orffi_dual *dual, size_t count, const double *lambdas, const double *errors) {
    const orffi_exact_system *s = &dual->system;
    size_t best = 0;
    for (size_t l = 1; l < count; l++)
        if (errors[l] <= errors[best]) best = l;
    return DBL_EPSILON * s->e[s->n - 1] * orffi_exact_system_value(s, 0) <= 1e-9 * s->N * lambdas[best];
}

orff_status orffi_dual_cross(const orffi_dual *dual, size_t count, const double *lambdas, double *errors,
                             double *outputs) {
    const double N = dual->system.N;
    const size_t p = dual->plan.p;
    size_t *order;
    if (dual->folds < 2 || orffi_dual_too_few(dual))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "cross-validation needs rows in at least 2 folds");
    ORFFI_TRY(ORFFI_NEW_ARRAY(order, dual->rows.n));
    const bool blocks = dual->system.modes == 1;
    orff_status status = add_folds(dual, blocks, order, count, lambdas, errors, outputs);
    if (!status && blocks && !has_digits(dual, count, lambdas, errors))
        status = add_folds(dual, false, order, count, lambdas, errors, outputs);
    for (size_t l = 0; l < count; l++) errors[l] /= N * (double)p;
    for (size_t i = 0; outputs && i < count * p; i++) outputs[i] /= N;
    orffi_release(order);
    return status;
}
