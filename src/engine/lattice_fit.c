/* Evaluates a fit on a lattice at points. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "engine/lattice.h"

#define BLOCK 256 /* points whose covariances are computed at a time */

/* ---- making */

orff_status orffi_lattice_fit_create(orffi_lattice_fit **out, const orff_kernel *kernel,
                                     const orffi_lattice *lattice, double tolerance) {
    orffi_lattice_fit *fit;
    ORFFI_TRY(ORFFI_NEW(fit));
    fit->kernel = orffi_kernel_retain(kernel);
    fit->lattice = *lattice;
    fit->p = kernel->p;
    fit->H = orffi_lattice_modes(lattice);
    fit->tolerance = tolerance;
    const orff_status status = orffi_alloc(&fit->V, fit->H * sizeof *fit->V, fit->p);
    if (status) {
        orffi_lattice_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}

/* Creates a transform of `count` fields of modes (count x H). */
static orff_status load_waves(const orffi_lattice_fit *fit, size_t count, const orffi_mode *modes,
                              orffi_nufft **out) {
    const orffi_lattice *l = &fit->lattice;
    orffi_nufft *waves;
    orff_status status = orffi_nufft_create(&waves, l->d, l->m, count, fit->tolerance);
    if (status) return status;
    for (size_t i = 0; !status && i < count; i++)
        status = orffi_nufft_load(waves, i, l->m, modes + i * fit->H);
    if (status) {
        orffi_nufft_free(waves);
    } else {
        *out = waves;
    }
    return status;
}

orff_status orffi_lattice_fit_finish(orffi_lattice_fit *fit) {
    if (fit->waves) return ORFF_OK;
    return load_waves(fit, fit->p, fit->V, &fit->waves);
}

/* Finds the axes of the system, for error bars. */
static orff_status find_axes(orffi_lattice_fit *fit) {
    fit->room = orffi_neighbours_room(ORFFI_LATTICE_NEAREST, fit->p);
    return orffi_lattice_system_init(&fit->system, &fit->lattice, fit->kernel, fit->directed);
}

orff_status orffi_lattice_fit_keep(orffi_lattice_fit *fit, size_t draws, orffi_mode *samples) {
    fit->draws = draws;
    fit->samples = samples;
    ORFFI_TRY(find_axes(fit));
    return load_waves(fit, draws * fit->p, samples, &fit->sample_waves);
}

/* Copies only the places of the rows, and their weights. */
orff_status orffi_lattice_fit_keep_rows(orffi_lattice_fit *fit, const orffi_table *rows) {
    const size_t d = rows->d;
    ORFFI_TRY(orffi_alloc(&fit->rows.X, rows->n, d * sizeof *rows->X));
    if (rows->weights)
        ORFFI_TRY(orffi_duplicate(&fit->rows.weights, rows->weights, rows->n, sizeof *rows->weights));
    memcpy(fit->rows.X, rows->X, rows->n * d * sizeof *rows->X);
    fit->rows.n = rows->n;
    fit->rows.d = d;
    const orffi_spectrum *law = &fit->kernel->parts[0].law;
    ORFFI_TRY(orffi_near_init(&fit->near, rows->n, d, fit->rows.X, law->scale, law->period));
    for (size_t i = 0; i < rows->n; i++) orffi_near_add(&fit->near, i);
    return find_axes(fit);
}

orff_status orffi_lattice_fit_keep_outputs(orffi_lattice_fit *fit, const orffi_table *rows,
                                           const double *mean) {
    const size_t p = fit->p;
    ORFFI_TRY(orffi_lattice_fit_keep_rows(fit, rows));
    ORFFI_TRY(orffi_alloc(&fit->rows.Y, rows->n, p * sizeof *rows->Y));
    for (size_t i = 0; i < rows->n * p; i++) fit->rows.Y[i] = rows->Y[i] - (mean ? mean[i % p] : 0.0);
    fit->rows.p = p;
    return ORFF_OK;
}

static void posterior_free(orffi_lattice_posterior *posterior) {
    if (!posterior) return;
    for (size_t i = 0; posterior->owned && i < posterior->count; i++) orffi_release(posterior->owned[i]);
    orffi_release(posterior->owned);
    orffi_release(posterior->F);
    orffi_release(posterior->factor);
    orffi_release(posterior);
}

void orffi_lattice_fit_free(void *self) {
    orffi_lattice_fit *fit = self;
    if (!fit) return;
    posterior_free(fit->posterior);
    orffi_lattice_block_clear(&fit->block);
    orffi_lattice_system_clear(&fit->system);
    orffi_nufft_free(fit->waves);
    orffi_nufft_free(fit->sample_waves);
    orffi_table_clear(&fit->rows);
    orffi_near_clear(&fit->near);
    orffi_release(fit->samples);
    orffi_release(fit->V);
    orff_kernel_free(fit->kernel);
    orffi_release(fit);
}

orff_status orffi_lattice_posterior_create(orffi_lattice_fit *fit) {
    orffi_lattice_posterior *posterior;
    ORFFI_TRY(find_axes(fit));
    ORFFI_TRY(orffi_lattice_block_place(&fit->block, &fit->system, SIZE_MAX));
    ORFFI_TRY(ORFFI_NEW(fit->posterior));
    posterior = fit->posterior;
    posterior->n = fit->block.n;
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->factor, fit->system.axes));
    for (size_t j = 0; j < fit->system.axes; j++) {
        const bool same = j && fit->system.size[j] == fit->system.size[j - 1];
        posterior->factor[j] = same ? posterior->factor[j - 1] : posterior->count++;
    }
    ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->F, posterior->count));
    return ORFFI_NEW_ARRAY(posterior->owned, posterior->count);
}

/* ---- values */

/* Samples are periodic like the lattice: outside of its range they would repeat. */
static orff_status check_range(const orffi_lattice_fit *fit, size_t n, const double *x) {
    const orffi_lattice *l = &fit->lattice;
    for (size_t i = 0; fit->deviates && i < n; i++)
        if (!orffi_lattice_has(l, x + i * l->d))
            return orffi_fail(
                ORFF_ERROR_UNSUPPORTED,
                "a point is so far from the rows that the lattice does not reach it, and there are no "
                "samples there: leave it out, or fit with the engine %s or %s",
                orff_engine_name(ORFF_ENGINE_EXACT), orff_engine_name(ORFF_ENGINE_FEATURES));
    return ORFF_OK;
}

/* Points outside of the range that the lattice represents are far from all rows, where f is the mean. */
static orff_status evaluate(const orffi_lattice_fit *fit, const orffi_nufft *waves, size_t k, size_t n,
                            const double *x, double *out) {
    const orffi_lattice *l = &fit->lattice;
    double *z;
    ORFFI_TRY(check_range(fit, n, x));
    ORFFI_TRY(orffi_alloc(&z, n, l->d * sizeof *z));
    for (size_t i = 0; i < n; i++)
        if (orffi_lattice_has(l, x + i * l->d)) orffi_lattice_angles(l, 1, x + i * l->d, z + i * l->d);
    const orff_status status = orffi_nufft_evaluate(waves, n, z, out);
    for (size_t i = 0; !status && i < n; i++)
        if (!orffi_lattice_has(l, x + i * l->d)) memset(out + i * k, 0, k * sizeof *out);
    orffi_release(z);
    return status;
}

/* F(x) from the nearest rows; each axis of a scalar system separately. B: weights. */
static orff_status near_value(const orffi_lattice_fit *fit, const double *x, double *work, double *F) {
    const size_t p = fit->p;
    const orffi_lattice_system *s = &fit->system;
    double *unused = work + fit->room, *B = unused + p * p;
    size_t rows[ORFFI_LATTICE_NEAREST], count = 0;
    memset(F, 0, p * sizeof *F);
    for (size_t j = 0; j < s->axes; j++) {
        const bool same = j && s->size[j] == s->size[j - 1];
        if (!same)
            ORFFI_TRY(orffi_neighbours_covariance(fit->kernel, s->turn != NULL, &fit->near, fit->rows.weights,
                                                  fit->shift / s->size[j], ORFFI_LATTICE_NEAREST, x, rows,
                                                  work, unused, B, &count));
        for (size_t i = 0; i < count; i++) {
            const double *y = fit->rows.Y + rows[i] * p;
            double along = 0.0;
            for (size_t a = 0; s->turn && a < p; a++) along += s->turn[j * p + a] * y[a];
            for (size_t a = 0; a < p; a++)
                F[a] +=
                    s->turn ? B[i] * along * s->turn[j * p + a] : orffi_dot(p, B + a * count * p + i * p, y);
        }
    }
    return ORFF_OK;
}

/* Computes a result at one point from the nearest rows; work: separate for each thread. */
typedef orff_status near_function(const orffi_lattice_fit *fit, const double *x, double *work, double *out);

/* For n points: out is n x width. */
static orff_status ask_nearest(const orffi_lattice_fit *fit, near_function *function, size_t room,
                               size_t width, size_t n, const double *x, double *out) {
    const int threads = orffi_thread_count();
    double *work;
    orff_status outcome = ORFF_OK;
    ORFFI_TRY(orffi_alloc(&work, (size_t)threads, room * sizeof *work));
#pragma omp parallel for num_threads(threads) if (threads > 1 && n > 1) schedule(dynamic, 16)
    for (size_t i = 0; i < n; i++) {
        const orff_status one = function(fit, x + i * fit->lattice.d,
                                         work + (size_t)orffi_thread_index() * room, out + i * width);
        if (one) {
#pragma omp atomic write
            outcome = one;
        }
    }
    orffi_release(work);
    return outcome;
}

static orff_status near_values(const orffi_lattice_fit *fit, size_t n, const double *x, double *F) {
    const size_t pp = fit->p * fit->p;
    return ask_nearest(fit, near_value, fit->room + pp + ORFFI_LATTICE_NEAREST * pp, fit->p, n, x, F);
}

orff_status orffi_lattice_values(const void *self, size_t n, const double *x, double *F) {
    const orffi_lattice_fit *fit = self;
    if (fit->rows.Y) return near_values(fit, n, x, F);
    return fit->waves ? evaluate(fit, fit->waves, fit->p, n, x, F)
                      : orffi_lattice_evaluate_modes(fit, fit->p, fit->V, n, x, F);
}

orff_status orffi_lattice_evaluate_modes(const orffi_lattice_fit *fit, size_t count, const orffi_mode *modes,
                                         size_t n, const double *x, double *out) {
    orffi_nufft *waves = NULL;
    orff_status status = load_waves(fit, count, modes, &waves);
    if (!status) status = evaluate(fit, waves, count, n, x, out);
    orffi_nufft_free(waves);
    return status;
}

/* ---- error bars */

/* K(0) / shift (p x p), for a noise of 1: the covariance far from all rows. */
static orff_status fill_prior(const orffi_lattice_fit *fit, double *out) {
    if (orffi_lattice_has_exact(fit->kernel))
        ORFFI_TRY(orffi_kernel_exact(fit->kernel, fit->origin, out));
    else
        orffi_lattice_system_kernel(&fit->system, fit->origin, out);
    for (size_t i = 0; i < fit->p * fit->p; i++) out[i] *= 1.0 / fit->shift;
    return ORFF_OK;
}

/* The mean of the samples' products. */
static orff_status sampled_covariance(const orffi_lattice_fit *fit, size_t n, const double *x, double *out) {
    const size_t p = fit->p, count = fit->draws * p;
    double *values;
    ORFFI_TRY(orffi_alloc(&values, n, count * sizeof *values));
    const orff_status status = evaluate(fit, fit->sample_waves, count, n, x, values);
    for (size_t i = 0; !status && i < n; i++)
        for (size_t a = 0; a < p; a++)
            for (size_t b = 0; b < p; b++) {
                double sum = 0.0;
                for (size_t s = 0; s < fit->draws; s++)
                    sum += values[i * count + s * p + a] * values[i * count + s * p + b];
                out[(i * p + a) * p + b] = sum / (double)fit->draws;
            }
    orffi_release(values);
    return status;
}

/* Z = Phi F of one factor, for rows of waves: rows x n. */
static void multiply(const orffi_lattice_posterior *posterior, size_t which, size_t rows, const double *waves,
                     double *Z) {
    const size_t n = posterior->n;
    orffi_times_factor(rows, n, n, waves, posterior->F[which], Z);
}

/* Cov = Z Z^T for p rows. */
static void fill_joint(const orffi_lattice_fit *fit, size_t points, const double *Z, double *out) {
    const size_t p = fit->p, n = fit->posterior->n;
    for (size_t i = 0; i < points; i++)
        for (size_t a = 0; a < p; a++)
            for (size_t b = 0; b <= a; b++)
                out[(i * p + a) * p + b] = out[(i * p + b) * p + a] =
                    orffi_dot(n, Z + (i * p + a) * n, Z + (i * p + b) * n);
}

/* Adds the variance of each axis that has this factor, turned back to outputs. */
static void add_axes(const orffi_lattice_fit *fit, size_t which, size_t points, const double *Z,
                     double *out) {
    const size_t p = fit->p, n = fit->posterior->n;
    const orffi_lattice_system *s = &fit->system;
    for (size_t i = 0; i < points; i++) {
        const double variance = orffi_dot(n, Z + i * n, Z + i * n);
        for (size_t j = 0; j < s->axes; j++)
            for (size_t a = 0; a < p && fit->posterior->factor[j] == which; a++)
                for (size_t b = 0; b < p; b++)
                    out[(i * p + a) * p + b] += variance * s->turn[j * p + a] * s->turn[j * p + b];
    }
}

static void fill_block(const orffi_lattice_fit *fit, size_t points, const double *x, double *waves, double *Z,
                       double *out) {
    const orffi_lattice_posterior *posterior = fit->posterior;
    const size_t d = fit->lattice.d, p = fit->system.p, n = posterior->n;
    const int threads = orffi_thread_count();
#pragma omp parallel for num_threads(threads) if (threads > 1 && points > 1)
    for (size_t i = 0; i < points; i++) orffi_lattice_block_waves(&fit->block, x + i * d, waves + i * p * n);
    memset(out, 0, points * fit->p * fit->p * sizeof *out);
    for (size_t which = 0; which < posterior->count; which++) {
        multiply(posterior, which, points * p, waves, Z);
        if (fit->system.turn)
            add_axes(fit, which, points, Z, out);
        else
            fill_joint(fit, points, Z, out);
    }
}

static orff_status exact_covariance(const orffi_lattice_fit *fit, size_t n, const double *x, double *out) {
    const size_t d = fit->lattice.d, pp = fit->p * fit->p, size = fit->system.p * fit->posterior->n;
    double *waves = NULL, *Z = NULL;
    orff_status status = orffi_alloc(&waves, BLOCK, size * sizeof *waves);
    if (!status) status = orffi_alloc(&Z, BLOCK, size * sizeof *Z);
    for (size_t i = 0; !status && i < n; i += BLOCK)
        fill_block(fit, n - i < BLOCK ? n - i : BLOCK, x + i * d, waves, Z, out + i * pp);
    orffi_release(waves);
    orffi_release(Z);
    return status;
}

/* The covariance given the nearest rows; each axis of a scalar system separately, then turned back. */
static orff_status near_point(const orffi_lattice_fit *fit, const double *x, double *work, double *out) {
    const size_t p = fit->p;
    const orffi_lattice_system *s = &fit->system;
    const double *weights = fit->rows.weights;
    size_t rows[ORFFI_LATTICE_NEAREST];
    memset(out, 0, p * p * sizeof *out);
    for (size_t j = 0; j < s->axes; j++) {
        const bool same = j && s->size[j] == s->size[j - 1];
        if (!same)
            ORFFI_TRY(orffi_neighbours_covariance(fit->kernel, s->turn != NULL, &fit->near, weights,
                                                  fit->shift / s->size[j], ORFFI_LATTICE_NEAREST, x, rows,
                                                  work, s->turn ? work + fit->room : out, NULL, NULL));
        for (size_t i = 0; s->turn && i < p * p; i++)
            out[i] += s->size[j] * work[fit->room] * s->turn[j * p + i / p] * s->turn[j * p + i % p];
    }
    for (size_t i = 0; i < p * p; i++) out[i] *= 1.0 / fit->shift;
    for (size_t i = 0; i < p; i++) out[i * (p + 1)] = fmax(out[i * (p + 1)], 0.0);
    return ORFF_OK;
}

static orff_status near_covariance(const orffi_lattice_fit *fit, size_t n, const double *x, double *out) {
    return ask_nearest(fit, near_point, fit->room + 1, fit->p * fit->p, n, x, out);
}

orff_status orffi_lattice_covariance(const void *self, size_t n, const double *x, double *out) {
    const orffi_lattice_fit *fit = self;
    const size_t pp = fit->p * fit->p, d = fit->lattice.d;
    ORFFI_TRY((fit->posterior ? exact_covariance
               : fit->rows.n  ? near_covariance
                              : sampled_covariance)(fit, n, x, out));
    for (size_t i = 0; i < n; i++)
        if (!orffi_lattice_has(&fit->lattice, x + i * d)) ORFFI_TRY(fill_prior(fit, out + i * pp));
    return ORFF_OK;
}
