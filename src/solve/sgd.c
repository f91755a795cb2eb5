/* Stochastic gradients with variance reduction, for every loss: SAGA (Defazio, Bach and Lacoste-Julien, 2014)
 * on batches. The gradient of row i is Phi(x_i) g_i with g_i = dL/df in R^p. So the table that removes the
 * noise from the steps has one p-vector for each row, and theta converges with a constant step.
 *
 * The step needs no tuning. Steps are preconditioned by the leading eigenvectors of the covariance of a
 * subsample (as in EigenPro, Ma and Belkin, 2017), down to the level where the penalty dominates or the
 * subsample is no longer reliable. Their length is the inverse of the remaining curvature.
 *
 * A loss with kinks is smoothed over a width, which is halved whenever the gradient at that width has
 * decreased to a quarter. */
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "solve/loss.h"
#include "solve/solver.h"

/* P = I - U^T diag(1 - level_k) U, with U the leading eigenvectors of the covariance (1/N) A^* A. */
typedef struct preconditioner {
    size_t count;
    double *U;                    /* count x M */
    double *values, *level, *dot; /* count: eigenvalues, descending; their scale factors; scratch */
    double clamp;                 /* largest eigenvalue left */
    double noise;                 /* remaining trace times the largest weight of a row */
} preconditioner;

typedef struct sgd_run {
    const orffi_sgd_problem *problem;
    orffi_loss_function loss;
    orffi_panel panel;
    preconditioner P;
    size_t batches;
    size_t *order; /* n rows, in the order of this pass */
    double *table; /* n x p: g_i at the last visit to row i */
    double *mean;  /* M: (1/N) sum c_i Phi(x_i) table_i */
    double *theta, *best;
    double *delta;   /* M: the change of mean by a batch; then the direction */
    double *X, *F;   /* block x d, block x p */
    double *g;       /* p */
    double loss_sum; /* (1/N) sum c_i L over the rows of this pass, each at its visit */
    double lowest;   /* objective of the best pass, which ended at `best` */
    double caution, step;
} sgd_run;

static void run_clear(sgd_run *s) {
    orffi_loss_clear(&s->loss);
    orffi_panel_clear(&s->panel);
    double *const all[] = {s->P.U,   s->P.values, s->P.level, s->P.dot, s->table, s->mean,
                           s->theta, s->best,     s->delta,   s->X,     s->F,     s->g};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_release(s->order);
}

static orff_status run_fill(sgd_run *s, const double *theta) {
    const orffi_sgd_problem *q = s->problem;
    const size_t M = q->f->M, p = q->f->p, batch = q->how->batch < q->n ? q->how->batch : q->n;
    const size_t most = orffi_bank_block_rows(q->f->bank), block = most < q->n ? most : q->n;
    s->batches = (q->n + batch - 1) / batch;
    s->caution = 3.0;
    ORFFI_TRY(orffi_loss_make(&s->loss, q->how->loss, q->how->loss_parameter, p));
    ORFFI_TRY(orffi_panel_fill(&s->panel, q->f, block, block, q->how->single));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->order, q->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->table, q->n * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->mean, M));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->delta, M));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->X, block * q->f->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->F, block * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->g, p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->best, M));
    for (size_t i = 0; i < q->n; i++) s->order[i] = i;
    return orffi_duplicate(&s->theta, theta, M, sizeof *theta);
}

static double share_of(const orffi_sgd_problem *q, size_t row) {
    return (q->root ? q->root[row] * q->root[row] : 1.0) / q->total;
}

static double curvature(const sgd_run *s) {
    return s->loss.smooth ? s->loss.curvature : s->loss.curvature / s->loss.width;
}

/* ---- preconditioning */

/* The lowest eigenvalue at which the degrees of freedom (remaining trace / eigenvalue) are few enough for the
 * sample to be reliable, and which is at least `floor`, below which the penalty dominates. */
static void choose_clamp(preconditioner *P, double trace, double heaviest, double believed, double floor) {
    double taken = 0.0; /* sum of eigenvalues so far */
    P->clamp = trace;
    P->noise = trace * heaviest;
    for (size_t k = 0; k < P->count; k++) {
        const double left = fmax(trace - taken + (double)k * P->values[k], P->values[k]);
        if (k > 0 && (left > believed * P->values[k] || P->values[k] < floor)) break;
        P->clamp = P->values[k];
        P->noise = heaviest * left;
        taken += P->values[k];
    }
}

/* The number of eigenvectors: as many as fit 128 MB. The sample is several times as large. */
static size_t basis_size(size_t M) {
    const size_t room = ((size_t)1 << 24) / M, most = room < 16 ? 16 : room < 256 ? room : 256;
    return most < M ? most : M;
}

static orff_status copy_basis(preconditioner *P, orffi_subsample *sample, size_t M, double total) {
    const size_t trusted = sample->whole ? sample->m : (sample->m + 2) / 3, most = basis_size(M);
    const double largest = sample->values[sample->m - 1];
    size_t count = 0;
    while (count < trusted && count < most && sample->values[sample->m - 1 - count] > 1e-10 * largest)
        count++;
    ORFFI_TRY(ORFFI_NEW_ARRAY(P->U, count * M));
    ORFFI_TRY(ORFFI_NEW_ARRAY(P->values, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(P->level, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(P->dot, count));
    P->count = count;
    for (size_t k = 0; k < count; k++)
        P->values[k] = sample->scale / total * sample->values[sample->m - 1 - k];
    return orffi_subsample_basis(sample, count, P->U);
}

static double heaviest_row(const orffi_sgd_problem *q) {
    double heaviest = 0.0;
    for (size_t i = 0; i < q->n; i++) heaviest = fmax(heaviest, share_of(q, i));
    return heaviest * (double)q->n;
}

static orff_status fill_preconditioner(sgd_run *s) {
    const orffi_sgd_problem *q = s->problem;
    const size_t rows = (4 * basis_size(q->f->M) + q->f->p - 1) / q->f->p;
    orffi_subsample sample;
    double trace = 0.0;
    orff_status status = orffi_subsample_fill(&sample, q->f, q->n, q->X, q->root, q->total, rows,
                                              q->how->seed, q->total * q->how->lambda, q->monitor, NULL);
    if (!status) status = copy_basis(&s->P, &sample, q->f->M, q->total);
    if (!status) status = orffi_features_trace(q->f, &trace);
    const double believed = sample.whole ? (double)INFINITY : 0.25 * (double)sample.m;
    orffi_subsample_clear(&sample);
    if (!status) choose_clamp(&s->P, trace, heaviest_row(q), believed, 2.0 * q->how->lambda / curvature(s));
    return status;
}

/* Sets the step length and the levels of the preconditioner for the current width of the loss. The covariance
 * of a batch of b rows with k = noise/clamp degrees of freedom has eigenvalues up to clamp (1 +
 * sqrt(k/b))^2. */
static void set_step(sgd_run *s) {
    const double bend = curvature(s), shrink = 2.0 * s->problem->how->lambda;
    const double batch = (double)s->problem->n / (double)s->batches;
    const double edge = 1.0 + sqrt(s->P.noise / (s->P.clamp * batch));
    s->step = 1.0 / (s->caution * (bend * s->P.clamp * edge * edge + shrink));
    for (size_t k = 0; k < s->P.count; k++)
        s->P.level[k] = fmin(1.0, (bend * s->P.clamp + shrink) / (bend * s->P.values[k] + shrink));
}

/* v = P v */
static void precondition(const preconditioner *P, size_t M, double *v) {
    orffi_gemm(false, false, P->count, 1, M, 1, P->U, M, v, 1, 0, P->dot, 1);
    for (size_t k = 0; k < P->count; k++) P->dot[k] *= P->level[k] - 1.0;
    orffi_gemm(true, false, M, 1, P->count, 1, P->U, M, P->dot, 1, 1, v, 1);
}

/* ---- passes */

/* Updates g of one row from its prediction f (the intercept is added here); f receives (c/N) (new - old). */
static void visit_row(sgd_run *s, size_t row, double *f) {
    const orffi_sgd_problem *q = s->problem;
    const size_t p = q->f->p;
    const double share = share_of(q, row);
    double *old = s->table + row * p;
    for (size_t k = 0; q->intercept && k < p; k++) f[k] += q->intercept[k];
    s->loss_sum += share * s->loss.evaluate(&s->loss, f, q->Y + row * p, s->g);
    for (size_t k = 0; k < p; k++) f[k] = share * (s->g[k] - old[k]);
    memcpy(old, s->g, p * sizeof *old);
}

/* Visits rows order[first .. first + count) at the current theta: updates their table entries, and sets delta
 * to the change of mean. */
static void visit(sgd_run *s, size_t first, size_t count) {
    const orffi_sgd_problem *q = s->problem;
    const size_t d = q->f->d, p = q->f->p;
    orffi_panel_load(&s->panel, s->theta);
    for (size_t start = 0; start < count; start += s->panel.block) {
        const size_t rows = count - start < s->panel.block ? count - start : s->panel.block;
        const size_t *order = s->order + first + start;
        for (size_t i = 0; i < rows; i++) memcpy(s->X + i * d, q->X + order[i] * d, d * sizeof *s->X);
        orffi_panel_phi(&s->panel, 0, rows, s->X);
        orffi_panel_forward(&s->panel, 0, rows, s->F);
        for (size_t i = 0; i < rows; i++) visit_row(s, order[i], s->F + i * p);
        orffi_panel_backward(&s->panel, 0, rows, s->F);
    }
    orffi_panel_unload(&s->panel, s->delta);
    orffi_vector_add(q->f->M, 1.0, s->delta, s->mean);
}

static orff_status report(const sgd_run *s, size_t batch) {
    const orffi_monitor *monitor = s->problem->monitor;
    const double part = (double)batch / (double)s->batches;
    return orffi_progress("iterate", (double)monitor->done + part, (double)monitor->limit);
}

/* First row of a batch; batch sizes differ by at most one row. */
static size_t batch_start(const sgd_run *s, size_t batch) {
    const size_t n = s->problem->n;
    return batch * (n / s->batches) + (batch < n % s->batches ? batch : n % s->batches);
}

/* Visits all rows at the current theta, which gives the exact gradient and loss. */
static orff_status visit_all(sgd_run *s) {
    s->loss_sum = 0.0;
    for (size_t k = 0; k < s->batches; k++) {
        ORFFI_TRY(report(s, k));
        visit(s, batch_start(s, k), batch_start(s, k + 1) - batch_start(s, k));
    }
    return ORFF_OK;
}

static void shuffle(sgd_run *s, size_t pass) {
    const orffi_rng rng = {.seed = s->problem->how->seed, .stream = 0x53474400u};
    for (size_t i = s->problem->n; i > 1; i--) {
        const size_t j = (size_t)orffi_rng_below(rng, i, (uint32_t)pass, i), kept = s->order[i - 1];
        s->order[i - 1] = s->order[j];
        s->order[j] = kept;
    }
}

/* theta -= step P ( batches delta + mean before the batch + 2 lambda theta ) */
static void descend(sgd_run *s) {
    const size_t M = s->problem->f->M;
    const double extra = (double)s->batches - 1.0; /* mean already contains delta once */
    const double shrink = 2.0 * s->problem->how->lambda;
    for (size_t i = 0; i < M; i++) s->delta[i] = extra * s->delta[i] + s->mean[i] + shrink * s->theta[i];
    precondition(&s->P, M, s->delta);
    orffi_vector_add(M, -s->step, s->delta, s->theta);
}

static double penalty(const sgd_run *s) {
    return s->problem->how->lambda * orffi_vector_dot(s->problem->f->M, s->theta, s->theta);
}

/* One pass. The objective is averaged over the batches, each before its step. */
static orff_status pass(sgd_run *s, double *objective) {
    double penalties = 0.0;
    shuffle(s, s->problem->monitor->done);
    s->loss_sum = 0.0;
    for (size_t k = 0; k < s->batches; k++) {
        ORFFI_TRY(report(s, k));
        penalties += penalty(s);
        visit(s, batch_start(s, k), batch_start(s, k + 1) - batch_start(s, k));
        descend(s);
    }
    *objective = s->loss_sum + penalties / (double)s->batches;
    return ORFF_OK;
}

/* ---- the run */

static double gradient_norm(sgd_run *s) {
    const size_t M = s->problem->f->M;
    memcpy(s->delta, s->mean, M * sizeof *s->delta);
    orffi_vector_add(M, 2.0 * s->problem->how->lambda, s->theta, s->delta);
    return orffi_vector_norm(M, s->delta);
}

/* Goes back to the best theta so far, with its table and mean. */
static orff_status return_to_best(sgd_run *s) {
    const size_t M = s->problem->f->M;
    memcpy(s->theta, s->best, M * sizeof *s->theta);
    memset(s->mean, 0, M * sizeof *s->mean);
    memset(s->table, 0, s->problem->n * s->problem->f->p * sizeof *s->table);
    return visit_all(s);
}

/* If steps are too long, the objective rises. After a small rise steps get shorter; after a large one the
 * pass is undone too. Few rows are near a smoothed kink, so for such losses steps longer than its curvature
 * allows are tried. */
static orff_status guard(sgd_run *s, double objective, double last) {
    const double slack = s->loss.smooth ? 0.02 * last : 0.01 * s->loss.width;
    if (objective < s->lowest) {
        memcpy(s->best, s->theta, s->problem->f->M * sizeof *s->best);
        s->lowest = objective;
    }
    if (!s->loss.smooth && objective < last) s->caution *= 0.9;
    if (objective <= last + slack) return ORFF_OK;
    s->caution *= 1.5;
    return objective <= 1.5 * s->lowest ? ORFF_OK : return_to_best(s);
}

/* The start and end of a stage: the passes at one width of the loss, or, for a smooth loss, one pass. */
typedef struct stage {
    double gradient;  /* after its first pass; 0 before */
    double objective; /* at the end of the previous stage; infinite at first */
} stage;

/* A stage of a loss with kinks ends when its gradient has decreased to a quarter; the next has half the
 * width. */
static bool stage_ends(sgd_run *s, stage *now) {
    const double gradient = gradient_norm(s);
    if (s->loss.smooth) return true;
    if (now->gradient == 0.0) now->gradient = gradient;
    if (gradient > 0.25 * now->gradient) return false;
    now->gradient = 0.0;
    s->loss.width *= 0.5;
    return true;
}

static void keep(const sgd_run *s) {
    const orffi_monitor *monitor = s->problem->monitor;
    const orffi_reached now = {.iterations = monitor->done, .width = s->loss.width, .caution = s->caution};
    if (monitor->keeper) monitor->keeper->keep(monitor->keeper->self, &now, s->theta, NULL);
}

/* Restores the width and the caution of an earlier run; its rows were visited at its theta. */
static void go_on(sgd_run *s) {
    const orffi_keeper *keeper = s->problem->monitor->keeper;
    if (!keeper || !keeper->from.iterations) return;
    if (!s->loss.smooth && keeper->from.width > 0.0) s->loss.width = fmin(s->loss.width, keeper->from.width);
    if (keeper->from.caution > 0.0) s->caution = keeper->from.caution;
}

static orff_status passes(sgd_run *s, bool *converged) {
    const double tolerance = s->problem->how->tolerance;
    orffi_monitor *monitor = s->problem->monitor;
    stage now = {.objective = (double)INFINITY};
    double objective = s->lowest;
    while (!*converged && monitor->done < monitor->limit) {
        const double last = fmin(objective, s->lowest * 1.5);
        set_step(s);
        ORFFI_TRY(pass(s, &objective));
        monitor->done++;
        ORFFI_TRY(guard(s, objective, last));
        const bool ends = stage_ends(s, &now);
        keep(s);
        if (!ends) continue;
        *converged = fabs(now.objective - objective) <= tolerance * fabs(objective);
        now.objective = objective;
    }
    return ORFF_OK;
}

/* The exact gradient and loss at theta, or at the best earlier theta if that is better. */
static orff_status choose_result(sgd_run *s) {
    ORFFI_TRY(visit_all(s));
    return s->loss_sum + penalty(s) <= 1.02 * s->lowest ? ORFF_OK : return_to_best(s);
}

/* |gradient| at theta = 0, which the final gradient is compared with. Leaves the run at its start value. */
static orff_status reference(sgd_run *s, const double *theta, double *norm) {
    const size_t M = s->problem->f->M;
    memset(s->theta, 0, M * sizeof *s->theta);
    ORFFI_TRY(visit_all(s));
    *norm = gradient_norm(s);
    memcpy(s->theta, theta, M * sizeof *s->theta);
    memcpy(s->best, theta, M * sizeof *s->best);
    return orffi_vector_norm(M, theta) > 0.0 ? visit_all(s) : ORFF_OK;
}

static orff_status run(sgd_run *s, double *theta, orff_solve_info *info) {
    const size_t M = s->problem->f->M;
    double zero;
    ORFFI_TRY(reference(s, theta, &zero));
    if (zero == 0.0) { /* theta = 0 is the minimum */
        memset(s->theta, 0, M * sizeof *s->theta);
        info->converged = true;
    } else {
        s->loss.width = s->loss.smooth ? 0.0 : fmax(s->loss_sum, 1e-12);
        go_on(s);
        ORFFI_TRY(fill_preconditioner(s));
        s->lowest = s->loss_sum + penalty(s);
        ORFFI_TRY(passes(s, &info->converged));
        ORFFI_TRY(choose_result(s));
        info->residual = gradient_norm(s) / zero;
    }
    memcpy(theta, s->theta, M * sizeof *theta);
    return ORFF_OK;
}

orff_status orffi_sgd(const orffi_sgd_problem *problem, double *theta, orff_solve_info *info) {
    sgd_run s = {.problem = problem};
    orff_status status = run_fill(&s, theta);
    if (!status) status = run(&s, theta, info);
    run_clear(&s);
    return status;
}

static orff_status check(const orff_iteration *how) {
    if (how->batch) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "sgd needs at least one row in a batch");
}

const orffi_solver_row orffi_solver_sgd = {.iterates = true, .any_loss = true, .check = check};
