/* Minimises over theta without moments: argument checks, and the loop that corrects theta until the true
 * residual is small. */
#include <string.h>

#include "base/memory.h"
#include "solve/iterative.h"
#include "solve/loss.h"
#include "solve/solver.h"

orff_iteration orff_iteration_default(void) {
    return (orff_iteration){
        .solver = ORFF_SOLVER_PCG,
        .lambda = 1e-6,
        .tolerance = 1e-8,
        .max_iterations = 500,
        .loss = ORFF_LOSS_SQUARED,
        .batch = 256,
        .shadow = 4,
    };
}

/* ---- checks */

static orff_status check_settings(const orff_iteration *how, size_t p, bool shared) {
    orffi_loss_function loss;
    if (!orffi_solver_find(how->solver)->iterates)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "solver %d does not iterate", (int)how->solver);
    if (!(how->lambda > 0.0 && isfinite(how->lambda)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "lambda is %g; it must be above 0", how->lambda);
    if (!(how->tolerance >= 0.0 && isfinite(how->tolerance)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the tolerance is %g; it must be at least 0",
                          how->tolerance);
    if (orffi_solver_find(how->solver)->check) ORFFI_TRY(orffi_solver_find(how->solver)->check(how));
    ORFFI_TRY(orffi_loss_make(&loss, how->loss, how->loss_parameter, p));
    orffi_loss_clear(&loss);
    if (!orffi_solver_find(how->solver)->any_loss && how->loss != ORFF_LOSS_SQUARED)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "%s solves the squared loss only; the %s loss needs %s",
                          orff_solver_name(how->solver), orff_loss_name(how->loss),
                          orff_solver_name(ORFF_SOLVER_SGD));
    if (shared && !orffi_solver_find(how->solver)->solve)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "%s is not for rows that processes share; %s is",
                          orff_solver_name(how->solver), orff_solver_name(ORFF_SOLVER_PCG));
    return ORFF_OK;
}

static orff_status sum_weights(size_t n, const double *weights, double *total, double *low) {
    *total = weights ? 0.0 : (double)n;
    if (!weights) return ORFF_OK;
    ORFFI_TRY(orffi_check_finite("weights", n, 1, weights));
    for (size_t i = 0; i < n; i++) {
        if (weights[i] < 0.0)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the weight of row %zu is %g; it must be at least 0", i + 1, weights[i]);
        orffi_sharing_add(total, low, weights[i]);
    }
    return ORFF_OK;
}

/* Checks the sum of weights over all processes. */
static orff_status check_weights(size_t n, const double *weights, const orff_sharing *sharing,
                                 double *total) {
    double low = 0.0;
    ORFFI_TRY(sum_weights(n, weights, total, &low));
    ORFFI_TRY(orffi_sharing_sum(sharing, 1, total, &low));
    if (!(*total > 0.0 && isfinite(*total)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the weights sum to %g; the sum must be above 0",
                          *total);
    return ORFF_OK;
}

/* What every method needs. */
typedef struct problem {
    const orff_features *f;
    size_t n;
    const double *X, *Y, *intercept;
    double *root; /* sqrt(c_i), or NULL */
    double total;
    double rows; /* over all processes */
    const orff_iteration *how;
    orffi_monitor monitor;
    const orff_sharing *sharing; /* NULL: these are all rows */
} problem;

static orff_status check_data(problem *q, const double *theta) {
    q->rows = (double)q->n;
    ORFFI_TRY(orffi_sharing_sum(q->sharing, 1, &q->rows, NULL));
    if (q->rows == 0.0) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there are no rows to learn from");
    ORFFI_TRY(orffi_check_finite("X", q->n, q->f->d, q->X));
    ORFFI_TRY(orffi_check_finite("Y", q->n, q->f->p, q->Y));
    if (q->intercept) ORFFI_TRY(orffi_check_finite("intercept", 1, q->f->p, q->intercept));
    return orffi_check_finite("theta", 1, q->f->M, theta);
}

static orff_status fill_roots(problem *q, const double *weights) {
    if (!weights) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(q->root, q->n));
    for (size_t i = 0; i < q->n; i++) q->root[i] = sqrt(weights[i]);
    return ORFF_OK;
}

/* ---- the squared loss: corrections until the residual is small */

/* theta, with u = y - A theta and r = A^* u - shift theta. */
typedef struct state {
    double *theta, *u, *r;
} state;

static void state_clear(state *s) {
    orffi_release(s->theta);
    orffi_release(s->u);
    orffi_release(s->r);
}

static orff_status state_fill(state *s, const orffi_operator *A) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->theta, A->cols));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->u, A->rows));
    return ORFFI_NEW_ARRAY(s->r, A->cols);
}

/* Computes u and r from theta. */
static orff_status state_refresh(const problem *q, const orffi_operator *A, double shift, state *s) {
    const size_t p = q->f->p;
    for (size_t i = 0; i < A->rows; i++)
        s->u[i] = (q->root ? q->root[i / p] : 1.0) * (q->Y[i] - (q->intercept ? q->intercept[i % p] : 0.0));
    ORFFI_TRY(A->sweep(A->self, s->theta, -1.0, s->u, s->r));
    orffi_vector_scale(A->rows, -1.0, s->u);
    for (size_t i = 0; i < A->cols; i++) s->r[i] = -s->r[i] - shift * s->theta[i];
    return ORFF_OK;
}

/* The minimised function times N: |u|^2 + shift |theta|^2 */
static orff_status energy(const orffi_operator *A, double shift, const state *s, double *result) {
    ORFFI_TRY(orffi_operator_square(A, s->u, result));
    *result += shift * orffi_vector_dot(A->cols, s->theta, s->theta);
    return ORFF_OK;
}

/* The number of rows for which decomposing their Gram matrix (~ m^3, m = rows times p) costs no more than
 * about twenty sweeps of the data (~ 2 D n), with m at most 2000. */
static size_t subsample_rows(const problem *q) {
    const double worth = cbrt(500.0 * 2.0 * (double)q->f->D * q->rows);
    const size_t rows = (size_t)fmin(worth, 2000.0) / q->f->p;
    if (q->how->subsample) return q->how->subsample;
    return rows ? rows : 1;
}

/* One correction by the method, from `now` to `next`. */
static orff_status correct(const problem *q, orffi_normal_equations *e, const state *now, state *next) {
    const size_t M = e->A->cols;
    memset(next->theta, 0, M * sizeof *next->theta);
    e->theta = now->theta;
    e->u = now->u;
    e->r = now->r;
    ORFFI_TRY(orffi_solver_find(q->how->solver)->solve(e, next->theta));
    orffi_vector_add(M, 1.0, now->theta, next->theta);
    return state_refresh(q, e->A, e->shift, next);
}

/* The method's own residual drifts from the true one. So the method is restarted from the true residual until
 * that is small or no longer improves. */
static orff_status refine(const problem *q, orffi_normal_equations *e, double b, state *now, state *next,
                          orff_solve_info *info) {
    const size_t M = e->A->cols;
    bool improves = true;
    double energy_now, energy_next;
    info->residual = orffi_vector_norm(M, now->r) / b;
    e->target = 0.5 * q->how->tolerance * b;
    while (improves && info->residual > q->how->tolerance && e->monitor->done < e->monitor->limit) {
        ORFFI_TRY(correct(q, e, now, next));
        const double residual = orffi_vector_norm(M, next->r) / b;
        ORFFI_TRY(energy(e->A, e->shift, now, &energy_now));
        ORFFI_TRY(energy(e->A, e->shift, next, &energy_next));
        if (!(residual < info->residual || energy_next < energy_now)) break;
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

/* *b = |A^* y|, the residual at theta = 0: residuals are reported relative to it. */
static orff_status start(const problem *q, const orffi_operator *A, double shift, const double *theta,
                         state *now, double *b) {
    ORFFI_TRY(state_refresh(q, A, shift, now));
    *b = orffi_vector_norm(A->cols, now->r);
    if (*b == 0.0 || orffi_vector_norm(A->cols, theta) == 0.0) return ORFF_OK;
    memcpy(now->theta, theta, A->cols * sizeof *theta);
    return state_refresh(q, A, shift, now);
}

static orff_status solve_with(problem *q, orffi_data *data, orffi_subsample *sample, state *now, state *next,
                              double *theta, orff_solve_info *info) {
    const orffi_operator A = orffi_data_operator(data);
    const double shift = q->total * q->how->lambda;
    orffi_normal_equations e = {
        .A = &A, .shift = shift, .how = q->how, .monitor = &q->monitor, .subsample = sample};
    double b;
    ORFFI_TRY(state_fill(now, &A));
    ORFFI_TRY(state_fill(next, &A));
    ORFFI_TRY(start(q, &A, shift, theta, now, &b));
    if (b == 0.0) {
        info->converged = true; /* A^* y is zero, and so is theta */
    } else {
        if (orffi_solver_find(q->how->solver)->preconditions)
            ORFFI_TRY(orffi_subsample_fill(sample, q->f, q->n, q->X, q->root, q->total, subsample_rows(q),
                                           q->how->seed, shift, &q->monitor, q->sharing));
        ORFFI_TRY(refine(q, &e, b, now, next, info));
    }
    memcpy(theta, now->theta, A.cols * sizeof *theta);
    return ORFF_OK;
}

static orff_status solve_squares(problem *q, double *theta, orff_solve_info *info) {
    orffi_data data = {0};
    orffi_subsample sample = {0};
    state now = {0}, next = {0};
    orff_status status = orffi_data_fill(&data, q->f, q->n, q->X, q->root, q->how->single, &q->monitor);
    if (!status) status = orffi_data_share(&data, q->sharing);
    if (!status) status = solve_with(q, &data, &sample, &now, &next, theta, info);
    state_clear(&now);
    state_clear(&next);
    orffi_subsample_clear(&sample);
    orffi_data_clear(&data);
    return status;
}

static orff_status solve_stochastic(problem *q, double *theta, orff_solve_info *info) {
    const orffi_sgd_problem sgd = {
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
    return orffi_sgd(&sgd, theta, info);
}

orff_status orff_iterate(const orff_features *features, size_t n, const double *X, const double *Y,
                         const double *weights, const double *intercept, const orff_iteration *how,
                         double *theta, orff_solve_info *info) {
    if (!features || !X || !Y || !how || !theta)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_iterate: NULL argument");
    return orffi_iterate(features, n, X, Y, weights, intercept, how, NULL, NULL, theta, info);
}

orff_status orff_iterate_shared(const orff_features *features, size_t n, const double *X, const double *Y,
                                const double *weights, const double *intercept, const orff_iteration *how,
                                const orff_sharing *sharing, double *theta, orff_solve_info *info) {
    if (!features || (n && !(X && Y)) || !how || !sharing || !sharing->sum || !theta)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_iterate_shared: NULL argument");
    if (sharing->rank >= sharing->count)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "process %zu of %zu: they count from 0", sharing->rank,
                          sharing->count);
    return orffi_iterate(features, n, X, Y, weights, intercept, how, NULL, sharing, theta, info);
}

orff_status orffi_iterate(const orff_features *features, size_t n, const double *X, const double *Y,
                          const double *weights, const double *intercept, const orff_iteration *how,
                          const orffi_keeper *keeper, const orff_sharing *sharing, double *theta,
                          orff_solve_info *info) {
    problem q = {.f = features,
                 .n = n,
                 .X = X,
                 .Y = Y,
                 .intercept = intercept,
                 .how = how,
                 .sharing = sharing,
                 .monitor = {.done = keeper ? keeper->from.iterations : 0,
                             .limit = how->max_iterations,
                             .keeper = keeper}};
    orff_solve_info found = {0};
    ORFFI_TRY(check_settings(how, features->p, sharing != NULL));
    ORFFI_TRY(check_data(&q, theta));
    ORFFI_TRY(check_weights(n, weights, sharing, &q.total));
    orff_status status = fill_roots(&q, weights);
    if (!status)
        status = orffi_solver_find(how->solver)->solve ? solve_squares(&q, theta, &found)
                                                       : solve_stochastic(&q, theta, &found);
    orffi_release(q.root);
    found.method = orff_solver_name(how->solver);
    found.iterations = q.monitor.done;
    if (!status && info) *info = found;
    return status;
}
