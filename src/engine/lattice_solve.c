/* Solves on a lattice: one lambda at a time, errors on folds. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "engine/lattice.h"
#include "lattice/functionals.h"

#define PRECONDITIONER 1500 /* unknowns, when not all are solved densely */
#define PRECONDITIONER_QUIET \
    3000                 /* of directed rows with little noise: 320 iterations in place of 500 and more */
#define SIGNS_OVER   1.1 /* of what independent signs have: error bars are no better known */
#define SIDE_BY_SIDE 16  /* samples that are solved for together */
#define TWO_PI       6.28318530717958647693

/* ---- the kernel on the rows */

void orffi_lattice_unbind(orffi_lattice_rows *r) {
    orffi_kept_unbind(r);
    orffi_lattice_block_clear(&r->block);
    orffi_lattice_system_clear(&r->system);
    orffi_release(r->b);
    orffi_release(r->theta);
    r->b = r->theta = NULL;
    orff_kernel_free(r->bound);
    r->bound = NULL;
}

/* R - rho mean of a set: the right-hand side of centred outputs (p x H). */
static orff_status centre(const orffi_lattice_system *s, size_t p, const orffi_lattice_set *set,
                          const double *mean, orffi_mode *R) {
    const orffi_lattice *l = s->lattice;
    const bool directed = s->directed;
    const size_t H = orffi_lattice_modes(l), whole = orffi_lattice_density_modes(l);
    orffi_lattice twice = *l;
    for (size_t i = 0; i < l->d; i++) twice.m[i] = 2 * l->m[i];
    for (size_t h = 0; h < H; h++) {
        long k[ORFF_LATTICE_INPUTS];
        orffi_lattice_place(l, h, k);
        const orffi_mode *density = set->rho + orffi_lattice_find(&twice, k);
        for (size_t a = 0; a < p; a++) {
            R[a * H + h] = set->R[a * H + h];
            if (!directed) R[a * H + h] -= mean[a] * density[0];
            for (size_t b = 0; directed && b < p; b++)
                R[a * H + h] -= mean[b] * density[orffi_lattice_pair(p, a, b) * whole];
        }
    }
    return s->functionals ? orffi_lattice_functionals_right(s->functionals, mean, R) : ORFF_OK;
}

/* Centred sums of y y^T (p x p); for directed rows sum c (y - <e, mean>)^2 in the first element. */
static void centre_squares(size_t p, bool directed, const orffi_lattice_set *set, const double *mean,
                           double *out) {
    const size_t side = p + 1;
    const double N = set->T[p * side + p];
    if (directed) {
        out[0] = N;
        for (size_t a = 0; a < p; a++) {
            out[0] -= 2.0 * mean[a] * set->T[a * side + p];
            for (size_t b = 0; b < p; b++) out[0] += mean[a] * mean[b] * set->T[a * side + b];
        }
        return;
    }
    for (size_t a = 0; a < p; a++)
        for (size_t b = 0; b < p; b++)
            out[a * p + b] = set->T[a * side + b] - mean[a] * set->T[p * side + b] -
                             mean[b] * set->T[a * side + p] + N * mean[a] * mean[b];
}

bool orffi_lattice_is_direct(const orff_kernel *kernel, const orffi_lattice *lattice, bool directed) {
    size_t columns = 0;
    for (size_t m = 0; m < kernel->n_parts; m++) columns += kernel->parts[m].columns;
    if (orffi_lattice_is_scalar(kernel) && !directed) columns = 1;
    if (columns > kernel->p) columns = kernel->p;
    return orffi_lattice_unknowns(lattice) * columns <= ORFFI_LATTICE_DENSE;
}

size_t orffi_lattice_block_size(const orffi_lattice_system *s, bool quiet) {
    const size_t all = orffi_lattice_unknowns(s->lattice) * s->r;
    return all <= ORFFI_LATTICE_DENSE ? all : s->directed && quiet ? PRECONDITIONER_QUIET : PRECONDITIONER;
}

static orff_status fill_right(const orffi_lattice_rows *r, const orffi_lattice_set *set, orffi_mode *b) {
    orffi_mode *R;
    const size_t p = r->moments->p;
    ORFFI_TRY(orffi_alloc(&R, r->system.H * sizeof *R, p));
    const orff_status status = centre(&r->system, p, set, r->mean, R);
    if (!status) orffi_lattice_system_right(&r->system, R, b);
    orffi_release(R);
    return status;
}

static orff_status bind_system(orffi_lattice_rows *r, const orff_kernel *kernel) {
    ORFFI_TRY(orffi_lattice_system_init(&r->system, &r->moments->lattice, kernel, r->moments->directed));
    r->system.functionals = r->moments->functionals;
    ORFFI_TRY(orffi_lattice_system_fill(&r->system, r->total.rho));
    ORFFI_TRY(orffi_lattice_block_init(&r->block, &r->system, r->total.rho,
                                       orffi_lattice_block_size(&r->system, r->quiet)));
    const size_t size = r->system.axes * r->system.r;
    ORFFI_TRY(orffi_alloc(&r->b, r->system.H * sizeof *r->b, size));
    ORFFI_TRY(orffi_alloc(&r->theta, r->system.H * sizeof *r->theta, size));
    ORFFI_TRY(fill_right(r, &r->total, r->b));
    r->bound = orffi_kernel_retain(kernel);
    return ORFF_OK;
}

double orffi_lattice_observed(const orffi_lattice_rows *r) {
    return r->directed > 0.0 ? orffi_table_observed(r->total.weight, r->walls) : r->N;
}

/* The same as orffi_table_mean. */
static orff_status find_directed_mean(orffi_lattice_rows *r) {
    const size_t p = r->moments->p, side = p + 1;
    double *A;
    ORFFI_TRY(ORFFI_NEW_ARRAY(A, p * p + p));
    for (size_t a = 0; a < p; a++) {
        memcpy(A + a * p, r->total.T + a * side, p * sizeof *A);
        A[p * p + a] = r->total.T[a * side + p];
    }
    const orff_status status = orffi_solve_shortest(p, A, A + p * p, r->mean);
    orffi_release(A);
    return status;
}

static orff_status sum_folds(orffi_lattice_rows *r) {
    const size_t p = r->moments->p, side = p + 1;
    const bool directed = r->moments->directed, centred = r->task.settings->center;
    if (r->mean) return ORFF_OK;
    ORFFI_TRY(orffi_lattice_set_init(r->moments, &r->total));
    orffi_lattice_moments_sum(r->moments, r->moments->n_sets, &r->total);
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->squares, p * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->mean, p));
    r->N = directed ? r->directed : r->total.T[p * side + p];
    if (r->task.mean) orffi_task_mean(&r->task, p, r->mean);
    for (size_t a = 0; centred && !directed && !r->task.mean && a < p; a++)
        r->mean[a] = r->total.T[a * side + p] / r->N;
    if (centred && directed) ORFFI_TRY(find_directed_mean(r));
    centre_squares(p, directed, &r->total, r->mean, r->squares);
    return ORFF_OK;
}

orff_status orffi_lattice_bind(orffi_lattice_rows *r, const orff_kernel *kernel) {
    if (r->bound == kernel) return ORFF_OK;
    orffi_lattice_unbind(r);
    ORFFI_TRY(sum_folds(r));
    const orff_status status = bind_system(r, kernel);
    if (status) orffi_lattice_unbind(r);
    return status;
}

/* ---- one lambda */

static orffi_lattice_iterations iterations_of(const orffi_task *task) {
    return (orffi_lattice_iterations){.residual = fmax(task->settings->tolerance, FINEST_RESIDUAL),
                                      .limit = task->settings->max_iterations};
}

/* Axes of equal size are adjacent; each such group is solved at its shift. */
static size_t group_end(const orffi_lattice_system *s, size_t first) {
    size_t end = first + 1;
    while (end < s->axes && s->size[end] == s->size[first]) end++;
    return end;
}

static orff_status factor(orffi_lattice_block *block, double shift) {
    const orff_status status = orffi_lattice_block_factor(block, shift);
    if (status != ORFF_ERROR_NOT_POSITIVE) return status;
    return orffi_fail(ORFF_ERROR_NUMERICAL,
                      "the normal equations are singular to rounding at N lambda = %g; give a larger lambda",
                      shift);
}

/* Solving for theta, for the probes of the determinant and for samples is one bar. Each counts its right-hand sides, times the
 * decades that they are solved to. */
typedef struct steps {
    double field, probes, samples;
} steps;

static size_t group_count(const orffi_lattice_system *s) {
    size_t count = 0;
    for (size_t j = 0; j < s->axes; j = group_end(s, j)) count++;
    return count;
}

static steps count_steps(const orffi_lattice_rows *r) {
    const orff_settings *settings = r->task.settings;
    const double fine = -log(iterations_of(&r->task).residual), rough = -log(ORFFI_CHANCE_RESIDUAL);
    const double axes = (double)r->system.axes, groups = (double)group_count(&r->system);
    const size_t draws = settings->posterior == ORFF_SWITCH_NO ? 0 : r->moments->draws;
    return (steps){.field = fine * axes,
                   .probes = rough * groups * (r->system.directed ? ORFFI_PROBES_DIRECTED : ORFFI_PROBES),
                   .samples = rough * axes * (double)draws};
}

/* Enters `part` of the steps, from `done`. */
static orff_status enter_steps(const steps *all, double done, double part, orffi_stage *before) {
    return orffi_stage_enter_part(ORFFI_LATTICE_TASK, done, part, all->field + all->probes + all->samples,
                                  ORFFI_LATTICE_TASK, before);
}

/* theta at every axis, from where it is. */
static orff_status solve_axes(orffi_lattice_system *s, orffi_lattice_block *block, double shift,
                              const orffi_mode *b, orffi_mode *theta, orffi_lattice_iterations *how) {
    const size_t length = s->r * s->H;
    orffi_lattice_iterations worst = *how;
    for (size_t j = 0; j < s->axes; j = group_end(s, j)) {
        orffi_lattice_iterations one = *how;
        const size_t count = group_end(s, j) - j;
        orffi_stage before;
        ORFFI_TRY(factor(block, shift / s->size[j]));
        orff_status status = orffi_stage_enter_part(ORFFI_LATTICE_TASK, (double)j, (double)count,
                                                    (double)s->axes, ORFFI_LATTICE_TASK, &before);
        if (!status)
            status = orffi_lattice_solve(block, count, b + j * length, theta + j * length, &one, NULL);
        orffi_stage_leave(&before);
        ORFFI_TRY(status);
        worst.done = one.done > worst.done ? one.done : worst.done;
        worst.reached = fmax(worst.reached, one.reached);
    }
    *how = worst;
    return ORFF_OK;
}

/* Sums over the axes of log det(I + G a / shift), its error, and the degrees of freedom. */
static orff_status determine_axes(orffi_lattice_rows *r, double shift, double *log_det, double *error,
                                  double *dof) {
    orffi_lattice_system *s = &r->system;
    const double M = (double)r->block.M;
    *log_det = *error = *dof = 0.0;
    for (size_t j = 0; j < s->axes; j = group_end(s, j)) {
        const double many = (double)(group_end(s, j) - j), own = shift / s->size[j];
        const orffi_lattice_iterations how = {.residual = ORFFI_CHANCE_RESIDUAL,
                                              .limit = r->task.settings->max_iterations};
        orffi_lattice_determinant found = {0};
        ORFFI_TRY(factor(&r->block, own));
        const size_t probes = s->directed ? ORFFI_PROBES_DIRECTED : ORFFI_PROBES;
        ORFFI_TRY(orffi_lattice_determine(&r->block, probes, r->task.settings->sampling.seed, &how, &found));
        *log_det += many * (found.log - M * log(own));
        *error += many * found.error;
        *dof += many * (M - found.left);
    }
    return ORFF_OK;
}

/* shift times y^T (K + shift)^-1 y. */
static double left_over(const orffi_lattice_rows *r) {
    const size_t p = r->moments->p, length = r->system.r * r->system.H;
    double sum = 0.0;
    for (size_t a = 0; a < (r->moments->directed ? 1 : p); a++) sum += r->squares[a * p + a];
    for (size_t j = 0; j < r->system.axes; j++)
        sum -= orffi_lattice_dot(r->system.lattice, r->system.r, r->b + j * length, r->theta + j * length);
    return fmax(sum, 0.0);
}

void orffi_lattice_noises(const orffi_lattice_rows *r, double *variances) {
    const size_t p = r->moments->p, length = r->system.r * r->system.H;
    const bool apart = r->system.turn && r->system.axes == p && orffi_kernel_is_identity(r->bound);
    const double all = left_over(r) / (double)p;
    for (size_t a = 0; a < p; a++) {
        const double own =
            apart ? r->squares[a * p + a] - orffi_lattice_dot(r->system.lattice, r->system.r,
                                                              r->b + a * length, r->theta + a * length)
                  : all;
        variances[a] = fmax(own, 0.0) / r->N;
    }
}

orff_status orffi_lattice_solve_at(orffi_lattice_rows *r, double lambda, bool evidence,
                                   orffi_lattice_solution *out) {
    const size_t numbers = r->moments->directed ? 1 : r->moments->p; /* per row */
    const double shift = r->N * lambda, P = (double)(r->total.rows * numbers);
    *out = (orffi_lattice_solution){.log_evidence = NAN, .profile = NAN, .dof = NAN};
    out->iterations = iterations_of(&r->task);
    const steps all = count_steps(r);
    orffi_stage before;
    orff_status status = enter_steps(&all, 0.0, all.field, &before);
    if (!status) status = solve_axes(&r->system, &r->block, shift, r->b, r->theta, &out->iterations);
    orffi_stage_leave(&before);
    if (status || !evidence) return status;
    double log_det = 0.0;
    status = enter_steps(&all, all.field, all.probes, &before);
    if (!status) status = determine_axes(r, shift, &log_det, &out->error, &out->dof);
    orffi_stage_leave(&before);
    ORFFI_TRY(status);
    out->dof = fmin(fmax(out->dof, 0.0), P);
    const double left = left_over(r), weights = 0.5 * (double)numbers * r->total.logs;
    out->error *= 0.5;
    out->log_evidence = weights - 0.5 * (left / shift + log_det + P * log(TWO_PI * shift));
    out->profile = weights - 0.5 * (P * log(TWO_PI * fmax(left, 1e-300) / P) + P + log_det);
    return ORFF_OK;
}

/* ---- error bars */

static orff_status keep_factors(orffi_lattice_rows *r, orffi_lattice_fit *fit, double shift) {
    ORFFI_TRY(orffi_lattice_posterior_create(fit));
    const size_t n = r->block.n;
    for (size_t j = 0; j < r->system.axes; j = group_end(&r->system, j)) {
        const size_t at = fit->posterior->factor[j];
        ORFFI_TRY(factor(&r->block, shift / r->system.size[j]));
        ORFFI_TRY(orffi_duplicate(&fit->posterior->owned[at], r->block.L, n * n, sizeof *r->block.L));
        fit->posterior->F[at] = fit->posterior->owned[at];
        ORFFI_TRY(orffi_cholesky_root(n, fit->posterior->owned[at]));
    }
    return ORFF_OK;
}

/* (G + shift) d = W^T e + sqrt(shift) g has the covariance (G + shift)^-1 of the error bars, where e comes
 * from random signs of the rows and g from the prior. Fills the right-hand sides of all draws:
 * axes x draws x r x H. */
static orff_status fill_draws(const orffi_lattice_rows *r, double shift, orffi_mode *b) {
    const orffi_lattice_system *s = &r->system;
    const size_t length = s->r * s->H, draws = r->moments->draws;
    orffi_mode *one = NULL, *g = NULL;
    orff_status status = ORFFI_NEW_ARRAY(one, s->axes * length);
    if (!status) status = ORFFI_NEW_ARRAY(g, length);
    for (size_t i = 0; !status && i < draws; i++) {
        orffi_lattice_system_right(s, r->moments->E + i * r->moments->p * s->H, one);
        for (size_t j = 0; j < s->axes; j++) {
            const double root = sqrt(shift / s->size[j]);
            orffi_lattice_draw(s, r->task.settings->sampling.seed, i * s->axes + j, g);
            for (size_t k = 0; k < length; k++)
                b[(j * draws + i) * length + k] = one[j * length + k] + root * g[k];
        }
    }
    orffi_release(one);
    orffi_release(g);
    return status;
}

static orff_status solve_draws(orffi_lattice_rows *r, double shift, const orffi_mode *b, orffi_mode *d) {
    const orffi_lattice_system *s = &r->system;
    const size_t length = s->r * s->H, draws = r->moments->draws;
    for (size_t j = 0; j < s->axes; j = group_end(s, j)) {
        orffi_lattice_iterations how = iterations_of(&r->task);
        how.residual = ORFFI_CHANCE_RESIDUAL;
        ORFFI_TRY(factor(&r->block, shift / s->size[j]));
        for (size_t v = j * draws; v < group_end(s, j) * draws; v += SIDE_BY_SIDE) {
            const size_t left = group_end(s, j) * draws - v,
                         count = left < SIDE_BY_SIDE ? left : SIDE_BY_SIDE;
            orffi_stage before;
            orff_status status =
                orffi_stage_enter_part(ORFFI_LATTICE_TASK, (double)v, (double)count,
                                       (double)(s->axes * draws), ORFFI_LATTICE_TASK, &before);
            if (!status)
                status = orffi_lattice_solve(&r->block, count, b + v * length, d + v * length, &how, NULL);
            orffi_stage_leave(&before);
            ORFFI_TRY(status);
        }
    }
    return ORFF_OK;
}

static orff_status solve_samples(orffi_lattice_rows *r, double shift, const orffi_mode *b, orffi_mode *d) {
    const steps all = count_steps(r);
    orffi_stage before;
    orff_status status = enter_steps(&all, all.field + all.probes, all.samples, &before);
    if (!status) status = solve_draws(r, shift, b, d);
    orffi_stage_leave(&before);
    return status;
}

/* The fields of the draws: draws x p x H. */
static orff_status fill_samples(const orffi_lattice_rows *r, const orffi_mode *d, orffi_mode *samples) {
    const orffi_lattice_system *s = &r->system;
    const size_t length = s->r * s->H, draws = r->moments->draws;
    orffi_mode *one;
    ORFFI_TRY(ORFFI_NEW_ARRAY(one, s->axes * length));
    for (size_t i = 0; i < draws; i++) {
        for (size_t j = 0; j < s->axes; j++)
            memcpy(one + j * length, d + (j * draws + i) * length, length * sizeof *one);
        orffi_lattice_system_field(s, one, samples + i * r->moments->p * s->H);
    }
    orffi_release(one);
    return ORFF_OK;
}

static orff_status keep_samples(orffi_lattice_rows *r, orffi_lattice_fit *fit, double shift) {
    const size_t draws = r->moments->draws, length = draws * r->system.axes * r->system.r * r->system.H;
    orffi_mode *samples = NULL, *b = NULL, *d = NULL;
    orff_status status = orffi_alloc(&samples, r->system.H * sizeof *samples, draws * r->moments->p);
    if (!status) status = ORFFI_NEW_ARRAY(b, length);
    if (!status) status = ORFFI_NEW_ARRAY(d, length);
    if (!status) status = fill_draws(r, shift, b);
    if (!status) status = solve_samples(r, shift, b, d);
    if (!status) status = fill_samples(r, d, samples);
    orffi_release(b);
    orffi_release(d);
    if (!status) return orffi_lattice_fit_keep(fit, draws, samples);
    orffi_release(samples);
    return status;
}

/* On average |E(k)|^2 is sum c at every k if the signs of the rows are independent. It is larger if some
 * rows have the same signs, or if rows were removed but their signs remain. Each draw gives one estimate.
 * Functionals have different powers at each k, and come only with rows that were never merged from parts. */
static bool signs_agree(const orffi_lattice_moments *m, const orffi_lattice_set *total) {
    const size_t H = orffi_lattice_modes(&m->lattice), p = m->p, side = p + 1;
    double expected = 0.0, sum = 0.0, squares = 0.0;
    if (m->functionals) return true;
    for (size_t a = 0; a < p; a++) expected += total->T[m->directed ? a * (side + 1) : p * (side + 1)];
    for (size_t i = 0; i < m->draws; i++) {
        double power = 0.0;
        for (size_t h = 0; h < p * H; h++) {
            const orffi_mode e = m->E[i * p * H + h];
            power += creal(e) * creal(e) + cimag(e) * cimag(e);
        }
        power /= expected * (double)H;
        sum += power;
        squares += power * power;
    }
    const double n = (double)m->draws, mean = sum / n, spread = fmax(squares / n - mean * mean, 0.0);
    return mean < SIGNS_OVER + 5.0 * sqrt(spread / n);
}

orff_status orffi_lattice_keep_posterior(orffi_lattice_rows *r, orffi_lattice_fit *fit, double lambda) {
    const double shift = r->N * lambda;
    fit->shift = shift;
    if (orffi_lattice_block_is_all(&r->block) && orffi_keeps_posterior(r->task.settings, (double)r->block.n))
        return keep_factors(r, fit, shift);
    if (!r->moments->draws || r->task.settings->posterior == ORFF_SWITCH_NO) return ORFF_OK;
    if (signs_agree(r->moments, &r->total)) return keep_samples(r, fit, shift);
    orffi_log(ORFF_LOG_WARNING, "there are no error bars: the random signs that moments carry for them do "
                                "not cancel out, which happens "
                                "where rows of the same numbers are in several parts, or rows were taken off "
                                "that had not been added");
    return ORFF_OK;
}

/* ---- folds */

orff_status orffi_lattice_errors(orffi_lattice_system *s, const orffi_lattice_set *set, size_t p,
                                 const double *mean, const orffi_mode *V, double *errors) {
    const size_t H = s->H;
    double *squares = NULL;
    orffi_mode *R = NULL, *TV = NULL;
    orff_status status = ORFFI_NEW_ARRAY(squares, p * p);
    if (!status) status = orffi_alloc(&R, H * sizeof *R, p);
    if (!status) status = orffi_alloc(&TV, H * sizeof *TV, p);
    if (!status) status = orffi_lattice_system_convolve(s, p, V, TV);
    if (!status) status = centre(s, p, set, mean, R);
    if (!status) centre_squares(p, s->directed, set, mean, squares);
    const size_t fields = s->directed ? p : 1; /* fields of which an error consists */
    for (size_t a = 0; !status && a < p; a++) {
        const size_t first = s->directed ? 0 : a;
        errors[a] = fmax(squares[first * p + first] -
                             2.0 * orffi_lattice_dot(s->lattice, fields, V + first * H, R + first * H) +
                             orffi_lattice_dot(s->lattice, fields, V + first * H, TV + first * H),
                         0.0);
    }
    orffi_release(squares);
    orffi_release(R);
    orffi_release(TV);
    return status;
}

/* Memory of a fold. */
typedef struct fold {
    orffi_lattice_set rest;
    orffi_lattice_block block;
    orffi_mode *b, *theta, *V;
} fold;

static void fold_clear(fold *f) {
    orffi_lattice_set_clear(&f->rest);
    orffi_lattice_block_clear(&f->block);
    orffi_release(f->b);
    orffi_release(f->theta);
    orffi_release(f->V);
}

/* Adds the errors on the rows of fold k to `errors`. Leaves the system with the density of that fold. */
static orff_status cross_fold(orffi_lattice_rows *r, size_t k, double lambda, fold *f, double *errors) {
    orffi_lattice_system *s = &r->system;
    const size_t p = r->moments->p, length = s->axes * s->r * s->H;
    double *own;
    orffi_lattice_iterations how = iterations_of(&r->task);
    ORFFI_TRY(orffi_lattice_set_init(r->moments, &f->rest));
    orffi_lattice_moments_sum(r->moments, k, &f->rest);
    /* for directed rows, the same share of N as of their weights */
    const double N =
        r->moments->directed ? r->N * f->rest.weight / r->total.weight : f->rest.T[(p + 1) * (p + 1) - 1];
    ORFFI_TRY(orffi_lattice_system_fill(s, f->rest.rho));
    ORFFI_TRY(orffi_lattice_block_init(&f->block, s, f->rest.rho, orffi_lattice_block_size(s, r->quiet)));
    ORFFI_TRY(orffi_alloc(&f->b, length, sizeof *f->b));
    ORFFI_TRY(orffi_duplicate(&f->theta, r->theta, length, sizeof *f->theta));
    ORFFI_TRY(orffi_alloc(&f->V, s->H * sizeof *f->V, p));
    ORFFI_TRY(fill_right(r, &f->rest, f->b));
    how.residual = fmax(how.residual, 1e-3); /* held-out errors need no better */
    ORFFI_TRY(solve_axes(s, &f->block, N * lambda, f->b, f->theta, &how));
    orffi_lattice_system_field(s, f->theta, f->V);
    ORFFI_TRY(orffi_lattice_system_fill(s, r->moments->sets[k].rho));
    ORFFI_TRY(ORFFI_NEW_ARRAY(own, p));
    const orff_status status = orffi_lattice_errors(s, &r->moments->sets[k], p, r->mean, f->V, own);
    for (size_t a = 0; !status && a < p; a++) errors[a] += own[a];
    orffi_release(own);
    return status;
}

orff_status orffi_lattice_cross(orffi_lattice_rows *r, double lambda, double *errors) {
    const size_t p = r->moments->p, folds = r->moments->n_sets;
    orff_status status = ORFF_OK;
    memset(errors, 0, p * sizeof *errors);
    for (size_t k = 0; !status && k < folds; k++) {
        fold f = {0};
        orffi_stage before;
        status = orffi_stage_enter("cross-validating", (double)k, (double)folds, ORFFI_LATTICE_TASK, &before);
        if (!status) status = cross_fold(r, k, lambda, &f, errors);
        orffi_stage_leave(&before);
        fold_clear(&f);
    }
    for (size_t a = 0; a < p; a++) errors[a] /= orffi_lattice_observed(r);
    if (!status) status = orffi_lattice_system_fill(&r->system, r->total.rho);
    return status;
}
