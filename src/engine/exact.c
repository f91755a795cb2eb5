/* The exact engine: rows are kept; the errors are those of leave-one-out. */
#include "engine/exact.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/reach.h"
#include "solve/solver.h"

#define MOST_UNKNOWNS 1500 /* order of a system that is decomposed once for every candidate */

/* ---- what it can do */

static bool may_be_separable(const orff_settings *s) {
    bool separable = !s->auto_kernel;
    for (size_t m = 0; m < s->n_parts; m++)
        separable = separable && orff_rule_describe(s->parts[m].rule).separable;
    return separable;
}

/* The least memory that any solver takes: matrices of order N if K may be k (x) A, otherwise N p; the
 * eigen form works in three of them. */
static orff_status suits(const orff_settings *s, size_t d, size_t p, size_t rows, size_t *bytes) {
    const orffi_exact_plan plan = {.n = rows, .d = d, .p = p};
    const double order = (double)rows * (may_be_separable(s) ? 1.0 : (double)p);
    const double need = 8.0 * (s->lambda > 0.0 ? 1.0 : 3.0) * order * order;
    *bytes = need < (double)(SIZE_MAX / 2) ? (size_t)need : SIZE_MAX;
    if (s->loss != ORFF_LOSS_SQUARED)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the %s engine is for the squared loss; for %s use %s",
                          orff_engine_name(ORFF_ENGINE_EXACT), orff_loss_name(s->loss),
                          orff_engine_name(ORFF_ENGINE_FEATURES));
    if (!orffi_solver_is_closed(s->solver))
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the %s solver belongs to the engine %s, not to %s",
                          orff_solver_name(s->solver), orff_engine_name(ORFF_ENGINE_FEATURES),
                          orff_engine_name(ORFF_ENGINE_EXACT));
    if (s->single)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "exact models are computed in double precision, not in single");
    if ((s->mixture || s->auto_kernel) && s->criterion != ORFF_CRITERION_EVIDENCE)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the %s engine learns weights of parts by %s, not by %s",
                          orff_engine_name(ORFF_ENGINE_EXACT), orff_criterion_name(ORFF_CRITERION_EVIDENCE),
                          orff_criterion_name(s->criterion));
    return orffi_exact_check_memory(&plan, *bytes, s->max_bytes);
}

static size_t order_of(const orff_kernel *kernel) {
    return orffi_kernel_is_separable(kernel) ? 1 : kernel->p;
}

/* Rows of the system for each row of the data. */
static size_t numbers_of(const orff_kernel *kernel, const orffi_table *table) {
    return table->along ? 1 : order_of(kernel);
}

static bool compares(const orff_kernel *kernel, size_t rows) {
    return rows <= MOST_UNKNOWNS / order_of(kernel);
}

/* ---- rows */

/* Keeps the system of the kernel last asked for: after a criterion, its eigen form also serves the fit. */
typedef struct kept_rows {
    orffi_task task;
    orffi_table gathered;
    const orffi_table *table;
    orff_kernel *kernel; /* of the system, or NULL */
    orffi_exact_plan plan;
    orffi_exact_system system;
    double *mean;  /* p, where the task gives it; else NULL */
    bool factored; /* for the lambda of `again` */
    size_t d, p;
} kept_rows;

static void clear_system(kept_rows *r) {
    orffi_exact_system_clear(&r->system);
    orffi_exact_plan_clear(&r->plan);
    orff_kernel_free(r->kernel);
    r->kernel = NULL;
    r->factored = false;
}

static void release(void *rows) {
    kept_rows *r = rows;
    if (!r) return;
    clear_system(r);
    orffi_table_clear(&r->gathered);
    orffi_release(r->mean);
    orffi_release(r);
}

static orff_status prepare(void **rows, const orffi_task *task, const orff_kernel *kernel) {
    kept_rows *r;
    double size;
    ORFFI_TRY(orffi_exact_size(kernel, &size)); /* fails without an exact form */
    ORFFI_TRY(ORFFI_NEW(r));
    r->task = *task;
    r->d = kernel->d;
    r->p = kernel->p;
    *rows = r;
    if (!task->mean) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->mean, r->p));
    orffi_task_mean(task, r->p, r->mean);
    return ORFF_OK;
}

static orff_status read_rows(void *rows, const orffi_source *source) {
    kept_rows *r = rows;
    r->table = source->table ? source->table : &r->gathered;
    if (source->table) return ORFF_OK;
    return orffi_table_gather(&r->gathered, &source->reader, source->expected, r->d, r->p);
}

static bool serves(const void *rows, const orff_kernel *kernel) {
    (void)rows, (void)kernel;
    return true;
}

/* Each candidate reads the rows again, as two candidates at once would need two systems. */
static bool shares(const void *rows, const void *other) {
    (void)rows, (void)other;
    return false;
}

static void borrow(void *other, const void *rows) {
    ((kept_rows *)other)->table = ((const kept_rows *)rows)->table;
}

static double weight(const void *rows) {
    return orffi_table_weight(((const kept_rows *)rows)->table);
}

static orff_status size(void *rows, const orff_kernel *kernel, double *out) {
    (void)rows;
    return orffi_exact_size(kernel, out);
}

static double observed_by(const orffi_table *t) {
    double sum = 0.0;
    for (size_t i = 0; t->along && i < t->n - t->functionals; i++) sum += t->weights[i];
    return orffi_table_observed(sum, t->walls);
}

static orffi_exact_task task_of(const kept_rows *r, const orff_kernel *kernel, size_t count,
                                const double *lambdas) {
    return (orffi_exact_task){
        .kernel = kernel,
        .rows = {.n = r->table->n,
                 .X = r->table->X,
                 .Y = r->table->Y,
                 .weights = r->table->weights,
                 .along = r->table->along,
                 .points = r->table->points,
                 .N = r->table->N,
                 .P = observed_by(r->table),
                 .center = r->task.settings->center && !r->mean,
                 .mean = r->mean},
        .count = count,
        .lambdas = lambdas,
        .keep = orffi_keeps_posterior(r->task.settings,
                                      (double)r->table->n * (double)numbers_of(kernel, r->table)),
        .max_bytes = r->task.settings->max_bytes};
}

static orff_status build_system(kept_rows *r, const orffi_exact_task *task) {
    if (r->kernel == task->kernel) return ORFF_OK;
    clear_system(r);
    ORFFI_TRY(orffi_exact_begin(&r->system, &r->plan, task));
    r->kernel = orffi_kernel_retain(task->kernel);
    return ORFF_OK;
}

static orff_status criterion(void *rows, const orff_kernel *kernel, size_t count, const double *lambdas,
                             orffi_criterion *c) {
    kept_rows *r = rows;
    orffi_exact_task task = task_of(r, kernel, count, lambdas);
    orff_path_point *points = c->points;
    task.eigen = true;
    ORFFI_TRY(build_system(r, &task));
    if (!r->system.e) ORFFI_TRY(orffi_exact_system_eigen(&r->system));
    if (!points) ORFFI_TRY(ORFFI_NEW_ARRAY(points, count));
    const orff_status status = orffi_exact_system_path(&r->system, count, lambdas, points, c->outputs);
    for (size_t l = 0; !status && l < count; l++) c->errors[l] = points[l].cv_mse;
    if (!c->points) orffi_release(points);
    c->crossed = c->told = true;
    return status;
}

/* N lambda y^T C^-1 y / N, for each output: see orffi_lattice_noises. For directed rows the noise comes
 * from the residuals. */
static void find_noises(const kept_rows *r, const orff_exact *exact, double lambda, double *variances) {
    const orffi_table *t = r->table;
    const size_t p = r->p;
    for (size_t a = 0; !t->along && a < p; a++) {
        double sum = 0.0;
        for (size_t i = 0; i < t->n; i++) sum += exact->alpha[i * p + a] * (t->Y[i * p + a] - exact->mean[a]);
        variances[a] = lambda * fmax(sum, 0.0);
    }
}

static orff_status learn(void **fit, void *rows, const orff_kernel *kernel, double lambda,
                         orffi_report *report) {
    kept_rows *r = rows;
    const orffi_exact_task task = task_of(r, kernel, 1, &lambda);
    orffi_exact_result found = {.train_mse = report->train_mse, .cv_mse = report->cv_mse};
    orff_exact *exact = NULL;
    ORFFI_TRY(build_system(r, &task));
    const orff_status status = orffi_exact_learn_from(&exact, &r->system, &task, &found);
    clear_system(r); /* its factor may now belong to the fit */
    if (status) return status;
    memcpy(report->mean, exact->mean, r->p * sizeof *report->mean);
    if (report->evident) find_noises(r, exact, lambda, report->evident);
    report->crossed = !isnan(found.point.cv_mse); /* undefined for one row */
    report->N = found.P / (double)r->p;
    report->rows = r->table->n;
    report->lambda = lambda;
    report->dof = found.point.dof;
    report->log_evidence = found.point.log_evidence;
    report->solve = found.solve;
    report->unreached = 0.0;
    const orff_status reached = r->table->along
                                    ? ORFF_OK
                                    : orffi_reach_rows(kernel, r->table->n, r->table->Y, r->table->weights,
                                                       report->mean, &report->unreached);
    if (reached) {
        orff_exact_free(exact);
    } else {
        *fit = exact;
    }
    return reached;
}

static orff_status again(void **fit, void *rows, const orff_kernel *kernel, double lambda, const double *Y) {
    kept_rows *r = rows;
    orffi_exact_task task = task_of(r, kernel, 1, &lambda);
    orff_exact *exact = NULL;
    task.keep = false;
    task.rows.Y = Y;
    ORFFI_TRY(build_system(r, &task));
    ORFFI_TRY(orffi_exact_learn_again(&exact, &r->system, &task, r->factored));
    r->factored = true;
    *fit = exact;
    return ORFF_OK;
}

/* ---- a fit */

static const orff_kernel *kernel_of(const void *fit) {
    return ((const orff_exact *)fit)->kernel;
}

static orff_status check_finite(const void *fit) {
    const orff_exact *exact = fit;
    return orffi_check_finite("alpha", exact->plan.n, exact->plan.p, exact->alpha);
}

static void describe(const void *fit, orff_model_info *info) {
    const orff_exact *exact = fit;
    info->parameters = exact->plan.n * exact->plan.p;
    info->has_posterior = exact->kept != NULL;
    info->warning = "";
}

static orff_status values(const void *fit, size_t n, const double *x, double *F) {
    return orffi_exact_evaluate(fit, n, x, F);
}

/* Phi(x)^T (G + shift)^-1 Phi(x) = (K(x,x) - k(x) (K + shift)^-1 k(x)^T) / shift. */
static orff_status covariance(const void *fit, size_t n, const double *x, double *out) {
    const orff_exact *exact = fit;
    const size_t pp = exact->plan.p * exact->plan.p;
    ORFFI_TRY(orff_exact_covariance(exact, n, x, out));
    for (size_t i = 0; i < n * pp; i++) out[i] /= exact->shift;
    return ORFF_OK;
}

static void free_fit(void *fit) {
    orff_exact_free(fit);
}

const orffi_engine orffi_engine_exact = {
    .id = ORFF_ENGINE_EXACT,
    .parts_noises = 1500, /* by eigenvectors, which take ten times as long as a factor */
    .suits = suits,
    .compares = compares,
    .prepare = prepare,
    .read = read_rows,
    .serves = serves,
    .shares = shares,
    .borrow = borrow,
    .weight = weight,
    .evident = true,
    .size = size,
    .criterion = criterion,
    .learn = learn,
    .again = again,
    .release = release,
    .kernel = kernel_of,
    .check_finite = check_finite,
    .describe = describe,
    .values = values,
    .covariance = covariance,
    .derive = orffi_exact_derive,
    .derived_covariance = orffi_exact_derived_covariance,
    .has_derived_covariance = orffi_exact_has_derived_covariance,
    .draw = orffi_exact_draw_samples,
    .sum = orffi_exact_sum,
    .pack = orffi_exact_pack,
    .add = orffi_exact_add,
    .load = orffi_exact_load,
    .free = free_fit,
};
