/* Rows that are kept: where fewer rows than modes matter (little noise, short waves) the system of the rows,
 *
 *     (K + N lambda / c) alpha = y,       f = K(., rows) alpha,
 *
 * is the better one. K is applied by transforms through the lattice; conjugate gradients are preconditioned by nearest
 * neighbours, which also give the determinant and the errors of leaving out a row.
 */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "engine/lattice.h"

#define NEIGHBOURS 30 /* that predict a row: what more would say is below what the evidence is used for */
#define TRANSFORM  1e-9
#define TWO_PI     6.28318530717958647693

/* ---- the kernel on the rows */

void orffi_kept_unbind(orffi_lattice_rows *r) {
    orffi_neighbours_clear(&r->near);
    orffi_nufft_free(r->waves);
    orffi_release(r->angles);
    orffi_release(r->Y);
    orffi_release(r->alpha);
    orffi_release(r->beyond);
    r->beyond = NULL;
    r->waves = NULL;
    r->angles = r->Y = r->alpha = NULL;
}

static void find_mean(orffi_lattice_rows *r) {
    const orffi_table *t = r->table;
    r->N = orffi_table_weight(t);
    for (size_t a = 0; r->task.settings->center && a < t->p; a++) {
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
    const size_t q = orffi_lattice_is_scalar(kernel) ? 1 : kernel->p;
    ORFFI_TRY(orffi_lattice_choose_for(r, kernel, t->n, &r->lattice, &r->quality));
    if (!r->mean) ORFFI_TRY(ORFFI_NEW_ARRAY(r->mean, t->p));
    find_mean(r);
    ORFFI_TRY(orffi_lattice_system_init(&r->system, &r->lattice, kernel));
    ORFFI_TRY(orffi_neighbours_init(&r->near, kernel, orffi_lattice_is_scalar(kernel), t->n, t->d, t->X,
                                    t->weights, NEIGHBOURS / q, r->task.settings->sampling.seed));
    ORFFI_TRY(orffi_nufft_create(&r->waves, t->d, r->lattice.m, q, TRANSFORM));
    ORFFI_TRY(orffi_alloc(&r->angles, t->n, t->d * sizeof *r->angles));
    ORFFI_TRY(orffi_alloc(&r->Y, t->n, t->p * sizeof *r->Y));
    ORFFI_TRY(orffi_alloc(&r->alpha, t->n, t->p * sizeof *r->alpha));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->beyond, t->p));
    ORFFI_TRY(orffi_lattice_beyond(&r->system, r->beyond));
    orffi_lattice_angles(&r->lattice, t->n, t->X, r->angles);
    fill_outputs(r);
    r->bound = orffi_kernel_retain(kernel);
    return ORFF_OK;
}

/* ---- K by transforms */

/* Modes (q x H) of sums over rows, times S_k. */
static void multiply_modes(const orffi_lattice_system *s, orffi_mode *F, orffi_mode *V) {
    for (size_t h = 0; h < s->H; h++)
        for (size_t a = 0; a < s->p; a++) {
            orffi_mode sum = 0.0;
            for (size_t c = 0; c < s->r; c++)
                for (size_t b = 0; b < s->p; b++)
                    sum +=
                        s->W[(a * s->r + c) * s->H + h] * s->W[(b * s->r + c) * s->H + h] * F[b * s->H + h];
            V[a * s->H + h] = sum;
        }
}

/* V (q x H), the modes of K(., rows) alpha, alpha n x q. */
static orff_status field_of(orffi_lattice_rows *r, const double *alpha, orffi_mode *F, orffi_mode *V) {
    const size_t q = r->near.q;
    orffi_nufft_reset(r->waves);
    ORFFI_TRY(orffi_nufft_spread(r->waves, r->table->n, r->angles, alpha));
    for (size_t a = 0; a < q; a++)
        ORFFI_TRY(orffi_nufft_modes(r->waves, a, r->lattice.m, F + a * r->system.H));
    multiply_modes(&r->system, F, V);
    return ORFF_OK;
}

typedef struct solver {
    orffi_lattice_rows *rows;
    size_t length; /* n q */
    double noise;
    orffi_mode *F, *V;
    double *r, *z, *p, *q;
} solver;

static void solver_clear(solver *t) {
    orffi_release(t->F);
    orffi_release(t->V);
    orffi_release(t->r);
    orffi_release(t->z);
    orffi_release(t->p);
    orffi_release(t->q);
}

static orff_status solver_init(solver *t) {
    const size_t modes = t->rows->near.q * t->rows->system.H;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->F, modes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->V, modes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->r, t->length));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->z, t->length));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->p, t->length));
    return ORFFI_NEW_ARRAY(t->q, t->length);
}

/* out = (K + noise / c) in: waves beyond the cut are told apart by no two rows. */
static orff_status apply(solver *t, const double *in, double *out) {
    orffi_lattice_rows *r = t->rows;
    const size_t q = r->near.q;
    const double *weights = r->table->weights;
    ORFFI_TRY(field_of(r, in, t->F, t->V));
    for (size_t a = 0; a < q; a++)
        ORFFI_TRY(orffi_nufft_load(r->waves, a, r->lattice.m, t->V + a * r->system.H));
    ORFFI_TRY(orffi_nufft_evaluate(r->waves, r->table->n, r->angles, out));
    for (size_t i = 0; i < t->length; i++)
        out[i] += (r->beyond[i % q] + t->noise / (weights ? weights[i / q] : 1.0)) * in[i];
    return ORFF_OK;
}

/* Conjugate gradients from x = 0, or from the x of another noise. */
static orff_status iterate(solver *t, const double *y, double *x, orffi_lattice_iterations *how) {
    const size_t n = t->length;
    const double wanted = how->residual * how->residual * orffi_dot(n, y, y);
    double rho = 0.0, residual;
    ORFFI_TRY(apply(t, x, t->q));
    for (size_t i = 0; i < n; i++) t->r[i] = y[i] - t->q[i];
    residual = orffi_dot(n, t->r, t->r);
    for (how->done = 0; residual > wanted && how->done < how->limit; how->done++) {
        ORFFI_TRY(orffi_progress("solving", (double)how->done, (double)how->limit));
        orffi_neighbours_apply(&t->rows->near, 1, t->r, t->z);
        const double next = orffi_dot(n, t->r, t->z), beta = how->done ? next / rho : 0.0;
        rho = next;
        for (size_t i = 0; i < n; i++) t->p[i] = t->z[i] + beta * t->p[i];
        ORFFI_TRY(apply(t, t->p, t->q));
        const double alpha = rho / orffi_dot(n, t->p, t->q);
        if (!isfinite(alpha)) break;
        for (size_t i = 0; i < n; i++) {
            x[i] += alpha * t->p[i];
            t->r[i] -= alpha * t->q[i];
        }
        residual = orffi_dot(n, t->r, t->r);
    }
    how->reached = wanted > 0.0 ? how->residual * sqrt(residual / wanted) : 0.0;
    return ORFF_OK;
}

/* ---- one lambda */

/* Right-hand sides: the axes of a scalar system, one after the other, or all outputs together. */
static size_t right_sides(const orffi_lattice_rows *r) {
    return is_scalar(r) ? r->system.axes : 1;
}

static orff_status solve_side(orffi_lattice_rows *r, size_t j, double shift, bool exactly, double *quadratic,
                              orffi_lattice_iterations *how) {
    solver t = {.rows = r, .length = r->table->n * r->near.q, .noise = shift / r->system.size[j]};
    const double *y = r->Y + j * t.length;
    double *x = r->alpha + j * t.length;
    orff_status status = orffi_neighbours_factor(&r->near, t.noise);
    if (!status && exactly) {
        status = solver_init(&t);
        if (!status) status = iterate(&t, y, x, how);
        solver_clear(&t);
    } else if (!status) {
        orffi_neighbours_apply(&r->near, 1, y, x);
    }
    if (!status) *quadratic = orffi_dot(t.length, y, x) / r->system.size[j];
    return status;
}

/* noise tr (K + noise/c)^-1 / c of the side last factored. */
static orff_status left_free(orffi_lattice_rows *r, double noise, double *left) {
    const size_t q = r->near.q;
    const double *weights = r->table->weights;
    double *blocks;
    ORFFI_TRY(orffi_alloc(&blocks, r->table->n, q * q * sizeof *blocks));
    orffi_neighbours_blocks(&r->near, blocks);
    *left = 0.0;
    for (size_t i = 0; i < r->table->n; i++)
        for (size_t a = 0; a < q; a++)
            *left += noise / (weights ? weights[i] : 1.0) * blocks[i * q * q + a * (q + 1)];
    orffi_release(blocks);
    return ORFF_OK;
}

/* Outputs that the kernel cannot reach, those of the null space of A, are noise alone. */
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
    const double shift = r->N * lambda, n = (double)(r->table->n * r->near.q);
    const double P = (double)(r->table->n * r->table->p);
    double log_det = 0.0, sum = 0.0, quadratic = 0.0, left = 0.0;
    *out = (orffi_lattice_solution){0};
    for (size_t j = 0; j < right_sides(r); j++) {
        orffi_lattice_iterations how = {.residual = fmax(r->task.settings->tolerance, FINEST_RESIDUAL),
                                        .limit = r->task.settings->max_iterations};
        ORFFI_TRY(solve_side(r, j, shift, exactly, &quadratic, &how));
        ORFFI_TRY(left_free(r, shift / r->system.size[j], &left));
        sum += quadratic;
        log_det += r->near.log_det + n * log(r->system.size[j]);
        out->dof += n - left;
        out->iterations.done = how.done > out->iterations.done ? how.done : out->iterations.done;
        out->iterations.reached = fmax(out->iterations.reached, how.reached);
    }
    add_null_space(r, shift, &sum, &log_det);
    out->log_evidence = -0.5 * (sum + log_det + P * log(TWO_PI));
    out->profile = -0.5 * (P * log(TWO_PI * fmax(sum, 1e-300) / P) + P + log_det);
    return ORFF_OK;
}

/* ---- errors */

/* What stays of row i after f, and what leaving it out makes wrong, along axis or outputs (length right). */
static orff_status side_errors(orffi_lattice_rows *r, size_t j, double shift, double *left, double *out_of) {
    const size_t q = r->near.q, n = r->table->n;
    const double noise = shift / r->system.size[j], *weights = r->table->weights;
    const double *alpha = r->alpha + j * n * q;
    double *blocks;
    ORFFI_TRY(orffi_neighbours_factor(&r->near, noise));
    ORFFI_TRY(orffi_alloc(&blocks, n, q * q * sizeof *blocks));
    orffi_neighbours_blocks(&r->near, blocks);
    for (size_t i = 0; i < n; i++) {
        orffi_neighbours_leave_out(&r->near, blocks + i * q * q, alpha + i * q, out_of + (j * n + i) * q);
        for (size_t a = 0; a < q; a++)
            left[(j * n + i) * q + a] = noise / (weights ? weights[i] : 1.0) * alpha[i * q + a];
    }
    orffi_release(blocks);
    return ORFF_OK;
}

/* Weighted mean squares of each output: errors along axes are turned back; what y has in the null space stays. */
static void mean_squares(const orffi_lattice_rows *r, const double *errors, double *out) {
    const orffi_table *t = r->table;
    const size_t p = t->p, n = t->n, axes = r->system.axes;
    for (size_t a = 0; a < p; a++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            double error = is_scalar(r) ? t->Y[i * p + a] - r->mean[a] : errors[i * p + a];
            for (size_t j = 0; is_scalar(r) && j < axes; j++)
                error += r->system.turn[j * p + a] * (errors[j * n + i] - r->Y[j * n + i]);
            sum += (t->weights ? t->weights[i] : 1.0) * error * error;
        }
        out[a] = sum / r->N;
    }
}

orff_status orffi_kept_errors(orffi_lattice_rows *r, double lambda, double *train, double *left_out) {
    const size_t length = r->table->n * r->table->p;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, 2 * length));
    orff_status status = ORFF_OK;
    for (size_t j = 0; !status && j < right_sides(r); j++)
        status = side_errors(r, j, r->N * lambda, work, work + length);
    if (!status) {
        mean_squares(r, work, train);
        mean_squares(r, work + length, left_out);
    }
    orffi_release(work);
    return status;
}

/* ---- the field */

orff_status orffi_kept_field(orffi_lattice_rows *r, orffi_mode *out) {
    const orffi_lattice_system *s = &r->system;
    const size_t q = r->near.q, H = s->H;
    orffi_mode *F = NULL, *V = NULL;
    orff_status status = ORFFI_NEW_ARRAY(F, q * H);
    if (!status) status = ORFFI_NEW_ARRAY(V, q * H);
    memset(out, 0, s->outputs * H * sizeof *out);
    for (size_t j = 0; !status && j < right_sides(r); j++) {
        status = field_of(r, r->alpha + j * r->table->n * q, F, V);
        if (status) break;
        for (size_t a = 0; a < s->outputs; a++)
            for (size_t h = 0; h < H; h++)
                out[a * H + h] += is_scalar(r) ? s->turn[j * s->outputs + a] * V[h] : V[a * H + h];
    }
    orffi_release(F);
    orffi_release(V);
    return status;
}
