/* log det(G + shift) and the diagonal of its inverse: from the block if it has all modes, else from random
 * vectors. For z with covariance M, the block's matrix, and A = G + shift,
 *
 *     log det A = log det M + E [ z^T M^-1/2 log(M^-1/2 A M^-1/2) M^-1/2 z ],      A^-1_kk = E [ (A^-1 z)_k (M^-1 z)_k ]
 *
 * and preconditioned conjugate gradients on A x = z, with M the preconditioner, yield the Lanczos matrices
 * for the first formula.
 */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "lattice/solve.h"

#define STREAM      0x5042u
#define MOST_PROBES 64

/* ---- Lanczos */

/* e1^T log(T) e1 for a Lanczos matrix T. */
static orff_status lanczos_log(const orffi_lanczos *l, double *value) {
    const size_t n = l->steps;
    double *T = NULL, *values = NULL;
    *value = 0.0;
    if (n == 0) return ORFF_OK;
    orff_status status = ORFFI_NEW_ARRAY(T, n * n);
    if (!status) status = ORFFI_NEW_ARRAY(values, n);
    for (size_t i = 0; !status && i < n; i++) {
        T[i * n + i] = l->diagonal[i];
        if (i + 1 < n) T[i * n + i + 1] = T[(i + 1) * n + i] = l->beside[i];
    }
    if (!status) status = orffi_eigen(n, T, values);
    for (size_t i = 0; !status && i < n; i++) *value += T[i] * T[i] * log(fmax(values[i], 1e-300));
    orffi_release(T);
    orffi_release(values);
    return status;
}

/* ---- all modes in the block */

static orff_status determine_block(const orffi_lattice_block *b, orffi_lattice_determinant *out) {
    const orffi_lattice_system *s = b->system;
    double *inverse;
    out->log = orffi_lattice_block_logdet(b);
    out->error = 0.0;
    out->left = 0.0;
    ORFFI_TRY(orffi_duplicate(&inverse, b->L, b->n * b->n, sizeof *inverse));
    const orff_status status = orffi_cholesky_inverse(b->n, inverse);
    for (size_t i = 0; !status && i < b->modes; i++)
        for (size_t c = 0; c < s->r; c++) {
            const size_t re = (i ? (2 * i - 1) * s->r : 0) + c, im = i ? re + s->r : re;
            const double mean = 0.5 * (inverse[re * b->n + re] + inverse[im * b->n + im]);
            const double left = b->shift * mean;
            out->left += (i ? 2.0 : 1.0) * left;
            if (!out->diagonal) continue;
            out->diagonal[c * s->H + b->mode[i]] = out->diagonal[c * s->H + b->mirror[i]] = left;
        }
    orffi_release(inverse);
    return status;
}

/* ---- probes */

void orffi_lattice_draw(const orffi_lattice_system *s, uint64_t seed, size_t which, orffi_mode *v) {
    const orffi_rng rng = {seed, STREAM};
    const uint32_t slot = (uint32_t)which;
    const double half = sqrt(0.5);
    for (size_t i = 0; i < s->r * s->H; i++) {
        long k[ORFF_LATTICE_INPUTS];
        const size_t h = i % s->H, c = i / s->H;
        orffi_lattice_place(s->lattice, h, k);
        const bool first = orffi_lattice_is_first(s->lattice, k);
        bool zero = true;
        for (size_t j = 0; j < s->lattice->d; j++) {
            zero = zero && k[j] == 0;
            if (!first) k[j] = -k[j];
        }
        const uint64_t at = c * s->H + orffi_lattice_find(s->lattice, k);
        const double re = orffi_rng_normal(rng, at, 2 * slot), im = orffi_rng_normal(rng, at, 2 * slot + 1);
        v[i] = zero ? re : half * (re + (first ? I : -I) * im);
    }
}

typedef struct probing {
    const orffi_lattice_block *block;
    size_t probes, length;
    orffi_mode *z, *x, *y; /* probes x length: z, A^-1 z, M^-1 z */
    double *squares;       /* probes: |g|^2, z = M^1/2 g */
    orffi_lanczos *lanczos;
    double *numbers; /* memory of all Lanczos matrices */
} probing;

static void probing_clear(probing *t) {
    orffi_release(t->z);
    orffi_release(t->x);
    orffi_release(t->y);
    orffi_release(t->squares);
    orffi_release(t->lanczos);
    orffi_release(t->numbers);
}

static orff_status probing_init(probing *t, size_t steps) {
    const size_t bytes = t->length * sizeof *t->z;
    ORFFI_TRY(orffi_alloc(&t->z, t->probes, bytes));
    ORFFI_TRY(orffi_alloc(&t->x, t->probes, bytes));
    ORFFI_TRY(orffi_alloc(&t->y, t->probes, bytes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->squares, t->probes));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->lanczos, t->probes));
    ORFFI_TRY(orffi_alloc(&t->numbers, 2 * steps * sizeof *t->numbers, t->probes));
    for (size_t i = 0; i < t->probes; i++)
        t->lanczos[i] = (orffi_lanczos){.room = steps,
                                        .diagonal = t->numbers + 2 * steps * i,
                                        .beside = t->numbers + 2 * steps * i + steps};
    return ORFF_OK;
}

static orff_status draw_probes(probing *t, uint64_t seed) {
    const orffi_lattice_system *s = t->block->system;
    for (size_t i = 0; i < t->probes; i++) {
        orffi_lattice_draw(s, seed, i, t->y);
        t->squares[i] = orffi_lattice_dot(s->lattice, s->r, t->y, t->y);
        ORFFI_TRY(orffi_lattice_block_root(t->block, t->y, t->z + i * t->length));
    }
    return orffi_lattice_block_solve(t->block, t->probes, t->z, t->y);
}

/* The mean over the probes of |g|^2 e1^T log(T) e1, and its standard error. */
static orff_status average_logs(const probing *t, orffi_lattice_determinant *out) {
    double sum = 0.0, square = 0.0;
    const double n = (double)t->probes;
    for (size_t i = 0; i < t->probes; i++) {
        double value;
        ORFFI_TRY(lanczos_log(&t->lanczos[i], &value));
        value *= (double)t->block->M; /* the mean of |g|^2: its random part says nothing about the
                                         logarithm */
        sum += value / n;
        square += value * value / n;
    }
    out->log = orffi_lattice_block_logdet(t->block) + sum;
    out->error = t->probes > 1 ? sqrt(fmax(square - sum * sum, 0.0) / (n - 1.0)) : INFINITY;
    return ORFF_OK;
}

static void average_diagonal(const probing *t, orffi_lattice_determinant *out) {
    const orffi_lattice_system *s = t->block->system;
    const double front = t->block->shift / (double)t->probes;
    out->left = 0.0;
    for (size_t i = 0; i < t->probes; i++)
        out->left += front * orffi_lattice_dot(s->lattice, s->r, t->x + i * t->length, t->y + i * t->length);
    if (!out->diagonal) return;
    for (size_t j = 0; j < t->length; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < t->probes; i++)
            sum += creal(conj(t->x[i * t->length + j]) * t->y[i * t->length + j]);
        out->diagonal[j] = front * sum;
    }
}

orff_status orffi_lattice_determine(const orffi_lattice_block *block, size_t probes, uint64_t seed,
                                    const orffi_lattice_iterations *how, orffi_lattice_determinant *out) {
    if (orffi_lattice_block_is_all(block)) return determine_block(block, out);
    orffi_lattice_iterations steps = *how;
    probing t = {.block = block,
                 .probes = probes < MOST_PROBES ? probes : MOST_PROBES,
                 .length = block->system->r * block->system->H};
    orff_status status = probing_init(&t, how->limit < block->M ? how->limit : block->M);
    if (!status) status = draw_probes(&t, seed);
    if (!status) status = orffi_lattice_solve(block, t.probes, t.z, t.x, &steps, t.lanczos);
    if (!status) status = average_logs(&t, out);
    if (!status) average_diagonal(&t, out);
    probing_clear(&t);
    return status;
}
