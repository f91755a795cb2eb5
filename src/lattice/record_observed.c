/* Moments of a lattice from measurements that are not whole rows: missing outputs, directions, errors. */
#include <string.h>

#include "base/memory.h"
#include "lattice/record.h"
#include "moments/observed.h"

#define BLOCK 32768 /* rows read at a time */

/* ---- whole rows to directed ones */

/* A whole row becomes one along each output: rho_ab = rho if a = b, and the sums of c (e, y) (e, y)^T
 * follow. */
static void direct_set(const orffi_lattice_moments *from, const orffi_lattice_set *a, orffi_lattice_set *b) {
    const size_t p = from->p, side = p + 1, whole = orffi_lattice_density_modes(&from->lattice);
    const double N = a->T[p * side + p];
    for (size_t k = 0; k < p; k++) {
        memcpy(b->rho + orffi_lattice_pair(p, k, k) * whole, a->rho, whole * sizeof *a->rho);
        b->T[k * side + k] = N;
        b->T[k * side + p] = b->T[p * side + k] = a->T[k * side + p];
        b->T[p * side + p] += a->T[k * side + k];
    }
    memcpy(b->R, a->R, p * orffi_lattice_modes(&from->lattice) * sizeof *a->R);
    b->weight = (double)p * N;
    b->logs = (double)p * a->logs;
    b->rows = p * a->rows;
}

orff_status orffi_lattice_record_direct(orff_lattice_moments *m) {
    const orffi_lattice_moments *from = m->sums;
    const orffi_lattice_pass pass = {
        .p = from->p, .directed = true, .draws = from->draws, .folds = {.folds = m->folds}};
    orffi_lattice_moments *sums;
    if (from->directed) return ORFF_OK;
    if (from->p > ORFF_LATTICE_OUTPUTS)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "moments of a lattice accept rows with missing outputs, directions or errors of their own for up "
            "to %d outputs, but there are %zu: drop such rows, or use moments of features",
            ORFF_LATTICE_OUTPUTS, from->p);
    ORFFI_TRY(orffi_lattice_moments_create(&sums, &from->lattice, &pass));
    memcpy(sums->low, from->low, from->lattice.d * sizeof *sums->low);
    memcpy(sums->high, from->high, from->lattice.d * sizeof *sums->high);
    for (size_t f = 0; f < from->n_sets; f++) direct_set(from, &from->sets[f], &sums->sets[f]);
    if (from->draws)
        memcpy(sums->E, from->E,
               from->draws * from->p * orffi_lattice_modes(&from->lattice) * sizeof *sums->E);
    orffi_lattice_moments_free(m->sums);
    m->sums = sums;
    m->plain *= (double)sums->p;
    return ORFF_OK;
}

orff_rows orff_lattice_moments_room(const orff_lattice_moments *m) {
    return m->sums->directed ? ORFF_ROWS_DIRECTED : ORFF_ROWS_WHOLE;
}

orff_status orff_lattice_moments_widen(orff_lattice_moments *m, orff_rows rows) {
    if (!m) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_widen: NULL argument");
    return rows == ORFF_ROWS_WHOLE ? ORFF_OK : orffi_lattice_record_direct(m);
}

orff_status orffi_lattice_record_match(const orff_lattice_moments *m, bool errors) {
    if (!m->measured || m->errors == errors) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_MISMATCH,
                      "some rows have errors of their own and others have none: give errors to all of them");
}

void orffi_lattice_record_count(orff_lattice_moments *m, const orffi_lattice_moments *added) {
    const size_t side = m->sums->p + 1;
    for (size_t f = 0; f < added->n_sets; f++) {
        m->measured += added->sets[f].rows;
        m->N += added->sets[f].T[side * side - 1];
        m->plain += added->sets[f].T[side * side - 1];
    }
}

/* ---- rows
 *
 * Whole rows and the others are summed separately. The fold of a row then depends on the row alone, and whole
 * rows need only one density. */

typedef struct side {
    orff_lattice_moments *record;
    orffi_lattice_sums *sums;
} side;

typedef struct sides {
    const orff_lattice_moments *like;
    side whole, parted;
} sides;

static void sides_clear(sides *in) {
    side *both[] = {&in->whole, &in->parted};
    for (size_t i = 0; i < 2; i++) {
        orffi_lattice_sums_free(both[i]->sums);
        orff_lattice_moments_free(both[i]->record);
    }
}

static orff_status open_side(const sides *in, bool directed, side *one) {
    const orff_lattice_moments *m = in->like;
    const orffi_lattice_pass pass = {.p = m->sums->p,
                                     .directed = directed,
                                     .draws = m->sums->draws,
                                     .by_content = true,
                                     .tolerance = ORFFI_LATTICE_TRANSFORM,
                                     .folds = {.folds = m->folds, .seed = m->seed}};
    if (one->sums) return ORFF_OK;
    ORFFI_TRY(
        orffi_lattice_record_create(&one->record, &m->sums->lattice, m->sums->p, m->folds, m->sums->draws));
    if (directed) ORFFI_TRY(orffi_lattice_record_direct(one->record));
    return orffi_lattice_sums_create(&one->sums, one->record->sums, &pass);
}

static orff_status add_rows(const orff_observations *o, bool directed, orffi_observed *rows, side *one) {
    one->record->measured += rows->measured;
    one->record->N += rows->N;
    one->record->plain += orffi_observed_weigh(o, rows);
    return directed ? orffi_lattice_sums_add_directed(one->sums, rows->n, rows->X, rows->Y, rows->weights,
                                                      rows->along)
                    : orffi_lattice_sums_add(one->sums, rows->n, rows->X, rows->Y, rows->weights);
}

static orff_status add_side(const sides *in, const orff_observations *o, bool directed, side *one) {
    orffi_observed rows = {0};
    orff_status status =
        directed ? orffi_observed_fill(&rows, o, true, 0) : orffi_observed_fill_whole(&rows, o);
    if (!status && rows.n) status = open_side(in, directed, one);
    if (!status && rows.n) status = add_rows(o, directed, &rows, one);
    orffi_observed_clear(&rows);
    return status;
}

/* If all rows are whole, uses them in place. */
static orff_status add_whole(const sides *in, const orff_observations *o, side *one) {
    ORFFI_TRY(open_side(in, false, one));
    double N = o->weights ? 0.0 : (double)o->n;
    for (size_t i = 0; o->weights && i < o->n; i++) N += o->weights[i];
    one->record->measured += o->n;
    one->record->N += N;
    one->record->plain += N;
    return orffi_lattice_sums_add(one->sums, o->n, o->X, o->Y, o->weights);
}

static orff_status add_block(sides *in, const orff_observations *o, uint64_t first) {
    ORFFI_TRY(orffi_lattice_record_check(in->like, first, o->n, o->X));
    if (!o->n) return ORFF_OK;
    if (!o->errors && orffi_observed_is_whole(o)) return add_whole(in, o, &in->whole);
    ORFFI_TRY(add_side(in, o, false, &in->whole));
    return add_side(in, o, true, &in->parted);
}

static orff_status finish_side(side *one, bool errors, bool directed) {
    if (!one->sums) return ORFF_OK;
    one->record->errors = errors;
    ORFFI_TRY(orffi_lattice_sums_finish(one->sums));
    orffi_lattice_sums_free(one->sums); /* before direct replaces the moments that these sums point to */
    one->sums = NULL;
    return directed ? orffi_lattice_record_direct(one->record) : ORFF_OK;
}

/* Adds everything or nothing: once both sides are finished, adding them up cannot fail. */
static orff_status finish(orff_lattice_moments *m, sides *in, bool errors) {
    const bool directed = m->sums->directed || in->parted.sums;
    ORFFI_TRY(finish_side(&in->whole, errors, directed));
    ORFFI_TRY(finish_side(&in->parted, errors, directed));
    if (directed) ORFFI_TRY(orffi_lattice_record_direct(m));
    if (!m->measured) m->errors = errors;
    if (in->whole.record) orffi_lattice_record_join(m, 1.0, in->whole.record);
    if (in->parted.record) orffi_lattice_record_join(m, 1.0, in->parted.record);
    return ORFF_OK;
}

orff_status orff_lattice_moments_accumulate_observations(orff_lattice_moments *m,
                                                         const orff_observations *o) {
    sides in = {.like = m};
    if (!m || !o || !o->X || !o->Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "orff_lattice_moments_accumulate_observations: NULL argument");
    if (o->d != m->sums->lattice.d || o->p != m->sums->p)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "the rows have %zu inputs and %zu outputs, the moments %zu and %zu", o->d, o->p,
                          m->sums->lattice.d, m->sums->p);
    ORFFI_TRY(orffi_lattice_record_match(m, o->errors != NULL));
    ORFFI_TRY(orffi_observed_check(o, 0));
    orff_status status = add_block(&in, o, 0);
    if (!status) status = finish(m, &in, o->errors != NULL);
    sides_clear(&in);
    return status;
}

static orff_status add_reader(sides *in, const orff_observation_reader *reader) {
    orffi_observed_blocks blocks;
    orff_status status =
        orffi_observed_open(&blocks, reader, in->like->sums->lattice.d, in->like->sums->p, BLOCK);
    do {
        if (!status) status = orffi_observed_next(&blocks);
        if (!status) status = add_block(in, &blocks.o, blocks.first);
    } while (!status && blocks.o.n);
    orffi_observed_close(&blocks);
    return status;
}

orff_status orff_lattice_moments_read_observations(orff_lattice_moments *m,
                                                   const orff_observation_reader *reader) {
    sides in = {.like = m};
    if (!m || !reader || !reader->read)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "orff_lattice_moments_read_observations: NULL argument");
    ORFFI_TRY(orffi_lattice_record_match(m, reader->errors));
    orff_status status = add_reader(&in, reader);
    if (!status) status = finish(m, &in, reader->errors);
    sides_clear(&in);
    return status;
}

/* ---- whole rows among directed ones */

static int read_whole(void *self, size_t room, double *X, double *Y, double *directions, double *errors,
                      double *weights, size_t *n) {
    const orff_reader *reader = self;
    (void)directions, (void)errors;
    return reader->read(reader->self, room, X, Y, weights, n);
}

orff_status orffi_lattice_record_read_whole(orff_lattice_moments *m, const orff_reader *reader) {
    orff_reader copy = *reader;
    const orff_observation_reader whole = {.read = read_whole, .self = &copy, .weighted = reader->weighted};
    return orff_lattice_moments_read_observations(m, &whole);
}
