#include "moments/observed.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"

/* ---- counting */

static size_t count_row(const orff_observations *o, size_t i) {
    const size_t width = orffi_observed_width(o);
    size_t count = 0;
    for (size_t k = 0; k < width; k++) count += isnan(o->Y[i * width + k]) ? 0u : 1u;
    return count;
}

/* The number of values that are not missing. */
static size_t count_numbers(const orff_observations *o) {
    size_t count = 0;
    for (size_t i = 0; i < o->n; i++) count += count_row(o, i);
    return count;
}

/* Whether row i has all outputs, with one error for all of them. */
static bool has_all(const orff_observations *o, size_t i) {
    if (o->directions) return false;
    for (size_t k = 0; k < o->p; k++)
        if (isnan(o->Y[i * o->p + k]) || (o->errors && o->errors[i * o->p + k] != o->errors[i * o->p]))
            return false;
    return true;
}

bool orffi_observed_is_whole(const orff_observations *o) {
    if (o->directions || o->n_walls || o->functionals) return false;
    for (size_t i = 0; i < o->n; i++)
        if (!has_all(o, i)) return false;
    return true;
}

/* ---- as directed rows */

void orffi_observed_clear(orffi_observed *r) {
    orffi_release(r->X);
    orffi_release(r->Y);
    orffi_release(r->weights);
    orffi_release(r->along);
    orffi_release(r->at);
    memset(r, 0, sizeof *r);
}

static void add_row(orffi_observed *r, const orff_observations *o, size_t i) {
    const size_t p = o->p, width = orffi_observed_width(o);
    const double weight = o->weights ? o->weights[i] : 1.0;
    if (!count_row(o, i)) return;
    r->measured++;
    r->N += weight;
    for (size_t k = 0; k < width; k++) {
        if (isnan(o->Y[i * width + k])) continue;
        memcpy(r->X + r->n * o->d, o->X + i * o->d, o->d * sizeof *r->X);
        if (o->directions)
            memcpy(r->along + r->n * p, o->directions + i * p, p * sizeof *r->along);
        else
            r->along[r->n * p + k] = 1.0;
        r->Y[r->n] = o->Y[i * width + k];
        r->weights[r->n] = weight;
        r->at[r->n++] = i * width + k;
    }
}

orff_status orffi_observed_fill(orffi_observed *r, const orff_observations *o, bool parted, size_t more) {
    const size_t count = count_numbers(o) + more;
    *r = (orffi_observed){0};
    ORFFI_TRY(orffi_alloc(&r->X, count, o->d * sizeof *r->X));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->Y, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->weights, count));
    ORFFI_TRY(orffi_alloc(&r->along, count, o->p * sizeof *r->along));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->at, count));
    for (size_t i = 0; i < o->n; i++)
        if (!parted || !has_all(o, i)) add_row(r, o, i);
    return ORFF_OK;
}

orff_status orffi_observed_fill_whole(orffi_observed *r, const orff_observations *o) {
    *r = (orffi_observed){0};
    ORFFI_TRY(orffi_alloc(&r->X, o->n, o->d * sizeof *r->X));
    ORFFI_TRY(orffi_alloc(&r->Y, o->n, o->p * sizeof *r->Y));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->weights, o->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->at, o->n));
    for (size_t i = 0; i < o->n; i++) {
        if (!has_all(o, i)) continue;
        memcpy(r->X + r->n * o->d, o->X + i * o->d, o->d * sizeof *r->X);
        memcpy(r->Y + r->n * o->p, o->Y + i * o->p, o->p * sizeof *r->Y);
        r->weights[r->n] = o->weights ? o->weights[i] : 1.0;
        r->N += r->weights[r->n];
        r->at[r->n++] = i * o->p;
    }
    r->measured = r->n;
    return ORFF_OK;
}

/* ---- for sums */

static orff_status check_row(const orff_observations *o, size_t i, unsigned long long number) {
    const size_t width = orffi_observed_width(o);
    double square = 0.0;
    for (size_t k = 0; o->directions && k < o->p; k++)
        square += o->directions[i * o->p + k] * o->directions[i * o->p + k];
    if (o->directions && !isnan(o->Y[i]) && !(square > 0.0 && isfinite(square)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the direction of row %llu has no length", number);
    if (o->weights && !(o->weights[i] >= 0.0 && isfinite(o->weights[i])))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the weight of row %llu is %g; it must be at least 0",
                          number, o->weights[i]);
    for (size_t k = 0; k < width; k++) {
        const size_t at = i * width + k;
        if (isinf(o->Y[at]))
            return orffi_fail(ORFF_ERROR_NOT_FINITE, "Y is %g in row %llu, column %zu", o->Y[at], number,
                              k + 1);
        if (o->errors && !isnan(o->Y[at]) && !(o->errors[at] > 0.0 && isfinite(o->errors[at])))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the error of output %zu of row %llu is %g; sums over rows need positive "
                              "errors",
                              k + 1, number, o->errors[at]);
    }
    return ORFF_OK;
}

orff_status orffi_observed_check(const orff_observations *o, uint64_t first) {
    if (o->instruments || o->n_walls || o->functionals)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the noise of instruments, walls and functionals are for rows in memory; moments "
                          "take missing outputs, directions, weights and errors");
    ORFFI_TRY(orffi_check_finite("X", o->n, o->d, o->X));
    for (size_t i = 0; i < o->n; i++) ORFFI_TRY(check_row(o, i, (unsigned long long)(first + i + 1)));
    return ORFF_OK;
}

double orffi_observed_weigh(const orff_observations *o, orffi_observed *r) {
    double plain = 0.0;
    for (size_t j = 0; j < r->n; j++) {
        plain += r->weights[j];
        if (o->errors) r->weights[j] /= o->errors[r->at[j]] * o->errors[r->at[j]];
    }
    return plain;
}

/* ---- readers */

orff_status orffi_observed_open(orffi_observed_blocks *b, const orff_observation_reader *reader, size_t d,
                                size_t p, size_t room) {
    const size_t width = reader->directed ? 1 : p;
    *b = (orffi_observed_blocks){.reader = reader, .room = room, .o = {.d = d, .p = p}};
    ORFFI_TRY(orffi_alloc(&b->X, room, d * sizeof *b->X));
    ORFFI_TRY(orffi_alloc(&b->Y, room, width * sizeof *b->Y));
    if (reader->directed) ORFFI_TRY(orffi_alloc(&b->directions, room, p * sizeof *b->directions));
    if (reader->errors) ORFFI_TRY(orffi_alloc(&b->errors, room, width * sizeof *b->errors));
    if (reader->weighted) ORFFI_TRY(ORFFI_NEW_ARRAY(b->weights, room));
    b->o.X = b->X;
    b->o.Y = b->Y;
    b->o.directions = b->directions;
    b->o.errors = b->errors;
    b->o.weights = b->weights;
    return ORFF_OK;
}

orff_status orffi_observed_next(orffi_observed_blocks *b) {
    b->first += b->o.n;
    b->o.n = 0;
    const int code =
        b->reader->read(b->reader->self, b->room, b->X, b->Y, b->directions, b->errors, b->weights, &b->o.n);
    if (code || b->o.n > b->room)
        return orffi_fail(ORFF_ERROR_CALLBACK, "the reader returned %d and %zu rows after row %llu", code,
                          b->o.n, (unsigned long long)b->first);
    ORFFI_TRY(orffi_progress("summing up", (double)b->first, 0.0));
    return orffi_observed_check(&b->o, b->first);
}

void orffi_observed_close(orffi_observed_blocks *b) {
    double *all[] = {b->X, b->Y, b->directions, b->errors, b->weights};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}
