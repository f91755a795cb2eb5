/* Conjugate gradients for several right-hand sides, preconditioned by the block. */
#include "lattice/solve.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"

/* State of one right-hand side. */
typedef struct column {
    double rho;  /* r^T M^-1 r */
    double stop; /* squared residual at which iterations stop */
    double alpha, beta;
    double residual;     /* squared */
    double first, least; /* residual */
    double right;        /* |b|^2 */
    bool done;
} column;

typedef struct iteration {
    const orffi_lattice_block *block;
    size_t count, length;
    orffi_mode *r, *z, *p, *q;
    column *columns;
    size_t *live; /* the columns that are not done */
    size_t alive;
} iteration;

static void iteration_clear(iteration *t) {
    orffi_release(t->r);
    orffi_release(t->z);
    orffi_release(t->p);
    orffi_release(t->q);
    orffi_release(t->columns);
    orffi_release(t->live);
}

static orff_status iteration_init(iteration *t) {
    const size_t bytes = t->length * sizeof *t->r;
    ORFFI_TRY(orffi_alloc(&t->r, t->count, bytes));
    ORFFI_TRY(orffi_alloc(&t->z, t->count, bytes));
    ORFFI_TRY(orffi_alloc(&t->p, t->count, bytes));
    ORFFI_TRY(orffi_alloc(&t->q, t->count, bytes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->columns, t->count));
    return ORFFI_NEW_ARRAY(t->live, t->count);
}

static double dot(const iteration *t, const orffi_mode *a, const orffi_mode *b) {
    return orffi_lattice_dot(t->block->system->lattice, t->block->system->r, a, b);
}

/* out = (G + shift) in */
static orff_status apply(const iteration *t, size_t count, const orffi_mode *in, orffi_mode *out) {
    ORFFI_TRY(orffi_lattice_system_apply(t->block->system, count, in, out));
    for (size_t i = 0; i < count * t->length; i++) out[i] += t->block->shift * in[i];
    return ORFF_OK;
}

static bool is_zero(size_t n, const orffi_mode *v) {
    for (size_t i = 0; i < n; i++)
        if (v[i] != 0.0) return false;
    return true;
}

static orff_status begin(iteration *t, const orffi_mode *b, const orffi_mode *theta, double wanted) {
    const size_t n = t->length;
    if (is_zero(t->count * n, theta)) {
        memcpy(t->r, b, t->count * n * sizeof *b);
    } else {
        ORFFI_TRY(apply(t, t->count, theta, t->q));
        for (size_t i = 0; i < t->count * n; i++) t->r[i] = b[i] - t->q[i];
    }
    for (size_t c = 0; c < t->count; c++) {
        column *one = &t->columns[c];
        one->right = dot(t, b + c * n, b + c * n);
        one->residual = dot(t, t->r + c * n, t->r + c * n);
        one->first = one->least = one->residual;
        one->stop = wanted * wanted * one->right;
        one->done = one->residual <= one->stop;
        if (!one->done) t->live[t->alive++] = c;
    }
    return ORFF_OK;
}

/* Copies the live columns side by side into q and z for the preconditioner. r, p and theta keep one place per
 * column. */
static orff_status find_directions(iteration *t, bool first) {
    const size_t n = t->length;
    for (size_t j = 0; j < t->alive; j++) memcpy(t->q + j * n, t->r + t->live[j] * n, n * sizeof *t->r);
    ORFFI_TRY(orffi_lattice_block_solve(t->block, t->alive, t->q, t->z));
    for (size_t j = 0; j < t->alive; j++) {
        column *one = &t->columns[t->live[j]];
        const double rho = dot(t, t->q + j * n, t->z + j * n);
        one->beta = first ? 0.0 : rho / one->rho;
        one->rho = rho;
        orffi_mode *p = t->p + t->live[j] * n;
        for (size_t i = 0; i < n; i++) p[i] = t->z[j * n + i] + one->beta * p[i];
    }
    return ORFF_OK;
}

static orff_status step(iteration *t, orffi_mode *theta) {
    const size_t n = t->length;
    for (size_t j = 0; j < t->alive; j++) memcpy(t->z + j * n, t->p + t->live[j] * n, n * sizeof *t->p);
    ORFFI_TRY(apply(t, t->alive, t->z, t->q));
    for (size_t j = 0; j < t->alive; j++) {
        const size_t c = t->live[j];
        column *one = &t->columns[c];
        const double curvature = dot(t, t->z + j * n, t->q + j * n);
        one->alpha = curvature > 0.0 ? one->rho / curvature : 0.0;
        for (size_t i = 0; i < n; i++) {
            theta[c * n + i] += one->alpha * t->z[j * n + i];
            t->r[c * n + i] -= one->alpha * t->q[j * n + i];
        }
        one->residual = dot(t, t->r + c * n, t->r + c * n);
        one->least = fmin(one->least, one->residual);
        one->done = one->residual <= one->stop || one->alpha == 0.0;
    }
    return ORFF_OK;
}

/* The Lanczos matrix from alpha and beta: 1/alpha_i + beta_i/alpha_{i-1}, sqrt(beta_i)/alpha_{i-1}. */
static void record(const column *one, double before, orffi_lanczos *lanczos) {
    const size_t i = lanczos->steps;
    if (i == lanczos->room || !(one->alpha > 0.0)) return;
    lanczos->diagonal[i] = 1.0 / one->alpha + (i ? one->beta / before : 0.0);
    if (i) lanczos->beside[i - 1] = sqrt(one->beta) / before;
    lanczos->steps++;
}

static void drop_done(iteration *t) {
    size_t kept = 0;
    for (size_t j = 0; j < t->alive; j++)
        if (!t->columns[t->live[j]].done) t->live[kept++] = t->live[j];
    t->alive = kept;
}

/* As far as the last of those that are not done. */
static orff_status report_last(const iteration *t, size_t done) {
    const column *last = &t->columns[t->live[0]];
    for (size_t j = 1; j < t->alive; j++) {
        const column *one = &t->columns[t->live[j]];
        if (one->least * last->stop > last->least * one->stop) last = one;
    }
    return orffi_progress_decades(ORFFI_LATTICE_TASK, done, last->first, last->least, last->stop);
}

static orff_status iterate(iteration *t, orffi_mode *theta, orffi_lattice_iterations *how,
                           orffi_lanczos *lanczos) {
    for (how->done = 0; t->alive && how->done < how->limit; how->done++) {
        double before[64];
        ORFFI_TRY(report_last(t, how->done));
        ORFFI_TRY(find_directions(t, how->done == 0));
        for (size_t j = 0; lanczos && j < t->alive; j++) before[j] = t->columns[t->live[j]].alpha;
        ORFFI_TRY(step(t, theta));
        for (size_t j = 0; lanczos && j < t->alive; j++)
            record(&t->columns[t->live[j]], before[j], &lanczos[t->live[j]]);
        drop_done(t);
    }
    how->reached = 0.0;
    for (size_t c = 0; c < t->count; c++)
        if (t->columns[c].right > 0.0)
            how->reached = fmax(how->reached, sqrt(t->columns[c].residual / t->columns[c].right));
    return ORFF_OK;
}

orff_status orffi_lattice_solve(const orffi_lattice_block *block, size_t count, const orffi_mode *b,
                                orffi_mode *theta, orffi_lattice_iterations *how, orffi_lanczos *lanczos) {
    iteration t = {.block = block, .count = count, .length = block->system->r * block->system->H};
    if (orffi_lattice_block_is_all(block)) {
        how->done = 0;
        how->reached = 0.0;
        return orffi_lattice_block_solve(block, count, b, theta);
    }
    orff_status status = iteration_init(&t);
    if (!status) status = begin(&t, b, theta, how->residual);
    if (!status) status = iterate(&t, theta, how, lanczos);
    iteration_clear(&t);
    return status;
}
