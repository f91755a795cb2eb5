/* Loops of an evidence over all pairs of rows. */
#include "exact/evidence_groups.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "base/vector.h"

/* Scratch of each thread: its own sums, and a difference, a block and the room that parts need, or two rows
 * of numbers if parts are radial. */
static size_t scratch_size(const orffi_evidence *e, const orffi_evidence_group *g) {
    return (e->radial ? 2 * g->n : 2 * e->d + 6 * e->p * e->p) + e->n_parts * (e->scales + 2);
}

static int team_of(const orffi_evidence_group *g) {
    return g->P <= ORFFI_ALONE ? 1 : orffi_thread_count();
}

static void subtract(size_t d, const double *x, const double *z, double *delta) {
    for (size_t k = 0; k < d; k++) delta[k] = x[k] - z[k];
}

/* The factor of entry (a, b) of a block between directed rows i and j: e_a e_b, or <e_i, e_j> if the block is
 * a scalar. */
static double shared(const orffi_evidence *e, const orffi_evidence_group *g, size_t i, size_t j, size_t a,
                     size_t b) {
    const double *left = g->along + i * e->p, *right = g->along + j * e->p;
    double sum = 0.0;
    if (e->q > 1) return left[a] * right[b];
    for (size_t k = 0; k < e->p; k++) sum += left[k] * right[k];
    return sum;
}

bool orffi_evidence_joins(const orffi_evidence_group *g, size_t i, size_t j) {
    return g->set && g->set[i] == g->set[j] && g->set[i] != ORFFI_NO_SET;
}

double orffi_evidence_joined(const orffi_evidence *e, const orffi_evidence_group *g, size_t i, size_t j) {
    double sum = 0.0;
    if (!e->directed) return 1.0;
    for (size_t k = 0; k < e->p; k++) sum += g->along[i * e->p + k] * g->along[j * e->p + k];
    return sum;
}

/* Row i of C up to the diagonal, for radial parts: the whole row at once. work: n. */
static void fill_radial(const orffi_evidence *e, orffi_evidence_group *g, size_t i, double t, double *work) {
    double *C = g->C + i * g->P;
    memset(C, 0, (i + 1) * sizeof *C);
    for (size_t m = 0; m < e->n_parts; m++) {
        const orffi_evidence_part *part = &e->parts[m];
        orffi_spectrum_squares(&part->part.law, g->X + i * e->d, i + 1, g->columns, g->n, work);
        orffi_spectrum_k0_many(&part->part.law, i + 1, work, NULL);
        for (size_t j = 0; j <= i; j++) C[j] += part->share / part->size * work[j];
    }
    for (size_t j = 0; g->set && j <= i; j++)
        if (orffi_evidence_joins(g, i, j)) C[j] += t;
}

/* Row i of blocks of C up to the diagonal, without noise. */
static void fill_blocks(const orffi_evidence *e, orffi_evidence_group *g, size_t i, double t, double *work) {
    const size_t q = e->q, order = orffi_evidence_width(e), P = g->P;
    double *delta = work, *K = delta + e->d, *sum = K + q * q, *scratch = sum + q * q;
    for (size_t j = 0; j <= i; j++) {
        double *C = g->C + i * order * P + j * order;
        subtract(e->d, g->X + i * e->d, g->X + j * e->d, delta);
        memset(sum, 0, q * q * sizeof *sum);
        for (size_t m = 0; m < e->n_parts; m++) {
            orffi_evidence_part_block(&e->parts[m], q, delta, K, scratch);
            for (size_t a = 0; a < q * q; a++) sum[a] += e->parts[m].share * K[a];
        }
        for (size_t a = 0; a < order; a++) memset(C + a * P, 0, order * sizeof *C);
        for (size_t a = 0; a < q * q; a++) {
            if (e->directed)
                C[0] += shared(e, g, i, j, a / q, a % q) * sum[a];
            else
                C[a / q * P + a % q] = sum[a];
        }
        for (size_t a = 0; orffi_evidence_joins(g, i, j) && a < order; a++)
            C[a * P + a] += t * orffi_evidence_joined(e, g, i, j);
    }
}

static void fill_row(const orffi_evidence *e, orffi_evidence_group *g, size_t i, double s, double t,
                     double *work) {
    const size_t order = orffi_evidence_width(e);
    if (e->radial)
        fill_radial(e, g, i, t, work);
    else
        fill_blocks(e, g, i, t, work);
    for (size_t a = i * order; a < (i + 1) * order; a++) g->C[a * g->P + a] += s * g->noise[i];
}

/* Adds <W, dC/dx> of row i to the sums, for radial parts. work: the sums, then 2 n. */
static void contract_radial(const orffi_evidence *e, const orffi_evidence_group *g, size_t i, double *work) {
    const size_t width = e->scales + 2, end = i + 1;
    const double *W = g->C + i * g->P, *x = g->X + i * e->d;
    double *k0 = work + e->n_parts * width, *g1 = k0 + g->n;
    for (size_t m = 0; m < e->n_parts; m++) {
        const orffi_evidence_part *part = &e->parts[m];
        double *whole = work + m * width, *by_scale = whole + 2;
        orffi_spectrum_squares(&part->part.law, x, end, g->columns, g->n, k0);
        orffi_spectrum_k0_many(&part->part.law, end, k0, g1);
        for (size_t j = 0; j < end; j++) { /* off-diagonal entries count twice; slopes are 0 on the
                                              diagonal */
            const double w = W[j] * (j == i ? 1.0 : 2.0) / part->size;
            *whole += w * k0[j];
            g1[j] *= w;
        }
        for (size_t k = 0; k < e->d; k++) {
            const size_t dial = e->dials[m * e->d + k];
            if (dial != ORFFI_NO_DIAL)
                by_scale[dial] += orffi_vector_level_here()->weigh_squares(
                    end, x[k], 1.0 / part->part.law.scale[k], g->columns + k * g->n, g1);
        }
    }
}

/* Adds <W, dC/dx> of row i of blocks; off-diagonal blocks count twice. */
static void contract_blocks(const orffi_evidence *e, const orffi_evidence_group *g, size_t i, double *work) {
    const size_t q = e->q, order = orffi_evidence_width(e), width = e->scales + 2;
    double *sums = work, *delta = sums + e->n_parts * width, *own = delta + e->d, *scratch = own + q * q;
    for (size_t j = 0; j <= i; j++) {
        const double *W = g->C + i * order * g->P + j * order;
        subtract(e->d, g->X + i * e->d, g->X + j * e->d, delta);
        for (size_t a = 0; e->directed && a < q * q; a++) own[a] = W[0] * shared(e, g, i, j, a / q, a % q);
        for (size_t m = 0; m < e->n_parts; m++) {
            double *mine = sums + m * width;
            const orffi_evidence_sink sink = {mine, mine + 1, mine + 2};
            orffi_evidence_part_contract(&e->parts[m], q, e->dials + m * e->d, e->mix, delta,
                                         e->directed ? own : W, e->directed ? q : g->P, i == j ? 1.0 : 2.0,
                                         &sink, scratch);
        }
    }
}

static void contract_row(const orffi_evidence *e, const orffi_evidence_group *g, size_t i, double *work) {
    if (e->radial)
        contract_radial(e, g, i, work);
    else
        contract_blocks(e, g, i, work);
}

orff_status orffi_evidence_fill_group(const orffi_evidence *e, orffi_evidence_group *g, double s, double t) {
    const int threads = team_of(g);
    const size_t room = scratch_size(e, g);
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, room * (size_t)threads));
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < g->n; i++) fill_row(e, g, i, s, t, work + room * (size_t)orffi_thread_index());
    orffi_release(work);
    return ORFF_OK;
}

orff_status orffi_evidence_contract_group(const orffi_evidence *e, const orffi_evidence_group *g) {
    const int threads = team_of(g);
    const size_t room = scratch_size(e, g), count = e->n_parts * (e->scales + 2);
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, room * (size_t)threads));
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < g->n; i++) contract_row(e, g, i, work + room * (size_t)orffi_thread_index());
    for (size_t t = 0; t < (size_t)threads; t++)
        for (size_t k = 0; k < count; k++) e->sums[k] += work[t * room + k];
    orffi_release(work);
    return ORFF_OK;
}
