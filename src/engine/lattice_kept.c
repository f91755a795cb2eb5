/* Kept rows: where fewer rows than modes matter (little noise, short waves), the system of the rows,
 *
 *     (K + N lambda / c) alpha = y,       f = K(., rows) alpha,
 *
 * is the better one. K is applied by transforms through the lattice. Conjugate gradients are
 * preconditioned by nearest neighbours, which also give the determinant and the leave-one-out errors. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "engine/lattice.h"

#define TWO_PI 6.28318530717958647693

/* ---- the kernel on the rows */

void orffi_kept_unbind(orffi_lattice_rows *r) {
    orffi_kept_clear(&r->kept);
    orffi_release(r->Y);
    orffi_release(r->alpha);
    orffi_release(r->quadratic);
    orffi_release(r->inverse);
    r->Y = r->alpha = r->quadratic = r->inverse = NULL;
}

static void find_mean(orffi_lattice_rows *r) {
    const orffi_table *t = r->table;
    r->N = orffi_table_weight(t);
    if (r->task.mean) orffi_task_mean(&r->task, t->p, r->mean);
    for (size_t a = 0; r->task.settings->center && !r->task.mean && a < t->p; a++) {
        double sum = 0.0;
        for (size_t i = 0; i < t->n; i++) sum += (t->weights ? t->weights[i] : 1.0) * t->Y[i * t->p + a];
        r->mean[a] = sum / r->N;
    }
}

static bool is_scalar(const orffi_lattice_rows *r) {
    return r->system.turn != NULL;
}

/* Centred outputs, along the axes of a scalar system. */
static void fill_outputs(orffi_lattice_rows *r) {
    const orffi_table *t = r->table;
    const size_t p = t->p, axes = r->system.axes;
    for (size_t i = 0; i < t->n; i++) {
        for (size_t a = 0; !is_scalar(r) && a < p; a++) r->Y[i * p + a] = t->Y[i * p + a] - r->mean[a];
        for (size_t j = 0; is_scalar(r) && j < axes; j++) {
            double sum = 0.0;
            for (size_t a = 0; a < p; a++) sum += r->system.turn[j * p + a] * (t->Y[i * p + a] - r->mean[a]);
            r->Y[j * t->n + i] = sum;
        }
    }
}

orff_status orffi_kept_bind(orffi_lattice_rows *r, const orff_kernel *kernel) {
    const orffi_table *t = r->table;
    ORFFI_TRY(orffi_lattice_choose_for(r, kernel, t->n, &r->lattice, &r->quality));
    if (!r->mean) ORFFI_TRY(ORFFI_NEW_ARRAY(r->mean, t->p));
    find_mean(r);
    ORFFI_TRY(orffi_lattice_system_init(&r->system, &r->lattice, kernel, false));
    ORFFI_TRY(orffi_kept_init(&r->kept, &r->system, t, r->task.settings->sampling.seed));
    ORFFI_TRY(orffi_alloc(&r->Y, t->n, t->p * sizeof *r->Y));
    ORFFI_TRY(orffi_alloc(&r->alpha, t->n, t->p * sizeof *r->alpha));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->quadratic, t->p));
    ORFFI_TRY(orffi_alloc(&r->inverse, t->n, t->p * r->kept.near.q * sizeof *r->inverse));
    fill_outputs(r);
    r->bound = orffi_kernel_retain(kernel);
    return ORFF_OK;
}

/* ---- one lambda */

/* The number of right-hand sides: the axes of a scalar system, or 1 for all outputs together. */
static size_t right_sides(const orffi_lattice_rows *r) {
    return is_scalar(r) ? r->system.axes : 1;
}

/* The diagonal blocks of (K + noise/c)^-1 for a right-hand side. */
static double *inverse_of(const orffi_lattice_rows *r, size_t j) {
    const size_t q = r->kept.near.q;
    return r->inverse + j * r->table->n * q * q;
}

/* All sides are one bar for each of the two tasks. */
static orff_status factor_side(orffi_lattice_rows *r, size_t j, double noise) {
    orffi_stage before;
    orff_status status = orffi_stage_enter(ORFFI_NEIGHBOURS_TASK, (double)j, (double)right_sides(r),
                                           ORFFI_NEIGHBOURS_TASK, &before);
    if (!status) status = orffi_neighbours_factor(&r->kept.near, noise);
    orffi_stage_leave(&before);
    return status;
}

static orff_status iterate_side(orffi_lattice_rows *r, size_t j, double noise,
                                orffi_lattice_iterations *how) {
    const size_t length = r->table->n * r->kept.near.q;
    orffi_stage before;
    orff_status status =
        orffi_stage_enter(ORFFI_LATTICE_TASK, (double)j, (double)right_sides(r), ORFFI_LATTICE_TASK, &before);
    if (!status) status = orffi_kept_solve(&r->kept, noise, r->Y + j * length, r->alpha + j * length, how);
    orffi_stage_leave(&before);
    return status;
}

static orff_status solve_side(orffi_lattice_rows *r, size_t j, double shift, bool exactly, double *quadratic,
                              orffi_lattice_iterations *how) {
    const size_t length = r->table->n * r->kept.near.q;
    const double noise = shift / r->system.size[j], *y = r->Y + j * length;
    double *x = r->alpha + j * length;
    orff_status status = factor_side(r, j, noise);
    if (!status && exactly) status = iterate_side(r, j, noise, how);
    if (!status && !exactly) orffi_neighbours_apply(&r->kept.near, 1, y, x);
    if (!status) orffi_neighbours_blocks(&r->kept.near, inverse_of(r, j));
    if (!status) *quadratic = orffi_dot(length, y, x) / r->system.size[j];
    return status;
}

/* noise tr (K + noise/c)^-1 / c */
static double left_free(const orffi_lattice_rows *r, size_t j, double noise) {
    const size_t q = r->kept.near.q;
    const double *weights = r->table->weights, *blocks = inverse_of(r, j);
    double left = 0.0;
    for (size_t i = 0; i < r->table->n; i++)
        for (size_t a = 0; a < q; a++)
            left += noise / (weights ? weights[i] : 1.0) * blocks[i * q * q + a * (q + 1)];
    return left;
}

/* Adds outputs in the null space of A, which the kernel cannot reach: they are pure noise. */
static void add_null_space(const orffi_lattice_rows *r, double shift, double *quadratic, double *log_det) {
    const orffi_table *t = r->table;
    const size_t p = t->p, axes = r->system.axes;
    if (!is_scalar(r) || axes == p) return;
    for (size_t i = 0; i < t->n; i++) {
        const double noise = shift / (t->weights ? t->weights[i] : 1.0);
        double square = 0.0;
        for (size_t a = 0; a < p; a++) {
            const double y = t->Y[i * p + a] - r->mean[a];
            square += y * y;
        }
        for (size_t j = 0; j < axes; j++) square -= r->Y[j * t->n + i] * r->Y[j * t->n + i];
        *quadratic += fmax(square, 0.0) / noise;
        *log_det += (double)(p - axes) * log(noise);
    }
}

orff_status orffi_kept_solve_at(orffi_lattice_rows *r, double lambda, bool exactly,
                                orffi_lattice_solution *out) {
    const double shift = r->N * lambda, n = (double)(r->table->n * r->kept.near.q);
    const double P = (double)(r->table->n * r->table->p);
    double log_det = 0.0, sum = 0.0;
    *out = (orffi_lattice_solution){0};
    for (size_t j = 0; j < right_sides(r); j++) {
        orffi_lattice_iterations how = {.residual = fmax(r->task.settings->tolerance, FINEST_RESIDUAL),
                                        .limit = r->task.settings->max_iterations};
        ORFFI_TRY(solve_side(r, j, shift, exactly, &r->quadratic[j], &how));
        sum += r->quadratic[j];
        log_det += r->kept.near.log_det + n * log(r->system.size[j]);
        out->dof += n - left_free(r, j, shift / r->system.size[j]);
        out->iterations.done = how.done > out->iterations.done ? how.done : out->iterations.done;
        out->iterations.reached = fmax(out->iterations.reached, how.reached);
    }
    add_null_space(r, shift, &sum, &log_det);
    r->all = sum;
    out->log_evidence = -0.5 * (sum + log_det + P * log(TWO_PI));
    out->profile = -0.5 * (P * log(TWO_PI * fmax(sum, 1e-300) / P) + P + log_det);
    return ORFF_OK;
}

/* ---- errors */

/* Residuals of the rows, along axis or outputs. */
static void fill_left(const orffi_lattice_rows *r, size_t j, double shift, double *left) {
    const size_t q = r->kept.near.q, n = r->table->n;
    const double noise = shift / r->system.size[j], *weights = r->table->weights;
    for (size_t i = j * n * q; i < (j + 1) * n * q; i++)
        left[i] = noise / (weights ? weights[i / q % n] : 1.0) * r->alpha[i];
}

/* The same, and the leave-one-out errors. */
static void side_errors(const orffi_lattice_rows *r, size_t j, double shift, double *left, double *out_of) {
    const size_t q = r->kept.near.q, n = r->table->n;
    const double *alpha = r->alpha + j * n * q, *blocks = inverse_of(r, j);
    for (size_t i = 0; i < n; i++)
        orffi_neighbours_leave_out(&r->kept.near, blocks + i * q * q, alpha + i * q,
                                   out_of + (j * n + i) * q);
    fill_left(r, j, shift, left);
}

/* The error of output a in row i: errors along axes are turned back; the part of y in the null space is
 * added. */
static double error_of(const orffi_lattice_rows *r, const double *errors, size_t i, size_t a) {
    const size_t p = r->table->p, n = r->table->n;
    double error = is_scalar(r) ? r->table->Y[i * p + a] - r->mean[a] : errors[i * p + a];
    for (size_t j = 0; is_scalar(r) && j < r->system.axes; j++)
        error += r->system.turn[j * p + a] * (errors[j * n + i] - r->Y[j * n + i]);
    return error;
}

/* Weighted mean squares of each output. */
static void mean_squares(const orffi_lattice_rows *r, const double *errors, double *out) {
    const orffi_table *t = r->table;
    for (size_t a = 0; a < t->p; a++) {
        double sum = 0.0;
        for (size_t i = 0; i < t->n; i++) {
            const double error = error_of(r, errors, i, a);
            sum += (t->weights ? t->weights[i] : 1.0) * error * error;
        }
        out[a] = sum / r->N;
    }
}

orff_status orffi_kept_errors(orffi_lattice_rows *r, double lambda, double *train, double *left_out) {
    const size_t length = r->table->n * r->table->p;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, 2 * length));
    for (size_t j = 0; j < right_sides(r); j++) side_errors(r, j, r->N * lambda, work, work + length);
    mean_squares(r, work, train);
    mean_squares(r, work + length, left_out);
    orffi_release(work);
    return ORFF_OK;
}

orff_status orffi_kept_left(const orffi_lattice_rows *r, double lambda, double *left) {
    const size_t n = r->table->n, p = r->table->p;
    double *along;
    ORFFI_TRY(orffi_alloc(&along, n, p * sizeof *along));
    for (size_t j = 0; j < right_sides(r); j++) fill_left(r, j, r->N * lambda, along);
    for (size_t i = 0; i < n * p; i++) left[i] = error_of(r, along, i / p, i % p);
    orffi_release(along);
    return ORFF_OK;
}

void orffi_kept_noises(const orffi_lattice_rows *r, double lambda, double *variances) {
    const size_t p = r->table->p;
    const bool apart = is_scalar(r) && r->system.axes == p && orffi_kernel_is_identity(r->bound);
    for (size_t a = 0; a < p; a++) variances[a] = lambda * (apart ? r->quadratic[a] : r->all / (double)p);
}

/* ---- the field */

orff_status orffi_kept_field(orffi_lattice_rows *r, orffi_mode *out) {
    const orffi_lattice_system *s = &r->system;
    const size_t q = r->kept.near.q, H = s->H;
    orffi_mode *F = NULL, *V = NULL;
    orff_status status = ORFFI_NEW_ARRAY(F, q * H);
    if (!status) status = ORFFI_NEW_ARRAY(V, q * H);
    memset(out, 0, s->outputs * H * sizeof *out);
    for (size_t j = 0; !status && j < right_sides(r); j++) {
        status = orffi_kept_modes(&r->kept, r->alpha + j * r->table->n * q, F, V);
        if (status) break;
        for (size_t a = 0; a < s->outputs; a++)
            for (size_t h = 0; h < H; h++)
                out[a * H + h] += is_scalar(r) ? s->turn[j * s->outputs + a] * V[h] : V[a * H + h];
    }
    orffi_release(F);
    orffi_release(V);
    return status;
}
