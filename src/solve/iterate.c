/* Minimise over theta without moments: checks, the table of methods, and the loop that corrects until the
 * residual, computed anew, is small. */
#include <string.h>

#include "base/memory.h"
#include "solve/iterative.h"
#include "solve/loss.h"

typedef struct method_row {
    const char *name;
    orff_iterative_method *solve; /* NULL: sgd, which is not a method for linear equations */
} method_row;

static const method_row methods[] = {
    [ORFF_LSMR] = {"lsmr", orff_lsmr},
    [ORFF_IDR] = {"idr", orff_idr},
    [ORFF_PCG] = {"pcg", orff_pcg},
    [ORFF_SGD] = {"sgd", NULL},
};

orff_iteration orff_iteration_default(void) {
    return (orff_iteration){
        .method = ORFF_PCG,
        .lambda = 1e-6,
        .tolerance = 1e-8,
        .max_iterations = 500,
        .loss = ORFF_SQUARED,
        .batch = 256,
        .shadow = 4,
    };
}

/* ---- checks */

static orff_status check_settings(const orff_iteration *how, size_t p) {
    orff_loss_function loss;
    if ((unsigned)how->method >= sizeof methods / sizeof *methods)
        return orff_fail(ORFF_INVALID_ARGUMENT, "iterative method %d does not exist", (int)how->method);
    if (!(how->lambda > 0.0 && isfinite(how->lambda)))
        return orff_fail(ORFF_INVALID_ARGUMENT, "lambda is %g; it must be above 0", how->lambda);
    if (!(how->tolerance >= 0.0 && isfinite(how->tolerance)))
        return orff_fail(ORFF_INVALID_ARGUMENT, "the tolerance is %g; it must be at least 0", how->tolerance);
    if (how->method == ORFF_SGD && how->batch == 0)
        return orff_fail(ORFF_INVALID_ARGUMENT, "sgd needs at least one row in a batch");
    if (how->method == ORFF_IDR && how->shadow == 0)
        return orff_fail(ORFF_INVALID_ARGUMENT, "idr needs a shadow space of at least 1 dimension");
    ORFF_TRY(orff_loss_make(&loss, how->loss, how->loss_parameter, p));
    orff_loss_clear(&loss);
    if (how->method != ORFF_SGD && how->loss != ORFF_SQUARED)
        return orff_fail(ORFF_UNSUPPORTED, "%s solves the squared loss only; the %s loss needs sgd",
                         methods[how->method].name, orff_loss_name(how->loss));
    return ORFF_OK;
}

static orff_status check_weights(size_t n, const double *weights, double *total) {
    *total = weights ? 0.0 : (double)n;
    if (!weights) return ORFF_OK;
    ORFF_TRY(orff_check_finite("weights", n, 1, weights));
    for (size_t i = 0; i < n; i++) {
        if (weights[i] < 0.0)
            return orff_fail(ORFF_INVALID_ARGUMENT, "the weight of row %zu is %g; it must be at least 0",
                             i + 1, weights[i]);
        *total += weights[i];
    }
    if (!(*total > 0.0 && isfinite(*total)))
        return orff_fail(ORFF_INVALID_ARGUMENT, "the weights sum to %g; the sum must be above 0", *total);
    return ORFF_OK;
}

/* What every method works on. */
typedef struct problem {
    const orff_features *f;
    size_t n;
    const double *X, *Y, *intercept;
    double *root; /* sqrt(c_i), or NULL */
    double total;
    const orff_iteration *how;
    orff_monitor monitor;
} problem;

static orff_status check_data(const problem *q, const double *theta) {
    if (q->n == 0) return orff_fail(ORFF_INVALID_ARGUMENT, "there are no rows to learn from");
    ORFF_TRY(orff_check_finite("X", q->n, q->f->d, q->X));
    ORFF_TRY(orff_check_finite("Y", q->n, q->f->p, q->Y));
    if (q->intercept) ORFF_TRY(orff_check_finite("intercept", 1, q->f->p, q->intercept));
    return orff_check_finite("theta", 1, q->f->M, theta);
}

static orff_status fill_roots(problem *q, const double *weights) {
    if (!weights) return ORFF_OK;
    ORFF_TRY(ORFF_NEW_ARRAY(q->root, q->n));
    for (size_t i = 0; i < q->n; i++) q->root[i] = sqrt(weights[i]);
    return ORFF_OK;
}

/* ---- the squared loss: corrections until the residual is small */

/* theta with u = y - A theta and r = A^* u - shift theta. */
typedef struct state {
    double *theta, *u, *r;
} state;

static void state_clear(state *s) {
    orff_release(s->theta);
    orff_release(s->u);
    orff_release(s->r);
}

static orff_status state_fill(state *s, const orff_operator *A) {
    ORFF_TRY(ORFF_NEW_ARRAY(s->theta, A->cols));
    ORFF_TRY(ORFF_NEW_ARRAY(s->u, A->rows));
    return ORFF_NEW_ARRAY(s->r, A->cols);
}

/* u and r of the theta that is in s. */
static orff_status state_refresh(const problem *q, const orff_operator *A, double shift, state *s) {
    const size_t p = q->f->p;
    for (size_t i = 0; i < A->rows; i++)
        s->u[i] = (q->root ? q->root[i / p] : 1.0) * (q->Y[i] - (q->intercept ? q->intercept[i % p] : 0.0));
    ORFF_TRY(A->sweep(A->self, s->theta, -1.0, s->u, s->r));
    orff_vector_scale(A->rows, -1.0, s->u);
    for (size_t i = 0; i < A->cols; i++) s->r[i] = -s->r[i] - shift * s->theta[i];
    return ORFF_OK;
}

/* What is minimised, times N: |u|^2 + shift |theta|^2 */
static double energy(const orff_operator *A, double shift, const state *s) {
    return orff_vector_dot(A->rows, s->u, s->u) + shift * orff_vector_dot(A->cols, s->theta, s->theta);
}

/* As many rows as make decomposing their Gram matrix (~ m^3, m = rows times p) cost no more than some twenty
 * sweeps of the data (~ 2 D n), and m at most 2000. */
static size_t subsample_rows(const problem *q) {
    const double worth = cbrt(500.0 * 2.0 * (double)q->f->D * (double)q->n);
    const size_t rows = (size_t)fmin(worth, 2000.0) / q->f->p;
    if (q->how->subsample) return q->how->subsample;
    return rows ? rows : 1;
}

/* One correction by the method: `next` from `now`. */
static orff_status correct(const problem *q, orff_normal_equations *e, const state *now, state *next) {
    const size_t M = e->A->cols;
    memset(next->theta, 0, M * sizeof *next->theta);
    e->theta = now->theta;
    e->u = now->u;
    e->r = now->r;
    ORFF_TRY(methods[q->how->method].solve(e, next->theta));
    orff_vector_add(M, 1.0, now->theta, next->theta);
    return state_refresh(q, e->A, e->shift, next);
}

/* The method's own residual drifts from the true one, so it starts again from the true one until that is
 * small or gets no better. */
static orff_status refine(const problem *q, orff_normal_equations *e, double b, state *now, state *next,
                          orff_solve_info *info) {
    const size_t M = e->A->cols;
    bool improves = true;
    info->residual = orff_vector_norm(M, now->r) / b;
    e->target = 0.5 * q->how->tolerance * b;
    while (improves && info->residual > q->how->tolerance && e->monitor->done < e->monitor->limit) {
        ORFF_TRY(correct(q, e, now, next));
        const double residual = orff_vector_norm(M, next->r) / b;
        if (!(residual < info->residual || energy(e->A, e->shift, next) < energy(e->A, e->shift, now))) break;
        improves = residual < 0.5 * info->residual;
        info->residual = residual;
        const state kept = *now;
        *now = *next;
        *next = kept;
    }
    info->converged = info->residual <= q->how->tolerance;
    info->condition = e->condition;
    return ORFF_OK;
}

/* |A^* y|, the size that residuals are measured by: the residual of theta = 0. */
static orff_status start(const problem *q, const orff_operator *A, double shift, const double *theta,
                         state *now, double *b) {
    ORFF_TRY(state_refresh(q, A, shift, now));
    *b = orff_vector_norm(A->cols, now->r);
    if (*b == 0.0 || orff_vector_norm(A->cols, theta) == 0.0) return ORFF_OK;
    memcpy(now->theta, theta, A->cols * sizeof *theta);
    return state_refresh(q, A, shift, now);
}

static orff_status solve_with(problem *q, orff_data *data, orff_subsample *sample, state *now, state *next,
                              double *theta, orff_solve_info *info) {
    const orff_operator A = orff_data_operator(data);
    const double shift = q->total * q->how->lambda;
    orff_normal_equations e = {
        .A = &A, .shift = shift, .how = q->how, .monitor = &q->monitor, .subsample = sample};
    double b;
    ORFF_TRY(state_fill(now, &A));
    ORFF_TRY(state_fill(next, &A));
    ORFF_TRY(start(q, &A, shift, theta, now, &b));
    if (b == 0.0) {
        info->converged = true; /* y is zero: so is theta */
    } else {
        if (q->how->method == ORFF_PCG)
            ORFF_TRY(orff_subsample_fill(sample, q->f, q->n, q->X, q->root, q->total, subsample_rows(q),
                                         q->how->seed, shift, &q->monitor));
        ORFF_TRY(refine(q, &e, b, now, next, info));
    }
    memcpy(theta, now->theta, A.cols * sizeof *theta);
    return ORFF_OK;
}

static orff_status solve_squares(problem *q, double *theta, orff_solve_info *info) {
    orff_data data = {0};
    orff_subsample sample = {0};
    state now = {0}, next = {0};
    orff_status status = orff_data_fill(&data, q->f, q->n, q->X, q->root, q->how->single, &q->monitor);
    if (!status) status = solve_with(q, &data, &sample, &now, &next, theta, info);
    state_clear(&now);
    state_clear(&next);
    orff_subsample_clear(&sample);
    orff_data_clear(&data);
    return status;
}

static orff_status solve_stochastic(problem *q, double *theta, orff_solve_info *info) {
    const orff_sgd_problem sgd = {
        .f = q->f,
        .n = q->n,
        .X = q->X,
        .Y = q->Y,
        .root = q->root,
        .intercept = q->intercept,
        .total = q->total,
        .how = q->how,
        .monitor = &q->monitor,
    };
    return orff_sgd(&sgd, theta, info);
}

orff_status orff_iterate(const orff_features *features, size_t n, const double *X, const double *Y,
                         const double *weights, const double *intercept, const orff_iteration *how,
                         double *theta, orff_solve_info *info) {
    if (!features || !X || !Y || !how || !theta)
        return orff_fail(ORFF_INVALID_ARGUMENT, "orff_iterate: NULL argument");
    problem q = {.f = features,
                 .n = n,
                 .X = X,
                 .Y = Y,
                 .intercept = intercept,
                 .how = how,
                 .monitor = {.limit = how->max_iterations}};
    orff_solve_info found = {0};
    ORFF_TRY(check_settings(how, features->p));
    ORFF_TRY(check_data(&q, theta));
    ORFF_TRY(check_weights(n, weights, &q.total));
    orff_status status = fill_roots(&q, weights);
    if (!status)
        status = methods[how->method].solve ? solve_squares(&q, theta, &found)
                                            : solve_stochastic(&q, theta, &found);
    orff_release(q.root);
    found.method = methods[how->method].name;
    found.iterations = q.monitor.done;
    if (!status && info) *info = found;
    return status;
}
