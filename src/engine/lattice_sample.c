/* Posterior samples of a fit on a lattice, minus the mean, as fits of their own, from
 *
 *     factors    if all modes were solved densely: theta = L^-T g
 *     rows       if they are kept: a draw f0 of the kernel, corrected by what rows with noise would predict
 *                (Matheron's rule),
 *                f0 - K(., rows) (K + shift/c)^-1 (f0(rows) + e),     e ~ N(0, shift/c), all times 1/sqrt(shift)
 *     samples    drawn while the rows were there, in an order and with signs that depend on the seed */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/lattice.h"

#define STREAM         0x4c53u
#define RESIDUAL       1e-5 /* for a sample: far below its statistical error */
#define WORST_RESIDUAL 1e-2 /* a worse solution is no sample */
#define MOST_STEPS     1000
/* Modes over all outputs up to which each sample keeps its transform in memory. */
#define WAVES_KEPT ((size_t)1 << 16)

/* Adds a sample without modes. */
static orff_status add_empty(const orffi_lattice_fit *fit, orffi_deviation *sample) {
    orffi_lattice_fit *made = NULL;
    ORFFI_TRY(orffi_lattice_fit_create(&made, fit->kernel, &fit->lattice, fit->tolerance));
    made->deviates = true;
    orffi_deviation_add(sample, &orffi_engine_lattice, made);
    return ORFF_OK;
}

static orffi_mode *modes_of(const orffi_deviation *sample) {
    return ((const orffi_lattice_fit *)sample->terms[0].fit)->V;
}

static orff_status finish(const orffi_lattice_fit *fit, size_t count, orffi_deviation *samples) {
    orff_status status = ORFF_OK;
    if (fit->p * fit->H > WAVES_KEPT) return ORFF_OK;
    for (size_t i = 0; !status && i < count; i++) status = orffi_lattice_fit_finish(samples[i].terms[0].fit);
    return status;
}

/* Standard normal numbers for sample `number`, axis j. */
static void draw_normal(const orffi_lattice_fit *fit, uint64_t seed, size_t number, size_t j, size_t n,
                        double *out) {
    const orffi_rng rng = {seed, STREAM};
    const uint64_t first = (uint64_t)(number * fit->system.axes + j) << 32;
    for (size_t i = 0; i < n; i++) out[i] = orffi_rng_normal(rng, first + i, 0);
}

/* ---- factors */

/* theta: axes x r x H; work: 2 n. */
static void draw_direct(const orffi_lattice_fit *fit, double root, uint64_t seed, size_t number, double *work,
                        orffi_mode *theta, orffi_mode *V) {
    const orffi_lattice_posterior *posterior = fit->posterior;
    const orffi_lattice_system *s = &fit->system;
    const size_t n = posterior->n;
    for (size_t j = 0; j < s->axes; j++) {
        draw_normal(fit, seed, number, j, n, work);
        orffi_gemm(false, false, n, 1, n, root, posterior->F[posterior->factor[j]], n, work, 1, 0.0, work + n,
                   1);
        orffi_lattice_block_unpack(&fit->block, 1, work + n, theta + j * s->r * s->H);
    }
    orffi_lattice_system_field(s, theta, V);
}

static orff_status draw_by_factors(const orffi_lattice_fit *fit, uint64_t seed, size_t count,
                                   orffi_deviation *samples) {
    const orffi_lattice_system *s = &fit->system;
    double *work = NULL;
    orffi_mode *theta = NULL;
    orff_status status = ORFFI_NEW_ARRAY(work, 2 * fit->posterior->n);
    if (!status) status = orffi_alloc(&theta, s->H * sizeof *theta, s->axes * s->r);
    for (size_t i = 0; !status && i < count; i++) {
        status = orffi_progress("sampling", (double)i, (double)count);
        if (!status) draw_direct(fit, 1.0, seed, i, work, theta, modes_of(&samples[i]));
    }
    orffi_release(work);
    orffi_release(theta);
    return status;
}

/* ---- rows */

/* Memory for one side. */
typedef struct conditioning {
    const orffi_lattice_fit *fit;
    orffi_kept kept;
    double noise;           /* shift / size of the axis */
    orffi_mode *g;          /* r x H */
    orffi_mode *V, *F, *V1; /* q x H: the draw, and the correction by the rows */
    double *y, *x;          /* n x q */
} conditioning;

static void conditioning_clear(conditioning *t) {
    orffi_kept_clear(&t->kept);
    orffi_release(t->g);
    orffi_release(t->V);
    orffi_release(t->F);
    orffi_release(t->V1);
    orffi_release(t->y);
    orffi_release(t->x);
}

static orff_status conditioning_init(conditioning *t) {
    const orffi_lattice_system *s = &t->fit->system;
    ORFFI_TRY(orffi_kept_init(&t->kept, s, &t->fit->rows, 0));
    const size_t modes = t->kept.near.q * s->H, numbers = t->fit->rows.n * t->kept.near.q;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->g, s->r * s->H));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->V, modes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->F, modes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->V1, modes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->y, numbers));
    return ORFFI_NEW_ARRAY(t->x, numbers);
}

/* V = W g, which has the covariance of the kernel if g is standard normal. */
static void draw_prior(conditioning *t, uint64_t seed, size_t which) {
    const orffi_lattice_system *s = &t->fit->system;
    orffi_lattice_draw(s, seed, which, t->g);
    for (size_t h = 0; h < s->H; h++)
        for (size_t a = 0; a < s->p; a++) {
            orffi_mode sum = 0.0;
            for (size_t c = 0; c < s->r; c++) sum += s->W[(a * s->r + c) * s->H + h] * t->g[c * s->H + h];
            t->V[a * s->H + h] = sum;
        }
}

/* y = -(f0(rows) + e). */
static orff_status fill_right(conditioning *t, uint64_t seed, size_t number, size_t j) {
    const size_t q = t->kept.near.q, n = t->fit->rows.n * q;
    ORFFI_TRY(orffi_kept_values(&t->kept, t->V, t->y));
    draw_normal(t->fit, seed, number, j, n, t->x);
    for (size_t i = 0; i < n; i++)
        t->y[i] = -t->y[i] - sqrt(orffi_kept_noise(&t->kept, i / q, i % q, t->noise)) * t->x[i];
    return ORFF_OK;
}

static orff_status condition(conditioning *t) {
    const size_t q = t->kept.near.q;
    orffi_lattice_iterations how = {.residual = RESIDUAL, .limit = MOST_STEPS};
    memset(t->x, 0, t->fit->rows.n * q * sizeof *t->x);
    ORFFI_TRY(orffi_kept_solve(&t->kept, t->noise, t->y, t->x, &how));
    if (!(how.reached <= WORST_RESIDUAL))
        return orffi_fail(
            ORFF_ERROR_NUMERICAL,
            "a posterior sample did not converge: after %zu steps a residual of %.2g is left; fit "
            "with a larger lambda",
            how.done, how.reached);
    ORFFI_TRY(orffi_kept_modes(&t->kept, t->x, t->F, t->V1));
    for (size_t i = 0; i < q * t->fit->system.H; i++) t->V[i] += t->V1[i];
    return ORFF_OK;
}

/* Adds axis j of a scalar system, turned back; or all outputs. */
static void add_side(const conditioning *t, size_t j, double root, orffi_mode *out) {
    const orffi_lattice_system *s = &t->fit->system;
    for (size_t a = 0; a < s->outputs; a++)
        for (size_t h = 0; h < s->H; h++)
            out[a * s->H + h] += root * (s->turn ? sqrt(s->size[j]) * s->turn[j * s->outputs + a] * t->V[h]
                                                 : t->V[a * s->H + h]);
}

static orff_status draw_side(conditioning *t, size_t j, double root, uint64_t seed, size_t count,
                             orffi_deviation *samples) {
    const orffi_lattice_system *s = &t->fit->system;
    const bool same = j && s->size[j] == s->size[j - 1];
    t->noise = t->fit->shift / s->size[j];
    if (!same) ORFFI_TRY(orffi_neighbours_factor(&t->kept.near, t->noise));
    for (size_t i = 0; i < count; i++) {
        orffi_stage before;
        orff_status status = orffi_stage_enter("sampling", (double)(j * count + i), (double)(s->axes * count),
                                               ORFFI_LATTICE_TASK, &before);
        draw_prior(t, seed, i * s->axes + j);
        if (!status) status = fill_right(t, seed, i, j);
        if (!status) status = condition(t);
        orffi_stage_leave(&before);
        ORFFI_TRY(status);
        add_side(t, j, root, modes_of(&samples[i]));
    }
    return ORFF_OK;
}

static orff_status draw_by_rows(const orffi_lattice_fit *fit, uint64_t seed, size_t count,
                                orffi_deviation *samples) {
    conditioning t = {.fit = fit};
    orff_status status = conditioning_init(&t);
    for (size_t j = 0; !status && j < fit->system.axes; j++)
        status = draw_side(&t, j, 1.0 / sqrt(fit->shift), seed, count, samples);
    conditioning_clear(&t);
    return status;
}

/* ---- existing samples */

/* A random permutation: the sample at each place. */
static orff_status shuffle(size_t n, orffi_rng rng, size_t **order) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(*order, n));
    for (size_t i = 0; i < n; i++) {
        const size_t k = (size_t)orffi_rng_below(rng, i, 0, i + 1);
        (*order)[i] = (*order)[k];
        (*order)[k] = i;
    }
    return ORFF_OK;
}

static orff_status copy_samples(const orffi_lattice_fit *fit, uint64_t seed, size_t count,
                                orffi_deviation *samples) {
    const orffi_rng rng = {seed, STREAM};
    const size_t size = fit->p * fit->H;
    size_t *order = NULL;
    ORFFI_TRY(shuffle(fit->draws, rng, &order));
    for (size_t i = 0; i < count; i++) {
        const double front = orffi_rng_uniform(rng, i, 1) < 0.5 ? -1.0 : 1.0;
        for (size_t k = 0; k < size; k++)
            modes_of(&samples[i])[k] = front * fit->samples[order[i] * size + k];
    }
    orffi_release(order);
    return ORFF_OK;
}

orff_status orffi_lattice_draw_samples(const void *self, uint64_t seed, size_t count,
                                       orffi_deviation *samples) {
    const orffi_lattice_fit *fit = self;
    const bool stored = !fit->posterior && !fit->rows.n;
    if (stored && count > fit->draws)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "the model contains %zu posterior samples, but %zu were requested: ask for fewer, or fit fewer "
            "rows, so that any number can be drawn",
            fit->draws, count);
    for (size_t i = 0; i < count; i++) ORFFI_TRY(add_empty(fit, &samples[i]));
    ORFFI_TRY((fit->posterior ? draw_by_factors
               : fit->rows.n  ? draw_by_rows
                              : copy_samples)(fit, seed, count, samples));
    return finish(fit, count, samples);
}
