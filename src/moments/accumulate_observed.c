/* Adds rows that are not whole to moments. If rows have errors of their own, none counts as whole. */
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/plane.h"
#include "moments/moments.h"
#include "moments/observed.h"

#define BLOCK 1024 /* rows whose features are computed at once */

orff_status orffi_moments_match(const orff_moments *m, bool errors) {
    if (!orff_moments_describe(m).rows || m->counts.errors == errors) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_MISMATCH,
                      "some rows have errors of their own and others have none: give errors to all of them");
}

orff_status orffi_moments_widen(orff_moments *m, size_t pairs) {
    for (size_t k = 0; k < m->n_sets; k++)
        ORFFI_TRY(orffi_parted_widen(&m->sets[k].parted, m->p, 2 * m->bank->D, pairs));
    return ORFF_OK;
}

orff_rows orff_moments_room(const orff_moments *m) {
    const size_t pairs = m->sets[0].parted.pairs;
    return pairs == 0 ? ORFF_ROWS_WHOLE : pairs == m->p ? ORFF_ROWS_PARTED : ORFF_ROWS_DIRECTED;
}

orff_status orff_moments_widen(orff_moments *m, orff_rows rows) {
    if (!m) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_widen: NULL argument");
    const size_t pairs = rows == ORFF_ROWS_DIRECTED ? m->p * (m->p + 1) / 2 : m->p;
    return rows == ORFF_ROWS_WHOLE ? ORFF_OK : orffi_moments_widen(m, pairs);
}

/* Whether every direction is along an axis. */
static bool are_axes(const orffi_observed *rows, size_t p) {
    for (size_t i = 0; i < rows->n; i++) {
        size_t entries = 0;
        for (size_t k = 0; k < p; k++) entries += rows->along[i * p + k] != 0.0;
        if (entries > 1) return false;
    }
    return true;
}

/* ---- sums */

typedef struct room {
    double *phi, *scratch, *work; /* step x L, as the bank asks for, step x L */
    size_t step;
} room;

static orff_status room_fill(room *r, const orff_moments *m) {
    const size_t L = 2 * m->bank->D, most = orffi_bank_block_rows(m->bank);
    r->step = most < BLOCK ? most : BLOCK;
    ORFFI_TRY(orffi_alloc(&r->phi, r->step, L * sizeof *r->phi));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->scratch, orffi_bank_scratch(m->bank)));
    return orffi_alloc(&r->work, r->step, L * sizeof *r->work);
}

/* Adds the rows of one fold, which are adjacent. */
static void add_fold(orff_moments *m, const orffi_observed *rows, size_t first, size_t n, size_t fold,
                     const room *r) {
    const size_t d = m->bank->d, p = m->p;
    for (size_t i = first; i < first + n; i += r->step) {
        const size_t count = first + n - i < r->step ? first + n - i : r->step;
        orffi_phi(m->bank, count, rows->X + i * d, r->phi, r->scratch);
        orffi_parted_sum(&m->sets[fold].parted, p, 2 * m->bank->D, count, r->phi, rows->Y + i,
                         rows->weights + i, rows->along + i * p, r->work);
    }
}

/* Copies row j of one list to position i of another. */
static void copy_row(const orff_moments *m, const orffi_observed *from, size_t j, orffi_observed *to,
                     size_t i) {
    const size_t d = m->bank->d, p = m->p;
    memcpy(to->X + i * d, from->X + j * d, d * sizeof *to->X);
    memcpy(to->along + i * p, from->along + j * p, p * sizeof *to->along);
    to->Y[i] = from->Y[j];
    to->weights[i] = from->weights[j];
}

/* sorted: has room for as many rows as `rows`. */
static void add_rows(orff_moments *m, const orffi_observed *rows, orffi_observed *sorted, const room *r) {
    size_t first = 0;
    for (size_t fold = 0; fold < m->n_sets; fold++) {
        const size_t begin = first;
        for (size_t j = 0; j < rows->n; j++)
            if (m->n_sets == 1 || orffi_moments_fold(&m->settings, m->arrived + j, m->bank->d,
                                                     rows->X + j * m->bank->d, 1, rows->Y + j) == fold)
                copy_row(m, rows, j, sorted, first++);
        add_fold(m, sorted, begin, first - begin, fold, r);
    }
}

/* ---- the calls */

/* Adds prepared rows that are not whole to moments. */
static orff_status add_parted(orff_moments *m, const orff_observations *o, orffi_observed *rows) {
    orffi_observed sorted = {0};
    room r = {0};
    if (m->settings.plane)
        ORFFI_TRY(orffi_plane_rows(m->settings.plane, o->d, 0, rows->n, rows->X, rows->along));
    const size_t p = m->p, axes = p == 1 || are_axes(rows, p);
    m->counts.plain += orffi_observed_weigh(o, rows);
    m->counts.rows += rows->measured;
    m->counts.N += rows->N;
    orff_status status = orffi_moments_widen(m, axes ? p : p * (p + 1) / 2);
    if (!status) status = orffi_observed_fill(&sorted, o, !o->errors, 0);
    if (!status) status = room_fill(&r, m);
    if (!status) add_rows(m, rows, &sorted, &r);
    orffi_observed_clear(&sorted);
    orffi_release(r.phi);
    orffi_release(r.scratch);
    orffi_release(r.work);
    return status;
}

static orff_status add_whole_and_parted(orff_moments *m, const orff_observations *o) {
    orffi_observed whole = {0}, parted = {0};
    orff_status status = orffi_observed_fill(&parted, o, !o->errors, 0);
    if (!status && !o->errors) status = orffi_observed_fill_whole(&whole, o);
    if (!status && parted.n) status = add_parted(m, o, &parted);
    if (!status && whole.n)
        status = orff_moments_accumulate(m, whole.n, whole.X, whole.Y, o->weights ? whole.weights : NULL);
    m->arrived += parted.measured;
    orffi_observed_clear(&whole);
    orffi_observed_clear(&parted);
    return status;
}

static bool is_whole(const orff_observations *o) {
    return !o->errors && orffi_observed_is_whole(o);
}

/* Adds all of the rows or none: sums them separately first. */
static orff_status add_block(orff_moments *m, const orff_observations *o) {
    orff_moments *more = NULL;
    ORFFI_TRY(orffi_moments_match(m, o->errors != NULL));
    if (is_whole(o)) return orff_moments_accumulate(m, o->n, o->X, o->Y, o->weights);
    ORFFI_TRY(orff_moments_create_like(&more, m));
    more->counts.errors = o->errors != NULL;
    orff_status status = add_whole_and_parted(more, o);
    if (!status) status = orff_moments_add(m, more);
    orff_moments_free(more);
    return status;
}

orff_status orff_moments_accumulate_observations(orff_moments *m, const orff_observations *o) {
    if (!m || !o || !o->X || !o->Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_accumulate_observations: NULL argument");
    if (o->d != m->bank->d || o->p != m->p)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "the rows have %zu inputs and %zu outputs, the moments %zu and %zu", o->d, o->p,
                          m->bank->d, m->p);
    ORFFI_TRY(orffi_observed_check(o, 0));
    return add_block(m, o);
}

/* ---- readers: consecutive whole blocks are added in one pass, up to one that is not whole */

typedef struct intake {
    orffi_observed_blocks blocks;
    size_t given; /* rows of the block */
    orff_status status;
} intake;

static int give_whole(void *self, size_t most, double *X, double *Y, double *weights, size_t *rows) {
    intake *in = self;
    orff_observations *o = &in->blocks.o;
    *rows = 0;
    if (in->given == o->n) {
        in->given = 0;
        in->status = orffi_observed_next(&in->blocks);
    }
    if (in->status || !is_whole(o)) return 0;
    const size_t i = in->given, n = o->n - i < most ? o->n - i : most;
    memcpy(X, o->X + i * o->d, n * o->d * sizeof *X);
    memcpy(Y, o->Y + i * o->p, n * o->p * sizeof *Y);
    if (weights) memcpy(weights, o->weights + i, n * sizeof *weights);
    in->given += *rows = n;
    return 0;
}

/* Adds this block and the following ones, up to one of the other kind. */
static orff_status add_some(orff_moments *m, intake *in) {
    const orff_reader whole = {.read = give_whole, .self = in, .weighted = in->blocks.reader->weighted};
    if (!is_whole(&in->blocks.o)) {
        ORFFI_TRY(add_block(m, &in->blocks.o));
        return orffi_observed_next(&in->blocks);
    }
    const orff_status status = orff_moments_read(m, &whole);
    return in->status ? in->status : status;
}

orff_status orff_moments_read_observations(orff_moments *m, const orff_observation_reader *reader) {
    intake in = {.status = ORFF_OK};
    if (!m || !reader || !reader->read)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_read_observations: NULL argument");
    orff_status status = orffi_observed_open(&in.blocks, reader, m->bank->d, m->p, 16 * BLOCK);
    if (!status) status = orffi_observed_next(&in.blocks);
    while (!status && in.blocks.o.n) status = add_some(m, &in);
    orffi_observed_close(&in.blocks);
    return status;
}
