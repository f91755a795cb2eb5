/* Offsets of groups are no part of f, and so no errors of it: what a fold has more than f is taken to be the offset
 *
 *     that the fit has found, of a group with rows in both;
 *     that its rows in the fold show, of a group that the fit has not seen:  r m / (1 + r m) times the mean of y - f, for m rows of
 *     weight 1 and offsets of r times the variance of the noise, as a fit would find it.
 *
 * A number along a direction shows no vector: offsets of directed rows that the fit has not seen remain errors. */
#include <math.h>

#include "base/memory.h"
#include "model/trend.h"
#include "model/tune_folds.h"

typedef struct fold {
    const orff_observations *o;
    const uint64_t *groups;
    const orffi_trend *trend;
    size_t n;
    const size_t *rows; /* n, of those of o */
    double *f;          /* n x p */
} fold;

static bool add_found(const fold *t, size_t i) {
    const size_t p = t->o->p;
    for (size_t g = 0; g < t->trend->offsets; g++) {
        if (t->trend->labels[g] != t->groups[t->rows[i]]) continue;
        const double *offset = t->trend->beta + (t->trend->terms - t->trend->offsets + g) * p;
        for (size_t a = 0; a < p; a++) t->f[i * p + a] += offset[a];
        return true;
    }
    return false;
}

/* Output a of the group of row i, which is its first in the fold. */
static void add_shown(const fold *t, size_t first, size_t a) {
    const size_t p = t->o->p;
    const uint64_t group = t->groups[t->rows[first]];
    double sum = 0.0, count = 0.0;
    for (size_t i = first; i < t->n; i++) {
        const double more = t->o->Y[t->rows[i] * p + a] - t->f[i * p + a],
                     weight = t->o->weights ? t->o->weights[t->rows[i]] : 1.0;
        if (t->groups[t->rows[i]] != group || isnan(more)) continue;
        sum += weight * more;
        count += weight;
    }
    const double offset = count > 0.0 ? t->trend->ratio * sum / (1.0 + t->trend->ratio * count) : 0.0;
    for (size_t i = first; i < t->n; i++)
        if (t->groups[t->rows[i]] == group) t->f[i * p + a] += offset;
}

orff_status orffi_tune_add_offsets(const orff_observations *o, const uint64_t *groups,
                                   const orffi_trend *trend, size_t n, const size_t *rows, double *f) {
    const fold t = {o, groups, trend, n, rows, f};
    bool *done;
    if (!trend || !trend->offsets) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(done, n));
    for (size_t i = 0; i < n; i++) {
        if (done[i] || add_found(&t, i) || o->directions) continue;
        for (size_t a = 0; a < o->p; a++) add_shown(&t, i, a);
        for (size_t k = i; k < n; k++) done[k] |= groups[rows[k]] == groups[rows[i]];
    }
    orffi_release(done);
    return ORFF_OK;
}
