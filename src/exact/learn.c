#include "exact/learn.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"

/* ---- checks before any work */

/* Whether one eigendecomposition is needed to serve several lambdas, or outputs with different
 * eigenvalues. */
static bool needs_eigen(const orffi_exact_plan *plan, size_t lambdas) {
    return lambdas > 1 ||
           (plan->law && plan->values > 1 && (plan->groups > 1 || orffi_exact_plan_is_zero(plan, 0)));
}

static size_t bytes_of(const orffi_exact_plan *plan, size_t lambdas) {
    const double bytes = 8.0 * orffi_exact_system_numbers(plan, needs_eigen(plan, lambdas));
    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX;
}

orff_status orffi_exact_size(const orff_kernel *kernel, double *size) {
    const size_t p = kernel->p;
    double *work, trace = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, p * p + kernel->d));
    const orff_status status = orffi_kernel_exact(kernel, work + p * p, work);
    for (size_t i = 0; i < p; i++) trace += work[i * p + i];
    *size = trace > 0.0 ? trace / (double)p : 1.0;
    orffi_release(work);
    return status;
}

static orff_status check(const orffi_exact_task *task) {
    double size;
    if (task->rows.n == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "exact ridge needs at least one point");
    for (size_t l = 0; l < task->count; l++)
        if (!(task->lambdas[l] > 0.0) || !isfinite((double)task->rows.n * task->lambdas[l]))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "lambda is %g; it must be positive and finite",
                              task->lambdas[l]);
    return orffi_exact_size(task->kernel, &size); /* fails before anything large is allocated if there is no
                                                     exact form */
}

static orff_status make_plan(const orffi_exact_task *task, orffi_exact_plan *plan) {
    if (!task->rows.along) return orffi_exact_plan_make(plan, task->kernel, task->rows.n);
    *plan = orffi_exact_plan_directed(task->kernel, task->rows.n);
    return ORFF_OK;
}

static orff_status check_room(const orffi_exact_task *task, size_t lambdas) {
    orffi_exact_plan plan;
    ORFFI_TRY(make_plan(task, &plan));
    const orff_status status = orffi_exact_check_memory(&plan, bytes_of(&plan, lambdas), task->max_bytes);
    orffi_exact_plan_clear(&plan);
    return status;
}

/* ---- the path */

/* Scratch for one lambda. */
typedef struct point_work {
    double *t, *g, *left, *work; /* n x r, n x modes, n x r, n x r */
} point_work;

static void work_clear(point_work *w) {
    double *all[] = {w->t, w->g, w->left, w->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

static orff_status work_fill(point_work *w, const orffi_exact_system *s) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->t, s->n * s->r));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->g, s->n * s->modes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->left, s->n * s->r));
    return ORFFI_NEW_ARRAY(w->work, s->n * s->r);
}

/* Computes g, left and the point from t. */
static orff_status fill_point(const orffi_exact_system *s, double lambda, double shift, point_work *w,
                              orff_path_point *point) {
    double square = 0.0;
    orffi_exact_system_inverse(s, shift, w->g);
    orffi_exact_system_fill_point(s, lambda, shift, w->t, point);
    ORFFI_TRY(orffi_exact_system_leave_one_out(s, w->t, w->g, w->left));
    for (size_t i = 0; i < s->n * s->r; i++) square += w->left[i] * w->left[i];
    point->cv_mse = isfinite(square) ? square / s->P : NAN;
    return ORFF_OK;
}

orff_status orffi_exact_system_path(const orffi_exact_system *s, size_t count, const double *lambdas,
                                    orff_path_point *points, double *outputs) {
    point_work w = {0};
    orff_status status = work_fill(&w, s);
    for (size_t l = 0; !status && l < count; l++) {
        const double shift = orffi_exact_system_shift(s, lambdas[l]);
        status = orffi_progress("leave one out", (double)l, (double)count);
        if (status) break;
        orffi_exact_system_solve(s, shift, w.t, w.work);
        status = fill_point(s, lambdas[l], shift, &w, &points[l]);
        if (!status && outputs) status = orffi_exact_system_errors(s, w.left, 1.0, outputs + l * s->p);
    }
    work_clear(&w);
    return status;
}

/* The path alone; outputs (count x p, may be NULL): leave-one-out errors of each output. */
static orff_status search(const orffi_exact_task *task, orff_path_point *points, double *outputs) {
    orffi_exact_plan plan = {0};
    orffi_exact_system system = {0};
    orff_path_point *found = NULL;
    ORFFI_TRY(check(task));
    ORFFI_TRY(check_room(task, SIZE_MAX));
    orff_status status = make_plan(task, &plan);
    if (!status) status = ORFFI_NEW_ARRAY(found, task->count);
    if (!status) status = orffi_exact_system_build(&system, task->kernel, &plan, &task->rows);
    if (!status) status = orffi_exact_system_eigen(&system);
    if (!status) status = orffi_exact_system_path(&system, task->count, task->lambdas, found, outputs);
    if (!status) memcpy(points, found, task->count * sizeof *points);
    orffi_exact_system_clear(&system);
    orffi_exact_plan_clear(&plan);
    orffi_release(found);
    return status;
}

/* ---- the model at one lambda */

/* In eigen form, whose shift never falls below rounding. */
static orff_status solve_eigen(const orffi_exact_system *s, double lambda, double *t, orff_solve_info *info) {
    const double shift = orffi_exact_system_shift(s, lambda);
    double *work;
    info->method = "exact-eigen";
    orffi_exact_system_describe(s, lambda, info);
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, s->n * s->r));
    orffi_exact_system_solve(s, shift, t, work);
    orffi_release(work);
    return ORFF_OK;
}

/* Uses the eigen form if it is there, else Cholesky if that succeeds, else makes the eigen form. */
static orff_status solve(orffi_exact_system *s, const orffi_exact_task *task, double lambda, double *t,
                         orff_solve_info *info) {
    const bool plain = !s->e && orffi_exact_system_is_plain(s);
    orff_status status = ORFF_ERROR_NOT_POSITIVE;
    *info = (orff_solve_info){.method = "exact-cholesky", .converged = true};
    if (plain) status = orffi_exact_system_cholesky(s, s->N * lambda, t);
    info->condition = status ? 0.0 : s->condition;
    info->residual = status ? 0.0 : s->residual;
    if (status != ORFF_ERROR_NOT_POSITIVE) return status;
    info->fell_back = plain;
    if (plain) ORFFI_TRY(orffi_exact_system_refill(s, &task->rows));
    if (!s->e) ORFFI_TRY(orffi_exact_system_eigen(s));
    return solve_eigen(s, lambda, t, info);
}

/* alpha = sqrt(c) t e at the points of each row. */
static void fill_directed(orff_exact *exact, const orffi_exact_system *s, const double *t) {
    const orffi_directed *rows = &s->directed;
    for (size_t i = 0; i < rows->n; i++)
        for (size_t k = orffi_directed_begin(rows, i) * s->p; k < orffi_directed_begin(rows, i + 1) * s->p;
             k++)
            exact->alpha[k] = s->root[i] * t[i] * rows->along[k];
}

/* alpha = sqrt(c) t W^T */
static void fill_alpha(orff_exact *exact, const orffi_exact_system *s, const double *t) {
    const size_t p = s->p;
    if (s->directed.along) {
        fill_directed(exact, s, t);
        return;
    }
    if (s->plan->W)
        orffi_gemm(false, true, s->rows, p, p, 1.0, t, p, s->plan->W, p, 0.0, exact->alpha, p);
    else
        memcpy(exact->alpha, t, s->rows * p * sizeof *t);
    for (size_t i = 0; s->root && i < s->rows * p; i++) exact->alpha[i] *= s->root[i / p];
}

/* The residual of directed row i: y minus the mean, minus f along e, minus shift t / sqrt(c), where t /
 * sqrt(c) is read from alpha as a multiple of e. */
static double left_along(const orff_exact *exact, const orffi_exact_task *task, size_t i, const double *F,
                         double shift, double *y) {
    const orffi_directed rows = orffi_exact_directed(exact);
    const size_t p = exact->plan.p, begin = orffi_directed_begin(&rows, i),
                 numbers = (orffi_directed_begin(&rows, i + 1) - begin) * p;
    const double *e = rows.along + begin * p;
    const double multiple = orffi_dot(numbers, exact->alpha + begin * p, e) / orffi_dot(numbers, e, e);
    *y = task->rows.Y[i] - orffi_directed_constant(&rows, p, i, exact->mean);
    return *y - orffi_directed_value(&rows, p, i, F) - shift * multiple / task->rows.weights[i];
}

/* |sqrt(c) (y - f) - N lambda t| / |sqrt(c) y|, with f evaluated from the kernel. */
static orff_status find_residual(const orff_exact *exact, const orffi_exact_task *task, double shift,
                                 double *residual) {
    const size_t n = exact->plan.n, p = exact->plan.p;
    double *F, error = 0.0, size = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(F, n * p));
    const orff_status status = orffi_exact_evaluate(exact, n, exact->X, F);
    for (size_t i = 0; !status && i < exact->rows; i++) {
        double y;
        if (!(task->rows.weights[i] > 0.0)) continue;
        const double left = left_along(exact, task, i, F, shift, &y);
        error += task->rows.weights[i] * left * left;
        size += task->rows.weights[i] * y * y;
    }
    for (size_t i = 0; !status && !exact->along && i < n * p; i++) {
        const double c = task->rows.weights ? task->rows.weights[i / p] : 1.0;
        const double y = task->rows.Y[i] - exact->mean[i % p];
        const double left = c > 0.0 ? y - F[i] - shift * exact->alpha[i] / c : 0.0;
        error += c * left * left;
        size += c * y * y;
    }
    *residual = size > 0.0 ? sqrt(error / size) : 0.0;
    orffi_release(F);
    return status;
}

/* Moves F out of the system, its rows multiplied by sqrt(c). */
static orff_status keep_factor(orff_exact *exact, orffi_exact_system *s, double **g) {
    const size_t each = s->n / s->rows;
    ORFFI_TRY(ORFFI_NEW(exact->kept));
    for (size_t i = 0; s->root && i < s->n * s->n; i++) s->F[i] *= s->root[i / s->n / each];
    *exact->kept = (orffi_exact_kept){.n = s->n, .modes = s->modes, .F = s->F, .owned = s->F, .g = *g};
    s->F = *g = NULL;
    return ORFF_OK;
}

/* The model of the rows that t was solved for. */
static orff_status fill_exact(orff_exact *exact, const orffi_exact_task *task, const orffi_exact_system *s,
                              const double *t) {
    const double lambda = task->lambdas[0];
    exact->shift = s->e ? orffi_exact_system_shift(s, lambda) : s->N * lambda;
    memcpy(exact->X, task->rows.X, exact->plan.n * exact->plan.d * sizeof *exact->X);
    memcpy(exact->mean, s->mean, s->p * sizeof *s->mean);
    ORFFI_TRY(orffi_duplicate(&exact->weights, task->rows.weights, s->rows, sizeof *exact->weights));
    ORFFI_TRY(orffi_duplicate(&exact->along, task->rows.along, exact->plan.n * s->p, sizeof *exact->along));
    ORFFI_TRY(orffi_duplicate(&exact->points, task->rows.points, s->rows + 1, sizeof *exact->points));
    if (exact->along) exact->rows = s->rows;
    fill_alpha(exact, s, t);
    return orffi_exact_fold(exact);
}

static orff_status learn(orff_exact *exact, const orffi_exact_task *task, orffi_exact_system *s,
                         point_work *w, orffi_exact_result *result) {
    const double lambda = task->lambdas[0];
    ORFFI_TRY(solve(s, task, lambda, w->t, &result->solve));
    ORFFI_TRY(fill_exact(exact, task, s, w->t));
    result->P = s->P;
    ORFFI_TRY(fill_point(s, lambda, exact->shift, w, &result->point));
    ORFFI_TRY(orffi_exact_system_errors(s, w->t, exact->shift, result->train_mse));
    ORFFI_TRY(orffi_exact_system_errors(s, w->left, 1.0, result->cv_mse));
    if (s->e) ORFFI_TRY(find_residual(exact, task, s->N * lambda, &result->solve.residual));
    return task->keep ? keep_factor(exact, s, &w->g) : ORFF_OK;
}

static size_t points_of(const orffi_exact_rows *rows) {
    return rows->points ? rows->points[rows->n] : rows->n;
}

orff_status orffi_exact_learn_from(orff_exact **out, orffi_exact_system *system, const orffi_exact_task *task,
                                   orffi_exact_result *result) {
    orff_exact *exact = NULL;
    point_work w = {0};
    orff_status status = orffi_exact_create(&exact, task->kernel, points_of(&task->rows));
    if (!status) status = work_fill(&w, system);
    if (!status) status = learn(exact, task, system, &w, result);
    work_clear(&w);
    if (status) {
        orff_exact_free(exact);
    } else {
        *out = exact;
    }
    return status;
}

orff_status orffi_exact_learn_again(orff_exact **out, orffi_exact_system *s, const orffi_exact_task *task,
                                    bool factored) {
    orff_exact *exact = NULL;
    orff_solve_info info;
    double *t = NULL, *work = NULL;
    const double lambda = task->lambdas[0],
                 shift = s->e ? orffi_exact_system_shift(s, lambda) : s->N * lambda;
    orff_status status = orffi_exact_create(&exact, task->kernel, points_of(&task->rows));
    if (!status) status = ORFFI_NEW_ARRAY(t, s->n * s->r);
    if (!status) status = ORFFI_NEW_ARRAY(work, s->n * s->r);
    if (!status)
        status = factored ? orffi_exact_system_again(s, &task->rows, shift, t, work)
                          : solve(s, task, lambda, t, &info);
    if (!status) status = fill_exact(exact, task, s, t);
    orffi_release(t);
    orffi_release(work);
    if (status) {
        orff_exact_free(exact);
    } else {
        *out = exact;
    }
    return status;
}

orff_status orffi_exact_begin(orffi_exact_system *system, orffi_exact_plan *plan,
                              const orffi_exact_task *task) {
    ORFFI_TRY(check(task));
    ORFFI_TRY(check_room(task, task->eigen ? SIZE_MAX : task->count));
    ORFFI_TRY(make_plan(task, plan));
    return orffi_exact_system_build(system, task->kernel, plan, &task->rows);
}

orff_status orffi_exact_learn(orff_exact **out, const orffi_exact_task *task, orffi_exact_result *result) {
    orffi_exact_system system = {0};
    orffi_exact_plan plan = {0};
    orff_status status = orffi_exact_begin(&system, &plan, task);
    if (!status) status = orffi_exact_learn_from(out, &system, task, result);
    orffi_exact_system_clear(&system);
    orffi_exact_plan_clear(&plan);
    return status;
}

/* ---- the public path */

orff_status orff_exact_path(const orff_kernel *kernel, size_t n, const double *X, const double *Y,
                            bool center, size_t max_bytes, size_t count, const double *lambdas,
                            orff_path_point *points) {
    if (!kernel || !X || !Y || !lambdas || !points)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_exact_path: NULL argument");
    ORFFI_TRY(orffi_check_finite("X", n, kernel->d, X));
    ORFFI_TRY(orffi_check_finite("Y", n, kernel->p, Y));
    const orffi_exact_task task = {.kernel = kernel,
                                   .rows = {.n = n, .X = X, .Y = Y, .center = center},
                                   .count = count,
                                   .lambdas = lambdas,
                                   .max_bytes = max_bytes};
    return search(&task, points, NULL);
}
