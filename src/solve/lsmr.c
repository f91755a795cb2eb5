/* LSMR (Fong and Saunders, 2011): Golub-Kahan bidiagonalisation of the damped operator
 *
 *     [ A           ]        [ u            ]
 *     [ sqrt(shift) ] x  ~   [ -sqrt(shift) theta ],
 *
 * whose residual in the normal equations decreases at every step. The damping is part of the operator, not of
 * the recurrence, because a nonzero theta also has a residual in the damping rows. */
#include <string.h>

#include "base/memory.h"
#include "solve/solver.h"

typedef struct bidiagonal {
    double *u, *w; /* the left vector: as many numbers as rows, and cols for the damping */
    double *v, *next;
    double alpha, beta;
} bidiagonal;

/* The two plane rotations of a step, and the extremes of the diagonal entries they produce. */
typedef struct rotations {
    double alpha_bar, zeta_bar, rho, rho_bar, c_bar, s_bar;
    double largest, smallest;
} rotations;

static orff_status left_norm(const orffi_normal_equations *e, const bidiagonal *b, double *norm) {
    ORFFI_TRY(orffi_operator_square(e->A, b->u, norm));
    *norm = sqrt(*norm + orffi_vector_dot(e->A->cols, b->w, b->w));
    return ORFF_OK;
}

/* Normalises u, with norm beta, then computes alpha v = adjoint of u - beta v, where `next` is the adjoint of
 * u before u was normalised. */
static orff_status normalise(const orffi_normal_equations *e, bidiagonal *b) {
    const size_t rows = e->A->rows, cols = e->A->cols;
    const double root = sqrt(e->shift);
    ORFFI_TRY(left_norm(e, b, &b->beta));
    if (b->beta == 0.0) {
        b->alpha = 0.0;
        return ORFF_OK;
    }
    orffi_vector_add(cols, root, b->w, b->next);
    for (size_t i = 0; i < cols; i++) b->v[i] = b->next[i] / b->beta - b->beta * b->v[i];
    orffi_vector_scale(rows, 1.0 / b->beta, b->u);
    orffi_vector_scale(cols, 1.0 / b->beta, b->w);
    b->alpha = orffi_vector_norm(cols, b->v);
    if (b->alpha > 0.0) orffi_vector_scale(cols, 1.0 / b->alpha, b->v);
    return ORFF_OK;
}

static orff_status start(const orffi_normal_equations *e, bidiagonal *b) {
    memcpy(b->u, e->u, e->A->rows * sizeof *b->u);
    orffi_vector_add(e->A->cols, -sqrt(e->shift), e->theta, b->w);
    ORFFI_TRY(orffi_operator_adjoint(e->A, b->u, b->next));
    return normalise(e, b);
}

static orff_status advance(const orffi_normal_equations *e, bidiagonal *b) {
    const double root = sqrt(e->shift);
    for (size_t i = 0; i < e->A->cols; i++) b->w[i] = root * b->v[i] - b->alpha * b->w[i];
    ORFFI_TRY(e->A->sweep(e->A->self, b->v, -b->alpha, b->u, b->next));
    return normalise(e, b);
}

/* Adds the next term to x; h and h_bar are the search directions. */
static void improve(size_t cols, const bidiagonal *b, rotations *q, double *h, double *h_bar, double *x) {
    const double rho_old = q->rho, rho_bar_old = q->rho_bar;
    q->rho = hypot(q->alpha_bar, b->beta);
    const double c = q->alpha_bar / q->rho, s = b->beta / q->rho, theta = s * b->alpha;
    const double theta_bar = q->s_bar * q->rho, rho_temp = q->c_bar * q->rho;
    q->alpha_bar = c * b->alpha;
    q->rho_bar = hypot(rho_temp, theta);
    q->c_bar = rho_temp / q->rho_bar;
    q->s_bar = theta / q->rho_bar;
    const double zeta = q->c_bar * q->zeta_bar;
    q->zeta_bar *= -q->s_bar;
    q->largest = fmax(q->largest, q->rho_bar);
    q->smallest = fmin(q->smallest, rho_temp);
    const double back = theta_bar * q->rho / (rho_old * rho_bar_old), along = zeta / (q->rho * q->rho_bar);
    for (size_t i = 0; i < cols; i++) {
        h_bar[i] = h[i] - back * h_bar[i];
        x[i] += along * h_bar[i];
        h[i] = b->v[i] - theta / q->rho * h[i];
    }
}

static orff_status run(orffi_normal_equations *e, bidiagonal *b, double *h, double *h_bar, double *x) {
    ORFFI_TRY(start(e, b));
    memcpy(h, b->v, e->A->cols * sizeof *h);
    rotations q = {.alpha_bar = b->alpha,
                   .zeta_bar = b->alpha * b->beta,
                   .rho = 1,
                   .rho_bar = 1,
                   .c_bar = 1,
                   .smallest = (double)INFINITY};
    while (fabs(q.zeta_bar) > e->target && e->monitor->done < e->monitor->limit && b->alpha > 0.0) {
        ORFFI_TRY(advance(e, b));
        improve(e->A->cols, b, &q, h, h_bar, x);
        e->monitor->done++;
        orffi_monitor_keep(e->monitor, e->theta, x);
    }
    const double ratio = q.largest / q.smallest; /* of singular values */
    e->condition = fmax(e->condition, ratio * ratio);
    return ORFF_OK;
}

static orff_status solve(orffi_normal_equations *e, double *x) {
    const size_t cols = e->A->cols;
    bidiagonal b = {0};
    double *h = NULL, *h_bar = NULL;
    orff_status status = ORFFI_NEW_ARRAY(b.u, e->A->rows);
    if (!status) status = ORFFI_NEW_ARRAY(b.w, cols);
    if (!status) status = ORFFI_NEW_ARRAY(b.v, cols);
    if (!status) status = ORFFI_NEW_ARRAY(b.next, cols);
    if (!status) status = ORFFI_NEW_ARRAY(h, cols);
    if (!status) status = ORFFI_NEW_ARRAY(h_bar, cols);
    if (!status) status = run(e, &b, h, h_bar, x);
    orffi_release(b.u);
    orffi_release(b.w);
    orffi_release(b.v);
    orffi_release(b.next);
    orffi_release(h);
    orffi_release(h_bar);
    return status;
}

const orffi_solver_row orffi_solver_lsmr = {.iterates = true, .solve = solve};
