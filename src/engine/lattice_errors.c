/* The posterior covariance of a field derived from a fit whose modes were all solved densely; like f, it
 * is linear in theta. */
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "engine/derived.h"
#include "engine/lattice.h"

#define BLOCK_NUMBERS ((size_t)1 << 21)

/* Memory of a call. */
typedef struct work {
    size_t sides, rows, k; /* axes of a scalar system, otherwise 1; points at a time; numbers of the field */
    double *C;             /* sides x modes x r x k: the field of each coefficient */
    double *prior;         /* k x k: the covariance far from all rows */
    double *slopes, *Z;    /* rows x k x n */
} work;

static void work_clear(work *t) {
    double *all[] = {t->C, t->prior, t->slopes, t->Z};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

/* v (outputs) of column c at mode h, for axis `side` or for the column itself; in the user's units. */
static void fill_wave(const orffi_lattice_fit *fit, const orffi_derived *what, size_t side, size_t h,
                      size_t c, double *v) {
    const orffi_lattice_system *s = &fit->system;
    for (size_t a = 0; a < s->outputs; a++)
        v[a] = what->spread[a] *
               (s->turn ? s->turn[side * s->outputs + a] * s->W[h] : s->W[(a * s->r + c) * s->H + h]);
}

static orff_status fill_coefficients(const orffi_lattice_fit *fit, const orffi_derived *what, work *t) {
    const orffi_lattice_system *s = &fit->system;
    const double sign = orffi_wave_field_find(what->field)->sign;
    double *v, *C = t->C;
    ORFFI_TRY(ORFFI_NEW_ARRAY(v, s->outputs));
    for (size_t side = 0; side < t->sides; side++)
        for (size_t i = 0; i < fit->block.modes; i++) {
            long place[ORFF_LATTICE_INPUTS];
            orffi_lattice_place(&fit->lattice, fit->block.mode[i], place);
            for (size_t c = 0; c < s->r; c++, C += t->k) {
                fill_wave(fit, what, side, fit->block.mode[i], c, v);
                orffi_lattice_wave_field(&fit->lattice, s->outputs, what, place, v, C);
                for (size_t a = 0; a < t->k; a++) C[a] *= sign;
            }
        }
    orffi_release(v);
    return ORFF_OK;
}

/* The sum over the coefficients of their squared fields, each of variance size / shift; a constant has no
 * derivatives. */
static void fill_prior(const orffi_lattice_fit *fit, work *t) {
    const size_t k = t->k, r = fit->system.r, each = fit->block.modes * r;
    for (size_t side = 0; side < t->sides; side++)
        for (size_t i = r; i < each; i++) {
            const double *C = t->C + (side * each + i) * k;
            for (size_t a = 0; a < k * k; a++)
                t->prior[a] += 2.0 * C[a / k] * C[a % k] * fit->system.size[side] / fit->shift;
        }
}

static orff_status work_fill(work *t, const orffi_lattice_fit *fit, const orffi_derived *what, size_t n) {
    t->sides = fit->system.turn ? fit->system.axes : 1;
    t->k = what->k;
    t->rows = BLOCK_NUMBERS / (t->k * fit->posterior->n) + 1;
    if (t->rows > n) t->rows = n;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->C, t->sides * fit->block.modes * fit->system.r * t->k));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->prior, t->k * t->k));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->slopes, t->rows * t->k * fit->posterior->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->Z, t->rows * t->k * fit->posterior->n));
    ORFFI_TRY(fill_coefficients(fit, what, t));
    fill_prior(fit, t);
    return ORFF_OK;
}

/* out (points x k x k) += Z Z^T for one side, Z = slopes F. */
static void add_side(const orffi_lattice_fit *fit, const work *t, size_t side, size_t points, const double *x,
                     double *out) {
    const size_t n = fit->posterior->n, k = t->k, d = fit->lattice.d;
    const double *C = t->C + side * fit->block.modes * fit->system.r * k;
    const int threads = orffi_thread_count();
#pragma omp parallel for num_threads(threads) if (threads > 1 && points > 1)
    for (size_t i = 0; i < points; i++)
        orffi_lattice_block_slopes(&fit->block, x + i * d, k, C, t->slopes + i * k * n);
    orffi_gemm(false, false, points * k, n, n, 1.0, t->slopes, n,
               fit->posterior->F[fit->posterior->factor[side]], n, 0.0, t->Z, n);
    for (size_t i = 0; i < points * k; i++)
        for (size_t a = 0; a < k; a++)
            out[i * k + a] += orffi_dot(n, t->Z + i * n, t->Z + (i / k * k + a) * n);
}

static void do_block(const orffi_lattice_fit *fit, const work *t, size_t points, const double *x,
                     double *out) {
    const size_t kk = t->k * t->k;
    memset(out, 0, points * kk * sizeof *out);
    for (size_t side = 0; side < t->sides; side++) add_side(fit, t, side, points, x, out);
    for (size_t i = 0; i < points; i++) {
        if (orffi_lattice_has(&fit->lattice, x + i * fit->lattice.d)) continue;
        for (size_t a = 0; a < kk; a++) out[i * kk + a] = t->prior[a];
    }
}

bool orffi_lattice_has_derived_covariance(const void *fit, const orffi_derived *what) {
    (void)what; /* all fields */
    return ((const orffi_lattice_fit *)fit)->posterior != NULL;
}

orff_status orffi_lattice_derived_covariance(const void *self, const orffi_derived *what, size_t n,
                                             const double *x, double *out) {
    const orffi_lattice_fit *fit = self;
    const size_t kk = what->k * what->k;
    work t = {0};
    orff_status status = n ? work_fill(&t, fit, what, n) : ORFF_OK;
    for (size_t i = 0; !status && i < n; i += t.rows)
        do_block(fit, &t, n - i < t.rows ? n - i : t.rows, x + i * fit->lattice.d, out + i * kk);
    work_clear(&t);
    return status;
}
