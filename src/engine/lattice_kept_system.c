/* The system of kept rows, for one kernel on a lattice: K by transforms, and conjugate gradients
 * preconditioned by nearest neighbours. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "engine/lattice.h"

/* How many neighbours predict a row: more would not change the evidence noticeably. In space rows have
 * more neighbours around them; where the outputs of a row form one system, each neighbour brings several
 * numbers. */
size_t orffi_kept_neighbours(size_t d, size_t q) {
    const size_t numbers = q == 1 ? 30 : 45, more = d < 3 ? 1 : 2;
    return 1 + more * numbers / q;
}

orff_status orffi_kept_init(orffi_kept *k, const orffi_lattice_system *system, const orffi_table *rows,
                            uint64_t seed) {
    const size_t n = rows->n, d = rows->d, q = system->turn ? 1 : system->outputs;
    *k = (orffi_kept){.system = system, .n = n, .weights = rows->weights};
    ORFFI_TRY(orffi_neighbours_init(&k->near, system->kernel, system->turn != NULL, n, d, rows->X,
                                    rows->weights, orffi_kept_neighbours(d, q), seed));
    ORFFI_TRY(orffi_nufft_create(&k->waves, d, system->lattice->m, q, ORFFI_KEPT_TRANSFORM));
    ORFFI_TRY(orffi_alloc(&k->angles, n, d * sizeof *k->angles));
    ORFFI_TRY(ORFFI_NEW_ARRAY(k->beyond, system->outputs));
    ORFFI_TRY(orffi_lattice_beyond(system, k->beyond));
    orffi_lattice_angles(system->lattice, n, rows->X, k->angles);
    return ORFF_OK;
}

void orffi_kept_clear(orffi_kept *k) {
    orffi_neighbours_clear(&k->near);
    orffi_nufft_free(k->waves);
    orffi_release(k->angles);
    orffi_release(k->beyond);
    memset(k, 0, sizeof *k);
}

double orffi_kept_noise(const orffi_kept *k, size_t row, size_t a, double noise) {
    return k->beyond[a] + noise / (k->weights ? k->weights[row] : 1.0);
}

/* ---- K */

/* Multiplies modes (q x H) of sums over rows by S_k. */
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

orff_status orffi_kept_modes(orffi_kept *k, const double *alpha, orffi_mode *F, orffi_mode *V) {
    orffi_nufft_reset(k->waves);
    ORFFI_TRY(orffi_nufft_spread(k->waves, k->n, k->angles, alpha));
    for (size_t a = 0; a < k->near.q; a++)
        ORFFI_TRY(orffi_nufft_modes(k->waves, a, k->system->lattice->m, F + a * k->system->H));
    multiply_modes(k->system, F, V);
    return ORFF_OK;
}

orff_status orffi_kept_values(orffi_kept *k, const orffi_mode *V, double *out) {
    for (size_t a = 0; a < k->near.q; a++)
        ORFFI_TRY(orffi_nufft_load(k->waves, a, k->system->lattice->m, V + a * k->system->H));
    return orffi_nufft_evaluate(k->waves, k->n, k->angles, out);
}

/* ---- conjugate gradients */

typedef struct solver {
    orffi_kept *kept;
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
    const size_t modes = t->kept->near.q * t->kept->system->H;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->F, modes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->V, modes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->r, t->length));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->z, t->length));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->p, t->length));
    return ORFFI_NEW_ARRAY(t->q, t->length);
}

/* out = (K + noise / c) in. Waves beyond the lattice are uncorrelated between rows, so they add to the
 * noise. */
static orff_status apply(solver *t, const double *in, double *out) {
    const size_t q = t->kept->near.q;
    ORFFI_TRY(orffi_kept_modes(t->kept, in, t->F, t->V));
    ORFFI_TRY(orffi_kept_values(t->kept, t->V, out));
    for (size_t i = 0; i < t->length; i++)
        out[i] += orffi_kept_noise(t->kept, i / q, i % q, t->noise) * in[i];
    return ORFF_OK;
}

static orff_status iterate(solver *t, const double *y, double *x, orffi_lattice_iterations *how) {
    const size_t n = t->length;
    const double wanted = how->residual * how->residual * orffi_dot(n, y, y);
    double rho = 0.0, residual, first, least;
    ORFFI_TRY(apply(t, x, t->q));
    for (size_t i = 0; i < n; i++) t->r[i] = y[i] - t->q[i];
    first = least = residual = orffi_dot(n, t->r, t->r);
    for (how->done = 0; residual > wanted && how->done < how->limit; how->done++) {
        ORFFI_TRY(orffi_progress_decades(ORFFI_LATTICE_TASK, how->done, first, least, wanted));
        orffi_neighbours_apply(&t->kept->near, 1, t->r, t->z);
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
        least = fmin(least, residual);
    }
    how->reached = wanted > 0.0 ? how->residual * sqrt(residual / wanted) : 0.0;
    return ORFF_OK;
}

orff_status orffi_kept_solve(orffi_kept *k, double noise, const double *y, double *x,
                             orffi_lattice_iterations *how) {
    solver t = {.kept = k, .length = k->n * k->near.q, .noise = noise};
    orff_status status = solver_init(&t);
    if (!status) status = iterate(&t, y, x, how);
    solver_clear(&t);
    return status;
}
