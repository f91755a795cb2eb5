#include "lattice/record.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/periods.h"
#include "lattice/fft.h"

#define TOLERANCE 1e-6
#define BLOCK     65536 /* rows read at a time */

/* ---- creating */

orff_status orffi_lattice_record_create(orff_lattice_moments **out, const orffi_lattice *lattice, size_t p,
                                        size_t folds, size_t draws) {
    const orff_moments_settings how = {.folds = folds};
    const orffi_lattice_pass pass = {.p = p, .folds = how, .draws = draws};
    orff_lattice_moments *m;
    ORFFI_TRY(ORFFI_NEW(m));
    m->folds = folds;
    const orff_status status = orffi_lattice_moments_create(&m->sums, lattice, &pass);
    if (status) {
        orff_lattice_moments_free(m);
    } else {
        *out = m;
    }
    return status;
}

void orff_lattice_moments_free(orff_lattice_moments *m) {
    if (!m) return;
    orffi_lattice_moments_free(m->sums);
    orffi_release(m->notes);
    orffi_release(m);
}

void orffi_lattice_record_periods(const orff_lattice_moments *m, double *periods) {
    const orffi_lattice *l = &m->sums->lattice;
    for (size_t i = 0; i < l->d; i++) periods[i] = isinf(l->inside[i]) ? l->period[i] : 0.0;
}

static orff_status check_need(const orff_lattice_need *need) {
    if (need->d == 0 || need->d > ORFF_LATTICE_INPUTS || need->p == 0)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a lattice is for one to %d inputs, but there are %zu",
                          ORFF_LATTICE_INPUTS, need->d);
    if (!(need->tolerance >= 0.0 && need->tolerance < 1.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the tolerance of a lattice is %g", need->tolerance);
    for (size_t i = 0; i < need->d; i++)
        if (!orffi_is_periodic(need->periods, i) &&
            !(isfinite(need->low[i]) && isfinite(need->high[i]) && need->high[i] >= need->low[i]))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the extent of input %zu goes from %g to %g; it must be finite and not empty",
                              i + 1, need->low[i], need->high[i]);
    return ORFF_OK;
}

static orff_status choose(const orff_lattice_need *need, const orff_kernel *kernel, orffi_lattice *lattice) {
    double center[ORFF_LATTICE_INPUTS], extent[ORFF_LATTICE_INPUTS];
    orffi_lattice_quality quality;
    for (size_t i = 0; i < need->d; i++) {
        const bool circle = orffi_is_periodic(need->periods, i);
        center[i] = circle ? 0.0 : need->low[i] / 2.0 + need->high[i] / 2.0;
        extent[i] = circle ? need->periods[i] : need->high[i] - need->low[i];
    }
    const orffi_lattice_need inner = {.center = center,
                                      .extent = extent,
                                      .periods = need->periods,
                                      .tolerance = need->tolerance > 0.0 ? need->tolerance : TOLERANCE};
    return orffi_lattice_choose(lattice, kernel, &inner, &quality);
}

/* The number of draws. Error bars need draws if the lattice may be too large for a Cholesky factor; kernels
 * may have one column per output. */
static size_t draws_for(const orff_lattice_need *need, const orffi_lattice *lattice) {
    const bool large = orffi_lattice_unknowns(lattice) * need->p > ORFFI_LATTICE_DENSE;
    if (need->posterior == ORFF_SWITCH_NO || !large) return 0;
    return need->posterior == ORFF_SWITCH_YES ? ORFFI_LATTICE_DRAWS_ASKED : ORFFI_LATTICE_DRAWS;
}

static void fill(orff_lattice_moments *m, const orff_lattice_need *need, const orff_kernel *kernel) {
    for (size_t i = 0; i < need->d; i++) {
        const bool circle = orffi_is_periodic(need->periods, i);
        m->low[i] = circle ? 0.0 : need->low[i];
        m->high[i] = circle ? need->periods[i] : need->high[i];
        m->shortest[i] = m->longest[i] = kernel->parts[0].law.scale[i];
        for (size_t k = 1; k < kernel->n_parts; k++) {
            m->shortest[i] = fmin(m->shortest[i], kernel->parts[k].law.scale[i]);
            m->longest[i] = fmax(m->longest[i], kernel->parts[k].law.scale[i]);
        }
    }
    m->tolerance = need->tolerance > 0.0 ? need->tolerance : TOLERANCE;
    m->seed = need->seed;
}

orff_status orff_lattice_moments_create(orff_lattice_moments **out, const orff_lattice_need *need) {
    orff_kernel *kernel = NULL;
    orffi_lattice lattice;
    if (!out || !need || !need->parts || (need->d && (!need->low || !need->high)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_create: NULL argument");
    const orffi_kernel_how how = {.periods = need->periods};
    ORFFI_TRY(orffi_fft_require());
    ORFFI_TRY(check_need(need));
    ORFFI_TRY(orffi_kernel_create_as(&kernel, need->d, need->p, need->n_parts, need->parts, &how));
    orff_status status = choose(need, kernel, &lattice);
    if (!status)
        status = orffi_lattice_record_create(out, &lattice, need->p, need->folds, draws_for(need, &lattice));
    if (!status) fill(*out, need, kernel);
    orff_kernel_free(kernel);
    return status;
}

orff_status orff_lattice_moments_create_like(orff_lattice_moments **out, const orff_lattice_moments *other) {
    orff_lattice_moments *m;
    if (!out || !other)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_create_like: NULL argument");
    ORFFI_TRY(orffi_lattice_record_create(&m, &other->sums->lattice, other->sums->p, other->folds,
                                          other->sums->draws));
    memcpy(m->low, other->low, sizeof m->low);
    memcpy(m->high, other->high, sizeof m->high);
    memcpy(m->shortest, other->shortest, sizeof m->shortest);
    memcpy(m->longest, other->longest, sizeof m->longest);
    m->tolerance = other->tolerance;
    m->seed = other->seed;
    const orff_status status = other->sums->directed ? orffi_lattice_record_direct(m) : ORFF_OK;
    if (status) {
        orff_lattice_moments_free(m);
    } else {
        *out = m;
    }
    return status;
}

/* ---- rows */

orff_status orffi_lattice_record_check(const orff_lattice_moments *m, uint64_t first, size_t n,
                                       const double *X) {
    const orffi_lattice *l = &m->sums->lattice;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < l->d; k++)
            if (!isinf(l->inside[k]) && !(X[i * l->d + k] >= m->low[k] && X[i * l->d + k] <= m->high[k]))
                return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                                  "input %zu of row %llu is %g, outside of the lattice's extent %g to %g; "
                                  "make the moments on a larger one",
                                  k + 1, (unsigned long long)(first + i + 1), X[i * l->d + k], m->low[k],
                                  m->high[k]);
    return ORFF_OK;
}

static orff_status check_rows(const orff_lattice_moments *m, uint64_t first, size_t n, const double *X,
                              const double *Y, const double *weights) {
    ORFFI_TRY(orffi_check_finite("X", n, m->sums->lattice.d, X));
    ORFFI_TRY(orffi_check_finite("Y", n, m->sums->p, Y));
    if (weights) ORFFI_TRY(orffi_check_finite("weights", n, 1, weights));
    for (size_t i = 0; weights && i < n; i++)
        if (weights[i] < 0.0)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the weight of row %llu is %g; it must be at least 0",
                              (unsigned long long)(first + i + 1), weights[i]);
    return orffi_lattice_record_check(m, first, n, X);
}

/* Buffers that a reader fills. */
typedef struct intake {
    double *X, *Y, *weights;
    uint64_t rows;
} intake;

static orff_status add_block(const orff_lattice_moments *m, orffi_lattice_sums *sums,
                             const orff_reader *reader, intake *in, size_t *n) {
    *n = 0;
    const int code = reader->read(reader->self, BLOCK, in->X, in->Y, in->weights, n);
    if (code || *n > BLOCK)
        return orffi_fail(ORFF_ERROR_CALLBACK, "the reader returned %d and %zu rows after row %llu", code, *n,
                          (unsigned long long)in->rows);
    ORFFI_TRY(orffi_progress("summing up", (double)in->rows, 0.0));
    ORFFI_TRY(check_rows(m, in->rows, *n, in->X, in->Y, in->weights));
    in->rows += *n;
    return orffi_lattice_sums_add(sums, *n, in->X, in->Y, in->weights);
}

static orff_status add_all(const orff_lattice_moments *m, orffi_lattice_sums *sums,
                           const orff_reader *reader) {
    intake in = {0};
    size_t n = 1;
    orff_status status = ORFFI_NEW_ARRAY(in.X, BLOCK * m->sums->lattice.d);
    if (!status) status = ORFFI_NEW_ARRAY(in.Y, BLOCK * m->sums->p);
    if (!status && reader->weighted) status = ORFFI_NEW_ARRAY(in.weights, BLOCK);
    while (!status && n) status = add_block(m, sums, reader, &in, &n);
    orffi_release(in.X);
    orffi_release(in.Y);
    orffi_release(in.weights);
    return status;
}

/* Sums new rows separately, so that existing sums stay unchanged if the new rows fail. */
static orff_status add_rows(orff_lattice_moments *m,
                            orff_status (*add)(const orff_lattice_moments *, orffi_lattice_sums *,
                                               const void *),
                            const void *from) {
    const orffi_lattice_pass pass = {.p = m->sums->p,
                                     .draws = m->sums->draws,
                                     .by_content = true,
                                     .tolerance = ORFFI_LATTICE_TRANSFORM,
                                     .folds = {.folds = m->folds, .seed = m->seed}};
    orffi_lattice_moments *more = NULL;
    orffi_lattice_sums *sums = NULL;
    orff_status status = orffi_lattice_moments_create(&more, &m->sums->lattice, &pass);
    if (!status) status = orffi_lattice_sums_create(&sums, more, &pass);
    if (!status) status = add(m, sums, from);
    if (!status) status = orffi_lattice_sums_finish(sums);
    if (!status) orffi_lattice_moments_add(m->sums, 1.0, more);
    if (!status) orffi_lattice_record_count(m, more);
    orffi_lattice_sums_free(sums);
    orffi_lattice_moments_free(more);
    return status;
}

static orff_status add_reader(const orff_lattice_moments *m, orffi_lattice_sums *sums, const void *from) {
    return add_all(m, sums, from);
}

orff_status orff_lattice_moments_read(orff_lattice_moments *m, const orff_reader *reader) {
    if (!m || !reader || !reader->read)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_read: NULL argument");
    if (m->sums->directed) return orffi_lattice_record_read_whole(m, reader);
    ORFFI_TRY(orffi_lattice_record_match(m, false));
    return add_rows(m, add_reader, reader);
}

typedef struct arrays {
    size_t n;
    const double *X, *Y, *weights;
} arrays;

static orff_status add_arrays(const orff_lattice_moments *m, orffi_lattice_sums *sums, const void *from) {
    const arrays *a = from;
    ORFFI_TRY(check_rows(m, 0, a->n, a->X, a->Y, a->weights));
    return orffi_lattice_sums_add(sums, a->n, a->X, a->Y, a->weights);
}

orff_status orff_lattice_moments_accumulate(orff_lattice_moments *m, size_t n, const double *X,
                                            const double *Y, const double *weights) {
    const arrays from = {n, X, Y, weights};
    if (!m || !X || !Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_accumulate: NULL argument");
    if (m->sums->directed) {
        ORFFI_TRY(check_rows(m, 0, n, X, Y, weights));
        return orff_lattice_moments_accumulate_observations(
            m, &(orff_observations){
                   .d = m->sums->lattice.d, .p = m->sums->p, .n = n, .X = X, .Y = Y, .weights = weights});
    }
    ORFFI_TRY(orffi_lattice_record_match(m, false));
    return add_rows(m, add_arrays, &from);
}

/* ---- sums of moments */

static orff_status check_match(const orff_lattice_moments *a, const orff_lattice_moments *b) {
    const orffi_lattice *l = &a->sums->lattice, *k = &b->sums->lattice;
    const size_t room = l->d * sizeof(double);
    if (l->d != k->d || a->sums->p != b->sums->p)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "moments of %zu inputs and %zu outputs do not go with those of %zu and %zu", l->d,
                          a->sums->p, k->d, b->sums->p);
    if (memcmp(l->m, k->m, l->d * sizeof *l->m) || memcmp(l->period, k->period, room) ||
        memcmp(l->center, k->center, room) || memcmp(l->inside, k->inside, room))
        return orffi_fail(ORFF_ERROR_MISMATCH, "the moments are on different lattices; make all parts like "
                                               "the first one, or with the same extent and length scales");
    if (a->folds != b->folds || a->seed != b->seed)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "the moments have different folds (%zu and %zu) or seeds; make all parts with the "
                          "same",
                          a->folds, b->folds);
    if (a->sums->draws != b->sums->draws)
        return orffi_fail(
            ORFF_ERROR_MISMATCH,
            "the moments have %zu and %zu random right-hand sides for error bars; make all parts "
            "like the first one",
            a->sums->draws, b->sums->draws);
    return b->measured ? orffi_lattice_record_match(a, b->errors) : ORFF_OK;
}

void orffi_lattice_record_join(orff_lattice_moments *into, double sign, const orff_lattice_moments *other) {
    orffi_lattice_moments_add(into->sums, sign, other->sums);
    into->errors = into->errors || other->errors;
    into->N += sign * other->N;
    into->plain += sign * other->plain;
    into->measured = sign > 0.0 ? into->measured + other->measured : into->measured - other->measured;
}

static orff_status check_less(const orff_lattice_moments *into, const orff_lattice_moments *other) {
    for (size_t f = 0; f < into->sums->n_sets; f++)
        if (other->sums->sets[f].rows > into->sums->sets[f].rows)
            return orffi_fail(ORFF_ERROR_MISMATCH, "%llu rows cannot be subtracted from %llu",
                              (unsigned long long)other->sums->sets[f].rows,
                              (unsigned long long)into->sums->sets[f].rows);
    return ORFF_OK;
}

/* Converts whole rows to directed ones if the other moments have those. */
static orff_status join_directed(orff_lattice_moments *into, double sign, const orff_lattice_moments *other) {
    orff_lattice_moments *copy = NULL;
    ORFFI_TRY(orffi_lattice_record_direct(into));
    orff_status status = orff_lattice_moments_create_like(&copy, other);
    if (!status) orffi_lattice_record_join(copy, 1.0, other);
    if (!status) status = orffi_lattice_record_direct(copy);
    if (!status && sign < 0.0) status = check_less(into, copy);
    if (!status) orffi_lattice_record_join(into, sign, copy);
    orff_lattice_moments_free(copy);
    return status;
}

orff_status orff_lattice_moments_add(orff_lattice_moments *into, const orff_lattice_moments *other) {
    if (!into || !other)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_add: NULL argument");
    ORFFI_TRY(check_match(into, other));
    if (into->sums->directed != other->sums->directed) return join_directed(into, 1.0, other);
    orffi_lattice_record_join(into, 1.0, other);
    return ORFF_OK;
}

orff_status orff_lattice_moments_subtract(orff_lattice_moments *into, const orff_lattice_moments *other) {
    if (!into || !other)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_subtract: NULL argument");
    ORFFI_TRY(check_match(into, other));
    if (into->sums->directed != other->sums->directed) return join_directed(into, -1.0, other);
    ORFFI_TRY(check_less(into, other));
    orffi_lattice_record_join(into, -1.0, other);
    return ORFF_OK;
}

/* ---- describing */

orff_status orff_lattice_moments_set_notes(orff_lattice_moments *m, const char *notes) {
    if (!m) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_set_notes: NULL argument");
    return orffi_notes_set(&m->notes, notes);
}

const char *orff_lattice_moments_notes(const orff_lattice_moments *m) {
    return m->notes ? m->notes : "";
}

orff_lattice_moments_info orff_lattice_moments_describe(const orff_lattice_moments *m) {
    const orffi_lattice *l = &m->sums->lattice;
    return (orff_lattice_moments_info){.inputs = l->d,
                                       .outputs = m->sums->p,
                                       .modes = orffi_lattice_unknowns(l),
                                       .folds = m->sums->n_sets,
                                       .rows = m->measured,
                                       .weight = m->N,
                                       .directed = m->sums->directed,
                                       .low = m->low,
                                       .high = m->high,
                                       .shortest = m->shortest,
                                       .longest = m->longest};
}
